import { readId } from "../core/ids.ts";
import { type CsvFile, pagesOf } from "../http/csv_response.ts";
import { exportCsv, list, routes } from "../http/routes.ts";
import type { Viewer } from "../identity/actors.sql.ts";
import { showsBins } from "../inventory/warehouses/bin_visibility.ts";
import { checkDays } from "./billable_event.ts";
import { ExportStorage, ListStorage, StorageView } from "./billing.schema.ts";
import { type StorageDay, storageCells, storageColumns, storageView } from "./storage_day.ts";
import { countDays, listDays, type StorageFilter } from "./storage_days.sql.ts";

/** The routes of end-of-day stock. */
export const storageRoutes = routes("Billing", [
  list("/billing/storage", "billing.read", {
    id: "listStorageDays",
    summary: "List storage by day",
    description:
      "One row for each product, lot and bin that held units on a day, newest day first. A day is recorded once, 15" +
      " minutes after midnight in the warehouse's time zone, and never changes.",
    query: ListStorage,
    view: StorageView,
    listing: ({ query }) => {
      const filter = filterOf(query);
      return {
        rows: (db, window) => listDays(db, filter, window),
        count: (db) => countDays(db, filter),
        position: ({ business_date, stock_item_id }) => [business_date, stock_item_id],
      };
    },
    views: (days, _, { call }) => days.map((day) => storageView(day, showsBins(call))),
  }),
  exportCsv("/billing/storage/export.csv", "billing.read", {
    id: "exportStorageDays",
    summary: "Export storage by day as CSV",
    query: ExportStorage,
    file: ({ call, query }) => storageExport(filterOf(query), call),
  }),
]);

/** Refuses: validation_failed. */
function filterOf({ warehouse, from, to }: ExportStorage): StorageFilter {
  checkDays({ from, to });
  // An unknown warehouse has no storage.
  const warehouse_id = warehouse === undefined ? undefined : (readId("warehouse", warehouse) ?? 0);
  return { warehouse_id, from, to };
}

/** The CSV file of the matching days, newest first, with the columns that the viewer may see. */
export function storageExport(filter: StorageFilter, asker: Viewer): CsvFile<StorageDay> {
  return {
    name: "storage_days.csv",
    columns: storageColumns,
    page: pagesOf((db, last, limit) => {
      const after = last === null ? null : ([last.business_date, last.stock_item_id] as const);
      return listDays(db, filter, { limit, offset: 0, after });
    }),
    cells: (day) => storageCells(day, showsBins(asker)),
  };
}
