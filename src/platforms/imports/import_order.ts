// Creates an order from a platform's order, and applies later changes as far as its status allows.

import type { Actor } from "../../core/actor.ts";
import { assert, Fault, type FaultCode } from "../../core/faults.ts";
import { metadataProblem } from "../../core/field_problems.ts";
import { wireId } from "../../core/ids.ts";
import { moneyText } from "../../core/money.ts";
import { emailKey, isErasedEmail } from "../../customers/customer.ts";
import { findCustomerByEmail, findRecipient } from "../../customers/customers.sql.ts";
import { createCustomer, keepAddress } from "../../customers/customers.ts";
import { cancelItems, cancelOrder, itemsToCancel, losingParcels } from "../../orders/changes/cancel_order.ts";
import { setBuyer, setLineAmounts, setShippingAmount, updateImported } from "../../orders/changes/change_order.ts";
import { holdForReview, holdOrder, releaseOrder } from "../../orders/changes/holds.ts";
import { addNote } from "../../orders/changes/staff_notes.ts";
import { importOrder } from "../../orders/lifecycle/create_order.ts";
import type { CancelItems, UpdateOrder } from "../../orders/order.schema.ts";
import { default_fulfillment_type, isOpen, isPickup } from "../../orders/order.transitions.ts";
import { type Order, type OrderHold, openUnits } from "../../orders/order.ts";
import { lockOrder, saveOrder } from "../../orders/orders.sql.ts";
import { initialImportedProductStatus } from "../../products/product.ts";
import { findProductsBySku } from "../../products/products.sql.ts";
import { createProduct } from "../../products/products.ts";
import { voidLabelsOfOrder } from "../../shipping/labels/void_label.ts";
import type { Tx } from "../../storage/database.ts";
import type { PlatformOrder, StoreConnection } from "../platform.ts";
import type { ImportedLine, SeenPlatformOrder } from "./import.ts";
import {
  addressOf,
  changedAmounts,
  emailOf,
  fitted,
  fittedNotes,
  isAddressHidden,
  lineChanges,
  namesOf,
  numbersFor,
  type PlatformImportStep,
  seenOf,
  type WantedLine,
  wantedLines,
} from "./import.ts";

/** Returns the actor of a connection's changes. */
export function platformActor({ id, name }: StoreConnection): Actor {
  return { type: "platform", id: wireId("connection", id), name, request_id: null };
}

/** A platform's order as received, and as last processed. */
interface PlatformOrderInput {
  readonly connection: StoreConnection;
  readonly received: PlatformOrder;
  readonly order_id: number;
  readonly seen: SeenPlatformOrder | null;
  readonly known: readonly ImportedLine[];
}

/** Takes a step. Returns the lines as processed. */
export async function act(
  tx: Tx,
  what: PlatformOrderInput,
  step: PlatformImportStep,
): Promise<readonly ImportedLine[]> {
  if (step === "create") return create(tx, what);
  if (step === "change") return change(tx, what);
  if (step === "cancel") await cancel(tx, what);
  if (step === "hold") await holdUnpaid(tx, what);
  if (step === "note") await reviewDone(tx, what);
  return what.known;
}

