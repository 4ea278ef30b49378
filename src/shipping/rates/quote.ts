// A quote is an offer at a fixed price for one parcel. The quotes of one response are stored in one row until they
// expire.

import { createHash } from "node:crypto";
import { postalCountry } from "../../addresses/zip_distance.ts";
import { iso } from "../../core/clock.ts";
import { type Fraction, reduced } from "../../core/decimals.ts";
import { Fault, type FieldProblem, invalid } from "../../core/faults.ts";
import { wireIdOrNull } from "../../core/ids.ts";
import { money } from "../../core/money.ts";
import type { CompleteAddress } from "../../core/postal_address.ts";
import { minute_ms } from "../../core/time.ts";
import {
  breakdownView,
  type ListedCarrier,
  type RateMessage,
  type RateOffer,
  type ShipmentEnd,
  type ShipmentRequest,
} from "../offer.ts";
import { type ParcelDimensions, type ParcelPackage, readSide, sidesOf } from "../parcel.ts";
import { plainPostalCode } from "../zones/zone.ts";
import { deliveryDay } from "./delivery_date.ts";

/** How long a quote is valid, in milliseconds. */
export const quote_lifetime_ms = 15 * minute_ms;

/** The prefix of the ids of responses and their quotes. */
export const quote_prefix = "quo";

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

/** The account of an offer or message; null for the built-in carrier. */
export interface OfAccount {
  readonly account_id: number | null;
}

/** An offer with the account that made it. */
export interface QuotedOffer extends OfAccount {
  readonly offer: RateOffer;
}

/** The inputs that all quotes of a response share. */
interface QuoteInputs {
  /** The order of the quoted parcel; null for a parcel that was described. */
  readonly order_id: number | null;
  readonly value_cents: number | null;
  readonly insurance: boolean;
  /** Whether the request marked the recipient's address as residential; null when unknown. */
  readonly residential: boolean | null;
  readonly inputs: QuotedFor;
}

/** The quotes of one response, as they are stored. They hold no address, only digests. */
export interface ResponseQuotes extends QuoteInputs {
  /** The offers, in the order of the response. */
  readonly offers: readonly QuotedOffer[];
}

/** An offer as a client received it, with its inputs. */
export interface RateQuote extends QuoteInputs, QuotedOffer {
  /** The label stores it, so that a quote buys only one label. */
  readonly id: string;
  readonly expires_at: number;
}

/** Whether the quote is for full addresses; otherwise the carrier saw only postal codes. */
export function hasAddresses({ inputs: { from, to } }: Pick<RateQuote, "inputs">): boolean {
  return from.address !== null && to.address !== null;
}

/** Returns what to store of a response with these offers of one parcel. */
export function quotesFor(
  carriage: ShipmentRequest,
  order_id: number | null,
  offers: readonly QuotedOffer[],
): ResponseQuotes {
  const { value_cents, insurance, to } = carriage;
  const stored = offers.map(({ account_id, offer }) => ({ account_id, offer }));
  return { order_id, value_cents, insurance, residential: to.residential, inputs: quotedFor(carriage), offers: stored };
}

/** The id of a quote: that of its response, and its position there. At most 40 characters. */
export const quoteId = (response_id: string, position: number): string => `${response_id}_${position.toString(36)}`;

const quoteIdForm = /^(quo_([0-9a-f]{12})[0-9a-f]{20})_(0|[1-9a-z][0-9a-z]{0,2})$/;

/** Reads the id of a quote. `requested_at` is in milliseconds. Refuses: validation_failed. */
export function readQuoteId(id: string) {
  const [, response_id, time, position] = quoteIdForm.exec(id) ?? [];
  if (response_id === undefined || time === undefined || position === undefined) throw unknownQuote();
  // The id of a response is a UUIDv7, which starts with its time.
  return { response_id, requested_at: Number.parseInt(time, 16), position: Number.parseInt(position, 36) };
}

const unknownQuote = () => invalid("quote_id", "must be a complete quote_id from POST /shipping/rates");

/**
 * Returns a quote if it can still be used. Quotes are deleted when they have expired, and then only the id shows it.
 * Refuses: validation_failed, quote_expired.
 */
export function usableQuote(id: string, found: RateQuote | null, now: number): RateQuote {
  const { requested_at } = readQuoteId(id);
  const expires_at = found?.expires_at ?? requested_at + quote_lifetime_ms;
  if (expires_at <= now) throw new Fault("quote_expired", "The quote is older than 15 minutes. Request rates again.");
  if (found === null) throw unknownQuote();
  return found;
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

/** The id of a quote and its expiry (ms). */
interface QuoteReference {
  readonly quote_id: string;
  readonly expires_at: number;
}

/** Returns an offer as the API shows it, with a quote for exactly its price. */
export function rateView(
  { offer, account_id }: QuotedOffer,
  { quote_id, expires_at }: QuoteReference,
  { to, origin_zone }: Pick<ShipmentRequest, "to" | "origin_zone">,
) {
  const { delivery_date: at } = offer;
  const delivery = at === null ? null : deliveryDay({ at, to, origin_zone, by_carrier: account_id !== null });
  return {
    quote_id,
    expires_at: iso(expires_at),
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
