import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { minute_ms } from "../../../src/core/time.ts";
import type { CarrierContext } from "../../../src/shipping/carriers/connector.ts";
import { shippo } from "../../../src/shipping/carriers/shippo.ts";
import { readWeight } from "../../../src/shipping/parcel.ts";
import { abroad, at, carriage, cheapest, endAt, endIn, openMeans, refusal } from "./carrier_setup.ts";
import { labelFiles } from "./label_bytes.ts";
import { openShippo, type ShippoMock } from "./shippo_mock.ts";

setDefaultTimeout(30_000);
const means = openMeans(shippo);
let mock: ShippoMock;
let ctx: CarrierContext;

beforeAll(async () => {
  mock = await openShippo({ now: () => at });
  ctx = means.ctx({ api_token: mock.key, api_url: `${mock.url}/` });
});
afterEach(() => mock.forgive());
afterAll(() => {
  means.close();
  mock.stop();
});

const offers = (more = {}) => shippo.offers({ ...carriage, ...more }, ctx);
const sent = () => JSON.parse(mock.asked.findLast(({ method }) => method === "POST")?.body ?? "null");

describe("rates", () => {
  test("are the carriers' rates in cents, with the messages of the others", async () => {
    const { offers: found, messages } = await offers();
    expect(found.map(({ carrier, service, rate_cents }) => [carrier, service, rate_cents])).toEqual([
      ["usps", "usps_ground_advantage", 744],
      ["usps", "usps_priority", 1030],
      ["ups", "ups_ground", 1040],
    ]);
    expect(found[0]).toMatchObject({
      carrier_name: "USPS",
      service_name: "Ground Advantage",
      cost_cents: 744,
      currency: "USD",
      zone: "8",
      breakdown: [{ code: "base", amount_cents: 744 }],
      delivery_days: 4,
      delivery_date: null,
      ref: expect.stringMatching(/^\w{32}\/744\/USD$/),
    });
    expect(messages).toMatchObject([
      { carrier: "fedex", level: "warning", code: "carrier_message", message: "The account is not active." },
    ]);
    expect(sent()).toEqual({
      address_from: {
        name: "Ada Lovelace",
        company: "Analytical Goods",
        street1: "388 Townsend St",
        street2: "Dock 2",
        city: "San Francisco",
        state: "CA",
        zip: "94107",
        country: "US",
        phone: "4155550100",
        is_residential: false,
      },
      address_to: {
        name: "Grace Hopper",
        street1: "179 N Harbor Dr",
        city: "Redondo Beach",
        state: "CA",
        zip: "90277",
        country: "US",
        is_residential: true,
      },
      parcels: [{ length: "10", width: "8", height: "4", distance_unit: "in", weight: "2", mass_unit: "lb" }],
      extra: { reference_1: "R-1001" },
      metadata: "R-1001",
      async: false,
    });
  });

  test.each([
    ["453.59237", "g", "453.5924"],
    ["0.00001", "kg", "0.0001"],
    ["1e2", "oz", "100"],
  ] as const)("%s %s are told as %s: exact, or a little more", async (amount, unit, text) => {
    const dimensions = { length: 2.54, width: 10, height: 0.1, unit: "cm" } as const;
    const weight = readWeight(amount, unit);
    await offers({ weight, package: { weight: amount, weight_unit: unit, dimensions } });
    expect(sent().parcels).toMatchObject([
      { weight: text, mass_unit: unit, length: "1", width: "3.9371", height: "0.0394", distance_unit: "in" },
    ]);
  });

  test("include insurance on request, and its share of the price", async () => {
    const { offers: found } = await offers({ insurance: true, value_cents: 15_001 });
    expect(sent().extra.insurance).toEqual({ amount: "150.01", currency: "USD", content: "Merchandise" });
    expect(found[0]).toMatchObject({
      rate_cents: 744 + 250,
      breakdown: [
        { code: "base", amount_cents: 744 },
        { code: "declared_value", amount_cents: 250 },
      ],
    });
  });

  test("are empty without dimensions, and buy nothing without addresses", async () => {
    const asked = mock.asked.length;
    expect(await offers({ package: { ...carriage.package, dimensions: null } })).toMatchObject({
      offers: [],
      messages: [{ code: "dimensions_required", level: "error", carrier: "shippo" }],
    });
    expect(mock.asked.length).toBe(asked);
    const places = await offers({ from: endIn("94107"), to: endIn("90277") });
    expect(places.offers.map(({ ref }) => ref)).toEqual(["", "", ""]);
    expect(await refusal(shippo.buy("", carriage, ctx))).toMatchObject({ code: "carrier_refused", permanent: true });
  });

  test("for international parcels declare the contents, or say that they are unknown", async () => {
    const named = { product_id: 1, sku: "TEA", description: "Tea", hs_code: "090230", country_of_origin: "LK" };
    const tea = { ...named, quantity: 2, value_cents: 4650, currency: "USD", weight: carriage.weight };
    const sold = await offers({ to: endAt(abroad), contents: [tea] });
    expect(sent().customs_declaration).toEqual({
      certify: true,
      certify_signer: "Ada Lovelace",
      contents_type: "MERCHANDISE",
      eel_pfc: "NOEEI_30_36",
      non_delivery_option: "RETURN",
      items: [
        {
          description: "Tea",
          quantity: 2,
          net_weight: "907.1847",
          mass_unit: "g",
          origin_country: "LK",
          value_amount: "46.50",
          value_currency: "USD",
          hs_code: "090230",
        },
      ],
    });
    expect(sold.offers).toMatchObject([{ carrier: "dhl_express" }]);
    const unclear = await offers({ to: endAt(abroad) });
    expect(unclear.messages).toMatchObject([{ code: "customs_incomplete" }, { carrier: "fedex" }]);
    expect(await refusal(shippo.buy(cheapest(unclear), carriage, ctx))).toMatchObject({
      code: "carrier_refused",
      message: "Shippo refused the purchase: A customs declaration is required.",
    });
  });
});