async function create(tx: Tx, what: PlatformOrderInput): Promise<ImportedLine[]> {
  const { connection, received, order_id } = what;
  const wanted = wantedLines(connection.platform, received);
  const customer_id = await customerOf(tx, connection, received);
  const address = await keepAddress(tx, customer_id, addressOf(received));
  await ensureProducts(tx, wanted);
  const { platform } = connection;
  const source = {
    platform,
    external_id: received.external_id,
    stock: wireId("connection", connection.id),
    is_address_hidden: isAddressHidden(platform, received),
  };
  const input = {
    customer_id,
    shipping_address_id: address.id,
    line_items: lineItems(wanted, received.currency),
    fulfillment_type: received.fulfillment_type ?? default_fulfillment_type,
    ...methodOf(received),
    order_notes: fittedNotes(received.notes, notes_max),
    metadata: withAttributes({}, received),
    shipping_amount: moneyText(received.shipping_amount_cents, received.currency),
    currency: received.currency,
    ...(received.is_test === true && { tags: [test_tag] }),
  };
  const numbers = numbersFor(connection.order_prefix, received);
  for (const order_number of numbers) {
    const take = (inner: Tx) =>
      importOrder(inner, order_id, { ...input, order_number }, platformActor(connection), source);
    if ((await unlessRefused(tx, ["duplicate_order_number"], take)) === null) continue;
    await noteForStaff(tx, what);
    if (received.is_partly_collected === true) await review(tx, what, notes.partly_collected);
    return asImported(wanted);
  }
  throw new Fault(
    "duplicate_order_number",
    `The order number ${numbers[0]} and all its variants are used by other orders.`,
  );
}

const asImported = (wanted: readonly WantedLine[]): ImportedLine[] =>
  wanted.map(({ external_id, sku, quantity, ordered }) => ({ external_id, sku, quantity, ordered }));

/** Adds the notes that the merchant has written about an order at the shop to those of staff here. */
async function noteForStaff(
  tx: Tx,
  { connection, received, order_id }: Pick<PlatformOrderInput, "connection" | "received" | "order_id">,
): Promise<void> {
  const text = fittedNotes(received.staff_notes ?? null, notes_max);
  if (text === null) return;
  const writer = { actor: platformActor(connection), of_merchant: false };
  await addNote(tx, wireId("order", order_id), { text, shared: true }, writer);
}

/** The metadata of an order with the shop's own fields, unless that would be more than an order can have. */
function withAttributes(metadata: Order["metadata"], { attributes = {} }: PlatformOrder): Order["metadata"] {
  const { shop_attributes: _before, ...own } = metadata;
  if (Object.keys(attributes).length === 0) return own;
  const all = { ...own, shop_attributes: attributes };
  return metadataProblem(all) === null ? all : metadata;
}

const test_tag = "test order";
const method_max = 200;

const methodOf = ({ shipping_method, shipping_method_code }: PlatformOrder) => ({
  shipping_method: fitted(shipping_method, method_max),
  shipping_method_code: fitted(shipping_method_code, method_max),
});

const notes_max = 2000;

const lineItems = (wanted: readonly WantedLine[], currency: string) =>
  wanted.map(({ sku, quantity, unit_price_cents, total_cents }) => {
    const [unit_price, line_total] = [moneyText(unit_price_cents, currency), moneyText(total_cents, currency)];
    return { sku, quantity, unit_price, line_total };
  });

/** Runs work in a savepoint. Returns null when it is refused with one of these codes; other refusals are thrown. */
async function unlessRefused<T>(
  tx: Tx,
  codes: readonly FaultCode[],
  work: (inner: Tx) => Promise<T>,
): Promise<T | null> {
  try {
    return await tx.nested(work);
  } catch (error) {
    if (error instanceof Fault && codes.includes(error.code)) return null;
    throw error;
  }
}

/** Returns the id of the buyer. A new email address creates a customer. */
async function customerOf(tx: Tx, { id, platform }: StoreConnection, received: PlatformOrder): Promise<number> {
  const email = emailOf(platform, id, received);
  const existing = await findCustomerByEmail(tx, email);
  if (existing !== null) return existing;
  const names = namesOf(received.customer_name ?? received.address?.name ?? null);
  const fields = { ...names, phone: fitted(received.phone, 50), company: fitted(received.address?.company, 200) };
  const created = await unlessRefused(tx, ["duplicate_email"], (inner) => createCustomer(inner, { email, ...fields }));
  // Another server may have created the same buyer concurrently.
  const customer_id = created?.id ?? (await findCustomerByEmail(tx, email));
  assert(customer_id !== null, "the customer with the email address exists");
  return customer_id;
}

