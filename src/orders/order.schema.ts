import { type Static, Type } from "@sinclair/typebox";
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
import { Dimensions, handledPack } from "../products/product.schema.ts";
import { OwnerView, ofMerchantUnless } from "../storage/tenant.schema.ts";
import { TagsView, tagsField } from "./changes/tags_and_notes.schema.ts";
import { AllocatedView } from "./fulfillment/stock_plan.schema.ts";
import {
  cancelReasons,
  clientHoldReasons,
  fulfillmentStatuses,
  fulfillmentTypes,
  orderStatuses,
  orderTransitions,
  publicOrderStatuses,
  shortReasons,
  writeOffReasons,
} from "./order.transitions.ts";
import { counted, HoldView, LineView, PrintedView, ShipmentView, textOf, timeOf } from "./order_parts.schema.ts";
import { DecidedByView, ShippingChoiceField, ShippingChoiceView } from "./shipping_rules/shipping_choice.schema.ts";

const lineAmount = (description: string) => moneyField(description, line_amount_max);

export const Line = closed(
  {
    product_id: Type.Optional(idField("product", "The product, such as `prd_1001`. Required unless `sku` is sent.")),
    sku: Type.Optional(
      textField(100, { description: "The SKU, instead of `product_id`. If both are sent, they must agree." }),
    ),
    quantity: quantityField("The units to ship; for a bundle, the number of sets."),
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
const linesField = (description: string) => Type.Array(Line, { minItems: 1, maxItems: 500, description });

export const order_number = Type.String({
  maxLength: 100,
  pattern: `^(?!ord_[0-9]+$)${code_pattern}$`,
  hint: "must be 1 to 100 visible characters, without a space at either end, and not of the form ord_1042",
  description: "Your own number for the order, unique within the merchant. It may not look like an id (`ord_1042`).",
});
const priority = Type.Integer({
  minimum: -1_000_000,
  maximum: 1_000_000,
  description: "Higher is served first when stock is short. Default: 0.",
});

const method_text = "How the buyer wants it shipped, as free text. Shipping rules can compare it.";
const code_text = "The shop's own code of the shipping method. Shipping rules compare it like the text.";
const notes_text = "Internal notes. The buyer sees them only if a packing slip is printed with `notes=true`.";
const packing_text = "A note for the people who pack it. The buyer does not see it.";
const choice_text =
  "The service that is to ship it, its carton and insurance. Parts that are sent are never changed by shipping rules;" +
  " null hands all parts back to them.";
const cold_text = "If true, only stock in refrigerated or frozen zones is allocated.";

export const changeable = {
  shipping_method: Type.Optional(nullable(textField(200, { description: method_text }))),
  shipping_method_code: Type.Optional(nullable(textField(200, { description: code_text }))),
  order_notes: Type.Optional(nullable({ ...notesField(), description: notes_text })),
  packing_note: Type.Optional(nullable({ ...notesField(500), description: packing_text })),
  shipping_choice: Type.Optional(nullable({ ...ShippingChoiceField, description: choice_text })),
  tags: Type.Optional(tagsField),
  requires_cold_storage: Type.Optional(Type.Boolean({ description: cold_text })),
  priority: Type.Optional(priority),
  metadata: Type.Optional(metadataField()),
};

const type_text =
  "Whether its parcels are shipped, or its buyer collects it. A `pickup` order is picked and packed, gets no label," +
  " and ends with `deliver`.";

export const chosen = {
  fulfillment_type: Type.Optional(choice(fulfillmentTypes, { description: `${type_text} Default: \`ship\`.` })),
  shipping_amount: Type.Optional(moneyField("What the buyer pays for shipping. Default: 0.")),
  currency: Type.Optional(currencyField("The currency of all amounts, as an ISO 4217 code. Default: `USD`.")),
  allow_backorder: Type.Optional(
    Type.Boolean({ description: "If false, the order is refused when stock is short. Default: true." }),
  ),
  warehouse_id: Type.Optional(
    nullable(idField("warehouse", "The only warehouse that may ship it. Null or absent: any warehouse.")),
  ),
};

const fixed = (noun: string) => `Cannot be changed: only the order's own ${noun} is accepted.`;

const readOnly = [
  "merchant_id",
  "id",
  "held_from",
  "decided_by",
  "fulfillment_status",
  "customer",
  "shipping_address",
  "holds",
  "shipments",
  "returns",
  "printed",
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
    customer_id: idField("customer", "The buyer, such as `cus_1001`. The order belongs to the same merchant."),
    shipping_address_id: idField("address", "An address of that customer, copied into `shipping_address`."),
    line_items: linesField("The products to ship. Several lines may have the same product."),
    ...changeable,
    ...chosen,
    reservation_id: Type.Optional(idField("reservation", "An earlier reservation that the order takes over.")),
  },
  [...readOnly, "status"],
);
export type CreateOrder = Static<typeof CreateOrder>;

// Fields that can be sent back but not changed are read, so that another value is refused and not ignored.
export const UpdateOrder = closed(
  {
    order_number: Type.Optional(Type.String({ maxLength: 200, description: fixed("number") })),
    customer_id: Type.Optional(idField("customer", fixed("customer"))),
    status: Type.Optional(
      Type.String({ maxLength: 200, description: `${fixed("status")} Actions such as \`/hold\` change it.` }),
    ),
    shipping_address_id: Type.Optional(
      idField(
        "address",
        "Another address of the customer. During a `bad_address` hold, the same one copies its correction.",
      ),
    ),
    line_items: Type.Optional(
      linesField("All lines of the order, replacing the present ones. Stock is reserved again."),
    ),
    ...changeable,
    shipping_amount: Type.Optional(moneyField(fixed("shipping amount"))),
    currency: Type.Optional(currencyField(fixed("currency"))),
    allow_backorder: Type.Optional(Type.Boolean({ description: fixed("setting") })),
    fulfillment_type: Type.Optional(choice(fulfillmentTypes, { description: fixed("type") })),
    warehouse_id: Type.Optional(nullable(idField("warehouse", fixed("warehouse")))),
  },
  readOnly,
);
export type UpdateOrder = Static<typeof UpdateOrder>;

export const HoldOrder = closed({
  reason: Type.Optional(
    choice(clientHoldReasons, {
      description: "Why it is held. An order has at most one hold per reason. Default: `manual`.",
    }),
  ),
  note: Type.Optional(nullable({ ...notesField(), description: "Details, shown with the hold and in the history." })),
  hold_until: Type.Optional(
    nullable(momentField("When the hold ends automatically: a time in the future. Null: only when it is released.")),
  ),
  reserve_inventory: Type.Optional(
    Type.Boolean({ description: "If false, reserved stock is given up while the order is held. Default: true." }),
  ),
});
export type HoldOrder = Static<typeof HoldOrder>;

export const ReleaseOrder = closed({
  hold_id: Type.Optional(idField("hold", "Lifts only this hold, such as `hld_1001`. Default: all holds of clients.")),
});
export type ReleaseOrder = Static<typeof ReleaseOrder>;

const whyCancelled = {
  reason: Type.Optional(choice(cancelReasons, { description: "Why it is cancelled. Default: `other`." })),
  note: Type.Optional(textField(500, { description: "Details for the order's history." })),
};

export const CancelOrder = closed({ ...whyCancelled, ...dryRunField });
export type CancelOrder = Static<typeof CancelOrder>;

/** The fields of an item that names units of an order. */
export const itemFields = (quantity: string) => ({
  line_id: Type.Optional(idField("order_line", "The order line. Required unless `sku` is sent.")),
  sku: Type.Optional(textField(100, { description: "The SKU of the line, instead of `line_id`." })),
  quantity: quantityField(quantity),
});

export const CancelItems = closed({
  items: Type.Array(closed(itemFields("The units to cancel. They must not have shipped.")), {
    minItems: 1,
    maxItems: 500,
    description: "The lines, and how many units of each to cancel.",
  }),
  ...whyCancelled,
});
export type CancelItems = Static<typeof CancelItems>;

export const SplitOrder = closed({
  items: Type.Array(closed(itemFields("The units to move. They must not be picked or in a parcel.")), {
    minItems: 1,
    maxItems: 500,
    description: "What moves to the new order. At least one unit must stay.",
  }),
  order_number: Type.Optional({
    ...order_number,
    description: "The number of the new order. Default: `<number>-2`, or the next that is free.",
  }),
});
export type SplitOrder = Static<typeof SplitOrder>;

const partial = Type.Optional(
  Type.Boolean({
    description: "If true, backordered units are left for later. If false, they refuse the action. Default: false.",
  }),
);

const PickItem = closed({
  ...itemFields("The units picked or, with `short`, not found. For a bundle, sets."),
  lot_number: Type.Optional(textField(100, { description: "The lot picked, if it is not the planned one." })),
  bin: Type.Optional(textField(100, { description: "The bin picked from, if it is not the planned one." })),
  pack: handledPack,
  short: Type.Optional(
    Type.Boolean({
      description: "If true, these units were not found. Other stock takes their place, or they are backordered.",
    }),
  ),
  reason: Type.Optional(
    choice(shortReasons, {
      description: `Required with \`short\`. ${writeOffReasons.join(", ")} write the units off; others free them.`,
    }),
  ),
});

export const PickOrder = closed({
  items: Type.Optional(
    Type.Array(PickItem, {
      minItems: 1,
      maxItems: 500,
      description: "What was picked, and what was not found. Default: everything reserved, as planned.",
    }),
  ),
  partial,
});
export type PickOrder = Static<typeof PickOrder>;

// A lower number is not written as decimal text (1e-7), and no scale shows it.
const least_weight = 0.000_001;

const PackedParcel = closed({
  items: Type.Array(closed(itemFields("The units in this parcel.")), {
    minItems: 1,
    maxItems: 500,
    description: "The contents of the parcel.",
  }),
  name: Type.Optional(nullable(textField(100, { description: "The packaging, such as `Box M`." }))),
  weight: Type.Optional(
    nullable(
      Type.Number({
        minimum: least_weight,
        maximum: 1_000_000,
        description: "The weight of the packed parcel, in `weight_unit`.",
      }),
    ),
  ),
  weight_unit: Type.Optional(nullable(weightUnitField("Default: lb."))),
  dimensions: Type.Optional(nullable({ ...Dimensions, description: "The outer dimensions of the parcel." })),
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
  carrier: Type.Optional(nullable(textField(100, { description: "The carrier, for a parcel without a label." }))),
  service: Type.Optional(
    nullable(textField(100, { description: "The carrier's service, for a parcel without a label." })),
  ),
  tracking_number: Type.Optional(
    nullable(
      textField(100, { description: "The tracking number, for a parcel without a label. With one, one parcel ships." }),
    ),
  ),
  partial,
});
export type ShipOrder = Static<typeof ShipOrder>;

export const DeliverOrder = closed({
  shipment_id: Type.Optional(idField("shipment", "Only this parcel. Default: all that have shipped.")),
});
export type DeliverOrder = Static<typeof DeliverOrder>;

export const NoFields = closed({});

const actions = choice(actionsIn(orderTransitions));

const ship_date_text =
  "The day on which it should ship, or shipped. Null while backordered, held without an end, or if cancelled.";

const orderView = {
  id: Type.String(),
  merchant_id: OwnerView,
  order_number: Type.String(),
  status: choice(publicOrderStatuses, {
    description: "`on_hold` while a hold is open; then `held_from` has its progress.",
  }),
  held_from: nullable(choice(orderStatuses, { description: "The status to which a release returns it, or null." })),
  fulfillment_status: choice(fulfillmentStatuses, { description: "The progress of its units that are not cancelled." }),
  customer_id: Type.String(),
  customer: {
    ...closed({
      id: Type.String({ description: "The customer, such as `cus_1001`." }),
      email: Type.String(),
      name: Type.String({ description: "First and last name." }),
    }),
    description: "The buyer.",
  },
  shipping_address_id: Type.String({ description: "The customer's address from which `shipping_address` was copied." }),
  shipping_address: {
    ...closed({
      ...recipientFields,
      is_verified: Type.Boolean({ description: "Whether its last check passed." }),
      verification: { ...VerificationView, description: "Its last check; null if it was never checked." },
    }),
    description: "A copy of the customer's address. Later changes of the customer do not affect it.",
  },
  line_items: Type.Array(LineView, { description: "The ordered products and the progress of each." }),
  fulfillment_type: choice(fulfillmentTypes, { description: type_text }),
  shipping_method: textOf(method_text),
  shipping_method_code: textOf(code_text),
  order_notes: textOf(notes_text),
  packing_note: textOf(packing_text),
  shipping_choice: nullable({
    ...ShippingChoiceView,
    description: "How it is to be shipped, as rates and labels choose it; null if nothing was chosen.",
  }),
  decided_by: Type.Array(DecidedByView, {
    description: "The fields that shipping rules decide, and what decided each.",
  }),
  tags: TagsView,
  requires_cold_storage: Type.Boolean({ description: cold_text }),
  priority: Type.Integer({ description: "Higher is served first when stock is short; 0 by default." }),
  allow_backorder: Type.Boolean({ description: "Whether units without stock may wait as backorders." }),
  warehouse_id: textOf("The only warehouse that may ship it; null for any."),
  printed: PrintedView,
  holds: Type.Array(HoldView, { description: "The open holds, oldest first." }),
  shipments: Type.Array(ShipmentView, { description: "The parcels, oldest first, including voided ones." }),
  returns: Type.Array(Type.String(), { description: "The ids of its returns." }),
  subtotal: Type.Number({ description: "The cost of the units that are not cancelled." }),
  shipping_amount: Type.Number({ description: "What the buyer pays for shipping. `subtotal` does not include it." }),
  currency: Type.String(),
  allocation: { ...AllocatedView, description: "Whether all of its units have stock." },
  estimated_ship_date: nullable({ ...Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" }), description: ship_date_text }),
  ship_by: Type.Union([Timestamp, Type.Null()], {
    description:
      "The cut-off on the day on which it was expected to ship when it was placed. Later events do not change it." +
      " Null if it is cancelled or imported.",
  }),
  source: {
    ...closed({
      platform: Type.String({ description: "`api`, or the platform, such as `shopify`." }),
      external_id: textOf("The platform's id of the order; null unless it came from one."),
    }),
    description: "Where the order came from.",
  },
  imported: Type.Boolean({
    description: "True for a past order that was imported from another system. It never affected stock here.",
  }),
  metadata: metadataField(),
  warnings: WarningsView,
  allowed_actions: Type.Array(actions, { description: "The actions that the order allows now." }),
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
  processing_at: timeOf("When work on it began; null until then."),
  fulfilled_at: timeOf("When its last open unit was packed; null until then."),
  shipped_at: timeOf("When the last of it left the warehouse; null until then."),
  delivered_at: timeOf("When its last parcel arrived; null until then."),
  cancelled_at: timeOf("When it was cancelled; null if it was not."),
  cancel_reason: nullable(choice(cancelReasons, { description: "Why it was cancelled; null if it was not." })),
};

export const OrderView = closed(orderView);

const previewed = {
  ...orderView,
  id: newId,
  line_items: Type.Array(previewOf(LineView), { description: "The lines, including new ones." }),
  holds: Type.Array(previewOf(HoldView), { description: "The holds that would be open." }),
  shipments: Type.Array(previewOf(ShipmentView), { description: "The parcels, including new ones." }),
};

/** An order in a dry run, which may create it, or lines, holds and parcels of it. */
export const OrderPreview = closed(previewed);

/** The order that was split, and the new order. */
export const SplitView = closed({ ...orderView, split_off: { ...OrderView, description: "The new order." } });
export const SplitPreview = closed({
  ...previewed,
  split_off: { ...OrderPreview, description: "The order that would be created." },
});

/** The order after a release. System holds stay until their cause is gone; `holds` lists them. */
export const ReleasedOrderView = closed({
  ...orderView,
  still_on_hold: Type.Boolean({ description: "Whether a hold is left, listed in `holds`." }),
});
