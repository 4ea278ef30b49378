import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { CarrierContext } from "../../../src/shipping/carriers/connector.ts";
import { easypost } from "../../../src/shipping/carriers/easypost.ts";
import { readWeight } from "../../../src/shipping/parcel.ts";
import { abroad, at, carriage, cheapest, endAt, endIn, openMeans, refusal } from "./carrier_setup.ts";
import { type EasyPostMock, openEasyPost, uspsNumber } from "./easypost_mock.ts";
import { labelFiles } from "./label_bytes.ts";

setDefaultTimeout(30_000);
const means = openMeans(easypost);
let mock: EasyPostMock;
let ctx: CarrierContext;

beforeAll(async () => {
  mock = await openEasyPost({ now: () => at });
  ctx = means.ctx({ api_key: mock.key, api_url: mock.url });
});
afterEach(() => mock.forgive());
afterAll(() => {
  means.close();
  mock.stop();
});

const offers = (more = {}) => easypost.offers({ ...carriage, ...more }, ctx);
const sent = () => JSON.parse(mock.asked.findLast(({ method }) => method === "POST")?.body ?? "null");

describe("rates", () => {
  test("are the carriers' rates in cents, with the messages of the others", async () => {
    const { offers: found, messages } = await offers();
    expect(found.map(({ carrier, service, rate_cents }) => [carrier, service, rate_cents])).toEqual([
      ["usps", "GroundAdvantage", 704],
      ["usps", "Priority", 1047],
      ["usps", "Express", 3925],
    ]);
    expect(found[0]).toMatchObject({
      carrier_name: "USPS",
      service_name: "Ground Advantage",
      cost_cents: 704,
      currency: "USD",
      zone: "8",
      breakdown: [{ code: "base", amount_cents: 704 }],
      delivery_days: 3,
      delivery_date: null,
      ref: expect.stringMatching(/^shp_\w+\/rate_\w+$/),
    });
    expect(messages).toEqual([
      { carrier: "fedex", service: null, level: "error", code: "carrier_error", message: "Shipper is not registered" },
    ]);
    expect(sent().shipment).toMatchObject({
      parcel: { weight: 32, length: 10, width: 8, height: 4 },
      from_address: { company: "Analytical Goods", street2: "Dock 2", residential: false },
      to_address: { name: "Grace Hopper", street1: "179 N Harbor Dr", zip: "90277", residential: true },
      options: { label_format: "PDF", print_custom_1: "R-1001" },
      reference: "R-1001",
    });
  });

  test.each([
    ["0.45359237", "kg", 16],
    ["453.6", "g", 16.1],
    ["1.01", "oz", 1.1],
    ["3", "oz", 3],
  ] as const)("%s %s are %d ounces: exact, or a little more", async (amount, unit, ounces) => {
    const weight = readWeight(amount, unit);
    const dimensions = { length: 2.54, width: 25.5, height: 0.1, unit: "cm" } as const;
    await offers({ weight, package: { weight: amount, weight_unit: unit, dimensions } });
    expect(sent().shipment.parcel).toEqual({ weight: ounces, length: 1, width: 10.1, height: 0.1 });
  });

  test("for postal codes leave no trace, and buy nothing", async () => {
    const kept = mock.shipments.size;
    const { offers: found } = await offers({ from: endIn("94107"), to: endIn("90277") });
    expect(found.map(({ rate_cents, ref }) => [rate_cents, ref])).toEqual([
      [704, ""],
      [1047, ""],
      [3925, ""],
    ]);
    expect(mock.shipments.size).toBe(kept);
    expect(await refusal(easypost.buy("", carriage, ctx))).toMatchObject({ code: "carrier_refused", permanent: true });
  });
});