/** Creates unknown products as inactive, so that someone completes them. */
async function ensureProducts(tx: Tx, wanted: readonly WantedLine[]): Promise<void> {
  const names = new Map(wanted.map(({ sku, name }) => [sku, name]));
  const known = new Set((await findProductsBySku(tx, [...names.keys()])).map(({ sku }) => sku));
  const fresh = [...names].filter(([sku]) => !known.has(sku)).sort();
  for (const [sku, name] of fresh) {
    await unlessRefused(tx, ["duplicate_sku"], (inner) =>
      createProduct(inner, { sku, name, status: initialImportedProductStatus }),
    );
  }
}

/**
 * Applies changes at the platform to the order. If one comes too late, the order is held, and the note says which.
 * Returns the lines as processed.
 */
async function change(tx: Tx, what: PlatformOrderInput): Promise<readonly ImportedLine[]> {
  const { connection, received, order_id, seen, known } = what;
  const order = await lockOrder(tx, order_id);
  if (order.cancelled_at !== null) {
    if (seen?.state === "cancelled") await note(tx, what, notes.reopened);
    return known;
  }
  if (isErasedEmail(order.customer_email)) {
    await note(tx, what, notes.erased);
    return known;
  }
  const actor = platformActor(connection);
  for (const { id } of order.holds.filter(endsWhenOpen)) await releaseOrder(tx, order_id, { hold_id: id }, actor);
  const late: string[] = [];
  if (received.currency === order.currency) {
    await setShippingAmount(tx, order_id, received.shipping_amount_cents, actor);
  } else if (isChanged(what, "currency")) late.push(`its currency changed to ${received.currency}`);
  const type = received.fulfillment_type ?? order.fulfillment_type;
  if (type !== (seen?.fulfillment_type ?? order.fulfillment_type)) {
    late.push(isPickup({ fulfillment_type: type }) ? "its buyer now collects it" : "it is now to be shipped");
  }
  const buyer = await followBuyer(tx, what, order);
  if (isChanged(what, "staff_notes")) await noteForStaff(tx, what);
  const follow = async (input: UpdateOrder) => {
    const update = (inner: Tx) => updateImported(inner, order_id, input, actor);
    return (await unlessRefused(tx, ["invalid_state_transition"], update)) !== null;
  };
  for (const [name, input] of await changesOf(tx, what, buyer)) {
    if (!(await follow(input))) late.push(`its ${name} changed`);
  }
  const lines = seen?.lines === seenOf(received).lines ? known : await followLines(tx, what, { follow, late });
  if (late.length > 0) await review(tx, what, `At the shop, ${late.join(", and ")}, too late to follow here.`);
  return lines;
}

/** Whether a hold was placed only because the platform's order was unpaid, cancelled or sent, which it no longer is. */
function endsWhenOpen({ reason, note }: OrderHold): boolean {
  if (reason === "payment") return note === notes.unpaid;
  return reason === "platform_change" && [notes.unpaid, notes.cancelled, notes.done].some((words) => words === note);
}

/** The changes of fields since the order was last processed, each with a name and as an update. */
async function changesOf(tx: Tx, what: PlatformOrderInput, order: Order): Promise<[string, UpdateOrder][]> {
  const { connection, received, seen } = what;
  const now = seenOf(received);
  const changes: [string, UpdateOrder][] = [];
  // Older releases put the merchant's own notes among the others.
  const were_mixed = seen?.staff_notes === undefined && received.staff_notes != null;
  // A hidden address never replaces the stored one, which someone may have entered here.
  if (seen?.address !== now.address && !isAddressHidden(connection.platform, received)) {
    const address = await keepAddress(tx, order.customer_id, addressOf(received));
    changes.push(["address", { shipping_address_id: address.id }]);
  }
  if (seen?.shipping_method !== now.shipping_method || isChanged(what, "shipping_method_code")) {
    changes.push(["shipping method", methodOf(received)]);
  }
  if (seen?.notes !== now.notes && !were_mixed)
    changes.push(["notes", { order_notes: fittedNotes(received.notes, notes_max) }]);
  if (isChanged(what, "attributes")) changes.push(["fields", { metadata: withAttributes(order.metadata, received) }]);
  return changes;
}

