import { type Static, Type } from "@sinclair/typebox";
import type { CsvColumn } from "../../core/csv_columns.ts";
import { closed, emailField, nullable, textField } from "../../core/schema.ts";
import { addressFields } from "../../customers/customer.schema.ts";
import { changeable, chosen, Line, order_number } from "../order.schema.ts";
import { type Order, orderView } from "../order.ts";

/** The columns of the orders CSV: one row per line, with the order's own fields in each of them. */
export const orderColumns: readonly CsvColumn[] = [
  {
    name: "order_number",
    path: ["order_number"],
    kind: "code",
    meaning: "Your order number. Rows with the same number form one order.",
    example: "1001",
  },
  {
    name: "status",
    path: ["status"],
    kind: "text",
    meaning: "Only `pending` orders are imported. Empty means `pending`.",
    example: "pending",
  },
  {
    name: "customer_email",
    path: ["customer_email"],
    kind: "text",
    meaning: "The customer's email. A customer is created if there is none.",
    example: "ana@example.com",
  },
  {
    name: "customer_name",
    path: ["customer_name"],
    kind: "text",
    meaning: "The name of a new customer. If an existing customer has another name, it goes on the parcel.",
    example: "Ana María Cruz",
  },
  {
    name: "ship_to",
    path: ["shipping_address", "name"],
    kind: "text",
    meaning: "The name on the parcel, if it is not the customer's.",
    example: "Cruz & Sons, door 4",
  },
  {
    name: "company",
    path: ["shipping_address", "company"],
    kind: "text",
    meaning: "The company on the parcel. Default for a new address: the customer's.",
    example: "Cruz & Sons Ltd.",
  },
  {
    name: "address_line1",
    path: ["shipping_address", "address_line1"],
    kind: "text",
    meaning: "Street and number. Without an address, the customer's default one is used.",
    example: "12 Elm St",
  },
  {
    name: "address_line2",
    path: ["shipping_address", "address_line2"],
    kind: "text",
    meaning: "The second line of the address.",
    example: "Apt 3",
  },
  { name: "city", path: ["shipping_address", "city"], kind: "text", meaning: "The city.", example: "Portland" },
  {
    name: "state",
    path: ["shipping_address", "state"],
    kind: "text",
    meaning: "The state or province. Required for US, CA and AU.",
    example: "OR",
  },
  {
    name: "postal_code",
    path: ["shipping_address", "postal_code"],
    kind: "text",
    meaning: "The postal code, if the country has them.",
    example: "97201",
  },
  {
    name: "country",
    path: ["shipping_address", "country"],
    kind: "text",
    meaning: "The two-letter country code.",
    example: "US",
  },
  {
    name: "phone",
    path: ["shipping_address", "phone"],
    kind: "code",
    meaning: "A phone number for the carrier.",
    example: "+1 503 555 0100",
  },
  { name: "sku", path: ["sku"], kind: "code", meaning: "The SKU of this row's line.", example: "CUP-12" },
  { name: "quantity", path: ["quantity"], kind: "number", meaning: "Number of units.", example: "2" },
  {
    name: "unit_price",
    path: ["unit_price"],
    kind: "amount",
    meaning: "The price of one unit, with at most its currency's decimals. Required if `line_total` is empty.",
    example: "12.50",
  },
  {
    name: "discount_amount",
    path: ["discount_amount"],
    kind: "amount",
    meaning: "The discount on all units of the line together.",
    example: "1.25",
  },
  {
    name: "line_total",
    path: ["line_total"],
    kind: "amount",
    meaning: "The cost of all units of the line. Price, discount and total must agree.",
    example: "23.75",
  },
  {
    name: "shipping_method",
    path: ["shipping_method"],
    kind: "text",
    meaning: "How to ship it, in your own words.",
    example: "express",
  },
  {
    name: "order_notes",
    path: ["order_notes"],
    kind: "text",
    meaning: "Notes for the warehouse.",
    example: "Gift: no prices on the slip",
  },
  {
    name: "requires_cold_storage",
    path: ["requires_cold_storage"],
    kind: "boolean",
    meaning: "`true` if it must be kept cold.",
    example: "false",
  },
  {
    name: "priority",
    path: ["priority"],
    kind: "number",
    meaning: "A whole number; higher is served first when stock is short.",
    example: "0",
  },
  {
    name: "allow_backorder",
    path: ["allow_backorder"],
    kind: "boolean",
    meaning: "`false` refuses the order when stock is short.",
    example: "true",
  },
  {
    name: "warehouse_id",
    path: ["warehouse_id"],
    kind: "text",
    meaning: "The warehouse to ship it from.",
    example: "whs_1001",
  },
  {
    name: "shipping_amount",
    path: ["shipping_amount"],
    kind: "amount",
    meaning: "What the customer pays for shipping.",
    example: "4.90",
  },
  {
    name: "currency",
    path: ["currency"],
    kind: "text",
    meaning: "The ISO 4217 code. Default: `USD`.",
    example: "USD",
  },
  {
    name: "metadata",
    path: ["metadata"],
    kind: "json",
    meaning: "Other data that you store with it, as JSON.",
    example: '{"channel":"web"}',
  },
  {
    name: "fulfillment_status",
    path: ["fulfillment_status"],
    kind: "text",
    export_only: true,
    meaning: "The progress of its units.",
    example: "partially_shipped",
  },
  {
    name: "quantity_backordered",
    path: ["quantity_backordered"],
    kind: "text",
    export_only: true,
    meaning: "Units of the line that are backordered.",
    example: "0",
  },
  {
    name: "quantity_shipped",
    path: ["quantity_shipped"],
    kind: "text",
    export_only: true,
    meaning: "Units of the line that have shipped.",
    example: "2",
  },
  {
    name: "quantity_cancelled",
    path: ["quantity_cancelled"],
    kind: "text",
    export_only: true,
    meaning: "Units of the line that were cancelled.",
    example: "0",
  },
  {
    name: "tracking_numbers",
    path: ["tracking_numbers"],
    kind: "code",
    export_only: true,
    meaning: "Tracking numbers of its parcels, separated by spaces.",
    example: "1Z999AA10123456784",
  },
  {
    name: "carrier",
    path: ["carrier"],
    kind: "text",
    export_only: true,
    meaning: "The carrier of its first parcel.",
    example: "ups",
  },
  {
    name: "service",
    path: ["service"],
    kind: "text",
    export_only: true,
    meaning: "The carrier's service.",
    example: "ground",
  },
  {
    name: "created_at",
    path: ["created_at"],
    kind: "text",
    export_only: true,
    meaning: "When it was created.",
    example: "2026-07-01T09:30:00.000Z",
  },
  {
    name: "shipped_at",
    path: ["shipped_at"],
    kind: "text",
    export_only: true,
    meaning: "When the last of it shipped.",
    example: "2026-07-02T15:00:00.000Z",
  },
  {
    name: "delivered_at",
    path: ["delivered_at"],
    kind: "text",
    export_only: true,
    meaning: "When the last of it arrived.",
    example: "2026-07-04T11:20:00.000Z",
  },
  {
    name: "cancelled_at",
    path: ["cancelled_at"],
    kind: "text",
    export_only: true,
    meaning: "When it was cancelled.",
    example: "2026-07-01T10:00:00.000Z",
  },
  {
    name: "cancel_reason",
    path: ["cancel_reason"],
    kind: "text",
    export_only: true,
    meaning: "Why it was cancelled.",
    example: "customer",
  },
];

