import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nullable } from "../../kit/schema.ts";
import { number } from "../schemas.ts";

/** What an order that has not left waits for, in the order in which it gets there. */
export const stages = ["short", "to_pick", "picked", "packed", "ready"] as const;
export type Stage = (typeof stages)[number];

const staged = {
  orders: number("Orders that have not left and are not on hold."),
  late: number("Of these, orders that were to leave on an earlier working day."),
  short: number("Orders that wait for stock."),
  to_pick: number("Orders of which something is still to be picked."),
  picked: number("Orders of which everything is picked, and not everything packed."),
  packed: number("Orders that are packed, with a parcel that has no label yet."),
  ready: number("Orders that are packed, with a label on every parcel."),
};

/** Where to look: the list of a noun, and what to narrow it to. */
const TargetView = closed({
  noun: Type.String({ description: "The list: `orders`, `receipts`, `lots` and so on." }),
  filter: Type.Record(Type.String(), Type.String(), { description: "The parameters of that list." }),
});

const DepartureView = closed({
  warehouse_id: Type.String(),
  warehouse_name: Type.String(),
  timezone: Type.String(),
  date: Type.String({ description: "The working day on which these orders are to leave." }),
  cutoff_at: Type.String({ format: "date-time" }),
  minutes_left: Type.Integer({ description: "Until the cut-off, rounded down; below zero when it is over." }),
  shipped: number("Orders that were to leave that day and have left."),
  ...staged,
  services: Type.Array(
    closed({
      carrier: nullable(Type.String({ description: "Of the order's label; null before there is one." })),
      service: nullable(
        Type.String({ description: "Of the label, else the shipping method that the order asks for." }),
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
  id: Type.String({ description: "Of the record: `ord_1042`; a SKU where the stock of one is meant." }),
  name: Type.String({ description: "What people call it: an order number, a SKU, a lot number." }),
  within: nullable(
    Type.String({ description: "What it is a part of: the SKU of a lot, the connection of an import." }),
  ),
  at: nullable(Type.String({ format: "date-time", description: "Since when it waits, or when it is due." })),
  quantity: nullable(Type.Integer({ description: "Units, or lines of a count that differ." })),
  threshold: nullable(Type.Integer({ description: "The reorder point of a SKU that is low." })),
});

export const TopicView = closed({
  kind: choice(topicKinds),
  reason: nullable(Type.String({ description: "Of holds: why." })),
  count: number("How many there are, counted to 10,000."),
  oldest_at: nullable(Type.String({ format: "date-time", description: "The earliest `at` of all of them." })),
  samples: Type.Array(SampleView, { description: "The first few." }),
  target: TargetView,
});

export const OverviewView = closed({
  at: Type.String({ format: "date-time" }),
  departures: Type.Array(DepartureView, {
    description:
      "Of each warehouse its next working day, today when it is one; the one after once the cut-off is over.",
  }),
  waiting: Type.Array(TopicView, {
    description: "What waits for a person, by kind; kinds of which nothing waits are out.",
  }),
  receipts_today: TopicView,
  receipts_late: TopicView,
  expiring_lots: TopicView,
  low_stock: TopicView,
  first_steps: closed({
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