describe("a purchase", () => {
  test("is one label with its document, and can be refunded", async () => {
    const before = mock.purchases.length;
    const ref = cheapest(await offers());
    const purchase = await shippo.buy(ref, carriage, ctx);
    expect(mock.purchases.slice(before)).toEqual([{ rate: ref.split("/")[0] ?? "", metadata: "R-1001" }]);
    expect(purchase).toMatchObject({
      state: "bought",
      bought: {
        tracking_number: expect.stringMatching(/^94001/),
        tracking_url: expect.stringContaining("tools.usps.com"),
        cost_cents: 744,
        currency: "USD",
        tracker_ref: null,
        estimated_delivery: null,
        documents: [{ kind: "label", content_type: "application/pdf" }],
      },
    });
    const { documents: [label] = [], carrier_ref = "" } = purchase.state === "bought" ? purchase.bought : {};
    expect(Buffer.from(label?.bytes ?? []).equals(labelFiles["pdf"]?.bytes ?? Buffer.of())).toBe(true);
    expect(await shippo.find(ref, ctx)).toEqual(purchase);
    expect(await shippo.void?.(carrier_ref, ctx)).toBe("submitted");
    expect(await shippo.void?.(carrier_ref, ctx)).toBe("submitted");
    expect(await shippo.find(ref, ctx)).toEqual({ state: "not_bought" });
    for (const [status, said] of [
      ["REFUNDED", "voided"],
      ["REFUNDREJECTED", "rejected"],
    ] as const) {
      Object.assign(mock.transactions.get(carrier_ref) ?? {}, { status });
      expect(await shippo.void?.(carrier_ref, ctx)).toBe(said);
    }
  });

  test.each([
    ["SUCCESS", "voided"],
    ["ERROR", "rejected"],
    ["QUEUED", "submitted"],
  ] as const)("given back with %s is %s", async (refund_status, said) => {
    const purchase = await shippo.buy(cheapest(await offers()), carriage, ctx);
    mock.settings.refund_status = refund_status;
    expect(await shippo.void?.(purchase.state === "bought" ? purchase.bought.carrier_ref : "", ctx)).toBe(said);
    mock.settings.refund_status = "PENDING";
  });

  test("that Shippo does not refund is not voided", async () => {
    const purchase = await shippo.buy(cheapest(await offers()), carriage, ctx);
    mock.fail({ status: 400, body: { __all__: ["Too late."] } }, { having: "/refunds" });
    const carrier_ref = purchase.state === "bought" ? purchase.bought.carrier_ref : "";
    expect(await shippo.void?.(carrier_ref, ctx)).toBe("rejected");
  });

  test("supports no other format", async () => {
    const odd = means.ctx({ ...ctx.credentials, label_format: "GIF" });
    for (const refused of [shippo.offers(carriage, odd), shippo.check(odd)]) {
      expect(await refusal(refused)).toMatchObject({ code: "carrier_refused" });
    }
  });

  test("in the queue is awaited", async () => {
    const before = mock.purchases.length;
    for (const status of ["QUEUED", "WAITING"]) {
      const ref = cheapest(await offers());
      mock.settings.transaction_status = status;
      expect(await shippo.buy(ref, carriage, ctx)).toEqual({ state: "waiting" });
      mock.settings.transaction_status = "SUCCESS";
      expect(await shippo.find(ref, ctx)).toEqual({ state: "waiting" });
      mock.finish();
      expect(await shippo.find(ref, ctx)).toMatchObject({ state: "bought", bought: { cost_cents: 744 } });
    }
    expect(mock.purchases.length).toBe(before + 2);
  });

  test("with another account's rate is unknown to this one", async () => {
    const said = await refusal(shippo.find("5f3b0a/704/USD", ctx));
    expect(said).toMatchObject({ code: "carrier_error", permanent: false });
  });

  test("is not searched among others", async () => {
    const ref = cheapest(await offers());
    for (const results of [[{ rate: "another", status: "SUCCESS" }], undefined]) {
      mock.fail({ status: 200, body: { results } }, { having: "/transactions" });
      expect(await refusal(shippo.find(ref, ctx))).toMatchObject({ code: "carrier_error", permanent: false });
    }
  });

  const timeout = { source: "UPS", code: "carrier_timeout", text: "UPS did not respond." };
  test.each([
    [
      { status: 400, body: { rate: ["Rate is old."] } },
      { code: "carrier_refused", message: expect.stringContaining("rate: Rate is old.") },
    ],
    [
      { status: 401, body: { detail: "No such token." } },
      { code: "carrier_unauthorized", permanent: true },
    ],
    [
      { status: 201, body: { status: "ERROR", messages: [timeout] } },
      { code: "carrier_error", permanent: false },
    ],
    [
      { status: 201, body: { status: "ERROR" } },
      { code: "carrier_refused", permanent: true },
    ],
    [{ status: 201, body: { status: "SUCCESS", label_url: "https://l" } }, { code: "carrier_timeout" }],
  ])("with the response %j is %j", async (trouble, said) => {
    const ref = cheapest(await offers());
    mock.fail(trouble, { method: "POST", having: "/transactions" });
    expect(await refusal(shippo.buy(ref, carriage, ctx))).toMatchObject(said);
  });
});

