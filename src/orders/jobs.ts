import type { Store } from "../database/store.ts";
import type { Service } from "../http/service.ts";
import { listOrdersWithNews } from "../inventory/backorders/store.ts";
import { listOrdersWithRecalled } from "../inventory/lots/store.ts";
import { system } from "../kit/actor.ts";
import { noteClaim, releaseDueHolds, settleRecall } from "./holds/commands.ts";
import { listOrdersHeldForRecall, listOrdersWithDueHolds, nextHoldEnd } from "./holds/store.ts";

const orders_max = 100;

/** `orders.release_holds`: lifts holds whose time has come. Answers when the next one ends (ms), or null. */
export async function releaseHolds(store: Store, _service: Service): Promise<number | null> {
  const due = await store.read((db) => listOrdersWithDueHolds(db, orders_max));
  const actor = system("orders.release_holds");
  for (const order_id of due) await store.write((tx) => releaseDueHolds(tx, order_id, actor));
  // More may have come due meanwhile, or be left over: another round finds out.
  return due.length > 0 ? store.clock.now() : store.read(nextHoldEnd);
}

/**
 * `orders.hold_recalled`: holds orders that have units of a recalled lot, and lifts that hold of those that have none
 * any more. Answers now when there may be more (ms), or null.
 */
export async function holdRecalled(store: Store, _service: Service): Promise<number | null> {
  const changed = await store.read(async (db) => {
    const having = new Set(await listOrdersWithRecalled(db));
    const held = new Set(await listOrdersHeldForRecall(db));
    return [...having.symmetricDifference(held)].slice(0, orders_max);
  });
  const actor = system("orders.hold_recalled");
  for (const order_id of changed) await store.write((tx) => settleRecall(tx, order_id, actor));
  return changed.length > 0 ? store.clock.now() : null;
}

/**
 * `orders.note_claims`: lets orders take note of what became of their claims. Answers now when there may be more (ms),
 * or null.
 */
export async function noteClaims(store: Store, _service: Service): Promise<number | null> {
  const orders = await store.read((db) => listOrdersWithNews(db, orders_max));
  const actor = system("orders.note_claims");
  for (const order_id of orders) await store.write((tx) => noteClaim(tx, order_id, actor));
  return orders.length > 0 ? store.clock.now() : null;
}
