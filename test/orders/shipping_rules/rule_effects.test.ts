import { describe, expect, test } from "bun:test";
import { type Random, seededRandom } from "../../../src/core/random.ts";
import { openShop } from "../../build/shop.ts";
import { decide, type OracleOrder, type OracleRule } from "./oracle.ts";
import { randomRule, skus, tags } from "./random_rules.ts";

const shop = await openShop();
const { app } = shop;
/** The zone of the test's customers. */
const here = "8";
const grams = [500, 1000, 250, 2000];
for (const [at, sku] of skus.entries()) {
  await shop.product({ sku, units: 2000, weight: grams[at], weight_unit: "g" });
}

type Row = { event: string; reason: string | null; note: string | null; to_status: string };
const historyOf = async (id: string): Promise<Row[]> => (await app.get(`/orders/${id}/history`)).body.data;
const lastOf = async (id: string) => {
  const { event, reason, note } = (await historyOf(id)).at(-1) as Row;
  return [event, reason, note];
};
const rule = (fields: object): Promise<OracleRule & { id: string }> =>
  app.create("/shipping/rules", { name: "Rule", ...fields });

async function clear() {
  for (const { id } of (await app.get("/shipping/rules?limit=100")).body.data)
    await app.call("DELETE", `/shipping/rules/${id}`);
}

/** What decided the fields of an order, as the oracle says it. */
function decisionsOf(order: { decided_by: { field: string; by: string; rule_id: string; rule_revision: number }[] }) {
  return Object.fromEntries(
    order.decided_by.map(({ field, by, rule_id, rule_revision }) => [
      field,
      by === "person" ? by : [rule_id, rule_revision],
    ]),
  );
}

describe("a new order", () => {
  test("is recognized by the code of its shipping method, and a new code is compared again", async () => {
    await clear();
    await rule({ conditions: { shipping_methods: ["exp-*"] }, actions: { priority: 7 } });
    const order = await shop.order([["TEA-1", 1]], { shipping_method: "Fast", shipping_method_code: "EXP-1" });
    expect(order.priority).toBe(7);
    const changed = (await app.patch(`/orders/${order.id}`, { shipping_method_code: "STD-1" })).body.data;
    expect(changed).toMatchObject({ shipping_method_code: "STD-1", priority: 0 });
  });

  test("gets what rules decide, in one history row that names their revisions, and is created with it", async () => {
    await clear();
    const first = await rule({
      conditions: { shipping_methods: ["*express*"], countries: ["US"] },
      actions: { carrier: "local", service: "express", priority: 7, hold: { reason: "fraud", note: "Call first" } },
    });
    const second = await rule({
      actions: { priority: 1, packing_note: "Fragile", insure_above: 20, carton: { length: 9, width: 8, height: 7 } },
    });
    await app.takeTypes();
    const order = await shop.order([["TEA-1", 2]], { shipping_method: "UPS Express Saver" });
    expect(await shop.told()).toEqual(["order.created"]);
    expect(order).toMatchObject({
      ...{ status: "on_hold", priority: 7, packing_note: "Fragile" },
      shipping_choice: {
        carrier: "local",
        service: "express",
        insured: true,
        source: "rule",
        rule_id: first.id,
        rule_revision: 1,
      },
      holds: [{ reason: "fraud", note: "Call first", lifted_by: "release" }],
    });
    expect(decisionsOf(order as never)).toEqual({
      ...{ service: [first.id, 1], priority: [first.id, 1], hold: [first.id, 1] },
      ...{ carton: [second.id, 1], insurance: [second.id, 1], packing_note: [second.id, 1] },
    });
    const rows = (await historyOf(order["id"])).map(({ event, reason }) => [event, reason]);
    expect(rows).toEqual([
      ["create", null],
      ["shipping_rule", `${first.id} revision 1, ${second.id} revision 1`],
      ["hold", "fraud"],
    ]);
    await shop.expectVerified();
  });

  test("keeps what its request sets, and an order that no rule matches has nothing decided", async () => {
    await clear();
    await rule({
      conditions: { skus: ["tea-*"] },
      actions: { carrier: "local", service: "express", priority: 7, packing_note: "Rule", warehouse_id: "whs_1001" },
    });
    const set = { priority: 0, packing_note: "Mine", shipping_choice: { choose: "cheapest_in_time" } };
    const order = await shop.order([["TEA-1", 1]], set);
    expect(order).toMatchObject({
      priority: 0,
      packing_note: "Mine",
      shipping_choice: { carrier: null, choose: "cheapest_in_time", source: "person" },
    });
    expect(decisionsOf(order as never)).toMatchObject({
      service: "person",
      priority: "person",
      packing_note: "person",
    });
    expect(order["warehouse_id"]).toBe("whs_1001");
    const strict = await shop.order([["TEA-1", 1]], { allow_backorder: false });
    expect([strict["warehouse_id"], strict["priority"]]).toEqual([null, 7]);
    const plain = await shop.order([["HAT", 1]]);
    expect([plain["decided_by"], plain["shipping_choice"], plain["packing_note"], plain["priority"]]).toEqual([
      [],
      null,
      null,
      0,
    ]);
    expect((await historyOf(plain["id"])).map(({ event }) => event)).toEqual(["create"]);
  });
});

