// An order of a platform becomes an order here, and follows its changes as far as its status allows.

import type { Actor } from "../../core/actor.ts";
import { asFault, assert, Fault, type FaultCode } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { moneyText } from "../../core/money.ts";
import { isErasedEmail } from "../../customers/customer.ts";
import { findCustomerByEmail } from "../../customers/customers.sql.ts";
import { createCustomer, keepAddress } from "../../customers/customers.ts";
import { refuseForClosed } from "../../merchants/directory.sql.ts";
import { cancelOrder } from "../../orders/changes/cancel_order.ts";
import { updateImported } from "../../orders/changes/change_order.ts";
import { holdOrder, releaseOrder } from "../../orders/changes/holds.ts";
import { importOrder } from "../../orders/lifecycle/create_order.ts";
import type { UpdateOrder } from "../../orders/order.schema.ts";
import { type OrderStatus, openStatuses } from "../../orders/order.transitions.ts";
import type { Order } from "../../orders/order.ts";
import { findOrders, lockOrder, saveOrder } from "../../orders/orders.sql.ts";
import { initialImportedProductStatus } from "../../products/product.ts";
import { findProductsBySku } from "../../products/products.sql.ts";
import { createProduct } from "../../products/products.ts";
import { voidLabelsOfOrder } from "../../shipping/labels/void_label.ts";
import type { Tx } from "../../storage/database.ts";
import type { PlatformOrder, StoreConnection } from "../platform.ts";
import type { ImportClaim, OrderImport, SeenPlatformOrder } from "./import.ts";
import {
  addressOf,
  emailOf,
  fitted,
  fittedNotes,
  namesOf,
  numbersFor,
  outcomeOf,
  type PlatformImportStep,
  seenOf,
  stepOf,
  type WantedLine,
  wantedLines,
} from "./import.ts";
import { lockClaimed, settleImport } from "./import_queue.ts";

/** A platform as an actor, named by its connection. */
export function platformActor({ id, name }: StoreConnection): Actor {
  return { type: "platform", id: wireId("connection", id), name, request_id: null };
}

/**
 * Processes a platform's order by its state: creates, changes, cancels or ignores it. Nothing is made or changed for a
 * merchant that is closed, and the import says so. Null when another server took the import over.
 * Refuses: validation_failed, duplicate_order_number (no number is free). Emits: order.created, order.cancelled.
 */
export async function takeOrder(tx: Tx, claim: ImportClaim, told: PlatformOrder): Promise<OrderImport | null> {
  const before = await lockClaimed(tx, claim);
  if (before === null) return null;
  const { connection } = claim;
  const exists = (await findOrders(tx, [before.order_id])).length > 0;
  const step = stepOf(told, before, exists);
  const { external_updated_at, seen, lines } = before;
  if (step === "nothing") {
    const outcome = outcomeOf(seen?.state ?? told.state, exists);
    return settleImport(tx, before, claim, { ...outcome, external_updated_at: external_updated_at ?? 0, seen, lines });
  }
  if (step === "create" || step === "change") {
    const refused = await refuseForClosed(tx, connection.merchant_id).catch(asFault);
    if (refused instanceof Fault) {
      if (exists) await note(tx, { connection, order_id: before.order_id }, notes.closed);
      const { code, message } = refused;
      const read = { external_updated_at: told.updated_at, seen: seenOf(told), lines };
      return settleImport(tx, before, claim, { action: exists ? "import" : "ignore", code, message, ...read });
    }
  }
  const wanted = step === "create" || step === "change" ? wantedLines(connection.platform, told) : null;
  await act(tx, { connection, told, wanted: wanted ?? [], order_id: before.order_id, seen }, step);
  return settleImport(tx, before, claim, {
    ...outcomeOf(told.state, exists || step === "create"),
    external_updated_at: told.updated_at,
    seen: seenOf(told),
    lines: wanted?.map(({ external_id, sku, quantity }) => ({ external_id, sku, quantity })) ?? lines,
  });
}

const gone_after_attempts = 6;

/**
 * Handles an order that the platform does not find: some platforms announce an order before it can be read, so it is
 * requested again some times. It is not cancelled here, since the address may have been wrong. Null when another server
 * took the import over. Refuses: platform_error (to be tried again).
 */
