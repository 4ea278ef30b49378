// Formats numbers, dates and weights for the user's locale.
import { decimalsOf } from "../../../core/money.ts";

/** Shown in place of a missing value. */
export const nothing = "–";

const locale = (): readonly string[] => [...(globalThis.navigator?.languages ?? ["en"])];

const formats = new Map<string, Intl.NumberFormat>();
function numbers(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const name = JSON.stringify(options);
  const format = formats.get(name) ?? new Intl.NumberFormat([...locale()], options);
  formats.set(name, format);
  return format;
}

/** A number with the locale's separators. */
export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? nothing : numbers({}).format(value);
}

/** A fraction as a percentage: 0.25 is "25%". */
export function share(value: number | null | undefined, digits = 0): string {
  if (value === null || value === undefined) return nothing;
  return numbers({ style: "percent", maximumFractionDigits: digits }).format(value);
}

/** The decimals of a currency by ISO 4217, from which browsers differ. */
const decimals = (currency: string) => {
  const digits = decimalsOf(currency);
  return { minimumFractionDigits: digits, maximumFractionDigits: digits };
};

/** Money with all decimals of its currency. An unknown currency code follows the number. */
export function money(value: number | string | null | undefined, currency = "USD"): string {
  if (value === null || value === undefined || value === "") return nothing;
  try {
    return numbers({ style: "currency", currency, ...decimals(currency) }).format(Number(value));
  } catch {
    return `${numbers({ minimumFractionDigits: 2 }).format(Number(value))} ${currency}`;
  }
}

/** An amount as the initial value of a money field. */
export function plainMoney(value: number, currency: string): string {
  return value.toFixed(decimalsOf(currency));
}

/** Money rounded to whole units of the currency. */
export function roundMoney(value: number, currency = "USD"): string {
  try {
    return numbers({ style: "currency", currency, maximumFractionDigits: 0 }).format(value);
  } catch {
    return `${numbers({ maximumFractionDigits: 0 }).format(value)} ${currency}`;
  }
}

/** A weight in the unit it was entered in. */
export function weight(value: number | null | undefined, unit: string | null | undefined): string {
  if (value === null || value === undefined) return nothing;
  return `${numbers({ maximumFractionDigits: 3 }).format(value)} ${unit ?? ""}`.trim();
}

/** A size in bytes, in the largest suitable unit: "1.2 MB". */
export function bytes(value: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
  let index = 0;
  let left = value;
  while (left >= 1000 && index < units.length - 1) {
    left /= 1000;
    index += 1;
  }
  const unit = units[index] ?? "byte";
  return numbers({
    style: "unit",
    unit,
    unitDisplay: "short",
    maximumFractionDigits: left < 10 && index > 0 ? 1 : 0,
  }).format(left);
}

const dateFormatter = (options: Intl.DateTimeFormatOptions) => {
  let format: Intl.DateTimeFormat | undefined;
  return (value: string | number): string => {
    format ??= new Intl.DateTimeFormat([...locale()], options);
    const at = new Date(value);
    return Number.isNaN(at.getTime()) ? String(value) : format.format(at);
  };
};

/** A date and time in the user's time zone. */
export const dateTime = dateFormatter({ dateStyle: "medium", timeStyle: "short" });
/** A date and time to the second, with the time zone. */
export const exactDateTime = dateFormatter({ dateStyle: "full", timeStyle: "long" });
/** The time of day in the user's time zone. */
export const clock = dateFormatter({ timeStyle: "short" });
/** A date and time without the year. */
export const shortDateTime = dateFormatter({ month: "short", day: "numeric", hour: "numeric", minute: "2-digit" });
const day = dateFormatter({ dateStyle: "medium", timeZone: "UTC" });

/** A calendar date such as `2026-01-02`, without conversion to a time zone. */
export function date(value: string | null | undefined): string {
  return value === null || value === undefined ? nothing : day(value.slice(0, 10));
}

/**
 * The calendar date that a timestamp represents, or null. The API writes a calendar date as the first or last second
 * of its day in UTC.
 */
export function dateWithin(value: string): string | null {
  return /T(?:00:00:00(?:\.000)?|23:59:59(?:\.999)?)Z$/.test(value) ? value.slice(0, 10) : null;
}

/** The date of a timestamp in a time zone, as `YYYY-MM-DD`. */
export function dateIn(at: string | number, timeZone: string): string {
  const options = { timeZone, year: "numeric", month: "2-digit", day: "2-digit" } as const;
  return new Intl.DateTimeFormat("sv-SE", options).format(new Date(at));
}

/** The date of a timestamp that is the start of a day in a time zone; null for any other timestamp. */
export function dateStartingAt(value: string, timeZone: string): string | null {
  const day = dateIn(value, timeZone);
  return dateIn(Date.parse(value) - 1, timeZone) === day ? null : day;
}

/** A calendar date without a time; any other timestamp as date and time. */
export function dateOrDateTime(value: string): string {
  const written = dateWithin(value);
  return written === null ? dateTime(value) : date(written);
}

const zoned = (at: number, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat([...locale()], options).format(at);

/** The time of day in a time zone. The zone's name is added if it differs from the user's. */
export function clockIn(value: string, timeZone: string): string {
  const at = Date.parse(value);
  const wall = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" } as const;
  const isOwn = zoned(at, { ...wall, timeZone }) === zoned(at, wall);
  const time = { hour: "numeric", minute: "2-digit", timeZone } as const;
  return zoned(at, isOwn ? time : { ...time, timeZoneName: "short" });
}

const steps = [
  [60, "second"],
  [60, "minute"],
  [24, "hour"],
  [7, "day"],
  [4.35, "week"],
  [12, "month"],
  [Number.POSITIVE_INFINITY, "year"],
] as const;

const shortDay = dateFormatter({ month: "short", day: "numeric", timeZone: "UTC" });

/** A calendar date such as `2026-01-02`, formatted without the year. */
export function shortDate(value: string): string {
  return shortDay(value.slice(0, 10));
}

/** The relative time of a timestamp, such as "3 hours ago". `now` is in milliseconds. */
export function ago(value: string, now: number): string {
  let left = (new Date(value).getTime() - now) / 1000;
  // The page's clock is up to 30 seconds behind, so a time just ahead counts as now.
  if (left > 0 && left < 60) left = 0;
  for (const [size, unit] of steps) {
    if (Math.abs(left) < size) {
      return new Intl.RelativeTimeFormat([...locale()], { numeric: "auto" }).format(Math.round(left), unit);
    }
    left /= size;
  }
  return value;
}

/** A count with the matching noun: `plural(3, "order", "orders")` is "3 orders". */
export function plural(value: number, one: string, many: string): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}
