import { dayText, localTime, momentAt } from "../../kit/zone.ts";
import { placeTimeZone, type ZonedPlace } from "./time_zones.ts";

const day_ms = 86_400_000;
const last_second_ms = day_ms - 1000;
const delivery_minute = 20 * 60;
const usual_zone = "America/New_York";

/** A promised delivery, as it was stored. `at` is in milliseconds since 1970, UTC. */
interface Promised {
  readonly at: number;
  readonly to: ZonedPlace;
  /** The IANA zone of the sender, for a destination whose zone is unknown; null when that is unknown too. */
  readonly origin_zone: string | null;
  /** Whether a carrier gave it. Carriers write a calendar date as the first or the last second of its day, UTC. */
  readonly by_carrier: boolean;
}

/** The end of a delivery day at its destination. A day is a number of days since 1970-01-01. */
export function endOfDelivery(day: number, zone: string): number {
  return momentAt({ day, minute: delivery_minute }, zone);
}

/** The calendar day of a delivery at its destination, as `YYYY-MM-DD`, and its end there in milliseconds. */
export function deliveryDay({ at, to, origin_zone, by_carrier }: Promised): { day: string; end: number } {
  const zone = placeTimeZone(to) ?? origin_zone ?? usual_zone;
  const end = deliveryEnd(at, zone, by_carrier);
  return { day: dayText(localTime(end, zone).day), end };
}

/** When a delivery that was stored as `at` (ms) ends in the zone of its destination, in milliseconds. */
export function deliveryEnd(at: number, zone: string, by_carrier: boolean): number {
  const since_midnight = at % day_ms;
  const isDate = by_carrier && (since_midnight === 0 || since_midnight >= last_second_ms);
  return isDate ? endOfDelivery(Math.floor(at / day_ms), zone) : at;
}