export async function takeMissing(tx: Tx, claim: ImportClaim): Promise<OrderImport | null> {
  const before = await lockClaimed(tx, claim);
  if (before === null) return null;
  const exists = (await findOrders(tx, [before.order_id])).length > 0;
  if (!exists && before.attempts < gone_after_attempts) {
    throw new Fault("platform_error", `The platform has no order ${before.external_id}.`);
  }
  const { external_updated_at, seen, lines } = before;
  const told = { external_updated_at: external_updated_at ?? 0, seen, lines };
  if (!exists) {
    const reason = { code: "gone", message: "The platform does not have the order." };
    return settleImport(tx, before, claim, { action: "ignore", ...reason, ...told });
  }
  await note(tx, { connection: claim.connection, order_id: before.order_id }, notes.gone);
  return settleImport(tx, before, claim, { action: "import", code: null, message: null, ...told });
}

/** An order as a platform sent it, and as it was last processed. */
interface PlatformOrderInput {
  readonly connection: StoreConnection;
  readonly told: PlatformOrder;
  readonly wanted: readonly WantedLine[];
  readonly order_id: number;
  readonly seen: SeenPlatformOrder | null;
}

async function act(tx: Tx, what: PlatformOrderInput, step: PlatformImportStep): Promise<void> {
  if (step === "create") await create(tx, what);
  if (step === "change") await change(tx, what);
  if (step === "cancel") await cancel(tx, what);
  if (step === "hold") await holdUnpaid(tx, what);
  if (step === "note") await noteDone(tx, what);
}

async function create(tx: Tx, { connection, told, wanted, order_id }: PlatformOrderInput): Promise<void> {
  const customer_id = await customerOf(tx, connection, told);
  const address = await keepAddress(tx, customer_id, addressOf(told));
  await ensureProducts(tx, wanted);
  const { platform } = connection;
  const source = { platform, external_id: told.external_id, stock: wireId("connection", connection.id) };
  const input = {
    customer_id,
    shipping_address_id: address.id,
    line_items: lineItems(wanted, told.currency),
    shipping_method: fitted(told.shipping_method, method_max),
    order_notes: fittedNotes(told.notes, notes_max),
    shipping_amount: moneyText(told.shipping_amount_cents, told.currency),
    currency: told.currency,
  };
  const numbers = numbersFor(connection.order_prefix, told);
  for (const order_number of numbers) {
    const take = (inner: Tx) =>
      importOrder(inner, order_id, { ...input, order_number }, platformActor(connection), source);
    if ((await unlessRefused(tx, ["duplicate_order_number"], take)) !== null) return;
  }
  throw new Fault("duplicate_order_number", `The number ${numbers[0]} and all its variants are taken by other orders.`);
}

const method_max = 200;
const notes_max = 2000;

const lineItems = (wanted: readonly WantedLine[], currency: string) =>
  wanted.map(({ sku, quantity, unit_price_cents, total_cents }) => {
    const [unit_price, line_total] = [moneyText(unit_price_cents, currency), moneyText(total_cents, currency)];
    return { sku, quantity, unit_price, line_total };
  });

/** Runs work in a savepoint; null when it was refused with one of these codes. Other refusals are thrown. */
async function unlessRefused<Done>(
  tx: Tx,
  codes: readonly FaultCode[],
  work: (inner: Tx) => Promise<Done>,
): Promise<Done | null> {
  try {
    return await tx.nested(work);
  } catch (error) {
    if (error instanceof Fault && codes.includes(error.code)) return null;
    throw error;
  }
}

/** The id of the buyer, who becomes a customer if the e-mail address is new. */
async function customerOf(tx: Tx, { id, platform }: StoreConnection, told: PlatformOrder): Promise<number> {
  const email = emailOf(platform, id, told);
  const known = await findCustomerByEmail(tx, email);
  if (known !== null) return known;
  const names = namesOf(told.customer_name ?? told.address?.name ?? null);
  const fields = { ...names, phone: fitted(told.phone, 50), company: fitted(told.address?.company, 200) };
  const made = await unlessRefused(tx, ["duplicate_email"], (inner) => createCustomer(inner, { email, ...fields }));
  // Another server created the same buyer at this moment.
  const customer_id = made?.id ?? (await findCustomerByEmail(tx, email));
  assert(customer_id !== null, "a buyer whose e-mail address is taken is there");
  return customer_id;
}

