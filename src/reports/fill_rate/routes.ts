import type { Db } from "../../database/store.ts";
import { localTime } from "../../kit/zone.ts";
import { type Day, share, stretchesOf } from "../calendar.ts";
import { FillRateReport, GroupedExport, GroupedQuery } from "../schemas.ts";
import { eachDay, headOf, type Report, type Source, spanOf } from "../store.ts";
import { type FilledLine, findFilling, type LeftUnits } from "./store.ts";

type Figures = FillRateReport["totals"];
type Counts = Omit<Figures, "order_fill_rate" | "line_fill_rate" | "unit_fill_rate">;

/** How much of the ordered units left with the first parcels. */
export const fillRateReport: Report = {
  name: "fill-rate",
  id: "FillRate",
  summary: "Report the fill rate of orders, lines and units",
  description:
    "The fill rate of the orders created in these days of which anything has left: a line is filled if all" +
    " its units left" +
    " on the day on which the order's first parcel left. Cancelled units do not count, and a line" +
    " without other units is left out. By orders (all lines filled), by lines and by units. Imported past" +
    " orders are left" +
    " out.",
  query: GroupedQuery,
  exported: GroupedExport,
  view: FillRateReport,
  find: findFillRate,
};

async function findFillRate(source: Source, { group_by = "day", ...asked }: GroupedQuery) {
  const span = await spanOf(source, asked);
  const look = async (db: Db, day: Day): Promise<Counts> => {
    const { lines, left } = await findFilling(db, day);
    return countFilling(lines, left, span.timezone);
  };
  const byDay = await eachDay(source, span.days, look);
  const figuresOf = (days: readonly number[]): Figures => {
    const sum = days.reduce((all, day) => added(all, byDay.get(day) ?? nothing), nothing);
    return {
      orders: sum.orders,
      orders_filled: sum.orders_filled,
      order_fill_rate: share(sum.orders_filled, sum.orders),
      lines: sum.lines,
      lines_filled: sum.lines_filled,
      line_fill_rate: share(sum.lines_filled, sum.lines),
      units: sum.units,
      units_at_first: sum.units_at_first,
      unit_fill_rate: share(sum.units_at_first, sum.units),
    };
  };
  return {
    head: { ...headOf(span), group_by },
    rows: stretchesOf(span.days, group_by).map(({ from, to, days }) => ({ from, to, ...figuresOf(days) })),
    totals: figuresOf([...byDay.keys()]),
  };
}

const nothing: Counts = { orders: 0, orders_filled: 0, lines: 0, lines_filled: 0, units: 0, units_at_first: 0 };

function added(sum: Counts, more: Counts): Counts {
  return {
    orders: sum.orders + more.orders,
    orders_filled: sum.orders_filled + more.orders_filled,
    lines: sum.lines + more.lines,
    lines_filled: sum.lines_filled + more.lines_filled,
    units: sum.units + more.units,
    units_at_first: sum.units_at_first + more.units_at_first,
  };
}

/**
 * The units of these lines that left on the day of their order's first parcel; lines of orders that have not left at
 * all are left out.
 */
function countFilling(lines: readonly FilledLine[], left: readonly LeftUnits[], timezone: string): Counts {
  const dayOf = ({ shipped_at }: LeftUnits) => localTime(shipped_at, timezone).day;
  const first = new Map<number, number>();
  for (const units of left) {
    first.set(units.order_id, Math.min(first.get(units.order_id) ?? Number.POSITIVE_INFINITY, dayOf(units)));
  }
  const at_first = new Map<number, number>();
  for (const units of left) {
    if (dayOf(units) !== first.get(units.order_id)) continue;
    at_first.set(units.line_id, (at_first.get(units.line_id) ?? 0) + units.quantity);
  }
  const begun = Map.groupBy(
    lines.filter(({ order_id }) => first.has(order_id)),
    ({ order_id }) => order_id,
  );
  let sum = nothing;
  for (const own of begun.values()) {
    const filled = own.filter(({ line_id, wanted }) => (at_first.get(line_id) ?? 0) >= wanted);
    sum = added(sum, {
      orders: 1,
      orders_filled: filled.length === own.length ? 1 : 0,
      lines: own.length,
      lines_filled: filled.length,
      units: own.reduce((all, { wanted }) => all + wanted, 0),
      units_at_first: own.reduce((all, { line_id, wanted }) => all + Math.min(at_first.get(line_id) ?? 0, wanted), 0),
    });
  }
  return sum;
}
