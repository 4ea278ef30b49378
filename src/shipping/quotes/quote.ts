// A quote is an offer with what it was made for, sealed into its id. Nothing is stored until a label is bought with
// it.
import { createHash, randomBytes } from "node:crypto";
import { Fault, type FieldProblem, invalid } from "../../kit/fault.ts";
import { type Fraction, reduced } from "../../kit/fraction.ts";
import type { Mode } from "../../kit/mode.ts";
import { open, seal } from "../../kit/seal.ts";
import type { Address } from "../address.ts";
import type { Carriage, End, Offer } from "../offer.ts";
import type { Dimensions } from "../parcel.ts";
import { readSide, sidesOf } from "../side.ts";
import { plainPostalCode, postalCountry } from "../zones/place.ts";

/** How long a quote is valid, in milliseconds. */
export const quote_lifetime_ms = 15 * 60_000;

const prefix = "quo_";

/** What a quote was made for, each part as a digest. `address` is null where only the postal code was known. */
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

/** An offer as it was given to a client, with what it was made for. */
export interface Quote {
  /** Random text, different for each quote. The label keeps it, so that a quote buys only one label. */
  readonly nonce: string;
  readonly expires_at: number;
  /** The account of the offer; null for the built-in carrier. */
  readonly account_id: number | null;
  readonly offer: Offer;
  /** The order whose parcel was quoted; null for a described parcel. */
  readonly order_id: number | null;
  readonly value_cents: number | null;
  readonly insurance: boolean;
  /** Whether the recipient's address was said to be residential; null when unknown. */
  readonly residential: boolean | null;
  readonly made_for: QuotedFor;
}

/** Whether both ends were full addresses; otherwise the carrier saw postal codes only. */
export function hasAddresses({ made_for: { from, to } }: Quote): boolean {
  return from.address !== null && to.address !== null;
}

/** What seals and opens quotes. `now` is in milliseconds. */
interface QuoteContext {
  readonly secret_key: Uint8Array;
  readonly mode: Mode;
  readonly now: number;
}

const purposeOf = (mode: Mode) => `shipping.quote.${mode}`;

/**
 * Makes quotes of the offers for one parcel: `id` makes the id of an offer's quote, by its account or the built-in
 * carrier.
 */
export function quoter(carriage: Carriage, order_id: number | null, { secret_key, mode, now }: QuoteContext) {
  const { value_cents, insurance, to } = carriage;
  const expires_at = now + quote_lifetime_ms;
  const shared = { expires_at, order_id, value_cents, insurance, residential: to.residential };
  const made_for = quotedFor(carriage);
  const id = (offer: Offer, account_id: number | null): string => {
    const nonce = randomBytes(18).toString("base64url");
    const quote: Quote = { ...shared, nonce, account_id, offer, made_for };
    return prefix + seal(JSON.stringify(quote), secret_key, purposeOf(mode));
  };
  return { id, expires_at };
}

/** The quote of an id. Refuses: validation_failed, quote_expired. */
export function readQuote(text: string, { secret_key, mode, now }: QuoteContext): Quote {
  const sealed = text.startsWith(prefix) ? text.slice(prefix.length) : "";
  const opened = open(sealed, secret_key, purposeOf(mode));
  if (opened === null) throw invalid("quote_id", "is not a quote of POST /shipping/rates, or is incomplete");
  const quote = JSON.parse(opened) as Quote;
  if (quote.expires_at > now) return quote;
  throw new Fault("quote_expired", "The quote is older than fifteen minutes. Request rates again.");
}

/** The parcel, addresses and options for which a label is bought. */
type QuotedCarriage = Pick<Carriage, "from" | "to" | "weight" | "package">;

/** Refuses: quote_mismatch, naming every field of a purchase that differs from its quote. */
export function checkQuote({ made_for, order_id }: Quote, carriage: QuotedCarriage, bought_for: number | null): void {
  const now = quotedFor(carriage);
  const differs = (one: QuotedEnd, other: QuotedEnd) =>
    one.address === null ? one.place !== other.place : one.address !== other.address;
  const fields: FieldProblem[] = [];
  const mismatch = (field: string, what: string) =>
    fields.push({ field, code: "quote_mismatch", message: `is not the ${what} of the quote` });
  if (order_id !== null && order_id !== bought_for) mismatch("order_id", "order");
  if (made_for.weight !== now.weight) mismatch("package.weight", "weight");
  if (made_for.dimensions !== now.dimensions) mismatch("package.dimensions", "size");
  if (differs(made_for.from, now.from)) mismatch("from_address", "address");
  if (differs(made_for.to, now.to)) mismatch("to_address", "address");
  const [first, ...more] = fields;
  if (first === undefined) return;
  const others = more.length === 0 ? "" : ` (nor are ${more.map(({ field }) => field).join(", ")})`;
  throw new Fault("quote_mismatch", `${first.field} ${first.message}${others}.`, { fields });
}

function quotedFor({ from, to, weight, package: { dimensions } }: QuotedCarriage): QuotedFor {
  return { weight: textOf(weight), dimensions: sizeOf(dimensions), from: endOf(from), to: endOf(to) };
}

function endOf({ country, postal_code, address }: End): QuotedEnd {
  const code = postal_code === null ? null : plainPostalCode(postal_code, country);
  return { place: digest([postalCountry(country), code]), address: address === null ? null : digest(linesOf(address)) };
}

/** A text that is equal for equal parcels, whatever their units and the order of their sides. */
function sizeOf(dimensions: Dimensions | null): string {
  if (dimensions === null) return "";
  const { length, width, height, unit } = dimensions;
  const [one, two, three] = [readSide(length, unit), readSide(width, unit), readSide(height, unit)];
  return one === null || two === null || three === null ? "" : digest(sidesOf(one, two, three).map(textOf));
}

function textOf(fraction: Fraction): string {
  const { numerator, denominator } = reduced(fraction);
  return `${numerator}/${denominator}`;
}

function linesOf({ name, company, address_line1, address_line2, city, state, postal_code, country }: Address) {
  const lines = [name, company, address_line1, address_line2, city, state, postal_code, country];
  return lines.map((line) => line?.trim() || null);
}

function digest(parts: readonly (string | null)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 22);
}
