import { Elysia } from "elysia";
import { readId } from "../core/ids.ts";
import { queryOf } from "../core/schema.ts";
import type { Call } from "../http/call.ts";
import { conventions } from "../http/conventions.ts";
import { answerCsv, type CsvFile, pagesOf } from "../http/csv_response.ts";
import { ListView } from "../http/envelope.ts";
import { answerList } from "../http/pagination.ts";
import { documented } from "../http/route.ts";
import type { Viewer } from "../identity/actors.sql.ts";
import { showsBins } from "../inventory/warehouses/bin_visibility.ts";
import { checkDays } from "./billable_event.ts";
import { ExportStorage, ListStorage, StorageView } from "./billing.schema.ts";
import { type StorageDay, storageCells, storageColumns, storageView } from "./storage_day.ts";
import { countDays, listDays, type StorageFilter } from "./storage_days.sql.ts";

/** The routes of end-of-day stock. */
export const storageRoutes = new Elysia({ prefix: "/storage" })
  .use(conventions)
  .get("", ({ call, query }) => list(call, query), {
    query: queryOf(ListStorage),
    detail: documented({
      id: "listStorageDays",
      needs: "billing.read",
      chapter: "Billing",
      summary: "List storage by day",
      description:
        "One row for each product, lot and bin that held units on a day, newest day first. A day is recorded once, 15" +
        " minutes after midnight in the warehouse's time zone, and never changes.",
      answers: { 200: ListView(StorageView) },
    }),
  })
  .get("/export.csv", ({ call, query }) => answerCsv(call, storageExport(filterOf(query), call), query), {
    query: queryOf(ExportStorage),
    detail: documented({
      id: "exportStorageDays",
      needs: "billing.read",
      chapter: "Billing",
      summary: "Export storage by day as CSV",
      documents: ["text/csv"],
      answers: { 200: null },
    }),
  });

/** Refuses: validation_failed. */
function filterOf({ warehouse, from, to }: ExportStorage): StorageFilter {
  checkDays({ from, to });
  // An unknown warehouse has no storage.
  const warehouse_id = warehouse === undefined ? undefined : (readId("warehouse", warehouse) ?? 0);
  return { warehouse_id, from, to };
}

function list(call: Call, query: ListStorage): Promise<Response> {
  const filter = filterOf(query);
  return answerList(
    call,
    query,
    {
      rows: (db, window) => listDays(db, filter, window),
      count: (db) => countDays(db, filter),
      position: ({ business_date, stock_item_id }) => [business_date, stock_item_id],
    },
    (days) => days.map((day) => storageView(day, showsBins(call))),
  );
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
