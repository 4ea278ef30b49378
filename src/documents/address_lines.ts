import { formatAddress } from "localized-address-format";
import { type ContactAddress, countries } from "../core/postal_address.ts";
import { anyOfScripts } from "./typefaces.ts";

// Addresses in East Asian scripts go from large to small: the city before the street, and the name last.
const eastern = new RegExp(anyOfScripts("Han", "Hiragana", "Katakana", "Hangul"), "u");
const largestFirstCountries: readonly string[] = ["CN", "HK", "JP", "KP", "KR", "MO", "TW"];
// Their address formats have no city field, so the city shares the line of the state.
const townInState: readonly string[] = ["AE", "JP", "KY", "NR"];

// Each label repeats the sender's address, and parsing a country's format is slow.
const cache = new Map<string, readonly string[]>();
const cache_max = 1000;

/**
 * The lines of an address in the order of its country. In East Asia the script decides the order. The last line is the
 * country's name if that is not `home` (a two-letter code).
 */
export function addressLines(address: ContactAddress, home: string): readonly string[] {
  const key = JSON.stringify([home, address]);
  const lines = cache.get(key) ?? formattedLines(address, home);
  if (cache.size >= cache_max) cache.clear();
  cache.set(key, lines);
  return lines;
}

function formattedLines(address: ContactAddress, home: string): string[] {
  const { name, company, address_line1, address_line2, city, state, postal_code, country } = address;
  const largestFirst = largestFirstCountries.includes(country) && eastern.test(`${address_line1}${city}`);
  const region = state ?? "";
  const joined = largestFirst ? `${region}${city}` : [city, region].filter((part) => part !== "").join(", ");
  const lines = formatAddress(
    {
      postalCountry: country,
      name,
      organization: company ?? "",
      addressLines: [address_line1, address_line2 ?? ""].filter((line) => line !== ""),
      locality: city,
      administrativeArea: townInState.includes(country) ? joined : region,
      postalCode: postal_code ?? "",
    },
    largestFirst ? "local" : "latin",
  );
  // Some countries' formats omit the city or the postal code. Print them anyway.
  for (const part of [city, postal_code ?? ""]) if (!lines.some((line) => line.includes(part))) lines.push(part);
  if (country !== home) lines.push((countries().getName(country, "en") ?? country).toUpperCase());
  return lines.filter((line) => line !== "");
}

/**
 * The GS1 text of the postal code: `(420)` and the code within `home`, else `(421)` with the country's numeric code.
 * Null if there is no code, or if GS1 cannot represent it.
 */
export function postalBarcode(address: ContactAddress, home: string): string | null {
  const code = (address.postal_code ?? "").replaceAll(/[\s-]/g, "").toUpperCase();
  if (!/^[A-Z0-9]{1,9}$/.test(code)) return null;
  if (address.country === home) return `(420)${code}`;
  const number = countries().alpha2ToNumeric(address.country);
  // Numbers from 900 are for private use (Kosovo has one), and scanners reject them.
  return number === undefined || Number(number) >= 900 ? null : `(421)${number.padStart(3, "0")}${code}`;
}
