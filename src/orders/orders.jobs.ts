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
  isForAddress,
  noteAllocationChanges,
  releaseDueHolds,
  settleHoldsOf,
  settleRecall,
  settleSuspensionOf,
} from "./changes/holds.ts";
import { addUpCounts, hasPendingCounts } from "./lifecycle/order_counters.sql.ts";

const orders_max = 100;

/** `orders.release_holds`: lifts holds that are due. Returns when the next one is due (ms), or null. */
export async function releaseHolds(store: Store, _service: Service): Promise<number | null> {
  const due = await store.read((db) => listOrdersWithDueHolds(db, orders_max));
  const actor = systemActor("orders.release_holds");
  for (const order_id of due) await store.write((tx) => releaseDueHolds(tx, order_id, actor));
  // More may have come due since, or be left over: the next run finds out.
  return due.length > 0 ? store.clock.now() : store.read(nextHoldEnd);
}

/**
 * `orders.hold_recalled`: holds orders with units of a recalled lot, and lifts that hold from orders without any.
 * Returns now (ms) when there may be more, or null.
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

// For how long after a change of a merchant its orders are checked, and how soon again: some may be created during it.
const unsettled_ms = 3_600_000;
const again_ms = 5000;

/**
 * `orders.hold_suspended`: holds orders of recently suspended merchants, and lifts that hold from orders of reactivated
 * ones. Returns when there may be more (ms), or null.
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

/** Whether there were orders to hold or to release. */
async function settleSome(store: Store): Promise<boolean> {
  const orders = await store.read((db) => listOrdersToSettle(db, orders_max));
  const actor = systemActor("orders.hold_suspended");
  for (const order_id of orders) await store.write((tx) => settleSuspensionOf(tx, order_id, actor));
  return orders.length > 0;
}

/**
 * `orders.note_claims`: records allocation changes in the history of their orders. Returns now (ms) when there may be
 * more, or null.
 */
export async function noteAllAllocationChanges(store: Store, _service: Service): Promise<number | null> {
  const orders = await store.read((db) => listOrdersWithAllocationChanges(db, orders_max));
  const actor = systemActor("orders.note_claims");
  for (const order_id of orders) await store.write((tx) => noteAllocationChanges(tx, order_id, actor));
  return orders.length > 0 ? store.clock.now() : null;
}

/**
 * `orders.recheck_goods`: lifts holds for SKUs that are active products by now. Returns now (ms) when there may be
 * more, or null.
 */
export async function recheckGoods(store: Store, _service: Service): Promise<number | null> {
  const ready = await store.read((db) => listOrdersWithGoods(db, orders_max));
  const actor = systemActor("orders.recheck_goods");
  for (const order_id of ready) await store.write((tx) => settleHoldsOf(tx, order_id, actor));
  return ready.length > 0 ? store.clock.now() : null;
}

/**
 * `orders.recheck_addresses`: updates orders that are held for a bad address with their customer's corrected address.
 * Returns now (ms) when there may be more, or null.
 */
export async function recheckAddresses(store: Store, _service: Service): Promise<number | null> {
  const held = await store.read(listHeldAddresses);
  const ready = held.filter(({ address }) => addressProblems(address).length === 0).slice(0, orders_max);
  const actor = systemActor("orders.recheck_addresses");
  let lifted = false;
  for (const { order_id } of ready) {
    const order = await store.write((tx) => takeCorrection(tx, order_id, actor));
    lifted ||= order.holds.every((hold) => !isForAddress(hold));
  }
  return lifted ? store.clock.now() : null;
}

/** Adds up the order counters that transactions have left, so that reading them stays fast. */
export async function addUpOrders(store: Store): Promise<void> {
  if (await store.read(hasPendingCounts)) await store.write(addUpCounts);
}
