import { dayText, localTime } from "../../core/time_zone.ts";
import { cutoffFor, type DispatchCalendar, dispatchDay } from "../../inventory/warehouses/dispatch_calendar.ts";

/** What determines the day on which an order ships. Times in ms. */
export interface DispatchFacts {
  readonly created_at: number;
  readonly cancelled_at: number | null;
  readonly processing_at: number | null;
  readonly shipped_at: number | null;
  /** When each open hold ends automatically; null for one that must be released manually. */
  readonly holds: readonly { readonly hold_until: number | null }[];
  /** The calendars of the warehouses that its units ship from. */
  readonly calendars: readonly DispatchCalendar[];
}

/**
 * The day (`YYYY-MM-DD`) on which an order ships, the last of its warehouses'. It is counted from the start of work, or
 * from the order's creation; once that day is over, from now; while the order is held, from the end of its holds. Null
 * for a cancelled order, for a backordered one, and for one with a hold that has no end. For a shipped order, the day
 * it shipped.
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

/** What determines the ship-by time of an order. Times in ms. */
interface ShipByFacts {
  readonly created_at: number;
  readonly cancelled_at: number | null;
  readonly imported: boolean;
  /** The calendar of its promised ship date. */
  readonly promised_by: DispatchCalendar | null;
}

/**
 * Ship-by time (ms): the cut-off on the day that the order was expected to ship when it was placed. Null for a
 * cancelled or imported order, and when no day is in sight.
 */
export function shipBy({ created_at, cancelled_at, imported, promised_by }: ShipByFacts): number | null {
  if (cancelled_at !== null || imported || promised_by === null) return null;
  return cutoffFor(created_at, promised_by);
}
