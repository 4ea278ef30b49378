// The days of a report, and the periods that group them into rows.

import type { Period } from "../core/time_zone.ts";
import { dayText, momentAt, readDay, weekdayOf, weekdays } from "../core/time_zone.ts";
import { type DispatchCalendar, workingDay } from "../inventory/warehouses/dispatch_calendar.ts";

export const groupings = ["day", "week", "month"] as const;
type Grouping = (typeof groupings)[number];

/** A day in a time zone, counted since 1970-01-01, with its start and end (ms). */
export interface ReportDay {
  readonly day: number;
  readonly since: number;
  readonly until: number;
}

/** The days of one row of a report. A week or month at the edge of the period has only the days within it. */
interface ReportPeriod {
  readonly from: string;
  readonly to: string;
  readonly days: readonly number[];
}

/** Each day of a period. */
export function daysOf({ from, to }: Pick<Period, "from" | "to">, timezone: string): ReportDay[] {
  const [first, last] = [readDay(from) ?? 0, readDay(to) ?? 0];
  const days: ReportDay[] = [];
  let since = momentAt({ day: first, minute: 0 }, timezone);
  for (let day = first; day <= last; day++) {
    const until = momentAt({ day: day + 1, minute: 0 }, timezone);
    days.push({ day, since, until });
    since = until;
  }
  return days;
}

/** Groups days into days, weeks that start on Monday, or calendar months. */
export function reportPeriodsOf(days: readonly ReportDay[], grouping: Grouping): ReportPeriod[] {
  const groups = Map.groupBy(
    days.map(({ day }) => day),
    (day) => nameOf(day, grouping),
  );
  return [...groups.values()].map((own) => ({
    from: dayText(own[0] ?? 0),
    to: dayText(own.at(-1) ?? 0),
    days: own,
  }));
}

function nameOf(day: number, grouping: Grouping): string {
  switch (grouping) {
    case "day":
      return dayText(day);
    case "week":
      return dayText(day - weekdayOf(day));
    case "month":
      return dayText(day).slice(0, 7);
  }
}

/**
 * A working day on which orders created from `since` until `until` (ms) are due to ship. `until` is its cut-off.
 */
export interface ShipByDay {
  readonly day: number;
  readonly since: number;
  readonly until: number;
  /** The end of the day itself (ms). */
  readonly deadline: number;
}

// How far back a calendar is searched for a working day.
const days_back_max = 800;

/** The working days of a calendar between two days, each with the creation times of the orders due on it. */
export function shipByDaysOf(calendar: DispatchCalendar, first: number, last: number): ShipByDay[] {
  const { timezone } = calendar;
  const [hours = 0, minutes = 0] = calendar.cutoff_time.split(":").map(Number);
  const cutoff = (day: number) => momentAt({ day, minute: hours * 60 + minutes }, timezone);
  const departures: ShipByDay[] = [];
  const before = workingDayBefore(first, calendar);
  let since = before === null ? 0 : cutoff(before);
  for (let day = workingDay(first, calendar); day !== null && day <= last; day = workingDay(day + 1, calendar)) {
    const until = cutoff(day);
    departures.push({ day, since, until, deadline: momentAt({ day: day + 1, minute: 0 }, timezone) });
    since = until;
  }
  return departures;
}

function workingDayBefore(day: number, { working_days, holidays }: DispatchCalendar): number | null {
  for (let earlier = day - 1; earlier > day - days_back_max; earlier--) {
    const isWorking = working_days.includes(weekdays[weekdayOf(earlier)] ?? "mon");
    if (isWorking && !holidays.includes(dayText(earlier))) return earlier;
  }
  return null;
}

/** `part / whole`, to four decimals; null if the whole is zero. */
export function share(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}

/** The sum of each of these fields of some records. */
export function sumsOf<Name extends string>(
  names: readonly Name[],
  records: readonly Readonly<Record<Name, number>>[],
): Record<Name, number> {
  const sums = names.map((name) => [name, records.reduce((sum, record) => sum + record[name], 0)]);
  return Object.fromEntries(sums) as Record<Name, number>;
}
