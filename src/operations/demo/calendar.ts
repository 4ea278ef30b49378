// Working time in the sample warehouse: Monday to Friday, 7:00 to 17:00, UTC−5 all year.
import { day_ms, hour_ms, minute_ms } from "../../core/time.ts";

const behind_utc_ms = 5 * hour_ms;
const opens_hour = 7;
const closes_hour = 17;
/** The cut-off of a new warehouse. */
const cutoff_hour = 14;

/** The weekday in the warehouse, 0 for Sunday to 6 for Saturday. */
export function weekday(at: number): number {
  // 1 January 1970 was a Thursday.
  return (Math.floor((at - behind_utc_ms) / day_ms) + 4) % 7;
}

/** The full hour of the day in the warehouse, 0 to 23. */
export function hourOfDay(at: number): number {
  return Math.floor((at - behind_utc_ms) / hour_ms) % 24;
}

/** The time at which the warehouse's clock shows this hour and minute, on the day of `at`. */
export function onDayOf(at: number, hour: number, minute: number): number {
  const midnight = Math.floor((at - behind_utc_ms) / day_ms) * day_ms + behind_utc_ms;
  return midnight + hour * hour_ms + minute * minute_ms;
}

/** The last cut-off whose working day was over at `at`. */
export function lastCutoff(at: number): number {
  for (let day = at; ; day -= day_ms) {
    if (isWorkday(day) && onDayOf(day, closes_hour, 0) <= at) return onDayOf(day, cutoff_hour, 0);
  }
}

/** Whether the warehouse works on the day of `at`. */
export function isWorkday(at: number): boolean {
  const day = weekday(at);
  return day >= 1 && day <= 5;
}

/** The same time of day, `days` working days later. */
export function addWorkdays(at: number, days: number): number {
  let moved = at;
  for (let left = days; left > 0; ) {
    moved += day_ms;
    if (isWorkday(moved)) left--;
  }
  return moved;
}

/**
 * `at` if it is in working time, otherwise shortly after the next opening: as many minutes as `at` is past the hour.
 */
export function inWorkingTime(at: number): number {
  const hour = hourOfDay(at);
  if (isWorkday(at) && hour >= opens_hour && hour < closes_hour) return at;
  const opening = onDayOf(at, opens_hour, Math.floor((at % hour_ms) / minute_ms));
  return isWorkday(at) && hour < opens_hour ? opening : addWorkdays(opening, 1);
}
