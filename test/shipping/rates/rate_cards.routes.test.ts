import { describe, expect, test } from "bun:test";
import { rate_cards } from "../../../db/schema/rates.ts";
import { ensureRateCards } from "../../../src/shipping/rates/rate_cards.ts";
import { brokeRule } from "../../../src/storage/storage_errors.ts";
import { openApp } from "../../build/service.ts";
import { fieldsOf, parcelShopOn } from "../../build/shop.ts";

// Some rate cards are inserted without their versions, which `verify` would report.
const app = await openApp({ verified: false });

const path = "/shipping/rate_cards";
const card = {
  service: "ground",
  name: "Ground",
  zones: { first: 2, rest: "world", countries: [{ country: "CA", zone: "canada" }] },
  prices: [
    { zone: "4", up_to_pounds: 1, price: "7.50", cost: "6.10" },
    { zone: "4", up_to_pounds: 10, price: 12 },
    { zone: "4", price: 0.75, cost: "0.5" },
    { zone: "8", up_to_pounds: 10, price: 20 },
    { zone: "canada", up_to_pounds: 10, price: 30 },
    { zone: "world", up_to_pounds: 10, price: 60 },
  ],
  limits: { billed_pounds: 150 },
  dimensional: { divisor: 139, over: 1728 },
  surcharges: {
    residential: { price: 5, cost: 4 },
    additional_handling: { price: 25, longest_over: 48 },
    remote_area: { price: 9, fuelable: false, places: [{ country: "US", prefixes: ["372"] }] },
  },
  fuel_basis_points: 1250,
  declared_value: { per_hundred: { price: 1.15 }, minimum: { price: 3.45 } },
  cutoff_time: "15:00",
  saturday_delivery: true,
  transit_days: [
    { zone: "4", days: 2 },
    { zone: "*", days: 5 },
  ],
};
const address = { street1: "1 Elm St", country: "US" };
type Row = { service: string; rate: number; zone: string };
const ask = (fields: object = {}) =>
  app.post("/shipping/rates", { from_zip: "70112", to_zip: "37201", weight: 3, ...fields });
const offerOf = async (service: string, fields: object = {}) =>
  (await ask(fields)).body.data.rates.find((rate: Row) => rate.service === service);
const made = (input: object) => app.create(path, input);