describe("international", () => {
  const contents = [
    {
      product_id: 1,
      sku: "TEA",
      description: "Tea",
      quantity: 2,
      value_cents: 4650,
      currency: "USD",
      weight: readWeight("30.96", "oz"),
      hs_code: "090230",
      country_of_origin: "LK",
    },
  ];

  test("customs get the contents of the parcel", async () => {
    const sold = await offers({ to: endAt(abroad), contents });
    expect(sent().shipment.customs_info).toEqual({
      customs_certify: true,
      customs_signer: "Ada Lovelace",
      eel_pfc: "NOEEI 30.36",
      contents_type: "merchandise",
      restriction_type: "none",
      non_delivery_option: "return",
      customs_items: [
        {
          description: "Tea",
          quantity: 2,
          value: 46.5,
          currency: "USD",
          weight: 30.9,
          origin_country: "LK",
          hs_tariff_number: "090230",
        },
      ],
    });
    expect(sold.offers).toMatchObject([{ carrier: "dhl_express", service_name: "Express Worldwide", zone: null }]);
    expect(await easypost.buy(cheapest(sold), carriage, ctx)).toMatchObject({ state: "bought" });
  });

  test("values are in the order's currency; without contents the rates say that they are missing", async () => {
    const in_yen = contents.map((one) => ({ ...one, currency: "JPY" }));
    await offers({ to: endAt(abroad), contents: in_yen, return: true });
    expect(sent().shipment.customs_info).toMatchObject({
      contents_type: "returned_goods",
      customs_items: [{ value: 4650, currency: "JPY" }],
    });
    const { messages, ...sold } = await offers({ to: endAt(abroad), value_cents: 1999 });
    expect(sent().shipment.customs_info).toBeUndefined();
    expect(messages).toMatchObject([{ code: "customs_incomplete", level: "warning" }, { carrier: "fedex" }]);
    expect(await refusal(easypost.buy(cheapest({ ...sold, messages }), carriage, ctx))).toMatchObject({
      code: "carrier_refused",
      message: "EasyPost refused the purchase: Customs info is required.",
    });
  });
});

