import { ownCarriers } from "../../orders/shipments/tracking_url.ts";
import { promiseDelivery } from "../delivery/delivery_date.ts";
import { billedPounds, type Weight } from "../weight.ts";

export const serviceCodes = ["standard", "express", "overnight"] as const;
export type ServiceCode = (typeof serviceCodes)[number];

/** One price of a flat rate: every parcel up to and including this many billed pounds costs this much. */
export interface RateStep {
  readonly up_to_pounds: number;
  readonly price_cents: number;
}

/** One service that the built-in carrier sells. */
export interface Service {
  readonly code: ServiceCode;
  readonly name: string;
  /** Days of delivery (Monday to Friday) after the day it leaves. */
  readonly delivery_days: number;
  /** Packed before this hour of the warehouse's day, a parcel leaves the same day. */
  readonly cut_off_hour: number;
  readonly steps: readonly RateStep[];
}

// SAMPLE PRICES, invented for a first start. They are nobody's tariff; a warehouse puts its own in their place.
// biome-ignore format: a table is read by its columns.
export const services: readonly Service[] = [
  { code: "standard", name: "Standard", delivery_days: 4, cut_off_hour: 16, steps: [
    { up_to_pounds: 1, price_cents: 695 }, { up_to_pounds: 5, price_cents: 995 },
    { up_to_pounds: 20, price_cents: 1695 }, { up_to_pounds: 70, price_cents: 3495 } ] },
  { code: "express", name: "Express", delivery_days: 2, cut_off_hour: 16, steps: [
    { up_to_pounds: 1, price_cents: 1295 }, { up_to_pounds: 5, price_cents: 1895 },
    { up_to_pounds: 20, price_cents: 3295 }, { up_to_pounds: 70, price_cents: 6995 } ] },
  { code: "overnight", name: "Overnight", delivery_days: 1, cut_off_hour: 14, steps: [
    { up_to_pounds: 1, price_cents: 2495 }, { up_to_pounds: 5, price_cents: 3695 },
    { up_to_pounds: 20, price_cents: 6495 }, { up_to_pounds: 70, price_cents: 12995 } ] },
];

export const builtInCarrierCodes = [ownCarriers.live, ownCarriers.test] as const;
export type BuiltInCarrierCode = (typeof builtInCarrierCodes)[number];

/** A carrier as `GET /shipping/carriers` lists it, with the services it sells. */
export interface BuiltInCarrier {
  readonly code: BuiltInCarrierCode;
  readonly name: string;
  readonly services: readonly Service[];
}

const builtInCarriers = {
  live: { code: ownCarriers.live, name: "Packhouse Courier", services },
  test: { code: ownCarriers.test, name: "Simulated Carrier", services },
} as const satisfies Record<"live" | "test", BuiltInCarrier>;

/** The carrier that every installation has: its own courier for live keys, a simulated one for test keys. */
export function builtInCarrier(mode: "live" | "test"): BuiltInCarrier {
  return builtInCarriers[mode];
}

/** How people call a carrier: one that is built in by its name, any other as it was given. */
export function carrierName(code: string): string {
  return Object.values(builtInCarriers).find((carrier) => carrier.code === code)?.name ?? code;
}

/** The carrier's service of this code, or null. */
export function findService(carrier: BuiltInCarrier, code: string): Service | null {
  return carrier.services.find((service) => service.code === code) ?? null;
}

/** What is to be carried, and when. `now` is in milliseconds, zones are IANA names. */
export interface QuoteRequest {
  readonly carrier: BuiltInCarrier;
  readonly weight: Weight;
  readonly now: number;
  readonly origin_zone: string;
  /** The recipient's zone; without it the warehouse's. */
  readonly destination_zone?: string | undefined;
  readonly holidays?: ReadonlySet<string> | undefined;
}

/** One line of a price. The lines of a quote sum to its `rate_cents`. */
export interface PriceLine {
  readonly code: "base";
  readonly amount_cents: number;
}

/** One offer of one carrier. */
export interface Quote {
  readonly carrier: BuiltInCarrierCode;
  readonly service: ServiceCode;
  readonly rate_cents: number;
  readonly currency: "USD";
  readonly breakdown: readonly PriceLine[];
  readonly billable_pounds: number;
  readonly delivery_days: number;
  /** The day it leaves the warehouse, as `YYYY-MM-DD` in the warehouse's zone. */
  readonly ship_date: string;
  /** Milliseconds since 1970, UTC. */
  readonly delivery_date: number;
}

/** Why a carrier makes no offer for a service. */
export interface QuoteMessage {
  readonly carrier: BuiltInCarrierCode;
  readonly service: ServiceCode;
  readonly level: "info";
  readonly code: "over_weight_limit";
  readonly message: string;
}

/** The carrier's offers in the order of its services, and a message for each service that cannot carry the parcel. */
export function quote(request: QuoteRequest): {
  readonly quotes: readonly Quote[];
  readonly messages: readonly QuoteMessage[];
} {
  const quotes: Quote[] = [];
  const messages: QuoteMessage[] = [];
  for (const service of request.carrier.services) {
    const offer = quoteService(request, service);
    if (offer === null) messages.push(overWeight(request.carrier, service));
    else quotes.push(offer);
  }
  return { quotes, messages };
}

/** The offer for one service, or null when the parcel is heavier than the service carries. */
export function quoteService(request: QuoteRequest, service: Service): Quote | null {
  const billable_pounds = billedPounds(request.weight);
  const step = service.steps.find(({ up_to_pounds }) => billable_pounds <= up_to_pounds);
  if (step === undefined) return null;
  const { carrier, now, origin_zone, destination_zone, holidays } = request;
  const { cut_off_hour, delivery_days } = service;
  const promise = { now, origin_zone, destination_zone, holidays, cut_off_hour, transit_days: delivery_days };
  return {
    carrier: carrier.code,
    service: service.code,
    rate_cents: step.price_cents,
    currency: "USD",
    breakdown: [{ code: "base", amount_cents: step.price_cents }],
    billable_pounds,
    delivery_days,
    ...promiseDelivery(promise),
  };
}

function overWeight(carrier: BuiltInCarrier, service: Service): QuoteMessage {
  const limit = service.steps.at(-1)?.up_to_pounds ?? 0;
  const message = `${service.name} carries at most ${limit} lb.`;
  return { carrier: carrier.code, service: service.code, level: "info", code: "over_weight_limit", message };
}
