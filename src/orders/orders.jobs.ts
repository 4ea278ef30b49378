import { addressProblems } from "../addresses/offline_verification.ts";
import { systemActor } from "../core/actor.ts";
import type { Service } from "../http/service.ts";
import { listOrdersWithAllocationChanges } from "../inventory/reservations/backorders.sql.ts";
import { listOrdersWithRecalled } from "../inventory/stock/lots.sql.ts";
import { lastChangeAt } from "../merchants/merchants.sql.ts";
import type { Store } from "../storage/database.ts";
import { takeCorrection } from "./changes/change_order.ts";
import {
  listHeldAddresses,
  listOrdersHeldForRecall,
  listOrdersToSettle,
  listOrdersWithDueHolds,
  listOrdersWithGoods,
  nextHoldEnd,
} from "./changes/holds.sql.ts";
import {
  noteAllocationChanges,
  releaseDueHolds,
  settleHoldsOf,
  settleRecall,
  settleSuspensionOf,
} from "./changes/holds.ts";
import { addUpCounts, hasPendingCounts } from "./lifecycle/order_counters.sql.ts";

const orders_max = 100;

/** `orders.release_holds`: lifts holds whose time has come. Answers when the next one ends (ms), or null. */
export async function releaseHolds(store: Store, _service: Service): Promise<number | null> {
  const due = await store.read((db) => listOrdersWithDueHolds(db, orders_max));
  const actor = systemActor("orders.release_holds");
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
  const actor = systemActor("orders.hold_recalled");
  for (const order_id of changed) await store.write((tx) => settleRecall(tx, order_id, actor));
  return changed.length > 0 ? store.clock.now() : null;
}

// A change of a merchant is done with by then, and orders that were made meanwhile as before it are looked for again.
const unsettled_ms = 3_600_000;
const again_ms = 5000;

/**
 * `orders.hold_suspended`: holds orders of merchants that were suspended lately, and lifts that hold of those that were
 * reactivated. Answers when there may be more (ms), or null.
 */
export async function holdOfSuspended(store: Store, _service: Service): Promise<number | null> {
  const now = store.clock.now();
  const changed_at = await store.read(lastChangeAt);
  if (changed_at < now - unsettled_ms) return null;
  if (await settleSome(store)) return store.clock.now();
  return changed_at > now - again_ms ? changed_at + again_ms : null;
}

/** Does what `holdOfSuspended` does until nothing is left, whenever the merchants were changed. */
export async function settleSuspended(store: Store, { ending }: { readonly ending: AbortSignal }): Promise<void> {
  while (!ending.aborted && (await settleSome(store)));
}

/** Whether there were orders to hold or to let go. */
async function settleSome(store: Store): Promise<boolean> {
  const orders = await store.read((db) => listOrdersToSettle(db, orders_max));
  const actor = systemActor("orders.hold_suspended");
  for (const order_id of orders) await store.write((tx) => settleSuspensionOf(tx, order_id, actor));
  return orders.length > 0;
}

/**
 * `orders.note_claims`: lets orders take note of what became of their claims. Answers now when there may be more (ms),
 * or null.
 */
export async function noteAllAllocationChanges(store: Store, _service: Service): Promise<number | null> {
  const orders = await store.read((db) => listOrdersWithAllocationChanges(db, orders_max));
  const actor = systemActor("orders.note_claims");
  for (const order_id of orders) await store.write((tx) => noteAllocationChanges(tx, order_id, actor));
  return orders.length > 0 ? store.clock.now() : null;
}

/**
 * `orders.recheck_goods`: lets orders go on that were held for SKUs which are active products by now. Answers now when
 * there may be more (ms), or null.
 */
export async function recheckGoods(store: Store, _service: Service): Promise<number | null> {
  const ready = await store.read((db) => listOrdersWithGoods(db, orders_max));
  const actor = systemActor("orders.recheck_goods");
  for (const order_id of ready) await store.write((tx) => settleHoldsOf(tx, order_id, actor));
  return ready.length > 0 ? store.clock.now() : null;
}

/**
 * `orders.recheck_addresses`: lets orders that were held for a bad address go to it as it was corrected at their
 * customer. Answers now when there may be more (ms), or null.
 */
export async function recheckAddresses(store: Store, _service: Service): Promise<number | null> {
  const held = await store.read(listHeldAddresses);
  const ready = held.filter(({ address }) => addressProblems(address).length === 0).slice(0, orders_max);
  const actor = systemActor("orders.recheck_addresses");
  let lifted = false;
  for (const { order_id } of ready) {
    const order = await store.write((tx) => takeCorrection(tx, order_id, actor));
    lifted ||= order.holds.every(({ reason }) => reason !== "bad_address");
  }
  return lifted ? store.clock.now() : null;
}

/** Adds up what transactions have counted of the orders in each state, so that to read the counts stays quick. */
export async function addUpOrders(store: Store): Promise<void> {
  if (await store.read(hasPendingCounts)) await store.write(addUpCounts);
}
