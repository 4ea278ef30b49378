import { countries } from "countries-list";
import type { Continent, Spot } from "./zone.ts";

// Territories of the United States that have a country code of their own and ZIP codes all the same.
const with_zip_codes: readonly string[] = ["AS", "GU", "MP", "PR", "VI"];

/** The country whose post delivers there: the United States for their territories. */
export function postalCountry(country: string): string {
  return with_zip_codes.includes(country) ? "US" : country;
}

/** The country that a postal code says by its form: a ZIP code or the first three of its digits, or Canada's `A1A`. */
export function countryOfPostalCode(text: string): "US" | "CA" | null {
  const code = text.trim();
  if (/^\d{3}(\d{2}(-?\d{4})?)?$/.test(code)) return "US";
  return /^[A-Z]\d[A-Z]( ?\d[A-Z]\d)?$/i.test(code) ? "CA" : null;
}

/** A postal code as codes are compared: in capitals, without blanks and dashes; of a ZIP code the first five digits. */
export function plainPostalCode(text: string, country: string): string {
  const plain = text.toUpperCase().replaceAll(/[\s-]/g, "");
  return postalCountry(country) === "US" ? plain.slice(0, 5) : plain;
}

/** The three digits with which a ZIP code begins; null for any other place. */
export function zip3Of({ country, postal_code }: Spot): string | null {
  if (postalCountry(country) !== "US" || postal_code === null) return null;
  return /^\d{3}/.exec(postal_code.trim())?.[0] ?? null;
}

/** The continent of a country, or null. */
export function continentOf(country: string): Continent | null {
  return (countries as Readonly<Record<string, { readonly continent: Continent }>>)[country]?.continent ?? null;
}

/** A name as names are compared: without accents, case, and what stands between words. */
export function plainName(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[\s.'’-]+/g, " ")
    .trim();
}