describe("a purchase", () => {
  test("is one label with its document, and can be refunded", async () => {
    const before = mock.purchases.length;
    const ref = cheapest(await offers());
    const purchase = await easypost.buy(ref, carriage, ctx);
    const [shipment_id = "", rate_id = ""] = ref.split("/");
    expect(mock.purchases.slice(before)).toEqual([{ shipment_id, rate_id, reference: "R-1001" }]);
    expect(purchase).toEqual({
      state: "bought",
      bought: {
        tracking_number: uspsNumber(before + 1),
        tracking_url: expect.stringContaining("track.easypost.com"),
        cost_cents: 704,
        currency: "USD",
        carrier_ref: shipment_id,
        tracker_ref: expect.stringMatching(/^trk_/),
        estimated_delivery: null,
        documents: [{ kind: "label", content_type: "application/pdf", bytes: expect.anything() }],
      },
    });
    const [label] = purchase.state === "bought" ? purchase.bought.documents : [];
    expect(Buffer.from(label?.bytes ?? []).equals(labelFiles["pdf"]?.bytes ?? Buffer.of())).toBe(true);
    expect(await easypost.find(ref, ctx)).toEqual(purchase);
    expect(await easypost.void?.(shipment_id, ctx)).toBe("submitted");
    expect(await easypost.void?.(shipment_id, ctx)).toBe("submitted");
    for (const [status, means_here] of [
      ["refunded", "voided"],
      ["rejected", "rejected"],
    ] as const) {
      Object.assign(mock.shipments.get(shipment_id) ?? {}, { refund_status: status });
      expect(await easypost.void?.(shipment_id, ctx)).toBe(means_here);
    }
  });

  test("supports no other format", async () => {
    const odd = means.ctx({ ...ctx.credentials, label_format: "EPL2" });
    for (const refused of [easypost.offers(carriage, odd), easypost.check(odd)]) {
      expect(await refusal(refused)).toMatchObject({ code: "carrier_refused" });
    }
  });

  test("can be insured, and the fee is part of the cost", async () => {
    const insured = { insurance: true, value_cents: 25_000 };
    const sold = await offers(insured);
    expect(sold.messages).toMatchObject([{ code: "insurance_charged_beside", level: "info" }, { carrier: "fedex" }]);
    const purchase = await easypost.buy(cheapest(sold), { ...carriage, ...insured }, ctx);
    expect(sent()).toMatchObject({ insurance: "250.00" });
    expect(purchase).toMatchObject({ bought: { cost_cents: 704 + 250 } });
  });

  test("links to no page that a browser must not open", async () => {
    const ref = cheapest(await offers());
    expect(await easypost.buy(ref, carriage, ctx)).toMatchObject({
      bought: { tracking_url: expect.stringMatching(/^https:/) },
    });
    const [shipment] = [...mock.shipments.values()].slice(-1);
    for (const public_url of ["javascript:alert(1)", "data:text/html,1", "/track", 7]) {
      mock.fail({ status: 200, body: { ...shipment, tracker: { public_url } } }, { method: "GET" });
      expect(await easypost.find(ref, ctx)).toMatchObject({ bought: { tracking_url: null } });
    }
  });

  const said = (code: string) => ({ status: 422, body: { error: { code, message: "Odd.", errors: [] } } });
  test.each([
    [said("SHIPMENT.POSTAGE.TIMED_OUT"), { code: "carrier_timeout", permanent: false }],
    [said("SHIPMENT.POSTAGE.NO_RESPONSE"), { code: "carrier_timeout", permanent: false }],
    [
      said("SHIPMENT.POSTAGE.FAILURE"),
      { code: "carrier_refused", permanent: true, message: expect.stringContaining("Odd.") },
    ],
    [{ status: 200, body: { id: "shp_1", tracking_code: "9", selected_rate: {} } }, { code: "carrier_timeout" }],
  ])("with the response %j is %j", async (trouble, told) => {
    const ref = cheapest(await offers());
    mock.fail(trouble, { having: "/buy" });
    expect(await refusal(easypost.buy(ref, carriage, ctx))).toMatchObject(told);
  });

  test("is not considered missing if no shipment is returned", async () => {
    const ref = cheapest(await offers());
    for (const body of [{}, [], "null"]) {
      mock.fail({ status: 200, body }, { having: "/shipments/", times: 2 });
      expect(await refusal(easypost.buy(ref, carriage, ctx))).toMatchObject({ code: "carrier_timeout" });
      expect(await refusal(easypost.find(ref, ctx))).toMatchObject({ code: "carrier_timeout" });
    }
    mock.fail({ status: 200, body: { id: ref.split("/")[0], postage_label: null } }, { having: "/buy" });
    expect(await easypost.buy(ref, carriage, ctx)).toEqual({ state: "waiting" });
  });

  test("in progress is awaited, and so is a label that is not ready", async () => {
    const ref = cheapest(await offers());
    mock.fail(said("SHIPMENT.PURCHASE.IN_PROGRESS"), { having: "/buy" });
    expect(await easypost.buy(ref, carriage, ctx)).toEqual({ state: "waiting" });
    mock.fail({ status: 503 }, { having: "/files/" });
    expect(await refusal(easypost.buy(ref, carriage, ctx))).toMatchObject({ code: "carrier_timeout" });
    mock.fail({ status: 200, body: "a page of a hotel's network" }, { having: "/files/" });
    expect(await easypost.find(ref, ctx)).toMatchObject({ state: "bought", bought: { documents: [] } });
    expect(await easypost.find(ref, ctx)).toMatchObject({ bought: { documents: [{ kind: "label" }] } });
  });

  test("that the account cannot pay for is refused with advice", async () => {
    const ref = cheapest(await offers());
    const { balance_cents } = mock.settings;
    mock.settings.balance_cents = 1;
    expect(await refusal(easypost.buy(ref, carriage, ctx))).toMatchObject({
      code: "carrier_refused",
      message: expect.stringContaining("The account balance is insufficient."),
    });
    mock.settings.balance_cents = balance_cents;
    expect(await easypost.find(ref, ctx)).toEqual({ state: "not_bought" });
  });
});

