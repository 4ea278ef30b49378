import { describe, expect, test } from "bun:test";
import { openApp } from "../../build/service.ts";
import { fieldsOf } from "../../build/shop.ts";

const app = await openApp();
const path = "/shipping/rules";
const create = (body: object) => app.create(path, body);
const other = await app.create("/merchants", { code: "OTHER", name: "Other" });
const names = async (query = "") => (await app.get(path + query)).body.data.map(({ name }: { name: string }) => name);

describe("works", () => {
  test("a rule shows what it leaves open as null, and counts its revisions in its history", async () => {
    const rule = await create({
      merchant_id: "MAIN",
      name: "Express to Canada",
      conditions: {
        shipping_methods: ["*express*"],
        countries: ["CA"],
        weight_max: 5,
        weight_unit: "lbs",
        value_min: 9,
      },
      actions: {
        carrier: "local",
        service: "express",
        insure_above: "200",
        hold: {},
        carton: { length: 9, width: 8, height: 7 },
      },
    });
    expect(rule).toMatchObject({
      merchant_id: "mer_1",
      position: 1,
      active: true,
      revision: 1,
      conditions: { weight_min: null, weight_max: 5, weight_unit: "lb", value_min: 9, currency: "USD", skus: null },
      actions: {
        ...{
          carrier: "local",
          choose: null,
          insure_above: 200,
          hold: { reason: "manual", note: null },
          priority: null,
        },
        carton: { length: 9, width: 8, height: 7, unit: "in", weight: null, weight_unit: null },
      },
    });
    expect((await app.get(`${path}/${rule.id}`)).body.data).toEqual(rule);
    const { body, headers } = await app.patch(`${path}/${rule.id}`, { actions: { priority: 3 } });
    expect([body.data.revision, headers.get("etag"), body.data.conditions]).toEqual([2, '"2"', rule.conditions]);
    expect((await app.patch(`${path}/${rule.id}`, { name: rule.name, merchant_id: "mer_1" })).body.data.revision).toBe(
      2,
    );
    const { data } = (await app.get(`${path}/${rule.id}/history`)).body;
    expect(
      data.map((row: { revision: number; rule: { actions: object } }) => [row.revision, row.rule.actions]),
    ).toEqual([
      [2, body.data.actions],
      [1, rule.actions],
    ]);
    expect((await app.call("DELETE", `${path}/${rule.id}`)).body.data).toEqual({ id: rule.id, deleted: true });
    expect((await app.get(`${path}/${rule.id}`)).status).toBe(404);
    expect((await app.get(`${path}/${rule.id}/history`)).body.data).toHaveLength(2);
  });

  test("rules for single merchants come first, and each group has its own order", async () => {
    const ids: Record<string, string> = {};
    for (const [name, merchant_id] of [
      ["A", null],
      ["B", null],
      ["C", "OTHER"],
      ["D", null],
      ["E", other.id],
    ] as const) {
      ids[name] = (await create({ name, merchant_id, actions: { priority: 1 } })).id;
    }
    expect(await names()).toEqual(["C", "E", "A", "B", "D"]);
    expect(await names("?limit=2&page=2")).toEqual(["A", "B"]);
    const { meta } = (await app.get(`${path}?limit=2`)).body;
    expect(await names(`?limit=2&cursor=${meta.pagination.next_cursor}`)).toEqual(["A", "B"]);
    expect(await names(`?merchant=${other.id}`)).toEqual(["C", "E", "A", "B", "D"]);
    expect(await names("?merchant=MAIN")).toEqual(["A", "B", "D"]);
    const reordered = await app.post(`${path}/reorder`, { rule_ids: [ids["D"], ids["A"], ids["B"]] });
    expect(
      reordered.body.data.map(({ name, position, revision }: { name: string; position: number; revision: number }) => [
        ...[name, position, revision],
      ]),
    ).toEqual([
      ["D", 1, 2],
      ["A", 2, 2],
      ["B", 3, 2],
    ]);
    expect(await names()).toEqual(["C", "E", "D", "A", "B"]);
    const same = await app.post(`${path}/reorder`, { rule_ids: [ids["D"], ids["A"], ids["B"]] });
    expect(same.body.data.every(({ revision }: { revision: number }) => revision === 2)).toBe(true);
    expect((await app.post(`${path}/reorder`, { rule_ids: [ids["B"]] })).body.data).toHaveLength(3);
    expect(await names()).toEqual(["C", "E", "B", "D", "A"]);
    for (const rule_ids of [[ids["D"], ids["D"]], [ids["D"], ids["C"]], ["rul_99"]]) {
      expect((await app.post(`${path}/reorder`, { rule_ids })).status).toBe(rule_ids[0] === "rul_99" ? 404 : 422);
    }
  });
});

