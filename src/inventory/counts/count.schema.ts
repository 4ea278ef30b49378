import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { Count, choice, closed, idField, notesField, nullable, Timestamp, textField } from "../../core/schema.ts";
import { OwnerView } from "../../storage/tenant.schema.ts";
import { countStatuses, countTransitions, valueSources } from "../inventory.transitions.ts";
import { BackorderedOrders } from "../stock/stock.schema.ts";

export const OpenCount = closed({
  location: Type.Optional(idField("warehouse", "Required if there are several warehouses.")),
  bins: Type.Optional(
    Type.Array(textField(40), {
      minItems: 1,
      maxItems: 500,
      description: "Only these bins. Without `bins` and `skus`, the whole warehouse is counted.",
    }),
  ),
  skus: Type.Optional(Type.Array(textField(100), { minItems: 1, maxItems: 500, description: "Only these SKUs." })),
  blind: Type.Optional(Type.Boolean({ description: "Hide the expected units until the review." })),
  notes: Type.Optional(nullable(notesField())),
});
export type OpenCount = Static<typeof OpenCount>;

export const RecordLines = closed({
  items: Type.Array(
    closed({
      sku: textField(100),
      bin: textField(40),
      lot_number: Type.Optional(nullable(textField(80))),
      quantity: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
    }),
    { minItems: 1, maxItems: 500 },
  ),
});
export type RecordLines = Static<typeof RecordLines>;

export const PostCount = closed({
  allow_shortfall: Type.Optional(
    Type.Boolean({ description: "Backorder orders whose reserved units were not found." }),
  ),
});
export type PostCount = Static<typeof PostCount>;

const names = nullable(Type.Array(Type.String()));

const plain = {
  id: Type.String(),
  status: choice(countStatuses),
  location: Type.String(),
  bins: names,
  skus: names,
  blind: Type.Boolean(),
  notes: nullable(Type.String()),
  items_total: Count,
  items_counted: Count,
  allowed_actions: Type.Array(choice(Object.keys(countTransitions) as (keyof typeof countTransitions)[])),
  opened_by: Type.String(),
  posted_by: nullable(Type.String()),
  revision: Count,
  created_at: Timestamp,
  updated_at: Timestamp,
  reviewed_at: nullable(Timestamp),
  posted_at: nullable(Timestamp),
  cancelled_at: nullable(Timestamp),
} satisfies TProperties;

export const PlainCountView = closed(plain);

const whole = {
  ...plain,
  items: Type.Array(
    closed({
      merchant_id: OwnerView,
      sku: Type.String(),
      bin: Type.String(),
      lot_number: nullable(Type.String()),
      expected_quantity: nullable(Count),
      counted_quantity: nullable(Count),
      difference: nullable(Type.Integer()),
      unit_value: nullable(Type.Number()),
      unit_value_from: nullable(choice(valueSources)),
      value: nullable(Type.Number()),
      currency: { ...nullable(Type.String()), description: "Currency of `unit_value` and `value`; null without them." },
      movement_id: nullable(Type.String()),
      counted_at: nullable(Timestamp),
      counted_by: nullable(Type.String()),
    }),
  ),
  summary: nullable(
    closed({
      items_different: Count,
      units_over: Count,
      units_short: Count,
      value_over: nullable(Type.Number()),
      value_short: nullable(Type.Number()),
      value_net: nullable(Type.Number()),
      currency: {
        ...nullable(Type.String()),
        description: "Currency of the values; null when lines have several currencies: see `values`.",
      },
      values: Type.Array(
        closed({
          value_over: Type.Number(),
          value_short: Type.Number(),
          value_net: Type.Number(),
          currency: Type.String(),
        }),
        { description: "Values by currency." },
      ),
    }),
  ),
} satisfies TProperties;

export const CountView = closed(whole);

export const PostedView = closed({
  ...whole,
  backordered_orders: BackorderedOrders,
});
