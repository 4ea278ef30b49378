import { Elysia } from "elysia";
import type { Db } from "../../database/store.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/paging.ts";
import { documented } from "../../http/route.ts";
import type { NamedLot } from "../../inventory/lots/lot.ts";
import { countTraced, findNamedLot, listAssumed, listTraced } from "../../inventory/lots/store.ts";
import { missing } from "../../kit/fault.ts";
import { readId } from "../../kit/ids.ts";
import { queryOf } from "../../kit/schema.ts";
import { findOrders } from "../store.ts";
import { ListTrace, TraceView } from "./schemas.ts";
import { traceView } from "./trace.ts";

/** Where a lot went: every order that got units of it. It lies below `/inventory`, but only orders know customers. */
export const traceRoutes = new Elysia({ prefix: "/inventory/lots" })
  .use(conventions)
  .get("/:id/trace", ({ call, params, query }) => trace(call, params.id, query), {
    query: queryOf(ListTrace),
    detail: documented({
      id: "traceLot",
      summary: "Every order that got units of a lot, the last ones first",
      answers: { 200: ListView(TraceView) },
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
      position: ({ last_at, movement_id }) => [last_at, movement_id],
    },
    async (rows, db) => {
      const { id: lot_id, product_id } = await lotOf(db, id);
      const assumed = await listAssumed(
        db,
        lot_id,
        rows.map(({ order }) => order),
      );
      const ids = rows.map(({ order }) => readId("order", order) ?? 0);
      const orders = new Map((await findOrders(db, ids)).map((order) => [order.id, order]));
      return rows.flatMap((row, at) => {
        const order = orders.get(ids[at] ?? 0);
        return order === undefined
          ? []
          : [traceView(order, product_id, { ...row, assumed: assumed.get(row.order) ?? 0 })];
      });
    },
  );
}
