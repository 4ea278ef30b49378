// The sample rate cards of a first start. All prices are invented.

import type { RateMessage } from "../offer.ts";
import type { BuiltInCarrier } from "./built_in_carrier.ts";
import { any_zone, type CardContent, type CardTerms, type PriceRow } from "./rate_card.ts";

/** The prices of a zone in cents: the first pound, and each further pound. */
type ZonePrice = readonly [zone: string, first_cents: number, more_cents: number];

// As in carriers' tables, heavier rows cover more pounds.
const breaks = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 60, 70, 85, 100, 125, 150] as const;

/** Returns the rows of a price table up to 150 pounds. Cost equals price. */
export function rowsOf(zones: readonly ZonePrice[]): PriceRow[] {
  return zones.flatMap(([zone, first_cents, more_cents]) =>
    breaks.map((up_to_pounds) => {
      const cents = first_cents + (up_to_pounds - 1) * more_cents;
      return { zone, up_to_pounds, price_cents: cents, cost_cents: cents };
    }),
  );
}

/** Returns an amount whose cost equals its price. */
export const charge = (cents: number) => ({ price_cents: cents, cost_cents: cents });

/** Returns the delivery days by zone; `others` applies to all other zones. */
export function daysOf(days: Readonly<Record<string, number>>, others: number): CardTerms["transit_days"] {
  return [...Object.entries(days).map(([zone, count]) => ({ zone, days: count })), { zone: any_zone, days: others }];
}

/** Alaska, Hawaii and the Pacific islands. */
export const far_states = {
  country: "US",
  prefixes: ["967", "968", "969", "995", "996", "997", "998", "999"],
} as const;

const sampleServices = ["standard", "express", "overnight"] as const;
export type SampleCode = (typeof sampleServices)[number];

// SAMPLE PRICES, invented for a first start. A warehouse replaces them with its own.

/** The fields in which the sample cards differ. */
type SampleCard = Pick<CardContent, "name"> &
  Pick<CardTerms, "prices" | "fuel_basis_points" | "cut_off_minute" | "transit_days">;

const samples: Readonly<Record<SampleCode, SampleCard>> = {
  standard: {
    name: "Standard",
    prices: rowsOf([
      ["2", 815, 48],
      ["3", 850, 57],
      ["4", 895, 68],
      ["5", 940, 82],
      ["6", 985, 98],
      ["7", 1035, 115],
      ["8", 1085, 133],
      ["9", 1890, 285],
      ["domestic", 940, 82],
      ["abroad", 3250, 560],
      [any_zone, 1085, 133],
    ]),
    fuel_basis_points: 1600,
    cut_off_minute: 16 * 60,
    transit_days: daysOf({ "2": 1, "3": 2, "4": 3, "5": 3, "6": 4, "7": 4, "8": 5, domestic: 3, abroad: 10 }, 7),
  },
  express: {
    name: "Express",
    prices: rowsOf([
      ["2", 1545, 135],
      ["3", 1690, 164],
      ["4", 1875, 205],
      ["5", 2060, 248],
      ["6", 2290, 289],
      ["7", 2515, 325],
      ["8", 2720, 358],
      ["9", 3480, 505],
      ["domestic", 2060, 248],
      ["abroad", 4890, 745],
      [any_zone, 2720, 358],
    ]),
    fuel_basis_points: 1800,
    cut_off_minute: 16 * 60,
    transit_days: daysOf({ "9": 3, abroad: 5 }, 2),
  },
  overnight: {
    name: "Overnight",
    prices: rowsOf([
      ["2", 2950, 192],
      ["3", 3240, 245],
      ["4", 3615, 318],
      ["5", 3980, 386],
      ["6", 4290, 452],
      ["7", 4560, 508],
      ["8", 4840, 562],
      ["9", 5950, 720],
      ["domestic", 3980, 386],
      ["abroad", 6850, 960],
      [any_zone, 4840, 562],
    ]),
    fuel_basis_points: 1800,
    cut_off_minute: 14 * 60,
    transit_days: daysOf({ "9": 2, abroad: 3 }, 1),
  },
};

/** The advice to operators on replacing sample prices. */
const remedy = "Create your own rate card, or connect a carrier account.";

/** The warning next to sample rates in live data. */
export function sampleMessage({ code, name }: BuiltInCarrier): RateMessage {
  const message = `The rates of ${name} are sample prices, not real prices. ${remedy}`;
  return { carrier: code, service: null, level: "warning", code: "sample_rates", message };
}

/** The warning on a label bought at a sample price in live data. */
export const sampleWarning = {
  field: "cost",
  code: "sample_rates",
  message: `The price comes from a sample rate card. ${remedy}`,
} as const;

/** Returns the sample cards of a first start. They serve every address. */
export function sampleCards(carrier: string): CardContent[] {
  return sampleServices.map((service) => {
    const { name, ...terms } = samples[service];
    const dates = { effective_from: null, effective_to: null };
    return {
      service,
      name,
      active: true,
      sample: true,
      ...dates,
      terms: { ...sharedTerms, ...terms, holidays: carrier },
    };
  });
}

const sharedTerms: Omit<CardTerms, "prices" | "fuel_basis_points" | "cut_off_minute" | "transit_days" | "holidays"> = {
  currency: "USD",
  zones: {
    system: "default",
    first: 2,
    default: "8",
    domestic: "domestic",
    countries: [],
    regions: [],
    continents: [],
    rest: "abroad",
  },
  minimum: null,
  limits: { billed_pounds: null, longest: "108", length_and_girth: "165" },
  dimensional: { divisor: 139, over: 0 },
  side_rounding: "ceil",
  surcharges: {
    residential: { ...charge(555), fuelable: true },
    additional_handling: {
      ...charge(2150),
      fuelable: true,
      longest_over: "48",
      second_over: "30",
      length_and_girth_over: null,
      volume_over: "10368",
      weight_over: "50",
    },
    large_package: {
      ...charge(9800),
      fuelable: true,
      longest_over: "96",
      second_over: null,
      length_and_girth_over: "130",
      volume_over: "17280",
      weight_over: "110",
      billed_pounds: 90,
    },
    remote_area: { ...charge(1375), fuelable: true, places: [far_states] },
  },
  declared_value: { included_cents: 10_000, per_hundred: charge(125), minimum: charge(375) },
  ship_days: ["mon", "tue", "wed", "thu", "fri"],
  saturday_delivery: false,
  sunday_delivery: false,
};