describe("works", () => {
  test("a store has the sample cards from the first start, however often it starts", async () => {
    for (let start = 0; start < 2; start += 1) await app.service.stores.live.write(ensureRateCards);
    const { data, meta } = (await app.get(path)).body;
    expect(meta.pagination.total).toBe(3);
    expect(
      data.map(({ service, sample, price_rows }: Row & { sample: boolean; price_rows: number }) => [
        service,
        sample,
        price_rows,
      ]),
    ).toEqual([
      ["standard", true, 253],
      ["express", true, 253],
      ["overnight", true, 253],
    ]);
  });

  test("a card prices each line as stated; the response of a GET can be sent back", async () => {
    const { id, revision } = await made(card);
    expect(await offerOf("ground")).toMatchObject({
      rate: 22.5,
      billable_weight: 3,
      zone: "4",
      delivery_days: 2,
      breakdown: [
        { code: "base", amount: 12 },
        { code: "remote_area", amount: 9 },
        { code: "fuel", amount: 1.5 },
      ],
    });
    const large = await offerOf("ground", {
      weight: 11,
      dimensions: { length: 48.01, width: 10, height: 5, unit: "in" },
    });
    expect(large.breakdown.map(({ code }: { code: string }) => code)).toEqual([
      "base",
      "additional_handling",
      "remote_area",
      "fuel",
    ]);
    // 49 × 10 × 5 in are 2,450 in³: 18 lb.
    expect([large.billable_weight, large.breakdown[0].amount]).toEqual([18, 18]);
    const insured = await offerOf("ground", { value: "100.01", insurance: true });
    expect(insured.breakdown.at(-1)).toEqual({ code: "declared_value", amount: 3.45 });
    const got = (await app.get(`${path}/${id}`)).body.data;
    const same = await app.patch(`${path}/${id}`, got);
    expect([same.status, same.body.data]).toEqual([200, got]);
    expect(got.revision).toBe(revision);
  });

  test("zones without prices are not served, with a message", async () => {
    const { rates, messages } = (await ask({ to_zip: "43215" })).body.data;
    expect(rates.map(({ service }: Row) => service)).not.toContain("ground");
    expect(messages).toMatchObject([{ service: "ground", code: "zone_not_served" }, { code: "sample_rates" }]);
    expect(await offerOf("ground", { to_zip: "V6B 1A1", to_country: "CA" })).toMatchObject({ zone: "canada" });
    expect(await offerOf("ground", { to_zip: "-", to_country: "HK" })).toMatchObject({
      zone: "world",
      delivery_days: 5,
    });
    const nowhere = (await ask({ to_zip: "34301" })).body.data.messages.map(
      ({ service, code }: { service: string; code: string }) => [service, code],
    );
    expect(nowhere).toContainEqual(["ground", "zip_unknown"]);
  });

  test("effective dates decide between two cards of a service", async () => {
    const now = Date.parse("2026-01-02T03:04:05Z");
    const later = new Date(now + 86_400_000).toISOString();
    const flat = { ...card, service: "flat", zones: {}, transit_days: [{ zone: "*", days: 1 }] };
    const row = (price: number) => [{ zone: "*", up_to_pounds: 70, price }];
    await made({ ...flat, prices: row(5), effective_to: later });
    await made({ ...flat, prices: row(6), effective_from: later });
    expect(await offerOf("flat")).toMatchObject({ breakdown: [{ amount: 5 }, {}, {}] });
    app.clocks.live.advance(86_400_000 - 1);
    expect(await offerOf("flat")).toMatchObject({ breakdown: [{ amount: 5 }, {}, {}] });
    app.clocks.live.advance(1);
    expect(await offerOf("flat")).toMatchObject({ breakdown: [{ amount: 6 }, {}, {}] });
  });

  test("a change takes effect at once and appears in the history, and a changed sample is no longer one", async () => {
    const [sample] = (await app.get(`${path}?service=overnight`)).body.data;
    const base = (await offerOf("overnight")).breakdown[0].amount;
    const off = await app.patch(`${path}/${sample.id}`, { active: false });
    expect(off.body.data).toMatchObject({ active: false, sample: true, revision: 2 });
    expect(await offerOf("overnight")).toBeUndefined();
    const carriers = (await app.get("/shipping/carriers")).body.data.carriers;
    expect(carriers[0].services).not.toContain("overnight");
    const on = await app.patch(`${path}/${sample.id}`, { active: true, fuel_basis_points: 1000 });
    expect(on.body.data).toMatchObject({ active: true, sample: false, revision: 3 });
    expect((await offerOf("overnight")).rate).toBe(Math.round(base * 110) / 100);
    const history = (await app.get(`${path}/${sample.id}/history`)).body.data;
    expect(
      history.map(
        ({ revision, actor, card }: { revision: number; actor: { type: string }; card: { active: boolean } }) => [
          revision,
          actor.type,
          card.active,
        ],
      ),
    ).toEqual([
      [3, "api_key", true],
      [2, "api_key", false],
      [1, "system", true],
    ]);
    const first = (await app.get(`${path}/${sample.id}/history?limit=1`)).body;
    const next = (await app.get(`${path}/${sample.id}/history?limit=1&cursor=${first.meta.pagination.next_cursor}`))
      .body;
    expect(next.data).toEqual([history[1]]);
  });

  test("prices are exported and imported as CSV, completely or not at all", async () => {
    const [{ id }] = (await app.get(`${path}?service=ground`)).body.data;
    const text = (await app.get(`${path}/${id}/export.csv`)).body as string;
    expect(text.split("\r\n").slice(0, 4)).toEqual([
      "zone,up_to_pounds,price,cost",
      "4,1,7.5,6.1",
      "4,10,12,12",
      "4,,0.75,0.5",
    ]);
    const send = (body: string) =>
      app.call("POST", `${path}/${id}/import`, body, { headers: { "content-type": "text/csv" } });
    const before = (await app.get(`${path}/${id}`)).body.data;
    expect((await send(text)).body.data).toEqual(before);
    const dearer = await send(text.replace("4,1,7.5,6.1", "4,1,8.00,"));
    expect([dearer.status, dearer.body.data.revision]).toEqual([200, before.revision + 1]);
    expect(dearer.body.data.prices[0]).toEqual({ zone: "4", up_to_pounds: 1, price: 8, cost: 8 });
    const bad = await send("zone,up_to_pounds,price\r\n4,1,7.555\r\n4,x,1\r\n5,9,1");
    expect(bad.status).toBe(422);
    expect(bad.body.error.details.map(({ field }: { field: string }) => field)).toEqual([
      "line 2, price",
      "line 3, up_to_pounds",
    ]);
    expect((await app.get(`${path}/${id}`)).body.data).toEqual(dearer.body.data);
  });

  test("a label costs the card's price, and a later price change affects no label", async () => {
    const shop = await parcelShopOn(app);
    const order = await shop.order();
    const ends = {
      from_address: { ...address, name: "West", city: "New Orleans", state: "LA", zip: "70112" },
      to_address: { ...address, name: "Ada", city: "Nashville", state: "TN", zip: "37201" },
    };
    const label = await shop.label(order.id, { service: "ground", package: { weight: 3 }, ...ends });
    expect([label.status, label.body.data?.cost]).toEqual([201, 22.5]);
    const [{ id }] = (await app.get(`${path}?service=ground`)).body.data;
    await app.patch(`${path}/${id}`, { fuel_basis_points: 9000 });
    expect((await app.get(`/shipping/labels/${label.body.data.label_id}`)).body.data.cost).toBe(22.5);
  });
});

