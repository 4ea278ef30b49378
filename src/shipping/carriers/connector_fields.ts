// Converts between connectors' data and ours: addresses, customs declarations, units, and carrier codes and names.

import { recipientView } from "../../addresses/address.ts";
import { type Fraction, startedUnits } from "../../core/decimals.ts";
import { value_currency } from "../../core/money.ts";
import type { CompleteAddress } from "../../core/postal_address.ts";
import type { WeightUnit } from "../../core/weight_units.ts";
import { type JsonFields, readText } from "../../outbound/api.ts";
import { addressView, readAddress } from "../address.ts";
import type { ParcelContent, RateMessage, ShipmentEnd, ShipmentRequest } from "../offer.ts";
import { type ParcelDimensions, readSide, readWeight, type Weight } from "../parcel.ts";
import { lackingForCustoms, needsDeclaration } from "../parcel_contents.ts";

/** Omits fields that are null. */
export function known(fields: JsonFields): JsonFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** The known fields of one end of a shipment, for APIs with `street1` and `zip`; `homes` names the field for homes. */
export function knownEnd(end: ShipmentEnd, homes: string): JsonFields {
  const { address, country, postal_code, state, city, residential } = end;
  // An order's recipient may have no name, which rates do not need.
  const place = address === null ? { zip: postal_code, state, city, country } : recipientView(addressView(address));
  return known({ ...place, [homes]: residential });
}

const parts = ["street1", "street2", "city", "state", "zip", "country"] as const;
const letters_max = 200;

/** The carrier's version of the address, or null when only case and spacing differ. */
export function suggestionOf(address: CompleteAddress, found: JsonFields): CompleteAddress | null {
  const current = addressView(address);
  const read = (part: (typeof parts)[number]) => readText(found[part], letters_max);
  const plain = (text: string | null) => (text ?? "").toLowerCase().replaceAll(/\s+/g, " ").trim();
  if (parts.every((part) => plain(current[part]) === plain(read(part)))) return null;
  const [street1, city, country] = [read("street1"), read("city"), read("country")];
  if (street1 === null || city === null || country === null) return null;
  const found_parts = { street2: read("street2"), state: read("state"), zip: read("zip") };
  return readAddress({ ...current, ...found_parts, street1, city, country: country.toUpperCase() });
}

/** Goods with everything that customs require. */
interface DeclaredGoods extends ParcelContent {
  readonly weight: Weight;
  readonly country_of_origin: string;
}

/** The customs declaration of a parcel. */
export interface CustomsDeclaration {
  readonly goods: readonly DeclaredGoods[];
  /** The name of the person who certifies the declaration. */
  readonly signer: string;
  /** Whether the goods are a return to the seller. */
  readonly returned: boolean;
  /**
   * The rule that exempts an export from the United States from filing; null from other countries, and where the
   * value in US dollars is unknown.
   */
  readonly exemption: "30.36" | "30.37(a)" | null;
}

const filed_above_cents = 250_000;

/**
 * Returns the declaration of a parcel, or null when data is missing or when the parcel needs a filing of its own.
 * Nothing is guessed.
 */
function declarationOf({ contents = [], from, to, ...carriage }: ShipmentRequest): CustomsDeclaration | null {
  const goods = contents.filter(isDeclarable);
  const signer = from.address?.name || from.address?.company || "";
  if (goods.length === 0 || goods.length < contents.length || signer === "") return null;
  const in_dollars = goods.every(({ currency }) => currency === value_currency);
  const rule = to.country === "CA" ? "30.36" : in_dollars ? "30.37(a)" : null;
  const exemption = from.country === "US" ? rule : null;
  const dearest = Math.max(...goods.map(({ value_cents }) => value_cents));
  if (exemption === "30.37(a)" && dearest > filed_above_cents) return null;
  return { goods, signer, returned: carriage.return, exemption };
}

