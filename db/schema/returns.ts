import {
  type Disposition,
  type RefundMethod,
  type RefundStatus,
  type ReturnCondition,
  type ReturnReason,
  type ReturnShippingStatus,
  type ReturnStatus,
  refundStatuses,
  returnStatuses,
} from "../../src/returns/return.transitions.ts";
import { bool, check, folded, id, index, int, json, oneOf, table, text, time, where } from "../kit.ts";
import { lots } from "./inventory.ts";
import { owner } from "./merchants.ts";
import { order_lines, orders } from "./orders.ts";

export const returns = table(
  "returns",
  {
    id: id(),
    merchant_id: owner(),
    order_id: int()
      .notNull()
      .references(() => orders.id),
    status: text().$type<ReturnStatus>().notNull(),
    reason: text().$type<ReturnReason>().notNull(),
    refund_status: text().$type<RefundStatus>().notNull(),
    return_shipping: json<{
      carrier: string | null;
      tracking_number: string | null;
      label_url: string | null;
      status: ReturnShippingStatus;
    }>().notNull(),
    /** The number in `return_shipping`, so that tracking finds the return. */
    tracking_number: text(),
    refund_amount_cents: int(),
    refund_shipping: bool().notNull(),
    restocking_fee_cents: int(),
    currency: text().notNull(),
    customer_email: text(),
    revision: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
    received_at: time(),
    inspected_at: time(),
    completed_at: time(),
  },
  (t) => [
    index("returns_created").on(t.created_at, t.id),
    index("returns_merchant").on(t.merchant_id, t.created_at, t.id),
    index("returns_order").on(t.order_id),
    index("returns_email").on(folded(t.customer_email)).where(where("customer_email is not null")),
    index("returns_tracking").on(t.tracking_number).where(where("tracking_number is not null")),
    index("returns_uninspected").on(t.received_at, t.id).where(where("status = 'received'")),
    oneOf("returns", "status", returnStatuses),
    oneOf("returns", "refund_status", refundStatuses),
    check("returns_amounts", "refund_amount_cents >= 0 and restocking_fee_cents >= 0"),
  ],
);

export const return_items = table(
  "return_items",
  {
    id: id(),
    return_id: int()
      .notNull()
      .references(() => returns.id),
    order_line_id: int()
      .notNull()
      .references(() => order_lines.id),
    sku: text().notNull(),
    quantity: int().notNull(),
    quantity_received: int().notNull(),
    condition: text().$type<ReturnCondition>(),
    notes: text(),
  },
  (t) => [
    index("return_items_return").on(t.return_id),
    index("return_items_order_line").on(t.order_line_id),
    check("return_items_quantity", "quantity between 1 and 1000000"),
    check("return_items_received", "quantity_received between 0 and quantity"),
  ],
);

/** Inspection results of returned items, and the disposition of their units. */
export const return_inspections = table(
  "return_inspections",
  {
    id: id(),
    return_item_id: int()
      .notNull()
      .references(() => return_items.id),
    quantity: int().notNull(),
    condition: text().$type<ReturnCondition>().notNull(),
    disposition: text().$type<Disposition>().notNull(),
    lot_id: int().references(() => lots.id),
    notes: text(),
    created_at: time().notNull(),
  },
  (t) => [
    index("return_inspections_item").on(t.return_item_id),
    check("return_inspections_quantity", "quantity between 1 and 1000000"),
  ],
);

export const refunds = table(
  "refunds",
  {
    id: id(),
    return_id: int()
      .notNull()
      .references(() => returns.id),
    amount_cents: int().notNull(),
    currency: text().notNull(),
    breakdown: json<{ items_cents: number; shipping_cents: number; restocking_fee_cents: number }>().notNull(),
    method: text().$type<RefundMethod>().notNull(),
    status: text().$type<RefundStatus>().notNull(),
    notes: text(),
    estimated_completion: text().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [
    index("refunds_return").on(t.return_id),
    oneOf("refunds", "status", refundStatuses),
    check("refunds_amount", "amount_cents >= 0"),
  ],
);
