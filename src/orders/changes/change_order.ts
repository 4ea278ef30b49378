import { isDeepStrictEqual } from "node:util";
import { type AddressVerification, hasPassed, isNameless } from "../../addresses/address.ts";
import { acceptedFrom, addressProblems, suggestionOf } from "../../addresses/offline_verification.ts";
import { verifyOffline } from "../../addresses/verify_address.ts";
import type { Actor } from "../../core/actor.ts";
import { ofFields } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { moneyText } from "../../core/money.ts";
import { addressIn, isSamePlace } from "../../core/postal_address.ts";
import { type CustomerAddress, customerName, type OrderCustomer } from "../../customers/customer.ts";
import { findRecipient } from "../../customers/customers.sql.ts";
import {
  replanOrderAllocation,
  reviseOrderAllocation,
  setAllocationPriority,
} from "../../inventory/reservations/order_allocations.ts";
import type { Tx } from "../../storage/database.ts";
import { checkedRecipients, productsOf } from "../lifecycle/draft_orders.ts";
import type { UpdateOrder } from "../order.schema.ts";
import { awaitsWork, isCancelled, isGivenUp, isUnpacked, isUnshipped } from "../order.transitions.ts";
import { isBegun, type LineAmounts, type Order } from "../order.ts";
import { deleteLines, insertLines, type NewLine } from "../order_lines.sql.ts";
import {
  allocationOf,
  asActive,
  changedFields,
  changesText,
  type LineInput,
  missingProducts,
  noSuch,
  orderedLines,
  refusal,
  refuseImmutable,
  refuseIncomplete,
  sameLines,
  withAllocations,
} from "../order_lines.ts";
import { listOpenOrdersTo, lockOrder, saveOrder } from "../orders.sql.ts";
import { applyRulesAgain } from "../shipping_rules/apply_rules.ts";
import { chosenIn } from "../shipping_rules/set_by_person.ts";
import { isForAddress, pauseAgain, settleAddress, settleGoods, settleHolds } from "./holds.ts";
import { readTags, withoutTags, withTags } from "./order_tags.ts";
import type { TagOrder, UntagOrder } from "./tags_and_notes.schema.ts";

/**
 * Updates fields of an order that is not packed yet; its lines only before work on it has begun, its tags at any time.
 * While it is held for a bad address, naming the same address copies its corrections.
 * Refuses: resource_missing, immutable_field, invalid_state_transition, validation_failed, insufficient_inventory.
 */
export async function updateOrder(tx: Tx, id: string, input: UpdateOrder, actor: Actor): Promise<Order> {
  return change(tx, id, input, { actor, imported: false });
}

/** Adds tags to an order in any status. Refuses: resource_missing, validation_failed (more than it may have). */
export async function tagOrder(tx: Tx, id: string, { tags }: TagOrder, actor: Actor): Promise<Order> {
  return retag(tx, id, (own) => withTags(own, tags), actor);
}

/** Removes tags from an order in any status. Refuses: resource_missing. */
export async function untagOrder(tx: Tx, id: string, { tags }: UntagOrder, actor: Actor): Promise<Order> {
  return retag(tx, id, (own) => withoutTags(own, tags), actor);
}

async function retag(
  tx: Tx,
  id: string,
  change: (tags: readonly string[]) => readonly string[],
  actor: Actor,
): Promise<Order> {
  const before = await lockOrder(tx, id);
  const order = { ...before, tags: change(before.tags) };
  const note = changesText(before, order);
  if (note === "") return before;
  return applyRulesAgain(tx, await saveOrder(tx, before, order, { event: "update", actor, note }), actor);
}

/**
 * As `updateOrder`, for an update from a platform: lines may be of inactive products and the address may be incomplete;
 * the order is then held. Metadata may change at any time, since nothing that is packed depends on it.
 * Refuses: resource_missing, immutable_field, invalid_state_transition, validation_failed, insufficient_inventory.
 */
export async function updateImported(tx: Tx, order_id: number, input: UpdateOrder, actor: Actor): Promise<Order> {
  return change(tx, wireId("order", order_id), input, { actor, imported: true });
}

/** Records what the shop charges for shipping an order, in any status. Refuses: resource_missing. */
export async function setShippingAmount(
  tx: Tx,
  order_id: number,
  shipping_amount_cents: number,
  actor: Actor,
): Promise<Order> {
  const before = await lockOrder(tx, order_id);
  if (before.shipping_amount_cents === shipping_amount_cents) return before;
  const amounts = [before.shipping_amount_cents, shipping_amount_cents].map((cents) =>
    moneyText(cents, before.currency),
  );
  const note = `shipping_amount: ${amounts.join(" > ")}`;
  return saveOrder(tx, before, { ...before, shipping_amount_cents }, { event: "update", actor, note });
}

