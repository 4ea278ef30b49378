import { isoOrNull } from "../../core/clock.ts";
import { type FieldProblem, invalidFields } from "../../core/faults.ts";
import { dayText, readDay, type Weekday, weekdayOf, weekdays } from "../../core/time_zone.ts";
import type { SetHolidays } from "./holidays.schema.ts";

/** A recurring holiday: a fixed date such as July 4, or a weekday such as the last Monday of May. */
export interface HolidayRule {
  readonly name: string;
  readonly month: number;
  /** The day of the month; null when the rule is for a weekday. */
  readonly day: number | null;
  readonly weekday: Weekday | null;
  /** Which of these weekdays in the month: 1 to 4, or -1 for the last. */
  readonly week: number | null;
  /** Whether a Saturday is observed on the Friday before, and a Sunday on the Monday after. */
  readonly observed: boolean;
}

/** A single day on which a carrier rests, as `YYYY-MM-DD`. */
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

/** The federal holidays of the United States, the default of every carrier. */
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

/**
 * The day on which a rule is observed in a year; it may fall in the year before. Null when the year has no such day.
 */
function dayOf({ month, day, weekday, week, observed }: HolidayRule, year: number): number | null {
  const first = firstOf(year, month);
  const next = month === 12 ? firstOf(year + 1, 1) : firstOf(year, month + 1);
  if (day !== null) {
    const at = first + day - 1;
    if (at >= next) return null;
    if (!observed) return at;
    const weekday_of_date = weekdayOf(at);
    return weekday_of_date === 5 ? at - 1 : weekday_of_date === 6 ? at + 1 : at;
  }
  const wanted = weekdays.indexOf(weekday ?? "mon");
  if (week === -1) return next - 1 - ((weekdayOf(next - 1) - wanted + 7) % 7);
  return first + ((wanted - weekdayOf(first) + 7) % 7) + 7 * ((week ?? 1) - 1);
}

/**
 * Returns a carrier's holidays in a year, sorted. Those of the next year count too: Jan 1, 2028 is observed in 2027.
 */
export function holidaysIn(year: number, { rules, days }: HolidaySet): Holiday[] {
  const within = `${year}-`;
  const recurring = [year - 1, year, year + 1].flatMap((rule_year) =>
    rules.flatMap((rule): Holiday[] => {
      const day = dayOf(rule, rule_year);
      return day === null ? [] : [{ date: dayText(day), name: rule.name }];
    }),
  );
  return [...recurring, ...days]
    .filter(({ date }) => date.startsWith(within))
    .sort((a, b) => (a.date < b.date ? -1 : 1));
}

const days_max = 5000;

function isHoliday(day: number, set: HolidaySet): boolean {
  const text = dayText(day);
  return holidaysIn(Number(text.slice(0, 4)), set).some(({ date }) => date === text);
}

/** Returns a cached test of whether a carrier rests on a day, counted from 1970-01-01. */
export function isHolidayOf(set: HolidaySet): (day: number) => boolean {
  const cache = new Map<number, boolean>();
  return (day) => {
    const rests = cache.get(day) ?? isHoliday(day, set);
    if (cache.size >= days_max) cache.clear();
    cache.set(day, rests);
    return rests;
  };
}

const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Reads the holidays in a request. Refuses: validation_failed, naming every impossible date. */
export function readHolidays({ rules, days = [] }: SetHolidays): HolidaySet {
  const problems = [
    ...rules.flatMap((rule, at) => ruleProblems(rule, `rules[${at}]`)),
    ...days.flatMap(({ date }, at) =>
      readDay(date) === null ? [invalidValue(`days[${at}].date`, "is not a calendar date")] : [],
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
      return [invalidValue(`${place}.day`, "cannot be combined with weekday and week")];
    return day > (longestMonths[month - 1] ?? 0) ? [invalidValue(`${place}.day`, "is not a day of this month")] : [];
  }
  return byWeekday ? [] : [invalidValue(place, "needs a day, or a weekday and a week")];
}

const invalidValue = (field: string, message: string): FieldProblem => ({ field, code: "invalid_value", message });

/** A carrier's stored holidays. */
export interface CarrierHolidays extends HolidaySet {
  readonly carrier: string;
  /** 0 for the default holidays. */
  readonly revision: number;
  readonly updated_at: number | null;
}

/** Returns a carrier's holidays as the API shows them. `dates` is empty without a year. */
export function holidaysView(
  { carrier, rules, days, revision, updated_at }: CarrierHolidays,
  year: number | undefined,
) {
  return {
    carrier,
    rules,
    days,
    dates: year === undefined ? [] : holidaysIn(year, { rules, days }),
    is_default: revision === 0,
    revision,
    updated_at: isoOrNull(updated_at),
  };
}
