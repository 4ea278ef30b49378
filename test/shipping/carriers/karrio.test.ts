import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { addressPolicy, ranges } from "../../../src/outbound/destination.ts";
import { createOutbound } from "../../../src/outbound/outbound.ts";
import { carrierCallerBy } from "../../../src/shipping/carriers/call_carrier.ts";
import type { CarrierContext } from "../../../src/shipping/carriers/connector.ts";
import { karrio } from "../../../src/shipping/carriers/karrio.ts";
import { readWeight } from "../../../src/shipping/parcel.ts";
import { abroad, carriage, cheapest, endAt, endIn, openMeans, refusal } from "./carrier_setup.ts";
import { type KarrioMock, openKarrio } from "./karrio_mock.ts";
import { labelFiles } from "./label_bytes.ts";

setDefaultTimeout(30_000);
const means = openMeans(karrio);
let mock: KarrioMock;
let ctx: CarrierContext;

beforeAll(async () => {
  mock = await openKarrio();
  ctx = means.ctx({ api_key: mock.key, api_url: `${mock.url}/` });
});
afterEach(() => {
  mock.forgive();
  Object.assign(mock.settings, { refused: null, test_mode: true, sends_papers: false });
});
afterAll(() => {
  means.close();
  mock.stop();
});

const offers = (more = {}) => karrio.offers({ ...carriage, ...more }, ctx);
const bought = async (more: Partial<CarrierContext> = {}) => {
  const purchase = await karrio.buy(cheapest(await offers()), carriage, { ...ctx, ...more });
  if (purchase.state !== "bought") throw new Error(purchase.state);
  return purchase.bought;
};
const sent = () => JSON.parse(mock.asked.findLast(({ method }) => method === "POST")?.body ?? "null");

