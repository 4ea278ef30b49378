import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, idField } from "../core/schema.ts";
import { TagOrder, UntagOrder } from "../orders/changes/tags_and_notes.schema.ts";
import { ReopenParcel } from "../orders/fulfillment/undo_steps.schema.ts";
import {
  CancelOrder,
  HoldOrder,
  NoFields,
  OrderPreview,
  OrderView,
  PickOrder,
  ReleaseOrder,
} from "../orders/order.schema.ts";
import { CreateLabel, LabelView, PackageField } from "./labels/labels.schema.ts";
import { RefusalView } from "./shipping.schema.ts";

const orders_max = 500;

const orderActions = [
  "hold",
  "release",
  "tag",
  "untag",
  "process",
  "allocate",
  "pick",
  "pack",
  "unpick",
  "unpack",
  "ship",
  "deliver",
  "cancel",
  "buy_label",
] as const;
export type OrderActionOfMany = (typeof orderActions)[number];

const { order_id: _order, package: _package, items: _items, quote_id: _quote, ...label } = CreateLabel.properties;

/** The input for buying a label for each of many orders. */
export const BuyLabels = closed({
  carrier: {
    ...label.carrier,
    description: "The carrier that sells the labels. Without it, the choice of each order decides.",
  },
  service: { ...label.service, description: "The service of that carrier." },
  account_id: label.account_id,
  package: Type.Optional({
    ...PackageField,
    description: "The parcel, the same for all orders. Default: the weight of the products, and the chosen carton.",
  }),
  additional: label.additional,
  quotes: Type.Optional(
    Type.Record(Type.String({ maxLength: 24 }), Type.String({ maxLength: 40 }), {
      maxProperties: orders_max,
      description:
        "By order id (`ord_1042`), a quote from `POST /shipping/rates/bulk`, for orders whose price must not change.",
    }),
  ),
});
export type BuyLabels = Static<typeof BuyLabels>;

const { dry_run: _dry_run, ...cancel } = CancelOrder.properties;
const CancelOrders = closed(cancel);

/** The input for picking, packing or shipping all that is reserved for each of many orders. */
const FulfillOrders = closed({ partial: PickOrder.properties.partial });

/** The input for taking back all picks or packs of each of many orders: the reason. */
const UndoSteps = closed(ReopenParcel.properties);

/** The input of each action, without the orders. */
export const inputs = {
  hold: HoldOrder,
  release: ReleaseOrder,
  tag: TagOrder,
  untag: UntagOrder,
  process: NoFields,
  allocate: NoFields,
  pick: FulfillOrders,
  pack: FulfillOrders,
  unpick: UndoSteps,
  unpack: UndoSteps,
  ship: FulfillOrders,
  deliver: NoFields,
  cancel: CancelOrders,
  buy_label: BuyLabels,
} as const;

const request = {
  action: choice(orderActions, {
    description:
      "The action for each order, as in `POST /orders/:id/hold`, `pick` and the others, `DELETE /orders/:id` or" +
      " `POST /shipping/labels`.",
  }),
  order_ids: Type.Array(idField("order"), {
    minItems: 1,
    maxItems: orders_max,
    description: "The orders by id, each once. An order number is not accepted here.",
  }),
  etags: Type.Optional(
    Type.Record(
      Type.String({ maxLength: 24 }),
      Type.String({ maxLength: 100, pattern: '^"[^"]*"$', hint: 'must be an ETag in quotes such as "7"' }),
      {
        maxProperties: orders_max,
        description: "By order id (`ord_1042`), the `ETag` that the order must still have, as with `If-Match`.",
      },
    ),
  ),
};

export const ActOnOrdersQuery = closed({
  dry_run: Type.Optional(
    Type.Boolean({
      description: "If true, nothing changes and each result shows what would happen. Not available for labels.",
    }),
  ),
});
export type ActOnOrdersQuery = Static<typeof ActOnOrdersQuery>;

export const ActOnOrders = closed({ ...request, input: Type.Optional(Type.Record(Type.String(), Type.Unknown())) });
export type ActOnOrders = Static<typeof ActOnOrders>;

/** The request body as the reference shows it. */
export const ActOnOrdersShown = closed({
  ...request,
  input: Type.Optional(
    Type.Union(
      [HoldOrder, ReleaseOrder, TagOrder, FulfillOrders, UndoSteps, CancelOrders, BuyLabels].map((schema) => schema),
      {
        description:
          "The input of the action, the same for all orders. Tagging takes `tags`, taking back picks or packs a" +
          " `reason`. Labels take `carrier` and `service`, or what each order has chosen. Without `package`, the" +
          " weight is that of the products and the chosen carton.",
      },
    ),
  ),
});

export const ActedView = closed({
  action: choice(orderActions, { description: "The action of the request." }),
  dry_run: Type.Boolean({ description: "Whether it was a dry run." }),
  done: Type.Integer({ description: "The number of orders for which the action succeeded, or would succeed." }),
  failed: Type.Integer({ description: "The number of orders that refused the action." }),
  results: Type.Array(
    closed({
      id: Type.String({ description: "The order, such as `ord_1001`." }),
      ok: Type.Boolean({ description: "Whether the action succeeded, or would succeed." }),
      status: Type.Integer({
        description: "The HTTP status of a single request. 202: the carrier has not sold the label yet.",
      }),
      order: Type.Optional(
        Type.Union([OrderView, OrderPreview], {
          description: "Omitted from later results once the response exceeds 2 MB. Get the order by its id instead.",
        }),
      ),
      label: Type.Optional({ ...LabelView, description: "The label, if the action is `buy_label`." }),
      error: Type.Optional({ ...RefusalView, description: "Why the order refused the action." }),
    }),
    { description: "One result for each order, in the order of the request." },
  ),
});
