import { type Static, type TProperties, Type } from "@sinclair/typebox";
import {
  choice,
  closed,
  countField,
  idField,
  notesField,
  nullable,
  Timestamp,
  textField,
  timestamp,
} from "../../core/schema.ts";
import { OwnerView } from "../../storage/tenant.schema.ts";
import { countStatuses, countTransitions, valueSources } from "../inventory.transitions.ts";
import { BackorderedOrders, LocationView } from "../stock/stock.schema.ts";

export const OpenCount = closed({
  location: Type.Optional(idField("warehouse", "The warehouse to count. Required if there are several.")),
  bins: Type.Optional(
    Type.Array(textField(40), {
      minItems: 1,
      maxItems: 500,
      description: "Only these bins. Without `bins` and `skus`, the whole warehouse is counted.",
    }),
  ),
  skus: Type.Optional(
    Type.Array(textField(100), {
      minItems: 1,
      maxItems: 500,
      description: "Only these SKUs, in all bins. Cannot be combined with `bins`.",
    }),
  ),
  blind: Type.Optional(
    Type.Boolean({ description: "If true, the expected units are hidden until the review. Default: false." }),
  ),
  notes: Type.Optional(nullable({ ...notesField(), description: "Copied to the adjustments that the count posts." })),
});
export type OpenCount = Static<typeof OpenCount>;

export const RecordLines = closed({
  items: Type.Array(
    closed({
      sku: textField(100, { description: "The SKU that was counted, expected there or not." }),
      bin: textField(40, { description: "The bin in which it was counted." }),
      lot_number: Type.Optional(
        nullable(
          textField(80, { description: "The lot. Required if several lots of the SKU are expected in the bin." }),
        ),
      ),
      quantity: Type.Integer({
        minimum: 0,
        maximum: 1_000_000_000,
        description: "All units found there, including reserved ones; 0 if there are none.",
      }),
    }),
    { minItems: 1, maxItems: 500, description: "The places that were counted, each at most once." },
  ),
});
export type RecordLines = Static<typeof RecordLines>;

export const PostCount = closed({
  allow_shortfall: Type.Optional(
    Type.Boolean({
      description:
        "If true, orders whose reserved units were not found are backordered. If false, they refuse the posting." +
        " Default: false.",
    }),
  ),
});
export type PostCount = Static<typeof PostCount>;

const names = (description: string) => nullable(Type.Array(Type.String(), { description }));

const plain = {
  id: Type.String(),
  status: choice(countStatuses, {
    description: "`review`: counting has ended. `posted`: the stock has been adjusted.",
  }),
  location: LocationView,
  bins: names("The bins to count; null if the count is not limited to bins."),
  skus: names("The SKUs to count; null if the count is not limited to SKUs."),
  blind: Type.Boolean({ description: "Whether the expected units are hidden while the count is open." }),
  notes: nullable(Type.String({ description: "Notes from opening the count; null if there are none." })),
  items_total: countField("Lines of the count: one for each SKU, lot and bin."),
  items_counted: countField("Lines that have been counted."),
  allowed_actions: Type.Array(choice(Object.keys(countTransitions) as (keyof typeof countTransitions)[]), {
    description:
      "What can be done now. `record` is `POST /inventory/counts/:id/items`; others are named as their routes.",
  }),
  opened_by: Type.String({ description: "The user or API key that opened it." }),
  posted_by: nullable(Type.String({ description: "The user or API key that posted it; null before." })),
  revision: countField("Counts the changes to the count, from 1."),
  created_at: timestamp("When it was opened."),
  updated_at: Timestamp,
  reviewed_at: nullable(timestamp("When counting last ended; null while it is open.")),
  posted_at: nullable(timestamp("When the stock was adjusted; null before.")),
  cancelled_at: nullable(timestamp("When it was cancelled; null if it was not.")),
} satisfies TProperties;

export const PlainCountView = closed(plain);

const CountedLine = closed({
  merchant_id: OwnerView,
  sku: Type.String(),
  bin: Type.String(),
  lot_number: nullable(Type.String({ description: "The lot; null for units without one." })),
  expected_quantity: nullable(
    countField(
      "Units on hand when the line was counted; before that, when the count was opened. Null while they are hidden.",
    ),
  ),
  counted_quantity: nullable(countField("Units found; null if the line is not counted yet.")),
  difference: nullable(
    Type.Integer({ description: "Counted minus expected units. Null before the line is counted, or while hidden." }),
  ),
  unit_value: nullable(Type.Number({ description: "The value of one unit. Null before the review, or if unknown." })),
  unit_value_from: nullable(
    choice(valueSources, {
      description: "`cost`: of the newest units received with one. `price`: the product's. Null without a value.",
    }),
  ),
  value: nullable(Type.Number({ description: "The value of the difference; below zero if units are missing." })),
  currency: { ...nullable(Type.String()), description: "Currency of `unit_value` and `value`; null without them." },
  movement_id: nullable(
    Type.String({ description: "The adjustment that posted the difference; null if there is none." }),
  ),
  counted_at: nullable(timestamp("When the line was last counted; null before.")),
  counted_by: nullable(Type.String({ description: "The user or API key that last counted the line." })),
});

const whole = {
  ...plain,
  items: Type.Array(CountedLine, { description: "The lines, in the order of the walk through the bins." }),
  summary: nullable(
    Type.Object(
      {
        items_different: countField("Counted lines that differ from what was expected."),
        units_over: countField("Units found in addition to those expected."),
        units_short: countField("Expected units that were not found."),
        value_over: nullable(Type.Number({ description: "The value of `units_over`. Null with several currencies." })),
        value_short: nullable(
          Type.Number({
            description: "The value of `units_short`, as a positive amount. Null with several currencies.",
          }),
        ),
        value_net: nullable(
          Type.Number({ description: "`value_over` minus `value_short`. Null with several currencies." }),
        ),
        currency: {
          ...nullable(Type.String()),
          description: "Currency of the values; null when lines have several currencies: see `values`.",
        },
        values: Type.Array(
          closed({
            value_over: Type.Number({ description: "The value of surplus units in this currency." }),
            value_short: Type.Number({ description: "The value of missing units, as a positive amount." }),
            value_net: Type.Number({ description: "`value_over` minus `value_short`." }),
            currency: Type.String({ description: "The currency, as an ISO 4217 code." }),
          }),
          { description: "Values by currency." },
        ),
      },
      { additionalProperties: false, description: "Totals of the differences; null while they are hidden." },
    ),
  ),
} satisfies TProperties;

export const CountView = closed(whole);

export const PostedView = closed({
  ...whole,
  backordered_orders: BackorderedOrders,
});