/** Makes an order that of another customer, one of whose addresses equals its own, in any status. */
export async function setBuyer(
  tx: Tx,
  order_id: number,
  { buyer, address_id }: { readonly buyer: OrderCustomer; readonly address_id: number },
  actor: Actor,
): Promise<Order> {
  const before = await lockOrder(tx, order_id);
  const theirs = { customer_id: buyer.id, customer_email: buyer.email, customer_name: customerName(buyer) };
  const note = `customer_id: ${[before.customer_id, buyer.id].map((id) => wireId("customer", id)).join(" > ")}`;
  const order = { ...before, ...theirs, shipping_address_id: address_id };
  return saveOrder(tx, before, order, { event: "update", actor, note });
}

/** Changes the amounts of lines of an order, in any status. Refuses: resource_missing. */
export async function setLineAmounts(
  tx: Tx,
  order_id: number,
  amounts: ReadonlyMap<number, Pick<LineAmounts, "unit_price_cents" | "discount_cents">>,
  actor: Actor,
): Promise<Order> {
  const before = await lockOrder(tx, order_id);
  const lines = before.lines.map((line) => ({ ...line, ...amounts.get(line.id) }));
  const skus = before.lines.filter(({ id }) => amounts.has(id)).map(({ sku }) => sku);
  const note = `prices of ${[...new Set(skus)].join(", ")}`.slice(0, note_max);
  const order = await saveOrder(tx, before, { ...before, lines }, { event: "update", actor, note });
  return applyRulesAgain(tx, order, actor);
}

const note_max = 500;

/**
 * Updates an order that is held for a bad address with the address as its customer has it now, if it was corrected.
 * Refuses: resource_missing.
 */
export async function takeCorrection(tx: Tx, order_id: number, actor: Actor): Promise<Order> {
  const before = await lockOrder(tx, order_id);
  if (!isUnpacked(before.status) || isLabelled(before) || !isHeldForAddress(before)) return before;
  const { shipping_address_id } = before;
  return updateOrder(tx, wireId("order", order_id), { shipping_address_id }, actor);
}

/**
 * Uses the address that the last check suggests for an order that is not packed yet. The customer's address stays.
 * Refuses: resource_missing, no_suggestion, invalid_state_transition.
 */
export async function acceptSuggestion(tx: Tx, id: string, actor: Actor): Promise<Order> {
  const before = await lockOrder(tx, id);
  const shipping_address = { ...before.shipping_address, ...suggestionOf(before.address_verification) };
  refuseFixed(before);
  const [offline = null] = await verifyOffline(tx, [shipping_address]);
  const address_verification = acceptedFrom(before.address_verification, tx.now) ?? offline;
  const order = { ...before, shipping_address, address_verification };
  const saved = await saveOrder(tx, before, order, { event: "update", actor, note: changesText(before, order) });
  return applyRulesAgain(tx, await settleAddress(tx, saved, actor), actor);
}

/** Records a carrier's check of an address on the open orders that go to it. Refuses: resource_missing. */
export async function noteVerification(
  tx: Tx,
  address: CustomerAddress,
  address_verification: AddressVerification,
  actor: Actor,
): Promise<void> {
  for (const id of await listOpenOrdersTo(tx, address.customer_id, address.id)) {
    const before = await lockOrder(tx, id);
    if (!isSamePlace(before.shipping_address, address)) continue;
    const note = `its address is ${hasPassed(address_verification.status) ? "verified" : "checked"}`;
    await saveOrder(tx, before, { ...before, address_verification }, { event: "update", actor, note });
  }
}

/** Refuses: invalid_state_transition (an order that can no longer change). */
function refusePacked(order: Order): void {
  if (isUnpacked(order.status)) return;
  throw refusal(order, "update", isCancelled(order.status) ? null : "it is packed");
}

/** Refuses: invalid_state_transition (an order whose address can no longer change). */
function refuseFixed(order: Order): void {
  refusePacked(order);
  if (isLabelled(order)) throw refusal(order, "update", labelled);
}

const labelled = "a label with the old address has been bought; void it first";

const isHeldForAddress = ({ holds }: Order) => holds.some(isForAddress);

/** Whether a parcel that has not shipped has a label with the address. */
const isLabelled = ({ shipments }: Order) =>
  shipments.some(({ status, tracking_number }) => isUnshipped(status) && tracking_number !== null);

interface OrderChangeContext {
  readonly actor: Actor;
  /** Whether the change is from a platform, whose orders are accepted unchecked. */
  readonly imported: boolean;
}

async function change(tx: Tx, id: string, input: UpdateOrder, { actor, imported }: OrderChangeContext): Promise<Order> {
  const before = await lockOrder(tx, id);
  refuseImmutable(before, input);
  const fields = changedFields(before, { ...input, tags: input.tags && readTags(input.tags) });
  const address = await newAddress(tx, before, input, imported);
  const lines = input.line_items === undefined ? null : await newLines(tx, before, input.line_items, imported);
  const choice = chosenIn(input, before);
  const isChosen = isDeepStrictEqual(choice.shipping_choice, before.shipping_choice);
  const isDecided = isChosen && isDeepStrictEqual(choice.decided_by, before.decided_by);
  if (fields === null && address === null && lines === null && isDecided) return before;
  const { tags: _tags, metadata, ...others } = fields ?? {};
  const isFixed = Object.keys(others).length > 0 || (metadata !== undefined && !imported);
  if (address !== null || lines !== null || !isChosen || isFixed) refusePacked(before);
  const changed: Order = { ...before, ...fields, ...address, ...choice };
  const order = lines === null ? changed : await replaceLines(tx, changed, lines);
  const note = changesText(before, order);
  const saved = await saveOrder(tx, before, await updateAllocation(tx, before, order), {
    event: "update",
    actor,
    note,
  });
  const dropped = before.lines.filter(({ id }) => !saved.lines.some((line) => line.id === id));
  await deleteLines(
    tx,
    dropped.map((line) => line.id),
  );
  const settled = address === null ? await settleHolds(tx, saved, actor) : await settleAddress(tx, saved, actor);
  const complete = lines !== null && imported ? await settleGoods(tx, settled, actor) : settled;
  return applyRulesAgain(tx, complete, actor);
}

