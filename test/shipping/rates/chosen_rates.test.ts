// Rates and labels that the shipping choice of an order picks.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { Fault } from "../../../src/core/faults.ts";
import { overrideCarriers } from "../../../src/shipping/carriers/connectors.ts";
import { pickRate } from "../../../src/shipping/rates/choose_rate.ts";
import { fieldsOf, openShop } from "../../build/shop.ts";
import { fakeCarrier, fakeOffer } from "../carriers/fake_carrier.ts";

setDefaultTimeout(30_000);
const shop = await openShop();
const { app } = shop;
await shop.product({ sku: "TEA", units: 500, weight: 2, weight_unit: "lb" });
await shop.product({ sku: "UNWEIGHED", units: 5 });
await app.patch("/inventory/locations/whs_1001", {
  address: {
    name: "Dock",
    address_line1: "9 Dock Rd",
    city: "Columbus",
    state: "OH",
    postal_code: "43215",
    country: "US",
  },
});

type Rate = {
  carrier: string;
  service: string;
  rate: number;
  chosen: boolean;
  quote_id: string;
  delivery_date: string;
};
const rule = (fields: object) => app.create("/shipping/rules", { name: "Rule", ...fields });
const order = async (shipping_choice?: object) => shop.order([["TEA", 1]], shipping_choice && { shipping_choice });
const rates = (order_id: string, fields: object = {}) => app.create("/shipping/rates", { order_id, ...fields });
const chosen = (data: { rates: Rate[] }) => data.rates.filter((rate) => rate.chosen).map(({ service }) => service);

describe("rates", () => {
  test("mark the one that a rule's service picks, and why none is picked", async () => {
    const { id } = await rule({
      conditions: { shipping_methods: ["rush"] },
      actions: { carrier: "local", service: "express" },
    });
    const rushed = await shop.order([["TEA", 1]], { shipping_method: "Rush" });
    const data = await rates(rushed["id"]);
    expect(chosen(data)).toEqual(["express"]);
    const quote_id = data.rates.find((rate: Rate) => rate.chosen).quote_id;
    expect(data.choice).toEqual({
      quote_id,
      code: "picked",
      reason: "local express.",
      source: "rule",
      rule_id: id,
      rule_revision: 1,
    });
    expect((await rates((await order())["id"])).choice).toMatchObject({
      quote_id: null,
      code: "no_choice",
      source: null,
    });
    const gone = await rates((await order({ carrier: "local", service: "rocket" }))["id"]);
    expect([chosen(gone), gone.choice.code, gone.choice.source]).toEqual([[], "not_offered", "person"]);
    expect((await app.create("/shipping/rates", { from_zip: "43215", to_zip: "97201", weight: 1 })).choice).toBeNull();
  });

  test("pick the cheapest in time and the fastest under a price", async () => {
    const all = (await rates((await order())["id"])).rates as Rate[];
    const [cheapest] = all;
    expect(chosen(await rates((await order({ choose: "cheapest_in_time" }))["id"]))).toEqual([cheapest?.service ?? ""]);
    expect(chosen(await rates((await order({ choose: "cheapest_in_time", days_max: 2 }))["id"]))).toEqual(["express"]);
    const express = all.find(({ service }) => service === "express")?.rate ?? 0;
    expect(chosen(await rates((await order({ choose: "fastest_under", price_max: express }))["id"]))).toEqual([
      "express",
    ]);
    const none = await rates((await order({ choose: "fastest_under", price_max: 1 }))["id"]);
    expect([chosen(none), none.choice.code]).toEqual([[], "none_under_price"]);
  });

  test("add the carton to the weight, and insure the order, unless the request describes the parcel", async () => {
    const carton = { length: 12, width: 10, height: 4, unit: "in", weight: 8, weight_unit: "oz" };
    const { id } = await order({ carton, insured: true });
    const data = await rates(id);
    expect(data.parcel).toMatchObject({ weight: 2.5, dimensions: { length: 12, width: 10, height: 4, unit: "in" } });
    const own = await rates(id, { weight: 3, insurance: false });
    expect(own.parcel).toMatchObject({ weight: 3, dimensions: null });
  });
});