describe("a change", () => {
  test("evaluates the rules again, and what no rule decides any more gets its default back", async () => {
    await clear();
    const express = await rule({
      conditions: { shipping_methods: ["express"] },
      actions: { carrier: "local", service: "express", priority: 5 },
    });
    const rest = await rule({
      conditions: { shipping_methods: ["*"], one_unit: true },
      actions: { choose: "cheapest_in_time" },
    });
    const { id } = await shop.order([["TEA-1", 1]], { shipping_method: "express" });
    const changed = (await app.patch(`/orders/${id}`, { shipping_method: "slow" })).body.data;
    expect([changed.priority, changed.shipping_choice.choose]).toEqual([0, "cheapest_in_time"]);
    expect(await lastOf(id)).toEqual([
      "shipping_rule",
      `${rest.id} revision 1`,
      `cheapest in time (${rest.id} revision 1), priority 0 (no rule)`,
    ]);
    const more = (await app.patch(`/orders/${id}`, { line_items: [{ sku: "TEA-1", quantity: 2, unit_price: 1 }] })).body
      .data;
    expect([more.shipping_choice, more.decided_by]).toEqual([null, []]);
    await app.patch(`/shipping/rules/${express.id}`, { actions: { carrier: "local", service: "overnight" } });
    expect((await shop.get(id)).shipping_choice).toBeNull();
    const again = (await app.patch(`/orders/${id}`, { shipping_method: "Express" })).body.data;
    expect(again.shipping_choice).toMatchObject({ service: "overnight", rule_id: express.id, rule_revision: 2 });
  });

  test("of the tags evaluates the rules again until the order is packed, and in a trial", async () => {
    await clear();
    const { id: rule_id } = await rule({ conditions: { tags: ["gift", "VIP"] }, actions: { priority: 5 } });
    const { id } = await shop.order([["TEA-1", 1]], { tags: ["vips"] });
    expect((await shop.get(id)).priority).toBe(0);
    const tagged = await app.must("POST", `/orders/${id}/tag`, { tags: ["Vip"] });
    expect([tagged.priority, decisionsOf(tagged)]).toEqual([5, { priority: [rule_id, 1] }]);
    expect(await lastOf(id)).toEqual(["shipping_rule", `${rule_id} revision 1`, `priority 5 (${rule_id} revision 1)`]);
    const { data } = (await app.post("/shipping/rules/trials", {})).body;
    expect(data.rules).toEqual([{ id: rule_id, name: "Rule", orders: 1 }]);
    expect((await app.must("POST", `/orders/${id}/untag`, { tags: ["VIP"] })).priority).toBe(0);
    expect((await app.must("PATCH", `/orders/${id}`, { tags: ["GIFT"] })).priority).toBe(5);
    await shop.act(id, "pack");
    expect((await app.must("POST", `/orders/${id}/untag`, { tags: ["gift"] })).priority).toBe(5);
    await shop.expectVerified();
  });

  test("leaves what a person chose, until the person hands it back", async () => {
    await clear();
    await rule({ actions: { carrier: "local", service: "express", priority: 5 } });
    const { id } = await shop.order([["TEA-1", 1]]);
    const chosen = (
      await app.patch(`/orders/${id}`, { priority: 2, shipping_choice: { carrier: "post", service: "slow" } })
    ).body.data;
    expect(decisionsOf(chosen)).toEqual({ service: "person", priority: "person" });
    await app.patch(`/orders/${id}`, { shipping_method: "other" });
    expect(await shop.get(id)).toMatchObject({ priority: 2, shipping_choice: { carrier: "post", source: "person" } });
    const view = await shop.get(id);
    expect((await app.patch(`/orders/${id}`, { shipping_choice: view.shipping_choice })).body.data.revision).toBe(
      view.revision,
    );
    const back = (await app.patch(`/orders/${id}`, { shipping_choice: null })).body.data;
    expect(back).toMatchObject({ priority: 2, shipping_choice: { carrier: "local", source: "rule" } });
  });

  test("leaves what a person confirmed, even after the rule decides something else", async () => {
    await clear();
    const carton = { length: 9, width: 8, height: 7 };
    const decided = { carrier: "local", service: "express", priority: 5, packing_note: "Fragile", carton };
    const { id: rule_id } = await rule({ actions: { ...decided, insure_above: 0 } });
    const { id, shipping_choice, revision } = await shop.order([["TEA-1", 1]]);
    await app.takeTypes();
    const confirmed = await app.must("PATCH", `/orders/${id}`, {
      priority: 5,
      packing_note: "Fragile",
      shipping_choice,
    });
    const fields = ["service", "carton", "insurance", "priority", "packing_note"];
    expect(decisionsOf(confirmed)).toEqual(Object.fromEntries(fields.map((field) => [field, "person"])));
    expect(await lastOf(id)).toEqual(["update", null, "decided_by"]);
    expect([confirmed.revision, await shop.told()]).toEqual([revision + 1, []]);
    await app.patch(`/shipping/rules/${rule_id}`, { actions: { carrier: "post", service: "slow", priority: 1 } });
    await app.patch(`/orders/${id}`, { shipping_method: "other" });
    expect(await shop.get(id)).toMatchObject({
      ...{ priority: 5, packing_note: "Fragile" },
      shipping_choice: { carrier: "local", service: "express", carton, insured: true, source: "person" },
    });
    await shop.act(id, "ship");
    const shipped = await shop.get(id);
    expect((await app.patch(`/orders/${id}`, { priority: 5, tags: ["late"] })).body.data.tags).toEqual(["late"]);
    expect((await app.patch(`/orders/${id}`, { shipping_choice: shipped.shipping_choice })).status).toBe(200);
  });

  test("leaves a person's hold for the same reason as it is", async () => {
    await clear();
    await rule({ conditions: { shipping_methods: ["wait"] }, actions: { hold: { reason: "manual", note: "Rule" } } });
    const { id } = await shop.order([["TEA-1", 1]]);
    const hold = { reason: "manual", note: "Jane calls back", hold_until: "2099-01-01T00:00:00.000Z" };
    const { holds } = await app.create(`/orders/${id}/hold`, { ...hold, reserve_inventory: false });
    const patched = await app.must("PATCH", `/orders/${id}`, { shipping_method: "wait" });
    expect(patched.holds).toEqual(holds);
  });

  test("does not hold an order again that a person released", async () => {
    await clear();
    await rule({ actions: { hold: { reason: "payment" } } });
    const { id } = await shop.order([["TEA-1", 1]]);
    await shop.act(id, "release");
    await app.patch(`/orders/${id}`, { shipping_method: "other" });
    expect((await shop.get(id)).status).toBe("pending");
    const other = await rule({ conditions: { shipping_methods: ["third"] }, actions: { hold: { reason: "fraud" } } });
    await app.post("/shipping/rules/reorder", { rule_ids: [other.id] });
    const held = (await app.patch(`/orders/${id}`, { shipping_method: "third" })).body.data;
    expect([held.status, held.holds[0].reason]).toEqual(["on_hold", "fraud"]);
    await shop.expectVerified();
  });
});