/** Whether a part of the order that older releases did not record has changed since it was last processed. */
function isChanged(
  { received, seen }: PlatformOrderInput,
  part: "staff_notes" | "attributes" | "currency" | "shipping_method_code",
): boolean {
  return seen?.[part] !== undefined && seen[part] !== seenOf(received)[part];
}

/** Follows a change of the buyer's email address: the order becomes that of the customer who has it. */
async function followBuyer(tx: Tx, { connection, received }: PlatformOrderInput, order: Order): Promise<Order> {
  const email = emailOf(connection.platform, connection.id, received);
  if (received.email === null || emailKey(email) === emailKey(order.customer_email)) return order;
  const customer_id = await customerOf(tx, connection, received);
  const { company = null, phone = null, ...place } = order.shipping_address;
  const address = await keepAddress(tx, customer_id, { ...place, company, phone });
  const recipient = await findRecipient(tx, customer_id, address.id);
  assert(recipient !== null, "the customer with the email address exists");
  return setBuyer(tx, order.id, { buyer: recipient.buyer, address_id: address.id }, platformActor(connection));
}

/** How changes are applied: `follow` updates the order and returns whether it could, `late` gets what it could not. */
interface Following {
  readonly follow: (input: UpdateOrder) => Promise<boolean>;
  readonly late: string[];
}

/**
 * Replaces the lines of an order before work on it begins. After that, it cancels the units that are no longer shipped
 * from here. Returns the lines as processed.
 */
async function followLines(
  tx: Tx,
  what: PlatformOrderInput,
  { follow, late }: Following,
): Promise<readonly ImportedLine[]> {
  const { connection, received, order_id, known } = what;
  const wanted = wantedLines(connection.platform, received);
  const is_priced = received.currency === (await lockOrder(tx, order_id)).currency;
  if (wanted.length > 0 && is_priced) {
    await ensureProducts(tx, wanted);
    if (await follow({ line_items: lineItems(wanted, received.currency) })) return asImported(wanted);
  }
  const order = await lockOrder(tx, order_id);
  const shipped = new Map<string, number>();
  for (const { sku, quantity_shipped } of order.lines) shipped.set(sku, (shipped.get(sku) ?? 0) + quantity_shipped);
  const { lines, fewer, more } = lineChanges(connection.platform, received, known, shipped);
  for (const [sku, units] of more) late.push(`${units} of ${sku} were added`);
  const items = [...fewer].flatMap(([sku, units]) => {
    const open = order.lines.reduce((sum, line) => sum + (line.sku === sku ? openUnits(line) : 0), 0);
    const quantity = Math.min(open, units);
    if (quantity < units) late.push(`${units - quantity} of ${sku} were removed`);
    return quantity > 0 ? [{ sku, quantity }] : [];
  });
  const cancel = (inner: Tx) => cancelRemoved(inner, order, items, platformActor(connection));
  if (items.length > 0 && (await unlessRefused(tx, ["invalid_state_transition"], cancel)) === null) {
    for (const { sku, quantity } of items) late.push(`${quantity} of ${sku} were removed`);
  }
  if (is_priced) await followPrices(tx, what, late);
  return lines;
}

/** Follows prices and discounts at the shop. What was returned may have been refunded at the old ones. */
async function followPrices(tx: Tx, { connection, received, order_id }: PlatformOrderInput, late: string[]) {
  const order = await lockOrder(tx, order_id);
  const amounts = changedAmounts(order.lines, received, connection.platform);
  if (amounts.size === 0) return;
  if (order.returns.length === 0) await setLineAmounts(tx, order_id, amounts, platformActor(connection));
  else late.push("its prices changed");
}

