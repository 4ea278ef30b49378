import { Elysia } from "elysia";
import type { Db } from "../../database/store.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { answerCsv, type CsvFile } from "../../http/csv.ts";
import { ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/paging.ts";
import { documented } from "../../http/route.ts";
import type { NamedLot } from "../../inventory/lots/lot.ts";
import { countTraced, findNamedLot, listAssumed, listTraced, type TracedOrder } from "../../inventory/lots/store.ts";
import { missing } from "../../kit/fault.ts";
import { readId } from "../../kit/ids.ts";
import { fittingInSlice, type Position } from "../../kit/page.ts";
import { closed, queryOf } from "../../kit/schema.ts";
import { sheetFields } from "../../kit/sheet.ts";
import { sizesOfOrders } from "../rows/store.ts";
import { findOrders } from "../store.ts";
import { ListTrace, TraceView } from "./schemas.ts";
import { traceCells, traceColumns, traceView } from "./trace.ts";

/** Where a lot went: every order that got units of it. It lies below `/inventory`, but only orders know customers. */
export const traceRoutes = new Elysia({ prefix: "/inventory/lots" })
  .use(conventions)
  .get("/:id/trace", ({ call, params, query }) => trace(call, params.id, query), {
    query: queryOf(ListTrace),
    detail: documented({
      id: "traceLot",
      needs: "stock.read",
      chapter: "Lots",
      summary: "Trace a lot to its orders",
      answers: { 200: ListView(TraceView) },
    }),
  })
  .get("/:id/trace/export.csv", ({ call, params, query }) => answerCsv(call, traceExport(params.id), query), {
    query: queryOf(closed(sheetFields)),
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

function trace(call: Call, id: string, query: ListTrace): Promise<Response> {
  return answerList(
    call,
    query,
    {
      rows: async (db, window) => listTraced(db, (await lotOf(db, id)).id, window),
      count: async (db) => countTraced(db, (await lotOf(db, id)).id),
      position: positionOf,
      // What is shown of an order is short, and what is read of it may be long.
      long: { bytes: (db, rows) => sizesOfOrders(db, idsOf(rows)) },
    },
    async (rows, db) => viewsOf(db, await lotOf(db, id), rows),
  );
}

const positionOf = ({ last_at, movement_id }: TracedOrder): Position => [last_at, movement_id];

const idsOf = (rows: readonly TracedOrder[]) => rows.map(({ order }) => readId("order", order) ?? 0);

async function viewsOf(db: Db, { id, product_id }: NamedLot, rows: readonly TracedOrder[]) {
  const assumed = await listAssumed(
    db,
    id,
    rows.map(({ order }) => order),
  );
  const ids = idsOf(rows);
  const orders = new Map((await findOrders(db, ids)).map((order) => [order.id, order]));
  return rows.flatMap((row, at) => {
    const order = orders.get(ids[at] ?? 0);
    return order === undefined ? [] : [traceView(order, product_id, { ...row, assumed: assumed.get(row.order) ?? 0 })];
  });
}

/** The file of the orders that got units of a lot, the last ones first. */
function traceExport(id: string): CsvFile<ReturnType<typeof traceView>, Position> {
  return {
    name: "trace.csv",
    columns: traceColumns,
    page: async (db, after, limit) => {
      const lot = await lotOf(db, id);
      const rows = await listTraced(db, lot.id, { limit, offset: 0, after });
      // An order may have hundreds of lines: as many orders are read as fit.
      const read = rows.slice(0, fittingInSlice(await sizesOfOrders(db, idsOf(rows))));
      const last = read.at(-1);
      return { rows: await viewsOf(db, lot, read), next: last === undefined ? null : positionOf(last) };
    },
    cells: traceCells,
  };
}