/** Another address of the same customer, or the corrected one, copied; null when it stays. */
async function newAddress(tx: Tx, before: Order, { shipping_address_id }: UpdateOrder, imported: boolean) {
  if (shipping_address_id === undefined) return null;
  const id = readId("address", shipping_address_id);
  const same = id === before.shipping_address_id;
  if (same && !isHeldForAddress(before) && !isNameless(before.shipping_address)) return null;
  const address = await findChecked(tx, before.customer_id, id ?? 0);
  if (same && (address === null || !isCorrected(address, before))) return null;
  if (address === null) {
    const fields = [noSuch("shipping_address_id", "names no address of this customer")];
    throw ofFields("resource_missing", fields);
  }
  if (!imported) refuseIncomplete(address);
  if (isLabelled(before)) throw refusal(before, "update", labelled);
  const place = { shipping_address_id: address.id, shipping_address: addressIn(address) };
  return { ...place, address_verification: address.verification };
}

async function findChecked(tx: Tx, customer_id: number, address_id: number): Promise<CustomerAddress | null> {
  const [recipient = null] = await checkedRecipients(tx, [await findRecipient(tx, customer_id, address_id)]);
  return recipient?.address ?? null;
}

function isCorrected(address: CustomerAddress, { shipping_address }: Order): boolean {
  // Older orders have no company.
  const before = { company: null, ...shipping_address };
  return addressProblems(address).length === 0 && !isDeepStrictEqual(addressIn(address), before);
}

/** The lines that replace those of the order; null when they are the same. */
async function newLines(
  tx: Tx,
  before: Order,
  items: readonly LineInput[],
  imported: boolean,
): Promise<NewLine[] | null> {
  const products = (await productsOf(tx, items)).filter(({ merchant_id }) => merchant_id === before.merchant_id);
  const missing = missingProducts(items, products);
  if (missing.length > 0) throw ofFields("resource_missing", missing);
  // Products that are ordered already may stay, even if they have become inactive.
  const known = new Set(before.lines.map((line) => line.product_id));
  const lines = orderedLines(
    items,
    products.map((product) => (imported || known.has(product.id) ? asActive(product) : product)),
    before.currency,
  );
  if (sameLines(before.lines, lines)) return null;
  const begun = before.lines.some((line) => isBegun(line) || line.quantity_packed > 0);
  const parcelled = before.shipments.some(({ status }) => !isGivenUp(status));
  if (isCancelled(before.status)) throw refusal(before, "update");
  if (begun || parcelled || (!awaitsWork(before.status) && !before.held)) {
    throw refusal(before, "update", "its lines can change only while it is pending or on hold, with nothing picked");
  }
  return lines;
}

/** The order with these lines. Each reuses the row of an old line of its product, if there is one. */
async function replaceLines(tx: Tx, order: Order, wanted: readonly NewLine[]): Promise<Order> {
  const free = [...order.lines];
  const reused = wanted.map((line) => {
    const at = free.findIndex(({ product_id }) => product_id === line.product_id);
    const [old] = at < 0 ? [] : free.splice(at, 1);
    if (old === undefined) return undefined;
    // The new quantity replaces the old one, regardless of earlier cancellations.
    const quantity_cancelled = old.quantity === line.quantity ? old.quantity_cancelled : 0;
    const { quantity, unit_price_cents, discount_cents } = line;
    return { ...old, quantity, quantity_cancelled, unit_price_cents, discount_cents };
  });
  const fresh = await insertLines(
    tx,
    order,
    wanted.filter((_, at) => reused[at] === undefined).map((line) => ({ ...line, ordered_at: order.created_at })),
  );
  return { ...order, lines: [...reused.filter((line) => line !== undefined), ...fresh] };
}

/** Updates the order's allocation to what has changed. */
async function updateAllocation(tx: Tx, before: Order, order: Order): Promise<Order> {
  const claim = allocationOf(order);
  if (order.lines !== before.lines)
    return pauseAgain(tx, withAllocations(order, await reviseOrderAllocation(tx, claim)));
  if (order.requires_cold_storage !== before.requires_cold_storage) {
    return pauseAgain(tx, withAllocations(order, await replanOrderAllocation(tx, claim)));
  }
  if (order.priority !== before.priority) await setAllocationPriority(tx, order.id, order.priority);
  return order;
}
