// A quote is an offer and its inputs, sealed into its id. Nothing is stored until it buys a label.

import { createHash, randomBytes } from "node:crypto";
import { iso } from "../../core/clock.ts";
import { open, seal } from "../../core/crypto.ts";
import { type Fraction, reduced } from "../../core/decimals.ts";
import type { Environment } from "../../core/environment.ts";
import { Fault, type FieldProblem, invalid } from "../../core/faults.ts";
import { wireIdOrNull } from "../../core/ids.ts";
import { money } from "../../core/money.ts";
import type { CompleteAddress } from "../../core/postal_address.ts";
import {
  breakdownView,
  type ListedCarrier,
  type RateMessage,
  type RateOffer,
  type ShipmentEnd,
  type ShipmentRequest,
} from "../offer.ts";
import { type ParcelDimensions, type ParcelPackage, readSide, sidesOf } from "../parcel.ts";
import { plainPostalCode, postalCountry } from "../zones/zone.ts";
import { deliveryDay } from "./delivery_date.ts";

/** How long a quote is valid, in milliseconds. */
export const quote_lifetime_ms = 15 * 60_000;

const prefix = "quo_";

/** Digests of the inputs of a quote. `address` is null when only the postal code was known. */
interface QuotedFor {
  readonly weight: string;
  readonly dimensions: string;
  readonly from: QuotedEnd;
  readonly to: QuotedEnd;
}

interface QuotedEnd {
  readonly place: string;
  readonly address: string | null;
}

/** An offer as a client received it, with its inputs. */
export interface RateQuote {
  /** Random text, unique to the quote. The label stores it, so that a quote buys only one label. */
  readonly nonce: string;
  readonly expires_at: number;
  /** The account of the offer; null for the built-in carrier. */
  readonly account_id: number | null;
  readonly offer: RateOffer;
  /** The order of the quoted parcel; null for a parcel that was described. */
  readonly order_id: number | null;
  readonly value_cents: number | null;
  readonly insurance: boolean;
  /** Whether the request marked the recipient's address as residential; null when unknown. */
  readonly residential: boolean | null;
  readonly inputs: QuotedFor;
}

/** Whether the quote is for full addresses; otherwise the carrier saw only postal codes. */
export function hasAddresses({ inputs: { from, to } }: RateQuote): boolean {
  return from.address !== null && to.address !== null;
}

/** The key and environment of quotes. `now` is in milliseconds. */
interface QuoteContext {
  readonly secret_key: Uint8Array;
  readonly mode: Environment;
  readonly now: number;
}

const purposeOf = (mode: Environment) => `shipping.quote.${mode}`;

/**
 * Creates quotes for the offers of one parcel. `id` returns the quote id of an offer and its account (null:
 * built-in).
 */
export function quoter(carriage: ShipmentRequest, order_id: number | null, { secret_key, mode, now }: QuoteContext) {
  const { value_cents, insurance, to } = carriage;
  const expires_at = now + quote_lifetime_ms;
  const shared = { expires_at, order_id, value_cents, insurance, residential: to.residential };
  const inputs = quotedFor(carriage);
  const id = (offer: RateOffer, account_id: number | null): string => {
    const nonce = randomBytes(18).toString("base64url");
    const quote: RateQuote = { ...shared, nonce, account_id, offer, inputs };
    return prefix + seal(JSON.stringify(quote), secret_key, purposeOf(mode));
  };
  return { id, expires_at };
}

/** Opens a quote id. Refuses: validation_failed, quote_expired. */
export function readQuote(text: string, { secret_key, mode, now }: QuoteContext): RateQuote {
  const sealed = text.startsWith(prefix) ? text.slice(prefix.length) : "";
  const opened = open(sealed, secret_key, purposeOf(mode));
  if (opened === null) throw invalid("quote_id", "must be a complete quote_id from POST /shipping/rates");
  const quote = JSON.parse(opened) as RateQuote;
  if (quote.expires_at > now) return quote;
  throw new Fault("quote_expired", "The quote is older than 15 minutes. Request rates again.");
}

/** The parts of a purchase that its quote fixes. */
type QuotedCarriage = Pick<ShipmentRequest, "from" | "to" | "weight" | "package">;

