// Rates and labels of a new installation, with its sample cards and the simulated carriers of test
// data.
import { describe, expect, test } from "bun:test";
import { openApp } from "../../build/service.ts";
import { type ParcelShop, parcelShopOn } from "../../build/shop.ts";

const app = await openApp();
const sim: ParcelShop = await parcelShopOn(app, "test");
const live: ParcelShop = await parcelShopOn(app, "live");

interface Rate {
  carrier: string;
  service: string;
  rate: number;
  zone: string;
  billable_weight: number;
  delivery_days: number;
  sample: boolean;
  breakdown: { code: string; amount: number }[];
}
interface Message {
  carrier: string;
  code: string;
  message: string;
}
interface Answer {
  rates: Rate[];
  messages: Message[];
}

const box = {
  from_zip: "94103",
  to_zip: "10001",
  weight: 5,
  weight_unit: "lb",
  dimensions: { length: 30, width: 24, height: 24, unit: "in" },
  value: 350,
  insurance: true,
};

async function ratesOf(mode: "live" | "test", fields: object): Promise<Answer> {
  const answer = await app.call("POST", "/shipping/rates", { ...box, ...fields }, { key: app.keys[mode].full });
  expect(answer.status).toBe(200);
  return answer.body.data;
}
const priceOf = ({ rates }: Answer, carrier: string, service: string) =>
  rates.find((one) => one.carrier === carrier && one.service === service)?.rate ?? 0;
const lineOf = (rate: Rate | undefined, code: string) => rate?.breakdown.find((line) => line.code === code)?.amount;

const services = [
  ["sim_post", "ground"],
  ["sim_post", "priority"],
  ["sim", "standard"],
  ["sim", "express"],
  ["sim", "overnight"],
  ["sim_express", "two_day"],
  ["sim_express", "next_day"],
] as const;

/** An order with a magic word in the second line of its address. */
async function orderTo(word: string, { key, draft } = sim): Promise<{ id: string }> {
  const post = async (path: string, body: object) => (await app.call("POST", path, body, { key })).body;
  const place = { city: "Beverly Hills", state: "CA", postal_code: "90210", country: "US" };
  const address = { ...place, address_line1: "450 Canyon Drive", address_line2: word };
  const email = `${crypto.randomUUID()}@example.com`;
  const customer = await post("/customers", { email, first_name: "Jordan", shipping_addresses: [address] });
  const body = { ...draft(), customer_id: customer.id, shipping_address_id: customer.shipping_addresses[0].id };
  return (await post("/orders", body)).data;
}