/** Creates unknown products, inactive: somebody has to complete them. */
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

/** Applies the changes at the platform to the order. Changes that come too late are noted in its history. */
async function change(tx: Tx, what: PlatformOrderInput): Promise<void> {
  const { connection, told, order_id, seen } = what;
  const order = await lockOrder(tx, order_id);
  if (order.cancelled_at !== null) {
    if (seen?.state === "cancelled") await note(tx, what, notes.reopened);
    return;
  }
  if (isErasedEmail(order.customer_email)) {
    await note(tx, what, notes.erased);
    return;
  }
  const actor = platformActor(connection);
  for (const hold of order.holds.filter(({ reason, note }) => reason === "payment" && note === notes.unpaid)) {
    await releaseOrder(tx, order_id, { hold_id: hold.id }, actor);
  }
  for (const [name, input] of await changesOf(tx, what, order)) {
    const follow = (inner: Tx) => updateImported(inner, order_id, input, actor);
    const followed = await unlessRefused(tx, ["invalid_state_transition"], follow);
    if (followed === null) await note(tx, what, `The platform changed ${name}, too late for this order.`);
  }
  if (told.lines.length === 0 && seen?.lines !== seenOf(told).lines) await note(tx, what, notes.emptied);
}

/** The changes at the platform since the order was last processed, in words and as a change of ours. */
async function changesOf(
  tx: Tx,
  { told, wanted, seen }: PlatformOrderInput,
  order: Order,
): Promise<[string, UpdateOrder][]> {
  const now = seenOf(told);
  const changes: [string, UpdateOrder][] = [];
  if (seen?.address !== now.address) {
    const address = await keepAddress(tx, order.customer_id, addressOf(told));
    changes.push(["the address", { shipping_address_id: address.id }]);
  }
  if (seen?.lines !== now.lines && wanted.length > 0) {
    await ensureProducts(tx, wanted);
    changes.push(["the lines", { line_items: lineItems(wanted, told.currency) }]);
  }
  if (seen?.shipping_method !== now.shipping_method) {
    changes.push(["the shipping method", { shipping_method: fitted(told.shipping_method, method_max) }]);
  }
  if (seen?.notes !== now.notes) changes.push(["the notes", { order_notes: fittedNotes(told.notes, notes_max) }]);
  return changes;
}

/** Cancels the order if that is still possible; otherwise its history says that the platform cancelled it. */
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
  if (cancelled === null) await note(tx, what, notes.cancelled);
}

const notes = {
  reopened: "The platform wants the order to be sent after all, but it is cancelled here. Create it again.",
  emptied: "The platform removed every line of the order.",
  cancelled: "The platform cancelled the order too late.",
  unpaid: "The order is no longer paid, according to the platform.",
  done: "The order was sent already, according to the platform.",
  gone: "The platform no longer has the order.",
  erased: "The platform changed the order, but its buyer was erased here.",
  closed: "The platform changed the order, but its merchant is closed here.",
} as const;

/** Holds an order that is no longer paid, if it still can be held. */
async function holdUnpaid(tx: Tx, what: PlatformOrderInput): Promise<void> {
  const order = await lockOrder(tx, what.order_id);
  if (order.cancelled_at !== null || what.seen?.state === "unpaid") return;
  const hold = { reason: "payment", note: notes.unpaid } as const;
  const actor = platformActor(what.connection);
  const place = (inner: Tx) => holdOrder(inner, wireId("order", order.id), hold, actor);
  if ((await unlessRefused(tx, ["invalid_state_transition"], place)) === null) await note(tx, what, notes.unpaid);
}

/** Notes in the history that the order counts as sent at the platform, unless it was sent here. */
async function noteDone(tx: Tx, what: PlatformOrderInput): Promise<void> {
  const { status } = await lockOrder(tx, what.order_id);
  const inHouse: readonly OrderStatus[] = openStatuses;
  if (inHouse.includes(status) && what.seen?.state !== "done") await note(tx, what, notes.done);
}

async function note(
  tx: Tx,
  { connection, order_id }: Pick<PlatformOrderInput, "connection" | "order_id">,
  words: string,
): Promise<void> {
  const order = await lockOrder(tx, order_id);
  await saveOrder(tx, order, order, { event: "platform_note", actor: platformActor(connection), note: words });
}
