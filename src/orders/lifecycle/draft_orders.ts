import { verifyOffline } from "../../addresses/verify_address.ts";
import { Fault, ofFields, orFault } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { centsOf, default_currency } from "../../core/money.ts";
import { addressIn } from "../../core/postal_address.ts";
import { type CustomerAddress, customerName, type OrderCustomer } from "../../customers/customer.ts";
import { findRecipients } from "../../customers/customers.sql.ts";
import type { WantedUnits } from "../../inventory/reservations/plan_stock.ts";
import type { PlainWarehouse } from "../../inventory/warehouses/warehouse.ts";
import { listPlainWarehouses } from "../../inventory/warehouses/warehouses.sql.ts";
import { isSuspended } from "../../merchants/merchant.transitions.ts";
import { refuseClosed } from "../../merchants/merchant.ts";
import { findAllBySku, findProducts, listBundleParts } from "../../products/products.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { readTags } from "../changes/order_tags.ts";
import type { CreateOrder } from "../order.schema.ts";
import { default_fulfillment_type, initialOrderStatus } from "../order.transitions.ts";
import { type Order, type OrderFields, type OrderLine, unprinted } from "../order.ts";
import {
  asActive,
  type LineInput,
  missingProducts,
  noSuch,
  type OrderedProduct,
  orderedLines,
  refuseIncomplete,
  subtotalOf,
} from "../order_lines.ts";
import { chosenIn } from "../shipping_rules/set_by_person.ts";

/** Where an order came from. `stock` is the source whose earlier reservations it may adopt. */
export interface OrderSource {
  readonly platform: string;
  readonly external_id: string | null;
  readonly stock: string;
  /** Whether the platform withholds the address. */
  readonly is_address_hidden?: boolean;
}

/** The records that a new order names, if they exist. */
interface OrderReferences {
  readonly recipient: { readonly buyer: OrderCustomer; readonly address: CustomerAddress | null } | null;
  readonly products: readonly OrderedProduct[];
  /** The warehouse that the order requests. */
  readonly requested_warehouse: PlainWarehouse | null;
}

/** An order that is about to be stored. */
export interface OrderDraft {
  /** Whether its merchant is suspended, so that it is held once it is stored. */
  readonly suspended: boolean;
  readonly fields: Omit<OrderFields, "revision" | "created_at" | "updated_at">;
  readonly lines: ReturnType<typeof orderedLines>;
}

/** The source of orders that clients send to the API. */
export const fromApi: OrderSource = { platform: "api", external_id: null, stock: "api" };

/** An order that has just been stored, before stock is allocated to it. */
export function newOrder(
  tx: Tx,
  id: number,
  { fields, suspended }: Pick<OrderDraft, "fields" | "suspended">,
  lines: readonly OrderLine[],
): Order {
  const stored = { revision: 1, created_at: tx.now, updated_at: tx.now, suspended };
  const none = { holds: [], shipments: [], returns: [], calendars: [], promised_by: null, ...unprinted };
  return { id, ...fields, ...stored, lines, ...none };
}

/** An order that a request describes. */
export interface RequestedOrder {
  readonly input: CreateOrder;
  /** The merchant that it must belong to: only that merchant's records exist. Default: that of its customer. */
  readonly merchant_id?: number | null;
}

/**
 * Drafts of requested orders, or what is wrong with each, in a few queries for all. `imported` orders may have inactive
 * products and an incomplete address.
 */
export async function draftOrders(
  tx: Tx,
  requested: readonly RequestedOrder[],
  source: OrderSource,
  imported = false,
): Promise<(OrderDraft | Fault)[]> {
  const inputs = requested.map(({ input }) => input);
  const named_recipients = await findRecipients(
    tx,
    inputs.map((input) => ({
      customer_id: readId("customer", input.customer_id) ?? 0,
      address_id: readId("address", input.shipping_address_id) ?? 0,
    })),
  );
  const recipients = await checkedRecipients(tx, named_recipients);
  const products = await productsOf(
    tx,
    inputs.flatMap(({ line_items }) => line_items),
  );
  const warehouses = inputs.some(({ warehouse_id }) => warehouse_id != null) ? await listPlainWarehouses(tx) : [];
  return requested.map(({ input, merchant_id = null }, at) => {
    const id = input.warehouse_id == null ? null : readId("warehouse", input.warehouse_id);
    const requested_warehouse = warehouses.find((warehouse) => warehouse.id === id) ?? null;
    const named = { recipient: recipients[at] ?? null, products, requested_warehouse };
    return orFault(() => draftOrder(input, ofOwner(named, merchant_id), source, imported));
  });
}

/** The records that an order refers to, limited to those of a merchant unless it is null. */
function ofOwner({ recipient, products, requested_warehouse }: OrderReferences, owner: number | null): OrderReferences {
  if (owner === null) return { recipient, products, requested_warehouse };
  return {
    recipient: recipient?.buyer.merchant_id === owner ? recipient : null,
    products: products.filter(({ merchant_id }) => merchant_id === owner),
    requested_warehouse,
  };
}