describe("works", () => {
  test("three simulated carriers offer a light box across the country by its size", async () => {
    const { rates, messages } = await ratesOf("test", {});
    expect(messages).toEqual([]);
    expect(rates.map(({ carrier, service }) => [carrier, service]).sort()).toEqual(
      services.map((one) => [...one]).sort(),
    );
    const billed = { sim_post: 105, sim: 125, sim_express: 125 };
    for (const rate of rates) {
      expect([rate.carrier, rate.billable_weight]).toEqual([rate.carrier, billed[rate.carrier as keyof typeof billed]]);
      expect(rate.rate).toBeGreaterThan(100);
      expect(rate.breakdown.map(({ code }) => code)).toEqual(
        expect.arrayContaining(["base", "fuel", "declared_value"]),
      );
    }
    const standard = rates.find(({ service }) => service === "standard");
    expect([standard?.rate, standard?.breakdown]).toEqual([
      232.58,
      [
        { code: "base", amount: 175.77 },
        { code: "additional_handling", amount: 21.5 },
        { code: "fuel", amount: 31.56 },
        { code: "declared_value", amount: 3.75 },
      ],
    ]);
  });

  test.each(services)(
    "%s %s costs more over a longer distance, at more weight, to a home, or insured",
    async (carrier, service) => {
      const small = {
        dimensions: { length: 8, width: 6, height: 4, unit: "in" },
        value: undefined,
        insurance: undefined,
      };
      const price = async (fields: object) => priceOf(await ratesOf("test", { ...small, ...fields }), carrier, service);
      const far = await price({});
      expect(await price({ to_zip: "94105" })).toBeLessThan(far);
      expect(await price({ weight: 1 })).toBeLessThan(far);
      expect(await price({ value: 350, insurance: true })).toBeGreaterThan(far);
      const home = await price({ residential: true });
      if (carrier === "sim_post") expect(home).toBe(far);
      else expect(home).toBeGreaterThan(far);
    },
  );

  test("each simulated carrier has its own cut-off and delivery days", async () => {
    const { rates } = await ratesOf("test", { weight: 1, dimensions: undefined });
    const of = (carrier: string, service: string) =>
      rates.find((one) => one.carrier === carrier && one.service === service) as Rate & { ship_date: string };
    expect([
      of("sim_post", "ground").delivery_days,
      of("sim", "standard").delivery_days,
      of("sim_express", "next_day").delivery_days,
    ]).toEqual([5, 5, 1]);
    const cards = await app.call("GET", "/shipping/carriers", undefined, { key: sim.key });
    expect(cards.body.data.carriers.map(({ code, name, services: sold }: never) => [code, name, sold])).toEqual([
      ["sim", "Simulated Parcel", ["standard", "express", "overnight"]],
      ["sim_post", "Simulated Post", ["ground", "priority"]],
      ["sim_express", "Simulated Express", ["two_day", "next_day"]],
    ]);
  });

  test("the simulated post takes up to 70 pounds, and delivers to homes without a surcharge", async () => {
    const { rates, messages } = await ratesOf("test", { weight: 71, dimensions: undefined });
    expect(rates.filter(({ carrier }) => carrier === "sim_post")).toEqual([]);
    expect(messages.filter(({ carrier }) => carrier === "sim_post").map(({ code }) => code)).toEqual([
      "over_weight_limit",
      "over_weight_limit",
    ]);
  });

  test("a request can name some of the simulated carriers", async () => {
    const { rates } = await ratesOf("test", {
      carriers: ["sim_post", "sim_express"],
      services: ["ground", "next_day"],
    });
    expect(rates.map(({ carrier, service }) => `${carrier} ${service}`)).toEqual([
      "sim_post ground",
      "sim_express next_day",
    ]);
  });

  test.each([
    ["sim_post", "priority"],
    ["sim_express", "next_day"],
  ])("a label of %s costs its rate, is tracked to the door and can be voided", async (carrier, service) => {
    const { id } = await sim.order();
    const asked = { order_id: id, weight: 2.5, weight_unit: "lbs" };
    const found = await app.call("POST", "/shipping/rates", asked, { key: sim.key });
    const rate = found.body.data.rates.find((one: Rate) => one.carrier === carrier && one.service === service);
    const label = await sim.label(id, { carrier: undefined, service: undefined, quote_id: rate.quote_id });
    expect([label.status, label.body.data]).toMatchObject([
      201,
      { carrier, service, cost: rate.rate, account_id: null, sample: false, warnings: [] },
    ]);
    const { tracking_number, label_id } = label.body.data;
    expect(tracking_number).toMatch(/^SIM\d{12}[0-9A-Z]$/);
    const named = await sim.label((await sim.order()).id, { carrier, service });
    expect([named.status, named.body.data.cost]).toEqual([201, rate.rate]);
    const tracked = await app.call("GET", `/tracking/${tracking_number}`, undefined, { key: sim.key });
    expect(tracked.body.data).toMatchObject({ carrier, service_type: service, status: "pending" });
    const gone = await app.call("POST", `/shipping/labels/${label_id}/void`, {}, { key: sim.key });
    expect([gone.status, gone.body.data.status]).toEqual([200, "voided"]);
  });

  test("magic words determine the course of a parcel", async () => {
    const number = async (word: string) => (await sim.label((await orderTo(word)).id)).body.data.tracking_number;
    expect(await number("SIM-EXCEPTION")).toMatch(/EXC$/);
    const returned = await number("Apt 4, sim-returned");
    expect(returned).toMatch(/^SIM\d{12}[0-9A-Z]RTS$/);
    const followed = await app.call("POST", "/tracking", { tracking_number: returned }, { key: sim.key });
    expect(followed.status).toBe(201);
    app.clocks.test.advance(60_000);
    await app.runJobs();
    const tracked = await app.call("GET", `/tracking/${returned}`, undefined, { key: sim.key });
    expect(tracked.body.data).toMatchObject({ carrier: "sim", status: "returned" });
    const order_id = (await orderTo("SIM-TIMEOUT")).id;
    const { rates, messages } = (await app.call("POST", "/shipping/rates", { order_id, weight: 1 }, { key: sim.key }))
      .body.data as Answer;
    expect(new Set(rates.map(({ carrier }) => carrier))).toEqual(new Set(["sim", "sim_post"]));
    expect(messages.map(({ carrier, code }) => [carrier, code])).toEqual([["sim_express", "carrier_timeout"]]);
  });

  test("live rates of sample cards depend on the parcel, are marked, and say how to replace them", async () => {
    const { rates, messages } = await ratesOf("live", {});
    expect(rates.map(({ service, sample, zone, billable_weight }) => [service, sample, zone, billable_weight])).toEqual(
      [
        ["standard", true, "8", 125],
        ["express", true, "8", 125],
        ["overnight", true, "8", 125],
      ],
    );
    expect(lineOf(rates[0], "declared_value")).toBe(3.75);
    expect(messages).toEqual([
      {
        carrier: "local",
        service: null,
        account_id: null,
        level: "warning",
        code: "sample_rates",
        message: expect.stringContaining("Create your own rate card, or connect a carrier account."),
      } as never,
    ]);
    const near = await ratesOf("live", { to_zip: "94105" });
    expect(priceOf(near, "local", "standard")).toBeLessThan(priceOf({ rates, messages }, "local", "standard"));
  });

  test("a live label at sample prices is marked until the card is replaced", async () => {
    const label = await live.label((await live.order()).id);
    expect(label.body.data).toMatchObject({ sample: true, warnings: [{ field: "cost", code: "sample_rates" }] });
    const cards = await app.get("/shipping/rate_cards?service=standard");
    const [{ id }] = cards.body.data;
    await app.patch(`/shipping/rate_cards/${id}`, { fuel_basis_points: 0 });
    const own = await live.label((await live.order()).id);
    expect(own.body.data).toMatchObject({ sample: false, warnings: [] });
    const { rates } = await ratesOf("live", { services: ["standard"] });
    expect(rates.map(({ sample }) => sample)).toEqual([false]);
  });

  test("a label for unreserved units has a warning with the reason", async () => {
    const { id } = await live.order(1001);
    const label = await live.label(id, { service: "express", reason: "Found behind the shelf" });
    expect([label.status, label.body.data.warnings]).toEqual([
      201,
      expect.arrayContaining([
        {
          field: "items",
          code: "not_reserved",
          message: expect.stringMatching(/^\d+ units of RICE-1KG are labeled but not reserved. Reason: Found behind/),
        },
      ]),
    ]);
  });
});