describe("an account", () => {
  test("is tested by listing its carriers", async () => {
    expect(await easypost.check(ctx)).toEqual([
      {
        code: "usps",
        name: "USPS",
        services: [
          { code: "GroundAdvantage", name: "Ground Advantage" },
          { code: "Priority", name: "Priority" },
          { code: "Express", name: "Express" },
        ],
      },
      { code: "dhl_express", name: "DHL Express", services: [] },
      { code: "fedex", name: "FedEx", services: [{ code: "FEDEX_GROUND", name: "Fedex Ground" }] },
    ]);
  });

  test("for tests may not list its carriers, and is valid anyway", async () => {
    const testing = await openEasyPost({ live: false });
    const found = await easypost.check(means.ctx({ api_key: testing.key, api_url: testing.url }));
    expect(found.map(({ code }) => code)).toEqual(["usps"]);
    testing.stop();
  });

  test("with a wrong, missing or live key in test is refused, and no key is shown", async () => {
    const wrong = { api_key: "EZTKwrong_key", api_url: mock.url };
    mock.fail({ status: 401, body: { error: { message: "The key EZTKwrong_key is wrong." } } }, { having: "accounts" });
    const refused = await refusal(easypost.check(means.ctx(wrong)));
    expect(refused).toMatchObject({
      code: "carrier_unauthorized",
      message: expect.stringContaining("The key … is wrong"),
    });
    expect(await refusal(easypost.check(means.ctx({ api_url: mock.url })))).toMatchObject({
      code: "carrier_unauthorized",
    });
    const asked = mock.asked.length;
    const spending = means.ctx({ ...wrong, api_key: "EZAKproduction" });
    expect(await refusal(easypost.check(spending))).toMatchObject({ code: "carrier_unauthorized" });
    expect(mock.asked.length).toBe(asked);
  });
});

