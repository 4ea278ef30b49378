// Calculations for the stock chart and the ledger.
import type { Level, Movement } from "../../api/types.ts";
import { stockTexts as texts } from "../../text/stock.ts";

/** The minimum width of a part that is not zero. */
export const least_share = 14;

/** Divides a width in proportion to units. Parts that are not zero get at least `least_share`. */
export function shares(units: readonly number[], whole: number): number[] {
  const sum = units.reduce((total, one) => total + one, 0);
  if (sum === 0) return units.map(() => 0);
  const lifted = units.map((one) => (one === 0 ? 0 : Math.max(least_share, (one / sum) * whole)));
  const over = lifted.reduce((total, one) => total + one, 0) - whole;
  const roomy = lifted.reduce((total, one) => total + Math.max(0, one - least_share), 0);
  return lifted.map((one) => (one > least_share && roomy > 0 ? one - (over * (one - least_share)) / roomy : one));
}

/** The change of a SKU's units on hand by a movement; 0 for a move between bins. */
export function changeOf({ from_location, to_location, quantity }: Movement): number {
  const leaves = to_location in texts.outside;
  const comes = from_location === null || from_location === "in_transit";
  return leaves ? -quantity : comes ? quantity : 0;
}

/** The units on hand after each movement, by movement id. `rows` are all movements without gaps, newest first. */
export function totalsAfter(rows: readonly Movement[], on_hand: number): ReadonlyMap<string, number> {
  const after = new Map<string, number>();
  let left = on_hand;
  for (const row of rows) {
    after.set(row.id, left);
    left -= changeOf(row);
  }
  return after;
}

/** The parts of the stock chart. */
export interface Parts {
  readonly on_hand: number;
  readonly available: number;
  /** Reserved and not picked yet. */
  readonly promised: number;
  readonly picked: number;
  readonly apart: readonly { readonly cause: keyof typeof texts.causes; readonly units: number }[];
  readonly incoming: number;
  readonly backordered: number;
}

/** The parts of a SKU's stock. `available + promised + picked + apart` equals the units on hand. */
export function partsOf(level: Level): Parts {
  const { on_hand, available, reserved, picked, unavailable, incoming, backordered } = level;
  const causes = Object.keys(texts.causes) as (keyof typeof texts.causes)[];
  const apart = causes.flatMap((cause) => (unavailable[cause] > 0 ? [{ cause, units: unavailable[cause] }] : []));
  return { on_hand, available, promised: reserved - picked, picked, apart, incoming, backordered };
}