describe("rates", () => {
  test("are the carriers' rates in cents, with the messages of the others, and an unpaid draft", async () => {
    const { offers: found, messages } = await offers();
    expect(found.map(({ carrier, service, rate_cents }) => [carrier, service, rate_cents])).toEqual([
      ["usps", "usps_ground_advantage", 769],
      ["usps", "usps_priority_mail", 1072],
      ["canada_post", "canadapost_expedited_parcel_usa", 2742],
    ]);
    expect(found[0]).toMatchObject({
      carrier_name: "USPS",
      service_name: "USPS GROUND ADVANTAGE",
      cost_cents: 769,
      currency: "USD",
      zone: null,
      breakdown: [
        { code: "base", amount_cents: 732 },
        { code: "fuel", amount_cents: 37 },
      ],
      delivery_days: 3,
      delivery_date: Date.parse("2026-11-23"),
      ref: expect.stringMatching(/^shp_\d+\/rat_\d+$/),
    });
    expect(messages).toMatchObject([
      { carrier: "fedex", level: "error", code: "carrier_message", message: "The account is closed." },
    ]);
    expect(sent()).toEqual({
      shipper: {
        person_name: "Ada Lovelace",
        company_name: "Analytical Goods",
        address_line1: "388 Townsend St",
        address_line2: "Dock 2",
        city: "San Francisco",
        state_code: "CA",
        postal_code: "94107",
        country_code: "US",
        phone_number: "4155550100",
        residential: false,
      },
      recipient: {
        person_name: "Grace Hopper",
        address_line1: "179 N Harbor Dr",
        city: "Redondo Beach",
        state_code: "CA",
        postal_code: "90277",
        country_code: "US",
        residential: true,
      },
      parcels: [{ weight: 2, weight_unit: "LB", length: 10, width: 8, height: 4, dimension_unit: "IN" }],
      options: { currency: "USD" },
      reference: "R-1001",
      label_type: "PDF",
    });
    expect(mock.purchases).toEqual([]);
  });

  test.each([
    ["453.59237", "g", 453.5924],
    ["0.00001", "kg", 0.0001],
    ["1e2", "oz", 100],
  ] as const)("%s %s are told as %p: exact, or a little more", async (amount, unit, told) => {
    const dimensions = { length: 2.54, width: 10, height: 0.1, unit: "cm" } as const;
    await offers({ weight: readWeight(amount, unit), package: { weight: amount, weight_unit: unit, dimensions } });
    expect(sent().parcels).toEqual([
      { weight: told, weight_unit: unit.toUpperCase(), length: 2.54, width: 10, height: 0.1, dimension_unit: "CM" },
    ]);
    await offers({ package: { ...carriage.package, dimensions: null } });
    expect(sent().parcels).toEqual([{ weight: 2, weight_unit: "LB" }]);
  });

  test("include insurance on request, and its share of the price", async () => {
    await offers({ value_cents: 15_001 });
    expect(sent().options).toEqual({ currency: "USD", declared_value: 150.01 });
    const { offers: found } = await offers({ insurance: true, value_cents: 15_001, return: true });
    expect(sent().options).toEqual({ currency: "USD", declared_value: 150.01, insurance: 150.01, is_return: true });
    expect(found[0]).toMatchObject({
      rate_cents: 769 + 250,
      breakdown: [{}, {}, { code: "insurance", amount_cents: 250 }],
    });
  });

  test("for postal codes leave no draft, and buy nothing", async () => {
    const before = mock.shipments.size;
    const { offers: found } = await offers({ from: endIn("94107"), to: endIn("90277") });
    expect(found.map(({ ref }) => ref)).toEqual(["", "", ""]);
    expect(sent()).toMatchObject({ shipper: { country_code: "US", postal_code: "94107" } });
    expect(mock.shipments.size).toBe(before);
    for (const ref of ["", "shp_1", "shp_1/../../x"]) {
      expect(await refusal(karrio.buy(ref, carriage, ctx))).toMatchObject({ code: "carrier_refused", permanent: true });
    }
  });

  test("for international parcels declare the contents, or say that they are unknown", async () => {
    const named = { product_id: 1, sku: "TEA", description: "Tea", hs_code: "090230", country_of_origin: "LK" };
    const tea = { ...named, quantity: 2, value_cents: 4650, currency: "USD", weight: carriage.weight };
    const sold = await offers({ to: endAt(abroad), contents: [tea] });
    const weight = { weight: 453.5923, weight_unit: "G" };
    const value = { value_amount: 23.25, value_currency: "USD" };
    expect(sent().customs).toEqual({
      certify: true,
      signer: "Ada Lovelace",
      content_type: "merchandise",
      commercial_invoice: true,
      options: { eel_pfc: "NOEEI 30.36" },
      commodities: [{ title: "Tea", quantity: 2, hs_code: "090230", origin_country: "LK", ...weight, ...value }],
    });
    expect(await karrio.buy(cheapest(sold), carriage, ctx)).toMatchObject({
      bought: { documents: [{ kind: "label" }, { kind: "customs" }] },
    });
    const unclear = await offers({ to: endAt(abroad) });
    expect(unclear.messages).toMatchObject([{ code: "customs_incomplete" }, { carrier: "fedex" }]);
    expect(await refusal(karrio.buy(cheapest(unclear), carriage, ctx))).toMatchObject({
      code: "carrier_refused",
      message: expect.stringContaining("A customs declaration is required."),
    });
  });

  test("are empty if every carrier refuses, with their messages", async () => {
    mock.settings.refused = "Nobody goes there.";
    expect(await offers()).toMatchObject({
      offers: [],
      messages: [{ carrier: "fedex", message: "Nobody goes there." }],
    });
  });

  test.each([
    ["7.5", [], [["base", 750]]],
    [
      "7.585",
      [{ name: "Fuel surcharge", amount: 1.005 }],
      [
        ["base", 658],
        ["fuel", 101],
      ],
    ],
    [
      19.99,
      [{ name: "Discount", amount: -2.5 }],
      [
        ["base", 2249],
        ["discount", -250],
      ],
    ],
    [
      5,
      [
        { name: "Base charge", amount: 5 },
        { name: "Of which fuel", amount: 1 },
      ],
      [["base", 500]],
    ],
    [
      5,
      [
        { name: "", amount: 1 },
        { name: null, amount: null },
      ],
      [
        ["base", 400],
        ["charge", 100],
      ],
    ],
    [0, [], [["base", 0]]],
  ])("for %p with %j have these lines, which add up to the price", async (total_charge, extra_charges, lines) => {
    const rate = {
      id: "rat_1",
      carrier_name: "ups",
      service: "ups_ground",
      currency: "usd",
      total_charge,
      extra_charges,
    };
    mock.fail({ status: 201, body: { id: "shp_1", rates: [rate] } });
    const { offers: [offer] } = await offers(); // biome-ignore format: it is short
    expect(offer?.breakdown.map(({ code, amount_cents }) => [code, amount_cents])).toEqual(lines);
    expect(offer?.rate_cents).toBe(lines.reduce((sum, [, cents]) => sum + Number(cents), 0));
  });

  test.each([
    [{ total_charge: "1e3" }, "rates[0].total_charge must be an amount"],
    [{ total_charge: -1 }, "rates[0].total_charge must not be below zero"],
    [{ total_charge: null }, "rates[0].total_charge"],
    [{ currency: "dollars" }, "rates[0].currency"],
    [{ service: null }, "rates[0].service must be a text"],
    [{ id: undefined }, "rates[0].id must be a text"],
  ])("with %j are refused by name", async (wrong, words) => {
    const rate = {
      id: "rat_1",
      carrier_name: "ups",
      service: "ups_ground",
      currency: "USD",
      total_charge: 1,
      ...wrong,
    };
    mock.fail({ status: 201, body: { id: "shp_1", rates: [rate] } });
    const said = await refusal(offers());
    expect(said).toMatchObject({ code: "carrier_error", permanent: true, message: expect.stringContaining(words) });
  });
});

