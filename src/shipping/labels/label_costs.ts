import { money } from "../../core/money.ts";
import { dayText, localTime } from "../../core/time_zone.ts";

/** Time zones differ by multiples of a quarter of an hour, so each quarter belongs to one day in every zone. */
export const quarter_ms = 900_000;

/** The costs of one carrier's labels bought in one quarter of an hour. */
export interface QuarterCost {
  /** The quarter, counted from 1970. */
  readonly quarter: number;
  readonly carrier: string;
  readonly currency: string;
  readonly label_count: number;
  readonly cost_cents: number;
  readonly carrier_cost_cents: number;
  readonly voided_count: number;
}

/** The costs of one day. */
export interface DayCost extends Omit<QuarterCost, "quarter"> {
  /** `YYYY-MM-DD`. */
  readonly date: string;
}

/** Returns the costs by carrier and day in a time zone, newest day first. */
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

/** Returns a day's costs as the API shows them. */
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
    date,
    carrier,
    currency,
    label_count,
    cost: money(cost_cents, currency),
    carrier_cost: money(carrier_cost_cents, currency),
    voided_count,
  };
}
