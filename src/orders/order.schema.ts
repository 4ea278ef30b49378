import { type Static, type TInteger, Type } from "@sinclair/typebox";
import { recipientFields, VerificationView, WarningsView } from "../addresses/address.schema.ts";
import {
  choice,
  closed,
  code_pattern,
  currencyField,
  dryRunField,
  idField,
  line_amount_max,
  metadataField,
  momentField,
  moneyField,
  newId,
  notesField,
  nullable,
  previewOf,
  quantityField,
  Timestamp,
  textField,
  weightUnitField,
} from "../core/schema.ts";
import { actionsIn } from "../core/transitions.ts";
import { Dimensions } from "../products/product.schema.ts";
import { OwnerView, ofMerchantUnless } from "../storage/tenant.schema.ts";
import {
  cancelReasons,
  clientHoldReasons,
  fulfillmentStatuses,
  holdReasons,
  orderStatuses,
  orderTransitions,
  publicOrderStatuses,
  shipmentStatuses,
  shortReasons,
  writeOffReasons,
} from "./order.transitions.ts";

const before_shipping_note = ["reserved", "backordered", "picked", "packed"] as const;
const counted = [...before_shipping_note, "shipped", "delivered", "returned", "cancelled"] as const;
type Counters = { [Word in (typeof counted)[number] as `quantity_${Word}`]: TInteger };

const lineAmount = (description: string) => moneyField(description, line_amount_max);

export const Line = closed(
  {
    product_id: Type.Optional(idField("product")),
    sku: Type.Optional(textField(100, { description: "Instead of `product_id`." })),
    quantity: quantityField(),
    unit_price: Type.Optional(lineAmount("The price of one unit. Required unless only `line_total` is sent.")),
    discount_amount: Type.Optional(lineAmount("The discount on all units together, off `unit_price` × `quantity`.")),
    line_total: Type.Optional(
      lineAmount(
        "The cost of all units: `unit_price` × `quantity` minus `discount_amount`. Given alone, the unit price is" +
          " the lowest whole-cent price that covers it. Parts of a line cost their share, rounded to the cent so" +
          " that all parts add up to the total.",
      ),
    ),
  },
  ["id", "name", "components", ...counted.map((word) => `quantity_${word}`)],
);
const Lines = Type.Array(Line, { minItems: 1, maxItems: 500 });

export const order_number = Type.String({
  maxLength: 100,
  pattern: `^(?!ord_[0-9]+$)${code_pattern}$`,
  hint: "must be 1 to 100 visible characters, without a space at either end, and not of the form ord_1042",
});
const priority = Type.Integer({
  minimum: -1_000_000,
  maximum: 1_000_000,
  description: "Higher is served first when stock is short.",
});

export const changeable = {
  shipping_method: Type.Optional(nullable(textField(200))),
  order_notes: Type.Optional(nullable(notesField())),
  requires_cold_storage: Type.Optional(Type.Boolean()),
  priority: Type.Optional(priority),
  metadata: Type.Optional(metadataField()),
};

export const chosen = {
  shipping_amount: Type.Optional(moneyField()),
  currency: Type.Optional(currencyField()),
  allow_backorder: Type.Optional(Type.Boolean()),
  warehouse_id: Type.Optional(nullable(idField("warehouse"))),
};

const readOnly = [
  "merchant_id",
  "id",
  "held_from",
  "fulfillment_status",
  "customer",
  "shipping_address",
  "holds",
  "shipments",
  "returns",
  "subtotal",
  "allocation",
  "estimated_ship_date",
  "ship_by",
  "source",
  "imported",
  "warnings",
  "allowed_actions",
  "revision",
  "created_at",
  "updated_at",
  "processing_at",
  "fulfilled_at",
  "shipped_at",
  "delivered_at",
  "cancelled_at",
  "cancel_reason",
];

export const CreateOrder = closed(
  {
    ...ofMerchantUnless("the customer"),
    order_number,
    customer_id: idField("customer"),
    shipping_address_id: idField("address"),
    line_items: Lines,
    ...changeable,
    ...chosen,
    reservation_id: Type.Optional(idField("reservation", "An earlier reservation that this order takes over.")),
  },
  [...readOnly, "status"],
);
export type CreateOrder = Static<typeof CreateOrder>;

// Fields that can be sent back but not changed are read, so that another value is refused and not ignored.
export const UpdateOrder = closed(
  {
    order_number: Type.Optional(Type.String({ maxLength: 200 })),
    customer_id: Type.Optional(idField("customer")),
    status: Type.Optional(Type.String({ maxLength: 200 })),
    shipping_address_id: Type.Optional(idField("address")),
    line_items: Type.Optional(Lines),
    ...changeable,
    ...chosen,
  },
  readOnly,
);
export type UpdateOrder = Static<typeof UpdateOrder>;