describe("a label without a service", () => {
  const label = (order_id: string, fields: object = {}) =>
    app.post("/shipping/labels", { order_id, package: { weight: 2 }, ...fields });

  test("is bought as the order's choice says", async () => {
    const named = await label((await order({ carrier: "local", service: "overnight" }))["id"]);
    expect([named.status, named.body.data.service]).toEqual([201, "overnight"]);
    const { id } = await order({ choose: "cheapest_in_time", days_max: 2 });
    const { rates: offers } = await rates(id, { weight: 2 });
    const bought = await label(id);
    expect([bought.status, bought.body.data.service, bought.body.data.cost]).toEqual([
      201,
      "express",
      offers.find((rate: Rate) => rate.chosen).rate,
    ]);
  });

  test("is insured for the subtotal if the choice says so, unless the request does", async () => {
    for (const choice of [{ carrier: "local", service: "express" }, { choose: "cheapest_in_time" }]) {
      const { body } = await label((await order({ ...choice, insured: true }))["id"]);
      expect(body.data.package).toMatchObject({ value: 12.5, insurance: true });
      const own = await label((await order({ ...choice, insured: true }))["id"], {
        package: { weight: 2, insurance: false },
      });
      expect(own.body.data.package).toMatchObject({ value: null, insurance: false });
    }
  });

  test("is bought once by a repeated request, even if no rate can be picked any more", async () => {
    const { id } = await order({ choose: "cheapest_in_time" });
    const headers = { "idempotency-key": "label-by-choice" };
    const send = () => app.call("POST", "/shipping/labels", { order_id: id, package: { weight: 2 } }, { headers });
    const first = await send();
    expect(first.status).toBe(201);
    await app.create(`/orders/${id}/ship`, {});
    const again = await send();
    expect([again.status, again.body.data?.label_id]).toEqual([201, first.body.data.label_id]);
  });

  test("is refused with what is missing when nothing is chosen or no rate fits", async () => {
    expect(fieldsOf(await label((await order())["id"]))).toEqual(["carrier"]);
    const none = await label((await order({ choose: "fastest_under", price_max: 1 }))["id"]);
    expect([none.status, none.body.error.details[0].message]).toEqual([
      422,
      expect.stringContaining("no rate is that cheap"),
    ]);
  });

  test("is bought for many orders, each by its choice and with its carton", async () => {
    const carton = { length: 9, width: 8, height: 7, unit: "in", weight: 1, weight_unit: "lb" };
    const ids = [(await order({ carrier: "local", service: "express", carton }))["id"], (await order())["id"]];
    const { data } = (await app.post("/orders/actions", { action: "buy_label", order_ids: ids })).body;
    expect(
      data.results.map(({ status, label: bought }: { status: number; label?: { service: string } }) => [
        status,
        bought?.service,
      ]),
    ).toEqual([
      [201, "express"],
      [422, undefined],
    ]);
    expect(data.results[0].label.package).toMatchObject({ dimensions: { length: 9 } });
  });
});

