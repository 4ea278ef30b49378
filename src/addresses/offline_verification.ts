import { Fault, type FieldProblem, invalidFields } from "../core/faults.ts";
import {
  type ContactAddress,
  countries,
  isCountry,
  type PostalAddress,
  postalFields,
  postalOf,
} from "../core/postal_address.ts";
import type { PlaceInput } from "./address.schema.ts";
import { type AddressVerification, isUndeliverable, verdictOf } from "./address.ts";
import type { ZipPlace } from "./postal_codes.ts";
import {
  hasCities,
  hasCodes,
  hasSettledCodes,
  isTerritory,
  militaryRegion,
  stateOf,
  writtenCode,
} from "./postal_codes.ts";

const countriesWithStates: readonly string[] = ["US", "CA", "AU"];

const isBlank = (text: string | null) => text === null || text.trim() === "";

/** The problems that make an address undeliverable, by field; empty if there are none. */
export function addressProblems(address: Omit<PostalAddress, "address_line2">): FieldProblem[] {
  const { address_line1, city, state, postal_code, country } = address;
  const required = (field: string, message = "is required") => ({ field, code: "required", message });
  const problems: FieldProblem[] = [];
  if (isBlank(address_line1)) problems.push(required("address_line1"));
  if (isBlank(city) && hasCities(country)) problems.push(required("city"));
  if (country === "") return [...problems, required("country")];
  if (!isCountry(country)) {
    const meant = countryCodeOf(country);
    const message =
      meant === null ? "is not an ISO 3166-1 country code" : `is not an ISO 3166-1 code; did you mean ${meant}?`;
    return [...problems, { field: "country", code: "unknown_country", message }];
  }
  if (isBlank(state) && countriesWithStates.includes(country)) {
    problems.push(required("state", `is required in ${country}`));
  }
  if (!hasSettledCodes(country)) return problems;
  if (isBlank(postal_code)) problems.push(required("postal_code", `is required in ${country}`));
  else if (writtenCode(postal_code ?? "", country) === null) {
    problems.push({ field: "postal_code", code: "invalid_format", message: `is not a postal code of ${country}` });
  }
  return problems;
}

/**
 * The address in a field of a request; `name` is its default name.
 * Refuses: validation_failed.
 */
export function readPlace(input: PlaceInput, name: string, field: string): ContactAddress {
  const { address_line2 = null, city = "", state = null, postal_code = null } = input;
  const place = { ...input, name: input.name ?? name, address_line2, city, state, postal_code };
  const problems = addressProblems(place).map((problem) => ({ ...problem, field: `${field}.${problem.field}` }));
  if (problems.length > 0) throw invalidFields(problems);
  return place;
}

// Codes in use that are not part of ISO 3166-1.
const otherCodes: Readonly<Record<string, string>> = { UK: "GB", EL: "GR" };

/** The code of the country that a text most likely means; null if unclear. */
function countryCodeOf(text: string): string | null {
  const code = text.trim().toUpperCase();
  const meant = otherCodes[code] ?? (code.length === 3 ? countries().alpha3ToAlpha2(code) : undefined) ?? code;
  return isCountry(meant) ? meant : null;
}

/** The first five digits of the ZIP code of an address that USPS delivers to; null for other addresses. */
export function zipOf({ country, postal_code }: Pick<PostalAddress, "country" | "postal_code">): string | null {
  const known = isCountry(country) ? country : countryCodeOf(country);
  if (known === null || (known !== "US" && !isTerritory(known))) return null;
  return /^\s*(\d{5})(?:[\s-]*\d{4})?\s*$/.exec(postal_code ?? "")?.[1] ?? null;
}

/** ZIP codes and their places, by number. */
export type ZipPlaces = ReadonlyMap<number, ZipPlace>;

/** The findings of a check so far, and the corrected address. */
interface AddressFindings {
  readonly errors: FieldProblem[];
  readonly warnings: FieldProblem[];
  readonly better: { -readonly [Field in keyof PostalAddress]: PostalAddress[Field] };
  /** Whether more than formats was compared. */
  compared: boolean;
}

/**
 * Checks an address against bundled postal data, which cannot confirm streets. `places` contains the address's ZIP code
 * (`zipOf`) if it is known; `now` in milliseconds.
 */
export function checkOffline(address: PostalAddress, places: ZipPlaces, now: number): AddressVerification {
  const better = { ...postalOf(address) };
  const found: AddressFindings = { errors: addressProblems(address), warnings: [], better, compared: false };
  if (!isCountry(better.country)) better.country = countryCodeOf(better.country) ?? better.country;
  if (isCountry(better.country)) {
    const zip = zipOf(better);
    if (zip !== null) checkZip(found, zip, places);
    checkForm(found);
  }
  const { errors, warnings } = found;
  return {
    status: verdictOf(found, found.compared),
    method: "offline",
    errors,
    warnings,
    suggestion: postalFields.some((field) => better[field] !== address[field]) ? better : null,
    po_box: isPostOfficeBox(address),
    residential: null,
    checked_at: now,
  };
}