export const HoldOrder = closed({
  reason: Type.Optional(choice(clientHoldReasons)),
  note: Type.Optional(nullable(notesField())),
  hold_until: Type.Optional(nullable(momentField("The hold ends automatically at this time."))),
  reserve_inventory: Type.Optional(
    Type.Boolean({ description: "If false, the stock is released while the order is held." }),
  ),
});
export type HoldOrder = Static<typeof HoldOrder>;

export const ReleaseOrder = closed({ hold_id: Type.Optional(idField("hold", "Only this hold. Default: all holds.")) });
export type ReleaseOrder = Static<typeof ReleaseOrder>;

const whyCancelled = {
  reason: Type.Optional(choice(cancelReasons)),
  note: Type.Optional(textField(500)),
};

export const CancelOrder = closed({ ...whyCancelled, ...dryRunField });
export type CancelOrder = Static<typeof CancelOrder>;

const item = {
  line_id: Type.Optional(idField("order_line")),
  sku: Type.Optional(textField(100, { description: "Instead of `line_id`." })),
  quantity: quantityField(),
};

export const CancelItems = closed({
  items: Type.Array(closed(item), { minItems: 1, maxItems: 500 }),
  ...whyCancelled,
});
export type CancelItems = Static<typeof CancelItems>;

export const SplitOrder = closed({
  items: Type.Array(closed(item), { minItems: 1, maxItems: 500, description: "The units that move to a new order." }),
  order_number: Type.Optional(order_number),
});
export type SplitOrder = Static<typeof SplitOrder>;

const partial = Type.Optional(Type.Boolean({ description: "If true, backordered units are left for later." }));

const PickItem = closed({
  ...item,
  lot_number: Type.Optional(textField(100)),
  bin: Type.Optional(textField(100)),
  short: Type.Optional(
    Type.Boolean({
      description: "If true, these units were not found. Others are planned in their place or backordered.",
    }),
  ),
  reason: Type.Optional(
    choice(shortReasons, {
      description: `Why it is short. ${writeOffReasons.join(", ")} write the units off; others release them.`,
    }),
  ),
});

export const PickOrder = closed({
  items: Type.Optional(Type.Array(PickItem, { minItems: 1, maxItems: 500 })),
  partial,
});
export type PickOrder = Static<typeof PickOrder>;

// A lower number is not written as decimal text (1e-7), and no scale shows it.
const least_weight = 0.000_001;

const PackedParcel = closed({
  items: Type.Array(closed(item), { minItems: 1, maxItems: 500 }),
  name: Type.Optional(nullable(textField(100, { description: "The packaging, such as a box of a certain size." }))),
  weight: Type.Optional(
    nullable(Type.Number({ minimum: least_weight, maximum: 1_000_000, description: "The measured weight." })),
  ),
  weight_unit: Type.Optional(nullable(weightUnitField("Default: lb."))),
  dimensions: Type.Optional(nullable(Dimensions)),
});

export const PackOrder = closed({
  packages: Type.Optional(
    Type.Array(PackedParcel, {
      minItems: 1,
      maxItems: 100,
      description: "The contents of each parcel. Without it, all open units are packed.",
    }),
  ),
  partial,
});
export type PackOrder = Static<typeof PackOrder>;

export const ShipOrder = closed({
  shipment_id: Type.Optional(
    idField("shipment", "Only this parcel. Default: the oldest, or all if none has a tracking number."),
  ),
  carrier: Type.Optional(nullable(textField(100))),
  service: Type.Optional(nullable(textField(100))),
  tracking_number: Type.Optional(nullable(textField(100))),
  partial,
});
export type ShipOrder = Static<typeof ShipOrder>;

export const DeliverOrder = closed({
  shipment_id: Type.Optional(idField("shipment", "Only this parcel. Default: all that have shipped.")),
});
export type DeliverOrder = Static<typeof DeliverOrder>;

export const NoFields = closed({});

const LineView = closed({
  id: Type.String(),
  product_id: Type.String(),
  sku: Type.String(),
  name: Type.String(),
  components: Type.Optional(
    Type.Array(closed({ sku: Type.String(), quantity: Type.Integer() }), {
      description: "For a bundle: the components of one set when it was ordered.",
    }),
  ),
  quantity: Type.Integer(),
  unit_price: Type.Number(),
  discount_amount: Type.Number(),
  line_total: Type.Number({ description: "The cost of all ordered units, including cancelled ones." }),
  ...(Object.fromEntries(counted.map((word) => [`quantity_${word}`, Type.Integer()])) as unknown as Counters),
});

const HoldView = closed({
  id: Type.String(),
  reason: choice(holdReasons, {
    description:
      "The last six are set by the system. `unknown_sku` ends when every product of the order is active, " +
      "`bad_address` when its address or the customer's is corrected, or another one is chosen.",
  }),
  note: nullable(Type.String()),
  hold_until: nullable(Timestamp),
  reserve_inventory: Type.Boolean(),
  lifted_by: choice(["release", "cause"]),
  created_at: Timestamp,
});