describe("a purchase", () => {
  test("is one label with its document, and can be refunded", async () => {
    const before = mock.purchases.length;
    const ref = cheapest(await offers());
    const purchase = await karrio.buy(ref, carriage, ctx);
    expect(mock.purchases.slice(before)).toEqual([ref.split("/")[1] ?? ""]);
    expect(purchase).toMatchObject({
      state: "bought",
      bought: {
        tracking_number: expect.stringMatching(/^KR\d{12}$/),
        tracking_url: null,
        cost_cents: 769,
        currency: "USD",
        carrier_ref: ref.split("/")[0],
        tracker_ref: expect.stringMatching(/^trk_/),
        documents: [{ kind: "label", content_type: "application/pdf" }],
        estimated_delivery: Date.parse("2026-11-23"),
      },
    });
    const { documents: [label] = [], carrier_ref = "" } = purchase.state === "bought" ? purchase.bought : {};
    expect(Buffer.from(label?.bytes ?? []).equals(labelFiles["pdf"]?.bytes ?? Buffer.of())).toBe(true);
    expect(await karrio.find(ref, ctx)).toEqual(purchase);
    // A second attempt gives the first purchase, whatever became of its response.
    expect(await karrio.buy(ref, carriage, ctx)).toEqual(purchase);
    expect(mock.purchases.length).toBe(before + 1);
    expect(await karrio.void?.(carrier_ref, ctx)).toBe("voided");
    expect(await karrio.void?.(carrier_ref, ctx)).toBe("voided");
    mock.settings.cancels_once = true;
    expect(await karrio.void?.(carrier_ref, ctx)).toBe("voided");
    mock.settings.cancels_once = false;
    expect(await karrio.find(ref, ctx)).toEqual({ state: "not_bought" });
    expect(await refusal(karrio.buy(ref, carriage, ctx))).toMatchObject({ code: "carrier_refused" });
  });

  test("cannot be refunded once it is in transit or the carrier refuses", async () => {
    const { carrier_ref } = await bought();
    mock.settings.refused = "The label is in use.";
    expect(await refusal(Promise.resolve(karrio.void?.(carrier_ref, ctx)))).toMatchObject({
      code: "carrier_refused",
      message: expect.stringContaining("The label is in use."),
    });
    Object.assign(mock.shipments.get(carrier_ref) ?? {}, { status: "delivered" });
    expect(await karrio.void?.(carrier_ref, ctx)).toBe("rejected");
    const unknown = await refusal(Promise.resolve(karrio.void?.("shp_unknown", ctx)));
    expect(unknown).toMatchObject({ code: "carrier_error", permanent: true });
  });

  test.each([
    ["png", "image/png"],
    ["ZPL", "application/zpl"],
  ])("prints as %s if the account is set so, included or fetched", async (label_format, content_type) => {
    const credentials = { ...ctx.credentials, label_format };
    const fetched = await bought({ credentials });
    mock.settings.sends_papers = true;
    const files = () => mock.asked.filter(({ path }) => path.includes("/label.")).length;
    const before = files();
    const along = await bought({ credentials });
    expect(files()).toBe(before);
    for (const { documents } of [fetched, along]) {
      expect(documents).toEqual([{ kind: "label", content_type, bytes: expect.anything() } as never]);
      const bytes = labelFiles[label_format.toLowerCase()]?.bytes ?? Buffer.of();
      expect(Buffer.from(documents[0]?.bytes ?? []).equals(bytes)).toBe(true);
    }
  });

  test("of another Karrio or account cannot be distinguished from others", async () => {
    const said = await refusal(karrio.find("shp_unknown/rat_1", ctx));
    expect(said).toMatchObject({ code: "carrier_error", permanent: false });
  });

  const carrier = { carrier_name: "usps", code: "80040B1A", message: "The address is not served." };
  test.each([
    [
      { status: 402, body: { errors: [{ message: "No funds." }] } },
      { code: "carrier_refused", message: "Karrio answered 402, payment is required. Its message: No funds." },
    ],
    [{ status: 422 }, { code: "carrier_refused", permanent: true }],
    [
      { status: 424, body: { messages: [carrier] } },
      { code: "carrier_refused", message: expect.stringContaining("The address is not served.") },
    ],
    [
      { status: 400, body: { errors: [{ code: "validation", details: { recipient: { city: ["Too long."] } } }] } },
      { code: "carrier_refused", message: expect.stringContaining('{"recipient":{"city":["Too long."]}}') },
    ],
    [
      { status: 401, body: { errors: [{ message: "Invalid token." }] } },
      { code: "carrier_unauthorized", permanent: true },
    ],
    [{ status: 403 }, { code: "carrier_unauthorized", permanent: true }],
    [
      { status: 302, headers: { Location: "http://169.254.169.254/" } },
      { code: "carrier_error", permanent: true },
    ],
    [{ status: 200, body: { id: "shp_1", status: "purchased", tracking_number: "KR1" } }, { code: "carrier_timeout" }],
    [{ status: 200, body: { id: "shp_1", status: "purchased" } }, { code: "carrier_timeout" }],
    [
      { status: 200, body: "[".padEnd(11 << 20, "1,") },
      { code: "carrier_timeout", message: "Karrio answered with more than 10 MiB." },
    ],
  ])("with the response %j is %j", async (trouble, said) => {
    const ref = cheapest(await offers());
    mock.fail(trouble, { having: "/purchase" });
    expect(await refusal(karrio.buy(ref, carriage, ctx))).toMatchObject(said);
  });
});