test("orders that are created while a rule changes have what the revision says that they name", async () => {
  await clear();
  const { id } = await rule({ actions: { priority: 1 } });
  const change = async () => {
    for (let priority = 2; priority <= 6; priority += 1)
      await app.patch(`/shipping/rules/${id}`, { actions: { priority } });
    await app.call("DELETE", `/shipping/rules/${id}`);
  };
  const place = () => shop.order([["TEA-1", 1]]);
  const several = async () => [await place(), await place(), await place(), await place()];
  const [placed] = await Promise.all([Promise.all([several(), several(), several()]), change()]);
  for (const order of placed.flat()) {
    // The revision that sets a priority has its number.
    const revision = order["decided_by"][0]?.rule_revision ?? 0;
    expect(order["priority"]).toBe(revision);
  }
  await shop.expectVerified();
});

describe("200 random orders", () => {
  test("get what the oracle decides, and nothing that a person set is overwritten", async () => {
    await clear();
    const random = seededRandom(4711);
    for (let turn = 0; turn < 20; turn += 1) {
      await clear();
      const rules: OracleRule[] = [];
      for (let count = random.integer(1, 6); count > 0; count -= 1) {
        rules.push(await rule({ ...randomRule(random, ["1", here]), merchant_id: random.pick([null, "MAIN"]) }));
      }
      for (let order = 0; order < 10; order += 1) await checkOne(random, rules);
    }
    await shop.expectVerified();
  }, 60_000);
});

