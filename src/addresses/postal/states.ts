const names = {
  AL: "Alabama",
  AK: "Alaska",
  AZ: "Arizona",
  AR: "Arkansas",
  CA: "California",
  CO: "Colorado",
  CT: "Connecticut",
  DC: "District of Columbia",
  DE: "Delaware",
  FL: "Florida",
  GA: "Georgia",
  HI: "Hawaii",
  IA: "Iowa",
  ID: "Idaho",
  IL: "Illinois",
  IN: "Indiana",
  KS: "Kansas",
  KY: "Kentucky",
  LA: "Louisiana",
  MA: "Massachusetts",
  MD: "Maryland",
  ME: "Maine",
  MI: "Michigan",
  MN: "Minnesota",
  MO: "Missouri",
  MS: "Mississippi",
  MT: "Montana",
  NC: "North Carolina",
  ND: "North Dakota",
  NE: "Nebraska",
  NH: "New Hampshire",
  NJ: "New Jersey",
  NM: "New Mexico",
  NV: "Nevada",
  NY: "New York",
  OH: "Ohio",
  OK: "Oklahoma",
  OR: "Oregon",
  PA: "Pennsylvania",
  RI: "Rhode Island",
  SC: "South Carolina",
  SD: "South Dakota",
  TN: "Tennessee",
  TX: "Texas",
  UT: "Utah",
  VA: "Virginia",
  VT: "Vermont",
  WA: "Washington",
  WI: "Wisconsin",
  WV: "West Virginia",
  WY: "Wyoming",
  AS: "American Samoa",
  FM: "Federated States of Micronesia",
  GU: "Guam",
  MH: "Marshall Islands",
  MP: "Northern Mariana Islands",
  PR: "Puerto Rico",
  PW: "Palau",
  VI: "Virgin Islands",
  AA: "Armed Forces Americas",
  AE: "Armed Forces Europe",
  AP: "Armed Forces Pacific",
} as const;

const plainOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z]+/g, " ")
    .trim();

const codes = new Map(
  Object.entries(names).flatMap(([code, name]) => [
    [code.toLowerCase(), code],
    [plainOf(name), code],
  ]),
);

/** The two letters of a state, a territory or a region of the armed forces, by its letters or its name; else null. */
export function stateOf(text: string): string | null {
  return codes.get(plainOf(text)) ?? codes.get(plainOf(text).replaceAll(" ", "")) ?? null;
}

const territories: readonly string[] = ["AS", "FM", "GU", "MH", "MP", "PR", "PW", "VI"];

/** Whether a country's code is that of a place which the post of the United States serves as a state of its own. */
export function isTerritory(country: string): boolean {
  return territories.includes(country);
}

/** The region of the armed forces that a ZIP code lies in, by its first three digits; null for all others. */
export function militaryRegion(zip: string): "AE" | "AA" | "AP" | null {
  if (/^09[0-8]/.test(zip)) return "AE";
  if (/^340/.test(zip)) return "AA";
  return /^96[2-6]/.test(zip) ? "AP" : null;
}