describe("an account", () => {
  test("is tested by listing its carriers", async () => {
    expect(await shippo.check(ctx)).toEqual([
      {
        code: "usps",
        name: "USPS",
        services: [
          { code: "usps_ground_advantage", name: "Ground Advantage" },
          { code: "usps_priority", name: "Priority Mail" },
        ],
      },
      { code: "ups", name: "UPS", services: [{ code: "ups_ground", name: "Ground" }] },
      { code: "dhl_express", name: "DHL Express", services: [{ code: "dhl_express_worldwide", name: "Worldwide" }] },
    ]);
    const [first, second] = [["usps"], ["ups"]].map(([carrier]) => ({ carrier, carrier_name: carrier, active: true }));
    mock.fail({ status: 200, body: { results: [first], next: "baseurl?page=2" } }, { having: "accounts" });
    mock.fail({ status: 200, body: { results: [second], next: null } }, { having: "accounts" });
    expect((await shippo.check(ctx)).map(({ code }) => code)).toEqual(["usps", "ups"]);
  });

  test("with a wrong, missing or live token in test is refused, and no token is shown", async () => {
    const wrong = { api_token: "shippo_test_wrong_token", api_url: mock.url };
    mock.fail({ status: 401, body: { detail: "No token shippo_test_wrong_token." } }, { having: "accounts" });
    const refused = await refusal(shippo.check(means.ctx(wrong)));
    expect(refused).toMatchObject({ code: "carrier_unauthorized", message: expect.stringContaining("No token ….") });
    const none = means.ctx({ api_url: mock.url });
    expect(await refusal(shippo.check(none))).toMatchObject({ code: "carrier_unauthorized" });
    const asked = mock.asked.length;
    const spending = means.ctx({ ...wrong, api_token: "shippo_live_1" });
    expect(await refusal(shippo.check(spending))).toMatchObject({ code: "carrier_unauthorized" });
    expect(mock.asked.length).toBe(asked);
  });
});

