// A connector without a server: the test decides what its carrier returns.

import { hmacHex } from "../../../src/core/crypto.ts";
import { Fault } from "../../../src/core/faults.ts";
import type { CarrierContext, CarrierPurchase, OutsideCarrier } from "../../../src/shipping/carriers/connector.ts";
import type { ListedCarrier, RateOffer, RateOffers, ShipmentRequest } from "../../../src/shipping/offer.ts";

/** The default services of a fake carrier. */
export const fake_listing: readonly ListedCarrier[] = [
  {
    code: "swift",
    name: "Swift Parcel",
    services: [
      { code: "ground", name: "Swift Ground" },
      { code: "air", name: "Swift Air" },
    ],
  },
];

/** A service at this price, in the plainest form. */
export function fakeOffer(fields: Partial<RateOffer> = {}): RateOffer {
  const rate_cents = fields.rate_cents ?? 1000;
  return {
    carrier: "swift",
    carrier_name: "Swift Parcel",
    service: "ground",
    service_name: "Swift Ground",
    rate_cents,
    cost_cents: rate_cents,
    currency: "USD",
    breakdown: [{ code: "base", amount_cents: rate_cents }],
    billable_pounds: null,
    zone: null,
    zone_estimated: false,
    delivery_days: 3,
    ship_date: null,
    delivery_date: null,
    ref: "fake_rate_1",
    ...fields,
  };
}

/** The settings of a fake carrier, and the calls it got. */
export interface Fake {
  readonly connector: OutsideCarrier;
  check: (ctx: CarrierContext) => Promise<readonly ListedCarrier[]>;
  offers: (carriage: ShipmentRequest, ctx: CarrierContext) => Promise<RateOffers>;
  buy: (ref: string, carriage: ShipmentRequest, ctx: CarrierContext) => Promise<CarrierPurchase>;
  find: (ref: string, ctx: CarrierContext) => Promise<CarrierPurchase>;
  void: (carrier_ref: string, ctx: CarrierContext) => Promise<"voided" | "submitted" | "rejected">;
  /** The credentials of every call, oldest first. */
  readonly asked: { readonly what: "check" | "offers" | "buy" | "find" | "void"; readonly ctx: CarrierContext }[];
}

/** A connector `code` whose carrier offers one service for ten dollars by default. */
export function fakeCarrier(code = "fake"): Fake {
  const asked: Fake["asked"] = [];
  const fake: Fake = {
    asked,
    check: async () => fake_listing,
    offers: async () => ({ offers: [fakeOffer()], messages: [] }),
    buy: async () => ({ state: "not_bought" }),
    find: async () => ({ state: "not_bought" }),
    void: async () => "voided",
    connector: {
      calls: "outside",
      code,
      name: "Fake Parcels",
      capabilities: new Set(["rating", "shipping", "webhook"]),
      credentials: [
        { name: "api_key", secret: true, required: true, description: "The key that the fake gives out." },
        { name: "api_url", secret: false, required: false, description: "Where the fake's API is." },
        { name: "account", secret: false, required: false, description: "The number of the account." },
      ],
      readCallback: ({ headers, raw }, secret) => {
        if (headers.get("x-signature") === hmacHex(secret, new TextDecoder().decode(raw))) {
          return { event_id: null, updates: [] };
        }
        throw new Fault("invalid_signature", "The signature is wrong.");
      },
      check: async (ctx) => {
        asked.push({ what: "check", ctx });
        return fake.check(ctx);
      },
      offers: async (carriage, ctx) => {
        asked.push({ what: "offers", ctx });
        return fake.offers(carriage, ctx);
      },
      buy: async (ref, carriage, ctx) => {
        asked.push({ what: "buy", ctx });
        return fake.buy(ref, carriage, ctx);
      },
      find: async (ref, ctx) => {
        asked.push({ what: "find", ctx });
        return fake.find(ref, ctx);
      },
      void: async (carrier_ref, ctx) => {
        asked.push({ what: "void", ctx });
        return fake.void(carrier_ref, ctx);
      },
    },
  };
  return fake;
}
