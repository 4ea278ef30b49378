// Packhouse with one more connector: for the carrier whose address the environment names. Its clock may run ahead of
// the machine's, so that nobody has to wait until a claim expires.
import { Fault } from "../../../src/core/faults.ts";
import type { CarrierPurchase, OutsideCarrier } from "../../../src/shipping/carriers/connector.ts";
import { outsideCarriers } from "../../../src/shipping/carriers/connectors.ts";

const ahead_ms = Number(process.env["PURCHASES_AHEAD_MS"] ?? 0);
const machine = Date.now;
Date.now = () => machine() + ahead_ms;

const carrier_url = process.env["PURCHASES_CARRIER"] ?? "";

async function ask(path: string, body: object): Promise<unknown> {
  try {
    const answer = await fetch(carrier_url + path, { method: "POST", body: JSON.stringify(body) });
    return await answer.json();
  } catch {
    throw new Fault("carrier_timeout", "The carrier's answer was lost.");
  }
}

const purchaseOf = (tracking_number: unknown, ref: string): CarrierPurchase =>
  typeof tracking_number !== "string"
    ? { state: "not_bought" }
    : {
        state: "bought",
        bought: {
          ...{ tracking_number, tracking_url: null, cost_cents: 900, currency: "USD", carrier_ref: ref },
          ...{ tracker_ref: null, estimated_delivery: null },
          documents: [{ kind: "label", content_type: "application/zpl", bytes: new TextEncoder().encode("^XA^XZ") }],
        },
      };

const services = [{ code: "ground", name: "Ground" }];

const counted: OutsideCarrier = {
  calls: "outside",
  code: "counted",
  name: "Counted Parcels",
  capabilities: new Set(["rating", "shipping"]),
  credentials: [{ name: "api_key", secret: true, required: true, description: "Any text." }],
  check: async () => [{ code: "counted", name: "Counted Parcels", services }],
  offers: async ({ reference }) => {
    const { ref } = (await ask("/offers", { reference })) as { ref: string };
    const price = {
      rate_cents: 900,
      cost_cents: 900,
      currency: "USD",
      breakdown: [{ code: "base", amount_cents: 900 }],
    };
    return {
      offers: [
        {
          ...{
            carrier: "counted",
            carrier_name: "Counted Parcels",
            service: "ground",
            service_name: "Ground",
            ...price,
          },
          ...{ billable_pounds: null, zone: null, zone_estimated: false, delivery_days: 2, ship_date: null },
          ...{ delivery_date: null, ref },
        },
      ],
      messages: [],
    };
  },
  buy: async (ref) => purchaseOf(((await ask("/buy", { ref })) as { number: unknown }).number, ref),
  find: async (ref) => purchaseOf(((await ask("/find", { ref })) as { number: unknown }).number, ref),
};

Object.assign(outsideCarriers, { counted });
await import("../../../src/main.ts");
