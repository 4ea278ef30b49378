// Carrier accounts. No carrier is called: its responses are passed in.
import { hmacHex } from "../../../../src/core/crypto.ts";
import { type OutsideCarriers, overrideCarriers } from "../../../../src/shipping/carriers/connectors.ts";
import { easypost } from "../../../../src/shipping/carriers/easypost.ts";
import { fakeCarrier } from "../../../shipping/carriers/fake_carrier.ts";
import type { Teller } from "./record_example.ts";

// Differs from the value in the example, so that it can be searched for.
const api_key = `EZAK${Bun.randomUUIDv7("hex").replaceAll("-", "")}`;

/** An account that is added, tested, changed and removed. */
export async function carriers({ app, tell }: Teller): Promise<void> {
  await tell("listConnectors");
  const fake = fakeCarrier("easypost");
  fake.check = async () => [{ code: "usps", name: "USPS", services: [{ code: "Priority", name: "Priority Mail" }] }];
  const credentials = [{ name: "api_key", secret: true, required: true, description: "The key of the account." }];
  const capabilities = new Set(["rating", "shipping", "tracking", "webhook"] as const);
  const { readCallback } = easypost;
  const connector = { ...fake.connector, name: "EasyPost", credentials, capabilities, readCallback };
  overrideCarriers(app.service, { easypost: connector } as OutsideCarriers);
  const made = await tell("createCarrierAccount", {
    body: { connector: "easypost", name: "EasyPost, ours", credentials: { api_key } },
  });
  const path = { id: made.data.id };
  await tell("testCarrierAccount", { path });
  await tell("getCarrierAccount", { path });
  await tell("updateCarrierAccount", { path, body: { name: "EasyPost, the main one" } });
  await tell("listCarrierAccounts");
  await tracked({ tell }, made.data);
  await tell("deleteCarrierAccount", { path });
}

const tracking_number = "9400111202555842332669";

/** A tracking number without an order, and the carrier's updates for it. */
async function tracked({ tell }: Pick<Teller, "tell">, account: { callback_url: string; callback_secret: string }) {
  await tell("followNumber", { body: { tracking_number, carrier: "usps" } });
  const where = { city: "Reno", state: "NV", country: "US" };
  const scan = { message: "Departed USPS facility", status: "in_transit", status_detail: "departed_facility" };
  const event = {
    id: "evt_5d3a0f8e1c",
    object: "Event",
    description: "tracker.updated",
    result: {
      id: "trk_8f2b7c",
      object: "Tracker",
      tracking_code: tracking_number,
      carrier: "USPS",
      status: "in_transit",
      status_detail: "departed_facility",
      est_delivery_date: "2026-01-05T20:00:00Z",
      tracking_details: [{ ...scan, datetime: "2026-01-01T18:20:00Z", tracking_location: where }],
    },
  };
  const signature = hmacHex(account.callback_secret.normalize("NFKD"), JSON.stringify(event));
  await tell("carrierCallback", {
    path: { connector: "easypost" },
    key: null,
    body: event,
    query: { account: new URL(account.callback_url).searchParams.get("account") ?? "" },
    headers: { "x-hmac-signature": `hmac-sha256-hex=${signature}` },
  });
  await tell("listTracked", { query: { followed: "true" } });
  await tell("exportTracked", { query: { followed: "true" } });
}