describe("parcels", () => {
  test("are tracked and polled, a hundred with one call", async () => {
    const number = { tracking_number: "EZ1000000001", carrier: "usps" };
    expect(await easypost.follow?.(number, ctx)).toMatchObject({ ...number, events: [] });
    mock.scan(number.tracking_number, { status: "pre_transit", at });
    mock.scan(number.tracking_number, {
      status: "in_transit",
      status_detail: "arrived_at_facility",
      at: at + 1000,
      city: "Reno",
    });
    const asked = mock.asked.length;
    const unknown = Array.from({ length: 99 }, (_, index) => ({
      tracking_number: uspsNumber(77_000 + index),
      carrier: null,
    }));
    const found = await easypost.track?.([...unknown, number], ctx);
    expect(mock.asked.length).toBe(asked + 1);
    expect(found).toMatchObject([
      {
        ...number,
        events: [
          { status: "pending", occurred_at: at, carrier_status: "pre_transit", source_event_id: null, location: null },
          {
            status: "picked_up",
            occurred_at: at + 1000,
            status_detail: "arrived_at_facility",
            signed_by: null,
            location: { city: "Reno", state: null, country: null, facility: null },
          },
        ],
      },
    ]);
    expect(
      await refusal(Promise.resolve(easypost.follow?.({ tracking_number: "?", carrier: null }, ctx))),
    ).toMatchObject({ code: "carrier_refused" });
  });

  test("with a reused number show the newest parcel", async () => {
    const of = (created_at: string, city: string) => ({
      tracking_code: "1Z999AA10123456784",
      carrier: "UPSDAP",
      created_at,
      tracking_details: [{ status: "delivered", datetime: created_at, tracking_location: { city } }],
    });
    const trackers = [of("2026-11-01T00:00:00Z", "Reno"), of("2024-01-01T00:00:00Z", "Oslo")];
    for (const told of [trackers, trackers.toReversed()]) {
      mock.fail({ status: 200, body: { trackers: told } }, { having: "/trackers" });
      expect(await easypost.track?.([{ tracking_number: "1Z999AA10123456784", carrier: "ups" }], ctx)).toMatchObject([
        { carrier: "ups", events: [{ status: "delivered", location: { city: "Reno" } }] },
      ]);
    }
  });

  test("include tracker details beyond the last scan", async () => {
    mock.scan("EZ5000000005", { status: "in_transit", at });
    Object.assign(mock.trackers.get("EZ5000000005") ?? {}, { status: "delivered", signed_by: "John" });
    const [found] = (await easypost.track?.([{ tracking_number: "EZ5000000005", carrier: null }], ctx)) ?? [];
    expect(found?.events.map(({ status, signed_by }) => [status, signed_by])).toEqual([
      ["picked_up", null],
      ["delivered", "John"],
    ]);
  });

  test("accept genuine callbacks, old or new, with or without weight, and no others", () => {
    const read = ({ body, headers }: { body: string; headers: Record<string, string> }, secret = "hush ﬁ") => {
      const inbound = { headers: new Headers(headers), url: new URL("http://here/"), raw: Buffer.from(body) };
      return easypost.readCallback?.(inbound, secret, at);
    };
    const signing = { secret: "hush ﬁ" };
    mock.scan("EZ2000000002", { status: "delivered", at, signed_by: "Ann" });
    for (const weighed of [true, false]) {
      const found = read(mock.callback("EZ2000000002", { ...signing, weighed }));
      expect(found).toMatchObject({
        event_id: expect.stringMatching(/^evt_/),
        updates: [{ tracking_number: "EZ2000000002", events: [{ status: "delivered", signed_by: "Ann" }] }],
      });
    }
    const exact = mock.callback("EZ2000000002", { ...signing, weighed: true });
    expect(read({ ...exact, body: exact.body.replace('"weight":136', '"weight":136.0') })?.updates).toHaveLength(1);
    const other = mock.callback("EZ2000000002", { ...signing, fields: { description: "batch.updated" } });
    expect(read(other)?.updates).toEqual([]);
    const genuine = mock.callback("EZ2000000002", signing);
    const bad: [typeof genuine | { body: string; headers: Record<string, string> }, string?][] = [
      [{ ...genuine, body: genuine.body.replace("Ann", "Bob") }],
      [{ ...genuine, headers: {} }],
      [genuine, "another"],
      [mock.callback("EZ2000000002", { secret: "" }), ""],
    ];
    for (const [callback, secret] of bad) expect(() => read(callback, secret)).toThrow("not signed");
    expect(() => read(mock.callback("EZ2000000002", { ...signing, fields: { result: null } }))).toThrow(
      "tracking_code",
    );
  });
});

describe("an address", () => {
  const address = endAt(abroad).address ?? abroad;

  test("that is found is suggested in the postal format, unless it is the same", async () => {
    expect(await easypost.verifyAddress?.({ ...address, postal_code: "90277" }, ctx)).toEqual({
      deliverable: true,
      errors: [],
      residential: true,
      suggestion: { ...address, address_line1: "200 BAY ST", city: "TORONTO", postal_code: "90277-1129" },
    });
    mock.fail({
      status: 201,
      body: { ...sent().address, city: "TORONTO ", verifications: { delivery: { success: true } } },
    });
    expect(await easypost.verifyAddress?.({ ...address, postal_code: "90277" }, ctx)).toEqual({
      deliverable: true,
      errors: [],
      suggestion: null,
      residential: null,
    });
  });

  test("that is not found has its errors", async () => {
    expect(await easypost.verifyAddress?.({ ...address, address_line1: "Nowhere" }, ctx)).toEqual({
      deliverable: false,
      errors: ["Address not found"],
      suggestion: null,
      residential: null,
    });
  });
});
