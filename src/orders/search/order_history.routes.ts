import { Elysia } from "elysia";
import { iso } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import { queryOf } from "../../core/schema.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/pagination.ts";
import { documented } from "../../http/route.ts";
import { viewerOf, withActorsFor } from "../../identity/actors.sql.ts";
import { getOrderId } from "../lifecycle/order_lookup.sql.ts";
import { countHistory, type HistoryRow, listHistory } from "./order_history.sql.ts";
import { HistoryView, ListHistory } from "./order_list.schema.ts";

/** The history of an order. */
export const historyRoutes = new Elysia({ prefix: "/orders/:id/history" })
  .use(conventions)
  .get("", ({ call, params, query }) => history(call, params.id, query), {
    query: queryOf(ListHistory),
    detail: documented({
      id: "listOrderHistory",
      needs: "orders.read",
      chapter: "Orders",
      summary: "List the history of an order, oldest first",
      answers: { 200: ListView(HistoryView) },
    }),
  });

async function history(call: Call, id: string, query: ListHistory): Promise<Response> {
  const viewer = await viewerOf(call);
  return answerList(
    call,
    query,
    {
      rows: async (db, window) => withActorsFor(db, viewer, await listHistory(db, await getOrderId(db, id), window)),
      count: async (db) => countHistory(db, await getOrderId(db, id)),
      position: (row) => [row.created_at, row.number],
    },
    (rows) => rows.map(historyView),
  );
}

function historyView(row: HistoryRow) {
  return {
    id: wireId("history", row.id),
    event: row.event,
    from_status: row.from_status,
    to_status: row.to_status,
    reason: row.reason,
    note: row.note,
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
    request_id: row.request_id,
    created_at: iso(row.created_at),
  };
}
