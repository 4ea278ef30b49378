import { type ReceiptStatus, receiptStatuses } from "../../src/inventory/inventory.transitions.ts";
import { check, day, folded, id, index, int, oneOf, table, text, time, where } from "../kit.ts";
import { owner } from "./merchants.ts";
import { products } from "./products.ts";
import { warehouses } from "./warehouses.ts";

/** Inbound shipments (receipts), expected and received. */
export const receipts = table(
  "receipts",
  {
    id: id(),
    merchant_id: owner(),
    status: text().$type<ReceiptStatus>().notNull(),
    /** The client's reference, such as a purchase order. */
    reference: text(),
    supplier: text(),
    purchase_order_number: text(),
    /** Who brings the goods, and under which number. */
    carrier: text(),
    tracking_number: text(),
    /** What bringing them costs, in the minor unit of `freight_currency`. */
    freight_cents: int(),
    freight_currency: text(),
    warehouse_id: int()
      .notNull()
      .references(() => warehouses.id),
    expected_at: time(),
    revision: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
    closed_at: time(),
    cancelled_at: time(),
  },
  (t) => [
    index("receipts_created").on(t.created_at, t.id),
    index("receipts_merchant").on(t.merchant_id, t.created_at, t.id),
    index("receipts_reference").on(folded(t.reference)).where(where("reference is not null")),
    index("receipts_supplier").on(folded(t.supplier)).where(where("supplier is not null")),
    index("receipts_awaited").on(t.expected_at).where(where("status in ('expected', 'receiving')")),
    index("receipts_purchase_order")
      .on(folded(t.purchase_order_number))
      .where(where("purchase_order_number is not null")),
    oneOf("receipts", "status", receiptStatuses),
  ],
);

/** The expected quantity of a product, optionally of a lot. */
export const receipt_lines = table(
  "receipt_lines",
  {
    id: id(),
    receipt_id: int()
      .notNull()
      .references(() => receipts.id),
    product_id: int()
      .notNull()
      .references(() => products.id),
    lot_number: text(),
    expires_on: day(),
    quantity: int().notNull(),
    /** What one unit costs, in the minor unit of `unit_cost_currency`. */
    unit_cost_cents: int(),
    unit_cost_currency: text(),
    /** Received units, possibly more than expected. */
    received: int().notNull(),
    /** Of these, damaged units that were set aside. */
    set_aside: int().notNull(),
    /** Units that may still arrive; 0 once the receipt is closed. */
    outstanding: int().notNull(),
  },
  (t) => [
    index("receipt_lines_receipt").on(t.receipt_id),
    index("receipt_lines_outstanding").on(t.product_id, t.outstanding).where(where("outstanding > 0")),
    check("receipt_lines_quantity", "quantity between 1 and 1000000"),
    check("receipt_lines_received", "set_aside between 0 and received"),
    check("receipt_lines_outstanding", "outstanding between 0 and quantity"),
  ],
);
