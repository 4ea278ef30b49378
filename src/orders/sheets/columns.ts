import { type Static, Type } from "@sinclair/typebox";
import { addressFields, emailField } from "../../customers/schemas.ts";
import { closed, nullable, textField } from "../../kit/schema.ts";
import type { Column } from "../../kit/sheet.ts";
import { type Order, orderView } from "../order.ts";
import { changeable, chosen, Line, order_number } from "../schemas.ts";

/** The columns of a file of orders: one row for each line, the order's own fields in each of them. */
export const orderColumns: readonly Column[] = [
  { name: "order_number", path: ["order_number"], kind: "text" },
  { name: "status", path: ["status"], kind: "text" },
  { name: "customer_email", path: ["customer_email"], kind: "text" },
  { name: "customer_name", path: ["customer_name"], kind: "text" },
  { name: "ship_to", path: ["shipping_address", "name"], kind: "text" },
  { name: "address_line1", path: ["shipping_address", "address_line1"], kind: "text" },
  { name: "address_line2", path: ["shipping_address", "address_line2"], kind: "text" },
  { name: "city", path: ["shipping_address", "city"], kind: "text" },
  { name: "state", path: ["shipping_address", "state"], kind: "text" },
  { name: "postal_code", path: ["shipping_address", "postal_code"], kind: "text" },
  { name: "country", path: ["shipping_address", "country"], kind: "text" },
  { name: "phone", path: ["shipping_address", "phone"], kind: "text" },
  { name: "sku", path: ["sku"], kind: "text" },
  { name: "quantity", path: ["quantity"], kind: "number" },
  { name: "unit_price", path: ["unit_price"], kind: "text" },
  { name: "shipping_method", path: ["shipping_method"], kind: "text" },
  { name: "order_notes", path: ["order_notes"], kind: "text" },
  { name: "requires_cold_storage", path: ["requires_cold_storage"], kind: "boolean" },
  { name: "priority", path: ["priority"], kind: "number" },
  { name: "allow_backorder", path: ["allow_backorder"], kind: "boolean" },
  { name: "warehouse_id", path: ["warehouse_id"], kind: "text" },
  { name: "shipping_amount", path: ["shipping_amount"], kind: "text" },
  { name: "currency", path: ["currency"], kind: "text" },
  { name: "metadata", path: ["metadata"], kind: "json" },
  { name: "fulfillment_status", path: ["fulfillment_status"], kind: "text" },
  { name: "quantity_backordered", path: ["quantity_backordered"], kind: "text" },
  { name: "quantity_shipped", path: ["quantity_shipped"], kind: "text" },
  { name: "quantity_cancelled", path: ["quantity_cancelled"], kind: "text" },
  { name: "tracking_numbers", path: ["tracking_numbers"], kind: "text" },
  { name: "created_at", path: ["created_at"], kind: "text" },
  { name: "shipped_at", path: ["shipped_at"], kind: "text" },
];

/** What an exported row tells beside what can be taken in: some of it of the order, some of its line. */
export const readOnly: readonly string[] = [
  "fulfillment_status",
  "quantity_backordered",
  "quantity_shipped",
  "quantity_cancelled",
  "tracking_numbers",
  "created_at",
  "shipped_at",
];

/** A row of such a file: a line, and what the order is. An empty cell says nothing; the first row must say it all. */
export const ImportLine = closed(
  {
    order_number,
    status: Type.Optional(Type.String()),
    customer_email: Type.Optional(emailField()),
    customer_name: Type.Optional(textField(200)),
    shipping_address: Type.Optional(nullable(closed(addressFields))),
    sku: textField(100),
    quantity: Line.properties.quantity,
    unit_price: Line.properties.unit_price,
    ...changeable,
    ...chosen,
  },
  readOnly,
);
export type ImportLine = Static<typeof ImportLine>;

/** A row of a file of orders. */
export interface OrderRow {
  readonly order: Order;
  readonly view: ReturnType<typeof orderView>;
  readonly at: number;
}

/** The rows of an order; `now` in milliseconds. */
export function rowsOf(order: Order, now: number): OrderRow[] {
  const view = orderView(order, now);
  return view.line_items.map((_, at) => ({ order, view, at }));
}

/** A row as the columns name its fields. */
export function rowView({ view, at }: OrderRow) {
  const { customer, shipments, line_items, ...order } = view;
  const tracking = shipments.flatMap(({ tracking_number }) => tracking_number ?? []);
  return {
    ...order,
    ...line_items[at],
    customer_email: customer.email,
    customer_name: customer.name,
    tracking_numbers: tracking.join(" "),
  };
}
