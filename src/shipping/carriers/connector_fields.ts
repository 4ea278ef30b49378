// Addresses as carriers' services return them, in one form whatever they were about.

import { type Fraction, startedUnits } from "../../core/decimals.ts";
import { value_currency } from "../../core/money.ts";
import type { WeightUnit } from "../../core/weight_units.ts";
import { type JsonFields, readText } from "../../outbound/api.ts";
import { addressView, type ParcelAddress } from "../address.ts";
import type { ParcelContent, RateMessage, ShipmentRequest } from "../offer.ts";
import { type ParcelDimensions, readSide, readWeight, type Weight } from "../parcel.ts";
import { lackingForCustoms } from "../parcel_contents.ts";

/** The fields that have a value. */
export function known(fields: JsonFields): JsonFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

const parts = ["street1", "street2", "city", "state", "zip", "country"] as const;
const letters_max = 200;

/** The address as the carrier writes it, or null when it differs in capitals and spaces only. */
export function suggestionOf(address: ParcelAddress, found: JsonFields): ParcelAddress | null {
  const given = addressView(address);
  const read = (part: (typeof parts)[number]) => readText(found[part], letters_max);
  const plain = (text: string | null) => (text ?? "").toLowerCase().replaceAll(/\s+/g, " ").trim();
  if (parts.every((part) => plain(given[part]) === plain(read(part)))) return null;
  const [street1, city, country] = [read("street1"), read("city"), read("country")];
  if (street1 === null || city === null || country === null) return null;
  return {
    ...address,
    address_line1: street1,
    address_line2: read("street2"),
    city,
    country: country.toUpperCase(),
    state: read("state"),
    postal_code: read("zip"),
  };
}

// The customs declaration of a parcel. Nothing in it is guessed: it is made of what the products say, or not at all.

/** Goods as customs require them: every field is known. */
interface DeclaredGoods extends ParcelContent {
  readonly weight: Weight;
  readonly country_of_origin: string;
}

/** What is declared of a parcel. */
export interface CustomsDeclaration {
  readonly goods: readonly DeclaredGoods[];
  /** Who certifies the declaration. */
  readonly signer: string;
  /** Whether the goods return to the place where they were sold. */
  readonly returned: boolean;
  /**
   * The rule that exempts a parcel out of the United States from a filing of its own; null from other countries, and
   * where the value in US dollars is unknown.
   */
  readonly exemption: "30.36" | "30.37(a)" | null;
}

const filed_above_cents = 250_000;

/**
 * The declaration of a parcel, or null when too little is known of it or when it asks for more than a label can say.
 */
export function declarationOf({ contents = [], from, to, ...carriage }: ShipmentRequest): CustomsDeclaration | null {
  const goods = contents.filter(isDeclarable);
  const signer = from.address?.name ?? from.address?.company ?? "";
  if (goods.length === 0 || goods.length < contents.length || signer === "") return null;
  const in_dollars = goods.every(({ currency }) => currency === value_currency);
  const rule = to.country === "CA" ? "30.36" : in_dollars ? "30.37(a)" : null;
  const exemption = from.country === "US" ? rule : null;
  const dearest = Math.max(...goods.map(({ value_cents }) => value_cents));
  if (exemption === "30.37(a)" && dearest > filed_above_cents) return null;
  return { goods, signer, returned: carriage.return, exemption };
}

const isDeclarable = (one: ParcelContent): one is DeclaredGoods =>
  one.weight !== null && one.country_of_origin !== null && one.value_cents > 0;

const named_max = 20;

/** The message beside a connector's rates when a declaration is needed but cannot be made. */
export function customsIncomplete(carrier: string, { contents = [] }: ShipmentRequest): RateMessage {
  const lacking = lackingForCustoms(contents).map(({ field }) => field);
  const until = `a label is refused until these are set: ${lacking.slice(0, named_max).join(", ")}.`;
  const unclear = "too little is known of its contents to declare them. A label may be refused.";
  const message = `The parcel passes customs, ${lacking.length > 0 ? `and ${until}` : `but ${unclear}`}`;
  return { carrier, service: null, level: "warning", code: "customs_incomplete", message };
}

