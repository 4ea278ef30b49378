// Orders of BigCommerce with several destinations: one order here for each.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { reconcile } from "../../../src/platforms/imports/imports.jobs.ts";
import { openTestApp, type TestApp } from "../../build/service.ts";
import { openBigCommerce, type StoreOrder, storeOrder } from "../mocks/bigcommerce.ts";

// The machine may be busy.
setDefaultTimeout(30_000);

let app: TestApp;
let bc: Awaited<ReturnType<typeof openBigCommerce>>;
let imports_path: string;
let behind_ms = 3_600_000;
const now = () => {
  behind_ms -= 1000;
  return Date.now() - behind_ms;
};
const call = (method: string, path: string, body?: unknown) =>
  app.call(method, path, body, { key: app.keys.test.full });
const done = async (method: string, path: string, body?: unknown) => {
  const answer = await call(method, path, body);
  expect([method, path, answer.status, answer.body.error]).toEqual([method, path, answer.status, undefined]);
  return answer.body.data;
};
const fetchAll = async () => {
  await reconcile(app.service.stores.test, app.service);
  await app.runJobs();
};

beforeAll(async () => {
  app = await openTestApp();
  bc = await openBigCommerce({ now });
  const store = { platform: "bigcommerce", store_id: bc.hash, api_url: bc.url, api_token: bc.token };
  const { id } = await done("POST", "/platforms", { ...store, pickup_orders: "import", order_prefix: "A-" });
  imports_path = `/platforms/${id}/imports`;
  for (const sku of ["MUG", "TRAY", "BOWL"]) {
    await done("POST", "/products", { sku, name: sku });
    await done("POST", "/inventory", { sku, quantity: 100, location: "whs_1000000001" });
  }
});
afterAll(async () => {
  bc.stop();
  await app.close();
});

/** Places an order of two mugs to Austin, three trays to Dallas, and a bowl that is collected. */
const place = (id: number): StoreOrder => {
  const second = id * 10 + 1;
  const order = bc.add(
    storeOrder(id, now(), { shipping_cost_ex_tax: "9.00" }, [
      { sku: "TRAY", quantity: 3, order_address_id: second },
      { sku: "MUG", quantity: 2 },
      { sku: "BOWL", quantity: 1, order_address_id: 0, order_pickup_method_id: 4 },
    ]),
  );
  const elsewhere = { city: "Dallas", street_1: "1 Elm Street", zip: "75201", cost_ex_tax: "3.5000" };
  order.addresses.unshift({ ...order.addresses[0], ...elsewhere, id: second, shipping_method: "Express" });
  return order;
};
const ordersOf = async (id: number) => {
  const [record] = await done("GET", `${imports_path}?external_id=${id}`);
  const ids = [record.order_id, ...record.other_order_ids];
  return Promise.all(ids.map((one: string) => done("GET", `/orders/${one}`)));
};

test("become one order for each destination, which ships and changes on its own", async () => {
  const placed = place(31);
  await fetchAll();
  const [first, second, third] = await ordersOf(31);
  const shown = [first, second, third].map((order) => [
    ...[order.order_number, order.shipping_address.city, order.fulfillment_type, order.shipping_amount],
    ...[order.shipping_method, order.source.external_id],
    order.line_items.map(({ sku, quantity }: { sku: string; quantity: number }) => `${quantity} ${sku}`).join(),
  ]);
  expect(shown).toEqual([
    ["A-31", "Austin", "ship", 5.5, "Ground", "31", "2 MUG"],
    ["A-31-2", "Dallas", "ship", 3.5, "Express", "31", "3 TRAY"],
    ["A-31-3", "Austin", "pickup", 0, null, "31", "1 BOWL"],
  ]);
  // A refund and a new address of one destination leave the others as they are.
  for (const product of placed.products.filter(({ sku }) => sku === "TRAY")) product.quantity_refunded = 1;
  Object.assign(placed.addresses[0] as object, { street_1: "2 Elm Street" });
  bc.change(placed, {});
  await fetchAll();
  const [same, changed] = await ordersOf(31);
  expect(same.revision).toBe(first.revision);
  expect(changed).toMatchObject({ line_items: [{ quantity: 2 }], shipping_address: { address_line1: "2 Elm Street" } });
  await done("POST", `/orders/${second.id}/ship`, { tracking_number: "T2" });
  await app.runJobs();
  expect(placed.shipments).toMatchObject([{ order_address_id: 311, tracking_number: "T2", items: [{ quantity: 2 }] }]);
  await done("POST", `/orders/${third.id}/pack`, {});
  await done("POST", `/orders/${third.id}/deliver`, {});
  await app.runJobs();
  // Something is still to be shipped.
  expect(placed.fields["status_id"]).toBe(3);
  await done("POST", `/orders/${first.id}/ship`, { tracking_number: "T1" });
  await app.runJobs();
  expect(placed.shipments[1]).toMatchObject({ order_address_id: 310, items: [{ quantity: 2 }] });
  await fetchAll();
  expect((await ordersOf(31)).map(({ status, holds }) => [status, holds])).toEqual([
    ["shipped", []],
    ["shipped", []],
    ["delivered", []],
  ]);
});

test("are cancelled together, and a destination that is taken away alone", async () => {
  const placed = place(32);
  await fetchAll();
  for (const product of placed.products) Object.assign(product, { order_address_id: 320, order_pickup_method_id: 0 });
  placed.addresses.shift();
  bc.change(placed, {});
  await fetchAll();
  expect((await ordersOf(32)).map(({ status, line_items }) => [status, line_items.length])).toEqual([
    ["pending", 3],
    ["cancelled", 1],
    ["cancelled", 1],
  ]);
  // What is collected stays itself when another destination is gone.
  const less = place(34);
  await fetchAll();
  less.products.shift();
  less.addresses.shift();
  bc.change(less, {});
  await fetchAll();
  expect((await ordersOf(34)).map(({ order_number, status }) => [order_number, status])).toEqual([
    ["A-34", "pending"],
    ["A-34-2", "cancelled"],
    ["A-34-3", "pending"],
  ]);
  const other = place(33);
  await fetchAll();
  bc.change(other, { status_id: 5 });
  await fetchAll();
  expect((await ordersOf(33)).map(({ status }) => status)).toEqual(["cancelled", "cancelled", "cancelled"]);
});