/** Checks the format of the postal code. */
function checkForm({ warnings, better }: AddressFindings): void {
  const { country, postal_code } = better;
  if (!hasCodes(country)) return;
  const settled = hasSettledCodes(country);
  if (isBlank(postal_code)) {
    if (!settled && !isTerritory(country)) {
      warnings.push({ field: "postal_code", code: "missing", message: `is usual in ${country}` });
    }
    return;
  }
  const written = writtenCode(postal_code ?? "", country);
  if (written === null) {
    if (settled || isTerritory(country)) return;
    const message = `does not have the usual format of postal codes in ${country}`;
    warnings.push({ field: "postal_code", code: "unusual_form", message });
  } else if (written !== postal_code) {
    const isPlain = written === postal_code?.trim().toUpperCase();
    if (!isPlain)
      warnings.push({ field: "postal_code", code: "unusual_form", message: `is usually written ${written}` });
    better.postal_code = written;
  }
}

/** Compares the state and city with those of the ZIP code. */
function checkZip(found: AddressFindings, zip: string, places: ZipPlaces): void {
  const { warnings, better } = found;
  const region = militaryRegion(zip);
  const place = region === null ? places.get(Number(zip)) : { state: region, city: null };
  if (place === undefined) {
    warnings.push({ field: "postal_code", code: "unknown_zip", message: `${zip} is not a known ZIP code` });
    return;
  }
  found.compared = true;
  const cityFits =
    place.city === null
      ? /^(?:APO|FPO|DPO)\b/i.test(better.city.trim())
      : foldCity(better.city) === foldCity(place.city);
  const stateFits = compareState(found, zip, place.state, cityFits);
  if (cityFits || isBlank(better.city)) {
    if (isBlank(better.city) && stateFits && place.city !== null) better.city = place.city;
    return;
  }
  const named = place.city ?? "APO, FPO or DPO";
  warnings.push({ field: "city", code: "city_mismatch", message: `is ${named} by the ZIP code ${zip}` });
  if (stateFits && place.city !== null) better.city = place.city;
}

/** Compares the state with that of the ZIP code. Returns whether the corrected address has that state. */
function compareState(found: AddressFindings, zip: string, state: string, cityFits: boolean): boolean {
  const { errors, warnings, better } = found;
  const { country } = better;
  // A territory that is written as a country has no state.
  const told = isBlank(better.state) ? (isTerritory(country) ? country : null) : stateOf(better.state ?? "");
  const written = better.state?.trim() ?? "";
  if (told === state) {
    if (written !== "" && written !== state && stateOf(written) === state) {
      if (written.toUpperCase() !== state) {
        warnings.push({ field: "state", code: "unusual_form", message: `is usually written ${state}` });
      }
      better.state = state;
    }
    return true;
  }
  const message = `is ${state} by the ZIP code ${zip}`;
  if (told !== null)
    errors.push({ field: isBlank(better.state) ? "country" : "state", code: "state_mismatch", message });
  else if (written !== "") warnings.push({ field: "state", code: "unknown_state", message });
  // If the city differs as well, the ZIP code is more likely to be wrong.
  if (country === "US" && (cityFits || isBlank(better.city) || told === null)) better.state = state;
  return better.state === state;
}

const words: Readonly<Record<string, string>> = { saint: "st", sainte: "ste", fort: "ft", mount: "mt" };

/** A city's name for comparison: no accents, case or punctuation; Saint is St, Fort is Ft, Mount is Mt. */
export function foldCity(name: string): string {
  const folded = name
    .normalize("NFKD")
    .replace(/\p{M}+|['’.]/gu, "")
    .toLowerCase();
  const parts = folded.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== "");
  return parts.map((part) => words[part] ?? part).join(" ");
}

// PO boxes in English, German, French, Spanish, Portuguese, Dutch and Scandinavian addresses.
const boxes = [
  /\bp(?:ost)?\W{0,2}o(?:ffice)?\W{0,2}box(?![a-z])/i,
  /\bp\W{0,2}o\W{0,2}b\W{0,2}\s*#?\d/i,
  /\b(?:g|m)po box\b/i,
  /\blocked bag\b/i,
  /\bpostfach\b/i,
  /\b(?:bo[iî]te postale|b\.?\s?p\.?\s*\d)/i,
  /\bapartado\b/i,
  /\bcasilla\b/i,
  /\bcaixa postal\b/i,
  /\bpostbus\b/i,
  /\bpostbo(?:ks|x)\b/i,
];

/** Whether an address is a PO box, to which only the postal service delivers. */
export function isPostOfficeBox(address: Pick<PostalAddress, "address_line1" | "address_line2">): boolean {
  const lines = [address.address_line1, address.address_line2 ?? ""];
  return lines.some((line) => boxes.some((box) => box.test(line)));
}

/**
 * The verification of an address that a carrier suggested and the user accepted, so that no second check is needed.
 * Null if no carrier found it deliverable.
 */
export function acceptedFrom(before: AddressVerification | null, now: number): AddressVerification | null {
  if (before === null || before.method === "offline" || isUndeliverable(before.status)) return null;
  const found = { errors: [], warnings: [] };
  return { ...before, ...found, status: verdictOf(found, true), suggestion: null, checked_at: now };
}

/** The address that the last check suggests. Refuses: no_suggestion. */
export function suggestionOf(verification: AddressVerification | null): PostalAddress {
  if (verification?.suggestion) return verification.suggestion;
  throw new Fault("no_suggestion", "There is no suggested address to accept.");
}
