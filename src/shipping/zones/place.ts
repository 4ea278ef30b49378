import { onFirstUse } from "../../kit/first_use.ts";
import type { Continent, Spot } from "./zone.ts";

// Territories of the United States that have a country code of their own but use ZIP codes.
const with_zip_codes: readonly string[] = ["AS", "GU", "MP", "PR", "VI"];

/** The country whose post delivers there: the United States for its territories. */
export function postalCountry(country: string): string {
  return with_zip_codes.includes(country) ? "US" : country;
}

/** The country of a postal code by its form: a ZIP code or its first three digits, or Canada's `A1A`. */
export function countryOfPostalCode(text: string): "US" | "CA" | null {
  const code = text.trim();
  if (/^\d{3}(\d{2}(-?\d{4})?)?$/.test(code)) return "US";
  return /^[A-Z]\d[A-Z]( ?\d[A-Z]\d)?$/i.test(code) ? "CA" : null;
}

/**
 * A postal code in the form for comparison: in capitals, without spaces and dashes; of a ZIP code the first five
 * digits.
 */
export function plainPostalCode(text: string, country: string): string {
  const plain = text.toUpperCase().replaceAll(/[\s-]/g, "");
  return postalCountry(country) === "US" ? plain.slice(0, 5) : plain;
}

/** The first three digits of a ZIP code; null for any other place. */
export function zip3Of({ country, postal_code }: Spot): string | null {
  if (postalCountry(country) !== "US" || postal_code === null) return null;
  return /^\d{3}/.exec(postal_code.trim())?.[0] ?? null;
}

type Located = Readonly<Record<string, { readonly continent: Continent }>>;

const located = onFirstUse((): Located => (require("countries-list") as typeof import("countries-list")).countries);

/** The continent of a country, or null. */
export function continentOf(country: string): Continent | null {
  return located()[country]?.continent ?? null;
}

/** A name in the form for comparison: without accents, case and punctuation. */
export function plainName(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[\s.'’-]+/g, " ")
    .trim();
}
