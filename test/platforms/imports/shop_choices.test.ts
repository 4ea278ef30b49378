// Orders that a connection may treat in two ways, and orders whose address Shopify withholds.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openApp } from "../../build/service.ts";
import { address, connectShopify, shopifyOrder, stock, take } from "../stores.ts";

setDefaultTimeout(30_000);

const app = await openApp();
afterAll(() => app.close());
await stock(app, "TEA");

type Shop = Awaited<ReturnType<typeof connectShopify>>;
let orders = 60_000;
const at = (minute: number) => `2026-01-02T03:0${minute}:00Z`;
const imports = async (shop: Shop) =>
  ((await shop.imports()) as { status: string; reason: { code: string } | null }[]).map(
    ({ status, reason }) => `${status} ${reason?.code ?? ""}`,
  );
const choose = async (shop: Shop, fields: object) => {
  const { status, body } = await app.patch(`/platforms/${shop.id}`, fields);
  expect(status).toBe(200);
  await app.runJobs();
  return body.data;
};

describe("an order whose payment is expected later", () => {
  const pending = { financial_status: "pending" };

  test("waits until it is paid, unless the connection imports it at once", async () => {
    const shop = await connectShopify(app);
    expect(await take(app, shop, shopifyOrder(++orders, pending))).toBe(null);
    expect(await imports(shop)).toEqual(["waiting unpaid"]);
    expect(await choose(shop, { pending_orders: "import" })).toMatchObject({ pending_orders: "import" });
    expect(await imports(shop)).toEqual(["imported "]);
    expect(await take(app, shop, shopifyOrder(++orders, pending))).toMatchObject({ status: "pending", holds: [] });
    expect(await take(app, shop, shopifyOrder(++orders, { financial_status: "authorized" }))).toBe(null);
  });

  test("continues without a hold when it is paid, and is cancelled if the payment is voided", async () => {
    const shop = await connectShopify(app, { pending_orders: "import" });
    const id = ++orders;
    await take(app, shop, shopifyOrder(id, pending));
    const paid = await take(app, shop, shopifyOrder(id, { updated_at: at(1) }));
    expect(paid).toMatchObject({ status: "pending", holds: [] });
    const voided = await take(app, shop, shopifyOrder(id, { financial_status: "voided", updated_at: at(2) }));
    expect(voided.status).toBe("cancelled");
  });
});

describe("a test order", () => {
  test("is not imported into live data, unless the connection does so", async () => {
    const shop = await connectShopify(app);
    expect(await take(app, shop, shopifyOrder(++orders, { test: true }))).toBe(null);
    expect(await imports(shop)).toEqual(["ignored test_order"]);
    await choose(shop, { test_orders: "import" });
    expect(await imports(shop)).toEqual(["imported "]);
    expect(await take(app, shop, shopifyOrder(++orders, { test: true }))).toMatchObject({ tags: ["test order"] });
    expect(await take(app, shop, shopifyOrder(++orders))).toMatchObject({ tags: [] });
  });
});

test("both choices are for Shopify only", async () => {
  const store = { platform: "bigcommerce", store_id: "choices1", api_token: "tok_333333333333", status: "paused" };
  const url = { api_url: "https://93.184.216.34" };
  const { status, body } = await app.post("/platforms", { ...store, ...url, pending_orders: "import" });
  expect([status, body.error.details[0].field]).toEqual([422, "pending_orders"]);
  const made = await app.post("/platforms", { ...store, ...url, pending_orders: "wait" });
  expect([made.status, (await app.patch(`/platforms/${made.body.data.id}`, { test_orders: "import" })).status]).toEqual(
    [201, 422],
  );
});

describe("an order without the buyer's name and street", () => {
  const none = { name: null, address1: null, address2: null, city: null, zip: null, phone: null };
  const hidden = { shipping_address: address(none), email: null };
  const reasons = ({ holds }: { holds: { reason: string; lifted_by: string }[] }) =>
    holds.map(({ reason, lifted_by }) => `${reason} ${lifted_by}`);

  test("is held with what to do, until the shop gives the address", async () => {
    const shop = await connectShopify(app);
    const id = ++orders;
    const order = await take(app, shop, shopifyOrder(id, hidden));
    expect([order.status, reasons(order)]).toEqual(["on_hold", ["address_hidden cause"]]);
    expect(order.holds[0].note).toContain("Basic and Starter plans");
    const whole = await take(app, shop, shopifyOrder(id, { updated_at: at(1) }));
    expect([whole.status, whole.holds, whole.shipping_address.city]).toEqual(["pending", [], "Louisville"]);
  });

  test("is held until the address is entered here, which a hidden one does not replace", async () => {
    const shop = await connectShopify(app);
    const id = ++orders;
    const order = await take(app, shop, shopifyOrder(id, hidden));
    const at_home = { name: "Ida Holm", address_line1: "1 Pier St", city: "Reno", state: "NV", country: "US" };
    const path = `/customers/${order.customer_id}/addresses`;
    const made = await app.post(path, { ...at_home, postal_code: "89501" });
    const fixed = await app.patch(`/orders/${order.id}`, { shipping_address_id: made.body.id });
    expect([fixed.body.data.status, fixed.body.data.holds]).toEqual(["pending", []]);
    const other = { ...hidden, shipping_address: address({ ...none, province_code: "NV" }), updated_at: at(1) };
    const after = await take(app, shop, shopifyOrder(id, other));
    expect([after.status, after.shipping_address.city]).toEqual(["pending", "Reno"]);
  });
});
