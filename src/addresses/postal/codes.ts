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
