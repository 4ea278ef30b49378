import type { PostalAddress } from "../../core/postal_address.ts";
import { day_ms } from "../../core/time.ts";
import {
  countryTimeZone,
  dayText,
  localTime,
  momentAt,
  type Weekday,
  weekdayOf,
  weekdays,
} from "../../core/time_zone.ts";

// The time zone of most people in a state. In a state with two zones, the smaller part is off by an hour.
const zoneStates = {
  "America/New_York": "CT DC DE FL GA IN KY MA MD ME MI NC NH NJ NY OH PA RI SC VA VT WV",
  "America/Chicago": "AL AR IA IL KS LA MN MO MS ND NE OK SD TN TX WI",
  "America/Denver": "CO ID MT NM UT WY",
  "America/Phoenix": "AZ",
  "America/Los_Angeles": "CA NV OR WA",
  "America/Anchorage": "AK",
  "Pacific/Honolulu": "HI",
  "America/Puerto_Rico": "PR VI",
  "Pacific/Guam": "GU MP",
  "Pacific/Pago_Pago": "AS",
} as const;

const zoneOf: ReadonlyMap<string, string> = new Map(
  Object.entries(zoneStates).flatMap(([zone, states]) => states.split(" ").map((state) => [state, zone] as const)),
);

const territories: readonly string[] = ["AS", "GU", "MP", "PR", "VI"];

// States in the postal service's list without a known time zone: the armed forces and three in the Pacific.
const otherStates: readonly string[] = ["AA", "AE", "AP", "FM", "MH", "PW"];

/** Whether a text is the two-letter code of a US state or territory in the postal service's list, in any case. */
export function isUsState(text: string): boolean {
  const code = text.toUpperCase();
  return zoneOf.has(code) || otherStates.includes(code);
}

/** Returns the IANA time zone of a US state or territory by its two-letter code; null for anything else. */
export function stateTimeZone(state: string | null, country: string): string | null {
  return country === "US" && state !== null ? (zoneOf.get(state.toUpperCase()) ?? null) : null;
}

// The time zones by the first digits of ZIP codes, for places without a state.
// biome-ignore format: a table is read by its columns.
const zipZones: readonly (readonly [first: string, last: string, zone: string])[] = [
  ["005", "005", "America/New_York"], ["006", "009", "America/Puerto_Rico"], ["010", "089", "America/New_York"],
  ["100", "339", "America/New_York"], ["341", "349", "America/New_York"], ["350", "397", "America/Chicago"],
  ["398", "499", "America/New_York"], ["569", "569", "America/New_York"], ["500", "588", "America/Chicago"],
  ["590", "599", "America/Denver"], ["600", "799", "America/Chicago"], ["800", "847", "America/Denver"],
  ["850", "865", "America/Phoenix"], ["870", "884", "America/Denver"], ["885", "885", "America/Chicago"],
  ["889", "961", "America/Los_Angeles"], ["96799", "96799", "Pacific/Pago_Pago"],
  ["967", "968", "Pacific/Honolulu"], ["969", "969", "Pacific/Guam"],
  ["970", "994", "America/Los_Angeles"], ["995", "999", "America/Anchorage"],
];

/** The fields of a place that determine its time zone. */
export type ZonedPlace = Pick<PostalAddress, "country" | "state" | "postal_code">;

/** Returns the IANA time zone of a place by its state, ZIP code, country or territory; null when unknown. */
export function placeTimeZone({ country, state, postal_code }: ZonedPlace): string | null {
  if (country !== "US") return territories.includes(country) ? stateTimeZone(country, "US") : countryTimeZone(country);
  const known = stateTimeZone(state, country);
  if (known !== null || postal_code === null) return known;
  const code = postal_code.trim();
  const begins = (length: number) => code.slice(0, length);
  return zipZones.find(([first, last]) => first <= begins(first.length) && begins(last.length) <= last)?.[2] ?? null;
}

const last_second_ms = day_ms - 1000;
const delivery_minute = 20 * 60;
const default_zone = "America/New_York";