/** The products of all merchants that lines name, with the components of bundles. Unknown ones are left out. */
export async function productsOf(tx: Tx, items: readonly LineInput[]) {
  const ids = items.flatMap(({ product_id }) => (product_id === undefined ? [] : [readId("product", product_id) ?? 0]));
  const skus = items.flatMap(({ product_id, sku }) => (product_id === undefined && sku !== undefined ? [sku] : []));
  const products = [
    ...(ids.length === 0 ? [] : await findProducts(tx, ids)),
    ...(skus.length === 0 ? [] : await findAllBySku(tx, skus)),
  ];
  const bundles = products.filter(({ type }) => type === "bundle").map(({ id }) => id);
  const parts = Map.groupBy(await listBundleParts(tx, bundles), (part) => part.bundle_id);
  return products.map((product) => ({ ...product, parts: parts.get(product.id) ?? [] }));
}

/**
 * The draft of an order. A platform's order (`imported`) may have inactive products and an incomplete address.
 * Refuses: merchant_closed, resource_missing, validation_failed.
 */
function draftOrder(input: CreateOrder, named: OrderReferences, source: OrderSource, imported = false): OrderDraft {
  const { recipient, requested_warehouse } = named;
  if (recipient !== null) refuseClosed(recipient.buyer.merchant);
  // A SKU or an id of another merchant counts as unknown.
  const products = named.products.filter(({ merchant_id }) => merchant_id === recipient?.buyer.merchant_id);
  const missing = [
    ...(recipient === null ? [noSuch("customer_id", "names no customer")] : []),
    ...(recipient !== null && recipient.address === null
      ? [noSuch("shipping_address_id", "names no address of this customer")]
      : []),
    ...missingProducts(input.line_items, recipient === null ? named.products : products),
    ...(input.warehouse_id != null && requested_warehouse === null
      ? [noSuch("warehouse_id", "names no warehouse")]
      : []),
  ];
  if (missing.length > 0 || recipient === null || recipient.address === null) {
    throw ofFields("resource_missing", missing);
  }
  if (!imported) refuseIncomplete(recipient.address);
  const { currency = default_currency } = input;
  const lines = orderedLines(input.line_items, imported ? products.map(asActive) : products, currency);
  const fields: OrderDraft["fields"] = {
    merchant_id: recipient.buyer.merchant_id,
    order_number: input.order_number,
    status: initialOrderStatus,
    held: false,
    customer_id: recipient.buyer.id,
    customer_email: recipient.buyer.email,
    customer_name: customerName(recipient.buyer),
    shipping_address_id: recipient.address.id,
    shipping_address: addressIn(recipient.address),
    address_verification: recipient.address.verification,
    fulfillment_type: input.fulfillment_type ?? default_fulfillment_type,
    shipping_method: input.shipping_method ?? null,
    shipping_method_code: input.shipping_method_code ?? null,
    order_notes: input.order_notes ?? null,
    packing_note: input.packing_note ?? null,
    ...chosenIn(input, null),
    tags: readTags(input.tags ?? []),
    requires_cold_storage: input.requires_cold_storage ?? false,
    priority: input.priority ?? 0,
    allow_backorder: input.allow_backorder ?? true,
    warehouse_id: requested_warehouse?.id ?? null,
    subtotal_cents: subtotalOf(lines),
    shipping_amount_cents: centsOf(input.shipping_amount ?? 0, currency, "shipping_amount"),
    currency,
    source_platform: source.platform,
    source_external_id: source.external_id,
    metadata: input.metadata ?? {},
    processing_at: null,
    fulfilled_at: null,
    shipped_at: null,
    delivered_at: null,
    cancelled_at: null,
    cancel_reason: null,
    imported: false,
  };
  return { suspended: isSuspended(recipient.buyer.merchant.status), fields, lines };
}

/** The stock that an order wants before it is stored, in the order of its allocation. */
export function wantsOf({ lines }: OrderDraft): WantedUnits[] {
  return lines.flatMap(({ product_id, quantity, components }) => {
    if (components === null) return { product_id, quantity };
    return components.map((part) => ({ product_id: part.product_id, quantity: quantity * part.quantity }));
  });
}

/** The reservation that an order is to adopt, or null. */
export function reservationOf({ reservation_id }: CreateOrder): number | null {
  return reservation_id === undefined ? null : (readId("reservation", reservation_id) ?? 0);
}

/** The refusal of an order number that is taken. */
export function takenNumber(order_number: string, existing: number | null): Fault {
  return new Fault("duplicate_order_number", `An order with the number ${order_number} already exists.`, {
    existing_id: existing === null ? null : wireId("order", existing),
  });
}

type DraftRecipient = OrderReferences["recipient"];

/** Recipients with checked addresses: those never checked before are checked now, in one query for all. */
export async function checkedRecipients(tx: Tx, recipients: readonly DraftRecipient[]): Promise<DraftRecipient[]> {
  const old = recipients.flatMap((recipient) => {
    const address = recipient?.address ?? null;
    return address !== null && address.verification === null ? address : [];
  });
  if (old.length === 0) return [...recipients];
  const verifications = await verifyOffline(tx, old);
  const checked = new Map(old.map((address, at) => [address, { ...address, verification: verifications[at] ?? null }]));
  return recipients.map((recipient) => {
    return (
      recipient && { ...recipient, address: checked.get(recipient.address as CustomerAddress) ?? recipient.address }
    );
  });
}
