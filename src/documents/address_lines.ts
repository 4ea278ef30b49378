import { formatAddress } from "localized-address-format";
import { countries } from "../core/postal_address.ts";
import { anyOfScripts } from "./typefaces.ts";

/** An address as it is printed. `country` is the two-letter code. */
interface PrintedAddress {
  readonly name: string;
  readonly company: string | null;
  readonly address_line1: string;
  readonly address_line2: string | null;
  readonly city: string;
  readonly state: string | null;
  readonly postal_code: string | null;
  readonly country: string;
}

// Where letters of the East are written, the largest comes first: the town before the street, and the name last.
const eastern = new RegExp(anyOfScripts("Han", "Hiragana", "Katakana", "Hangul"), "u");
const ofTheEast: readonly string[] = ["CN", "HK", "JP", "KP", "KR", "MO", "TW"];
// Their formats have no place for a town but beside the state.
const townInState: readonly string[] = ["AE", "JP", "KY", "NR"];

// Each label repeats the sender's address, and a country's format is slow to read.
const known = new Map<string, readonly string[]>();
const known_max = 1000;

/**
 * The address in the line order of its own country, and in Eastern Asia of the script it is written in; with the
 * country's name when it lies abroad of `home`.
 */
export function addressLines(address: PrintedAddress, home: string): readonly string[] {
  const key = JSON.stringify([home, address]);
  const lines = known.get(key) ?? formattedLines(address, home);
  if (known.size >= known_max) known.clear();
  known.set(key, lines);
  return lines;
}

function formattedLines(address: PrintedAddress, home: string): string[] {
  const { name, company, address_line1, address_line2, city, state, postal_code, country } = address;
  const largestFirst = ofTheEast.includes(country) && eastern.test(`${address_line1}${city}`);
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
  // Some countries' formats have no place for a town or a postal code. What the sender gave is printed all the same.
  for (const part of [city, postal_code ?? ""]) if (!lines.some((line) => line.includes(part))) lines.push(part);
  if (country !== home) lines.push((countries().getName(country, "en") ?? country).toUpperCase());
  return lines.filter((line) => line !== "");
}

/**
 * The GS1 text of the postal code: `(420)` and the code at home, `(421)` with the country's number abroad. Null when
 * there is no code, or one that the standard has no place for.
 */
export function postalBarcode(address: PrintedAddress, home: string): string | null {
  const code = (address.postal_code ?? "").replaceAll(/[\s-]/g, "").toUpperCase();
  if (!/^[A-Z0-9]{1,9}$/.test(code)) return null;
  if (address.country === home) return `(420)${code}`;
  const number = countries().alpha2ToNumeric(address.country);
  // From 900 on the numbers are for private use (Kosovo's is one), and scanners refuse them.
  return number === undefined || Number(number) >= 900 ? null : `(421)${number.padStart(3, "0")}${code}`;
}
