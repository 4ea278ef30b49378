// The context and requests for testing a connector against a mock.

import { Fault } from "../../../src/core/faults.ts";
import type { CompleteAddress } from "../../../src/core/postal_address.ts";
import { default_ports, ranges } from "../../../src/outbound/destination.ts";
import { createOutbound } from "../../../src/outbound/outbound.ts";
import { carrierCallerBy } from "../../../src/shipping/carriers/call_carrier.ts";
import type { CarrierContext, OutsideCarrier } from "../../../src/shipping/carriers/connector.ts";
import type { RateOffers, ShipmentEnd, ShipmentRequest } from "../../../src/shipping/offer.ts";
import { readWeight } from "../../../src/shipping/parcel.ts";

export const at = Date.parse("2026-11-20T09:30:00.000Z");

/** Calls servers on this machine with this timeout. `close` closes its connections. */
export function openMeans({ name }: OutsideCarrier, wait_ms = 15_000) {
  const policy = {
    mode: "test",
    chosen_by: "operator",
    loopback_receivers: true,
    ports: default_ports,
    openings: ranges([]),
  } as const;
  const deadlines = { connect_ms: 15_000, headers_ms: wait_ms, body_ms: wait_ms };
  const outbound = createOutbound({ policy, deadlines });
  const ways = carrierCallerBy(outbound, name);
  const ctx = (credentials: Record<string, string>, mode: CarrierContext["mode"] = "test"): CarrierContext => ({
    account: { id: 1, name: "Ours" },
    mode,
    credentials,
    now: at,
    // A purchase waits longer than a test can wait for a hanging one.
    api: (request) => ways.api({ ...request, wait_ms }),
    download: ways.download,
  });
  return { ctx, close: () => outbound.close() };
}

const warehouse: CompleteAddress = {
  name: "Ada Lovelace",
  company: "Analytical Goods",
  address_line1: "388 Townsend St",
  address_line2: "Dock 2",
  city: "San Francisco",
  state: "CA",
  postal_code: "94107",
  country: "US",
  phone: "4155550100",
};
const customer: CompleteAddress = {
  name: "Grace Hopper",
  company: null,
  address_line1: "179 N Harbor Dr",
  address_line2: null,
  city: "Redondo Beach",
  state: "CA",
  postal_code: "90277",
  country: "US",
  phone: null,
};
export const abroad: CompleteAddress = {
  name: "Alan Turing",
  company: null,
  address_line1: "200 Bay St",
  address_line2: null,
  city: "Toronto",
  state: "ON",
  postal_code: "M5J 2J2",
  country: "CA",
  phone: "4165550100",
};

/** An end of a shipment with a full address. */
export const endAt = (address: CompleteAddress, residential: boolean | null = null): ShipmentEnd => {
  const { country, postal_code, state, city } = address;
  return { country, postal_code, state, city, address, residential };
};

/** An end of a shipment with only a postal code. */
export const endIn = (postal_code: string, country = "US"): ShipmentEnd => ({
  country,
  postal_code,
  state: null,
  city: null,
  address: null,
  residential: null,
});

const weight = readWeight("2", "lb") ?? { numerator: 1n, denominator: 1n };

/** Two pounds in a box, from a warehouse to a customer. */
export const carriage: ShipmentRequest = {
  from: endAt(warehouse, false),
  to: endAt(customer, true),
  weight,
  value_cents: null,
  insurance: false,
  package: { weight: "2", weight_unit: "lb", dimensions: { length: 10, width: 8, height: 4, unit: "in" } },
  origin_zone: "America/Los_Angeles",
  reference: "R-1001",
  return: false,
};

/** The cheapest offer's ref. */
export const cheapest = ({ offers }: RateOffers): string =>
  offers.toSorted((one, other) => one.rate_cents - other.rate_cents)[0]?.ref ?? "";

/** The facts of a refusal. Any other error fails the test. */
export async function refusal(
  work: Promise<unknown>,
): Promise<{ code: string; message: string; [fact: string]: unknown }> {
  const error: unknown = await work.then(
    (done) => done,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Fault)) throw new Error(`no refusal: ${JSON.stringify(error)}`);
  return { code: error.code, message: error.message, ...error.facts };
}
