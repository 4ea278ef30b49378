// The contents of each event type: the schema of its data and an example, from the features' schemas.
import { type TObject, Type } from "@sinclair/typebox";
import { closed, nullable } from "../core/schema.ts";
import { exampleOf, type SampleValues } from "../core/schema_example.ts";
import type { DomainEvent, EventType } from "../events/event_types.ts";
import { ItemView, ReceivedView } from "../inventory/stock/stock.schema.ts";
import { OrderView } from "../orders/order.schema.ts";
import { ReturnView } from "../returns/returns.schema.ts";
import { ShipmentEventView } from "../tracking/tracking.schema.ts";

/** The documentation of an event type. */
export interface EventDescription {
  /** When it happens. */
  readonly summary: string;
  /** The schema of `data`. */
  readonly data: TObject;
  readonly example: DomainEvent["data"];
  /** The schema of `data.previous_attributes` of version 2, and its value in the example. */
  readonly previous: TObject;
  readonly previous_example: Readonly<Record<string, unknown>>;
}

const samples: SampleValues = {
  merchant_id: "mer_1",
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
  rule_id: "rul_1001",
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
  method: "offline",
  errors: [],
  warnings: [],
  suggestion: null,
  po_box: false,
  residential: null,
  components: [],
  return_id: null,
  requires_cold_storage: false,
  facility: "Portland OR",
  sku: "MILK-1L",
  "line_items.name": "Whole milk, 1 l",
  unit_price: 12.5,
  discount_amount: 0,
  line_total: 12.5,
  imported: false,
  subtotal: 12.5,
  shipping_amount: 8.5,
  cost: 8.5,
  currency: "USD",
  shipping_method: "standard",
  shipping_method_code: "STANDARD",
  order_notes: null,
  packing_note: null,
  tags: [],
  carrier: "local",
  service: "standard",
  service_type: "standard",
  tracking_number: "WH000000000001Q",
  tracking_url: null,
  platform: "api",
  external_id: null,
  held_from: null,
  holds: [],
  returns: [],
  message: "On its way.",
  description: "On its way.",
  status_detail: "On its way.",
  signed_by: null,
  "label.status": "completed",
  priority: 0,
  backordered_units: 0,
  quantity_backordered: 0,
  quantity_returned: 0,
  quantity_cancelled: 0,
  cancelled_at: null,
  cancel_reason: null,
  metadata: {},
};

const units: SampleValues = {
  id: "lot_1001",
  name: "Whole milk, 1 l",
  location: "A-01-01",
  "received.location": "A-01-01",
  lot_number: "L-2026-01",
  expiration_date: "2026-04-30T23:59:59.999Z",
  temperature_zone: "refrigerated",
  kind: "storage",
  temperature_range: "2-8 C",
  movement_id: "mov_1001",
  reference: null,
  reason: "received",
  total: 120,
  on_hand: 120,
  available: 110,
  reserved: 10,
  picked: 0,
  incoming: 0,
  backordered: 0,
  quantity: 120,
  quarantined: 0,
  damaged: 0,
  expired: 0,
  short_dated: 0,
  count_pending: 0,
  putback: 0,
  returns: 0,
  reorder_point: 20,
  status: "in_stock",
  "lots.status": "available",
};

const parcel: SampleValues = {
  id: "ret_1001",
  return_id: "ret_1001",
  refund_id: "rfd_1001",
  customer_email: "ada@example.com",
  notes: null,
  amount: 12.5,
  items: 12.5,
  shipping: 0,
  restocking_fee: 0,
  refund_amount: 12.5,
  refund_shipping: false,
  label_url: null,
  tracking_number: "WH000000000002O",
  lot_number: "L-2026-01",
  "items.quantity": 1,
};

/** The object of an event, and the differences of its example from the samples. */
interface EventRecipe {
  readonly object: string;
  readonly view: TObject;
  readonly changed: SampleValues;
}

/** The schema of the previous values, and those of the example. */
interface PreviousExample {
  readonly view: TObject;
  readonly example: Readonly<Record<string, unknown>>;
}

const nothing: PreviousExample = { view: closed({}), example: {} };

const describe = (summary: string, { object, view, changed }: EventRecipe, previous = nothing): EventDescription => {
  const data = Type.Object(
    { object: Type.Literal(object, { description: "The type of the record." }), ...view.properties },
    { additionalProperties: false },
  );
  const example = exampleOf(data, { ...samples, ...changed }) as DomainEvent["data"];
  return { summary, data, example, previous: previous.view, previous_example: previous.example };
};

/** The changed fields of a view. */
const some = (view: TObject, fields: readonly string[]): TObject =>
  Type.Partial(Type.Pick(view, [...fields]), { additionalProperties: false }) as TObject;

const ordered = some(OrderView, ["status", "held_from", "fulfillment_status"]);
const carried = Type.Partial(
  closed({
    status: ShipmentEventView.properties.status,
    tracking: closed({ status: ShipmentEventView.properties.tracking.properties.status }),
  }),
);
const counted = some(ItemView, ["on_hand", "reserved", "available", "total", "backordered", "status"]);
const agreed = some(ReturnView, ["status", "refund_status"]);

const order = (summary: string, changed: SampleValues, had?: SampleValues) =>
  describe(summary, { object: "order", view: OrderView, changed }, had && { view: ordered, example: had });

const shipment = (summary: string, changed: SampleValues, had?: SampleValues) =>
  describe(
    summary,
    { object: "shipment", view: ShipmentEventView, changed: { id: "shp_1001", ...changed } },
    had && { view: carried, example: had },
  );

