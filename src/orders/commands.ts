import { customerName, placeOf } from "../customers/customer.ts";
import { findAddress, findRecipient } from "../customers/store.ts";
import type { Tx } from "../database/store.ts";
import type { OrderClaim } from "../inventory/reservations/claim.ts";
import {
  claimForOrder,
  releaseClaim,
  replanClaim,
  reviseClaim,
  setClaimPriority,
} from "../inventory/reservations/commands.ts";
import { findWarehouse, listPlainWarehouses } from "../inventory/warehouses/store.ts";
import type { Actor } from "../kit/actor.ts";
import { Fault, type FieldProblem } from "../kit/fault.ts";
import { readId, wireId } from "../kit/ids.ts";
import { readCents } from "../kit/money.ts";
import { emit } from "../outbox/emit.ts";
import { findProducts, findProductsBySku, listBundleParts } from "../products/store.ts";
import { orderEvent } from "./events.ts";
import { pauseAgain } from "./holds/commands.ts";
import { closeHolds } from "./holds/store.ts";
import { type Order, type OrderFields, partsOf } from "./order.ts";
import {
  changedFields,
  decide,
  type LineInput,
  missingProducts,
  type OrderedProduct,
  orderedLines,
  promisedShipDate,
  refusal,
  refuseImmutable,
  sameLines,
  subtotalOf,
  withClaims,
} from "./rules.ts";
import type { CancelOrder, CreateOrder, UpdateOrder } from "./schemas.ts";
import { saveShipment } from "./shipments/store.ts";
import {
  addReturned,
  deleteLines,
  findOrderByNumber,
  insertHistory,
  insertLines,
  insertOrder,
  lockOrder,
  type NewLine,
  saveOrder,
} from "./store.ts";

/** Where an order came from; `stock` names the source whose earlier reservations it may take over. */
export interface Source {
  readonly platform: string;
  readonly external_id: string | null;
  readonly stock: string;
}

const fromApi: Source = { platform: "api", external_id: null, stock: "api" };

/**
 * Takes in an order and reserves at once what stock can promise; the rest is backordered, unless the order forbids it.
 * Refuses: resource_missing, validation_failed, duplicate_order_number, insufficient_inventory. Emits: order.created.
 */
export async function createOrder(tx: Tx, input: CreateOrder, actor: Actor, source = fromApi): Promise<Order> {
  const { fields, lines: ordered } = await newOrder(tx, input, source);
  const id = await insertOrder(tx, fields);
  if (id === null) throw await takenNumber(tx, input.order_number);
  const lines = await insertLines(tx, id, ordered);
  const stored = { version: 1, created_at: tx.now, updated_at: tx.now };
  const plain: Order = { id, ...fields, ...stored, lines, holds: [], shipments: [], returns: [] };
  const reservation_id = input.reservation_id === undefined ? null : (readId("reservation", input.reservation_id) ?? 0);
  const order = withClaims(plain, await claimForOrder(tx, { ...claimOf(plain), reservation_id, source: source.stock }));
  await insertHistory(tx, id, null, "pending", { event: "create", actor });
  await emit(tx, [orderEvent("order.created", order, tx.now)]);
  return order;
}

async function newOrder(tx: Tx, input: CreateOrder, source: Source) {
  const customer_id = readId("customer", input.customer_id) ?? 0;
  const shipping_address_id = readId("address", input.shipping_address_id) ?? 0;
  const recipient = await findRecipient(tx, customer_id, shipping_address_id);
  const products = await productsOf(tx, input.line_items);
  const asked = input.warehouse_id == null ? null : await findWarehouse(tx, input.warehouse_id);
  const [warehouse] = asked === null ? await listPlainWarehouses(tx) : [asked];
  const missing = [
    ...(recipient === null ? [noSuch("customer_id", "names no customer")] : []),
    ...(recipient !== null && recipient.address === null
      ? [noSuch("shipping_address_id", "names no address of this customer")]
      : []),
    ...missingProducts(input.line_items, products),
    ...(input.warehouse_id != null && asked === null ? [noSuch("warehouse_id", "names no warehouse")] : []),
  ];
  if (missing.length > 0 || recipient === null || recipient.address === null) {
    throw new Fault("resource_missing", "The order names what is not there.", { fields: missing });
  }
  const lines = orderedLines(input.line_items, products);
  const fields: Omit<OrderFields, "version" | "created_at" | "updated_at"> = {
    order_number: input.order_number,
    status: "pending",
    held: false,
    customer_id,
    customer_email: recipient.buyer.email,
    customer_name: customerName(recipient.buyer),
    shipping_address_id,
    shipping_address: placeOf(recipient.address),
    shipping_method: input.shipping_method ?? null,
    order_notes: input.order_notes ?? null,
    requires_cold_storage: input.requires_cold_storage ?? false,
    priority: input.priority ?? 0,
    allow_backorder: input.allow_backorder ?? true,
    warehouse_id: asked?.id ?? null,
    subtotal_cents: subtotalOf(lines),
    shipping_amount_cents: readCents(input.shipping_amount ?? 0) ?? 0,
    currency: input.currency ?? "USD",
    source_platform: source.platform,
    source_external_id: source.external_id,
    metadata: input.metadata ?? {},
    estimated_ship_date: promisedShipDate(tx.now, warehouse?.timezone ?? "UTC"),
    processing_at: null,
    fulfilled_at: null,
    shipped_at: null,
    delivered_at: null,
    cancelled_at: null,
    cancel_reason: null,
  };
  return { fields, lines };
}

