import { describe, expect, test } from "bun:test";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();
const { app } = shop;
await shop.product({ sku: "TEA", units: 500, weight: 2, weight_unit: "lb" });
const rule = await app.create("/shipping/rules", {
  name: "Express",
  conditions: { shipping_methods: ["express"] },
  actions: { carrier: "local", service: "express", priority: 4 },
});
const express = await shop.order([["TEA", 1]], { shipping_method: "Express" });
const mine = await shop.order([["TEA", 1]], { shipping_method: "Express", priority: 1 });
const plain = await shop.order([["TEA", 3]]);
const attempt = (rules?: object[]) => app.create("/shipping/rules/trials", rules === undefined ? {} : { rules });

/** A digest of everything that a trial must not change. */
const state = async () => {
  const orders = (await app.get("/orders?limit=100")).body.data;
  return JSON.stringify([
    orders,
    (await app.get("/shipping/rules")).body.data,
    (await app.get("/events?limit=100")).body.data,
  ]);
};

describe("a trial", () => {
  test("of the active rules on orders that they decided changes nothing", async () => {
    expect(await attempt()).toEqual({
      orders: 3,
      changed: 0,
      rules: [{ id: rule.id, name: "Express", orders: 2 }],
      changes: [],
    });
  });

  test("of a draft shows what would change, from what to what, and writes nothing", async () => {
    const before = await state();
    const data = await attempt([
      { id: rule.id, name: "Express", conditions: rule.conditions, actions: { ...rule.actions, service: "overnight" } },
      {
        name: "Heavy",
        conditions: { weight_min: 5 },
        actions: { hold: { reason: "compliance" }, packing_note: "Two people" },
      },
    ]);
    expect(data.rules).toEqual([
      { id: rule.id, name: "Express", orders: 2 },
      { id: null, name: "Heavy", orders: 1 },
    ]);
    const service = {
      field: "service",
      from: "local express",
      to: "local overnight",
      rule_id: rule.id,
      rule: "Express",
    };
    const heavy = { rule_id: null, rule: "Heavy" };
    expect(data.changes).toEqual([
      {
        order_id: plain["id"],
        order_number: plain["order_number"],
        fields: [
          { field: "packing_note", from: "no packing note", to: "packing note Two people", ...heavy },
          { field: "hold", from: "no hold", to: "hold compliance", ...heavy },
        ],
      },
      { order_id: mine["id"], order_number: mine["order_number"], fields: [service] },
      { order_id: express["id"], order_number: express["order_number"], fields: [service] },
    ]);
    expect(await state()).toBe(before);
  });

  test("of no rules takes back what rules decided, and leaves what a person set", async () => {
    const { changes } = await attempt([]);
    expect(
      changes.map(({ order_id, fields }: { order_id: string; fields: { field: string; to: string }[] }) => [
        order_id,
        fields.map(({ to }) => to),
      ]),
    ).toEqual([
      [mine["id"], ["no service"]],
      [express["id"], ["no service", "priority 0"]],
    ]);
  });

  test("refuses a draft that a rule could not have, and an unknown merchant", async () => {
    const problem = async (body: object) =>
      (await app.post("/shipping/rules/trials", { rules: [body] })).body.error.details[0].field;
    expect(await problem({ name: "Bad", actions: {} })).toBe("rules[0].actions");
    expect(await problem({ name: "Bad", actions: { priority: 1 }, merchant_id: "NOBODY" })).toBe(
      "rules[0].merchant_id",
    );
  });
});

test("an evaluation shows what an order has, what decided it, and what the rules decide now", async () => {
  await app.patch(`/shipping/rules/${rule.id}`, { actions: { ...rule.actions, priority: 5 } });
  const { body } = await app.get(`/shipping/rules/evaluate?order_id=${mine["order_number"]}`);
  const of = (field: string) => body.data.fields.find((row: { field: string }) => row.field === field);
  const now = { rule_id: rule.id, rule: "Express", rule_revision: 2 };
  expect(of("priority")).toEqual({
    field: "priority",
    value: "priority 1",
    by: "person",
    rule_id: null,
    rule_revision: null,
    now: { value: "priority 5", ...now },
  });
  expect(of("service")).toEqual({
    field: "service",
    value: "local express",
    by: "rule",
    rule_id: rule.id,
    rule_revision: 1,
    now: { value: "local express", ...now },
  });
  expect(of("carton")).toEqual({
    field: "carton",
    value: "no carton",
    by: null,
    rule_id: null,
    rule_revision: null,
    now: null,
  });
});

test("a trial of many long rules lets other work run between two rules", async () => {
  const products = await Promise.all(Array.from({ length: 60 }, () => shop.product({ units: 10 })));
  for (let count = 0; count < 4; count += 1) await shop.order(products.map((product) => [product, 1] as const));
  // Each piece occurs in a SKU, but no SKU ends with the last one.
  const patterns = Array.from({ length: 50 }, (_, at) => `*s*k*u*-*${at % 10}*k`);
  const draft = { name: "Long", conditions: { skus: patterns }, actions: { priority: 1 } };
  const rules = Array.from({ length: 200 }, () => draft);
  // The first run compiles the code.
  await attempt(rules);
  let [running, longest] = [true, 0];
  const used = process.cpuUsage();
  const other = (async () => {
    for (let since = process.cpuUsage(); running; since = process.cpuUsage()) {
      await new Promise(setImmediate);
      longest = Math.max(longest, process.cpuUsage(since).user);
    }
  })();
  await attempt(rules);
  running = false;
  await other;
  expect(longest).toBeLessThan(process.cpuUsage(used).user / 4);
}, 30_000);
