import { createHash } from "node:crypto";
import { postcodeValidatorExistsForCountry } from "postcode-validator";
import { isPostalCode } from "../customers/rules.ts";
import { assert } from "../kit/assert.ts";
import { isoOrNull } from "../kit/clock.ts";
import { type FieldProblem, invalid, invalidFields } from "../kit/fault.ts";
import { invalidChoice } from "../kit/field_problems.ts";
import { money } from "../kit/money.ts";
import { weightUnit } from "../kit/weight_unit.ts";
import { printableLine, unprintableLetters } from "../typesetting/text/shaping.ts";
import { type Address, isCountry } from "./address.ts";
import { drawLabel, type LabelFacts } from "./documents/label.ts";
import type { Dimensions, Package } from "./label.ts";
import type { ListedCarrier, Offer } from "./offer.ts";
import { type BuiltInCarrier, findService, type Service } from "./services.ts";
import { isUsState } from "./time_zones.ts";
import { readWeight, type Weight } from "./weight.ts";

/** For so long after a purchase an equal one counts as a mistake. */
export const duplicate_within_ms = 10 * 60_000;

/** What a client says of a parcel. */
export interface ParcelInput {
  readonly weight: string | number;
  readonly weight_unit?: string | undefined;
  readonly dimensions?:
    | (Omit<Dimensions, "unit"> & { readonly unit?: Dimensions["unit"] | undefined })
    | null
    | undefined;
}

/** A parcel that can be weighed: as the client described it, and its exact weight. */
export interface Parcel {
  readonly package: Package;
  readonly weight: Weight;
}

/** Reads a parcel; `path` is where the request holds it, as in `package.`. Refuses: validation_failed. */
export function readParcel(input: ParcelInput, path: "" | "package."): Parcel {
  const unit = weightUnit(input.weight_unit ?? "lb");
  assert(unit !== null, "a unit of weight is checked before");
  const weight = readWeight(input.weight, unit);
  if (weight === null) throw invalid(`${path}weight`, "must be a decimal number above zero");
  const { dimensions } = input;
  const sides = dimensions ? { ...dimensions, unit: dimensions.unit ?? "in" } : null;
  return { package: { weight: String(input.weight), weight_unit: unit, dimensions: sides }, weight };
}

/** The carrier's service that a purchase names. Refuses: validation_failed. */
export function chooseService(carrier: BuiltInCarrier, names: { carrier: string; service: string }): Service {
  if (names.carrier !== carrier.code) throw invalidChoice("carrier", names.carrier, [carrier.code]);
  const service = findService(carrier, names.service);
  if (service !== null) return service;
  const codes = carrier.services.map(({ code }) => code);
  throw invalidChoice("service", names.service, codes);
}

/** Refuses: validation_failed, for an address in no country, or in the US without a state and a ZIP code of theirs. */
export function checkAddress(field: "from_address" | "to_address", { country, state, postal_code }: Address): void {
  if (!isCountry(country)) throw invalid(`${field}.country`, countryHint);
  if (country !== "US") return;
  const problems = [
    ...(isUsState(state ?? "") ? [] : [isNone(`${field}.state`, "must be the two letters of a US state or territory")]),
    ...postalProblems(`${field}.zip`, postal_code ?? "", country),
  ];
  if (problems.length > 0) throw invalidFields(problems);
}

// How the shipping routes call what is printed of an address.
const printedParts = {
  name: "name",
  company: "company",
  address_line1: "street1",
  address_line2: "street2",
  city: "city",
  state: "state",
  postal_code: "zip",
} as const satisfies Partial<Record<keyof Address, string>>;

/** Refuses: validation_failed, for every text of the addresses in which there are letters that no font here has. */
export function checkPrintable(addresses: Readonly<Record<"from_address" | "to_address", Address>>): void {
  const parts = Object.keys(printedParts) as (keyof typeof printedParts)[];
  const problems = (["from_address", "to_address"] as const).flatMap((field) =>
    parts.flatMap((part): FieldProblem[] => {
      const letters = unprintableLetters(printableLine(addresses[field][part] ?? ""));
      if (letters.length === 0) return [];
      const message = `has letters that no font here can print: ${letters.slice(0, 20).map(letterInWords).join(", ")}`;
      return [{ field: `${field}.${printedParts[part]}`, code: "unprintable_text", message }];
    }),
  );
  if (problems.length > 0) throw invalidFields(problems);
}

/** A letter and its code points, as in `ཀ (U+0F40)`. */
function letterInWords(letter: string): string {
  const codes = [...letter].map((one) => (one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0"));
  return `${letter} (${codes.map((code) => `U+${code}`).join(" ")})`;
}

const countryHint = "must be a two-letter country code such as US";

/** Where a parcel would leave and arrive, as a client says it; in the US unless a country is given. */
export interface Ends {
  readonly from_zip: string;
  readonly to_zip: string;
  readonly from_country?: string | undefined;
  readonly to_country?: string | undefined;
}

/** Refuses: validation_failed, naming each end that is in no country, or whose postal code is none of its country's. */
export function checkEnds(ends: Ends): void {
  const problems = (["from", "to"] as const).flatMap((end) => {
    const country = ends[`${end}_country`] ?? "US";
    if (!isCountry(country)) return [isNone(`${end}_country`, countryHint)];
    return postalProblems(`${end}_zip`, ends[`${end}_zip`], country);
  });
  if (problems.length > 0) throw invalidFields(problems);
}

function postalProblems(field: string, code: string, country: string): FieldProblem[] {
  if (!postcodeValidatorExistsForCountry(country) || isPostalCode(code, country)) return [];
  const forms: Readonly<Record<string, string>> = { US: "12345 or 12345-6789", CA: "K1A 0B1" };
  const form = country in forms ? `, such as ${forms[country]}` : "";
  return [isNone(field, `must be a postal code of ${country}${form}`)];
}

const isNone = (field: string, message: string): FieldProblem => ({ field, code: "invalid_format", message });

/** Equal for purchases in which nothing differs. */
export function purchaseFingerprint(facts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}

/** Reads the fonts that labels are drawn with, which the first drawing else would have to wait for. */
export function warmUpLabels(): void {
  const place = { company: null, address_line2: null, country: "US" };
  const address = {
    ...place,
    name: "Name",
    address_line1: "1 Street",
    city: "City",
    state: "NY",
    postal_code: "10001",
  };
  const facts: LabelFacts = {
    carrier: "Carrier",
    service: "Service",
    sender: address,
    recipient: address,
    weight: "1 lb",
    parcel: "1",
    tracking_number: "WH000000000001Q",
    qr_text: null,
    order_number: "1",
    date: "2026-01-01",
    test: false,
  };
  drawLabel(facts);
}

/** An offer as the API shows it. */
export function offerView(offer: Offer) {
  return {
    carrier: offer.carrier,
    service: offer.service,
    rate: money(offer.rate_cents),
    rate_cents: offer.rate_cents,
    currency: offer.currency,
    breakdown: offer.breakdown,
    billable_weight: offer.billable_pounds,
    billable_weight_unit: "lb" as const,
    delivery_days: offer.delivery_days,
    ship_date: offer.ship_date,
    delivery_date: isoOrNull(offer.delivery_date),
  };
}

/** A carrier as the API lists it; its services are the codes that a purchase names. */
export function carrierView({ code, name, services }: ListedCarrier) {
  return { code, name, services: services.map((service) => service.code) };
}
