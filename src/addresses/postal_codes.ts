import { postcodeValidator, postcodeValidatorExistsForCountry } from "postcode-validator";

// Countries that require a postal code on every address, in a stable format. The library knows formats of more
// countries, but there many addresses have no code, or the format has changed, so a mismatch may be correct.
const settled = new Set(
  (
    "AT AU AX BE BR CA CH CN CZ DE DK EE ES FI FO FR GB GF GG GL GP GR GU HU IM IN IT JE JP KR LI LT LU LV MC MQ MX " +
    "MY NC NL NO NZ PF PL PM PR PT RE RU SE SG SI SJ SK SM TR TW UA US VA VI WF YT ZA"
  ).split(" "),
);

/** Whether every address in a country has a postal code, in a stable format. */
export function hasSettledCodes(country: string): boolean {
  return settled.has(country);
}

// City states, and countries whose addresses contain no city.
const without_cities = new Set("GI HK MC MO SG VA".split(" "));

/** Whether every address in a country contains a city. */
export function hasCities(country: string): boolean {
  return !without_cities.has(country);
}

/** Whether the format of a country's postal codes is known. Some countries have no codes: AE, HK. */
export function hasCodes(country: string): boolean {
  return postcodeValidatorExistsForCountry(country);
}

const plain = (text: string) => text.normalize("NFKC").trim().toUpperCase();

/** Whether text has the format of a country's postal codes, ignoring case and outer spaces. */
function hasForm(code: string, country: string): boolean {
  // Where the library is wrong: Britain's one irregular code, and first digits that are not in use.
  if (country === "GB" && /^GIR ?0AA$/.test(code)) return true;
  if ((country === "NL" || country === "IN") && code.startsWith("0")) return false;
  if (country === "ES" && !/^(?:0[1-9]|[1-4]\d|5[0-2])/.test(code)) return false;
  return postcodeValidator(code, country);
}

/** Whether text may be a postal code of a country. Any text may if the country's format is not stable. */
export function isPostalCode(text: string, country: string): boolean {
  return !settled.has(country) || hasForm(plain(text), country);
}

/**
 * A postal code as its country writes it, with a missing or misplaced dash or space corrected. Null if it does not fit
 * the country's format.
 */
export function writtenCode(text: string, country: string): string | null {
  const code = plain(text);
  if (hasForm(code, country)) return code;
  const bare = code.replace(/[\s-]+/g, "");
  if (hasForm(bare, country)) return bare;
  for (let at = 1; at < bare.length; at++) {
    for (const mark of ["-", " "]) {
      const marked = `${bare.slice(0, at)}${mark}${bare.slice(at)}`;
      if (hasForm(marked, country)) return marked;
    }
  }
  return null;
}

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

/** The two-letter code of a US state, territory or military region, from its code or name; null if it is none. */
export function stateOf(text: string): string | null {
  return codes.get(plainOf(text)) ?? codes.get(plainOf(text).replaceAll(" ", "")) ?? null;
}

const territories: readonly string[] = ["AS", "FM", "GU", "MH", "MP", "PR", "PW", "VI"];

/** Whether a country code is that of a US territory, which USPS addresses like a state. */
export function isTerritory(country: string): boolean {
  return territories.includes(country);
}

/** The military region of a ZIP code, by its first three digits; null for civilian codes. */
export function militaryRegion(zip: string): "AE" | "AA" | "AP" | null {
  if (/^09[0-8]/.test(zip)) return "AE";
  if (/^340/.test(zip)) return "AA";
  return /^96[2-6]/.test(zip) ? "AP" : null;
}

/** A US ZIP code, its city as in GeoNames, and the two-letter code of its state. */
export interface ZipPlace {
  readonly zip: number;
  readonly city: string;
  readonly state: string;
}

/** A line of the file, with coordinates in thousandths of a degree. */
export interface ZipLine extends ZipPlace {
  readonly latitude_e3: number;
  readonly longitude_e3: number;
}
