// What is counted of the shipping of commits.
import { counter, gauge } from "../../kit/meter.ts";

/** Segments and their bytes that arrived where they are kept. */
export const shipped_segments = counter("packhouse_shipped_segments_total", "Segments of commits that were shipped.", [
  "mode",
]);
export const shipped_bytes = counter("packhouse_shipped_bytes_total", "Bytes of segments that were shipped.", ["mode"]);

/** Times that a chain of segments ended, so that a new backup was needed. */
export const broken_chains = counter(
  "packhouse_shipping_restarts_total",
  "Times that shipping had to begin again from a new backup.",
  ["mode"],
);

/** What a lost disk would cost now. */
export const behind_seconds = gauge(
  "packhouse_shipping_behind_seconds",
  "How long ago all that was committed had been shipped.",
  ["mode"],
);

/** What waits on this disk for its place to be reached. */
export const waiting_bytes = gauge("packhouse_shipping_waiting_bytes", "Bytes of segments that wait to be shipped.");

/** Tells a gauge what it shows now, where it is only told how much it grew. */
export function level(shown: { add: (amount: number, ...values: string[]) => void }): typeof shown.add {
  const before = new Map<string, number>();
  return (amount, ...values) => {
    const key = values.join();
    shown.add(amount - (before.get(key) ?? 0), ...values);
    before.set(key, amount);
  };
}
