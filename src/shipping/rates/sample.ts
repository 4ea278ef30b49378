import { any_zone, type CardContent, type PriceRow } from "./card.ts";

const sampleServices = ["standard", "express", "overnight"] as const;
export type SampleCode = (typeof sampleServices)[number];

// SAMPLE PRICES, invented for a first start. They are nobody's tariff; a warehouse replaces them with its own.
// biome-ignore format: a table is read by its columns.
const samples: Readonly<Record<SampleCode, Sample>> = {
  standard: { name: "Standard", days: 4, cut_off_hour: 16, prices: [[1, 695], [5, 995], [20, 1695], [70, 3495]] },
  express: { name: "Express", days: 2, cut_off_hour: 16, prices: [[1, 1295], [5, 1895], [20, 3295], [70, 6995]] },
  overnight: { name: "Overnight", days: 1, cut_off_hour: 14, prices: [[1, 2495], [5, 3695], [20, 6495], [70, 12995]] },
};

interface Sample {
  readonly name: string;
  readonly days: number;
  readonly cut_off_hour: number;
  readonly prices: readonly (readonly [up_to_pounds: number, price_cents: number])[];
}

/** The cards of a first start. Each has one price for all zones, so that it sells to every address. */
export function sampleCards(carrier: string): CardContent[] {
  return sampleServices.map((service) => {
    const { name, days, cut_off_hour, prices } = samples[service];
    const rows = prices.map(([up_to_pounds, cents]): PriceRow => {
      return { zone: any_zone, up_to_pounds, price_cents: cents, cost_cents: cents };
    });
    return {
      service,
      name,
      active: true,
      sample: true,
      effective_from: null,
      effective_to: null,
      terms: {
        currency: "USD",
        zones: {
          system: "default",
          first: 1,
          default: "8",
          domestic: "domestic",
          countries: [],
          regions: [],
          continents: [],
          rest: "abroad",
        },
        prices: rows,
        minimum: null,
        limits: { billed_pounds: null, longest: null, length_and_girth: null },
        dimensional: null,
        side_rounding: "ceil",
        surcharges: { residential: null, additional_handling: null, large_package: null, remote_area: null },
        fuel_basis_points: 0,
        declared_value: null,
        cut_off_minute: cut_off_hour * 60,
        ship_days: ["mon", "tue", "wed", "thu", "fri"],
        saturday_delivery: false,
        sunday_delivery: false,
        transit_days: [{ zone: any_zone, days }],
        holidays: carrier,
      },
    };
  });
}