/** Refuses a purchase that differs from its quote, naming every such field. Refuses: quote_mismatch. */
export function checkQuote({ inputs, order_id }: RateQuote, carriage: QuotedCarriage, bought_for: number | null): void {
  const now = quotedFor(carriage);
  const differs = (quoted: QuotedEnd, actual: QuotedEnd) =>
    quoted.address === null ? quoted.place !== actual.place : quoted.address !== actual.address;
  const fields: FieldProblem[] = [];
  const mismatch = (field: string, what: string) =>
    fields.push({ field, code: "quote_mismatch", message: `differs from the ${what} in the quote` });
  if (order_id !== null && order_id !== bought_for) mismatch("order_id", "order");
  if (inputs.weight !== now.weight) mismatch("package.weight", "weight");
  if (inputs.dimensions !== now.dimensions) mismatch("package.dimensions", "size");
  if (differs(inputs.from, now.from)) mismatch("from_address", "address");
  if (differs(inputs.to, now.to)) mismatch("to_address", "address");
  const [first, ...more] = fields;
  if (first === undefined) return;
  const others = more.length === 0 ? "" : ` (so do ${more.map(({ field }) => field).join(", ")})`;
  throw new Fault("quote_mismatch", `${first.field} ${first.message}${others}.`, { fields });
}

function quotedFor({ from, to, weight, package: { dimensions } }: QuotedCarriage): QuotedFor {
  return { weight: textOf(weight), dimensions: sizeOf(dimensions), from: endOf(from), to: endOf(to) };
}

function endOf({ country, postal_code, address }: ShipmentEnd): QuotedEnd {
  const code = postal_code === null ? null : plainPostalCode(postal_code, country);
  return { place: digest([postalCountry(country), code]), address: address === null ? null : digest(linesOf(address)) };
}

/** A digest that is equal for equal parcels, whatever their units and the order of their sides. */
function sizeOf(dimensions: ParcelDimensions | null): string {
  if (dimensions === null) return "";
  const { length, width, height, unit } = dimensions;
  const [a, b, c] = [readSide(length, unit), readSide(width, unit), readSide(height, unit)];
  return a === null || b === null || c === null ? "" : digest(sidesOf(a, b, c).map(textOf));
}

function textOf(fraction: Fraction): string {
  const { numerator, denominator } = reduced(fraction);
  return `${numerator}/${denominator}`;
}

function linesOf({ name, company, address_line1, address_line2, city, state, postal_code, country }: CompleteAddress) {
  const lines = [name, company, address_line1, address_line2, city, state, postal_code, country];
  return lines.map((line) => line?.trim() || null);
}

function digest(parts: readonly (string | null)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 22);
}

/** The account of an offer or message; null for the built-in carrier. */
export interface OfAccount {
  readonly account_id: number | null;
}

/** Creates quote ids that expire at one time (ms). */
interface Quoter {
  readonly id: (offer: RateOffer, account_id: number | null) => string;
  readonly expires_at: number;
}

/** Returns an offer as the API shows it, with a quote for exactly its price. */
export function rateView(
  { offer, account_id }: OfAccount & { readonly offer: RateOffer },
  quotes: Quoter,
  { to, origin_zone }: Pick<ShipmentRequest, "to" | "origin_zone">,
) {
  const { delivery_date: at } = offer;
  const delivery = at === null ? null : deliveryDay({ at, to, origin_zone, by_carrier: account_id !== null });
  return {
    quote_id: quotes.id(offer, account_id),
    expires_at: iso(quotes.expires_at),
    carrier: offer.carrier,
    carrier_name: offer.carrier_name,
    service: offer.service,
    service_name: offer.service_name,
    account_id: wireIdOrNull("carrier_account", account_id),
    rate: money(offer.rate_cents, offer.currency),
    currency: offer.currency,
    breakdown: breakdownView(offer.breakdown, offer.currency),
    billable_weight: offer.billable_pounds,
    billable_weight_unit: "lb" as const,
    zone: offer.zone,
    zone_estimated: offer.zone_estimated,
    delivery_days: offer.delivery_days,
    ship_date: offer.ship_date,
    delivery_date: delivery === null ? null : iso(delivery.end),
    delivery_day: delivery?.day ?? null,
    sample: offer.sample === true,
  };
}

/** Returns a carrier's message for a merchant, without the operator's account and details about it. */
export function withoutAccount<Message extends OfAccount & RateMessage>(original: Message): Message {
  if (original.account_id === null) return original;
  const message =
    original.level === "info" ? original.message : `${original.carrier} has no rate for this parcel right now.`;
  return { ...original, account_id: null, message };
}

/** Returns a carrier's message as the API shows it. */
export function messageView({ carrier, service, account_id, level, code, message }: OfAccount & RateMessage) {
  return { carrier, service, account_id: wireIdOrNull("carrier_account", account_id), level, code, message };
}

/** Returns the quoted parcel as the API shows it. */
export function packageView({ weight, ...same }: ParcelPackage) {
  return { weight: Number(weight), ...same };
}

/** Returns a carrier as the API lists it, with the codes of its services. */
export function carrierView({
  code,
  name,
  services,
  connector,
  account_id,
}: OfAccount & ListedCarrier & { readonly connector: string }) {
  return {
    code,
    name,
    services: services.map((service) => service.code),
    service_names: Object.fromEntries(services.map((service) => [service.code, service.name])),
    connector,
    account_id: wireIdOrNull("carrier_account", account_id),
  };
}
