// Back-pressure: while webhook deliveries lag on a busy server, writes by API keys are delayed by up to a second, so
// that deliveries keep pace.

import { counter } from "../core/metrics.ts";
import type { Store } from "../storage/database.ts";
import type { Call } from "./call.ts";

// Writes are delayed from a lag of `lag_min_ms` on, and longest from `lag_max_ms` on.
const lag_min_ms = 1000;
const lag_max_ms = 5000;
const wait_max_ms = 1000;
const watch_every_ms = 25;
// Timers that are this late on average mean that the process has no idle time.
const busy_ms = 10;
const stale_after_ms = 3000;

const slowed = counter("packhouse_writes_slowed_total", "Writes that were delayed while webhook deliveries lagged.", [
  "mode",
]);

interface DeliveryLag {
  readonly ms: number;
  /** When it was reported (monotonic ms). */
  readonly at: number;
}

const lags = new WeakMap<Store, DeliveryLag>();
let late_ms = 0;
let watch_timer: Timer | null = null;
let reported_at = 0;

/** Reports how long the oldest unsent event of a store has been due, in ms. */
export function reportDeliveryLag(store: Store, ms: number): void {
  reported_at = performance.now();
  lags.set(store, { ms, at: reported_at });
  if (ms < lag_min_ms || watch_timer !== null) return;
  let due = reported_at + watch_every_ms;
  watch_timer = setInterval(() => {
    const now = performance.now();
    late_ms = late_ms * 0.9 + Math.max(0, now - due) * 0.1;
    due = now + watch_every_ms;
    if (now - reported_at > stale_after_ms) stopWatching();
  }, watch_every_ms);
  watch_timer.unref();
}

function stopWatching(): void {
  if (watch_timer !== null) clearInterval(watch_timer);
  watch_timer = null;
  late_ms = 0;
}

/**
 * The delay of a write for a delivery lag and a timer lag, all in ms: none while the process has idle time or the lag
 * is below 1 second, then growing to 1 second at a lag of 5 seconds.
 */
export function delayFor(lag_ms: number, late_ms: number): number {
  if (late_ms < busy_ms) return 0;
  const share = (lag_ms - lag_min_ms) / (lag_max_ms - lag_min_ms);
  return Math.round(wait_max_ms * Math.min(1, Math.max(0, share)) ** 2);
}

/**
 * Delays a write by an API key while this server's deliveries lag and it has no idle time. The `Server-Timing` header
 * reports the delay. Users are never delayed, and a slow receiver delays nobody.
 */
export async function applyBackpressure({ store, actor, headers }: Call): Promise<void> {
  const known = lags.get(store.base);
  if (known === undefined || actor.type !== "api_key") return;
  const wait_ms = performance.now() - known.at > stale_after_ms ? 0 : delayFor(known.ms, late_ms);
  if (wait_ms === 0) return;
  slowed.add(1, store.mode);
  headers["server-timing"] = `pace;dur=${wait_ms};desc="webhooks are behind"`;
  await Bun.sleep(wait_ms);
}
