// Rates of several carriers, and of orders.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { Fault } from "../../../src/core/faults.ts";
import { overrideCarriers } from "../../../src/shipping/carriers/connectors.ts";
import type { ShipmentRequest } from "../../../src/shipping/offer.ts";
import type { RateQuote } from "../../../src/shipping/rates/quote.ts";
import { findQuote } from "../../../src/shipping/rates/quotes.sql.ts";
import { openApp } from "../../build/service.ts";
import { fieldsOf, parcelShopOn } from "../../build/shop.ts";
import { type Fake, fakeCarrier, fakeOffer } from "../carriers/fake_carrier.ts";

setDefaultTimeout(60_000);

const fakes = {
  swift: fakeCarrier("swift"),
  steady: fakeCarrier("steady"),
  hung: fakeCarrier("hung"),
  down: fakeCarrier("down"),
};
const accounts: Record<string, string> = {};
const wait_ms = 300;

const app = await openApp();
const connectors = Object.fromEntries(Object.entries(fakes).map(([code, { connector }]) => [code, connector]));
overrideCarriers(app.service, connectors, wait_ms);
fakes.swift.offers = async () => ({
  offers: [fakeOffer({ rate_cents: 700 }), fakeOffer({ rate_cents: 300, currency: "EUR", service: "post" })],
  messages: [{ carrier: "swift", service: "air", level: "info", code: "too_big_for_air", message: "Not by air." }],
});
fakes.steady.offers = async () => ({ offers: [fakeOffer({ rate_cents: 1200, carrier: "steady" })], messages: [] });
fakes.hung.offers = () => new Promise(() => {});
fakes.down.offers = async () => {
  throw new Fault("carrier_error", "The fake with the key down-key-1 is out of order.");
};

async function add(connector: string) {
  const body = { connector, name: `Our ${connector}`, credentials: { api_key: `${connector}-key-1` } };
  accounts[connector] = (await app.post("/shipping/carrier_accounts", body)).body.data.id;
  return accounts[connector];
}

const asked = { from_zip: "43215", to_zip: "90210", weight: 2.5, weight_unit: "lbs" };
const ratesOf = (fields: object = {}) => app.create("/shipping/rates", { ...asked, ...fields });
type Rate = { carrier: string; rate: number; currency: string; account_id: string | null; quote_id: string };
const named = (rates: Rate[]) => rates.map(({ carrier, rate, currency }) => `${carrier} ${rate} ${currency}`);
/** A quote as it is stored. */
async function quoteOf({ quote_id }: Rate): Promise<RateQuote> {
  const quote = await app.service.stores.live.read((db) => findQuote(db, quote_id));
  if (quote === null) throw new Error("a quote is stored");
  return quote;
}
const problem = async (fields: object) => fieldsOf(await app.post("/shipping/rates", fields));

