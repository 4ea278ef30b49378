// An order in a bulk request names its merchant like a single order, with the same refusals.
import { beforeAll, expect, test } from "bun:test";
import { openApp } from "../../build/service.ts";
import { portland } from "../../build/shop.ts";

let number = 0;
const customers: Record<string, { id: string; shipping_addresses: [{ id: string }] }> = {};
const keys: Record<string, string> = {};

const app = await openApp();
beforeAll(async () => {
  for (const code of ["ACME", "BOLT", "GONE"]) {
    await app.post("/merchants", { code, name: code });
    keys[code] = (await app.post("/keys", { name: code, permission: "full", merchant_id: code })).body.data.key;
    await app.product("TEA", { merchant_id: code });
    const buyer = { email: "jane@example.com", shipping_addresses: [portland], merchant_id: code };
    customers[code] = (await app.post("/customers", buyer)).body;
  }
  await app.post("/merchants/GONE/close");
});

/** An order for a merchant's customer, with a unique number. */
function draft(of: string, fields: object = {}) {
  number += 1;
  const { id = "", shipping_addresses = [{ id: "" }] } = customers[of] ?? {};
  const to = { customer_id: id, shipping_address_id: shipping_addresses[0].id };
  return {
    order_number: `N-${number}`,
    ...to,
    line_items: [{ sku: "TEA", quantity: 1, unit_price: "3.00" }],
    ...fields,
  };
}

const cases: [string, string, object, string | null, Record<string, string>?][] = [
  ["no merchant", "ACME", {}, null],
  ["its customer's, by code", "ACME", { merchant_id: "ACME" }, null],
  ["its customer's, by id", "ACME", { merchant_id: "mer_1001" }, null],
  ["what names nobody", "ACME", { merchant_id: null }, "validation_failed"],
  ["another one", "ACME", { merchant_id: "BOLT" }, "resource_missing"],
  ["one that there is not", "ACME", { merchant_id: "NOPE" }, "validation_failed"],
  ["a closed one", "GONE", { merchant_id: "GONE" }, "merchant_closed"],
  ["another than the header", "ACME", { merchant_id: "ACME" }, "validation_failed", { "packhouse-merchant": "BOLT" }],
];

test.each(cases)("one that names %s", async (_, of, fields, code, headers = {}) => {
  const alone = await app.call("POST", "/orders", draft(of, fields), { headers });
  const orders = [draft(of, fields), draft(of, fields)];
  const { status, body } = await app.call("POST", "/orders/bulk", { orders }, { headers });
  expect(status).toBe(200);
  expect(alone.body.error?.code ?? null).toBe(code);
  for (const one of body.data.results) {
    expect(one.status).toBe(alone.status);
    const { code: told, details } = one.error ?? {};
    expect([told, details]).toEqual([alone.body.error?.code, alone.body.error?.details]);
    if (code === null) expect(one.data.merchant_id).toBe(alone.body.data.merchant_id);
  }
});

test("orders of several merchants in one list belong to the merchant that each names", async () => {
  const orders = [
    draft("ACME", { order_number: "X-1", merchant_id: "ACME" }),
    draft("BOLT", { order_number: "X-1", merchant_id: "BOLT" }),
    draft("BOLT", { order_number: "X-2", merchant_id: "ACME" }),
  ];
  const { data } = (await app.post("/orders/bulk", { orders })).body;
  const told = data.results.map(({ status, data: order }: { status: number; data?: { merchant_id: string } }) => {
    return [status, order?.merchant_id];
  });
  expect(told).toEqual([
    [201, "mer_1001"],
    [201, "mer_1002"],
    [404, undefined],
  ]);
});

test("a merchant's key names its own merchant or none", async () => {
  const orders = [{}, { merchant_id: "ACME" }, { merchant_id: "BOLT" }, { merchant_id: "NOPE" }];
  const asked = { orders: orders.map((fields) => draft("ACME", fields)) };
  const { data } = (await app.call("POST", "/orders/bulk", asked, { key: keys["ACME"] as string })).body;
  expect(data.results.map(({ status }: { status: number }) => status)).toEqual([201, 201, 422, 422]);
  const [, , other, none] = data.results;
  expect(other.error).toEqual(none.error);
});
