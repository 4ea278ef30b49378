import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, idField, nullable } from "../core/schema.ts";
import { CancelOrder, HoldOrder, NoFields, OrderView, ReleaseOrder } from "../orders/order.schema.ts";
import { CreateLabel, LabelView, PackageField } from "./labels/labels.schema.ts";

const orders_max = 200;

const orderActions = ["hold", "release", "process", "allocate", "cancel", "buy_label"] as const;
export type OrderActionOfMany = (typeof orderActions)[number];

const { order_id: _order, package: _package, items: _items, quote_id: _quote, ...label } = CreateLabel.properties;

/** The input for buying a label, for each of many orders. */
export const BuyLabels = closed({
  carrier: label.carrier,
  service: label.service,
  account_id: label.account_id,
  package: Type.Optional(PackageField),
  additional: label.additional,
});
export type BuyLabels = Static<typeof BuyLabels>;

const { dry_run: _dry_run, ...cancel } = CancelOrder.properties;
const CancelOrders = closed(cancel);

/** The input of each action, besides the orders. */
export const inputs = {
  hold: HoldOrder,
  release: ReleaseOrder,
  process: NoFields,
  allocate: NoFields,
  cancel: CancelOrders,
  buy_label: BuyLabels,
} as const;

const asked = {
  action: choice(orderActions, {
    description:
      "What to do with each order, as `POST /orders/:id/hold`, `release`, `process` or `allocate`," +
      " `DELETE /orders/:id`, or `POST /shipping/labels` would.",
  }),
  order_ids: Type.Array(idField("order"), { minItems: 1, maxItems: orders_max }),
  tags: Type.Optional(
    Type.Record(
      Type.String({ maxLength: 24 }),
      Type.String({ maxLength: 100, pattern: '^"[^"]*"$', hint: 'must be a tag in quotes such as "7"' }),
      {
        maxProperties: orders_max,
        description:
          'For the id of an order (`ord_1042`), the `ETag` that it must still match, as with `If-Match`: `"7"` for' +
          " its version 7.",
      },
    ),
  ),
  dry_run: Type.Optional(
    Type.Boolean({ description: "True changes nothing and shows what each result would be. Not for labels." }),
  ),
};

export const ActOnOrders = closed({ ...asked, input: Type.Optional(Type.Record(Type.String(), Type.Unknown())) });
export type ActOnOrders = Static<typeof ActOnOrders>;

/** The same as the reference shows it. */
export const ActOnOrdersShown = closed({
  ...asked,
  input: Type.Optional(
    Type.Union(
      [HoldOrder, ReleaseOrder, CancelOrders, BuyLabels].map((schema) => schema),
      {
        description:
          "The input of the action, the same for all orders. Labels take `carrier` and `service`; without a `package`" +
          " the weight is that of the products.",
      },
    ),
  ),
});

const Problem = closed({ field: Type.String(), code: Type.String(), message: Type.String(), pointer: Type.String() });

export const ActedView = closed({
  action: choice(orderActions),
  dry_run: Type.Boolean(),
  done: Type.Integer({ description: "For how many orders the action succeeded, or would." }),
  failed: Type.Integer(),
  results: Type.Array(
    closed({
      id: Type.String(),
      ok: Type.Boolean(),
      status: Type.Integer({
        description: "The status that a single request would get: 202 for a label that its carrier has yet to sell.",
      }),
      order: Type.Optional(
        Type.Unsafe<Static<typeof OrderView>>({
          ...OrderView,
          description: "Left out of the later results once the answer is longer than 2 MB: get the order by its id.",
        }),
      ),
      label: Type.Optional(LabelView),
      error: Type.Optional(
        Type.Object({
          type: Type.String(),
          code: Type.String(),
          message: Type.String(),
          details: nullable(Type.Array(Problem)),
          doc_url: Type.String(),
        }),
      ),
    }),
    { description: "One for each order, in the order of the request." },
  ),
});
