import { beforeEach, describe, expect, test } from "bun:test";
import { addresses } from "../../db/schema/customers.ts";
import { verificationOf } from "../../src/addresses/carrier_verification.ts";
import { Fault } from "../../src/core/faults.ts";
import type { PostalAddress } from "../../src/core/postal_address.ts";
import { askVerifier, findVerifier } from "../../src/shipping/carriers/address_verifier.ts";
import type { CarrierAddressCheck, OutsideCarrier } from "../../src/shipping/carriers/connector.ts";
import { overrideCarriers } from "../../src/shipping/carriers/connectors.ts";
import { openShop } from "../build/shop.ts";
import { fakeCarrier } from "../shipping/carriers/fake_carrier.ts";

const home = {
  address_line1: "12 Elm St",
  address_line2: null,
  city: "Portland",
  state: "OR",
  postal_code: "97201",
  country: "US",
};
const fine: CarrierAddressCheck = { deliverable: true, errors: [], suggestion: null, residential: true };

const asked: PostalAddress[] = [];
let answer: (address: PostalAddress) => Promise<CarrierAddressCheck>;

const knowing: OutsideCarrier = {
  ...fakeCarrier().connector,
  capabilities: new Set(["rating", "address"]),
  verifyAddress: (address) => {
    asked.push(address);
    return answer(address);
  },
};

const shop = await openShop();
overrideCarriers(shop.app.service, { fake: knowing, deaf: fakeCarrier("deaf").connector });
await shop.app.post("/shipping/carrier_accounts", { connector: "deaf", credentials: { api_key: "deaf_key_1" } });
const made = await shop.app.post("/shipping/carrier_accounts", {
  connector: "fake",
  credentials: { api_key: "fake_key_1" },
});
const account = made.body.data.id;
await shop.app.runJobs();
beforeEach(() => {
  asked.length = 0;
  answer = async () => fine;
});

let number = 0;

async function customer(address: object) {
  const email = `c-${++number}@example.com`;
  return (await shop.app.post("/customers", { email, shipping_addresses: [address] })).body;
}
const read = async ({ id }: { id: string }) => (await shop.app.get(`/customers/${id}`)).body;
const verify = async (body: object) => (await shop.app.post("/addresses/verify", body)).body.data;
const waiting = () =>
  shop.app.service.stores.live.read(async (db) => {
    const rows = await db.sql.select({ ask_at: addresses.ask_at }).from(addresses);
    return rows.flatMap(({ ask_at }) => ask_at ?? []);
  });

describe("a request to check", () => {
  test("takes the carrier's result over the offline one", async () => {
    answer = async () => ({ ...fine, deliverable: false, errors: ["No such street."] });
    const found = await verify({ address: home });
    expect(found).toMatchObject({ status: "error", method: "fake", is_verified: false, note: null, messages: [] });
    expect(found.errors).toEqual([{ field: "address", code: "undeliverable", message: "No such street." }]);
    answer = async () => fine;
    expect(await verify({ address: { ...home, state: "ME" } })).toMatchObject({
      status: "verified",
      method: "fake",
      residential: true,
    });
  });

  test("calls the carrier only for complete addresses, and never with offline", async () => {
    const both = await verify({ addresses: [{ ...home, city: "" }, home] });
    expect(both.map(({ method }: { method: string }) => method)).toEqual(["offline", "fake"]);
    expect(asked).toEqual([expect.objectContaining(home)]);
    expect((await verify({ address: home, offline: true })).method).toBe("offline");
    expect(asked.length).toBe(1);
  });

  test("falls back to the offline result with a message if the carrier fails for some addresses", async () => {
    answer = async ({ address_line1 }) => {
      if (address_line1 === "12 Elm St") return fine;
      throw new Fault("carrier_error", "It is down; the key was fake_key_1.", { permanent: false });
    };
    const [good, bad] = await verify({ addresses: [home, { ...home, address_line1: "1 Dock Rd" }] });
    expect([good.method, good.messages]).toEqual(["fake", []]);
    expect(bad).toMatchObject({ status: "verified", method: "offline" });
    expect(bad.messages).toEqual([
      { carrier: "fake", level: "warning", code: "carrier_error", message: expect.not.stringContaining("fake_key_1") },
    ]);
  });

  test("stops waiting for a carrier that hangs", async () => {
    const { live } = shop.app.service.stores;
    const verifier = await findVerifier(live, shop.app.service);
    answer = () => new Promise(() => {});
    const how = { store: live, service: shop.app.service, wait_ms: 20 };
    const many = Array.from({ length: 20 }, () => home);
    const found = verifier === null ? [] : await askVerifier(verifier, many, how);
    expect(found.map(({ fault }) => fault?.code)).toEqual(many.map(() => "carrier_timeout"));
  });
});

