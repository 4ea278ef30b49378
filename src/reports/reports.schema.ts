import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { csvExportFields } from "../core/csv_columns.ts";
import { choice, closed, nullable, Timestamp } from "../core/schema.ts";
import { OwnerView } from "../storage/tenant.schema.ts";
import { groupings } from "./report_days.ts";

const DayField = (description: string) =>
  Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$", hint: "must be a day such as 2026-01-31", description });

const period = {
  from: Type.Optional(DayField("The first day. Defaults to 29 days before `to`.")),
  to: Type.Optional(DayField("The last day, inclusive. Defaults to today. At most 366 days in total.")),
};
const grouped = {
  ...period,
  group_by: Type.Optional(
    choice(groupings, { description: "The period of a row. Defaults to a day. Weeks start on Monday." }),
  ),
};
const longest = 1000;
const limited = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: longest, description: "The maximum number of rows. Defaults to 100." }),
  ),
};

/** The query of a report whose rows are days, weeks or months. */
export const GroupedQuery = closed(grouped);
export type GroupedQuery = Static<typeof GroupedQuery>;
export const GroupedExport = closed({ ...grouped, ...csvExportFields });

/** The query of a product report over a period. */
export const PeriodQuery = closed({ ...period, ...limited });
export type PeriodQuery = Static<typeof PeriodQuery>;
export const PeriodExport = closed({ ...period, ...csvExportFields });

/** The query of a product report on the present state. */
export const MomentQuery = closed(limited);
export type MomentQuery = Static<typeof MomentQuery>;
export const MomentExport = closed(csvExportFields);

/** A count. */
export const number = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description === undefined ? {} : { description }) });
const amount = (description: string) => Type.Number({ description });
const ratio = (description: string) =>
  nullable(Type.Number({ description: `${description} A fraction of 1, to four decimals; null if there are none.` }));

const rowPeriod = {
  from: Type.String({ description: "The first day of the row." }),
  to: Type.String({ description: "The last day of the row, inclusive." }),
};
const head = {
  timezone: Type.String({ description: "The time zone of the first warehouse, in which days are counted." }),
  from: Type.String(),
  to: Type.String(),
};

/** A report whose rows are days, weeks or months. */
const groupedView = <Fields extends TProperties>(fields: Fields) =>
  closed({
    ...head,
    group_by: choice(groupings),
    rows: Type.Array(closed({ ...rowPeriod, ...fields })),
    totals: closed(fields),
  });

const product = { sku: Type.String(), name: Type.String() };
const row_count = number("The total number of rows. The response has the first `limit` of them, the CSV file all.");

const states = {
  pending: number(),
  processing: number(),
  fulfilled: number(),
  shipped: number(),
  delivered: number(),
  cancelled: number(),
  on_hold: number(),
};
export const OrdersReport = groupedView({ total: number("Orders created."), ...states });

export const OnTimeReport = groupedView({
  due: number("Orders due to ship."),
  on_time: number("Of these, orders that shipped completely on or before that day."),
  late: number("Of these, orders that did not, even if they have shipped since."),
  open: number("Of these, orders that have not shipped while the day is not over."),
  on_time_share: ratio("`on_time` as a share of `on_time` + `late`."),
});

