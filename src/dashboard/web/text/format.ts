// Numbers, dates and weights as the person's own locale writes them.
import { decimalsOf } from "../../../core/money.ts";

/** What stands where there is nothing. */
export const nothing = "–";

const locale = (): readonly string[] => [...(globalThis.navigator?.languages ?? ["en"])];

const made = new Map<string, Intl.NumberFormat>();
function numbers(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const name = JSON.stringify(options);
  const found = made.get(name) ?? new Intl.NumberFormat([...locale()], options);
  made.set(name, found);
  return found;
}

/** A count of pieces. */
export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? nothing : numbers({}).format(value);
}

/** A share, 0.25 as 25 %. */
export function share(value: number | null | undefined, digits = 0): string {
  if (value === null || value === undefined) return nothing;
  return numbers({ style: "percent", maximumFractionDigits: digits }).format(value);
}

/** The decimals of a currency; browsers do not agree with ISO 4217 on all of them. */
const decimals = (currency: string) => {
  const digits = decimalsOf(currency);
  return { minimumFractionDigits: digits, maximumFractionDigits: digits };
};

/** Money with all decimals of its currency. An unknown currency stands behind the number. */
export function money(value: number | string | null | undefined, currency = "USD"): string {
  if (value === null || value === undefined || value === "") return nothing;
  try {
    return numbers({ style: "currency", currency, ...decimals(currency) }).format(Number(value));
  } catch {
    return `${numbers({ minimumFractionDigits: 2 }).format(Number(value))} ${currency}`;
  }
}

/** Money as the API lists parts of it: in the smallest unit of its currency. */
export function moneyOfMinor(minor: number, currency: string): string {
  return money(minor / 10 ** decimalsOf(currency), currency);
}

/** An amount as a field takes it. */
export function plainMoney(value: number, currency: string): string {
  return value.toFixed(decimalsOf(currency));
}

/** Money without its small change, where a round number says enough. */
export function roundMoney(value: number, currency = "USD"): string {
  try {
    return numbers({ style: "currency", currency, maximumFractionDigits: 0 }).format(value);
  } catch {
    return `${numbers({ maximumFractionDigits: 0 }).format(value)} ${currency}`;
  }
}

/** A weight in the unit that it was given in. */
export function weight(value: number | null | undefined, unit: string | null | undefined): string {
  if (value === null || value === undefined) return nothing;
  return `${numbers({ maximumFractionDigits: 3 }).format(value)} ${unit ?? ""}`.trim();
}

/** Bytes, as people say them. */
export function bytes(value: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
  let at = 0;
  let left = value;
  while (left >= 1000 && at < units.length - 1) {
    left /= 1000;
    at += 1;
  }
  const unit = units[at] ?? "byte";
  return numbers({
    style: "unit",
    unit,
    unitDisplay: "short",
    maximumFractionDigits: left < 10 && at > 0 ? 1 : 0,
  }).format(left);
}

const dated = (options: Intl.DateTimeFormatOptions) => {
  let format: Intl.DateTimeFormat | undefined;
  return (value: string | number): string => {
    format ??= new Intl.DateTimeFormat([...locale()], options);
    const at = new Date(value);
    return Number.isNaN(at.getTime()) ? String(value) : format.format(at);
  };
};

/** A moment, by the person's own clock. */
export const moment = dated({ dateStyle: "medium", timeStyle: "short" });
/** A moment to the second, with its zone. */
export const exactMoment = dated({ dateStyle: "full", timeStyle: "long" });
/** The hour and minute of a moment. */
export const clock = dated({ timeStyle: "short" });
/** A moment of about this year: its day and its time. */
export const shortMoment = dated({ month: "short", day: "numeric", hour: "numeric", minute: "2-digit" });
const day = dated({ dateStyle: "medium", timeZone: "UTC" });

/** A date such as `2026-01-02`, which is the same everywhere. */
export function date(value: string | null | undefined): string {
  return value === null || value === undefined ? nothing : day(value.slice(0, 10));
}

/**
 * The date that a timestamp stands for: the API writes a calendar date as the first or the last second of its day, UTC.
 * Null for any other timestamp.
 */
export function dateWithin(value: string): string | null {
  return /T(?:00:00:00(?:\.000)?|23:59:59(?:\.999)?)Z$/.test(value) ? value.slice(0, 10) : null;
}

/** The date that it is in a zone at a moment, as `YYYY-MM-DD`. */
export function dateIn(at: string | number, timeZone: string): string {
  const options = { timeZone, year: "numeric", month: "2-digit", day: "2-digit" } as const;
  return new Intl.DateTimeFormat("sv-SE", options).format(new Date(at));
}

/** The date on which a timestamp is the first moment of the day in a zone; null for any other timestamp. */
export function dateStartingAt(value: string, timeZone: string): string | null {
  const day = dateIn(value, timeZone);
  return dateIn(Date.parse(value) - 1, timeZone) === day ? null : day;
}

/** A calendar date as such, any other timestamp by the person's own clock. */
export function dateOrMoment(value: string): string {
  const written = dateWithin(value);
  return written === null ? moment(value) : date(written);
}

const zoned = (at: number, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat([...locale()], options).format(at);

/** The hour and minute of a moment in a zone, with the zone's name where the person's own clock shows another time. */
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

const shortDay = dated({ month: "short", day: "numeric", timeZone: "UTC" });

/** A date such as `2026-01-02` without its year, for where there is little room. */
export function shortDate(value: string): string {
  return shortDay(value.slice(0, 10));
}

/** How long ago or ahead a moment is; `now` in milliseconds. */
export function ago(value: string, now: number): string {
  let left = (new Date(value).getTime() - now) / 1000;
  // The clock of the page lags by up to half a minute: what has just happened does not lie ahead.
  if (left > 0 && left < 60) left = 0;
  for (const [size, unit] of steps) {
    if (Math.abs(left) < size) {
      return new Intl.RelativeTimeFormat([...locale()], { numeric: "auto" }).format(Math.round(left), unit);
    }
    left /= size;
  }
  return value;
}

/** One or many: `plural(3, "order", "orders")` is "3 orders". */
export function plural(value: number, one: string, many: string): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}
