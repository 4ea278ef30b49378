import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nullable } from "../../core/schema.ts";
import { OwnerOrOperatorView } from "../../storage/tenant.schema.ts";
import { number } from "../reports.schema.ts";

/** What an order that has not left waits for, in the order of the work. */
export const stages = ["short", "to_pick", "picked", "packed", "ready"] as const;
export type OrderStage = (typeof stages)[number];

const staged = {
  orders: number("Orders that have not left and are not on hold."),
  late: number("Of these, orders that were due on an earlier working day."),
  short: number("Orders that wait for stock."),
  to_pick: number("Orders with something left to pick."),
  picked: number("Orders with everything picked, but not everything packed."),
  packed: number("Packed orders with a parcel that has no label yet."),
  ready: number("Packed orders with a label on every parcel."),
};

/** Where to look: a list, and its filters. */
const TargetView = closed({
  noun: Type.String({ description: "The list: `orders`, `receipts`, `lots` and so on." }),
  filter: Type.Record(Type.String(), Type.String(), { description: "The parameters of that list." }),
});

const DepartureView = closed({
  warehouse_id: Type.String(),
  warehouse_name: Type.String(),
  timezone: Type.String(),
  date: Type.String({ description: "The working day on which these orders are due to leave." }),
  cutoff_at: Type.String({ format: "date-time" }),
  minutes_left: Type.Integer({ description: "Minutes until the cut-off, rounded down; below zero when it is over." }),
  shipped: number("Orders due that day that have left."),
  ...staged,
  services: Type.Array(
    closed({
      carrier: nullable(Type.String({ description: "The carrier of the order's label; null before there is one." })),
      service: nullable(
        Type.String({ description: "The service of the label, else the shipping method of the order." }),
      ),
      ...staged,
    }),
  ),
  target: TargetView,
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
  id: Type.String({ description: "The record: `ord_1042`; for the stock of a SKU the SKU." }),
  merchant_id: OwnerOrOperatorView,
  name: Type.String({ description: "Its name for people: an order number, a SKU, a lot number." }),
  within: nullable(Type.String({ description: "What it belongs to: the SKU of a lot, the connection of an import." })),
  at: nullable(Type.String({ format: "date-time", description: "Since when it has waited, or when it is due." })),
  quantity: nullable(Type.Integer({ description: "Units, or lines of a stock count that differ." })),
  threshold: nullable(Type.Integer({ description: "The reorder point of a low SKU." })),
});

export const TopicView = closed({
  kind: choice(topicKinds),
  reason: nullable(Type.String({ description: "The reason of holds." })),
  count: number("How many there are, counted to 10,000."),
  oldest_at: nullable(Type.String({ format: "date-time", description: "The earliest `at` of all of them." })),
  samples: Type.Array(SampleView, { description: "The first few." }),
  target: TargetView,
});

export const OverviewView = closed({
  at: Type.String({ format: "date-time" }),
  departures: Type.Array(DepartureView, {
    description:
      "The next working day of each warehouse, today included; once the cut-off is over, the one after it as well.",
  }),
  waiting: Type.Array(TopicView, {
    description: "What waits for a person, by kind; empty kinds are left out.",
  }),
  receipts_today: TopicView,
  receipts_late: TopicView,
  expiring_lots: TopicView,
  low_stock: TopicView,
  first_steps: closed({
    warehouse: Type.Boolean({ description: "Every warehouse has an address of its own." }),
    carrier: Type.Boolean({ description: "There is a carrier account or a rate card that is no sample." }),
    product: Type.Boolean({ description: "There is a product." }),
    stock: Type.Boolean({ description: "Units have come in." }),
    order: Type.Boolean({ description: "There is an order." }),
    shipped_order: Type.Boolean({ description: "An order has left." }),
    used_key: Type.Boolean({ description: "An API key has been used." }),
  }),
});

export type OverviewView = Static<typeof OverviewView>;
export type TopicView = Static<typeof TopicView>;
export type SampleView = Static<typeof SampleView>;
export type DepartureView = Static<typeof DepartureView>;
