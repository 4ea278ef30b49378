import type { Static } from "@sinclair/typebox";
import { type CsvFile, pagesOf } from "../http/csv_response.ts";
import { exportCsv, list, routes } from "../http/routes.ts";
import type { Viewer } from "../identity/actors.sql.ts";
import { showsBins } from "../inventory/warehouses/bin_visibility.ts";
import { checkDays } from "./billable_event.ts";
import { StorageView } from "./billing.schema.ts";
import { type StorageDay, storageCells, storageColumns, storageView } from "./storage_day.ts";
import { storageList } from "./storage_days.sql.ts";

/** The routes of end-of-day stock. */
export const storageRoutes = routes("Billing", [
  list("/billing/storage", "billing.read", {
    id: "listStorageDays",
    summary: "List storage by day",
    description:
      "One row for each product, lot and bin that held units on a day, newest day first, to charge for storage. A day" +
      " is recorded once, 15 minutes after midnight in the warehouse's time zone, and never changes.",
    of: storageList,
    prepare: async ({ query }) => checkDays(query),
    view: StorageView,
    views: (days, _, { call }) => days.map((day) => storageView(day, showsBins(call))),
  }),
  exportCsv("/billing/storage/export.csv", "billing.read", {
    id: "exportStorageDays",
    summary: "Export storage by day as CSV",
    description:
      "Returns the matching days of storage as a CSV file, newest first: the same rows as `GET /billing/storage`." +
      " Days that are still being recorded are left out.",
    query: storageList.export_query,
    file: ({ call, query }) => {
      checkDays(query);
      return storageExport(query, call);
    },
  }),
]);

/** The CSV file of the matching days, newest first, with the columns that the viewer may see. */
export function storageExport(query: Static<typeof storageList.export_query>, asker: Viewer): CsvFile<StorageDay> {
  return {
    name: "storage_days.csv",
    columns: storageColumns,
    page: pagesOf((db, last, limit) => storageList.after(db, query, last, limit)),
    cells: (day) => storageCells(day, showsBins(asker)),
  };
}
