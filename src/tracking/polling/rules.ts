import { type TrackingStatus, trackingMeanings } from "../../shipping/updates/status.ts";
import type { TrackingRecord } from "../record.ts";

const minute_ms = 60_000;
const hour_ms = 60 * minute_ms;
const day_ms = 24 * hour_ms;

/** How long until the carrier is asked again, by status. */
const waits: Readonly<Record<TrackingStatus, number>> = {
  pending: 6 * hour_ms,
  picked_up: 3 * hour_ms,
  in_transit: 3 * hour_ms,
  out_for_delivery: 45 * minute_ms,
  exception: 6 * hour_ms,
  // Once more, in case it comes back after all.
  delivered: day_ms,
  returned: day_ms,
};

const jitter = 0.2;
const told_by_itself_ms = day_ms;

/** A parcel older than this is not polled any more, and its number may be another's. */
export const retired_after_ms = 90 * day_ms;

/** What decides when the carrier is asked again. */
interface Looked {
  readonly record: Pick<TrackingRecord, "tracking_number" | "status" | "created_at">;
  /** Whether the status has just changed. */
  readonly changed: boolean;
  /** Whether the carrier sends callbacks, so that polls only repair what was lost. */
  readonly called_back: boolean;
  readonly now: number;
}

/** When to poll the carrier of a parcel next; null when never again. */
export function nextLook({ record, changed, called_back, now }: Looked): number | null {
  if (now - record.created_at >= retired_after_ms) return null;
  const ended = trackingMeanings[record.status].final;
  if (ended) return changed ? now + waits[record.status] : null;
  return now + spread(called_back ? told_by_itself_ms : waits[record.status], record.tracking_number, now);
}

/** When to poll the carrier of a parcel first, after its label was bought. */
export const firstLook = (number: string, now: number): number => now + spread(waits.pending, number, now);

/** A wait that differs a little by number and time, so that parcels of one moment are not polled all at once. */
function spread(wait_ms: number, number: string, now: number): number {
  const share = Bun.hash.crc32(`${number} ${now}`) / 2 ** 32;
  return Math.round(wait_ms * (1 + jitter * (2 * share - 1)));
}

const retry_first_ms = 5 * minute_ms;
const retry_max_ms = 6 * hour_ms;
const hint_max_ms = day_ms;

/** How long to wait after so many failures in a row, in milliseconds; longer when the carrier asked for it. */
export function retryWait(
  { tracking_number, failures }: { readonly tracking_number: string; readonly failures: number },
  retry_after_seconds: unknown,
  now: number,
): number {
  const wait_ms = Math.min(retry_first_ms * 2 ** Math.max(failures - 1, 0), retry_max_ms);
  const own = spread(wait_ms, tracking_number, now);
  const hint = typeof retry_after_seconds === "number" ? Math.min(retry_after_seconds * 1000, hint_max_ms) : 0;
  return Math.max(own, hint);
}

const callbacks_count_ms = 2 * day_ms;

/** Whether a carrier whose last callback came at this moment still sends callbacks. */
export function tellsByItself(last_callback_at: number | null, now: number): boolean {
  return last_callback_at !== null && now - last_callback_at < callbacks_count_ms;
}
