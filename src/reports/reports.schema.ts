import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { csvExportFields } from "../core/csv_columns.ts";
import { choice, closed, nullable, timestamp } from "../core/schema.ts";
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
export const number = (description: string) => Type.Integer({ minimum: 0, description });
const amount = (description: string) => Type.Number({ description });
const ratio = (description: string) =>
  nullable(Type.Number({ description: `${description} A fraction of 1, to four decimals; null if there are none.` }));

const rowPeriod = {
  from: Type.String({ description: "The first day of the row." }),
  to: Type.String({ description: "The last day of the row, inclusive." }),
};
const head = {
  timezone: Type.String({ description: "The time zone of the first warehouse, in which days are counted." }),
  from: Type.String({ description: "The first day of the report." }),
  to: Type.String({ description: "The last day of the report, inclusive." }),
};
const group_by_text = "The period of a row. Weeks and months at the edges have only the days of the report.";
const rows_text = "One row for each period, oldest first.";

/** A report whose rows are days, weeks or months. */
const groupedView = <Fields extends TProperties>(fields: Fields) =>
  closed({
    ...head,
    group_by: choice(groupings, { description: group_by_text }),
    rows: Type.Array(closed({ ...rowPeriod, ...fields }), { description: rows_text }),
    totals: { ...closed(fields), description: "The figures of the whole report." },
  });

const product = { sku: Type.String(), name: Type.String({ description: "The present name of the product." }) };
const row_count = number("The total number of rows. The response has the first `limit` of them, the CSV file all.");

const states = {
  pending: number("Orders that have not been sent to picking."),
  processing: number("Orders that are in picking, or packed or shipped only in part."),
  fulfilled: number("Orders that are packed and have not shipped."),
  shipped: number("Orders that have shipped and are not delivered yet."),
  delivered: number("Orders that are delivered."),
  cancelled: number("Orders that are cancelled."),
  on_hold: number("Orders on hold, which count in no other state."),
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
  group_by: choice(pickingGroupings, { description: group_by_text }),
  rows: Type.Array(
    closed({
      ...rowPeriod,
      hour: nullable(
        Type.Integer({ minimum: 0, maximum: 23, description: "The clock hour in the zone; null for other periods." }),
      ),
      ...picking,
    }),
    { description: rows_text },
  ),
  totals: { ...closed(picking), description: "The figures of all rows together." },
});

const labelCosts = {
  carrier: Type.String({ description: "The carrier's code, such as `usps`." }),
  currency: Type.String(),
  label_count: number("Labels that are valid now."),
  cost: amount("The amount charged for them."),
  carrier_cost: amount("The carrier's price for them."),
  voided_count: number("Labels that were bought and voided later. They cost nothing."),
};
export const CarrierCostReport = closed({
  ...head,
  group_by: choice(groupings, { description: group_by_text }),
  rows: Type.Array(closed({ ...rowPeriod, ...labelCosts }), {
    description: "One row for each period, carrier and currency with labels, oldest period first.",
  }),
  totals: Type.Array(closed(labelCosts), {
    description: "The totals of each carrier and currency.",
  }),
});

export const SalesReport = closed({
  ...head,
  row_count,
  rows: Type.Array(
    closed({
      ...product,
      currency: Type.String(),
      orders: number("Orders with a line of this SKU that is not completely cancelled."),
      units_ordered: number("Units in all lines of the SKU, cancelled ones included."),
      units_cancelled: number("Of these, units cancelled since."),
      units_sold: number("`units_ordered` − `units_cancelled`."),
      units_shipped: number("Of the units sold, those shipped since."),
      units_returned: number("Of the units shipped, those returned since."),
      revenue: amount("The price of the units sold, after line discounts and without shipping."),
      merchant_id: OwnerView,
    }),
    { description: "One row for each SKU and currency, most revenue first, at most `limit`." },
  ),
  totals: Type.Array(
    closed({
      currency: Type.String(),
      units_sold: number("Units sold, of all SKUs."),
      revenue: amount("The price of these units, after line discounts and without shipping."),
    }),
    { description: "The totals of all SKUs, by currency." },
  ),
});

const bands = {
  days_0_30: number("Units of at most 30 days."),
  days_31_60: number("Units of 31 to 60 days."),
  days_61_90: number("Units of 61 to 90 days."),
  days_91_180: number("Units of 91 to 180 days."),
  days_181_365: number("Units of 181 to 365 days."),
  days_over_365: number("Units of more than 365 days."),
};
export const AgeingReport = closed({
  at: timestamp("The time of the figures: now."),
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
    { description: "One row for each SKU with stock, oldest units first, at most `limit`." },
  ),
  totals: {
    ...closed({ on_hand: number("Units on hand, of all SKUs."), ...bands }),
    description: "The units of all SKUs.",
  },
});

const turning = {
  units_shipped: number("Units shipped to customers."),
  opening_units: number("Units on hand at the start of the first day."),
  closing_units: number("Units on hand at the end of the last day, or now if it has not ended."),
  average_units: Type.Number({ description: "The average of the two." }),
  turns: nullable(Type.Number({ description: "`units_shipped` divided by `average_units`; null if that is zero." })),
  annual_turns: nullable(Type.Number({ description: "The turns, extrapolated to 365 days; null if `turns` is." })),
  days_on_hand: nullable(
    Type.Number({ description: "Days for which the average stock lasts; null if nothing shipped." }),
  ),
};
export const TurnsReport = closed({
  ...head,
  row_count,
  rows: Type.Array(closed({ ...product, ...turning, merchant_id: OwnerView }), {
    description: "One row for each SKU, most shipped units first, at most `limit`.",
  }),
  totals: { ...closed(turning), description: "The figures of all SKUs together." },
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
