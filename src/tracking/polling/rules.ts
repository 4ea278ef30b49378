import { type TrackingStatus, trackingMeanings } from "../../shipping/updates/status.ts";
import type { TrackingRecord } from "../record.ts";

const minute_ms = 60_000;
const hour_ms = 60 * minute_ms;
const day_ms = 24 * hour_ms;

/** How long until a carrier is asked again of a parcel that stands so. */
const waits: Readonly<Record<TrackingStatus, number>> = {
  pending: 6 * hour_ms,
  picked_up: 3 * hour_ms,
  in_transit: 3 * hour_ms,
  out_for_delivery: 45 * minute_ms,
  exception: 6 * hour_ms,
  // Once more, should it come back after all.
  delivered: day_ms,
  returned: day_ms,
};

const jitter = 0.2;
const told_by_itself_ms = day_ms;

/** After so long a parcel is asked for no more, and its number may be another's. */
export const retired_after_ms = 90 * day_ms;

/** What of a parcel says when its carrier is asked again. */
interface Looked {
  readonly record: Pick<TrackingRecord, "tracking_number" | "status" | "created_at">;
  /** Whether its status is another one than before. */
  readonly changed: boolean;
  /** Whether its carrier tells by itself, so that asking only repairs what was lost. */
  readonly called_back: boolean;
  readonly now: number;
}

/** When the carrier of a parcel is asked next, or null when it is asked no more. */
export function nextLook({ record, changed, called_back, now }: Looked): number | null {
  if (now - record.created_at >= retired_after_ms) return null;
  const ended = trackingMeanings[record.status].final;
  if (ended) return changed ? now + waits[record.status] : null;
  return now + spread(called_back ? told_by_itself_ms : waits[record.status], record.tracking_number, now);
}

/** When the carrier of a parcel is asked first whose label was just bought. */
export const firstLook = (number: string, now: number): number => now + spread(waits.pending, number, now);

/** A wait that is a little another one for each number and time: parcels of one moment are not asked for at one. */
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

/** Whether a carrier that last told something by itself at this moment still does. */
export function tellsByItself(last_callback_at: number | null, now: number): boolean {
  return last_callback_at !== null && now - last_callback_at < callbacks_count_ms;
}
