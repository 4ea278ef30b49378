// Dates in time zones. A day is the number of days since 1970-01-01, without a zone. Zones matter only for the local
// day of a timestamp and for the timestamp of a local time.

import { momentOf } from "./clock.ts";
import { invalid } from "./faults.ts";
import { day_ms, minute_ms } from "./time.ts";

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Whether this machine knows the IANA zone. */
function isTimeZone(zone: string): boolean {
  try {
    return clockOf(zone) !== null;
  } catch {
    return false;
  }
}

/** Refuses names that are not IANA time zones. Refuses: validation_failed. */
export function checkTimezone(timezone: string): void {
  // A zone name begins with a letter; other known forms, such as +05:00, have no daylight saving time.
  if (!/^[A-Za-z]/.test(timezone) || !isTimeZone(timezone)) {
    throw invalid("timezone", "must be an IANA time zone such as America/New_York");
  }
}

/** A local day and time. */
interface LocalTime {
  /** Days since 1970-01-01. */
  readonly day: number;
  /** Minutes since midnight in local time. */
  readonly minute: number;
}

/** The local day and time in a zone at a timestamp (ms). Throws when the zone is unknown. */
export function localTime(at: number, zone: string): LocalTime {
  const shown = wallClock(at, zone);
  const day = Math.floor(shown / day_ms);
  return { day, minute: Math.floor((shown - day * day_ms) / minute_ms) };
}

/** The timestamp (ms) of a local time in a zone. The later one when the local time occurs twice. */
export function momentAt({ day, minute }: LocalTime, zone: string): number {
  const shown = day * day_ms + minute * minute_ms;
  // The offset at the guess may differ from the offset at the result when clocks change in between, so compute it
  // twice.
  const guess = shown - (wallClock(shown, zone) - shown);
  return shown - (wallClock(guess, zone) - guess);
}

// Where most people live in countries with several zones. Other countries have one zone, which the runtime knows.
// biome-ignore format: a table is read by its columns.
const main_zones: Readonly<Record<string, string>> = {
  AR: "America/Argentina/Buenos_Aires", AU: "Australia/Sydney", BR: "America/Sao_Paulo", CA: "America/Toronto",
  CD: "Africa/Kinshasa", CL: "America/Santiago", CN: "Asia/Shanghai", CY: "Asia/Nicosia", DE: "Europe/Berlin",
  EC: "America/Guayaquil", ES: "Europe/Madrid", FM: "Pacific/Pohnpei", GL: "America/Nuuk", ID: "Asia/Jakarta",
  KI: "Pacific/Tarawa", KZ: "Asia/Almaty", MN: "Asia/Ulaanbaatar", MX: "America/Mexico_City",
  NZ: "Pacific/Auckland", PF: "Pacific/Tahiti", PG: "Pacific/Port_Moresby", PT: "Europe/Lisbon",
  RU: "Europe/Moscow", UA: "Europe/Kyiv", UM: "Pacific/Midway",
};
const country_zones = new Map<string, string | null>();

/**
 * The IANA zone in which most people of a country live, by its two-letter code; null for the US and for unknown codes.
 */
export function countryTimeZone(country: string): string | null {
  const known = country_zones.get(country);
  if (known !== undefined) return known;
  const found = /^[A-Z]{2}$/.test(country) && country !== "US" ? (main_zones[country] ?? onlyZone(country)) : null;
  country_zones.set(country, found);
  return found;
}

function onlyZone(country: string): string | null {
  const zones = (new Intl.Locale(`und-${country}`) as { getTimeZones?(): string[] | undefined }).getTimeZones?.();
  return zones?.[0] ?? null;
}

/** The first timestamp (ms) of a day in a zone, even where the clocks skip or repeat midnight. */
export function dayStart(day: number, zone: string): number {
  let at = momentAt({ day, minute: 0 }, zone);
  while (localTime(at, zone).day < day) at += quarter_ms;
  while (localTime(at - quarter_ms, zone).day >= day) at -= quarter_ms;
  return at;
}

