import { customerName, placeOf } from "../customers/customer.ts";
import { findRecipient } from "../customers/store.ts";
import type { Tx } from "../database/store.ts";
import { claimForOrder } from "../inventory/reservations/commands.ts";
import { findWarehouse, listPlainWarehouses } from "../inventory/warehouses/store.ts";
import type { Actor } from "../kit/actor.ts";
import { Fault } from "../kit/fault.ts";
import { readId, wireId } from "../kit/ids.ts";
import { readCents } from "../kit/money.ts";
import { emit } from "../outbox/emit.ts";
import { findProducts, findProductsBySku, listBundleParts } from "../products/store.ts";
import { orderEvent } from "./events.ts";
import { insertHistory } from "./history/store.ts";
import type { Order, OrderFields } from "./order.ts";
import {
  claimOf,
  type LineInput,
  missingProducts,
  noSuch,
  orderedLines,
  promisedShipDate,
  subtotalOf,
  withClaims,
} from "./rules.ts";
import type { CreateOrder } from "./schemas.ts";
import { addReturned, findOrderByNumber, insertLines, insertOrder } from "./store.ts";

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

/** The products that lines name, bundles with what they are made of; those that are not there are left out. */
export async function productsOf(tx: Tx, items: readonly LineInput[]) {
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

/** Counts units of a line as returned. Refuses: nothing_to_return (more than were shipped). */
export async function noteReturned(tx: Tx, order_line_id: number, quantity: number): Promise<void> {
  if (await addReturned(tx, order_line_id, quantity)) return;
  throw new Fault("nothing_to_return", "More units would be returned than were shipped.");
}
