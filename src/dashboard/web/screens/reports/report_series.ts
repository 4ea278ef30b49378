// The series of the report plots, from their rows.
import { day_ms } from "../../../../core/time.ts";
import type { CarrierCostReport, OrdersReport, PickingReport } from "../../api/types.ts";
import type { Series } from "../../components/plot_drawing.ts";
import { stateWords } from "../../text/states.ts";

/** The states of orders from last to first, with their colors. */
const states = [
  ["delivered", "--plot-1"],
  ["shipped", "--plot-3"],
  ["fulfilled", "--plot-5"],
  ["processing", "--plot-2"],
  ["pending", "--plot-4"],
  ["on_hold", "--plot-6"],
  ["cancelled", "--line-strong"],
] as const;

/** The states of orders, in the order of their table. */
export const orderStates: readonly string[] = states.map(([state]) => state).toReversed();

/** Orders by status as stacked series. Statuses without orders are left out. */
export function ordersSeries(rows: OrdersReport["rows"]): Series[] {
  return states
    .map(([state, color]) => ({ name: stateWords(state), color, values: rows.map((row) => row[state]) }))
    .filter(({ values }) => values.some((value) => value > 0));
}

/** The sum of a series. */
export function sumOf({ values }: Series): number {
  return values.reduce((sum: number, value) => sum + (value ?? 0), 0);
}

const two = (hour: number) => String(hour).padStart(2, "0");

/** The units picked on a day by hour, from the first to the last hour with picks. */
export function hoursOf(rows: PickingReport["rows"], date: string): { labels: string[]; values: number[] } {
  const own = rows.filter(({ from }) => from === date);
  const hours = own.map(({ hour }) => hour ?? 0);
  const first = Math.min(...hours, 8);
  const last = Math.max(...hours, 16);
  const all = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  return {
    labels: all.map((hour) => `${two(hour)}:00`),
    values: all.map((hour) => own.find((row) => row.hour === hour)?.units ?? 0),
  };
}

const colors = ["--plot-1", "--plot-2", "--plot-3", "--plot-4", "--plot-5", "--plot-6"] as const;

/** Every day of a report, including days without a row. */
function daysOf({ from, to }: { readonly from: string; readonly to: string }): string[] {
  const count = (Date.parse(to) - Date.parse(from)) / day_ms + 1;
  return Array.from({ length: count }, (_, at) => new Date(Date.parse(from) + at * day_ms).toISOString().slice(0, 10));
}

/** The cost per carrier as stacked series, in the currency of most labels. */
export function carrierSeries(report: CarrierCostReport): { labels: string[]; series: Series[]; currency: string } {
  const currency = report.totals.toSorted((a, b) => b.label_count - a.label_count)[0]?.currency ?? "USD";
  const rows = report.rows.filter((row) => row.currency === currency);
  const labels = report.group_by === "day" ? daysOf(report) : [...new Set(rows.map(({ from }) => from))];
  const carriers = [...new Set(rows.map(({ carrier }) => carrier))];
  const series = carriers.map((carrier, at) => ({
    name: stateWords(carrier),
    color: colors[at % colors.length] ?? "--plot-1",
    values: labels.map((from) => rows.find((row) => row.from === from && row.carrier === carrier)?.cost ?? 0),
  }));
  return { labels, series, currency };
}
