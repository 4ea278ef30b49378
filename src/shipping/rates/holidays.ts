import { isoOrNull } from "../../core/clock.ts";
import { type FieldProblem, invalidFields } from "../../core/faults.ts";
import { dayText, readDay, type Weekday, weekdayOf, weekdays } from "../../core/time_zone.ts";
import type { SetHolidays } from "./holidays.schema.ts";

/** A holiday that recurs each year: the 4th of July, or the last Monday of May. */
export interface HolidayRule {
  readonly name: string;
  readonly month: number;
  /** The day of the month; null when the rule names a weekday. */
  readonly day: number | null;
  readonly weekday: Weekday | null;
  /** Which of the month's days of that weekday: 1 to 4, or -1 for the last. */
  readonly week: number | null;
  /** Whether a holiday on a Saturday is observed on the Friday before, and one on a Sunday on the Monday after. */
  readonly observed: boolean;
}

/** One day on which a carrier rests, as `YYYY-MM-DD`. */
interface Holiday {
  readonly date: string;
  readonly name: string;
}

/** The days on which a carrier neither collects nor delivers. */
export interface HolidaySet {
  readonly rules: readonly HolidayRule[];
  readonly days: readonly Holiday[];
}

const fixed = (name: string, month: number, day: number): HolidayRule => {
  return { name, month, day, weekday: null, week: null, observed: true };
};
const monday = (name: string, month: number, week: number): HolidayRule => {
  return { name, month, day: null, weekday: "mon", week, observed: false };
};

/** The federal holidays of the United States, which a carrier keeps unless others were set. */
export const federalHolidays: HolidaySet = {
  rules: [
    fixed("New Year's Day", 1, 1),
    monday("Birthday of Martin Luther King, Jr.", 1, 3),
    monday("Washington's Birthday", 2, 3),
    monday("Memorial Day", 5, -1),
    fixed("Juneteenth National Independence Day", 6, 19),
    fixed("Independence Day", 7, 4),
    monday("Labor Day", 9, 1),
    monday("Columbus Day", 10, 2),
    fixed("Veterans Day", 11, 11),
    { name: "Thanksgiving Day", month: 11, day: null, weekday: "thu", week: 4, observed: false },
    fixed("Christmas Day", 12, 25),
  ],
  days: [],
};

const firstOf = (year: number, month: number) => readDay(`${year}-${String(month).padStart(2, "0")}-01`) ?? 0;

/** The day on which a rule of this year is observed, which may lie in the year before; null when there is none. */
function dayOf({ month, day, weekday, week, observed }: HolidayRule, year: number): number | null {
  const first = firstOf(year, month);
  const next = month === 12 ? firstOf(year + 1, 1) : firstOf(year, month + 1);
  if (day !== null) {
    const at = first + day - 1;
    if (at >= next) return null;
    if (!observed) return at;
    const fallen = weekdayOf(at);
    return fallen === 5 ? at - 1 : fallen === 6 ? at + 1 : at;
  }
  const wanted = weekdays.indexOf(weekday ?? "mon");
  if (week === -1) return next - 1 - ((weekdayOf(next - 1) - wanted + 7) % 7);
  return first + ((wanted - weekdayOf(first) + 7) % 7) + 7 * ((week ?? 1) - 1);
}

/**
 * A carrier's rest days in a year, in order. The rules of the next year count too: New Year 2028 is observed on the
 * last day of 2027.
 */
export function holidaysIn(year: number, { rules, days }: HolidaySet): Holiday[] {
  const within = `${year}-`;
  const kept = [year - 1, year, year + 1].flatMap((one) =>
    rules.flatMap((rule): Holiday[] => {
      const day = dayOf(rule, one);
      return day === null ? [] : [{ date: dayText(day), name: rule.name }];
    }),
  );
  return [...kept, ...days].filter(({ date }) => date.startsWith(within)).sort((a, b) => (a.date < b.date ? -1 : 1));
}

const days_max = 5000;

function isHoliday(day: number, set: HolidaySet): boolean {
  const text = dayText(day);
  return holidaysIn(Number(text.slice(0, 4)), set).some(({ date }) => date === text);
}

/** Answers whether a carrier rests on a day, counted from 1970-01-01; remembers the days of a year once computed. */
export function isHolidayOf(set: HolidaySet): (day: number) => boolean {
  const known = new Map<number, boolean>();
  return (day) => {
    const found = known.get(day) ?? isHoliday(day, set);
    if (known.size >= days_max) known.clear();
    known.set(day, found);
    return found;
  };
}

const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Holidays as a client writes them. Refuses: validation_failed, naming each that no calendar has. */
export function readHolidays({ rules, days = [] }: SetHolidays): HolidaySet {
  const problems = [
    ...rules.flatMap((rule, at) => ruleProblems(rule, `rules[${at}]`)),
    ...days.flatMap(({ date }, at) =>
      readDay(date) === null ? [none(`days[${at}].date`, "is not a day of the calendar")] : [],
    ),
  ];
  if (problems.length > 0) throw invalidFields(problems);
  return {
    rules: rules.map(({ name, month, day = null, weekday = null, week = null, observed }) => {
      return { name, month, day, weekday, week, observed: observed ?? day !== null };
    }),
    days: [...days].sort((a, b) => (a.date < b.date ? -1 : 1)),
  };
}

function ruleProblems({ month, day, weekday, week }: SetHolidays["rules"][number], place: string): FieldProblem[] {
  const byWeekday = weekday != null && week != null;
  if (day != null) {
    if (weekday != null || week != null)
      return [none(`${place}.day`, "cannot be given together with weekday and week")];
    return day > (longestMonths[month - 1] ?? 0) ? [none(`${place}.day`, "is not a day of that month")] : [];
  }
  return byWeekday ? [] : [none(place, "needs a day, or a weekday and a week")];
}

const none = (field: string, message: string): FieldProblem => ({ field, code: "invalid_value", message });

/** A carrier's holidays as they are stored. */
export interface CarrierHolidays extends HolidaySet {
  readonly carrier: string;
  /** 0 when none were ever set. */
  readonly version: number;
  readonly updated_at: number | null;
}

/** A carrier's holidays as the API shows them, with the dates of a year if one was asked for. */
export function holidaysView({ carrier, rules, days, version, updated_at }: CarrierHolidays, year: number | undefined) {
  return {
    carrier,
    rules,
    days,
    dates: year === undefined ? [] : holidaysIn(year, { rules, days }),
    usual: version === 0,
    version,
    updated_at: isoOrNull(updated_at),
  };
}
