import { invalid } from "../../../kit/fault.ts";
import { money } from "../../../kit/money.ts";
import { dayText, localTime, momentAt, readDay } from "../../../kit/zone.ts";

/** Clocks of all zones differ by whole quarters of an hour, so a quarter lies in one day everywhere. */
export const quarter_ms = 900_000;

/** What labels of one carrier cost that were bought in one quarter of an hour. */
export interface QuarterCost {
  /** Quarters of an hour since 1970. */
  readonly quarter: number;
  readonly carrier: string;
  readonly currency: string;
  readonly label_count: number;
  readonly cost_cents: number;
  readonly carrier_cost_cents: number;
  readonly voided_count: number;
}

/** What they cost on one day. */
export interface DayCost extends Omit<QuarterCost, "quarter"> {
  /** `YYYY-MM-DD`. */
  readonly date: string;
}

/** Some days in a zone, and the moments at which they begin and end. */
export interface Period {
  readonly from: string;
  readonly to: string;
  readonly since: number;
  readonly until: number;
}

const days_max = 366;
const days_usual = 30;

/** The days that are asked for, today the last of them unless others are given. Refuses: validation_failed. */
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

/** The costs of each carrier on each day of a zone, the newest day first. */
export function costsByDay(quarters: readonly QuarterCost[], timezone: string): DayCost[] {
  const days = new Map<string, DayCost>();
  for (const { quarter, ...cost } of quarters) {
    const date = dayText(localTime(quarter * quarter_ms, timezone).day);
    const key = JSON.stringify([date, cost.carrier, cost.currency]);
    const before = days.get(key);
    days.set(key, before === undefined ? { date, ...cost } : added(before, cost));
  }
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return [...days.values()].sort(
    (a, b) => compare(b.date, a.date) || compare(a.carrier, b.carrier) || compare(a.currency, b.currency),
  );
}

function added(day: DayCost, cost: Omit<QuarterCost, "quarter">): DayCost {
  return {
    ...day,
    label_count: day.label_count + cost.label_count,
    cost_cents: day.cost_cents + cost.cost_cents,
    carrier_cost_cents: day.carrier_cost_cents + cost.carrier_cost_cents,
    voided_count: day.voided_count + cost.voided_count,
  };
}

/** The costs of a day as the API shows them. */
export function costView({
  date,
  carrier,
  currency,
  label_count,
  cost_cents,
  carrier_cost_cents,
  voided_count,
}: DayCost) {
  return {
    ...{ date, carrier, currency, label_count },
    ...{ cost: money(cost_cents), carrier_cost: money(carrier_cost_cents), voided_count },
  };
}
