import { Elysia } from "elysia";
import { readId } from "../core/ids.ts";
import { bodyOf, queryOf } from "../core/schema.ts";
import type { Call } from "../http/call.ts";
import { conventions } from "../http/conventions.ts";
import { EnvelopedView, ListView } from "../http/envelope.ts";
import { answerList } from "../http/pagination.ts";
import { answerWrite } from "../http/response.ts";
import { documented } from "../http/route.ts";
import {
  ListRestockTasks,
  RestockedView,
  RestockInput,
  RestockTaskView,
} from "../inventory/receiving/restock_task.schema.ts";
import { restockTaskView } from "../inventory/receiving/restock_task.ts";
import { countRestockTasks, listHomeBins, listRestockTasks } from "../inventory/receiving/restock_tasks.sql.ts";
import { findOrderId } from "../orders/lifecycle/order_lookup.sql.ts";
import { shelveUnits } from "./returns.ts";

/**
 * Routes of restock tasks (`putbacks` in the API). They depend on orders and returns, but their paths are under
 * `/inventory`.
 */
export const putBackRoutes = new Elysia({ prefix: "/inventory/putbacks" })
  .use(conventions)
  .get("", ({ call, query }) => list(call, query), {
    query: queryOf(ListRestockTasks),
    detail: documented({
      id: "listPutBacks",
      needs: "stock.read",
      chapter: "Warehouses",
      summary: "List restock tasks",
      description:
        "Lists units that were picked for cancelled orders, and units returned for restocking without a bin." +
        " They cannot" +
        " be sold before they are put back. The oldest come first.",
      refuses: ["ambiguous_identifier"],
      answers: { 200: ListView(RestockTaskView) },
    }),
  })
  .post("", ({ call, body }) => answerWrite(call, 201, (tx) => shelveUnits(tx, body, call.actor)), {
    body: bodyOf(RestockInput),
    detail: documented({
      id: "putBack",
      needs: "stock.floor",
      chapter: "Warehouses",
      summary: "Restock units of a cancelled order or a return",
      refuses: [
        "ambiguous_identifier",
        "ambiguous_stock",
        "bin_full",
        "bin_of_other_merchant",
        "insufficient_inventory",
        "resource_missing",
      ],
      answers: { 201: EnvelopedView(RestockedView) },
    }),
  });

async function list(call: Call, query: ListRestockTasks): Promise<Response> {
  const { location, sku, order_id, return_id } = query;
  // An unknown order or return has no restock tasks.
  const filter = {
    sku,
    warehouse_id: location === undefined ? undefined : (readId("warehouse", location) ?? 0),
    order_id:
      order_id === undefined
        ? undefined
        : ((await call.store.read((db) => findOrderId(db, order_id, "order_id"))) ?? 0),
    return_id: return_id === undefined ? undefined : (readId("return", return_id) ?? 0),
  };
  return answerList(
    call,
    query,
    {
      rows: async (db, window) => {
        const rows = await listRestockTasks(db, filter, window);
        const homes = await listHomeBins(
          db,
          rows.map(({ product_id }) => product_id),
        );
        return rows.map((task) => ({ task, homes }));
      },
      count: (db) => countRestockTasks(db, filter),
      position: ({ task }) => [task.since, task.id],
    },
    (rows) => rows.map(({ task, homes }) => restockTaskView(task, homes)),
  );
}
