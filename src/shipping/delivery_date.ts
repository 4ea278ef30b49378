// Days are counted on a calendar without zones: a day is the number of days since 1970-01-01. Only the first step (what
// day is it in the warehouse?) and the last (when is 20:00 at the destination?) know about zones.

/** When a parcel leaves, and when it is promised to arrive. */
export interface DeliveryPromise {
  /** The day it leaves the warehouse, as `YYYY-MM-DD` in the warehouse's zone. */
  readonly ship_date: string;
  /** Milliseconds since 1970, UTC: 20:00 at the destination on the day of delivery. */
  readonly delivery_date: number;
}

/** What the promise is counted from. `now` is in milliseconds, zones are IANA names. */
export interface DeliveryQuestion {
  readonly now: number;
  readonly origin_zone: string;
  /** The zone of the recipient; without it the warehouse's. */
  readonly destination_zone?: string | undefined;
  /** Packed before this hour of the warehouse's day, a parcel leaves the same day. */
  readonly cut_off_hour: number;
  /** Days on which the carrier delivers, counted after the ship day. */
  readonly transit_days: number;
  /** Days (`YYYY-MM-DD`) on which the carrier neither collects nor delivers. */
  readonly holidays?: ReadonlySet<string> | undefined;
}

const dayMilliseconds = 86_400_000;
const deliveryHour = 20;
const clocks = new Map<string, Intl.DateTimeFormat>();

/** Counts Monday to Friday, without the holidays, from the ship day. Throws a RangeError when a zone is unknown. */
export function promiseDelivery(question: DeliveryQuestion): DeliveryPromise {
  const { now, origin_zone, cut_off_hour, transit_days, holidays } = question;
  const local = new Date(wallClock(now, origin_zone));
  const today = Math.floor(local.getTime() / dayMilliseconds);
  const first = local.getUTCHours() < cut_off_hour ? today : today + 1;
  const ship_day = nextWorkday(first, holidays);
  let day = ship_day;
  for (let counted = 0; counted < transit_days; counted++) day = nextWorkday(day + 1, holidays);
  return {
    ship_date: dateText(ship_day),
    delivery_date: momentAt(day, deliveryHour, question.destination_zone ?? origin_zone),
  };
}

/** Whether this machine knows the IANA zone. */
export function isTimeZone(zone: string): boolean {
  try {
    return clockOf(zone) !== null;
  } catch {
    return false;
  }
}

function nextWorkday(from: number, holidays: ReadonlySet<string> | undefined): number {
  let day = from;
  while (isWeekend(day) || holidays?.has(dateText(day))) day++;
  return day;
}

/** Day 0 of 1970 was a Thursday, so Saturday and Sunday leave 2 and 3 when divided by seven. */
function isWeekend(day: number): boolean {
  const weekday = ((day % 7) + 7) % 7;
  return weekday === 2 || weekday === 3;
}

function dateText(day: number): string {
  return new Date(day * dayMilliseconds).toISOString().slice(0, 10);
}

/** The moment at which the zone's clock shows this hour of this day. The later one where the hour happens twice. */
function momentAt(day: number, hour: number, zone: string): number {
  const shown = day * dayMilliseconds + hour * 3_600_000;
  // The offset at the guess may differ from the offset at the answer, when clocks change in between: so twice.
  const guess = shown - (wallClock(shown, zone) - shown);
  return shown - (wallClock(guess, zone) - guess);
}

// Offsets change at whole quarters of an hour, so the clock is read once for each quarter.
const quarter_ms = 900_000;
const offsets = new Map<string, number>();
const offsets_max = 1000;

/** What the zone's clock shows at a moment, as if that reading were UTC. */
function wallClock(at: number, zone: string): number {
  const quarter = Math.floor(at / quarter_ms);
  const key = `${zone} ${quarter}`;
  let offset = offsets.get(key);
  if (offset === undefined) {
    offset = readClock(quarter * quarter_ms, zone) - quarter * quarter_ms;
    if (offsets.size >= offsets_max) offsets.clear();
    offsets.set(key, offset);
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
