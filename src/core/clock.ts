import { assert } from "./faults.ts";

/** The source of a store's time. The sandbox clock can be moved ahead. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** How far this clock is ahead of the machine's, in milliseconds. */
  readonly ahead_ms: number;
  advance(by_ms: number): void;
  /** Monotonic milliseconds. Setting the machine's clock does not affect them. */
  elapsed(): number;
}

/** The machine's clock, which can be moved ahead but not back. */
export function systemClock(): Clock {
  let ahead_ms = 0;
  return {
    now: () => Date.now() + ahead_ms,
    get ahead_ms() {
      return ahead_ms;
    },
    advance: (by_ms) => {
      ahead_ms += by_ms;
    },
    elapsed: () => performance.now(),
  };
}

/** A clock whose machine time is set by hand. */
export interface ManualClock extends Clock {
  /** Advances the machine's time. */
  pass(ms: number): void;
  /** Sets the machine's clock ahead or back. Monotonic time does not change. */
  step(by_ms: number): void;
}

/** A clock that stands still until it is advanced. */
export function manualClock(start: number): ManualClock {
  let [machine, elapsed, ahead_ms] = [start, 0, 0];
  return {
    now: () => machine + ahead_ms,
    get ahead_ms() {
      return ahead_ms;
    },
    advance: (by_ms) => {
      ahead_ms += by_ms;
    },
    elapsed: () => elapsed,
    pass: (ms) => {
      machine += ms;
      elapsed += ms;
    },
    step: (by_ms) => {
      machine += by_ms;
    },
  };
}

let written = { at: Number.NaN, text: "" };

/**
 * A timestamp (ms) in the API's format: ISO 8601 UTC with milliseconds. Caches the last one, since callers often repeat
 * it.
 */
export function iso(at: number): string {
  if (written.at !== at) written = { at, text: new Date(at).toISOString() };
  return written.text;
}

/** A timestamp (ms) in the API's format; null stays null. */
export function isoOrNull(at: number | null): string | null {
  return at === null ? null : iso(at);
}

/** Parses a timestamp that `momentField` has validated, in milliseconds. Null and undefined are returned unchanged. */
export function momentOf(text: string): number;
export function momentOf<Absent extends null | undefined>(text: string | Absent): number | Absent;
export function momentOf(text: string | null | undefined): number | null | undefined {
  if (text === undefined || text === null) return text;
  const at = parseMoment(text);
  assert(at !== null, "momentField has validated the timestamp");
  return at;
}

// Only four-digit years, which read back as they were sent.
const moment_min = Date.UTC(1000, 0, 1);
const moment_max = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const day_pattern =
  "(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|[12]\\d)";
const time_pattern = "(?:[01]\\d|2[0-3]):[0-5]\\d";
const zoned_pattern = `T${time_pattern}(:[0-5]\\d(\\.\\d{1,9})?)?(Z|[+-]${time_pattern})`;

/** The pattern of an ISO 8601 date or timestamp. It accepts 29 February in every year; `parseMoment` does not. */
export const moment_pattern = `^[1-9]\\d{3}-(?:${day_pattern})(${zoned_pattern})?$`;
const moment_form = new RegExp(moment_pattern);

/** Parses an ISO 8601 date or timestamp as milliseconds; null when it is invalid. A date means its start in UTC. */
export function parseMoment(text: string): number | null {
  if (!moment_form.test(text)) return null;
  const at = Date.parse(text);
  if (Number.isNaN(at) || at < moment_min || at > moment_max) return null;
  // Date.parse accepts 31 February in some forms, so the day must read back as written.
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text.slice(0, 10) ? null : at;
}
