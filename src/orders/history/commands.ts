import type { Tx } from "../../database/store.ts";
import { takeNews } from "../../inventory/backorders/store.ts";
import type { Actor } from "../../kit/actor.ts";
import { settleHolds } from "../holds/commands.ts";
import type { Order } from "../order.ts";
import { lockOrder, saveOrder } from "../store.ts";

const told = [
  ["lost", "backordered"],
  ["moved", "reallocated"],
  ["filled", "backorder_filled"],
] as const;

/**
 * Takes note of what became of an order's claim on stock without its doing: units lost, moved to other stock, or found
 * at last. A hold that waited for them is lifted. Refuses: resource_missing.
 */
export async function noteClaim(tx: Tx, order_id: number, actor: Actor): Promise<Order> {
  let order = await lockOrder(tx, order_id);
  const news = await takeNews(tx, order_id);
  if (news.length === 0) return order;
  for (const [kind, event] of told) {
    const units = new Map<string, number>();
    for (const one of news) if (one.kind === kind) units.set(one.sku, (units.get(one.sku) ?? 0) + one.quantity);
    if (units.size === 0) continue;
    const note = [...units].map(([sku, quantity]) => `${quantity} of ${sku}`).join(", ");
    order = await saveOrder(tx, order, order, { event, actor, note });
  }
  return settleHolds(tx, order, actor);
}