/** Returns a parcel's customs declaration, if it needs one, and the warning next to rates when it cannot be made. */
export function declarationFor(carrier: string, carriage: ShipmentRequest) {
  if (!needsDeclaration(carriage)) return { declaration: null, warnings: [] };
  const declaration = declarationOf(carriage);
  return { declaration, warnings: declaration === null ? [customsIncomplete(carrier, carriage)] : [] };
}

const isDeclarable = (content: ParcelContent): content is DeclaredGoods =>
  content.weight !== null && content.country_of_origin !== null && content.value_cents > 0;

const named_max = 20;

/** The warning when a declaration is needed but cannot be made. */
function customsIncomplete(carrier: string, { contents = [] }: ShipmentRequest): RateMessage {
  const missing = lackingForCustoms(contents).map(({ field }) => field);
  const needed = `Before you buy a label, set: ${missing.slice(0, named_max).join(", ")}.`;
  const unclear = "Its contents cannot be declared automatically, so a label may be refused.";
  const message = `The parcel crosses customs. ${missing.length > 0 ? needed : unclear}`;
  return { carrier, service: null, level: "warning", code: "customs_incomplete", message };
}

// Weights and lengths as carriers' APIs take them: exact decimal text, rounded up so that no parcel is underpaid.

/** A weight as decimal text in a unit with at most `decimals` decimals, rounded up. */
export function weightText(weight: Weight, unit: WeightUnit, decimals: number): string {
  return decimalText(startedSteps(weight, nanogramsIn(unit), decimals), decimals);
}

/** Like `weightText`, but rounded down and never zero: the goods of a parcel must not weigh more than the parcel. */
export function goodsWeightText(weight: Weight, unit: WeightUnit, decimals: number): string {
  const steps = (weight.numerator * 10n ** BigInt(decimals)) / (weight.denominator * nanogramsIn(unit));
  return decimalText(steps > 0n ? steps : 1n, decimals);
}

/** The sides of a parcel in inches as decimal text with at most `decimals` decimals, rounded up. */
export function inchTexts({ unit, ...sides }: ParcelDimensions, decimals: number) {
  const inches = (side: number) => {
    const length = readSide(side, unit);
    return length === null ? "0" : decimalText(startedSteps(length, inch, decimals), decimals);
  };
  return { length: inches(sides.length), width: inches(sides.width), height: inches(sides.height) };
}

const inch = readSide(1, "in")?.numerator ?? 1n;
const nanogramsIn = (unit: WeightUnit): bigint => readWeight(1, unit)?.numerator ?? 1n;

/** A count of steps of the last decimal, rounded up. */
const startedSteps = ({ numerator, denominator }: Fraction, unit: bigint, decimals: number): bigint =>
  startedUnits({ numerator: numerator * 10n ** BigInt(decimals), denominator }, unit);

/** A count of steps of the last decimal as decimal text without trailing zeros. */
function decimalText(steps: bigint, decimals: number): string {
  const scale = 10n ** BigInt(decimals);
  const part = String(steps % scale)
    .padStart(decimals, "0")
    .replace(/0+$/, "");
  return part === "" ? String(steps / scale) : `${steps / scale}.${part}`;
}

// Services that resell carriers name them differently. Here each carrier has one code.

// Suffixes that identify an account or contract, not a carrier.
const contractSuffix = /(?:default)?(?:account)?$/i;

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

/**
 * Normalizes a carrier's name to its code: `USPS` and `UspsAccount` become `usps`, `DhlExpressDefault` `dhl_express`.
 */
export function carrierCode(name: string): string {
  const plain = name
    .trim()
    .replace(contractSuffix, "")
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

/** The display name of a carrier, derived from its code. */
export function carrierName(code: string): string {
  return names[code] ?? serviceName(code);
}

/** The display name of a service: `Ground Advantage` for `GroundAdvantage`, `Fedex 2 Day` for `FEDEX_2_DAY`. */
export function serviceName(code: string): string {
  const words = code.includes("_")
    ? code.toLowerCase().split("_")
    : code.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " ").split(" ");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ");
}
