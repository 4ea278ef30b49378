// The results of changes of stock, and the comparison for platforms that set without comparing.

import type { StockChange, StockResult } from "./connector.ts";

/** The result of each change. */
export type StockResults = Map<StockChange, StockResult>;

/**
 * Sets the changes of each location with `set`. Returns the results in the order of the changes.
 */
export async function byLocation(
  changes: readonly StockChange[],
  set: (location_id: string | null, changes: readonly StockChange[]) => Promise<StockResults>,
): Promise<StockResult[]> {
  const results: StockResults = new Map();
  for (const [location_id, own] of Map.groupBy(changes, (change) => change.location_id)) {
    for (const [change, result] of await set(location_id, own)) results.set(change, result);
  }
  return changes.flatMap((change) => results.get(change) ?? []);
}

/**
 * Compares the numbers that a shop shows now with the expected ones, and sets those that still match. `write` sets
 * quantities and returns their results. A number that is right already is not written again, as after a lost response.
 */
export async function compareAndSet(
  changes: readonly StockChange[],
  shown: ReadonlyMap<string, number>,
  write: (changes: readonly StockChange[]) => Promise<StockResults>,
): Promise<StockResults> {
  const results: StockResults = new Map();
  for (const change of changes) {
    const result = comparison(change, shown.get(change.external_id));
    if (result !== null) results.set(change, result);
  }
  const written = await write(changes.filter((change) => !results.has(change)));
  return new Map([...results, ...written]);
}

/** The result of a change that is not written; null for the others. */
function comparison({ external_id, quantity, expected }: StockChange, now: number | undefined): StockResult | null {
  if (now === undefined) return uncounted(external_id);
  if (now === quantity) return { external_id, outcome: "set", quantity };
  return now === expected ? null : { external_id, outcome: "stale", quantity: now };
}

/** The result for a listing that the shop does not have, or whose stock it does not count. */
export function uncounted(external_id: string): StockResult {
  const message = "The shop no longer has this listing, or does not count its stock.";
  return { external_id, outcome: "refused", code: "not_counted", message, permanent: true };
}