/** A stored delivery promise. `at` is in milliseconds since 1970, UTC. */
interface PromisedDelivery {
  readonly at: number;
  readonly to: ZonedPlace;
  /** The IANA zone of the sender, used if the destination's zone is unknown; null when also unknown. */
  readonly origin_zone: string | null;
  /** Whether a carrier set it. Carriers write a calendar date as the first or the last second of its day, UTC. */
  readonly by_carrier: boolean;
}

/** Returns the end of a delivery day at its destination, in milliseconds. `day` is in days since 1970-01-01. */
function endOfDelivery(day: number, zone: string): number {
  return momentAt({ day, minute: delivery_minute }, zone);
}

/**
 * Returns the local day of a delivery at its destination, as `YYYY-MM-DD`, and the end of delivery in milliseconds.
 */
export function deliveryDay({ at, to, origin_zone, by_carrier }: PromisedDelivery): { day: string; end: number } {
  const zone = placeTimeZone(to) ?? origin_zone ?? default_zone;
  const end = deliveryEnd(at, zone, by_carrier);
  return { day: dayText(localTime(end, zone).day), end };
}

/** Returns the end of a delivery stored as `at` (ms) in the destination's zone, in milliseconds. */
export function deliveryEnd(at: number, zone: string, by_carrier: boolean): number {
  const since_midnight = at % day_ms;
  const isDate = by_carrier && (since_midnight === 0 || since_midnight >= last_second_ms);
  return isDate ? endOfDelivery(Math.floor(at / day_ms), zone) : at;
}

/** The ship day of a parcel and its promised delivery. */
interface DeliveryPromise {
  /** The day it leaves the warehouse, as `YYYY-MM-DD` in the warehouse's time zone. */
  readonly ship_date: string;
  /** Milliseconds since 1970, UTC: 20:00 at the destination on the day of delivery. */
  readonly delivery_date: number;
}

/** The days on which a service collects and delivers. */
export interface ServiceDays {
  /** A parcel handed over before this minute of the warehouse's day leaves the same day. */
  readonly cut_off_minute: number;
  readonly ship_days: readonly Weekday[];
  readonly saturday_delivery: boolean;
  readonly sunday_delivery: boolean;
}

/** The input for a promise. `now` is in milliseconds; zones are IANA names. */
interface DeliveryDateRequest {
  readonly now: number;
  readonly origin_zone: string;
  /** The zone of the recipient; null when unknown, in which case the warehouse's zone applies. */
  readonly destination_zone: string | null;
  readonly service: ServiceDays;
  /** Delivery days after the ship day. */
  readonly transit_days: number;
  /** Whether the carrier rests on a day, counted from 1970-01-01. */
  readonly isHoliday: (day: number) => boolean;
}

// The search for a day ends here, for a service that never collects or delivers.
const days_ahead_max = 800;

/** Returns the ship day, and 20:00 on the delivery day. Throws a RangeError for an unknown zone. */
export function promiseDelivery(request: DeliveryDateRequest): DeliveryPromise {
  const { now, origin_zone, destination_zone, service, transit_days, isHoliday } = request;
  const { day: today, minute } = localTime(now, origin_zone);
  const ships = (day: number) => service.ship_days.includes(weekdays[weekdayOf(day)] ?? "mon") && !isHoliday(day);
  const delivers = (day: number) => deliversOn(weekdayOf(day), service) && !isHoliday(day);
  const ship_day = nextDay(minute < service.cut_off_minute ? today : today + 1, ships);
  let day = ship_day;
  for (let counted = 0; counted < transit_days; counted++) day = nextDay(day + 1, delivers);
  return {
    ship_date: dayText(ship_day),
    delivery_date: endOfDelivery(day, destination_zone ?? origin_zone),
  };
}

function deliversOn(weekday: number, { saturday_delivery, sunday_delivery }: ServiceDays): boolean {
  return weekday < 5 || (weekday === 5 ? saturday_delivery : sunday_delivery);
}

function nextDay(from: number, fits: (day: number) => boolean): number {
  let day = from;
  while (day < from + days_ahead_max && !fits(day)) day++;
  return day;
}
