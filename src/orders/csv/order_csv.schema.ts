import { type Static, Type } from "@sinclair/typebox";
import { type CsvColumn, csvColumn } from "../../core/csv_columns.ts";
import { closed, emailField, nullable, textField } from "../../core/schema.ts";
import { addressFields } from "../../customers/customer.schema.ts";
import { changeable, chosen, Line, order_number } from "../order.schema.ts";
import { type Order, orderView } from "../order.ts";

type ColumnKind = CsvColumn["kind"];

const addressed = (name: string, kind: ColumnKind, meaning: string, example: string, field = name) =>
  csvColumn(name, kind, meaning, example, { path: ["shipping_address", field] });

const exported = (name: string, kind: ColumnKind, meaning: string, example: string) =>
  csvColumn(name, kind, meaning, example, { export_only: true });

/** The columns of the orders CSV: one row per line, with the order's own fields in each of them. */
export const orderColumns: readonly CsvColumn[] = [
  csvColumn("order_number", "code", "Your order number. Rows with the same number form one order.", "1001"),
  csvColumn("status", "text", "Only `pending` orders are imported. Empty means `pending`.", "pending"),
  csvColumn(
    "customer_email",
    "text",
    "The customer's email. A customer is created if there is none.",
    "ana@example.com",
  ),
  csvColumn(
    "customer_name",
    "text",
    "The name of a new customer. If an existing customer has another name, it goes on the parcel.",
    "Ana María Cruz",
  ),
  addressed("ship_to", "text", "The name on the parcel, if it is not the customer's.", "Cruz & Sons, door 4", "name"),
  addressed(
    "company",
    "text",
    "The company on the parcel. Default for a new address: the customer's.",
    "Cruz & Sons Ltd.",
  ),
  addressed(
    "address_line1",
    "text",
    "Street and number. Without an address, the customer's default one is used.",
    "12 Elm St",
  ),
  addressed("address_line2", "text", "The second line of the address.", "Apt 3"),
  addressed("city", "text", "The city.", "Portland"),
  addressed("state", "text", "The state or province. Required for US, CA and AU.", "OR"),
  addressed("postal_code", "text", "The postal code, if the country has them.", "97201"),
  addressed("country", "text", "The two-letter country code.", "US"),
  addressed("phone", "code", "A phone number for the carrier.", "+1 503 555 0100"),
  csvColumn("sku", "code", "The SKU of this row's line.", "CUP-12"),
  csvColumn("quantity", "number", "Number of units.", "2"),
  csvColumn(
    "unit_price",
    "amount",
    "The price of one unit, with at most its currency's decimals. Required if `line_total` is empty.",
    "12.50",
  ),
  csvColumn("discount_amount", "amount", "The discount on all units of the line together.", "1.25"),
  csvColumn(
    "line_total",
    "amount",
    "The cost of all units of the line. Price, discount and total must agree.",
    "23.75",
  ),
  csvColumn("fulfillment_type", "text", "`ship`, or `pickup` if the buyer collects it. Empty means `ship`.", "ship"),
  csvColumn("shipping_method", "text", "How to ship it, in your own words.", "express"),
  csvColumn("shipping_method_code", "text", "Your shop's own code of that method.", "EXP-1"),
  csvColumn("order_notes", "text", "Notes for the warehouse.", "Gift: no prices on the slip"),
  csvColumn("packing_note", "text", "A note for whoever picks and packs it.", "Fragile: double box"),
  csvColumn("tags", "code", "Tags, separated by commas.", "vip,gift"),
  csvColumn("requires_cold_storage", "boolean", "`true` if it must be kept cold.", "false"),
  csvColumn("priority", "number", "A whole number; higher is served first when stock is short.", "0"),
  csvColumn("allow_backorder", "boolean", "`false` refuses the order when stock is short.", "true"),
  csvColumn("warehouse_id", "text", "The warehouse to ship it from.", "whs_1001"),
  csvColumn("shipping_amount", "amount", "What the customer pays for shipping.", "4.90"),
  csvColumn("currency", "text", "The ISO 4217 code. Default: `USD`.", "USD"),
  csvColumn("metadata", "json", "Other data that you store with it, as JSON.", '{"channel":"web"}'),
  exported("fulfillment_status", "text", "The progress of its units.", "partially_shipped"),
  exported("quantity_backordered", "text", "Units of the line that are backordered.", "0"),
  exported("quantity_shipped", "text", "Units of the line that have shipped.", "2"),
  exported("quantity_cancelled", "text", "Units of the line that were cancelled.", "0"),
  exported("tracking_numbers", "code", "Tracking numbers of its parcels, separated by spaces.", "1Z999AA10123456784"),
  exported("carrier", "text", "The carrier of its first parcel.", "ups"),
  exported("service", "text", "The carrier's service.", "ground"),
  exported("created_at", "text", "When it was created.", "2026-07-01T09:30:00.000Z"),
  exported("shipped_at", "text", "When the last of it shipped.", "2026-07-02T15:00:00.000Z"),
  exported("delivered_at", "text", "When the last of it arrived.", "2026-07-04T11:20:00.000Z"),
  exported("cancelled_at", "text", "When it was cancelled.", "2026-07-01T10:00:00.000Z"),
  exported("cancel_reason", "text", "Why it was cancelled.", "customer"),
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
    tags: Type.Optional(textField(1000)),
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
    tags: order.tags.join(","),
  };
}
