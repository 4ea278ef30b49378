import { hasSettledCodes } from "../../addresses/postal_codes.ts";
import { add, times } from "../../core/decimals.ts";
import { type FieldProblem, invalid, invalidFields } from "../../core/faults.ts";
import { invalidChoice } from "../../core/field_problems.ts";
import { centsOf, value_currency } from "../../core/money.ts";
import { completeAddress } from "../../core/postal_address.ts";
import { addedUp, namedUnits, unitsOf, unitsWithoutParcel } from "../../orders/fulfillment/order_units.ts";
import { resolveOrder } from "../../orders/lifecycle/order_lookup.sql.ts";
import { type Order, openUnits } from "../../orders/order.ts";
import { refusePickup } from "../../orders/order_lines.ts";
import { productsToWeigh, weightOf } from "../../orders/order_weight.ts";
import { getOrder } from "../../orders/orders.sql.ts";
import type { RuleCarton } from "../../orders/shipping_rules/shipping_rule.ts";
import { findProducts } from "../../products/products.sql.ts";
import type { Db } from "../../storage/database.ts";
import { underCompany } from "../address.ts";
import { checkEnds, readAddressField } from "../address_checks.ts";
import {
  endAt,
  type ListedCarrier,
  type RateMessage,
  type RateOffer,
  type ShipmentEnd,
  type ShipmentRequest,
} from "../offer.ts";
import { defaultOrigin, originOfOrder } from "../origins.sql.ts";
import { readParcel, readWeight, type WeighedParcel, type Weight, weightText } from "../parcel.ts";
import { contentsOf, goodsIn, type ParcelGoods, type WeighedProduct } from "../parcel_contents.ts";
import { countryOfPostalCode } from "../zones/zone.ts";
import type { GetRates } from "./quotes.schema.ts";

const ends = ["from", "to"] as const;

/** The two ends in a request, by address or postal code; null for an end that the request omits. */
interface RequestedEnds {
  readonly from: ShipmentEnd | null;
  readonly to: ShipmentEnd | null;
}

/** Reads both ends. An end must not be set twice, and is required without an order. Refuses: validation_failed. */
function readEnds(input: GetRates): RequestedEnds {
  const body = { ...input, from_zip: input.from_zip || undefined, to_zip: input.to_zip || undefined };
  const problems: FieldProblem[] = ends.flatMap((end) => endProblems(body, end));
  if (problems.length > 0) throw invalidFields(problems);
  checkEnds({ ...body, from_country: countryOf(body, "from"), to_country: countryOf(body, "to") });
  return { from: readEnd(body, "from"), to: readEnd(body, "to") };
}

/** A request without empty postal codes. */
type NormalizedRates = Omit<GetRates, "from_zip" | "to_zip"> & {
  readonly from_zip: string | undefined;
  readonly to_zip: string | undefined;
};

function endProblems(body: NormalizedRates, end: "from" | "to"): FieldProblem[] {
  const { [`${end}_zip` as const]: zip, [`${end}_address` as const]: address } = body;
  const refused = (field: string, code: string, message: string) => [{ field: `${end}_${field}`, code, message }];
  if (zip !== undefined && address !== undefined) {
    return refused("zip", "invalid_value", `cannot be combined with ${end}_address`);
  }
  if (zip !== undefined && body.order_id !== undefined) {
    return refused("zip", "invalid_value", "cannot be combined with order_id");
  }
  const country = body[`${end}_country`];
  const has_place = address !== undefined || body.order_id !== undefined;
  if (zip === undefined && country !== undefined && has_place) {
    return refused("country", "invalid_value", `requires ${end}_zip`);
  }
  const where = country === undefined ? "" : `, since ${country} has postal codes`;
  const needs_code = country === undefined || hasSettledCodes(country);
  return zip === undefined && !has_place && needs_code
    ? refused("zip", "required", `is required without ${end}_address or order_id${where}`)
    : [];
}

function countryOf(body: NormalizedRates, end: "from" | "to"): string {
  return body[`${end}_country`] ?? countryOfPostalCode(body[`${end}_zip`] ?? "") ?? "US";
}

function readEnd(body: NormalizedRates, end: "from" | "to"): ShipmentEnd | null {
  const residential = end === "to" ? (body.residential ?? null) : null;
  const [zip, address_input] = [body[`${end}_zip`], body[`${end}_address`]];
  const address = readAddressField(`${end}_address`, address_input);
  if (address !== null) return { ...endAt(address), residential };
  if (zip === undefined && body[`${end}_country`] === undefined) return null;
  return {
    country: countryOf(body, end),
    postal_code: zip ?? null,
    state: null,
    city: null,
    address: null,
    residential,
  };
}

