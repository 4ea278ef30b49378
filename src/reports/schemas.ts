import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { choice, closed, nullable } from "../kit/schema.ts";
import { sheetFields } from "../kit/sheet.ts";
import { groupings } from "./calendar.ts";

const DayField = (description: string) =>
  Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$", hint: "must be a day such as 2026-01-31", description });

const period = {
  from: Type.Optional(DayField("The first day; 29 days before the last unless given.")),
  to: Type.Optional(DayField("The last day, itself among them; today unless given. At most 366 days.")),
};
const grouped = {
  ...period,
  group_by: Type.Optional(
    choice(groupings, { description: "What makes a row: a day unless given; weeks begin on Monday." }),
  ),
};
const longest = 1000;
const limited = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: longest, description: "How many rows there are at most; 100 unless given." }),
  ),
};

/** What is asked of a report whose rows are days, weeks or months. */
export const GroupedQuery = closed(grouped);
export type GroupedQuery = Static<typeof GroupedQuery>;
export const GroupedExport = closed({ ...grouped, ...sheetFields });

/** What is asked of a report on products over some days. */
export const PeriodQuery = closed({ ...period, ...limited });
export type PeriodQuery = Static<typeof PeriodQuery>;
export const PeriodExport = closed({ ...period, ...sheetFields });

/** What is asked of a report on products as they are now. */
export const MomentQuery = closed(limited);
export type MomentQuery = Static<typeof MomentQuery>;
export const MomentExport = closed(sheetFields);

/** How many there are of something. */
export const number = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description === undefined ? {} : { description }) });
const amount = (description: string) => Type.Number({ description });
const ratio = (description: string) =>
  nullable(Type.Number({ description: `${description} As a part of 1, to four decimals; null of nothing.` }));

const stretch = {
  from: Type.String({ description: "The first day of the row." }),
  to: Type.String({ description: "Its last day, itself among them." }),
};
const head = {
  timezone: Type.String({ description: "Of the first warehouse: in it the days are counted." }),
  from: Type.String(),
  to: Type.String(),
};

/** A report whose rows are days, weeks or months. */
const groupedView = <Fields extends TProperties>(fields: Fields) =>
  closed({
    ...head,
    group_by: choice(groupings),
    rows: Type.Array(closed({ ...stretch, ...fields })),
    totals: closed(fields),
  });

const product = { sku: Type.String(), name: Type.String() };
const row_count = number("How many rows there are in all; `limit` shows the first of them, the file all.");

const states = {
  pending: number(),
  processing: number(),
  fulfilled: number(),
  shipped: number(),
  delivered: number(),
  cancelled: number(),
  on_hold: number(),
};
export const OrdersReport = groupedView({ total: number("Orders that came."), ...states });

export const OnTimeReport = groupedView({
  due: number("Orders that were to leave."),
  on_time: number("Of these, orders that left whole on that day or before."),
  late: number("Of these, orders that did not, whether they have left since or not."),
  open: number("Of these, orders that have not left, while the day is not over."),
  on_time_share: ratio("`on_time` of `on_time` and `late`."),
});

const picking = {
  units: number("Units that were picked."),
  picks: number("How often somebody picked: a bin, a lot and an order make one pick."),
  assumed_units: number("Of the units, those that no scan confirmed: an action took the pick for granted."),
  active_hours: number("Hours of the clock in which anything was picked."),
  units_per_hour: nullable(Type.Number({ description: "`units` by `active_hours`; null where nothing was picked." })),
};
export const pickingGroupings = ["hour", ...groupings] as const;
export type PickingGrouping = (typeof pickingGroupings)[number];
const picked = {
  ...period,
  group_by: Type.Optional(
    choice(pickingGroupings, {
      description: "What makes a row: a day unless given; weeks begin on Monday. Of hours, those in which was picked.",
    }),
  ),
};
export const PickingQuery = closed(picked);
export type PickingQuery = Static<typeof PickingQuery>;
export const PickingExport = closed({ ...picked, ...sheetFields });
export const PickingReport = closed({
  ...head,
  group_by: choice(pickingGroupings),
  rows: Type.Array(
    closed({
      ...stretch,
      hour: nullable(
        Type.Integer({ minimum: 0, maximum: 23, description: "As the clock of the zone shows it; null by days." }),
      ),
      ...picking,
    }),
  ),
  totals: closed(picking),
});

