import { placeOf } from "../../customers/customer.ts";
import { findAddress } from "../../customers/store.ts";
import type { Tx } from "../../database/store.ts";
import { replanClaim, reviseClaim, setClaimPriority } from "../../inventory/reservations/commands.ts";
import type { Actor } from "../../kit/actor.ts";
import { Fault } from "../../kit/fault.ts";
import { readId } from "../../kit/ids.ts";
import { productsOf } from "../commands.ts";
import { liftHolds, pauseAgain, settleHolds } from "../holds/commands.ts";
import { isBegun, type Order } from "../order.ts";
import {
  changedFields,
  changesInWords,
  claimOf,
  type LineInput,
  missingProducts,
  noSuch,
  type OrderedProduct,
  orderedLines,
  refusal,
  refuseImmutable,
  sameLines,
  subtotalOf,
  withClaims,
} from "../rules.ts";
import type { UpdateOrder } from "../schemas.ts";
import { deleteLines, insertLines, lockOrder, type NewLine, saveOrder } from "../store.ts";

/**
 * Changes the given fields of an order that is not packed yet; its lines only before work on it has begun. Refuses:
 * resource_missing, immutable_field, invalid_state_transition, validation_failed, insufficient_inventory.
 */
export async function updateOrder(tx: Tx, id: string, input: UpdateOrder, actor: Actor): Promise<Order> {
  const before = await lockOrder(tx, id);
  refuseImmutable(before, input);
  const fields = changedFields(before, input);
  const address = await newAddress(tx, before, input);
  const lines = input.line_items === undefined ? null : await newLines(tx, before, input.line_items);
  if (fields === null && address === null && lines === null) return before;
  if (before.status !== "pending" && before.status !== "processing") {
    throw refusal(before, "update", before.status === "cancelled" ? null : "it is packed");
  }
  const changed: Order = { ...before, ...fields, ...address };
  const order = lines === null ? changed : await replaceLines(tx, changed, lines);
  const note = changesInWords(before, order);
  const saved = await saveOrder(tx, before, await reclaimed(tx, before, order), { event: "update", actor, note });
  const dropped = before.lines.filter(({ id }) => !saved.lines.some((line) => line.id === id));
  await deleteLines(
    tx,
    dropped.map((line) => line.id),
  );
  // Another address is good until it is known not to be.
  return address === null ? settleHolds(tx, saved, actor) : liftHolds(tx, saved, "bad_address", actor);
}

/** Another address of the same customer, copied; null when it stays. */
async function newAddress(tx: Tx, before: Order, { shipping_address_id }: UpdateOrder) {
  const id = shipping_address_id === undefined ? before.shipping_address_id : readId("address", shipping_address_id);
  if (id === before.shipping_address_id) return null;
  const address = await findAddress(tx, before.customer_id, id ?? 0);
  if (address === null) {
    const fields = [noSuch("shipping_address_id", "names no address of this customer")];
    throw new Fault("resource_missing", "The order names what is not there.", { fields });
  }
  if (before.shipments.some(({ status, tracking_number }) => status === "pending" && tracking_number !== null)) {
    throw refusal(before, "update", "a label with the old address is bought; void it first");
  }
  return { shipping_address_id: address.id, shipping_address: placeOf(address) };
}

/** The lines that shall replace those of the order; null when they are the same. */
async function newLines(tx: Tx, before: Order, items: readonly LineInput[]): Promise<NewLine[] | null> {
  const products = await productsOf(tx, items);
  const missing = missingProducts(items, products);
  if (missing.length > 0)
    throw new Fault("resource_missing", "The order names what is not there.", { fields: missing });
  // What is ordered already may be kept although the product has become inactive since.
  const known = new Set(before.lines.map((line) => line.product_id));
  const lines = orderedLines(
    items,
    products.map((product) => (known.has(product.id) ? stillActive(product) : product)),
  );
  if (sameLines(before.lines, lines)) return null;
  const begun = before.lines.some((line) => isBegun(line) || line.quantity_packed > 0);
  const parcelled = before.shipments.some(({ status }) => status !== "voided");
  if (before.status === "cancelled") throw refusal(before, "update");
  if (begun || parcelled || (before.status !== "pending" && !before.held)) {
    throw refusal(before, "update", "its lines can change only while it is pending or on hold, with nothing picked");
  }
  return lines;
}

function stillActive<Known extends OrderedProduct>(product: Known): Known {
  return { ...product, status: "active", parts: product.parts.map((part) => ({ ...part, status: "active" })) };
}

/** The order with these lines: each keeps the row of an old line of its product, where there is one. */
async function replaceLines(tx: Tx, order: Order, wanted: readonly NewLine[]): Promise<Order> {
  const free = [...order.lines];
  const kept = wanted.map((line) => {
    const at = free.findIndex(({ product_id }) => product_id === line.product_id);
    const [old] = at < 0 ? [] : free.splice(at, 1);
    if (old === undefined) return undefined;
    // Another number of units is what is wanted now, whatever was cancelled before.
    const quantity_cancelled = old.quantity === line.quantity ? old.quantity_cancelled : 0;
    return { ...old, quantity: line.quantity, quantity_cancelled, unit_price_cents: line.unit_price_cents };
  });
  const fresh = await insertLines(
    tx,
    order.id,
    wanted.filter((_, at) => kept[at] === undefined),
  );
  const lines = [...kept.filter((line) => line !== undefined), ...fresh];
  return { ...order, lines, subtotal_cents: subtotalOf(lines) };
}

/** Lets stock know what changed of the order's wants. */
async function reclaimed(tx: Tx, before: Order, order: Order): Promise<Order> {
  const claim = claimOf(order);
  if (order.lines !== before.lines) return pauseAgain(tx, withClaims(order, await reviseClaim(tx, claim)));
  if (order.requires_cold_storage !== before.requires_cold_storage) {
    return pauseAgain(tx, withClaims(order, await replanClaim(tx, claim)));
  }
  if (order.priority !== before.priority) await setClaimPriority(tx, order.id, order.priority);
  return order;
}