/** Reads the declared value and whether to insure it. Refuses: validation_failed. */
function readValue({ value, insurance }: GetRates) {
  return { value_cents: value == null ? null : centsOf(value, value_currency, "value"), insurance: insurance === true };
}

/** Reads the described parcel; null when the request has no weight. Refuses: validation_failed. */
function readParcelInput({ weight, weight_unit, dimensions }: GetRates): WeighedParcel | null {
  return weight === undefined ? null : readParcel({ weight, weight_unit, dimensions }, "");
}

/**
 * Returns the units of an order's next parcel: those in the request, else all unpacked units, else all unshipped units.
 * Refuses: validation_failed, resource_missing.
 */
function goodsOf(order: Order, items: GetRates["items"]): ParcelGoods[] {
  if (items !== undefined) return goodsIn(order, addedUp(namedUnits(order, items, openUnits)));
  const loose = unitsWithoutParcel(order);
  const units = loose.length > 0 ? loose : unitsOf(order, openUnits);
  if (units.length === 0) throw invalid("order_id", "has no units left to ship");
  return goodsIn(order, units);
}

/** The field in which a request can send the weight of a parcel. */
type WeightField = "weight" | "package.weight";

/** The size of a parcel, and the carton that it is packed in. */
interface Packing {
  readonly dimensions: GetRates["dimensions"];
  readonly carton: RuleCarton | null;
  readonly weight_field: WeightField;
}

/**
 * Returns the parcel of goods with the weight of their products. Refuses: validation_failed, when a weight is
 * unknown.
 */
function weighedParcel(
  goods: readonly ParcelGoods[],
  products: readonly WeighedProduct[],
  { dimensions, carton, weight_field }: Packing,
): WeighedParcel {
  const by_id = new Map(products.map((product) => [product.id, product]));
  const weights = goods.map(({ line, quantity }) => ({ line, quantity, weight: weightOf(line, by_id) }));
  const unknown = weights.filter(({ weight }) => weight === null).map(({ line }) => line.sku);
  if (unknown.length > 0) {
    throw invalid(
      weight_field,
      `is required, because these products have no weight: ${unknown.slice(0, 20).join(", ")}`,
      "required",
    );
  }
  const empty = carton?.weight == null ? null : readWeight(carton.weight, carton.weight_unit ?? "lb");
  const goods_weight = weights.map(({ weight, quantity }) => times(weight as Weight, quantity)).reduce(add);
  const sum = empty === null ? goods_weight : add(goods_weight, empty);
  const size = dimensions === undefined && carton !== null ? sizeOf(carton) : dimensions;
  const units = new Set(products.flatMap(({ weight, weight_unit }) => (weight === null ? [] : (weight_unit ?? "lb"))));
  const [unit = "g"] = units.size === 1 ? units : [];
  // Every unit is a whole number of nanograms, so grams can always express the sum.
  const [text, weight_unit] = weightText(sum, unit) ? [weightText(sum, unit), unit] : [weightText(sum, "g"), "g"];
  return readParcel({ weight: text ?? "", weight_unit, dimensions: size }, "");
}

const sizeOf = ({ length, width, height, unit }: RuleCarton) => ({ length, width, height, unit });

/** The carriers and services that a request includes; undefined for all. */
export type RateFilter = Pick<GetRates, "carriers" | "services">;

/** Refuses a carrier or service that is not listed. Refuses: validation_failed. */
export function checkFilter({ carriers, services }: RateFilter, listed: readonly ListedCarrier[]): void {
  const by_id = {
    carriers: [...new Set(listed.map(({ code }) => code))],
    services: [...new Set(listed.flatMap((carrier) => carrier.services.map(({ code }) => code)))],
  };
  const check = (field: "carriers" | "services", words: readonly string[] = []) => {
    for (const [at, word] of words.entries()) {
      if (!by_id[field].includes(word)) throw invalidChoice(`${field}[${at}]`, word, by_id[field]);
    }
  };
  check("carriers", carriers);
  check("services", services);
}

/** Whether a request includes one of an account's carriers. An account without a list may sell any. */
export function mayOffer({ carriers }: RateFilter, listed: readonly ListedCarrier[]): boolean {
  return carriers === undefined || listed.length === 0 || listed.some(({ code }) => carriers.includes(code));
}

