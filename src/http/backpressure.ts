// Deliveries keep pace with writes: while a server that has no time left falls behind with what it has to tell, it
// answers writes of keys a little later, so that both go on at the same pace.

import { counter } from "../core/metrics.ts";
import type { Store } from "../storage/database.ts";
import type { Call } from "./call.ts";

// Writes begin to wait when deliveries are behind by the first, and wait the longest from the second on.
const behind_min_ms = 1000;
const behind_max_ms = 5000;
const wait_max_ms = 1000;
const look_every_ms = 25;
// A timer that is so late on average tells that the process has no time left.
const busy_ms = 10;
const forgotten_after_ms = 3000;

const slowed = counter("packhouse_writes_slowed_total", "Writes that waited for deliveries to keep pace.", ["mode"]);

interface DeliveryLag {
  readonly ms: number;
  /** When it was said (monotonic ms). */
  readonly at: number;
}

const behind = new WeakMap<Store, DeliveryLag>();
let late_ms = 0;
let looking: Timer | null = null;
let said_at = 0;

/** Says how long what this server has to tell of a store has been due, in ms. */
export function noteBehind(store: Store, ms: number): void {
  said_at = performance.now();
  behind.set(store, { ms, at: said_at });
  if (ms < behind_min_ms || looking !== null) return;
  let due = said_at + look_every_ms;
  looking = setInterval(() => {
    const now = performance.now();
    late_ms = late_ms * 0.9 + Math.max(0, now - due) * 0.1;
    due = now + look_every_ms;
    if (now - said_at > forgotten_after_ms) stopLooking();
  }, look_every_ms);
  looking.unref();
}

function stopLooking(): void {
  if (looking !== null) clearInterval(looking);
  looking = null;
  late_ms = 0;
}

/**
 * How long a write waits when deliveries are so far behind and timers so late: nothing below a second or while there is
 * time left, a second from five on. All in ms.
 */
export function waitFor(behind_ms: number, late_ms: number): number {
  if (late_ms < busy_ms) return 0;
  const share = (behind_ms - behind_min_ms) / (behind_max_ms - behind_min_ms);
  return Math.round(wait_max_ms * Math.min(1, Math.max(0, share)) ** 2);
}

/**
 * Lets a write of a key wait while this server falls behind with its deliveries and has no time left for them; the
 * answer says so by `Server-Timing`. People never wait, nor does anyone for a receiver that is slow by itself.
 */
export async function applyBackpressure({ store, actor, headers }: Call): Promise<void> {
  const known = behind.get(store.base);
  if (known === undefined || actor.type !== "api_key") return;
  const wait_ms = performance.now() - known.at > forgotten_after_ms ? 0 : waitFor(known.ms, late_ms);
  if (wait_ms === 0) return;
  slowed.add(1, store.mode);
  headers["server-timing"] = `pace;dur=${wait_ms};desc="webhooks are behind"`;
  await Bun.sleep(wait_ms);
}