describe("a stored address", () => {
  test("is verified after it is stored, and open orders to it get the result", async () => {
    const buyer = await customer(home);
    const [address] = buyer.shipping_addresses;
    expect(address.verification.method).toBe("offline");
    const goods = await shop.product({ units: 10 });
    const to = { customer_id: buyer.id, shipping_address_id: address.id };
    const [open, gone] = [await shop.order([[goods, 1]], to), await shop.order([[goods, 1]], to)];
    await shop.act(gone.id, "pack");
    await shop.told();
    const suggestion = { ...home, address_line1: "12 SE Elm St", postal_code: "97201-4321" };
    answer = async () => ({ ...fine, suggestion: { ...suggestion, name: "", company: null, phone: null } });
    await shop.app.runJobs();
    const [checked] = (await read(buyer)).shipping_addresses;
    expect(checked).toMatchObject({
      is_verified: true,
      verification: { status: "verified", method: "fake", suggestion },
    });
    const order = await shop.get(open.id);
    expect(order.revision).toBe(open.revision + 1);
    expect(order.shipping_address.verification.method).toBe("fake");
    expect((await shop.get(gone.id)).shipping_address.verification.method).toBe("offline");
    expect(await shop.told()).toEqual([]);
    expect(await waiting()).toEqual([]);
    const accepted = await shop.app.post(`/customers/${buyer.id}/addresses/${address.id}/accept_suggestion`);
    const known = { is_verified: true, verification: { status: "verified", method: "fake", suggestion: null } };
    expect(accepted.body).toMatchObject({ ...suggestion, ...known });
    expect(await waiting()).toEqual([]);
    const moved = (await shop.app.post(`/orders/${open.id}/accept_suggestion`)).body.data;
    expect(moved.shipping_address).toMatchObject({ ...suggestion, ...known });
  });

  test("that moves in the meantime is verified again", async () => {
    const buyer = await customer(home);
    const path = `/customers/${buyer.id}/addresses/${buyer.shipping_addresses[0].id}`;
    answer = async ({ address_line1 }) => {
      if (address_line1 === "12 Elm St") await shop.app.patch(path, { address_line1: "1 Dock Rd" });
      return { ...fine, deliverable: address_line1 !== "12 Elm St" };
    };
    await shop.app.runJobs();
    const [address] = (await read(buyer)).shipping_addresses;
    expect(asked.map(({ address_line1 }) => address_line1)).toEqual(["12 Elm St", "1 Dock Rd"]);
    expect(address).toMatchObject({ address_line1: "1 Dock Rd", is_verified: true, verification: { method: "fake" } });
  });

  test("is verified again after a failure, for a day", async () => {
    answer = async () => {
      throw new Fault("carrier_error", "It is down.", { permanent: false });
    };
    const buyer = await customer(home);
    await shop.app.runJobs();
    expect((await read(buyer)).shipping_addresses[0].verification).toMatchObject({ method: "offline" });
    const [next] = await waiting();
    expect(next).toBe(shop.app.clocks.live.now() + 300_000);
    shop.app.clocks.live.advance(300_000);
    answer = async () => fine;
    await shop.app.runJobs();
    expect((await read(buyer)).shipping_addresses[0].verification).toMatchObject({ method: "fake" });
    answer = async () => {
      throw new Fault("carrier_timeout", "No answer.", { permanent: false });
    };
    await customer(home);
    for (let hours = 0; hours < 30; hours++) {
      await shop.app.runJobs();
      shop.app.clocks.live.advance(3_600_000);
    }
    expect(await waiting()).toEqual([]);
  });

  test("is not verified once the account is paused", async () => {
    await shop.app.patch(`/shipping/carrier_accounts/${account}`, { status: "paused" });
    await shop.app.runJobs();
    const buyer = await customer(home);
    await shop.app.runJobs();
    expect((await read(buyer)).shipping_addresses[0].verification).toMatchObject({ method: "offline" });
    expect([await waiting(), asked]).toEqual([[], []]);
    expect((await verify({ address: home })).method).toBe("offline");
  });
});

test.each<[string, Partial<CarrierAddressCheck>, string, boolean]>([
  ["the same in capitals", { suggestion: { ...home, city: "PORTLAND" } as never }, "verified", false],
  ["a better street", { suggestion: { ...home, address_line1: "12 SE Elm St" } as never }, "verified", true],
  ["four more digits", { suggestion: { ...home, postal_code: "97201-4321" } as never }, "verified", true],
  ["another postal code", { suggestion: { ...home, postal_code: "97202" } as never }, "warning", true],
  ["another city", { suggestion: { ...home, city: "Salem" } as never }, "warning", true],
  ["a note", { errors: ["More is needed: the flat."] }, "warning", false],
  ["no, and nothing else", { deliverable: false }, "error", false],
])("a carrier's result: %s", (_, said, status, suggests) => {
  const { suggestion, ...verification } = verificationOf(home, "fake", { ...fine, ...said }, 0);
  expect([verification.status, suggestion !== null]).toEqual([status as never, suggests]);
});
