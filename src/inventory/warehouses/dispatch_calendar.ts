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
  /** IANA time zone, in which all of it counts. */
  readonly timezone: string;
  readonly working_days: readonly Weekday[];
  /** Days (`YYYY-MM-DD`) on which nothing leaves all the same. */
  readonly holidays: readonly string[];
  /** Until this time (`HH:MM`) of a working day what comes leaves on the same day. */
  readonly cutoff_time: string;
}

/** When orders leave which warehouse. */
export interface WarehouseCalendar extends DispatchCalendar {
  readonly id: number;
}

// A calendar whose holidays leave no day free for longer promises nothing.
const days_ahead_max = 800;

/** The day on which what comes at a moment (ms) leaves, in days since 1970-01-01; null when no day is in sight. */
export function dispatchDay(at: number, calendar: DispatchCalendar): number | null {
  const { day, minute } = localTime(at, calendar.timezone);
  return workingDay(minute < cutoffMinute(calendar) ? day : day + 1, calendar);
}

/** The day itself when orders leave on it, else the next such day; null when none is in sight. */
export function workingDay(from: number, { working_days, holidays }: DispatchCalendar): number | null {
  for (let day = from; day < from + days_ahead_max; day++) {
    const isWorking = working_days.includes(weekdays[weekdayOf(day)] ?? "mon");
    if (isWorking && (holidays.length === 0 || !holidays.includes(dayText(day)))) return day;
  }
  return null;
}

/**
 * Whether a moment (ms) is outside working hours: true on a day on which nothing leaves, and null on any other, since a
 * warehouse does not say at what hours it works.
 */
export function isOutsideHours(at: number, calendar: DispatchCalendar): true | null {
  const { day } = localTime(at, calendar.timezone);
  return workingDay(day, calendar) === day ? null : true;
}

/** The cut-off (ms) until which what comes at a moment is to leave; null when no day is in sight. */
export function cutoffFor(at: number, calendar: DispatchCalendar): number | null {
  const day = dispatchDay(at, calendar);
  return day === null ? null : cutoffOf(day, calendar);
}

/** The last cut-off (ms) before a moment: what came before it was to leave by then. Null when there is none. */
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

/** The calendar of a warehouse of which nothing else is said. */
export const defaultCalendar: DispatchCalendar = {
  timezone: "America/New_York",
  working_days: ["mon", "tue", "wed", "thu", "fri"],
  holidays: [],
  cutoff_time: "14:00",
};

/** What a request says of a calendar. */
type CalendarInput = { readonly [Field in keyof DispatchCalendar]?: DispatchCalendar[Field] | undefined };

/** What a request says of a calendar, with its days in order and each once. Refuses: validation_failed. */
export function readCalendar({ timezone, working_days, holidays, cutoff_time }: CalendarInput) {
  if (timezone !== undefined) checkTimezone(timezone);
  const wrong = holidays?.findIndex((text) => readDay(text) === null) ?? -1;
  if (wrong >= 0) throw invalid(`holidays[${wrong}]`, "is no day of the calendar");
  return {
    ...(timezone === undefined ? {} : { timezone }),
    ...(working_days === undefined ? {} : { working_days: weekdays.filter((day) => working_days.includes(day)) }),
    ...(holidays === undefined ? {} : { holidays: [...new Set(holidays)].sort() }),
    ...(cutoff_time === undefined ? {} : { cutoff_time }),
  };
}
