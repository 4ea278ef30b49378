import { type Static, Type } from "@sinclair/typebox";
import {
  choice,
  closed,
  idField,
  momentField,
  nullable,
  pageFields,
  several,
  Timestamp,
  textField,
  timeFields,
} from "../../core/schema.ts";
import { actionsIn } from "../../core/transitions.ts";
import { OwnerView } from "../../storage/tenant.schema.ts";
import {
  fulfillmentTypes,
  holdReasons,
  orderStatuses,
  orderTransitions,
  publicOrderStatuses,
  shipmentStatuses,
} from "../order.transitions.ts";

const many = (description: string) => Type.Integer({ minimum: 0, description });
const textOf = (description: string) => nullable(Type.String({ description }));

const status_counts: Readonly<Record<(typeof publicOrderStatuses)[number], string>> = {
  pending: "Work has not begun.",
  processing: "Being picked or packed.",
  fulfilled: "Packed, not shipped.",
  shipped: "Shipped, not all of it delivered.",
  delivered: "All parcels delivered.",
  cancelled: "Cancelled as a whole.",
  on_hold: "Held, whatever their progress.",
};

export const OrderCountsView = closed({
  total: many("All orders."),
  statuses: Type.Object(
    Object.fromEntries(publicOrderStatuses.map((status) => [status, many(status_counts[status])])),
    { additionalProperties: false, description: "Orders by public status; they add up to `total`." },
  ),
  short: many("Orders with backordered units, as listed by `short=true`."),
  late: many("Orders that have not shipped by their `ship_by`, as listed by `late=true`."),
});

export const ListHistory = closed({ ...pageFields, ...timeFields("created") });
export type ListHistory = Static<typeof ListHistory>;

export const HistoryView = closed({
  id: Type.String(),
  event: Type.String({
    description: "What happened, such as `create`, `pick` or `backordered`. New ones may be added.",
  }),
  from_status: textOf("The public status before; null for the creation."),
  to_status: Type.String({ description: "The public status after it." }),
  reason: textOf("The reason of a hold, release, cancellation or short pick; null for most other events."),
  note: textOf("Details, such as the changed fields or the units concerned."),
  actor: {
    ...closed({
      type: Type.String({ description: "`api_key`, `user`, `system`, `carrier` or `platform`." }),
      id: Type.String({ description: "The key, user or other actor." }),
      name: Type.String({ description: "The name of the key or user." }),
    }),
    description: "Who did it. Merchants see the operator's people and keys as the warehouse.",
  },
  request_id: textOf("The request that caused it; null if none did."),
  created_at: Timestamp,
});

/** Sort orders of the list of orders. */
export const orderSorts = ["created_at", "-created_at", "updated_at", "-updated_at", "priority"] as const;

