import { iso, momentOf } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import { list, routes } from "../../http/routes.ts";
import { viewerOf, withActorsFor } from "../../identity/actors.sql.ts";
import type { Db } from "../../storage/database.ts";
import { getOrderId } from "../lifecycle/order_lookup.sql.ts";
import { countHistory, type HistoryRow, listHistory } from "./order_history.sql.ts";
import { HistoryView, ListHistory } from "./order_list.schema.ts";

/** The history of an order. */
export const historyRoutes = routes("Orders", [
  list("/orders/:id/history", "orders.read", {
    id: "listOrderHistory",
    summary: "List the history of an order, oldest first",
    description:
      "One entry for each step: transitions, holds, changed fields, parcels, returns, and stock that was lost, moved" +
      " or found. An action that performs missing steps has an entry for each of them. For changes of all orders," +
      " poll the events.",
    of: {
      query: ListHistory,
      listing: async ({ call, params: { id }, query }) => {
        const viewer = await viewerOf(call);
        const filterIn = async (db: Db) => ({
          order_id: await getOrderId(db, id),
          created_after: momentOf(query.created_after),
          created_before: momentOf(query.created_before),
        });
        return {
          rows: async (db, window) => withActorsFor(db, viewer, await listHistory(db, await filterIn(db), window)),
          count: async (db) => countHistory(db, await filterIn(db)),
          position: (row) => [row.created_at, row.number],
        };
      },
    },
    view: HistoryView,
    views: (rows) => rows.map(historyView),
  }),
]);

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
