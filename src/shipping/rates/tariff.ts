// Built-in tariffs, written in a few figures. All prices are invented.
import { any_zone, type CardTerms, type PriceRow } from "./card.ts";

/** The prices of a zone in cents: the first pound, and each pound after it. */
type ZonePrice = readonly [zone: string, first_cents: number, more_cents: number];

// A heavier break covers more pounds, as in the tables of carriers.
const breaks = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 60, 70, 85, 100, 125, 150] as const;

/** The rows of a price table up to 150 pounds. What the carrier takes equals the price. */
export function rowsOf(zones: readonly ZonePrice[]): PriceRow[] {
  return zones.flatMap(([zone, first_cents, more_cents]) =>
    breaks.map((up_to_pounds) => {
      const cents = first_cents + (up_to_pounds - 1) * more_cents;
      return { zone, up_to_pounds, price_cents: cents, cost_cents: cents };
    }),
  );
}

/** The price and cost of a charge, both the same. */
export const charge = (cents: number) => ({ price_cents: cents, cost_cents: cents });

/** Days of delivery for each zone; the last applies to all others. */
export function daysOf(days: Readonly<Record<string, number>>, others: number): CardTerms["transit_days"] {
  return [...Object.entries(days).map(([zone, count]) => ({ zone, days: count })), { zone: any_zone, days: others }];
}

/** Alaska, Hawaii and the islands of the Pacific. */
export const far_states = {
  country: "US",
  prefixes: ["967", "968", "969", "995", "996", "997", "998", "999"],
} as const;