/** Filters for orders, in the list and in its CSV. */
const orderFilters = {
  status: Type.Optional(
    several(
      choice(publicOrderStatuses, { description: "Orders in one of these statuses. A held order is only `on_hold`." }),
    ),
  ),
  hold_reason: Type.Optional(
    several(choice(holdReasons, { description: "Orders with an open hold for this reason." })),
  ),
  short: Type.Optional(Type.Boolean({ description: "If true, orders with backordered units; if false, all others." })),
  late: Type.Optional(
    Type.Boolean({ description: "If true, orders that have not shipped by their `ship_by`; if false, all others." }),
  ),
  ship_by_after: Type.Optional(momentField("Orders that have not shipped and whose `ship_by` is this time or later.")),
  ship_by_before: Type.Optional(momentField("Orders that have not shipped and whose `ship_by` is before this time.")),
  customer_id: Type.Optional(several(idField("customer", "Orders of these customers."))),
  sku: Type.Optional(textField(100, { description: "Orders with a line of exactly this SKU." })),
  carrier: Type.Optional(
    several(
      textField(100, {
        description: "Orders with a parcel of this carrier, or that chose it as long as no parcel has a carrier.",
      }),
    ),
  ),
  service: Type.Optional(several(textField(100, { description: "Orders with this service, as with `carrier`." }))),
  one_unit: Type.Optional(
    Type.Boolean({
      description: "If true, orders of exactly one unit; if false, all others. Cancelled units do not count.",
    }),
  ),
  tag: Type.Optional(several(textField(40, { description: "Orders with one of these tags; case does not matter." }))),
  labeled: Type.Optional(
    Type.Boolean({ description: "If true, orders with a label that is not voided; if false, all others." }),
  ),
  printed: Type.Optional(
    Type.Boolean({
      description:
        "If true, labeled orders whose labels have all been printed by `POST /documents`; if false, all others. To" +
        " print: `labeled=true&printed=false`.",
    }),
  ),
  fulfillment_type: Type.Optional(
    several(choice(fulfillmentTypes, { description: "`ship`: orders to be shipped. `pickup`: those buyers collect." })),
  ),
  shipping_method: Type.Optional(textField(200, { description: "Orders with exactly this shipping method." })),
  platform: Type.Optional(
    several(
      textField(100, { description: "Orders from one of these sources, as in `source.platform`: `api`, `shopify`." }),
    ),
  ),
  warehouse_id: Type.Optional(several(idField("warehouse", "Orders that request this warehouse."))),
  order_number: Type.Optional(textField(100, { description: "The order with exactly this number." })),
  ...timeFields("created"),
  ...timeFields("updated"),
  ...timeFields("shipped"),
  imported: Type.Optional(Type.Boolean({ description: "If true, imported past orders; if false, all others." })),
  q: Type.Optional(
    textField(200, {
      description:
        "Words that must all match the order: the beginning of its order number or of the digits at its end, its" +
        " id (`ord_1042`), the beginning of a word of its customer's name, company or email address, of a SKU, of a" +
        " tag, of a note that you may read, or of a tracking number; case does not matter. A tracking number may be" +
        " written in groups. There are no totals when more than 10,000 orders might match; a page may then be short" +
        " although `has_more` is true.",
    }),
  ),
  sort: Type.Optional(
    choice(orderSorts, {
      description: "Default: newest first. `priority`: highest priority first, then oldest.",
    }),
  ),
};

export const ListOrders = closed({ ...pageFields, ...orderFilters });
export type ListOrders = Static<typeof ListOrders>;

export const FilterOrders = closed(orderFilters);
export type FilterOrders = Static<typeof FilterOrders>;

export const UsedTagView = closed({
  merchant_id: OwnerView,
  tag: Type.String({ description: "The tag, in one of the spellings in use." }),
  count: many("The orders of the merchant that have it."),
});

/** The filters of a lot's trace. */
export const recallFilters = timeFields("created", "First units shipped");

export const ListLotRecall = closed({ ...pageFields, ...recallFilters });
export type ListLotRecall = Static<typeof ListLotRecall>;

export const LotRecallView = closed({
  order_id: Type.String(),
  order_number: Type.String(),
  status: choice(publicOrderStatuses, { description: "The present status of the order." }),
  customer: {
    ...closed({ id: Type.String(), email: Type.String(), name: Type.String({ description: "First and last name." }) }),
    description: "The buyer, to be warned in a recall.",
  },
  quantity: many("Units of the lot that shipped with the order."),
  confirmed_quantity: many("Of these, units whose lot was recorded when they were picked."),
  assumed_quantity: many("Of these, units that were assumed to be picked as planned."),
  shipments: Type.Array(
    closed({
      id: Type.String(),
      status: choice(shipmentStatuses, { description: "The present status of the parcel." }),
      carrier: textOf("The carrier; null if unknown."),
      tracking_number: textOf("The carrier's tracking number; null without a label."),
      shipped_at: nullable(Type.String({ format: "date-time", description: "When it left; null if it has not." })),
    }),
    { description: "The parcels that contain the product." },
  ),
  first_shipped_at: Type.String({ format: "date-time", description: "When the first of these units shipped." }),
  last_shipped_at: Type.String({ format: "date-time", description: "When the last of these units shipped." }),
});

/** The transitions of orders, as the table of transitions has them. */
export const TransitionsView = Type.Array(
  closed({
    action: choice(actionsIn(orderTransitions), { description: "The action, as in `allowed_actions`." }),
    outcome: Type.String({
      description:
        "The outcome of the action: its own name if everything is done, another one if units or parcels remain, such" +
        " as `ship_part`.",
    }),
    from: Type.Array(choice(orderStatuses), { description: "The statuses in which the action is allowed." }),
    to: Type.Union([choice(orderStatuses), Type.Null()], {
      description: "The status after it; null if the status does not change.",
    }),
    while_held: Type.Boolean({ description: "Whether it is allowed while the order is on hold." }),
    event: nullable(Type.String({ description: "The event that it emits; null if none." })),
  }),
);