function noSuch(field: string, message: string): FieldProblem {
  return { field, code: "resource_missing", message };
}

async function productsOf(tx: Tx, items: readonly LineInput[]) {
  const ids = items.flatMap(({ product_id }) => (product_id === undefined ? [] : [readId("product", product_id) ?? 0]));
  const skus = items.flatMap(({ product_id, sku }) => (product_id === undefined && sku !== undefined ? [sku] : []));
  const products = [
    ...(ids.length === 0 ? [] : await findProducts(tx, ids)),
    ...(skus.length === 0 ? [] : await findProductsBySku(tx, skus)),
  ];
  const bundles = products.filter(({ type }) => type === "bundle").map(({ id }) => id);
  const parts = Map.groupBy(await listBundleParts(tx, bundles), (part) => part.bundle_id);
  return products.map((product) => ({ ...product, parts: parts.get(product.id) ?? [] }));
}

async function takenNumber(tx: Tx, order_number: string): Promise<Fault> {
  const existing = await findOrderByNumber(tx, order_number);
  return new Fault("duplicate_order_number", `There is an order ${order_number} already.`, {
    existing_id: existing === null ? null : wireId("order", existing),
  });
}

function claimOf(order: Order): OrderClaim {
  const { id, order_number, priority, warehouse_id, requires_cold_storage, allow_backorder, lines } = order;
  return {
    order_id: id,
    order_number,
    source: order.source_platform,
    priority,
    warehouse_id,
    requires_cold_storage,
    allow_backorder,
    reservation_id: null,
    lines: lines.flatMap((line) =>
      partsOf(line).map(({ product_id, quantity }) => {
        return { order_line_id: line.id, product_id, quantity: line.quantity * quantity };
      }),
    ),
  };
}

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
    throw refusal(before, "update", "it is packed");
  }
  const changed: Order = { ...before, ...fields, ...address };
  const order = lines === null ? changed : await replaceLines(tx, changed, lines);
  const saved = await saveOrder(tx, before, await reclaimed(tx, before, order), { event: "update", actor });
  const dropped = before.lines.filter(({ id }) => !saved.lines.some((line) => line.id === id));
  await deleteLines(
    tx,
    dropped.map((line) => line.id),
  );
  return saved;
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
  const begun = before.lines.some((line) => line.picked > 0 || line.quantity_packed > 0);
  const parcelled = before.shipments.some(({ status }) => status !== "voided");
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
    return old && { ...old, quantity: line.quantity, unit_price_cents: line.unit_price_cents };
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

/**
 * Cancels an order of which nothing has left: its promises and parcels are given up. A cancelled one stays as it is.
 * Refuses: resource_missing, invalid_state_transition (a parcel is out). Emits: order.cancelled.
 */
export async function cancelOrder(tx: Tx, id: string, input: CancelOrder, actor: Actor): Promise<Order> {
  const before = await lockOrder(tx, id);
  if (before.status === "cancelled") return before;
  const status = decide(before, "cancel");
  const { reason = "other", note = null } = input;
  const shipments = before.shipments.map((shipment) =>
    shipment.status === "pending" ? { ...shipment, status: "voided" as const } : shipment,
  );
  for (const [at, shipment] of shipments.entries()) {
    if (shipment !== before.shipments[at]) await saveShipment(tx, shipment);
  }
  await releaseClaim(tx, before.id, null, actor);
  await closeHolds(tx, before.holds);
  const cancelled: Order = {
    ...before,
    status,
    held: false,
    holds: [],
    shipments,
    lines: before.lines.map((line) => ({ ...line, quantity_packed: 0, quantity_cancelled: line.quantity })),
    cancelled_at: tx.now,
    cancel_reason: reason,
  };
  const order = await saveOrder(tx, before, withClaims(cancelled, []), { event: "cancel", actor, reason, note });
  await emit(tx, [orderEvent("order.cancelled", order, tx.now)]);
  return order;
}

/** Counts units of a line as returned. Refuses: nothing_to_return (more than were shipped). */
export async function noteReturned(tx: Tx, order_line_id: number, quantity: number): Promise<void> {
  if (await addReturned(tx, order_line_id, quantity)) return;
  throw new Fault("nothing_to_return", "More units would be returned than were shipped.");
}