/** Cancels units, unless a parcel with a label would lose some. Refuses: invalid_state_transition. */
async function cancelRemoved(tx: Tx, order: Order, items: CancelItems["items"], actor: Actor): Promise<Order> {
  const parcels = losingParcels(order, itemsToCancel(order, items));
  if (parcels.some(({ shipment }) => shipment.tracking_number !== null)) {
    throw new Fault("invalid_state_transition", "A parcel with a label contains the units.");
  }
  const note = "They were refunded or removed at the shop, or sent by others.";
  return cancelItems(tx, wireId("order", order.id), { items, reason: "customer", note }, actor);
}

/** Cancels the order if possible. */
async function cancel(tx: Tx, what: PlatformOrderInput): Promise<void> {
  const { connection, order_id, seen } = what;
  const order = await lockOrder(tx, order_id);
  if (order.cancelled_at !== null || seen?.state === "cancelled") return;
  const actor = platformActor(connection);
  const id = wireId("order", order_id);
  const give_up = async (inner: Tx) => {
    await voidLabelsOfOrder(inner, id, actor);
    return cancelOrder(inner, id, { reason: "customer", note: "The platform cancelled the order." }, actor);
  };
  const cancelled = await unlessRefused(tx, ["invalid_state_transition", "label_not_voidable"], give_up);
  if (cancelled === null) await review(tx, what, notes.cancelled);
}

export const notes = {
  reopened: "The platform reopened the order, but it is cancelled here. Create it again.",
  // The next three are stored with holds, which are released when their note equals it: never reword them.
  cancelled: "The platform cancelled the order, but it could no longer be cancelled here.",
  unpaid: "The order is no longer paid, according to the platform.",
  done: "The platform reports the order as already shipped.",
  gone: "The platform no longer has the order.",
  erased: "The platform changed the order, but its buyer's data was erased here.",
  closed: "The platform changed the order, but its merchant is closed here.",
  partly_collected:
    "The buyer collects some of the goods at the shop and has the others sent." +
    " Cancel the units that are collected, then release the order.",
} as const;

/** Holds an order that is no longer paid, if possible. */
async function holdUnpaid(tx: Tx, what: PlatformOrderInput): Promise<void> {
  const order = await lockOrder(tx, what.order_id);
  if (order.cancelled_at !== null || what.seen?.state === "unpaid") return;
  const hold = { reason: "payment", note: notes.unpaid } as const;
  const actor = platformActor(what.connection);
  const place = (inner: Tx) => holdOrder(inner, wireId("order", order.id), hold, actor);
  if ((await unlessRefused(tx, ["invalid_state_transition"], place)) === null) await review(tx, what, notes.unpaid);
}

/** Asks for a decision about an order that the platform counts as shipped, unless it has shipped here. */
async function reviewDone(tx: Tx, what: PlatformOrderInput): Promise<void> {
  if (what.seen?.state !== "done") await review(tx, what, notes.done);
}

/** Holds the order until somebody has decided what to do. Once it has shipped or is cancelled, it gets a note. */
async function review(tx: Tx, what: PlatformOrderInput, words: string): Promise<void> {
  const order = await lockOrder(tx, what.order_id);
  if (isOpen(order.status)) await holdForReview(tx, order, words, platformActor(what.connection));
  else if (words !== notes.done) await note(tx, what, words);
}

/** Adds a note to the history of an order. */
export async function note(
  tx: Tx,
  { connection, order_id }: Pick<PlatformOrderInput, "connection" | "order_id">,
  words: string,
): Promise<void> {
  const order = await lockOrder(tx, order_id);
  await saveOrder(tx, order, order, { event: "platform_note", actor: platformActor(connection), note: words });
}
