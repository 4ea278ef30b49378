import type { DispatchCalendar } from "../inventory/warehouses/calendar.ts";

/**
 * By when an order must be ready: the day it leaves (`YYYY-MM-DD`), if known, and the time at which its warehouse
 * closes the day.
 */
export function cutOff(ship_date: string | null, { cutoff_time }: DispatchCalendar): string {
  return ship_date === null ? cutoff_time : `${ship_date} ${cutoff_time}`;
}
