import { ofFields } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import { centsOf, default_currency } from "../../core/money.ts";
import { type CustomerAddress, customerName, type OrderCustomer, shippingAddressOf } from "../../customers/customer.ts";
import type { WantedUnits } from "../../inventory/reservations/plan_stock.ts";
import type { PlainWarehouse } from "../../inventory/warehouses/warehouse.ts";
import { isSuspended } from "../../merchants/merchant.transitions.ts";
import { refuseClosed } from "../../merchants/merchant.ts";
import type { CreateOrder } from "../order.schema.ts";
import { initialOrderStatus } from "../order.transitions.ts";
import type { OrderFields } from "../order.ts";
import {
  asActive,
  missingProducts,
  noSuch,
  type OrderedProduct,
  orderedLines,
  refuseIncomplete,
  subtotalOf,
} from "../order_lines.ts";

/** Where an order came from. `stock` is the source whose earlier reservations it may adopt. */
export interface OrderSource {
  readonly platform: string;
  readonly external_id: string | null;
  readonly stock: string;
}

/** The records that a new order names, if they exist. */
export interface OrderReferences {
  readonly recipient: { readonly buyer: OrderCustomer; readonly address: CustomerAddress | null } | null;
  readonly products: readonly OrderedProduct[];
  /** The warehouse that the order requests. */
  readonly requested_warehouse: PlainWarehouse | null;
}

/** An order that is about to be stored. */
export interface OrderDraft {
  /** Whether its merchant is suspended, so that it is held once it is stored. */
  readonly suspended: boolean;
  readonly fields: Omit<OrderFields, "version" | "created_at" | "updated_at">;
  readonly lines: ReturnType<typeof orderedLines>;
}

/**
 * The draft of an order. A platform's order (`imported`) may have inactive products and an incomplete address.
 * Refuses: merchant_closed, resource_missing, validation_failed.
 */
export function draftOrder(
  input: CreateOrder,
  named: OrderReferences,
  source: OrderSource,
  imported = false,
): OrderDraft {
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
    shipping_address: shippingAddressOf(recipient.address),
    address_verification: recipient.address.verification,
    shipping_method: input.shipping_method ?? null,
    order_notes: input.order_notes ?? null,
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
