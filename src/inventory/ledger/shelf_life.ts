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
 * The day on which time alone next changes whether units of a spot can be promised: the one after their last. Null when
 * nothing changes any more.
 */
export function turnOf(spot: Pick<Spot, "bin_kind"> & Perishable, now: number): number | null {
  const { bin_kind, expires_on } = spot;
  if (bin_kind !== "storage" || expires_on === null || isPastExpiry(spot, now)) return null;
  return expires_on + 1;
}

/** Whether units could be promised by their dates when time was last noted. */
export function wasFresh({ expires_on, turns_on }: StockItem): boolean {
  return expires_on === null || turns_on !== null;
}