async function checkOne(random: Random, rules: readonly OracleRule[]) {
  const lines = skus.filter(() => random.chance(0.4)).map((sku) => [sku, random.integer(1, 3)] as const);
  if (lines.length === 0) lines.push(["HAT", 1]);
  const sent = {
    ...(random.chance(0.3) && { priority: random.integer(-1, 1) }),
    ...(random.chance(0.3) && { packing_note: "By hand" }),
    ...(random.chance(0.3) && { shipping_choice: { carrier: "mine", service: "own" } }),
  };
  const facts = {
    shipping_method: random.pick(["Express", "Standard", "2-day air", null]),
    tags: tags.filter(() => random.chance(0.4)),
    requires_cold_storage: false,
  };
  const order = await shop.order(lines, { ...facts, ...sent });
  check(await shop.get(order["id"]), rules, sent);
  const changed = { shipping_method: random.pick(["Express", "slow"]), ...(random.chance(0.5) && { priority: 77 }) };
  await app.patch(`/orders/${order["id"]}`, changed);
  const { held: _held, ...after } = await shop.get(order["id"]);
  check(after, rules, { ...sent, ...("priority" in changed && { priority: 77 }) }, "hold");
}

/** Compares an order with the oracle. What was sent must be there. */
function check(order: Answered, rules: readonly OracleRule[], sent: object, except?: string) {
  expect(order).toMatchObject(sent);
  const decided = decide(rules, oracleOrder(order));
  const person = [
    ...("priority" in sent ? ["priority"] : []),
    ...("packing_note" in sent ? ["packing_note"] : []),
    ...("shipping_choice" in sent ? ["service"] : []),
  ];
  const found = decisionsOf(order as never);
  const fields = [...new Set([...Object.keys(decided), ...Object.keys(found)])].filter((field) => field !== except);
  for (const field of fields) {
    const [, id, revision] = decided[field] ?? [];
    const wanted = person.includes(field) ? "person" : decided[field] && [id, revision];
    // A later rule with the same value does not replace the one that decided first.
    if (except === undefined) expect({ field, by: found[field] }).toEqual({ field, by: wanted as never });
    if (person.includes(field)) continue;
    expect({ field, value: valueIn(order, field) }).toEqual({ field, value: decided[field]?.[0] ?? defaults[field] });
  }
}

const defaults: Record<string, unknown> = {
  service: null,
  carton: null,
  insurance: false,
  priority: 0,
  packing_note: null,
};

function valueIn(order: Answered, field: string): unknown {
  const choice = order["shipping_choice"] ?? {};
  if (field === "service") {
    if (choice.carrier) return `${choice.carrier}/${choice.service}`;
    return choice.choose ? [choice.choose, choice.days_max, choice.price_max].join("/") : null;
  }
  if (field === "carton") return choice.carton?.length ?? null;
  if (field === "insurance") return choice.insured ?? false;
  if (field === "hold") return order["holds"][0]?.reason;
  return order[field];
}

type Answered = Awaited<ReturnType<typeof shop.get>>;

function oracleOrder(order: Answered): OracleOrder {
  const lines = order["line_items"] as { sku: string; quantity: number }[];
  return {
    merchant_id: order["merchant_id"],
    method: order["shipping_method"],
    country: order["shipping_address"].country,
    zone: here,
    grams: lines.reduce((sum, { sku, quantity }) => sum + quantity * (grams[skus.indexOf(sku)] ?? 0), 0),
    value: order["subtotal"],
    currency: order["currency"],
    skus: lines.map(({ sku }) => sku),
    units: lines.reduce((sum, { quantity }) => sum + quantity, 0),
    platform: "api",
    tags: order["tags"],
    cold: order["requires_cold_storage"],
  };
}
