import { verifyOffline } from "../../addresses/commands.ts";
import type { Address } from "../../customers/customer.ts";
import { findRecipient } from "../../customers/store.ts";
import type { Tx } from "../../database/store.ts";
import { claimForOrder } from "../../inventory/claims/commands.ts";
import { findWarehouse } from "../../inventory/warehouses/store.ts";
import type { Actor } from "../../kit/actor.ts";
import { Fault } from "../../kit/fault.ts";
import { readId, wireId } from "../../kit/ids.ts";
import { emit } from "../../outbox/emit.ts";
import { findProducts, findProductsBySku, listBundleParts } from "../../products/store.ts";
import { dispatchOf } from "../dispatch/store.ts";
import { orderEvent } from "../events.ts";
import { insertFirstHistory } from "../history/store.ts";
import { findOrderByNumber } from "../names/store.ts";
import type { Order, OrderLine } from "../order.ts";
import { claimOf, type LineInput, withClaims } from "../rules.ts";
import type { CreateOrder } from "../schemas.ts";
import { orderStarts } from "../status.ts";
import { insertLines, insertOrder } from "../store.ts";
import { type Draft, draftOrder, type Named, reservationOf, type Source } from "./rules.ts";

/** An order that a client has sent by the API. */
export const fromApi: Source = { platform: "api", external_id: null, stock: "api" };

/**
 * Creates an order and reserves at once what stock can promise; the rest is backordered, unless the order forbids it.
 * Refuses: resource_missing, validation_failed, duplicate_order_number, insufficient_inventory. Emits: order.created.
 */
export async function createOrder(tx: Tx, input: CreateOrder, actor: Actor, source = fromApi): Promise<Order> {
  const draft = draftOrder(input, await namedBy(tx, input), source);
  const id = await insertOrder(tx, draft.fields);
  if (id === null) throw takenNumber(input.order_number, await findOrderByNumber(tx, input.order_number));
  const order = await storeDraft(tx, id, draft, { stock: source.stock, reservation_id: reservationOf(input), actor });
  await emit(tx, [orderEvent("order.created", order, tx.now)]);
  return order;
}

/** Stores the lines of an order whose row is stored, claims stock for them, and begins its history. */
export async function storeDraft(
  tx: Tx,
  id: number,
  { fields, lines }: Draft,
  how: { readonly stock: string; readonly reservation_id: number | null; readonly actor: Actor },
): Promise<Order> {
  const plain = newOrder(tx, id, fields, await insertLines(tx, id, lines));
  const claim = { ...claimOf(plain), reservation_id: how.reservation_id, source: how.stock };
  const claims = await claimForOrder(tx, claim);
  const [dispatch] = await dispatchOf(tx, [plain]);
  await insertFirstHistory(tx, [{ id, status: orderStarts }], { event: "create", actor: how.actor });
  return withClaims({ ...plain, ...dispatch }, claims);
}

/** An order that has just been stored, before anything is claimed for it. */
export function newOrder(tx: Tx, id: number, fields: Draft["fields"], lines: readonly OrderLine[]): Order {
  const stored = { version: 1, created_at: tx.now, updated_at: tx.now };
  return { id, ...fields, ...stored, lines, holds: [], shipments: [], returns: [], calendars: [], promised_by: null };
}

/** What the input of an order names, as far as it is there. */
export async function namedBy(tx: Tx, input: CreateOrder): Promise<Named> {
  const customer_id = readId("customer", input.customer_id) ?? 0;
  const found = await findRecipient(tx, customer_id, readId("address", input.shipping_address_id) ?? 0);
  const [recipient = null] = await checkedRecipients(tx, [found]);
  const products = await productsOf(tx, input.line_items);
  const asked = input.warehouse_id == null ? null : await findWarehouse(tx, input.warehouse_id);
  return { recipient, products, asked };
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

/** The refusal of an order number that another order has. */
export function takenNumber(order_number: string, existing: number | null): Fault {
  return new Fault("duplicate_order_number", `There is an order ${order_number} already.`, {
    existing_id: existing === null ? null : wireId("order", existing),
  });
}

type Recipient = Named["recipient"];

/** Recipients whose addresses are checked: those of before there were checks are checked now, in one query for all. */
export async function checkedRecipients(tx: Tx, recipients: readonly Recipient[]): Promise<Recipient[]> {
  const old = recipients.flatMap((recipient) => {
    const address = recipient?.address ?? null;
    return address !== null && address.verification === null ? address : [];
  });
  if (old.length === 0) return [...recipients];
  const found = await verifyOffline(tx, old);
  const checked = new Map(old.map((address, at) => [address, { ...address, verification: found[at] ?? null }]));
  return recipients.map((recipient) => {
    return recipient && { ...recipient, address: checked.get(recipient.address as Address) ?? recipient.address };
  });
}
