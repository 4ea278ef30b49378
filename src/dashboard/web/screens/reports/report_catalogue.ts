// The reports: columns, plot and parameters of each.
import type {
  AgeingReport,
  CarrierCostReport,
  FillRateReport,
  OnTimeReport,
  OrdersReport,
  PickingReport,
  SalesReport,
  TurnsReport,
} from "../../api/types.ts";
import type { PlotDrawing, Series } from "../../components/plot_drawing.ts";
import { count, money, roundMoney, share, shortDate } from "../../text/format.ts";
import { type ReportName, reportTexts as texts } from "../../text/reports.ts";
import { carrierSeries, ordersSeries } from "./report_series.ts";

/** A row of any report. */
export type ReportRow = Readonly<Record<string, string | number | null>>;

/** The response of any report. */
export interface ReportAnswer {
  readonly timezone?: string;
  readonly from?: string;
  readonly to?: string;
  readonly row_count?: number;
  readonly rows: readonly ReportRow[];
  readonly totals: ReportRow | readonly ReportRow[];
}

/** The plot of a report; null if there is nothing to draw. */
type Drawn = Pick<PlotDrawing, "kind" | "labels" | "series" | "format" | "max" | "scale"> | null;

/** The settings of a report. */
export interface ShownReport {
  /** Shown to operator users only, because it covers the work of staff or carrier costs. */
  readonly operator_only?: true;
  readonly name: ReportName;
  /** The groupings of its rows; none if the rows are products. */
  readonly groupings: readonly string[];
  /** Whether the report has a period. */
  readonly has_period: boolean;
  readonly columns: readonly (keyof typeof texts.columns)[];
  readonly draw: (report: ReportAnswer) => Drawn;
}

const stretches = ["day", "week", "month"] as const;
const days = (rows: readonly { readonly from: string }[]) => rows.map(({ from }) => shortDate(from));
const line = (name: string, values: readonly (number | null)[], at = 1): Series => ({
  name,
  color: `--plot-${at}`,
  values,
});
const percent = (value: number) => share(value);
const top_max = 10;

/** Bars of the rows with the highest values, by SKU. */
function topOf(
  rows: readonly ReportRow[],
  field: keyof typeof texts.columns & string,
): Pick<PlotDrawing, "labels" | "series"> {
  const first = rows.toSorted((a, b) => Number(b[field] ?? 0) - Number(a[field] ?? 0)).slice(0, top_max);
  return {
    labels: first.map(({ sku }) => String(sku)),
    series: [
      line(
        texts.columns[field],
        first.map((row) => Number(row[field] ?? 0)),
      ),
    ],
  };
}

const as = <One>(report: ReportAnswer) => report as unknown as One;

const bands = ["days_0_30", "days_31_60", "days_61_90", "days_91_180", "days_181_365", "days_over_365"] as const;

/** All reports, in display order. */
export const reports: readonly ShownReport[] = [
  {
    name: "orders",
    groupings: stretches,
    has_period: true,
    columns: ["from", "total"],
    draw: (report) => {
      const { rows } = as<OrdersReport>(report);
      return { kind: "bars", labels: days(rows), series: ordersSeries(rows), format: count };
    },
  },
  {
    name: "on_time",
    groupings: stretches,
    has_period: true,
    columns: ["from", "due", "on_time", "late", "open", "on_time_share"],
    draw: (report) => {
      const { rows } = as<OnTimeReport>(report);
      const values = rows.map(({ on_time_share }) => on_time_share);
      return {
        kind: "line",
        labels: days(rows),
        series: [line(texts.columns.on_time_share, values)],
        max: 1,
        format: percent,
      };
    },
  },
  {
    name: "units_picked",
    operator_only: true,
    groupings: ["hour", ...stretches],
    has_period: true,
    columns: ["from", "hour", "units", "picks", "assumed_units", "active_hours", "units_per_hour"],
    draw: (report) => {
      const { rows } = as<PickingReport>(report);
      const labels = rows.map(({ from, hour }) => (hour === null ? shortDate(from) : `${shortDate(from)} ${hour}:00`));
      return {
        kind: "bars",
        labels,
        series: [
          line(
            texts.columns.units,
            rows.map(({ units }) => units),
            3,
          ),
        ],
        format: count,
      };
    },
  },
  {
    name: "carrier_cost",
    operator_only: true,
    groupings: stretches,
    has_period: true,
    columns: ["from", "carrier", "currency", "label_count", "cost", "carrier_cost", "voided_count"],
    draw: (report) => {
      const { labels, series, currency } = carrierSeries(as<CarrierCostReport>(report));
      const format = (value: number) => money(value, currency);
      return {
        kind: "bars",
        labels: labels.map(shortDate),
        series,
        format,
        scale: (value) => roundMoney(value, currency),
      };
    },
  },
  {
    name: "sales",
    groupings: [],
    has_period: true,
    columns: [
      ...(["sku", "name", "orders", "units_ordered", "units_cancelled", "units_sold", "units_shipped"] as const),
      ...(["units_returned", "revenue"] as const),
    ],
    draw: (report) => {
      const { rows } = as<SalesReport>(report);
      const currency = rows[0]?.currency ?? "USD";
      const format = (value: number) => money(value, currency);
      const top = topOf(
        rows.filter((row) => row.currency === currency),
        "revenue",
      );
      return { kind: "bars", ...top, format, scale: (value) => roundMoney(value, currency) };
    },
  },
  {
    name: "stock_ageing",
    groupings: [],
    has_period: false,
    columns: ["sku", "name", "on_hand", ...bands, "oldest_days", "average_days"],
    draw: (report) => {
      const { totals } = as<AgeingReport>(report);
      const values = bands.map((band) => totals[band]);
      const labels = bands.map((band) => texts.columns[band]);
      return { kind: "bars", labels, series: [line(texts.columns.units, values, 2)], format: count };
    },
  },
  {
    name: "stock_turns",
    groupings: [],
    has_period: true,
    columns: [
      ...(["sku", "name", "units_shipped", "opening_units", "closing_units", "average_units"] as const),
      ...(["turns", "annual_turns", "days_on_hand"] as const),
    ],
    draw: (report) => ({
      kind: "bars",
      ...topOf(as<TurnsReport>(report).rows, "turns"),
      format: (value) => count(value),
    }),
  },
  {
    name: "fill_rate",
    groupings: stretches,
    has_period: true,
    columns: [
      ...(["from", "orders", "orders_filled", "order_fill_rate", "lines", "lines_filled"] as const),
      ...(["line_fill_rate", "units", "units_at_first", "unit_fill_rate"] as const),
    ],
    draw: (report) => {
      const { rows } = as<FillRateReport>(report);
      const values = rows.map(({ line_fill_rate }) => line_fill_rate);
      return {
        kind: "line",
        labels: days(rows),
        series: [line(texts.columns.line_fill_rate, values)],
        max: 1,
        format: percent,
      };
    },
  },
];
