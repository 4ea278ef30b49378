import { countryTimeZone } from "../../kit/zone.ts";

// The zone in which most people of a state live. In a state with two zones the smaller part is off by an hour.
const zoneStates = {
  "America/New_York": "CT DC DE FL GA IN KY MA MD ME MI NC NH NJ NY OH PA RI SC VA VT WV",
  "America/Chicago": "AL AR IA IL KS LA MN MO MS ND NE OK SD TN TX WI",
  "America/Denver": "CO ID MT NM UT WY",
  "America/Phoenix": "AZ",
  "America/Los_Angeles": "CA NV OR WA",
  "America/Anchorage": "AK",
  "Pacific/Honolulu": "HI",
  "America/Puerto_Rico": "PR VI",
  "Pacific/Guam": "GU MP",
  "Pacific/Pago_Pago": "AS",
} as const;

const zoneOf: ReadonlyMap<string, string> = new Map(
  Object.entries(zoneStates).flatMap(([zone, states]) => states.split(" ").map((state) => [state, zone] as const)),
);

const territories: readonly string[] = ["AS", "GU", "MP", "PR", "VI"];

// States by the post's list whose time is unknown: those of the armed forces and three in the Pacific.
const otherStates: readonly string[] = ["AA", "AE", "AP", "FM", "MH", "PW"];

/** Whether a text is the two-letter code of a US state or territory as the post lists them, in either case. */
export function isUsState(text: string): boolean {
  const code = text.toUpperCase();
  return zoneOf.has(code) || otherStates.includes(code);
}

/** The IANA zone of a US state or territory by its two letters; null for anything else. */
export function stateTimeZone(state: string | null, country: string): string | null {
  return country === "US" && state !== null ? (zoneOf.get(state.toUpperCase()) ?? null) : null;
}

// The same by the first digits of ZIP codes, for callers who know no more of a place.
// biome-ignore format: a table is read by its columns.
const zipZones: readonly (readonly [first: string, last: string, zone: string])[] = [
  ["005", "005", "America/New_York"], ["006", "009", "America/Puerto_Rico"], ["010", "089", "America/New_York"],
  ["100", "339", "America/New_York"], ["341", "349", "America/New_York"], ["350", "397", "America/Chicago"],
  ["398", "499", "America/New_York"], ["569", "569", "America/New_York"], ["500", "588", "America/Chicago"],
  ["590", "599", "America/Denver"], ["600", "799", "America/Chicago"], ["800", "847", "America/Denver"],
  ["850", "865", "America/Phoenix"], ["870", "884", "America/Denver"], ["885", "885", "America/Chicago"],
  ["889", "961", "America/Los_Angeles"], ["96799", "96799", "Pacific/Pago_Pago"],
  ["967", "968", "Pacific/Honolulu"], ["969", "969", "Pacific/Guam"],
  ["970", "994", "America/Los_Angeles"], ["995", "999", "America/Anchorage"],
];

/** A place as far as its time zone is concerned. */
export interface ZonedPlace {
  readonly country: string;
  readonly state: string | null;
  readonly postal_code: string | null;
}

/** The IANA zone of a place: by its state, by its ZIP code, or by its country or territory; null when unknown. */
export function placeTimeZone({ country, state, postal_code }: ZonedPlace): string | null {
  if (country !== "US") return territories.includes(country) ? stateTimeZone(country, "US") : countryTimeZone(country);
  const known = stateTimeZone(state, country);
  if (known !== null || postal_code === null) return known;
  const code = postal_code.trim();
  const begins = (length: number) => code.slice(0, length);
  return zipZones.find(([first, last]) => first <= begins(first.length) && begins(last.length) <= last)?.[2] ?? null;
}
