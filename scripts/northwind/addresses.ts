// Converts the tables' addresses to what the service accepts: ISO country codes, current postal codes, state codes.
import type { CustomerRow, OrderRow } from "./tables.ts";

/** An address in the body of `POST /customers`. */
export interface AddressBody {
  readonly name: string;
  readonly address_line1: string;
  readonly city: string;
  readonly state?: string;
  readonly postal_code?: string;
  readonly country: string;
  readonly is_default?: boolean;
}

const countryCodes: Readonly<Record<string, string>> = {
  Argentina: "AR",
  Austria: "AT",
  Belgium: "BE",
  Brazil: "BR",
  Canada: "CA",
  Denmark: "DK",
  Finland: "FI",
  France: "FR",
  Germany: "DE",
  Ireland: "IE",
  Italy: "IT",
  Mexico: "MX",
  Norway: "NO",
  Poland: "PL",
  Portugal: "PT",
  Spain: "ES",
  Sweden: "SE",
  Switzerland: "CH",
  UK: "GB",
  USA: "US",
  Venezuela: "VE",
};

// Addresses that lack a postal code, or have one that no post office accepts. Ireland had no codes then (T12 is Cork).
// The letter F never occurs in a Canadian code, so these two cities get a valid one.
const postalCodes: Readonly<Record<string, string>> = {
  "IE Cork": "T12 0000",
  "CA Tsawassen": "V4M 1A1",
  "CA Vancouver": "V6B 1A1",
};

const states: Readonly<Record<string, string>> = { Québec: "QC" };

/** A customer's own address. */
export function homeAddress(row: CustomerRow): AddressBody {
  const { company_name, address, city, region, postal_code, country } = row;
  return { ...addressOf(company_name, address, city, region, postal_code, country), is_default: true };
}

/** The destination of an order. */
export function shipAddress(row: OrderRow): AddressBody {
  const { ship_name, ship_address, ship_city, ship_region, ship_postal_code, ship_country } = row;
  return addressOf(ship_name, ship_address, ship_city, ship_region, ship_postal_code, ship_country);
}

/** Whether two addresses are the same place; the name on the door does not matter. */
export function isSamePlace(one: AddressBody, other: AddressBody): boolean {
  return one.address_line1 === other.address_line1 && one.city === other.city && one.country === other.country;
}

/** Text with single spaces; the tables have several in places. */
export function singleSpaced(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function addressOf(
  name: string,
  line: string,
  city: string,
  region: string,
  postal_code: string,
  countryName: string,
): AddressBody {
  const country = countryCodes[countryName];
  if (country === undefined) throw new Error(`No ISO code is known for the country "${countryName}".`);
  const state = states[region] ?? region;
  return {
    name: singleSpaced(name),
    address_line1: singleSpaced(line),
    city,
    ...(state === "" ? {} : { state }),
    postal_code: postalCodes[`${country} ${city}`] ?? postalCodeOf(country, postal_code),
    country,
  };
}

function postalCodeOf(country: string, code: string): string {
  switch (country) {
    // Spanish codes have five digits; a leading zero is easily lost.
    case "ES":
      return code.padStart(5, "0");
    // The old international prefixes B- and S- are not part of the code.
    case "BE":
    case "SE":
      return code.replace(/^[A-Z]-/, "");
    // Four digits became C and four digits in the city of Buenos Aires.
    case "AR":
      return /^\d{4}$/.test(code) ? `C${code}` : code;
    default:
      return code;
  }
}
