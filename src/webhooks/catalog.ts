// What each type of event carries: the schema of its data and an example, from the schemas of the features.
import { type TObject, Type } from "@sinclair/typebox";
import { exampleOf, type Samples } from "../kit/example.ts";
import { closed, nullable } from "../kit/schema.ts";
import { OrderView } from "../orders/schemas.ts";
import type { DomainEvent, EventType } from "../outbox/catalog.ts";
import { ShipmentEventView } from "../tracking/schemas.ts";

/** One type of event as the documentation tells of it. */
export interface EventDescription {
  /** When it happens. */
  readonly summary: string;
  /** The schema of `data`. */
  readonly data: TObject;
  readonly example: DomainEvent["data"];
}

const samples: Samples = {
  id: "ord_1001",
  order_id: "ord_1001",
  order_number: "SO-1001",
  customer_id: "cus_1001",
  "customer.id": "cus_1001",
  shipping_address_id: "adr_1001",
  "line_items.id": "lin_1001",
  "holds.id": "hld_1001",
  "shipments.id": "shp_1001",
  line_id: "lin_1001",
  label_id: "lbl_1001",
  product_id: "prd_1001",
  warehouse_id: "whs_1001",
  email: "ada@example.com",
  name: "Ada Lovelace",
  company: null,
  address_line1: "12 Analytical Way",
  address_line2: null,
  city: "Portland",
  state: "OR",
  postal_code: "97201",
  country: "US",
  phone: null,
  facility: "Portland OR",
  sku: "MILK-1L",
  "line_items.name": "Whole milk, 1 l",
  unit_price: 12.5,
  subtotal: 12.5,
  shipping_amount: 8.5,
  cost: 8.5,
  currency: "USD",
  shipping_method: "standard",
  order_notes: null,
  carrier: "PHX",
  service: "GROUND",
  service_type: "GROUND",
  tracking_number: "PHX1000000016",
  tracking_url: null,
  platform: "api",
  external_id: null,
  held_from: null,
  holds: [],
  returns: [],
  message: "On its way.",
  description: "On its way.",
  status_detail: "On its way.",
  priority: 0,
  backordered_units: 0,
  quantity_backordered: 0,
  quantity_returned: 0,
  quantity_cancelled: 0,
  cancelled_at: null,
  cancel_reason: null,
  metadata: {},
};

const describe = (summary: string, object: string, view: TObject, changed: Samples): EventDescription => {
  const data = Type.Object({ object: Type.Literal(object), ...view.properties }, { additionalProperties: false });
  const example = exampleOf(data, { ...samples, ...changed }) as DomainEvent["data"];
  return { summary, data, example };
};

const order = (summary: string, changed: Samples) => describe(summary, "order", OrderView, changed);

const shipment = (summary: string, changed: Samples) =>
  describe(summary, "shipment", ShipmentEventView, { id: "shp_1001", ...changed });

const FulfilledOrder = closed({
  id: Type.String(),
  order_number: Type.String(),
  status: Type.Literal("fulfilled"),
  customer: closed({ email: Type.String(), name: Type.String() }),
  shipment: closed({
    tracking_number: nullable(Type.String()),
    carrier: nullable(Type.String()),
    service: nullable(Type.String()),
  }),
  fulfilled_at: nullable(Type.String({ format: "date-time" })),
});

const nothingYet = { shipments: [], processing_at: null, fulfilled_at: null, shipped_at: null, delivered_at: null };
const untouched = { quantity_picked: 0, quantity_packed: 0, quantity_shipped: 0, quantity_delivered: 0 };

/** The types of events that can happen, in the order the documentation lists them. */
export const eventDescriptions: Readonly<Partial<Record<EventType, EventDescription>>> = {
  "order.created": order("An order was taken.", {
    ...{ ...nothingYet, ...untouched, status: "pending", fulfillment_status: "unfulfilled" },
    allowed_actions: ["process", "cancel", "hold"],
  }),
  "order.fulfilled": describe("Every open unit of an order was packed.", "order", FulfilledOrder, {}),
  "order.shipped": order("An order was handed to its carrier.", {
    ...{ status: "shipped", fulfillment_status: "shipped", quantity_delivered: 0, delivered_at: null },
    allowed_actions: ["deliver"],
  }),
  "order.delivered": order("An order reached its customer.", {
    ...{ status: "delivered", fulfillment_status: "delivered", allowed_actions: [] },
  }),
  "order.cancelled": order("An order was cancelled.", {
    ...{ ...nothingYet, ...untouched, status: "cancelled", fulfillment_status: "unfulfilled", allowed_actions: [] },
    ...{ cancelled_at: "2026-01-31T12:00:00.000Z", cancel_reason: "customer_request", quantity_cancelled: 1 },
  }),
  "shipment.created": shipment("A label was bought.", { status: "pending", shipped_at: null, delivered_at: null }),
  "shipment.tracking_updated": shipment("The tracking status of a parcel changed.", { delivered_at: null }),
  "shipment.in_transit": shipment("A parcel is on its way.", { delivered_at: null }),
  "shipment.delivered": shipment("A parcel was delivered.", {}),
  "shipment.exception": shipment("Something went wrong with a parcel on its way.", { delivered_at: null }),
};
