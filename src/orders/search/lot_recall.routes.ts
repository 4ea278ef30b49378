import { Elysia } from "elysia";
import { csvExportFields } from "../../core/csv_columns.ts";
import { missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import { closed, fittingInSlice, type PagePosition, queryOf } from "../../core/schema.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { answerCsv, type CsvFile } from "../../http/csv_response.ts";
import { ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/pagination.ts";
import { documented } from "../../http/route.ts";
import type { NamedLot } from "../../inventory/stock/lot.ts";
import {
  countRecalledOrders,
  findNamedLot,
  listAssumed,
  listRecalledOrders,
  type RecalledOrder,
} from "../../inventory/stock/lots.sql.ts";
import type { Db } from "../../storage/database.ts";
import { sizesOfOrders } from "../lifecycle/order_lookup.sql.ts";
import { findOrders } from "../orders.sql.ts";
import { lotRecallCells, lotRecallColumns, lotRecallView } from "./lot_recall.ts";
import { ListLotRecall, LotRecallView } from "./order_list.schema.ts";

/**
 * Traces a lot to every order that was shipped units of it. Its path is below `/inventory`, but only orders know
 * customers.
 */
export const lotRecallRoutes = new Elysia({ prefix: "/inventory/lots" })
  .use(conventions)
  .get("/:id/trace", ({ call, params, query }) => trace(call, params.id, query), {
    query: queryOf(ListLotRecall),
    detail: documented({
      id: "traceLot",
      needs: "stock.read",
      chapter: "Lots",
      summary: "Trace a lot to its orders",
      answers: { 200: ListView(LotRecallView) },
    }),
  })
  .get("/:id/trace/export.csv", ({ call, params, query }) => answerCsv(call, lotRecallExport(params.id), query), {
    query: queryOf(closed(csvExportFields)),
    detail: documented({
      id: "exportLotTrace",
      needs: "stock.read",
      chapter: "Lots",
      summary: "Export the trace of a lot as CSV",
      documents: ["text/csv"],
      answers: { 200: null },
    }),
  });

async function lotOf(db: Db, id: string): Promise<NamedLot> {
  const lot = await findNamedLot(db, readId("lot", id) ?? 0);
  if (lot === null) throw missing("lot", id);
  return lot;
}

function trace(call: Call, id: string, query: ListLotRecall): Promise<Response> {
  return answerList(
    call,
    query,
    {
      rows: async (db, window) => listRecalledOrders(db, (await lotOf(db, id)).id, window),
      count: async (db) => countRecalledOrders(db, (await lotOf(db, id)).id),
      position: positionOf,
      // Little of an order is shown, but much of it may be read.
      long: { bytes: (db, rows) => sizesOfOrders(db, idsOf(rows)) },
    },
    async (rows, db) => viewsOf(db, await lotOf(db, id), rows),
  );
}

const positionOf = ({ last_at, movement_id }: RecalledOrder): PagePosition => [last_at, movement_id];

const idsOf = (rows: readonly RecalledOrder[]) => rows.map(({ order }) => readId("order", order) ?? 0);

async function viewsOf(db: Db, { id, product_id }: NamedLot, rows: readonly RecalledOrder[]) {
  const assumed = await listAssumed(
    db,
    id,
    rows.map(({ order }) => order),
  );
  const ids = idsOf(rows);
  const orders = new Map((await findOrders(db, ids)).map((order) => [order.id, order]));
  return rows.flatMap((row, at) => {
    const order = orders.get(ids[at] ?? 0);
    return order === undefined
      ? []
      : [lotRecallView(order, product_id, { ...row, assumed: assumed.get(row.order) ?? 0 })];
  });
}

/** The CSV of the orders that were shipped units of a lot, most recent first. */
function lotRecallExport(id: string): CsvFile<ReturnType<typeof lotRecallView>, PagePosition> {
  return {
    name: "trace.csv",
    columns: lotRecallColumns,
    page: async (db, after, limit) => {
      const lot = await lotOf(db, id);
      const rows = await listRecalledOrders(db, lot.id, { limit, offset: 0, after });
      // An order may have hundreds of lines, so as many orders are read as fit.
      const read = rows.slice(0, fittingInSlice(await sizesOfOrders(db, idsOf(rows))));
      const last = read.at(-1);
      return { rows: await viewsOf(db, lot, read), next: last === undefined ? null : positionOf(last) };
    },
    cells: lotRecallCells,
  };
}
