import { invalid } from "../../core/faults.ts";
import {
  checkTimezone,
  dayText,
  localTime,
  momentAt,
  readDay,
  type Weekday,
  weekdayOf,
  weekdays,
} from "../../core/time_zone.ts";

/** When orders leave a warehouse. */
export interface DispatchCalendar {
  /** IANA time zone of all its days and times. */
  readonly timezone: string;
  readonly working_days: readonly Weekday[];
  /** Days (`YYYY-MM-DD`) on which nothing leaves, even if they are working days. */
  readonly holidays: readonly string[];
  /** Orders placed before this time (`HH:MM`) on a working day leave on the same day. */
  readonly cutoff_time: string;
}

/** The dispatch calendar of a warehouse. */
export interface WarehouseCalendar extends DispatchCalendar {
  readonly id: number;
}

// A calendar whose holidays leave no working day for longer has none in sight.
const days_ahead_max = 800;

/** The day on which an order placed at a time (ms) leaves, in days since 1970-01-01; null when no day is in sight. */
export function dispatchDay(at: number, calendar: DispatchCalendar): number | null {
  const { day, minute } = localTime(at, calendar.timezone);
  return workingDay(minute < cutoffMinute(calendar) ? day : day + 1, calendar);
}

/** The day itself if orders leave on it, otherwise the next such day; null when none is in sight. */
export function workingDay(from: number, { working_days, holidays }: DispatchCalendar): number | null {
  for (let day = from; day < from + days_ahead_max; day++) {
    const isWorking = working_days.includes(weekdays[weekdayOf(day)] ?? "mon");
    if (isWorking && (holidays.length === 0 || !holidays.includes(dayText(day)))) return day;
  }
  return null;
}

/**
 * Whether a time (ms) is outside working hours: true on a day on which nothing leaves. Null on any other day, since a
 * warehouse does not state its working hours.
 */
export function isOutsideHours(at: number, calendar: DispatchCalendar): true | null {
  const { day } = localTime(at, calendar.timezone);
  return workingDay(day, calendar) === day ? null : true;
}

/** The cut-off (ms) on the day on which an order placed at a time (ms) leaves; null when no day is in sight. */
export function cutoffFor(at: number, calendar: DispatchCalendar): number | null {
  const day = dispatchDay(at, calendar);
  return day === null ? null : cutoffOf(day, calendar);
}

/** The last cut-off (ms) before a time: orders placed before it were to leave by then. Null when there is none. */
export function cutoffBefore(moment: number, calendar: DispatchCalendar): number | null {
  const { day: last } = localTime(moment, calendar.timezone);
  for (let day = last; day > last - days_ahead_max; day--) {
    if (workingDay(day, calendar) === day && cutoffOf(day, calendar) < moment) return cutoffOf(day, calendar);
  }
  return null;
}

const cutoffOf = (day: number, calendar: DispatchCalendar) =>
  momentAt({ day, minute: cutoffMinute(calendar) }, calendar.timezone);

function cutoffMinute({ cutoff_time }: DispatchCalendar): number {
  return Number(cutoff_time.slice(0, 2)) * 60 + Number(cutoff_time.slice(3));
}

/** The calendar of a warehouse that states none. */
export const defaultCalendar: DispatchCalendar = {
  timezone: "America/New_York",
  working_days: ["mon", "tue", "wed", "thu", "fri"],
  holidays: [],
  cutoff_time: "14:00",
};

/** The calendar fields of a request. */
type CalendarInput = { readonly [Field in keyof DispatchCalendar]?: DispatchCalendar[Field] | undefined };

/** The calendar fields of a request, with its days sorted and without duplicates. Refuses: validation_failed. */
export function readCalendar({ timezone, working_days, holidays, cutoff_time }: CalendarInput) {
  if (timezone !== undefined) checkTimezone(timezone);
  const wrong = holidays?.findIndex((text) => readDay(text) === null) ?? -1;
  if (wrong >= 0) throw invalid(`holidays[${wrong}]`, "is not a valid date");
  return {
    ...(timezone === undefined ? {} : { timezone }),
    ...(working_days === undefined ? {} : { working_days: weekdays.filter((day) => working_days.includes(day)) }),
    ...(holidays === undefined ? {} : { holidays: [...new Set(holidays)].sort() }),
    ...(cutoff_time === undefined ? {} : { cutoff_time }),
  };
}