describe("an account", () => {
  test("is tested by its carriers, each once", async () => {
    const [usps, canada_post, ...others] = await karrio.check(ctx);
    expect(others).toEqual([]);
    expect(usps).toEqual({
      code: "usps",
      name: "USPS",
      services: [
        { code: "usps_ground_advantage", name: "Ground Advantage" },
        { code: "usps_priority_mail", name: "Priority Mail" },
      ],
    });
    expect(canada_post).toMatchObject({
      code: "canada_post",
      name: "Canada Post",
      services: [{ code: "canadapost_expedited_parcel_usa", name: "Expedited Parcel Usa" }],
    });
    expect(karrio.credentials.map(({ name, secret, required }) => [name, secret, required])).toEqual([
      ["api_url", false, true],
      ["api_key", true, true],
      ["label_format", false, false],
    ]);
  });

  test("with a wrong, missing or live key in test is refused, and no key is shown", async () => {
    const wrong = { api_key: "key_wrong_and_secret", api_url: mock.url };
    mock.fail({ status: 401, body: { errors: [{ message: "No token key_wrong_and_secret." }] } });
    const refused = await refusal(karrio.check(means.ctx(wrong)));
    expect(refused).toMatchObject({ code: "carrier_unauthorized", message: expect.stringContaining("No token ….") });
    expect(await refusal(karrio.check(means.ctx(wrong)))).toMatchObject({ code: "carrier_unauthorized" });
    for (const lacking of [{ api_url: mock.url }, { api_key: mock.key }]) {
      expect(await refusal(karrio.check(means.ctx(lacking)))).toMatchObject({ code: "carrier_unauthorized" });
    }
    mock.settings.test_mode = false;
    for (const asking of [karrio.check, (one: CarrierContext) => karrio.offers(carriage, one)]) {
      expect(await refusal(asking(ctx))).toMatchObject({ code: "carrier_unauthorized" });
      expect(await asking(means.ctx(ctx.credentials, "live"))).toBeDefined();
    }
    const echo = { carrier_name: "ups", code: "1", message: `The key ${mock.key} is odd.` };
    mock.fail({ status: 424, body: { messages: [echo] } });
    expect((await offers()).messages[0]?.message).toBe("The key … is odd.");
  });

  test("at a private address is reached only if the operator allowed its range", async () => {
    const deadlines = { connect_ms: 4000, headers_ms: 4000, body_ms: 4000 };
    const settings = { loopback_receivers: false, webhook_allow_cidrs: [], merchant_allow_cidrs: [] };
    const shut = addressPolicy(settings, "test", "operator");
    const before = mock.asked.length;
    for (const [openings, reached] of [
      [[], false],
      [["10.0.0.0/8"], false],
      [["127.0.0.0/8"], true],
    ] as const) {
      const outbound = createOutbound({ policy: { ...shut, openings: ranges(openings) }, deadlines });
      const own = { ...ctx, ...carrierCallerBy(outbound, karrio.name) };
      if (reached) expect(await karrio.check(own)).toHaveLength(2);
      else expect(await refusal(karrio.check(own))).toMatchObject({ code: "carrier_error", permanent: true });
      outbound.close();
    }
    expect(mock.asked.length).toBe(before + 3);
  });
});
