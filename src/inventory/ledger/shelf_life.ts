// How long units of a lot can be sold, by the calendar of the warehouse where they are.
import { localTime } from "../../kit/zone.ts";
import type { Spot, StockItem } from "./spot.ts";

/** Units that have a last day, in a zone. */
type Perishable = Pick<Spot, "expires_on" | "timezone">;

/** Whether the last day of units is over where they are at this moment (ms). */
export function isPastExpiry({ expires_on, timezone }: Perishable, now: number): boolean {
  return expires_on !== null && localTime(now, timezone).day > expires_on;
}

/** Whether units keep for at least so many days after today where they are: with 0, today may be their last day. */
export function lastsFor({ expires_on, timezone }: Perishable, min_days: number, now: number): boolean {
  return expires_on === null || expires_on - localTime(now, timezone).day >= min_days;
}

/**
 * The day on which time alone next changes whether units of a spot can be promised: because fewer than `min_days` are
 * left, or because their last day is over. Null when nothing changes any more.
 */
export function turnOf(spot: Pick<Spot, "bin_kind"> & Perishable, min_days: number, now: number): number | null {
  const { bin_kind, expires_on, timezone } = spot;
  if (bin_kind !== "storage" || expires_on === null) return null;
  const { day } = localTime(now, timezone);
  if (day > expires_on) return null;
  const short_on = shortOn(expires_on, min_days);
  return day < short_on ? short_on : expires_on + 1;
}

/** Whether units could be promised by their dates when time was last noted. */
export function wasFresh({ expires_on, turns_on }: StockItem, min_days: number): boolean {
  return expires_on === null || (turns_on !== null && turns_on <= shortOn(expires_on, min_days));
}

/** The first day on which fewer days than `min_days` are left. */
const shortOn = (expires_on: number, min_days: number) => expires_on - min_days + 1;
