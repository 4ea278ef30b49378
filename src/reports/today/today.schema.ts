import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nullable, timestamp } from "../../core/schema.ts";
import { OwnerOrOperatorView } from "../../storage/tenant.schema.ts";
import { number } from "../reports.schema.ts";

/** The stages of an order that has not shipped, in the order of the work. */
export const stages = ["short", "to_pick", "picked", "packed", "ready"] as const;
export type OrderStage = (typeof stages)[number];

const staged = {
  orders: number("Orders that have not shipped and are not on hold."),
  late: number("Of these, orders that were due on an earlier working day."),
  short: number("Orders waiting for stock."),
  to_pick: number("Orders with something left to pick."),
  picked: number("Orders with everything picked, but not everything packed."),
  packed: number("Packed orders with a parcel that has no label yet."),
  ready: number("Packed orders with a label on every parcel."),
};

/** A list and its filters. */
const TargetView = closed({
  noun: Type.String({ description: "The list: `orders`, `receipts`, `lots` and so on." }),
  filter: Type.Record(Type.String(), Type.String(), { description: "The parameters of that list." }),
});

const DepartureView = closed({
  warehouse_id: Type.String(),
  warehouse_name: Type.String({ description: "The name of the warehouse." }),
  timezone: Type.String({ description: "Its IANA time zone." }),
  date: Type.String({
    description:
      "The working day on which these orders are due to ship. After the cut-off, a new order is due on the next one.",
  }),
  cutoff_at: timestamp("The cut-off of that day."),
  minutes_left: Type.Integer({ description: "Minutes until the cut-off, rounded down; negative once it has passed." }),
  shipped: number("Orders due that day that have shipped."),
  ...staged,
  services: Type.Array(
    closed({
      carrier: nullable(Type.String({ description: "The carrier of the order's label; null before there is one." })),
      service: nullable(
        Type.String({ description: "The service of the label, else the shipping method of the order." }),
      ),
      ...staged,
    }),
    { description: "The same figures by carrier and service, most orders first." },
  ),
  target: { ...TargetView, description: "The list of all orders that have not shipped and are due by then." },
});

const topicKinds = [
  "hold",
  "backorder",
  "putback",
  "failed_label",
  "failed_import",
  "failed_report",
  "failing_webhook",
  "count_difference",
  "receipt_today",
  "receipt_late",
  "expiring_lot",
  "low_stock",
] as const;
export type TopicKind = (typeof topicKinds)[number];

const SampleView = closed({
  id: Type.String({ description: "The id of the record, such as `ord_1042`; for the stock of a SKU, the SKU." }),
  merchant_id: OwnerOrOperatorView,
  name: Type.String({ description: "An order number, a SKU or a lot number, for example." }),
  parent: nullable(
    Type.String({ description: "Its parent, such as the SKU of a lot or the connection of an import; null if none." }),
  ),
  at: nullable(
    Type.String({
      format: "date-time",
      description: "When it started to wait, or when it is due; null for a SKU that is low.",
    }),
  ),
  quantity: nullable(
    Type.Integer({ description: "Units, or lines of a stock count with a difference; null for other kinds." }),
  ),
  threshold: nullable(Type.Integer({ description: "The reorder point of a SKU that is low; null for other kinds." })),
});

export const TopicView = closed({
  kind: choice(topicKinds, {
    description:
      "What the records have in common. A `failed_label` counts until it is bought again or the order ships without" +
      " it; a `count_difference` is a stock count in review.",
  }),
  reason: nullable(Type.String({ description: "The hold reason of a `hold`; null for other kinds." })),
  count: number("The number of records, counted up to 10,000."),
  oldest_at: nullable(
    Type.String({ format: "date-time", description: "The earliest `at` of all records; null if they have none." }),
  ),
  samples: Type.Array(SampleView, { description: "The first few records." }),
  target: { ...TargetView, description: "The list that shows all of them." },
});

export const OverviewView = closed({
  at: timestamp("The time of the figures: now."),
  departures: Type.Array(DepartureView, {
    description:
      "The next working day of each warehouse, possibly today, and the one after it once the cut-off has passed.",
  }),
  waiting: Type.Array(TopicView, {
    description: "Open tasks by kind. Empty kinds are left out.",
  }),
  receipts_today: { ...TopicView, description: "Open receipts expected today." },
  receipts_late: { ...TopicView, description: "Open receipts expected before today." },
  expiring_lots: { ...TopicView, description: "Lots on sale that expire within 30 days." },
  low_stock: { ...TopicView, description: "SKUs below their reorder point." },
  first_steps: {
    ...closed({
      warehouse: Type.Boolean({ description: "Every warehouse has an address." }),
      carrier: Type.Boolean({ description: "A carrier account or a rate card other than the samples exists." }),
      product: Type.Boolean({ description: "A product exists." }),
      stock: Type.Boolean({ description: "Units have been received." }),
      order: Type.Boolean({ description: "An order exists." }),
      shipped_order: Type.Boolean({ description: "An order has shipped." }),
      used_key: Type.Boolean({ description: "An API key has been used." }),
    }),
    description: "Which steps of setting up the warehouse are done.",
  },
});

export type OverviewView = Static<typeof OverviewView>;
export type TopicView = Static<typeof TopicView>;
export type SampleView = Static<typeof SampleView>;
export type DepartureView = Static<typeof DepartureView>;
