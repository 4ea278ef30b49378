// With several merchants, a request without a merchant is resolved by the other records that it names, or
// refused.
import { expect, test } from "bun:test";
import { openApp } from "../build/service.ts";
import { portland } from "../build/shop.ts";

const location = "whs_1001";
let to = {};

const app = await openApp();
for (const code of ["ACME", "BOLT"]) {
  await app.post("/merchants", { code, name: code });
  // One SKU is used by both merchants, the other by one only.
  for (const sku of ["TEA", `${code}-TEA`]) await app.product(sku, { merchant_id: code });
  const buyer = { email: "jane@example.com", shipping_addresses: [portland], merchant_id: code };
  const { id, shipping_addresses } = (await app.post("/customers", buyer)).body;
  to = { customer_id: id, shipping_address_id: shipping_addresses[0].id };
}

const line_items = [{ sku: "TEA", quantity: 1, unit_price: "3.00" }];
const decided: [string, string, () => object][] = [
  ["POST", "/orders", () => ({ order_number: "N-1", ...to, line_items })],
  ["POST", "/inventory", () => ({ sku: "BOLT-TEA", quantity: 5, location, bin: "B-1" })],
  ["PATCH", "/inventory/BOLT-TEA", () => ({ adjustment: 1, reason: "found" })],
  ["POST", "/inventory/moves", () => ({ sku: "BOLT-TEA", quantity: 1, bin: "B-1", to_bin: "B-2" })],
  ["POST", "/inventory/receipts", () => ({ location, items: [{ sku: "BOLT-TEA", quantity: 5 }] })],
];
const undecided: [string, string, () => object][] = [
  ["POST", "/inventory", () => ({ sku: "TEA", quantity: 5, location })],
  ["PATCH", "/inventory/TEA", () => ({ adjustment: 1, reason: "found", location })],
  ["POST", "/inventory/receipts", () => ({ location, items: [{ sku: "TEA", quantity: 5 }] })],
  ["POST", "/inventory/reserve", () => ({ order_id: "later", items: [{ sku: "BOLT-TEA", quantity: 1 }] })],
  ["POST", "/products", () => ({ sku: "NEW", name: "New" })],
  ["POST", "/customers", () => ({ email: "jo@example.com" })],
  ["POST", "/billing/events", () => ({ minutes: 5, description: "Relabelled" })],
];

test.each(decided)(
  "%s %s needs no name where a customer or a SKU of one merchant decides",
  async (method, path, body) => {
    const { status, body: answer } = await app.call(method, path, body());
    expect([answer.error, status < 300]).toEqual([undefined, true]);
  },
);

test("and it is that merchant's", async () => {
  const owners = async (path: string) =>
    (await app.get(path)).body.data.map(({ merchant_id }: { merchant_id: string }) => merchant_id);
  expect(await owners("/orders")).toEqual(["mer_1002"]);
  expect(await owners("/inventory/receipts")).toEqual(["mer_1002"]);
  expect(new Set(await owners("/inventory/movements"))).toEqual(new Set(["mer_1002"]));
});

test.each(undecided)("%s %s is refused where nothing decides", async (method, path, body) => {
  const { status, body: answer } = await app.call(method, path, body());
  expect([status, answer.error.code]).toEqual([422, "merchant_required"]);
  const named = await app.call(
    method,
    path,
    { ...body(), ...(method === "POST" && { merchant_id: "BOLT" }) },
    { headers: { "packhouse-merchant": "BOLT" } },
  );
  expect(named.body.error?.code).not.toBe("merchant_required");
});
