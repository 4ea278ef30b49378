import { momentOf } from "../core/clock.ts";
import { readIds } from "../core/ids.ts";
import { list, routes, write } from "../http/routes.ts";
import {
  ListRestockTasks,
  RestockedView,
  RestockInput,
  RestockTaskView,
} from "../inventory/receiving/restock_task.schema.ts";
import { restockTaskView } from "../inventory/receiving/restock_task.ts";
import { countRestockTasks, listHomeBins, listRestockTasks } from "../inventory/receiving/restock_tasks.sql.ts";
import { findOrderId } from "../orders/lifecycle/order_lookup.sql.ts";
import type { Db } from "../storage/database.ts";
import { shelveUnits } from "./returns.ts";

/** The ids of the orders that a filter names. No order has the id 0, which stands for an unknown one. */
async function readOrderIds(db: Db, names: readonly string[]): Promise<number[]> {
  return Promise.all(names.map(async (name) => (await findOrderId(db, name, "order_id")) ?? 0));
}

/**
 * Routes of restock tasks (`putbacks` in the API). They depend on orders and returns, but their paths are under
 * `/inventory`.
 */
export const putBackRoutes = routes("Warehouses", [
  list("/inventory/putbacks", "stock.read", {
    id: "listPutBacks",
    summary: "List restock tasks",
    description:
      "Lists units that were picked for cancelled orders, and inspected units of returns to restock without a bin." +
      " They cannot be sold before they are put back. The oldest come first.",
    refuses: ["ambiguous_identifier"],
    of: {
      query: ListRestockTasks,
      listing: async ({ call, query }) => {
        const { location, sku, order_id, return_id } = query;
        // An unknown order or return has no restock tasks.
        const filter = {
          sku,
          warehouse_ids: location && readIds("warehouse", location),
          order_ids: order_id && (await call.store.read((db) => readOrderIds(db, order_id))),
          return_ids: return_id && readIds("return", return_id),
          created_after: momentOf(query.created_after),
          created_before: momentOf(query.created_before),
        };
        return {
          rows: (db, window) => listRestockTasks(db, filter, window),
          count: (db) => countRestockTasks(db, filter),
          position: ({ since, id }) => [since, id],
        };
      },
    },
    view: RestockTaskView,
    views: async (tasks, db) => {
      const homes = await listHomeBins(
        db,
        tasks.map(({ product_id }) => product_id),
      );
      return tasks.map((task) => restockTaskView(task, homes));
    },
  }),
  write("POST", "/inventory/putbacks", "stock.floor", {
    id: "putBack",
    summary: "Restock units of a cancelled order or a return",
    description:
      "Records that units waiting in a putback or returns bin are on a shelf again. They can be sold then, and" +
      " backordered orders get them first. Picked units of a lot that cannot be shipped are also put back this way." +
      " Emits `inventory.updated` and creates a billable event.",
    refuses: [
      "ambiguous_identifier",
      "ambiguous_stock",
      "bin_full",
      "bin_of_other_merchant",
      "insufficient_inventory",
      "resource_missing",
      "return_not_inspected",
    ],
    body: RestockInput,
    view: RestockedView,
    status: 201,
    act: (tx, { call, body }) => shelveUnits(tx, body, call.actor),
  }),
]);
