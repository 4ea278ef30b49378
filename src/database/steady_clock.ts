// Time as a store tells it: small steps back of the machine's clock are not followed.
import type { Log } from "../kit/log.ts";

const step_back_max_ms = 5 * 60_000;

/** Gives each moment it is handed, or the last one given when the clock went back by less than five minutes. */
export function steady(log: Log): (now: number) => number {
  let last = 0;
  return (now) => {
    if (now < last) {
      if (last - now < step_back_max_ms) return last;
      log.warn("the clock went back", { by_ms: last - now });
    }
    last = now;
    return now;
  };
}