export const ShipmentView = closed({
  id: Type.String(),
  status: choice(shipmentStatuses),
  carrier: nullable(Type.String()),
  service: nullable(Type.String()),
  tracking_number: nullable(Type.String()),
  tracking_url: nullable(Type.String()),
  items: Type.Array(closed({ line_id: Type.String(), sku: Type.String(), quantity: Type.Integer() })),
  created_at: Timestamp,
  shipped_at: nullable(Timestamp),
  delivered_at: nullable(Timestamp),
});

const actions = choice(actionsIn(orderTransitions));

const orderView = {
  id: Type.String(),
  merchant_id: OwnerView,
  order_number: Type.String(),
  status: choice(publicOrderStatuses),
  held_from: nullable(choice(orderStatuses)),
  fulfillment_status: choice(fulfillmentStatuses),
  customer_id: Type.String(),
  customer: closed({ id: Type.String(), email: Type.String(), name: Type.String() }),
  shipping_address_id: Type.String(),
  shipping_address: closed({
    ...recipientFields,
    is_verified: Type.Boolean(),
    verification: VerificationView,
  }),
  line_items: Type.Array(LineView),
  shipping_method: nullable(Type.String()),
  order_notes: nullable(Type.String()),
  requires_cold_storage: Type.Boolean(),
  priority: Type.Integer(),
  allow_backorder: Type.Boolean(),
  warehouse_id: nullable(Type.String()),
  holds: Type.Array(HoldView),
  shipments: Type.Array(ShipmentView),
  returns: Type.Array(Type.String()),
  subtotal: Type.Number({ description: "The cost of the units that are not cancelled." }),
  shipping_amount: Type.Number(),
  currency: Type.String(),
  allocation: closed({ complete: Type.Boolean(), backordered_units: Type.Integer() }),
  estimated_ship_date: nullable(Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" })),
  ship_by: Type.Union([Timestamp, Type.Null()], {
    description:
      "The ship-by time: the cut-off on the day that the order was expected to ship when it was placed. Later events" +
      " do not change it.",
  }),
  source: closed({ platform: Type.String(), external_id: nullable(Type.String()) }),
  imported: Type.Boolean({
    description: "True for a past order that was imported from another system. It never affected stock here.",
  }),
  metadata: metadataField(),
  warnings: WarningsView,
  allowed_actions: Type.Array(actions),
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
  processing_at: nullable(Timestamp),
  fulfilled_at: nullable(Timestamp),
  shipped_at: nullable(Timestamp),
  delivered_at: nullable(Timestamp),
  cancelled_at: nullable(Timestamp),
  cancel_reason: nullable(choice(cancelReasons)),
};

export const OrderView = closed(orderView);

const previewed = {
  ...orderView,
  id: newId,
  line_items: Type.Array(previewOf(LineView)),
  holds: Type.Array(previewOf(HoldView)),
  shipments: Type.Array(previewOf(ShipmentView)),
};

/** An order in a dry run, which may create it, or lines, holds and parcels of it. */
export const OrderPreview = closed(previewed);

/** The order that was split, and the new order. */
export const SplitView = closed({ ...orderView, split_off: OrderView });
export const SplitPreview = closed({ ...previewed, split_off: OrderPreview });

/** The order after a release. System holds stay until their cause is gone; `holds` lists them. */
export const ReleasedOrderView = closed({ ...orderView, still_on_hold: Type.Boolean() });

export const TransitionsView = Type.Array(
  closed({
    action: actions,
    outcome: Type.String({
      description:
        "The outcome of the action: its own name if everything is done, another one if units or parcels remain, such" +
        " as `ship_part`.",
    }),
    from: Type.Array(choice(orderStatuses)),
    to: Type.Union([choice(orderStatuses), Type.Null()], { description: "Null: the status does not change." }),
    while_held: Type.Boolean(),
    event: nullable(Type.String()),
  }),
);

const orders_max = 500;

/** The body of a bulk request. Its orders are checked one by one, so that a bad one does not affect the others. */
export const CreateOrders = closed({ orders: Type.Array(Type.Unknown(), { minItems: 1, maxItems: orders_max }) });
export type CreateOrders = Static<typeof CreateOrders>;

/** The same body as the reference shows it. */
export const DocumentedCreateOrders = closed({
  orders: Type.Array(CreateOrder, { minItems: 1, maxItems: orders_max }),
});

const Problem = closed({ field: Type.String(), code: Type.String(), message: Type.String(), pointer: Type.String() });

const ErrorView = Type.Object({
  type: Type.String(),
  code: Type.String(),
  message: Type.String(),
  details: Type.Array(Problem, { description: "Every invalid field of this order." }),
  doc_url: Type.String(),
});

export const CreatedOrdersView = closed({
  created: Type.Integer(),
  failed: Type.Integer(),
  results: Type.Array(
    closed({
      index: Type.Integer({ description: "The position of the order in the request, from 0." }),
      status: Type.Integer({ description: "The status that `POST /orders` would have returned." }),
      data: Type.Optional(OrderView),
      error: Type.Optional(ErrorView),
    }),
    { description: "One for each order, in the order of the request." },
  ),
});