const picking = {
  units: number("Units picked."),
  picks: number("The number of picks: one for each bin, lot and order."),
  assumed_units: number("Of these, units not confirmed by a scan, because an action assumed the pick."),
  active_hours: number("Clock hours with at least one pick."),
  units_per_hour: nullable(
    Type.Number({ description: "`units` divided by `active_hours`; null if nothing was picked." }),
  ),
};
const pickingGroupings = ["hour", ...groupings] as const;
const picked = {
  ...period,
  group_by: Type.Optional(
    choice(pickingGroupings, {
      description: "The period of a row. Defaults to a day. Weeks start on Monday. Hours without picks have no row.",
    }),
  ),
};
export const PickingQuery = closed(picked);
export type PickingQuery = Static<typeof PickingQuery>;
export const PickingExport = closed({ ...picked, ...csvExportFields });
export const PickingReport = closed({
  ...head,
  group_by: choice(pickingGroupings),
  rows: Type.Array(
    closed({
      ...rowPeriod,
      hour: nullable(
        Type.Integer({ minimum: 0, maximum: 23, description: "The clock hour in the zone; null for other periods." }),
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
      ...rowPeriod,
      carrier: Type.String(),
      currency: Type.String(),
      label_count: number("Valid labels."),
      cost: amount("The amount charged for them."),
      carrier_cost: amount("The carrier's price for them."),
      voided_count: number("Labels bought in the period that were voided later."),
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
    { description: "The totals of each carrier and currency." },
  ),
});

export const SalesReport = closed({
  ...head,
  row_count,
  rows: Type.Array(
    closed({
      ...product,
      currency: Type.String(),
      orders: number("Orders with a line of this SKU that is not completely cancelled."),
      units_ordered: number(),
      units_cancelled: number(),
      units_sold: number("`units_ordered` − `units_cancelled`."),
      units_shipped: number("Of the units sold, those shipped since."),
      units_returned: number("Of the units shipped, those returned since."),
      revenue: amount("The price of the units sold, after line discounts and without shipping."),
      merchant_id: OwnerView,
    }),
  ),
  totals: Type.Array(closed({ currency: Type.String(), units_sold: number(), revenue: Type.Number() }), {
    description: "The totals of all SKUs, by currency.",
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
  at: Timestamp,
  row_count,
  rows: Type.Array(
    closed({
      ...product,
      on_hand: number("Units on hand, in all bins."),
      ...bands,
      oldest_days: number("The age of the oldest unit in days."),
      average_days: Type.Number({ description: "The average age of a unit in days, to one decimal." }),
      merchant_id: OwnerView,
    }),
  ),
  totals: closed({ on_hand: number(), ...bands }),
});

const turning = {
  units_shipped: number("Units shipped to customers."),
  opening_units: number("Units on hand at the start of the first day."),
  closing_units: number("Units on hand at the end of the last day, or now if it has not ended."),
  average_units: Type.Number({ description: "The average of the two." }),
  turns: nullable(Type.Number({ description: "`units_shipped` divided by `average_units`; null if that is zero." })),
  annual_turns: nullable(Type.Number({ description: "The turns, extrapolated to 365 days." })),
  days_on_hand: nullable(
    Type.Number({ description: "Days for which the average stock lasts; null if nothing shipped." }),
  ),
};
export const TurnsReport = closed({
  ...head,
  row_count,
  rows: Type.Array(closed({ ...product, ...turning, merchant_id: OwnerView })),
  totals: closed(turning),
});

export const FillRateReport = groupedView({
  orders: number("Orders that have shipped at least partly."),
  orders_filled: number("Of these, orders of which every line shipped completely on the first day."),
  order_fill_rate: ratio("`orders_filled` as a share of `orders`."),
  lines: number("Lines of these orders."),
  lines_filled: number("Of these, lines that shipped completely on the first day."),
  line_fill_rate: ratio("`lines_filled` as a share of `lines`."),
  units: number("Units of these lines."),
  units_at_first: number("Of these, units that shipped on the first day."),
  unit_fill_rate: ratio("`units_at_first` as a share of `units`."),
});

export type OrdersReport = Static<typeof OrdersReport>;
export type OnTimeReport = Static<typeof OnTimeReport>;
export type PickingReport = Static<typeof PickingReport>;
export type CarrierCostReport = Static<typeof CarrierCostReport>;
export type SalesReport = Static<typeof SalesReport>;
export type AgeingReport = Static<typeof AgeingReport>;
export type TurnsReport = Static<typeof TurnsReport>;
export type FillRateReport = Static<typeof FillRateReport>;
