// The shipping methods of a shop's orders, and the rules that name them.
import { expect, setDefaultTimeout, test } from "bun:test";
import { openApp } from "../../build/service.ts";
import { connectShopify, shopifyOrder, stock, take } from "../stores.ts";

setDefaultTimeout(30_000);

const app = await openApp();
const call = async (method: string, path: string, body?: unknown) => {
  const answer = await app.call(method, path, body);
  expect([path, answer.status < 300]).toEqual([path, true]);
  return answer.body.data;
};

test("are listed by how often they occur, with the active rules that name them", async () => {
  await stock(app, "MUG");
  const shop = await connectShopify(app);
  const path = `/platforms/${shop.id}/shipping_methods`;
  expect(await call("GET", path)).toEqual([]);
  const lines = [
    [{ title: "Ground", price: "4.00" }],
    [{ title: "Express, by noon", code: "EXPRESS", price: "9.00" }],
    [{ title: "Ground", price: "4.00" }],
    [],
  ];
  for (const [at, shipping_lines] of lines.entries()) {
    await take(app, shop, shopifyOrder(8000 + at, { shipping_lines }));
  }
  await app.runJobs();
  const ground = { shipping_method: "Ground", shipping_method_code: null, orders: 2, rule_ids: [] };
  const express = { shipping_method: "Express, by noon", shipping_method_code: "EXPRESS", orders: 1, rule_ids: [] };
  const none = { shipping_method: null, shipping_method_code: null, orders: 1, rule_ids: [] };
  const seen = await call("GET", path);
  expect(seen[0]).toMatchObject(ground);
  const others = [express, none].map((method) => expect.objectContaining(method));
  expect(seen.slice(1)).toHaveLength(2);
  expect(seen).toEqual(expect.arrayContaining(others));

  const rule = (name: string, shipping_methods: string[] | null, active = true) =>
    call("POST", "/shipping/rules", { name, active, conditions: { shipping_methods }, actions: { priority: 1 } });
  await rule("Any", null);
  await rule("Asleep", ["*"], false);
  const fast = await rule("Fast", ["express"]);
  const rulesOf = async () => {
    const all = (await call("GET", path)) as { shipping_method: string | null; rule_ids: string[] }[];
    return Object.fromEntries(all.map(({ shipping_method, rule_ids }) => [shipping_method, rule_ids]));
  };
  expect(await rulesOf()).toEqual({ Ground: [], "Express, by noon": [fast.id], null: [] });
});