/** Whether a request includes the carrier and service of an offer or message. */
export function isWanted(
  { carriers, services }: RateFilter,
  { carrier, service }: Pick<RateMessage, "carrier" | "service">,
) {
  const has = (words: readonly string[] | undefined, word: string | null) =>
    words === undefined || word === null || words.includes(word);
  return has(carriers, carrier) && has(services, service);
}

/** Compares offers for sorting: US dollars first, then by currency, then the cheapest. */
export function byPrice(a: { readonly offer: RateOffer }, b: { readonly offer: RateOffer }): number {
  return compareAll(keysOf(a.offer), keysOf(b.offer));
}

function keysOf({ currency, rate_cents, delivery_days, carrier, service }: RateOffer) {
  const latest = Number.MAX_SAFE_INTEGER;
  return [currency === "USD" ? "" : currency, rate_cents, delivery_days ?? latest, carrier, service];
}

function compareAll(some: readonly (string | number)[], others: readonly (string | number)[]): number {
  for (const [at, key] of some.entries()) {
    const other = others[at] as string | number;
    if (key !== other) return key < other ? -1 : 1;
  }
  return 0;
}

/** The parcel to request rates for, and its order, if any. */
export interface RateQuestion {
  readonly carriage: ShipmentRequest;
  readonly order_id: number | null;
  readonly order: Order | null;
}

/**
 * Reads a request for rates of a described parcel, or of an order's next parcel. A refusal of products without a weight
 * names the field `weight_field`.
 * Refuses: validation_failed, resource_missing, ambiguous_identifier, pickup_order.
 */
export async function readRateQuestion(
  db: Db,
  body: GetRates,
  weight_field: WeightField = "weight",
): Promise<RateQuestion> {
  const { from, to } = readEnds(body);
  const parcel = readParcelInput(body);
  if (body.order_id !== undefined) return questionOfOrder(db, body, body.order_id, { from, to, parcel, weight_field });
  if (body.items !== undefined) throw invalid("items", "requires order_id");
  if (parcel === null) throw invalid("weight", "is required", "required");
  const { timezone } = await defaultOrigin(db);
  const way = { from: from as ShipmentEnd, to: to as ShipmentEnd, origin_zone: timezone };
  return {
    carriage: { ...parcel, ...way, ...readValue(body), reference: null, return: false },
    order_id: null,
    order: null,
  };
}

/** The fields of a request that override those of its order. */
interface RateInput {
  readonly from: ShipmentEnd | null;
  readonly to: ShipmentEnd | null;
  readonly parcel: WeighedParcel | null;
  readonly weight_field: WeightField;
}

/** The question about an order's next parcel. Its choice provides carton and insurance, unless the request does. */
async function questionOfOrder(db: Db, body: GetRates, name: string | number, input: RateInput): Promise<RateQuestion> {
  const order = await getOrder(db, await resolveOrder(db, name));
  refusePickup(order);
  const carton = order.shipping_choice?.carton ?? null;
  const goods = goodsOf(order, body.items);
  const products = await findProducts(db, productsToWeigh(order));
  const parcel =
    input.parcel ??
    weighedParcel(goods, products, { dimensions: body.dimensions, carton, weight_field: input.weight_field });
  const { address, timezone } = await originOfOrder(db, order);
  const residential = body.residential ?? order.address_verification?.residential ?? null;
  const to = input.to ?? { ...endAt(underCompany(completeAddress(order.shipping_address))), residential };
  const carriage: ShipmentRequest = {
    ...parcel,
    from: input.from ?? endAt(address),
    to,
    origin_zone: timezone,
    ...valueOfOrder(order, body),
    contents: contentsOf(goods, products, order.currency),
    reference: order.order_number,
    return: false,
  };
  return { carriage, order_id: order.id, order };
}

/** The value in cents for which an order's choice insures it; null if it does not. */
export function insuredCents({ shipping_choice, subtotal_cents, currency }: Order): number | null {
  return shipping_choice?.insured === true && currency === value_currency ? subtotal_cents : null;
}

/** The declared value and whether to insure it: those of the request, else as the order's choice says. */
function valueOfOrder(order: Order, body: GetRates) {
  const value_cents = insuredCents(order);
  if (value_cents === null || body.insurance !== undefined || body.value !== undefined) return readValue(body);
  return { value_cents, insurance: true };
}