export const CarrierCostReport = closed({
  ...head,
  group_by: choice(groupings),
  rows: Type.Array(
    closed({
      ...stretch,
      carrier: Type.String(),
      currency: Type.String(),
      label_count: number("Labels that are valid."),
      cost: amount("What was charged for them."),
      carrier_cost: amount("What the carrier takes for them."),
      voided_count: number("Labels that were bought then and voided since."),
    }),
  ),
  totals: Type.Array(
    closed({
      carrier: Type.String(),
      currency: Type.String(),
      label_count: number(),
      cost: Type.Number(),
      carrier_cost: Type.Number(),
      voided_count: number(),
    }),
    { description: "Of each carrier and currency over all days." },
  ),
});

export const SalesReport = closed({
  ...head,
  row_count,
  rows: Type.Array(
    closed({
      ...product,
      currency: Type.String(),
      orders: number("Orders with a line of it that is not cancelled whole."),
      units_ordered: number(),
      units_cancelled: number(),
      units_sold: number("`units_ordered` less `units_cancelled`."),
      units_shipped: number("Of the units sold, those that have left since."),
      units_returned: number("Of the units shipped, those that came back since."),
      revenue: amount("What the units sold cost, with the discounts of their lines and without shipping."),
    }),
  ),
  totals: Type.Array(closed({ currency: Type.String(), units_sold: number(), revenue: Type.Number() }), {
    description: "Of all SKUs, by currency.",
  }),
});

const bands = {
  days_0_30: number("Units of at most 30 days."),
  days_31_60: number(),
  days_61_90: number(),
  days_91_180: number(),
  days_181_365: number(),
  days_over_365: number(),
};
export const AgeingReport = closed({
  at: Type.String({ format: "date-time" }),
  row_count,
  rows: Type.Array(
    closed({
      ...product,
      on_hand: number("Units that lie in the house, wherever that is."),
      ...bands,
      oldest_days: number("How many days ago the oldest of them came."),
      average_days: Type.Number({ description: "The mean age of a unit, to one decimal." }),
    }),
  ),
  totals: closed({ on_hand: number(), ...bands }),
});

const turning = {
  units_shipped: number("Units that left to customers."),
  opening_units: number("Units on hand when the first day began."),
  closing_units: number("Units on hand when the last day ended; now, when it has not."),
  average_units: Type.Number({ description: "The mean of both." }),
  turns: nullable(Type.Number({ description: "`units_shipped` by `average_units`; null where there were none." })),
  annual_turns: nullable(Type.Number({ description: "As many turns as 365 such days would make." })),
  days_on_hand: nullable(
    Type.Number({ description: "For how many days the mean stock lasts at that pace; null where nothing left." }),
  ),
};
export const TurnsReport = closed({
  ...head,
  row_count,
  rows: Type.Array(closed({ ...product, ...turning })),
  totals: closed(turning),
});

export const FillRateReport = groupedView({
  orders: number("Orders of which anything has left."),
  orders_filled: number("Of these, orders of which every line left whole at first."),
  order_fill_rate: ratio("`orders_filled` of `orders`."),
  lines: number("Lines of these orders."),
  lines_filled: number("Of these, lines that left whole at first."),
  line_fill_rate: ratio("`lines_filled` of `lines`."),
  units: number("Units of these lines."),
  units_at_first: number("Of these, units that left at first."),
  unit_fill_rate: ratio("`units_at_first` of `units`."),
});

export type OrdersReport = Static<typeof OrdersReport>;
export type OnTimeReport = Static<typeof OnTimeReport>;
export type PickingReport = Static<typeof PickingReport>;
export type CarrierCostReport = Static<typeof CarrierCostReport>;
export type SalesReport = Static<typeof SalesReport>;
export type AgeingReport = Static<typeof AgeingReport>;
export type TurnsReport = Static<typeof TurnsReport>;
export type FillRateReport = Static<typeof FillRateReport>;