/** The columns that are exported and not imported: some of them of the order, some of its line. */
export const readOnly: readonly string[] = orderColumns.flatMap(({ name, export_only }) => (export_only ? name : []));

/** A row of the orders CSV: a line, and fields of its order. An empty cell states nothing. */
export const OrderCsvLine = closed(
  {
    order_number,
    status: Type.Optional(Type.String()),
    customer_email: Type.Optional(emailField()),
    customer_name: Type.Optional(textField(200)),
    shipping_address: Type.Optional(nullable(closed(addressFields))),
    sku: textField(100),
    quantity: Line.properties.quantity,
    unit_price: Line.properties.unit_price,
    discount_amount: Line.properties.discount_amount,
    line_total: Line.properties.line_total,
    ...changeable,
    ...chosen,
  },
  readOnly,
);
export type OrderCsvLine = Static<typeof OrderCsvLine>;

/** A row of the orders CSV, before its fields are named. */
export interface OrderCsvRow {
  readonly order: Order;
  readonly view: ReturnType<typeof orderView>;
  readonly at: number;
}

/** The rows of an order; `now` in milliseconds. */
export function rowsOf(order: Order, now: number): OrderCsvRow[] {
  const view = orderView(order, now);
  return view.line_items.map((_, at) => ({ order, view, at }));
}

/** A row with its fields as the columns name them. */
export function rowView({ view, at }: OrderCsvRow) {
  const { customer, shipments, line_items, ...order } = view;
  const parcels = shipments.filter(({ status }) => status !== "voided");
  const tracking = parcels.flatMap(({ tracking_number }) => tracking_number ?? []);
  return {
    ...order,
    ...line_items[at],
    carrier: parcels[0]?.carrier ?? null,
    service: parcels[0]?.service ?? null,
    customer_email: customer.email,
    customer_name: customer.name,
    tracking_numbers: tracking.join(" "),
  };
}