const stock = (summary: string, view: TObject, changed: SampleValues, had: SampleValues) =>
  describe(
    summary,
    { object: "inventory_item", view, changed: { ...units, ...changed } },
    { view: counted, example: had },
  );

const returned = (summary: string, changed: SampleValues, had?: SampleValues) =>
  describe(
    summary,
    { object: "return", view: ReturnView, changed: { ...parcel, ...changed } },
    had && { view: agreed, example: had },
  );

const FulfilledOrder = closed({
  id: Type.String(),
  order_number: Type.String(),
  status: Type.Literal("fulfilled", { description: "The status after the event." }),
  customer: {
    ...closed({ email: Type.String(), name: Type.String({ description: "First and last name." }) }),
    description: "The buyer.",
  },
  shipment: {
    ...closed({
      tracking_number: nullable(Type.String({ description: "The tracking number on its label." })),
      carrier: nullable(Type.String({ description: "The carrier that sold the label." })),
      service: nullable(Type.String({ description: "The service of that carrier." })),
    }),
    description: "The newest parcel with a valid label. All fields are null if there is none yet.",
  },
  fulfilled_at: nullable(Type.String({ format: "date-time", description: "When the last open unit was packed." })),
});

const nothingYet = { shipments: [], processing_at: null, fulfilled_at: null, shipped_at: null, delivered_at: null };
const untouched = { quantity_picked: 0, quantity_packed: 0, quantity_shipped: 0, quantity_delivered: 0 };

const onItsWay = { status: "shipped", "tracking.status": "in_transit", delivered_at: null };
const beforeShipping = { status: "pending", tracking: { status: "pending" } };

/** All event types, in the order of the documentation. */
export const eventDescriptions: Readonly<Record<EventType, EventDescription>> = {
  "order.created": order("An order was created.", {
    ...nothingYet,
    ...untouched,
    status: "pending",
    fulfillment_status: "unfulfilled",
    allowed_actions: ["process", "cancel", "hold"],
  }),
  "order.fulfilled": describe(
    "Every open unit of an order was packed. It occurs again if the order was unpacked in between.",
    { object: "order", view: FulfilledOrder, changed: {} },
    { view: some(OrderView, ["status"]), example: { status: "processing" } },
  ),
  "order.shipped": order(
    "An order was handed to its carrier.",
    {
      status: "shipped",
      fulfillment_status: "shipped",
      quantity_delivered: 0,
      delivered_at: null,
      allowed_actions: ["deliver"],
    },
    { status: "fulfilled", fulfillment_status: "fulfilled" },
  ),
  "order.delivered": order(
    "An order reached its customer.",
    { status: "delivered", fulfillment_status: "delivered", allowed_actions: [] },
    { status: "shipped", fulfillment_status: "shipped" },
  ),
  "order.cancelled": order(
    "An order was cancelled.",
    {
      ...nothingYet,
      ...untouched,
      status: "cancelled",
      fulfillment_status: "unfulfilled",
      allowed_actions: [],
      cancelled_at: "2026-01-31T12:00:00.000Z",
      cancel_reason: "customer",
      quantity_cancelled: 1,
      quantity_reserved: 0,
    },
    { status: "pending" },
  ),
  "inventory.updated": stock(
    "The units on hand, reserved or available of a SKU changed, in total or in a warehouse.",
    ItemView,
    {},
    { reserved: 9, available: 111 },
  ),
  "inventory.low_stock": stock(
    "The available units of a SKU fell below its reorder point.",
    ItemView,
    { total: 20, on_hand: 20, available: 10, status: "low_stock", quantity: 20 },
    { on_hand: 40, available: 30, total: 40, status: "in_stock" },
  ),
  "inventory.received": stock(
    "Stock was added, or units of a delivery were scanned.",
    ReceivedView,
    {},
    { on_hand: 100, available: 90, total: 100 },
  ),
  "shipment.created": shipment("A label was bought.", {
    status: "pending",
    "tracking.status": "pending",
    shipped_at: null,
    delivered_at: null,
  }),
  "shipment.tracking_updated": shipment("The tracking status of a parcel changed.", onItsWay, beforeShipping),
  "shipment.in_transit": shipment("A parcel is on its way.", onItsWay, beforeShipping),
  "shipment.delivered": shipment(
    "A parcel was delivered.",
    { status: "delivered", "tracking.status": "delivered", signed_by: "A. Lovelace" },
    { status: "shipped", tracking: { status: "out_for_delivery" } },
  ),
  "shipment.exception": shipment(
    "The carrier reported an exception for a parcel.",
    { ...onItsWay, "tracking.status": "exception" },
    { tracking: { status: "in_transit" } },
  ),
  "return.created": returned("A return was announced.", {
    status: "initiated",
    refund_status: "pending",
    quantity_received: 0,
    inspections: [],
    refunds: [],
    received_at: null,
    inspected_at: null,
    completed_at: null,
  }),
  "return.received": returned(
    "Units of a return arrived at the warehouse. They are on hand and cannot be sold before their inspection.",
    {
      status: "received",
      refund_status: "pending",
      "return_shipping.status": "delivered",
      inspections: [],
      refunds: [],
      inspected_at: null,
      completed_at: null,
    },
    { status: "initiated" },
  ),
  "return.processed": returned(
    "A return was refunded and closed.",
    {
      status: "completed",
      refund_status: "refunded",
      "return_shipping.status": "delivered",
      allowed_actions: [],
    },
    { status: "inspected", refund_status: "pending" },
  ),
};