// Weights and lengths as carriers' APIs take them: decimal text, exact as far as it goes, never too little.

/** A weight in a unit as decimal text with at most so many decimals, rounded up so that nobody pays too little. */
export function weightText(weight: Weight, unit: WeightUnit, decimals: number): string {
  return decimalText(startedSteps(weight, oneOf(unit), decimals), decimals);
}

/**
 * Like `weightText`, for goods inside a parcel: rounded down, since together they cannot weigh more than the parcel.
 * Never zero.
 */
export function goodsWeightText(weight: Weight, unit: WeightUnit, decimals: number): string {
  const steps = (weight.numerator * 10n ** BigInt(decimals)) / (weight.denominator * oneOf(unit));
  return decimalText(steps > 0n ? steps : 1n, decimals);
}

/** The sides of a parcel in inches as decimal texts of so many decimals at most, rounded up. */
export function inchTexts({ unit, ...sides }: ParcelDimensions, decimals: number) {
  const inches = (side: number) => {
    const length = readSide(side, unit);
    return length === null ? "0" : decimalText(startedSteps(length, inch, decimals), decimals);
  };
  return { length: inches(sides.length), width: inches(sides.width), height: inches(sides.height) };
}

const inch = readSide(1, "in")?.numerator ?? 1n;
const oneOf = (unit: WeightUnit): bigint => readWeight(1, unit)?.numerator ?? 1n;

/** The amount in units of the last decimal, rounded up. */
const startedSteps = ({ numerator, denominator }: Fraction, unit: bigint, decimals: number): bigint =>
  startedUnits({ numerator: numerator * 10n ** BigInt(decimals), denominator }, unit);

/** A count of the last decimal as text without trailing zeros. */
function decimalText(steps: bigint, decimals: number): string {
  const scale = 10n ** BigInt(decimals);
  const part = String(steps % scale)
    .padStart(decimals, "0")
    .replace(/0+$/, "");
  return part === "" ? String(steps / scale) : `${steps / scale}.${part}`;
}

// Each service that sells for many carriers names them in its own way. Here each carrier has one code.

// Contracts under which a carrier is sold. They are not carriers of their own.
const contract = /(?:default)?(?:account)?$/i;

const codes: Readonly<Record<string, string>> = {
  amazonmws: "amazon",
  amazonshipping: "amazon",
  australiapost: "australia_post",
  canadapost: "canada_post",
  deutschepost: "deutsche_post",
  dhlecs: "dhl_ecommerce",
  dhlexpress: "dhl_express",
  royalmail: "royal_mail",
  upsdap: "ups",
  uspsship: "usps",
};

/** A carrier's code: `usps` for `USPS` and `UspsAccount`, `dhl_express` for `DHL Express` and `DhlExpressDefault`. */
export function carrierCode(name: string): string {
  const plain = name
    .trim()
    .replace(contract, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_|_$/g, "");
  return codes[plain] ?? plain;
}

const names: Readonly<Record<string, string>> = {
  dhl_ecommerce: "DHL eCommerce",
  dhl_express: "DHL Express",
  dpd: "DPD",
  fedex: "FedEx",
  tnt: "TNT",
  ups: "UPS",
  usps: "USPS",
};

/** A carrier's name for people, by its code, where no name was given. */
export function carrierName(code: string): string {
  return names[code] ?? serviceName(code);
}

/** A service's name for people: `Ground Advantage` for `GroundAdvantage`, `Fedex 2 Day` for `FEDEX_2_DAY`. */
export function serviceName(code: string): string {
  const words = code.includes("_")
    ? code.toLowerCase().split("_")
    : code.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " ").split(" ");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ");
}