describe("at the same time", () => {
  test("reordered rules end in an order that one request asked for, with one revision for each move", async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        create({ name: `Race ${at}`, merchant_id: "OTHER", actions: { priority: at } }),
      ),
    );
    const ids = made.map(({ id }) => id);
    const orders = Array.from({ length: 12 }, (_, at) => [...ids.slice(at % 8), ...ids.slice(0, at % 8)]);
    for (const order of orders.slice(6)) order.reverse();
    const answers = await Promise.all(orders.map((rule_ids) => app.post(`${path}/reorder`, { rule_ids })));
    expect(answers.map(({ status }) => status)).toEqual(orders.map(() => 200));
    const listed = (await app.get(`${path}?merchant=OTHER`)).body.data;
    const raced = listed.map(({ id }: { id: string }) => id).filter((id: string) => ids.includes(id));
    expect(orders).toContainEqual(raced);
    for (const { id, revision } of listed.filter(({ id }: { id: string }) => ids.includes(id))) {
      const { data } = (await app.get(`${path}/${id}/history?limit=100`)).body;
      expect(data.map((row: { revision: number }) => row.revision)).toEqual(
        Array.from({ length: revision }, (_, at) => revision - at),
      );
    }
  });
});

describe("refuses", () => {
  test("actions and conditions that contradict themselves", async () => {
    const problems = async (body: object) =>
      fieldsOf(await app.post(path, { name: "Bad", actions: { priority: 1 }, ...body }));
    expect(await problems({ actions: {} })).toEqual(["actions"]);
    expect(await problems({ actions: { carrier: "local" } })).toEqual(["actions.service"]);
    expect(await problems({ actions: { service: "express", choose: "fastest_under" } })).toEqual([
      "actions.carrier",
      "actions.price_max",
    ]);
    expect(await problems({ actions: { choose: "cheapest_in_time", price_max: 3 } })).toEqual(["actions.price_max"]);
    expect(await problems({ actions: { warehouse_id: "whs_99" } })).toEqual(["actions.warehouse_id"]);
    expect(await problems({ conditions: { countries: ["XX"] } })).toEqual(["conditions.countries[0]"]);
    expect(await problems({ conditions: { weight_min: 2, weight_max: 1 } })).toEqual(["conditions.weight_max"]);
    expect(await problems({ conditions: { value_min: 2, value_max: "1.99" } })).toEqual(["conditions.value_max"]);
    expect(await problems({ merchant_id: "NOBODY" })).toEqual(["merchant_id"]);
  });

  test("another merchant of an existing rule, and everything from merchants", async () => {
    const { id } = await create({ name: "Ours", actions: { priority: 2 } });
    expect((await app.patch(`${path}/${id}`, { merchant_id: "OTHER" })).body.error.code).toBe("immutable_field");
    const { key } = await app.create("/keys", { name: "shop", permission: "full", merchant_id: "OTHER" });
    for (const [method, at] of [
      ["GET", path],
      ["GET", `${path}/${id}`],
      ["POST", path],
      ["DELETE", `${path}/${id}`],
    ] as const) {
      const body = method === "POST" ? { name: "Mine", actions: { priority: 1 } } : undefined;
      expect((await app.call(method, at, body, { key })).body.error.code).toBe("not_for_merchants");
    }
  });
});
