import { localTime, readDay } from "../core/time_zone.ts";
import { listCalendars } from "../inventory/warehouses/warehouses.sql.ts";
import { publicOrderStatuses } from "../orders/order.transitions.ts";
import type { Db } from "../storage/database.ts";
import { countByStatus, type FillRateLine, findFilling, type LeftUnits, punctualityOf } from "./order_reports.sql.ts";
import { type ReportDay, share, shipByDaysOf, sumsOf } from "./report_days.ts";
import { FillRateReport, GroupedExport, GroupedQuery, OnTimeReport, OrdersReport } from "./reports.schema.ts";
import { eachDay, groupedResult, type ReportDefinition, type ReportSource, spanOf } from "./reports.sql.ts";

type FillRateFigures = FillRateReport["totals"];
const fill_rate_counts = ["orders", "orders_filled", "lines", "lines_filled", "units", "units_at_first"] as const;
type FillRateCounts = Pick<FillRateFigures, (typeof fill_rate_counts)[number]>;

/** The report of the fill rate: the share of ordered units that shipped on the first day. */
export const fillRateReport: ReportDefinition = {
  name: "fill_rate",
  id: "FillRate",
  summary: "Report the fill rate of orders, lines and units",
  description:
    "The fill rate of the orders created in the period that have shipped at least partly, by orders, lines and" +
    " units. A line is filled if all its units shipped on the day of the order's first parcel. An order is filled" +
    " if all its lines are. Cancelled units do not count, and fully cancelled lines are left out. Imported past" +
    " orders are left out.",
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
  return groupedResult(span, group_by, (days): FillRateFigures => {
    const sum = sumsOf(
      fill_rate_counts,
      days.flatMap((day) => byDay.get(day) ?? []),
    );
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
  });
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
  const counts = [...begun.values()].map((own): FillRateCounts => {
    const filled = own.filter(({ line_id, wanted }) => (at_first.get(line_id) ?? 0) >= wanted);
    return {
      orders: 1,
      orders_filled: filled.length === own.length ? 1 : 0,
      lines: own.length,
      lines_filled: filled.length,
      units: own.reduce((all, { wanted }) => all + wanted, 0),
      units_at_first: own.reduce((all, { line_id, wanted }) => all + Math.min(at_first.get(line_id) ?? 0, wanted), 0),
    };
  });
  return sumsOf(fill_rate_counts, counts);
}

type OnTimeFigures = OnTimeReport["totals"];
const on_time_counts = ["due", "on_time", "late", "open"] as const;
type OnTimeCounts = Pick<OnTimeFigures, (typeof on_time_counts)[number]>;

/** The report of orders that shipped by the day on which they were due. */
export const onTimeReport: ReportDefinition = {
  name: "on_time",
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
    const found: OnTimeCounts[] = [];
    for (const { warehouse, byDay } of departures) {
      const departure = byDay.get(day);
      if (departure === undefined) continue;
      const { due, on_time, open } = await punctualityOf(db, departure, warehouse);
      const isOver = span.now >= departure.deadline;
      found.push({ due, on_time, late: due - on_time - (isOver ? 0 : open), open: isOver ? 0 : open });
    }
    return sumsOf(on_time_counts, found);
  };
  const byDay = await eachDay(source, span.days, look);
  return groupedResult(span, group_by, (days): OnTimeFigures => {
    const sum = sumsOf(
      on_time_counts,
      days.flatMap((day) => byDay.get(day) ?? []),
    );
    return { ...sum, on_time_share: share(sum.on_time, sum.on_time + sum.late) };
  });
}

type OrderStatusCounts = OrdersReport["totals"];

/** Orders by the day of their creation. */
export const ordersReport: ReportDefinition = {
  name: "orders",
  id: "Orders",
  summary: "Report orders by day of creation and current status",
  description:
    "Counts orders by the day of their creation and their current status, so figures of past days change as orders" +
    " progress. An order on hold counts only as `on_hold`. Imported past orders count on the day of their original" +
    " creation.",
  query: GroupedQuery,
  exported: GroupedExport,
  view: OrdersReport,
  find: findOrders,
};

async function findOrders(source: ReportSource, { group_by = "day", ...asked }: GroupedQuery) {
  const span = await spanOf(source, asked);
  const byDay = await eachDay(source, span.days, countByStatus);
  return groupedResult(span, group_by, (days): OrderStatusCounts => {
    const count = (status: (typeof publicOrderStatuses)[number]) =>
      days.reduce((sum, day) => sum + (byDay.get(day)?.get(status) ?? 0), 0);
    const counts = Object.fromEntries(publicOrderStatuses.map((status) => [status, count(status)]));
    const total = Object.values(counts).reduce((sum, some) => sum + some, 0);
    return { total, ...counts } as OrderStatusCounts;
  });
}
