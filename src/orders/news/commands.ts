import type { Tx } from "../../database/store.ts";
import { takeNews } from "../../inventory/backorders/store.ts";
import type { Actor } from "../../kit/actor.ts";
import type { Order } from "../order.ts";
import { saveOrder } from "../store.ts";

const eventsByKind = [
  ["lost", "backordered"],
  ["moved", "reallocated"],
  ["filled", "backorder_filled"],
] as const;

/**
 * Writes into the history of a locked order what has happened to its reserved units: lost, moved to other stock, or
 * reserved at last after a backorder. Answers the same order when nothing has happened.
 */
export async function tellNews(tx: Tx, before: Order, actor: Actor): Promise<Order> {
  let order = before;
  const news = await takeNews(tx, order.id);
  for (const [kind, event] of eventsByKind) {
    const units = new Map<string, number>();
    for (const one of news) if (one.kind === kind) units.set(one.sku, (units.get(one.sku) ?? 0) + one.quantity);
    if (units.size === 0) continue;
    const note = [...units].map(([sku, quantity]) => `${quantity} of ${sku}`).join(", ");
    order = await saveOrder(tx, order, order, { event, actor, note });
  }
  return order;
}
