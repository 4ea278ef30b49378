import { localTime, readDay } from "../core/time_zone.ts";
import { listCalendars } from "../inventory/warehouses/warehouses.sql.ts";
import { publicOrderStatuses } from "../orders/order.transitions.ts";
import type { Db } from "../storage/database.ts";
import { countByStatus, type FillRateLine, findFilling, type LeftUnits, punctualityOf } from "./order_reports.sql.ts";
import { type ReportDay, reportPeriodsOf, share, shipByDaysOf } from "./report_days.ts";
import { FillRateReport, GroupedExport, GroupedQuery, OnTimeReport, OrdersReport } from "./reports.schema.ts";
import { eachDay, headOf, type ReportDefinition, type ReportSource, spanOf } from "./reports.sql.ts";

type FillRateFigures = FillRateReport["totals"];
type FillRateCounts = Omit<FillRateFigures, "order_fill_rate" | "line_fill_rate" | "unit_fill_rate">;

/** The report of the fill rate: the share of ordered units that shipped on the first day. */
export const fillRateReport: ReportDefinition = {
  name: "fill-rate",
  id: "FillRate",
  summary: "Report the fill rate of orders, lines and units",
  description:
    "The fill rate of the orders created in the period that have shipped at least partly, by orders, lines and" +
    " units. A line is filled if all its units shipped on the day of the order's first parcel. An order is filled" +
    " if all its lines are. Cancelled units do not count, and fully cancelled lines are left out. Imported past" +
    " orders are left" +
    " out.",
  query: GroupedQuery,
  exported: GroupedExport,
  view: FillRateReport,
  find: findFillRate,
};

async function findFillRate(source: ReportSource, { group_by = "day", ...asked }: GroupedQuery) {
  const span = await spanOf(source, asked);
  const look = async (db: Db, day: ReportDay): Promise<FillRateCounts> => {
    const { lines, left } = await findFilling(db, day);
    return countFilling(lines, left, span.timezone);
  };
  const byDay = await eachDay(source, span.days, look);
  const figuresOf = (days: readonly number[]): FillRateFigures => {
    const sum = days.reduce((all, day) => added(all, byDay.get(day) ?? no_fill_rate_counts), no_fill_rate_counts);
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
    rows: reportPeriodsOf(span.days, group_by).map(({ from, to, days }) => ({ from, to, ...figuresOf(days) })),
    totals: figuresOf([...byDay.keys()]),
  };
}

const no_fill_rate_counts: FillRateCounts = {
  orders: 0,
  orders_filled: 0,
  lines: 0,
  lines_filled: 0,
  units: 0,
  units_at_first: 0,
};

function added(sum: FillRateCounts, more: FillRateCounts): FillRateCounts {
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
 * The units of these lines that shipped on the day of their order's first parcel. Lines of orders that have not shipped
 * at all are left out.
 */
function countFilling(lines: readonly FillRateLine[], left: readonly LeftUnits[], timezone: string): FillRateCounts {
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
  let sum = no_fill_rate_counts;
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

type OnTimeFigures = OnTimeReport["totals"];
type OnTimeCounts = Omit<OnTimeFigures, "on_time_share">;

/** The report of orders that shipped by the day on which they were due. */
export const onTimeReport: ReportDefinition = {
  name: "on-time",
  id: "OnTime",
  summary: "Report the on-time shipping rate",
  description:
    "An order is due to ship on the day it was created, or on the warehouse's next working day if it was created" +
    " after the cut-off or on a day off. It is on time if its last parcel was handed over by" +
    " the end of that day. Holds and missing stock make no difference. Cancelled and imported past orders are left" +
    " out. An order without a warehouse counts by the calendar of the first one.",
  query: GroupedQuery,
  exported: GroupedExport,
  view: OnTimeReport,
  find: findOnTime,
};

async function findOnTime(source: ReportSource, { group_by = "day", ...asked }: GroupedQuery) {
  const span = await spanOf(source, asked);
  const calendars = await source.read(listCalendars);
  const [first, last] = [readDay(span.from) ?? 0, readDay(span.to) ?? 0];
  const departures = calendars.map((calendar, at) => ({
    warehouse: { id: calendar.id, isFirst: at === 0, isOnly: calendars.length === 1 },
    byDay: new Map(shipByDaysOf(calendar, first, last).map((departure) => [departure.day, departure])),
  }));
  const look = async (db: Db, { day }: ReportDay): Promise<OnTimeCounts> => {
    const found = noOnTimeCounts();
    for (const { warehouse, byDay } of departures) {
      const departure = byDay.get(day);
      if (departure === undefined) continue;
      const { due, on_time, open } = await punctualityOf(db, departure, warehouse);
      const isOver = span.now >= departure.deadline;
      add(found, { due, on_time, late: due - on_time - (isOver ? 0 : open), open: isOver ? 0 : open });
    }
    return found;
  };
  const byDay = await eachDay(source, span.days, look);
  const figuresOf = (days: readonly number[]): OnTimeFigures => {
    const sum = noOnTimeCounts();
    for (const day of days) add(sum, byDay.get(day) ?? noOnTimeCounts());
    return { ...sum, on_time_share: share(sum.on_time, sum.on_time + sum.late) };
  };
  return {
    head: { ...headOf(span), group_by },
    rows: reportPeriodsOf(span.days, group_by).map(({ from, to, days }) => ({ from, to, ...figuresOf(days) })),
    totals: figuresOf([...byDay.keys()]),
  };
}

const noOnTimeCounts = (): OnTimeCounts => ({ due: 0, on_time: 0, late: 0, open: 0 });

function add(sum: OnTimeCounts, { due, on_time, late, open }: OnTimeCounts): void {
  sum.due += due;
  sum.on_time += on_time;
  sum.late += late;
  sum.open += open;
}

type OrderStatusCounts = OrdersReport["totals"];

/** Orders by the day of their creation. */
export const ordersReport: ReportDefinition = {
  name: "orders",
  id: "Orders",
  summary: "Report orders by day of creation and current status",
  description:
    "An order counts on the day of its creation, by its current status. An order on hold counts only as `on_hold`." +
    " Imported past orders count on the day of their original creation.",
  query: GroupedQuery,
  exported: GroupedExport,
  view: OrdersReport,
  find: findOrders,
};

async function findOrders(source: ReportSource, { group_by = "day", ...asked }: GroupedQuery) {
  const span = await spanOf(source, asked);
  const byDay = await eachDay(source, span.days, countByStatus);
  const countsOf = (days: readonly number[]): OrderStatusCounts => {
    const count = (status: (typeof publicOrderStatuses)[number]) =>
      days.reduce((sum, day) => sum + (byDay.get(day)?.get(status) ?? 0), 0);
    const counts = Object.fromEntries(publicOrderStatuses.map((status) => [status, count(status)]));
    const total = Object.values(counts).reduce((sum, some) => sum + some, 0);
    return { total, ...counts } as OrderStatusCounts;
  };
  return {
    head: { ...headOf(span), group_by },
    rows: reportPeriodsOf(span.days, group_by).map(({ from, to, days }) => ({ from, to, ...countsOf(days) })),
    totals: countsOf([...byDay.keys()]),
  };
}
