import { addressProblems } from "../../addresses/offline_verification.ts";
import type { Actor } from "../../core/actor.ts";
import { momentOf } from "../../core/clock.ts";
import { invalid, missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import { transition } from "../../core/transitions.ts";
import { takeAllocationChanges } from "../../inventory/reservations/backorders.sql.ts";
import { pauseOrderAllocation, resumeOrderAllocation } from "../../inventory/reservations/order_allocations.ts";
import { listRecalledIn } from "../../inventory/stock/lots.sql.ts";
import { listSuspended } from "../../merchants/merchants.sql.ts";
import { orderable } from "../../products/product.ts";
import { findProducts } from "../../products/products.sql.ts";
import type { Db, Tx } from "../../storage/database.ts";
import type { HoldOrder, ReleaseOrder } from "../order.schema.ts";
import {
  addressHoldReasons,
  isCancelled,
  isOpen,
  isPickup,
  orderTransitions,
  type ReviewHoldReason,
  type SystemHoldReason,
} from "../order.transitions.ts";
import {
  backorderedUnits,
  isStopped,
  isSystemHold,
  type Order,
  type OrderHold,
  type OrderLine,
  openUnits,
  partsOf,
} from "../order.ts";
import { problemsText, refuseForbidden, withAllocations } from "../order_lines.ts";
import { lockOrder, saveOrder } from "../orders.sql.ts";
import { closeHolds, hasHadHold, insertHold, saveHold } from "./holds.sql.ts";

const eventsByKind = [
  ["lost", "backordered"],
  ["moved", "reallocated"],
  ["filled", "backorder_filled"],
] as const;

/**
 * Records in the history of a locked order what has happened to its reserved units: lost, moved to other stock, or
 * reserved after a backorder. Returns the same order when nothing has happened.
 */
async function recordAllocationChanges(tx: Tx, before: Order, actor: Actor): Promise<Order> {
  let order = before;
  const changes = await takeAllocationChanges(tx, order.id);
  for (const [kind, event] of eventsByKind) {
    const units = new Map<string, number>();
    for (const change of changes) {
      if (change.kind === kind) units.set(change.sku, (units.get(change.sku) ?? 0) + change.quantity);
    }
    if (units.size === 0) continue;
    const note = [...units].map(([sku, quantity]) => `${quantity} of ${sku}`).join(", ");
    order = await saveOrder(tx, order, order, { event, actor, note });
  }
  return order;
}

const note_max = 500;

/**
 * Holds an order until it is released. Another hold for the same reason replaces its note and end; the same hold
 * changes nothing.
 * Refuses: resource_missing, invalid_state_transition, validation_failed (an end that has passed).
 */
export async function holdOrder(tx: Tx, id: string, input: HoldOrder, actor: Actor): Promise<Order> {
  const before = await lockOrder(tx, id);
  refuseForbidden(before, "hold");
  const { reason = "manual", note = null, reserve_inventory = true } = input;
  const hold_until = momentOf(input.hold_until ?? null);
  if (hold_until !== null && hold_until <= tx.now) throw invalid("hold_until", "must be in the future");
  const hold = { reason, note, hold_until, reserve_inventory, created_at: tx.now };
  if (before.holds.some((open) => isSameHold(open, hold))) return before;
  return placeHold(tx, before, hold, actor);
}

const compared = ["reason", "note", "hold_until", "reserve_inventory"] as const;

function isSameHold(some: Pick<OrderHold, (typeof compared)[number]>, other: typeof some): boolean {
  return compared.every((name) => some[name] === other[name]);
}

/** Places a hold on a locked order in any status, for a client or for the system. */
export async function placeHold(tx: Tx, before: Order, hold: Omit<OrderHold, "id">, actor: Actor): Promise<Order> {
  const old = before.holds.find(({ reason }) => reason === hold.reason);
  const placed = old ? { ...hold, id: old.id, created_at: old.created_at } : await insertHold(tx, before.id, hold);
  if (old) await saveHold(tx, placed);
  const holds = old ? before.holds.map((known) => (known.id === old.id ? placed : known)) : [...before.holds, placed];
  const order = await pauseOrResumeAllocation(tx, before, { ...before, held: true, holds });
  if (hold.hold_until !== null) tx.wake("orders.release_holds", hold.hold_until);
  const saved = await saveOrder(tx, before, order, { event: "hold", actor, reason: hold.reason, note: hold.note });
  return isStopped(before) ? recordAllocationChanges(tx, saved, actor) : saved;
}

/**
 * Lifts an order's holds, or the one named. When none is left, the order continues from the status in which it was
 * held. System holds stay until their cause is gone. An order that is not held stays as it is. Refuses:
 * resource_missing.
 */
export async function releaseOrder(tx: Tx, id: string | number, input: ReleaseOrder, actor: Actor): Promise<Order> {
  const before = await lockOrder(tx, id);
  const hold_id = input.hold_id === undefined ? null : readId("hold", input.hold_id);
  if (hold_id !== null && !(await hasHadHold(tx, before.id, hold_id))) throw missing("hold", input.hold_id ?? 0);
  const chosen = before.holds.filter((hold) => (hold_id === null || hold.id === hold_id) && !isSystemHold(hold));
  return lift(tx, before, chosen, actor);
}

/** Lifts the holds of an order that are due. Refuses: resource_missing. */
export async function releaseDueHolds(tx: Tx, order_id: number, actor: Actor): Promise<Order> {
  const before = await lockOrder(tx, order_id);
  const due = before.holds.filter(
    (hold) => hold.hold_until !== null && hold.hold_until <= tx.now && !isSystemHold(hold),
  );
  return lift(tx, before, due, actor);
}

/**
 * Holds an order while it has units of a recalled lot, and lifts that hold once it has none any more.
 * Refuses: resource_missing.
 */
export async function settleRecall(tx: Tx, order_id: number, actor: Actor): Promise<Order> {
  const before = await lockOrder(tx, order_id);
  const lots = await listRecalledIn(tx, order_id);
  const holds = before.holds.filter(({ reason }) => reason === "recalled_lot");
  if (lots.length === 0) return lift(tx, before, holds, actor);
  if (holds.length > 0) return before;
  const named = lots.map(({ sku, lot_number }) => `${lot_number} of ${sku}`).join(", ");
  const note = `Units of recalled lots are picked for it: ${named}.`.slice(0, note_max);
  const hold = { reason: "recalled_lot", note, hold_until: null, reserve_inventory: true } as const;
  return placeHold(tx, before, { ...hold, created_at: tx.now }, actor);
}

/**
 * Holds an order of a suspended merchant that has not shipped, and lifts that hold once the merchant is active again.
 * Refuses: resource_missing.
 */
export async function settleSuspensionOf(tx: Tx, order_id: number, actor: Actor): Promise<Order> {
  const order = await lockOrder(tx, order_id);
  if (await isOfSuspended(tx, order)) return isOpen(order.status) ? holdForMerchant(tx, order, actor) : order;
  return liftHolds(tx, order, "merchant_suspended", actor);
}

async function isOfSuspended(tx: Tx, { merchant_id }: Order): Promise<boolean> {
  const suspended = await tx.memo("merchants.suspended", () => listSuspended(tx));
  return suspended.some(({ id }) => id === merchant_id);
}

const suspended_note = "Its merchant is suspended. The order continues automatically once the merchant is reactivated.";

/** Holds a locked order until its merchant is no longer suspended. */
export async function holdForMerchant(tx: Tx, order: Order, actor: Actor): Promise<Order> {
  return holdFor(tx, order, "merchant_suspended", suspended_note, actor);
}

const hidden_note =
  "Shopify does not give this store's app the buyer's name and street: on the Basic and Starter plans, it withholds " +
  "them from custom apps. Enter the address here, or choose a higher plan for the store. The hold then ends by itself.";

/**
 * Holds a locked order whose address cannot be delivered to, and lifts that hold once it can. `hidden`: the shop's
 * platform withholds the address.
 */
export async function settleAddress(
  tx: Tx,
  order: Order,
  actor: Actor,
  { hidden = order.holds.some(({ reason }) => reason === "address_hidden") } = {},
): Promise<Order> {
  const problems = isPickup(order) ? [] : addressProblems(order.shipping_address);
  const held = order.holds.filter(isForAddress);
  if (problems.length === 0) return lift(tx, order, held, actor);
  if (hidden) return holdFor(tx, order, "address_hidden", hidden_note, actor);
  const note = `Nothing can be delivered to its address: ${problemsText(problems)}. Correct the customer's address, or \
choose another one for this order.`;
  tx.wake("orders.recheck_addresses", tx.now);
  return holdFor(tx, order, "bad_address", note, actor);
}

/**
 * Holds a locked order until somebody has decided what to do about a change at its shop that came too late. Another
 * change is added to the note of the hold. Nothing is left to decide for an order that has shipped or is cancelled.
 */
export async function holdForReview(tx: Tx, order: Order, words: string, actor: Actor): Promise<Order> {
  const before = order.holds.find(({ reason }) => reason === "platform_change")?.note;
  const note = before == null || before.includes(words) ? (before ?? words) : `${before} ${words}`;
  return holdFor(tx, order, "platform_change", note, actor);
}

/** Whether a hold is for an address that nothing can be delivered to. */
export function isForAddress({ reason }: Pick<OrderHold, "reason">): boolean {
  return (addressHoldReasons as readonly string[]).includes(reason);
}

const skus_named_max = 5;

/** Holds a locked order while products that it still needs are inactive, and lifts that hold once all are active. */
export async function settleGoods(tx: Tx, order: Order, actor: Actor): Promise<Order> {
  const skus = await inactiveSkus(tx, order);
  if (skus.length === 0) return settleHolds(tx, order, actor);
  const more = skus.length > skus_named_max ? ` and ${skus.length - skus_named_max} more` : "";
  const named = `${skus.slice(0, skus_named_max).join(", ")}${more}`;
  const note = `Not among the active products: ${named}. Complete and activate them, or replace the lines of this \
order. The hold then ends by itself.`;
  tx.wake("orders.recheck_goods", tx.now);
  return holdFor(tx, order, "unknown_sku", note, actor);
}

/** Places a system hold, unless one with this note exists. */
async function holdFor(
  tx: Tx,
  order: Order,
  reason: SystemHoldReason | ReviewHoldReason,
  words: string,
  actor: Actor,
): Promise<Order> {
  const note = words.slice(0, note_max);
  if (order.holds.some((hold) => hold.reason === reason && hold.note === note)) return order;
  const hold = { reason, note, hold_until: null, reserve_inventory: true, created_at: tx.now };
  return placeHold(tx, order, hold, actor);
}

/**
 * The SKUs that an order still needs and whose products are not active: those of its lines, and of bundle components.
 */
async function inactiveSkus(db: Db, { lines }: Order): Promise<string[]> {
  const open = lines.filter((line) => openUnits(line) > 0);
  const ids = open.flatMap((line) => [line.product_id, ...partsOf(line).map(({ product_id }) => product_id)]);
  const products = await findProducts(db, [...new Set(ids)]);
  return products.flatMap(({ sku, status }) => (status === orderable ? [] : [sku])).sort();
}

/** Lifts the holds of a locked order whose cause is gone. */
export async function settleHolds(tx: Tx, order: Order, actor: Actor): Promise<Order> {
  return order.held ? lift(tx, order, [], actor) : order;
}

/** As `settleHolds`, and lifts the holds of a reason whose cause is known to be gone. */
async function liftHolds(tx: Tx, order: Order, reason: SystemHoldReason, actor: Actor): Promise<Order> {
  return lift(
    tx,
    order,
    order.holds.filter((hold) => hold.reason === reason),
    actor,
  );
}

/** As `settleHolds`, for an order by its id. Refuses: resource_missing. */
export async function settleHoldsOf(tx: Tx, order_id: number, actor: Actor): Promise<Order> {
  return settleHolds(tx, await lockOrder(tx, order_id), actor);
}

/**
 * Records in an order's history what has happened to its reserved units, and lifts a hold that waited for them.
 * Refuses: resource_missing.
 */
export async function noteAllocationChanges(tx: Tx, order_id: number, actor: Actor): Promise<Order> {
  const before = await lockOrder(tx, order_id);
  const order = await recordAllocationChanges(tx, before, actor);
  return order === before ? before : settleHolds(tx, order, actor);
}

async function lift(tx: Tx, before: Order, chosen: readonly OrderHold[], actor: Actor): Promise<Order> {
  const lifted = [...chosen, ...(await heldForGoods(tx, before))];
  const left = before.holds.filter((hold) => !lifted.includes(hold));
  const order = await pauseOrResumeAllocation(tx, before, { ...before, holds: left });
  const settled = left.filter((hold) => isSettled(order, hold));
  const closed = [...lifted, ...settled];
  if (closed.length === 0) return before;
  await closeHolds(tx, closed);
  const holds = left.filter((hold) => !settled.includes(hold));
  const reason = closed.map((hold) => hold.reason).join(", ");
  const status = transition(orderTransitions, "release", before.status);
  const after: Order = { ...order, status, holds, held: holds.length > 0 };
  const saved = await saveOrder(tx, before, after, { event: "release", actor, reason });
  // Allocation changes go into the history now, so that the response has the order's newest revision.
  return isStopped(before) ? recordAllocationChanges(tx, saved, actor) : saved;
}

/** The hold of an order for unknown SKUs, if all its products are active by now. */
async function heldForGoods(tx: Tx, order: Order): Promise<OrderHold[]> {
  const holds = order.holds.filter(({ reason }) => reason === "unknown_sku");
  return holds.length > 0 && (await inactiveSkus(tx, order)).length === 0 ? holds : [];
}

/**
 * Whether the cause of a hold is gone. For a short pick: no unit is backordered any more. For a carrier discrepancy:
 * nothing else stops the order either, and a cancelled order has back everything that a carrier took.
 */
function isSettled(order: Order, { reason }: OrderHold): boolean {
  if (backorderedUnits(order) > 0) return false;
  if (reason === "short_pick") return true;
  if (reason !== "carrier_discrepancy" || isStopped(order)) return false;
  const isBack = ({ quantity_shipped, quantity_returned }: OrderLine) => quantity_returned === quantity_shipped;
  return (
    !isCancelled(order.status) || (order.lines.every(isBack) && order.lines.some((line) => line.quantity_shipped > 0))
  );
}

const frees = (holds: readonly OrderHold[]) => holds.some((hold) => !hold.reserve_inventory);

/** Pauses or resumes the order's allocation, as its holds require now. */
async function pauseOrResumeAllocation(tx: Tx, before: Order, after: Order): Promise<Order> {
  const was_paused = isStopped(before);
  const is_paused = isStopped(after);
  if (is_paused && was_paused && frees(before.holds) === frees(after.holds)) return after;
  if (!is_paused && !was_paused) return after;
  let order = after;
  if (was_paused && !frees(after.holds)) order = withAllocations(order, await resumeOrderAllocation(tx, order.id));
  if (is_paused) order = withAllocations(order, await pauseOrderAllocation(tx, order.id, { free: frees(after.holds) }));
  return order;
}

/** Pauses the allocation of a held order again, after it was resumed for a change. */
export async function pauseAgain(tx: Tx, order: Order): Promise<Order> {
  if (!isStopped(order)) return order;
  return withAllocations(order, await pauseOrderAllocation(tx, order.id, { free: frees(order.holds) }));
}
