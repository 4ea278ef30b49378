import { invalid } from "./fault.ts";
import { dayText, localTime, momentAt, readDay } from "./zone.ts";

/** A range of days in a zone, and the moments at which it begins and ends. */
export interface Period {
  readonly from: string;
  readonly to: string;
  readonly since: number;
  readonly until: number;
}

const days_max = 366;
const days_usual = 30;

/** The days of a query; by default they end today. Refuses: validation_failed. */
export function periodOf(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  timezone: string,
  now: number,
): Period {
  const last = to === undefined ? localTime(now, timezone).day : dayOf("to", to);
  const first = from === undefined ? last - days_usual + 1 : dayOf("from", from);
  if (first > last) throw invalid("from", "must not be later than to");
  if (last - first >= days_max) throw invalid("from", `must not be more than ${days_max} days before to`, "too_long");
  const start = (day: number) => momentAt({ day, minute: 0 }, timezone);
  return { from: dayText(first), to: dayText(last), since: start(first), until: start(last + 1) };
}

function dayOf(field: string, text: string): number {
  const day = readDay(text);
  if (day === null) throw invalid(field, "must be a day such as 2026-01-31", "invalid_format");
  return day;
}