describe("several carriers", () => {
  test("are called in parallel: the cheapest is first, and hanging or failing ones have a message", async () => {
    for (const connector of Object.keys(fakes)) await add(connector);
    const data = await ratesOf();
    expect(named(data.rates)).toEqual([
      "swift 7 USD",
      "steady 12 USD",
      "local 15.67 USD",
      "local 40.54 USD",
      "local 70.38 USD",
      "swift 3 EUR",
    ]);
    expect(data.rates[0]).toMatchObject({ account_id: accounts["swift"], expires_at: "2026-01-02T03:19:05.000Z" });
    const told = data.messages.map(({ message: _, ...said }: { message: string }) => said);
    const of = (connector: string, fields: object) => ({
      carrier: connector,
      account_id: accounts[connector],
      ...fields,
    });
    const samples = { code: "sample_rates", level: "warning", service: null };
    expect(told).toEqual([
      { carrier: "local", account_id: null, ...samples },
      of("swift", { service: "air", level: "info", code: "too_big_for_air" }),
      of("hung", { service: null, level: "error", code: "carrier_timeout" }),
      of("down", { service: null, level: "error", code: "carrier_error" }),
    ]);
    expect(data.messages[3].message).toBe("The fake with the key … is out of order.");
    expect(data.parcel).toEqual({ weight: 2.5, weight_unit: "lb", dimensions: null });
    expect(new Set(data.rates.map(({ quote_id }: Rate) => quote_id)).size).toBe(6);
    expect(await quoteOf(data.rates[0])).toMatchObject({
      account_id: Number(accounts["swift"]?.slice(4)),
      offer: { rate_cents: 700 },
    });
    expect(await quoteOf(data.rates[2])).toMatchObject({
      account_id: null,
      offer: { carrier: "local", service: "standard" },
    });
    // Merchants see neither the accounts nor their carriers' messages to the operator.
    const { key } = (await app.post("/keys", { name: "shop", permission: "full", merchant_id: "MAIN" })).body.data;
    const seen = (await app.call("POST", "/shipping/rates", asked, { key })).body.data;
    expect(named(seen.rates)).toEqual(named(data.rates));
    const messages = seen.messages.map(({ code, message }: Record<string, string>) => [code, message]);
    expect(messages).toEqual([
      ["sample_rates", expect.any(String)],
      ["too_big_for_air", "Not by air."],
      ["carrier_timeout", "hung has no rate for this parcel right now."],
      ["carrier_error", "down has no rate for this parcel right now."],
    ]);
    const carriers = (await app.call("GET", "/shipping/carriers", undefined, { key })).body.data;
    expect(JSON.stringify([seen, carriers])).not.toMatch(/Our |"account_id":"/);
    const follow = { tracking_number: "1Z999AA10123456784", account_id: accounts["swift"] };
    const refused = await app.call("POST", "/tracking", follow, { key });
    const unknown = await app.call("POST", "/tracking", { ...follow, account_id: "cac_999999" }, { key });
    expect([refused.status, refused.body.error.details]).toEqual([422, unknown.body.error.details]);
    await app.call("DELETE", `/shipping/carrier_accounts/${accounts["hung"]}`);
    await app.call("DELETE", `/shipping/carrier_accounts/${accounts["down"]}`);
  });

  test("other requests are served during the calls", async () => {
    const { offers } = fakes.steady;
    fakes.steady.offers = async (...question) => {
      await app.product("MEANWHILE");
      return offers(...question);
    };
    expect(named((await ratesOf()).rates)).toContain("steady 12 USD");
    fakes.steady.offers = offers;
  });

  test("are listed once they were tested; a filter calls no others, and refuses unknown services", async () => {
    // As long as an account's services are unknown, it may sell anything.
    expect((await ratesOf({ carriers: ["nobody"] })).rates).toEqual([]);
    fakes.steady.check = async () => [
      { code: "steady", name: "Steady", services: [{ code: "ground", name: "By land" }] },
    ];
    for (const connector of ["swift", "steady"])
      await app.post(`/shipping/carrier_accounts/${accounts[connector]}/test`);
    const { carriers } = (await app.get("/shipping/carriers")).body.data;
    expect(carriers.slice(1)).toEqual([
      {
        code: "swift",
        name: "Swift Parcel",
        services: ["ground", "air"],
        connector: "swift",
        service_names: { ground: "Swift Ground", air: "Swift Air" },
        account_id: accounts["swift"],
      },
      {
        code: "steady",
        name: "Steady",
        services: ["ground"],
        connector: "steady",
        service_names: { ground: "By land" },
        account_id: accounts["steady"],
      },
    ]);
    const before = fakes.swift.asked.length;
    expect(named((await ratesOf({ carriers: ["steady"] })).rates)).toEqual(["steady 12 USD"]);
    expect(fakes.swift.asked.length).toBe(before);
    expect(named((await ratesOf({ services: ["ground", "express"] })).rates)).toEqual([
      "swift 7 USD",
      "steady 12 USD",
      "local 40.54 USD",
    ]);
    expect(named((await ratesOf({ carriers: ["local"], services: ["overnight"] })).rates)).toEqual(["local 70.38 USD"]);
    const unknown = await app.post("/shipping/rates", { ...asked, carriers: ["local", "stedy"], services: ["grond"] });
    expect([unknown.status, fieldsOf(unknown)]).toEqual([422, ["carriers[1]"]]);
    expect(unknown.body.error.details[0].message).toContain("did you mean steady?");
    expect(await problem({ ...asked, services: ["grond"] })).toEqual(["services[0]"]);
  });

  test("of the other environment, paused ones, and those without rates are not called", async () => {
    const { key } = { key: app.keys.test.full };
    const sim = await app.call("POST", "/shipping/rates", asked, { key });
    expect(new Set(sim.body.data.rates.map(({ carrier }: Rate) => carrier))).toEqual(
      new Set(["sim", "sim_post", "sim_express"]),
    );
    await app.patch(`/shipping/carrier_accounts/${accounts["swift"]}`, { status: "paused" });
    expect(named((await ratesOf()).rates)).not.toContain("swift 7 USD");
    await app.patch(`/shipping/carrier_accounts/${accounts["swift"]}`, { status: "active" });
    const { connector } = fakes.swift;
    const only_tracks = { ...connector, capabilities: new Set(["tracking"] as const) };
    overrideCarriers(app.service, { swift: only_tracks, steady: fakes.steady.connector }, wait_ms);
    expect(named((await ratesOf()).rates)).not.toContain("swift 7 USD");
    overrideCarriers(app.service, { swift: connector, steady: fakes.steady.connector }, wait_ms);
  });
});

describe("the request to carriers", () => {
  /** The requests that a carrier got. */
  async function carriageOf(fields: object, fake: Fake = fakes.steady): Promise<ShipmentRequest> {
    const { offers } = fake;
    let seen: ShipmentRequest | null = null;
    fake.offers = async (carriage, ctx) => {
      seen = carriage;
      return offers(carriage, ctx);
    };
    await app.post("/shipping/rates", fields);
    fake.offers = offers;
    if (seen === null) throw new Error("the carrier was not asked");
    return seen;
  }
  const home = { name: "Ada Marsh", street1: "1 Quay St", city: "Portland", state: "OR", zip: "97201", country: "US" };

  test("contains countries inferred from postal codes, and all other fields unchanged", async () => {
    const dimensions = { length: 10, width: 8, height: 4, unit: "cm" };
    const all = { dimensions, value: "50.10", insurance: true, residential: true, weight: "2.50" };
    const carriage = await carriageOf({ ...asked, ...all, to_zip: "K1A 0B1" });
    expect(carriage).toMatchObject({
      from: { country: "US", postal_code: "43215", address: null },
      to: { country: "CA", postal_code: "K1A 0B1", residential: true },
      package: { weight: "2.50", weight_unit: "lb", dimensions },
      value_cents: 5010,
      insurance: true,
      return: false,
      reference: null,
    });
    expect(await carriageOf({ ...asked, from_zip: undefined, from_address: home })).toMatchObject({
      from: { country: "US", postal_code: "97201", state: "OR", city: "Portland", address: { name: "Ada Marsh" } },
    });
  });

  test("for an order has its warehouse, its address and the weight of units in no parcel", async () => {
    const shop = await parcelShopOn(app);
    const [first] = (await app.get("/inventory/locations")).body.data;
    const heavy = await app.post("/products", {
      sku: "OIL-3",
      name: "Oil, three bottles",
      weight: 0.3,
      weight_unit: "lb",
      customs: { hs_code: "150910", country_of_origin: "IT", description: "Olive oil" },
    });
    await app.stock("OIL-3", 50);
    const { customer_id, shipping_address_id } = shop.draft();
    const order = async (lines: object[]) => {
      const { order_number } = shop.draft();
      const body = { order_number, customer_id, shipping_address_id, line_items: lines };
      return (await app.post("/orders", body)).body.data;
    };
    const oil = { product_id: heavy.body.data.id, quantity: 3, unit_price: "4.00" };
    const made = await order([oil]);
    const data = (await app.post("/shipping/rates", { order_id: made.id })).body.data;
    expect(data.parcel).toEqual({ weight: 0.9, weight_unit: "lb", dimensions: null });
    const carriage = await carriageOf({ order_id: made.order_number, residential: true });
    expect(carriage).toMatchObject({
      from: { country: first.address.country, address: { name: first.address.name } },
      to: { postal_code: "90210", state: "CA", residential: true, address: { name: "Jordan Avery" } },
      package: { weight: "0.9", weight_unit: "lb" },
      reference: made.order_number,
      value_cents: null,
      contents: [
        { description: "Olive oil", quantity: 3, value_cents: 1200, hs_code: "150910", country_of_origin: "IT" },
      ],
    });
    expect((await quoteOf(data.rates[0])).order_id).toBe(Number(made.id.slice(4)));
    // Units in a parcel are not weighed again; once all are, the rest of the order is.
    const label = { order_id: made.id, carrier: "local", service: "standard", package: { weight: 1 } };
    await app.post("/shipping/labels", { ...label, items: [{ sku: "OIL-3", quantity: 2 }] });
    expect((await ratesOf({ ...nothing, order_id: made.id })).parcel.weight).toBe(0.3);
    await app.post("/shipping/labels", label);
    expect((await ratesOf({ ...nothing, order_id: made.id })).parcel.weight).toBe(0.9);
    // An address and a weight in the request take precedence.
    const given = { order_id: made.id, to_address: home, weight: 3, weight_unit: "kg" };
    expect(await carriageOf(given)).toMatchObject({ to: { postal_code: "97201" }, package: { weight_unit: "kg" } });
    const mixed = await order([oil, { sku: "RICE-1KG", quantity: 1, unit_price: "1.00" }]);
    expect(await problem({ order_id: mixed.id })).toEqual(["weight"]);
    await app.patch(`/products/${(await app.get("/products?sku=RICE-1KG")).body.data[0].id}`, {
      weight: 1,
      weight_unit: "kg",
    });
    const both = await ratesOf({ ...nothing, order_id: mixed.id });
    expect(both.parcel).toMatchObject({ weight: 1408.233133, weight_unit: "g" });
    await app.call("DELETE", `/orders/${mixed.id}`);
    expect(await problem({ order_id: mixed.id })).toEqual(["order_id"]);
  });

  test("a bundle has its own weight, otherwise that of its components", async () => {
    const shop = await openShopOfBundles();
    expect((await ratesOf({ ...nothing, order_id: shop.order_id })).parcel).toMatchObject({
      weight: 10,
      weight_unit: "oz",
    });
    await app.patch(`/products/${shop.bundle_id}`, { weight: 0.5, weight_unit: "lb" });
    expect((await ratesOf({ ...nothing, order_id: shop.order_id })).parcel).toMatchObject({
      weight: 453.59237,
      weight_unit: "g",
    });
  });

  async function openShopOfBundles() {
    const customer = (await app.get("/customers")).body.data[0];
    const part = await app.post("/products", { sku: "CUP", name: "Cup", weight: 2.5, weight_unit: "oz" });
    expect(part.status).toBe(201);
    const components = [{ sku: "CUP", quantity: 2 }];
    const bundle = await app.post("/products", { sku: "CUPS", name: "Cups", type: "bundle", components });
    await app.stock("CUP", 10);
    const address = (await app.get(`/customers/${customer.id}`)).body.shipping_addresses[0];
    const body = { order_number: "CUPS-1", customer_id: customer.id, shipping_address_id: address.id };
    const line_items = [{ sku: "CUPS", quantity: 2, unit_price: "9.00" }];
    const order = await app.post("/orders", { ...body, line_items });
    return { order_id: order.body.data.id, bundle_id: bundle.body.data.id };
  }

  const nothing = { from_zip: undefined, to_zip: undefined, weight: undefined, weight_unit: undefined };

  test.each([
    ["nothing", {}, ["from_zip", "to_zip"]],
    ["no weight", { ...asked, weight: undefined }, ["weight"]],
    ["a place given twice", { ...asked, to_address: home }, ["to_zip"]],
    ["a postal code beside an order", { ...asked, order_id: "ord_1" }, ["from_zip", "to_zip"]],
    [
      "a country of no postal code",
      { ...asked, to_zip: undefined, to_address: home, to_country: "US" },
      ["to_country"],
    ],
    [
      "an address without a state",
      { ...asked, to_zip: undefined, to_address: { ...home, state: null } },
      ["to_address.state"],
    ],
    ["sides without a unit", { ...asked, dimensions: { length: 1, width: 1, height: 1 } }, ["dimensions.unit"]],
    [
      "a side of nothing",
      { ...asked, dimensions: { length: 0, width: 1, height: 1, unit: "in" } },
      ["dimensions.length"],
    ],
    ["a value with three decimals", { ...asked, value: 1.005 }, ["value"]],
    ["no carriers", { ...asked, carriers: [] }, ["carriers"]],
  ])("is refused with %s", async (_, fields, expected) => {
    expect(await problem(fields)).toEqual(expected);
  });

  test("is refused for an unknown order", async () => {
    const answer = await app.post("/shipping/rates", { order_id: "ord_999" });
    expect([answer.status, answer.body.error.code]).toEqual([404, "resource_missing"]);
  });
});