describe("bulk rates", () => {
  const bulk = (order_ids: string[], fields: object = {}) =>
    app.create("/shipping/rates/bulk", { order_ids, ...fields });

  test("have one row for each order, in their order, and totals of what is picked", async () => {
    const [named, open] = [await order({ carrier: "local", service: "express" }), await order()];
    const heavy = await shop.order([["UNWEIGHED", 1]]);
    const data = await bulk([named["id"], "ord_999", open["id"], heavy["id"]]);
    expect(
      data.orders.map((row: { order_id: string; choice: { code: string } | null; error: { code: string } | null }) => [
        row.order_id,
        row.choice?.code,
        row.error?.code,
      ]),
    ).toEqual([
      [named["id"], "picked", undefined],
      ["ord_999", undefined, "resource_missing"],
      [open["id"], "no_choice", undefined],
      [heavy["id"], undefined, "validation_failed"],
    ]);
    const [row] = data.orders;
    expect(row).toMatchObject({
      order_number: named["order_number"],
      rate: { service: "express", chosen: true },
      in_time: expect.any(Boolean),
      differs: { carrier: null, rule_id: null },
    });
    expect(data).toMatchObject({ picked: 1, open: 3, totals: [{ currency: "USD", count: 1, total: row.rate.rate }] });
    const { data: acted } = (
      await app.post("/orders/actions", {
        action: "buy_label",
        order_ids: [named["id"]],
        input: { quotes: { [named["id"]]: row.rate.quote_id } },
      })
    ).body;
    expect([acted.done, acted.results[0].label.cost]).toEqual([1, row.rate.rate]);
  });

  test("say what the rules would choose where a person chose otherwise", async () => {
    const { id } = await rule({
      conditions: { shipping_methods: ["calm"] },
      actions: { carrier: "local", service: "standard" },
    });
    const mine = await shop.order([["TEA", 1]], {
      shipping_method: "calm",
      shipping_choice: { carrier: "local", service: "overnight" },
    });
    const theirs = await shop.order([["TEA", 1]], { shipping_method: "calm" });
    const { rates: all, choice, rule_choice } = await rates(mine["id"]);
    const quoteOf = (service: string) => all.find((rate: Rate) => rate.service === service).quote_id;
    expect([choice.quote_id, choice.source]).toEqual([quoteOf("overnight"), "person"]);
    expect(rule_choice).toEqual({
      quote_id: quoteOf("standard"),
      code: "picked",
      reason: "local standard.",
      source: "rule",
      rule_id: id,
      rule_revision: 1,
    });
    const unruled = await order({ carrier: "local", service: "express" });
    expect((await rates(unruled["id"])).rule_choice).toBeNull();
    const { orders } = await bulk([mine["id"], theirs["id"], unruled["id"]]);
    expect(orders.map(({ rule_rate }: { rule_rate: Rate | null }) => rule_rate?.service)).toEqual([
      "standard",
      "standard",
      undefined,
    ]);
    const differing = orders.slice(0, 2);
    expect(
      differing.map(({ rate, differs }: { rate: Rate; differs: object | null }) => [rate.service, differs]),
    ).toEqual([
      [
        "overnight",
        {
          carrier: "local",
          service: "standard",
          choose: null,
          days_max: null,
          price_max: null,
          rule_id: id,
          rule_revision: 1,
        },
      ],
      ["standard", null],
    ]);
  });

  test("end with errors of a slow and a failing carrier, while others still pick theirs", async () => {
    const fakes = { slow: fakeCarrier("slow"), down: fakeCarrier("down") };
    fakes.slow.offers = () => new Promise(() => {});
    fakes.down.offers = async () => {
      throw new Fault("carrier_error", "Out of order.");
    };
    overrideCarriers(app.service, { slow: fakes.slow.connector, down: fakes.down.connector }, 50);
    for (const connector of ["slow", "down"]) {
      await app.create("/shipping/carrier_accounts", { connector, credentials: { api_key: `${connector}-key-1` } });
    }
    const ids = [
      (await order({ carrier: "local", service: "express" }))["id"],
      (await order({ carrier: "slow", service: "any" }))["id"],
    ];
    const { orders } = await bulk(ids);
    expect(
      orders.map(({ choice, error }: { choice: { code: string }; error: object | null }) => [choice.code, error]),
    ).toEqual([
      ["picked", null],
      ["not_offered", { code: "carrier_timeout", message: expect.any(String) }],
    ]);
  });
});

test("offers in several currencies and without dates are compared as described", () => {
  const offer = (fields: object) => ({
    ...fakeOffer({}),
    ship_date: null,
    delivery_days: null,
    delivery_date: null,
    ...fields,
  });
  const dates = { created_at: 0, cancelled_at: null, imported: false, promised_by: null };
  const choice = {
    carrier: null,
    service: null,
    choose: "fastest_under",
    days_max: null,
    price_max_cents: 900,
    currency: "EUR",
    carton: null,
    insured: false,
  } as const;
  const pick = (fields: object, offers: ReturnType<typeof offer>[]) =>
    pickRate({ ...dates, shipping_choice: { ...choice, ...fields } }, offers).at;
  const offers = [
    offer({ rate_cents: 500 }),
    offer({ rate_cents: 700, currency: "EUR" }),
    offer({ rate_cents: 800, currency: "EUR", delivery_date: 5 }),
  ];
  expect(pick({}, offers)).toBe(2);
  expect(pick({ price_max_cents: 750 }, offers)).toBe(1);
  expect(pick({ price_max_cents: 100 }, offers)).toBeNull();
  expect(pick({ choose: "cheapest_in_time" }, offers)).toBe(0);
  expect(pick({ choose: "cheapest_in_time", days_max: 3 }, offers)).toBeNull();
});
