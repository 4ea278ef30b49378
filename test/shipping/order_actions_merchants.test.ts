// A merchant may request a bulk action exactly if it may request it for one order.
import { beforeAll, expect, test } from "bun:test";
import { buyerOf } from "../build/buyer.ts";
import { openApp } from "../build/service.ts";
import { portland } from "../build/shop.ts";

const keys: Record<string, string> = {};

const app = await openApp();
beforeAll(async () => {
  await app.must("PATCH", "/inventory/locations/whs_1001", {
    address: { ...portland, name: "House", phone: "5035550100" },
  });
  for (const [code, may_buy_labels] of [
    ["ACME", false],
    ["BOLT", true],
  ] as const) {
    await app.must("POST", "/merchants", { code, name: code, may_buy_labels });
    const { key } = await app.must("POST", "/keys", { name: code, permission: "full", merchant_id: code });
    keys[code] = key;
    await app.must("POST", "/products", { sku: `${code}-TEA`, name: "Tea", merchant_id: code });
    await app.must("POST", "/inventory", { sku: `${code}-TEA`, quantity: 50, location: "whs_1001", bin: `A-${code}` });
  }
});

let number = 0;
async function order(code: string): Promise<string> {
  number += 1;
  const buyer = await buyerOf(app.must, { email: `jane${number}@example.com`, merchant_id: code });
  return (await buyer.order(`N-${number}`, [[`${code}-TEA`, 1]])).id;
}

const label = { carrier: "local", service: "standard", package: { weight: "1" } };
const why = { reason: "mistake" };
const acts: [string, (id: string) => [string, string, unknown], object][] = [
  ["hold", (id) => ["POST", `/orders/${id}/hold`, {}], {}],
  ["release", (id) => ["POST", `/orders/${id}/release`, {}], {}],
  ["tag", (id) => ["POST", `/orders/${id}/tag`, { tags: ["vip"] }], { tags: ["vip"] }],
  ["untag", (id) => ["POST", `/orders/${id}/untag`, { tags: ["vip"] }], { tags: ["vip"] }],
  ["process", (id) => ["POST", `/orders/${id}/process`, {}], {}],
  ["allocate", (id) => ["POST", `/orders/${id}/allocate`, {}], {}],
  ["pick", (id) => ["POST", `/orders/${id}/pick`, {}], {}],
  ["pack", (id) => ["POST", `/orders/${id}/pack`, {}], {}],
  ["unpick", (id) => ["POST", `/orders/${id}/unpick`, why], why],
  ["unpack", (id) => ["POST", `/orders/${id}/unpack`, why], why],
  ["ship", (id) => ["POST", `/orders/${id}/ship`, {}], {}],
  ["deliver", (id) => ["POST", `/orders/${id}/deliver`, {}], {}],
  ["cancel", (id) => ["DELETE", `/orders/${id}`, {}], {}],
  ["buy_label", (id) => ["POST", "/shipping/labels", { order_id: id, ...label }], label],
];
const of_operator = ["process", "allocate", "pick", "pack", "unpick", "unpack", "ship", "deliver"];
const refused: Record<string, string[]> = { ACME: [...of_operator, "buy_label"], BOLT: of_operator };

for (const code of ["ACME", "BOLT"]) {
  test.each(acts)(`${code} requests to %s`, async (action, alone, input) => {
    const key = keys[code] as string;
    const [one, many] = [await order(code), await order(code)];
    const single = await app.call(...alone(one), { key });
    const { status, body } = await app.call("POST", "/orders/actions", { action, order_ids: [many], input }, { key });
    const is_refused = refused[code]?.includes(action) ?? false;
    expect([single.body.error?.code, body.error?.code]).toEqual(
      is_refused ? ["not_for_merchants", "not_for_merchants"] : [undefined, undefined],
    );
    if (is_refused) {
      expect(body.error).toMatchObject({
        action,
        message: expect.stringContaining(`The action ${action} is only available to the operator`),
      });
    }
    expect(is_refused ? [status] : [status, body.data.done]).toEqual(is_refused ? [403] : [200, 1]);
    const after = await app.must("GET", `/orders/${many}`, undefined);
    if (is_refused) expect(after).toMatchObject({ status: "pending", shipments: [], revision: 1 });
  });
}

test("every action is tested", async () => {
  const { body } = await app.post("/orders/actions", { action: "?", order_ids: ["ord_1"] });
  const [choices] = /hold.*$/.exec(body.error.message) ?? [""];
  expect(choices.replace(/\.$/, "").split(", ")).toEqual(acts.map(([action]) => action));
});