describe("parcels", () => {
  const number = { tracking_number: "9205590164917312751089", carrier: "usps" };

  test("are tracked and polled", async () => {
    expect(await shippo.follow?.(number, ctx)).toMatchObject({ ...number, events: [] });
    expect(await shippo.track?.([number], ctx)).toEqual([]);
    mock.scan("usps", number.tracking_number, { status: "TRANSIT", substatus: "package_departed", at: at + 1000 });
    mock.scan("usps", number.tracking_number, { status: "TRANSIT", substatus: "package_accepted", at });
    const held = { status: "TRANSIT", substatus: "address_issue", action_required: true, message: "Call us." };
    mock.scan("usps", number.tracking_number, { ...held, at: at + 2000, city: "Reno" });
    // The newest event may come first.
    const { tracking_history = [] } = mock.tracks.get(`usps/${number.tracking_number}`) ?? {};
    if (Array.isArray(tracking_history)) tracking_history.reverse();
    const others = [
      { tracking_number: "1", carrier: null },
      { tracking_number: "2", carrier: "pigeon" },
    ];
    const [found, ...rest] = (await shippo.track?.([...others, number], ctx)) ?? [];
    expect(rest).toEqual([]);
    expect(found).toMatchObject({ ...number, service: null, estimated_delivery: null });
    expect(
      found?.events.map(({ status, occurred_at, status_detail }) => [status, occurred_at - at, status_detail]),
    ).toEqual([
      ["accepted", 0, "package_accepted"],
      ["in_transit", 1000, "package_departed"],
      ["exception", 2000, "address_issue"],
    ]);
    expect(found?.events[2]).toMatchObject({
      message: "Call us.",
      carrier_status: "TRANSIT",
      source_event_id: null,
      location: { city: "Reno", state: "IL", country: "US", facility: null },
    });
  });

  test("without a carrier name are not tracked, except test numbers", async () => {
    const unnamed = { tracking_number: "1Z999AA10123456784", carrier: null };
    expect(await refusal(Promise.resolve(shippo.follow?.(unnamed, ctx)))).toMatchObject({ code: "carrier_refused" });
    expect(await shippo.follow?.({ ...unnamed, tracking_number: "SHIPPO_TRANSIT" }, ctx)).toMatchObject({
      carrier: "shippo",
    });
  });

  test("accept callbacks with a fresh signature or the secret in the URL, and no others", () => {
    type Callback = { body: string; headers: Record<string, string> };
    const read = ({ body, headers }: Callback, { query = "", secret = "hush", now = at } = {}) => {
      const url = new URL(`https://warehouse.example/v1/webhooks/carriers/shippo${query}`);
      return shippo.readCallback?.({ headers: new Headers(headers), url, raw: Buffer.from(body) }, secret, now);
    };
    mock.scan("usps", number.tracking_number, { status: "DELIVERED", substatus: "delivered", at: at + 9000 });
    const callback = (more = {}) => mock.callback("usps", number.tracking_number, more);
    const found = read(callback());
    expect(found).toMatchObject({ event_id: null, updates: [{ ...number }] });
    expect(found?.updates[0]?.events.at(-1)).toMatchObject({ status: "delivered", occurred_at: at + 9000 });
    for (const now of [at - 4 * minute_ms, at + 4 * minute_ms])
      expect(read(callback(), { now })?.updates).toHaveLength(1);
    expect(read(callback({ secret: null }), { query: "?account=1&token=hush" })?.updates).toHaveLength(1);
    expect(read(callback({ fields: { event: "transaction_updated" } }))?.updates).toEqual([]);

    const genuine = callback();
    const { "Shippo-Auth-Signature": signature = "" } = genuine.headers;
    const signed = (text: string): Callback => ({ ...genuine, headers: { "Shippo-Auth-Signature": text } });
    const bad: [Callback, Parameters<typeof read>[1]?][] = [
      [genuine, { now: at + 6 * minute_ms }],
      [genuine, { now: at - 6 * minute_ms }],
      [genuine, { secret: "another" }],
      [{ ...genuine, body: genuine.body.replace("delivered", "returned") }],
      [signed(signature.replace(/t=\d+/, `t=${Math.floor(at / 1000) + 1}`))],
      [signed(signature.replace(/t=\d+,/, ""))],
      [signed("")],
      // A wrong signature is refused even with the secret in the URL.
      [signed(`${signature}0`), { query: "?token=hush" }],
      [callback({ secret: null })],
      [callback({ secret: null }), { query: "?token=hushed" }],
      [callback({ secret: null }), { query: "?token=", secret: "" }],
    ];
    for (const [one, more] of bad) expect(() => read(one, more)).toThrow("needs a recent signature");
    expect(() => read(callback({ fields: { data: null } }))).toThrow("tracking_number");
  });
});

describe("an address", () => {
  const address = { ...abroad, postal_code: "90277" };

  test("that is found is suggested in the postal format", async () => {
    expect(await shippo.verifyAddress?.(address, ctx)).toEqual({
      deliverable: true,
      errors: [],
      residential: true,
      suggestion: { ...address, address_line1: "200 BAY ST", postal_code: "90277-1129" },
    });
  });

  test("that is not found has its errors", async () => {
    expect(await shippo.verifyAddress?.({ ...address, address_line1: "Nowhere" }, ctx)).toEqual({
      deliverable: false,
      errors: ["The address was not found."],
      suggestion: null,
      residential: null,
    });
  });
});