let written = { day: Number.NaN, text: "" };

/** A day as `YYYY-MM-DD`. Caches the last one, since lists often repeat it. */
export function dayText(day: number): string {
  if (written.day !== day) written = { day, text: new Date(day * day_ms).toISOString().slice(0, 10) };
  return written.text;
}

/** Parses `YYYY-MM-DD`; null for text that is not a date, such as `2026-02-30`. */
export function readDay(text: string): number | null {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  const day = at / day_ms;
  return Number.isNaN(at) || dayText(day) !== text ? null : day;
}

/**
 * A day as the API writes it where a timestamp is expected: the last millisecond of its date, in any zone; null stays
 * null.
 */
export function dayEndTextOrNull(day: number | null): string | null {
  return day === null ? null : `${dayText(day)}T23:59:59.999Z`;
}

/** Parses a `momentField` as a timestamp (ms). A date alone is the start of that day in the zone. */
export function momentIn(text: string, zone: string): number {
  const day = readDay(text);
  return day === null ? momentOf(text) : dayStart(day, zone);
}

const written_day = /^(\d{4}-\d\d-\d\d)(?:T(?:00:00(?::00(?:\.0+)?)?|23:59:59(?:\.9+)?)(?:Z|[+-]00:00))?$/;

/**
 * Parses a `momentField` as a day. A date may also be written as the first or last instant of its day in UTC. Any other
 * timestamp falls on its local day in the zone.
 */
export function dayOf(text: string, zone: string): number {
  const day = readDay(written_day.exec(text)?.[1] ?? "");
  return day ?? localTime(momentOf(text), zone).day;
}

export const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof weekdays)[number];

/** The day of the week, from 0 for Monday to 6 for Sunday. */
export function weekdayOf(day: number): number {
  // Day 0 of 1970 was a Thursday.
  return (((day + 3) % 7) + 7) % 7;
}

// Offsets change at whole quarters of an hour, so each quarter is computed once.
const quarter_ms = 900_000;
const offsets = new Map<string, Map<number, number>>();
const offsets_max = 5000;

/** The local time in a zone at a timestamp, as if it were UTC. */
function wallClock(at: number, zone: string): number {
  const known = offsets.get(zone) ?? new Map<number, number>();
  if (known.size === 0) offsets.set(zone, known);
  const quarter = Math.floor(at / quarter_ms);
  let offset = known.get(quarter);
  if (offset === undefined) {
    offset = readClock(quarter * quarter_ms, zone) - quarter * quarter_ms;
    if (known.size >= offsets_max) known.clear();
    known.set(quarter, offset);
  }
  return Math.floor(at / 1000) * 1000 + offset;
}

function readClock(at: number, zone: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of clockOf(zone).formatToParts(at)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  clocks.set(zone, made);
  return made;
}

/** A range of days in a zone, with the timestamps (ms) at which it starts and ends. */
export interface Period {
  readonly from: string;
  readonly to: string;
  readonly since: number;
  readonly until: number;
}

const days_max = 366;
const default_days = 30;

/** The days of a query. By default, the last 30 days up to today. Refuses: validation_failed. */
export function periodOf(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  timezone: string,
  now: number,
): Period {
  const last = to === undefined ? localTime(now, timezone).day : periodDayOf("to", to);
  const first = from === undefined ? last - default_days + 1 : periodDayOf("from", from);
  if (first > last) throw invalid("from", "must not be later than to");
  if (last - first >= days_max) throw invalid("from", `must be less than ${days_max} days before to`, "too_long");
  const start = (day: number) => momentAt({ day, minute: 0 }, timezone);
  return { from: dayText(first), to: dayText(last), since: start(first), until: start(last + 1) };
}

function periodDayOf(field: string, text: string): number {
  const day = readDay(text);
  if (day === null) throw invalid(field, "must be a day such as 2026-01-31", "invalid_format");
  return day;
}
