import { isoOrNull } from "../../kit/clock.ts";
import { type FieldProblem, invalidFields } from "../../kit/fault.ts";
import { readDay } from "../../kit/zone.ts";
import { type HolidaySet, holidaysIn } from "./holidays.ts";
import type { SetHolidays } from "./schemas.ts";

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
export interface KeptHolidays extends HolidaySet {
  readonly carrier: string;
  /** 0 when none were ever set. */
  readonly version: number;
  readonly updated_at: number | null;
}

/** A carrier's holidays as the API shows them, with the dates of a year if one was asked for. */
export function holidaysView({ carrier, rules, days, version, updated_at }: KeptHolidays, year: number | undefined) {
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
