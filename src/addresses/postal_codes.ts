import { postcodeValidator, postcodeValidatorExistsForCountry } from "postcode-validator";

// Countries whose post wants a code on every address, and whose forms are long settled. Of others the library knows
// forms as well, but many addresses there go without, or the form has changed: what differs may be right.
const settled = new Set(
  (
    "AT AU AX BE BR CA CH CN CZ DE DK EE ES FI FO FR GB GF GG GL GP GR GU HU IM IN IT JE JP KR LI LT LU LV MC MQ MX " +
    "MY NC NL NO NZ PF PL PM PR PT RE RU SE SG SI SJ SK SM TR TW UA US VA VI WF YT ZA"
  ).split(" "),
);

/** Whether every address of a country has a postal code, whose form is settled. */
export function hasSettledCodes(country: string): boolean {
  return settled.has(country);
}

// Countries that are a city, or whose addresses name no city.
const without_cities = new Set("GI HK MC MO SG VA".split(" "));

/** Whether every address of a country names a city. */
export function hasCities(country: string): boolean {
  return !without_cities.has(country);
}

/** Whether the form of a country's postal codes is known at all. Some countries have none: AE, HK. */
export function hasCodes(country: string): boolean {
  return postcodeValidatorExistsForCountry(country);
}

const plain = (text: string) => text.normalize("NFKC").trim().toUpperCase();

/** Whether text has the form of a postal code of a country that has such. Case and outer spaces do not count. */
function hasForm(code: string, country: string): boolean {
  // Where the library errs: Britain's one code out of the pattern, and first digits that were never given out.
  if (country === "GB" && /^GIR ?0AA$/.test(code)) return true;
  if ((country === "NL" || country === "IN") && code.startsWith("0")) return false;
  if (country === "ES" && !/^(?:0[1-9]|[1-4]\d|5[0-2])/.test(code)) return false;
  return postcodeValidator(code, country);
}

/** Whether text may be a postal code of a country. Where the forms are not settled, any may. */
export function isPostalCode(text: string, country: string): boolean {
  return !settled.has(country) || hasForm(plain(text), country);
}

/**
 * A postal code in the form that its country writes: with the dash or the space that was left out or put elsewhere.
 * Null when it has no form of that country.
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

/** A ZIP code of the United States, its city as GeoNames calls it, and the two letters of its state. */
export interface ZipPlace {
  readonly zip: number;
  readonly city: string;
  readonly state: string;
}

/** As the file has it, with where it lies in thousandths of a degree. */
export interface ZipLine extends ZipPlace {
  readonly latitude_e3: number;
  readonly longitude_e3: number;
}
