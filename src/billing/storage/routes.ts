import { Elysia } from "elysia";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { answerCsv, type CsvFile, pagesOf } from "../../http/csv.ts";
import { ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/paging.ts";
import { documented } from "../../http/route.ts";
import { showsBins } from "../../inventory/bin_codes.ts";
import type { Asker } from "../../keys/actors/store.ts";
import { readId } from "../../kit/ids.ts";
import { queryOf } from "../../kit/schema.ts";
import { checkDays } from "../rules.ts";
import { type StorageDay, storageCells, storageColumns, storageView } from "./day.ts";
import { ExportStorage, ListStorage, StorageView } from "./schemas.ts";
import { countDays, listDays, type StorageFilter } from "./store.ts";

/** What lay where on each day. */
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
        "A row for each product, lot and bin that held units on a day; newest day first. A day is added up once, a" +
        " quarter of an hour after midnight in the warehouse's time zone, and never changes.",
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

/** Refuses: validation_failed, for what is no day. */
function filterOf({ warehouse, from, to }: ExportStorage): StorageFilter {
  checkDays({ from, to });
  // In a warehouse that does not exist nothing lay.
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

/** The file of the days that match, newest first, as it is shown to who asks. */
export function storageExport(filter: StorageFilter, asker: Asker): CsvFile<StorageDay> {
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