describe("refuses", () => {
  test.each([
    ["a second row of a zone and weight", { prices: [...card.prices, card.prices[0]] }, ["prices[6]"]],
    [
      "a heavier parcel for less",
      { prices: [...card.prices, { zone: "4", up_to_pounds: 20, price: 1 }] },
      ["prices[6].price"],
    ],
    ["pounds beyond no row", { prices: [...card.prices, { zone: "5", price: 1 }] }, ["prices[6]"]],
    ["a zone without prices", { zones: { rest: "moon", default: "9" } }, ["zones.default", "zones.rest"]],
    ["no country", { zones: { countries: [{ country: "XX", zone: "4" }] } }, ["zones.countries[0].country"]],
    ["no days to a zone", { transit_days: [{ zone: "4", days: 1 }] }, ["transit_days"]],
    ["a surcharge that never applies", { surcharges: { large_package: { price: 1 } } }, ["surcharges.large_package"]],
    ["an end before the beginning", { effective_from: "2026-02-01", effective_to: "2026-01-01" }, ["effective_to"]],
    ["what is no code", { service: "Next Day" }, ["service"]],
    ["a time that is none", { cutoff_time: "24:01" }, ["cutoff_time"]],
    ["an unknown field", { divisor: 139 }, ["divisor"]],
  ])("a card with %s", async (_, change, fields) => {
    const { status, body } = await app.post(path, { ...card, service: "other", ...change });
    expect([status, fieldsOf({ body })]).toEqual([422, fields]);
  });

  test("two active cards of a service at the same time, also concurrently", async () => {
    const at = (from: string | null, to: string | null, active = true) => {
      return { ...card, service: "twice", active, effective_from: from, effective_to: to };
    };
    const { id } = await made(at("2026-03-01", "2026-04-01"));
    for (const [from, to] of [
      [null, null],
      ["2026-03-31", null],
      [null, "2026-03-02"],
      ["2026-03-05", "2026-03-06"],
    ] as const) {
      const { status, body } = await app.post(path, at(from, to));
      expect([status, body.error.code, body.error.rate_card_id]).toEqual([409, "rate_card_overlap", id]);
    }
    await made(at("2026-04-01", null));
    const asleep = await made(at(null, null, false));
    const woken = await app.patch(`${path}/${asleep.id}`, { active: true });
    expect([woken.status, woken.body.error.code]).toEqual([409, "rate_card_overlap"]);
    const both = await Promise.all([1, 2, 3].map(() => app.post(path, { ...card, service: "race" })));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  test("the database refuses them too", async () => {
    const row = {
      service: "direct",
      active: true,
      effective_to: null,
      zone_system: "default",
      holidays: null,
      revision: 1,
      created_at: 0,
      updated_at: 0,
    };
    const { live } = app.service.stores;
    const insert = (effective_from: number | null, more: object = {}) =>
      live.write(async (tx) => {
        await tx.sql.insert(rate_cards).values({ ...row, effective_from, ...more });
      });
    await insert(1000);
    const error = await insert(2000).catch((thrown: unknown) => thrown);
    expect(brokeRule(error, "rate_cards_apart")).toBe(true);
    await insert(null, { effective_to: 1000 });
    await insert(2000, { active: false });
    const waking = live.write(async (tx) => {
      await tx.sql.update(rate_cards).set({ active: true });
    });
    expect(brokeRule(await waking.catch((thrown: unknown) => thrown), "rate_cards_apart")).toBe(true);
    await live.write(async (tx) => {
      await tx.sql.update(rate_cards).set({ active: false });
    });
  });

  test("another service for a card, and an outdated revision", async () => {
    const { id } = await made({ ...card, service: "fixed" });
    const moved = await app.patch(`${path}/${id}`, { service: "other" });
    expect([moved.status, moved.body.error.code]).toEqual([422, "immutable_field"]);
    const late = await app.call("PATCH", `${path}/${id}`, { name: "Late" }, { headers: { "if-match": '"9"' } });
    expect(late.status).toBe(412);
    expect((await app.get(`${path}/rtc_1`)).status).toBe(404);
  });

  test("labels of a service without a card, and names the existing ones", async () => {
    const { body } = await app.post("/shipping/labels", {
      order_id: "SO-1",
      carrier: "local",
      service: "grund",
      package: { weight: 1 },
    });
    expect(body.error.details[0].message).toMatch(/must be one of: .*fixed/);
  });
});