describe("refuses", () => {
  test.each([
    ["SIM-REFUSED", 422, "carrier_refused"],
    ["SIM-ERROR", 502, "carrier_error"],
  ])("a purchase to %s", async (word, status, code) => {
    for (const [carrier, service] of [
      ["sim", "standard"],
      ["sim_post", "ground"],
    ]) {
      const answer = await sim.label((await orderTo(word)).id, { carrier, service });
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    }
  });

  test("to void a label to SIM-VOID-REFUSED, and so to cancel its order", async () => {
    const { id } = await orderTo("SIM-VOID-REFUSED");
    const { label_id } = (await sim.label(id)).body.data;
    const gone = await app.call("POST", `/shipping/labels/${label_id}/void`, {}, { key: sim.key });
    expect([gone.status, gone.body.error.code]).toEqual([409, "label_not_voidable"]);
    const cancelled = await app.call("DELETE", `/orders/${id}?reason=customer`, undefined, { key: sim.key });
    expect([cancelled.status, cancelled.body.error.code]).toEqual([409, "label_not_voidable"]);
  });

  test("nothing in live data, where magic words have no meaning", async () => {
    expect((await live.label((await orderTo("SIM-REFUSED", live)).id)).status).toBe(201);
  });

  test("an unknown carrier and service, and names the existing ones", async () => {
    const { id } = await sim.order();
    const carrier = await sim.label(id, { carrier: "sim_pots" });
    expect(carrier.body.error.message).toContain("sim, sim_post, sim_express");
    const service = await sim.label(id, { carrier: "sim_post", service: "standard" });
    expect(service.body.error.details).toMatchObject([{ field: "service" }]);
  });
});

describe("the example address of a new installation", () => {
  test("sells no live label until it is replaced, and says how", async () => {
    const fresh = await openApp({ example_address: true });
    const shop = await parcelShopOn(fresh);
    const { id } = await shop.order();
    const refused = await shop.label(id);
    expect([refused.status, refused.body.error.details]).toMatchObject([
      422,
      [
        {
          field: "from_address",
          code: "example_address",
          message: expect.stringContaining("Set the warehouse's address"),
        },
      ],
    ]);
    expect(await fresh.takeEvents()).toEqual([]);
    const own = { name: "Dock", street1: "1 Pier", city: "Oakland", state: "CA", zip: "94607", country: "US" };
    expect((await shop.label(id, { from_address: own })).status).toBe(201);
    const [warehouse] = (await fresh.get("/inventory/locations")).body.data;
    expect(warehouse.example_address).toBe(true);
    const address = { address_line1: "55 Pine St", city: "Reno", state: "NV", postal_code: "89501", country: "US" };
    const saved = await fresh.patch(`/inventory/locations/${warehouse.warehouse_id}`, { name: "Reno", address });
    expect(saved.body.data).toMatchObject({ example_address: false, address: { name: "Reno", ...address } });
    expect((await shop.label((await shop.order()).id)).body.data.from_address.street1).toBe("55 Pine St");
    const renamed = await fresh.patch(`/inventory/locations/${warehouse.warehouse_id}`, { name: "Reno West" });
    expect(renamed.body.data).toMatchObject({ name: "Reno West", address: { name: "Reno West", ...address } });
  });

  test("sells labels in test data", async () => {
    const fresh = await openApp({ example_address: true });
    const shop = await parcelShopOn(fresh, "test");
    expect((await shop.label((await shop.order()).id)).status).toBe(201);
  });
});
