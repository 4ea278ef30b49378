import { dayText, localTime } from "../../core/time_zone.ts";
import { cutoffFor, type DispatchCalendar, dispatchDay } from "../../inventory/warehouses/dispatch_calendar.ts";

/** What decides the day on which an order leaves. Moments in milliseconds. */
export interface DispatchFacts {
  readonly created_at: number;
  readonly cancelled_at: number | null;
  readonly processing_at: number | null;
  readonly shipped_at: number | null;
  /** When each open hold ends by itself; null for one that somebody has to lift. */
  readonly holds: readonly { readonly hold_until: number | null }[];
  /** The calendars of the warehouses that its units leave. */
  readonly calendars: readonly DispatchCalendar[];
}

/**
 * The day (`YYYY-MM-DD`) on which an order leaves, the last of its warehouses': counted from when work on it began, or
 * from when it came; once that day is over, from now on, and while it is held, from the end of its holds. Null when
 * nobody can say: a cancelled order, one that waits for stock, and one with a hold that has no end. The day it left
 * when it has.
 */
export function shipDate(facts: DispatchFacts, backordered_units: number, now: number): string | null {
  const { created_at, cancelled_at, processing_at, shipped_at, holds, calendars } = facts;
  const [first] = calendars;
  if (cancelled_at !== null || first === undefined) return null;
  if (shipped_at !== null) return dayText(localTime(shipped_at, first.timezone).day);
  if (backordered_units > 0) return null;
  let free_at = now;
  for (const { hold_until } of holds) {
    if (hold_until === null) return null;
    free_at = Math.max(free_at, hold_until);
  }
  const begun_at = holds.length > 0 ? free_at : (processing_at ?? created_at);
  let last = 0;
  for (const calendar of calendars) {
    const day = dayOf(calendar, begun_at, free_at);
    if (day === null) return null;
    last = Math.max(last, day);
  }
  return dayText(last);
}

function dayOf(calendar: DispatchCalendar, begun_at: number, free_at: number): number | null {
  const day = dispatchDay(begun_at, calendar);
  return day === null || day >= localTime(free_at, calendar.timezone).day ? day : dispatchDay(free_at, calendar);
}

/** What says by when an order is to leave. Moments in milliseconds. */
interface ShipByFacts {
  readonly created_at: number;
  readonly cancelled_at: number | null;
  readonly imported: boolean;
  /** The calendar by which its customer was promised a day. */
  readonly promised_by: DispatchCalendar | null;
}

/**
 * By when (ms) an order is to leave so that the promise to its customer is kept: the cut-off of the day on which it
 * would leave as it came, whatever has happened since. Null for a cancelled order and one of the past, and when no day
 * is in sight.
 */
export function shipBy({ created_at, cancelled_at, imported, promised_by }: ShipByFacts): number | null {
  if (cancelled_at !== null || imported || promised_by === null) return null;
  return cutoffFor(created_at, promised_by);
}
