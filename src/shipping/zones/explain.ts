import { chooseZone } from "./choose.ts";
import { postalCountry } from "./place.ts";
import type { ReadySystem } from "./system.ts";
import type { Spot, ZoneChoice, ZoneReason, ZoneRules } from "./zone.ts";

// In the order in which zones are looked up. Which of the middle ones apply depends on the two places.
const order: readonly (readonly ZoneReason[])[] = [
  ["chart"],
  ["override"],
  ["guam", "military", "distance", "domestic", "country", "region", "continent", "rest"],
  ["default"],
];

/** The zone between two places as the API shows it, with everything that was tried before it was found. */
export function zoneView(from: Spot, to: Spot, rules: ZoneRules, system: ReadySystem) {
  const { zone, estimated, by, miles, unknown, rule } = chooseZone(from, to, rules, system);
  const found = order.findIndex((reasons) => by !== null && reasons.includes(by));
  const passed = [
    `No imported chart of ${rules.system} has both ends.`,
    `No override of ${rules.system} fits the destination.`,
    nothingNear(from, to, unknown),
    "The card has no usual zone.",
  ].slice(0, found < 0 ? undefined : found);
  const told = by === null ? [] : [`${reasonWords[by]}: ${rule}. Zone ${zone}.`];
  return { zone, zone_estimated: estimated, by, miles, unknown, explanation: [...passed, ...told] };
}

const reasonWords: Readonly<Record<NonNullable<ZoneChoice["by"]>, string>> = {
  chart: "Imported chart",
  override: "Override",
  guam: "Guam",
  military: "Armed forces, estimated by the city that their mail leaves from",
  distance: "Distance of ZIP codes",
  domestic: "Within one country",
  country: "Country",
  region: "Region",
  continent: "Continent",
  rest: "Rest of the world",
  default: "Usual zone of the card",
};

function nothingNear(from: Spot, to: Spot, unknown: readonly string[]): string {
  if (unknown.length > 0) return `No distance is known for ZIP codes that begin with ${unknown.join(" or ")}.`;
  const [origin, destination] = [postalCountry(from.country), postalCountry(to.country)];
  if (origin === destination) return `The card has no zone within ${origin}.`;
  return `The card has no zone for ${destination}, its region, its continent or the rest of the world.`;
}

/** How zones are found without a card: by charts, overrides and distance only. */
export const plainRules: ZoneRules = {
  system: "default",
  first: 1,
  default: null,
  domestic: null,
  rest: null,
  countries: [],
  regions: [],
  continents: [],
};
