// Orders that their buyers collect, at each platform: left out or imported, packed, handed over and reported.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { reconcile } from "../../../src/platforms/imports/imports.jobs.ts";
import type { ShopifyMock } from "../mocks/shopify.ts";
import type { ShopOrder } from "../mocks/shopify_shop.ts";
import { type Connected, openConnected, platformNames, type Store } from "../shipment_updates/connected.ts";

// The machine may be busy.
setDefaultTimeout(30_000);

const parcel = { carrier: "sim", service: "standard", package: { weight: 2, weight_unit: "lb" } };

describe.each([...platformNames])("%s", (platform) => {
  let shop: Connected;
  let ids = 700;
  beforeAll(async () => {
    shop = await openConnected(platform);
    await shop.stock("MUG", 50);
  });
  afterAll(() => shop.close());

  const refused = async (path: string, body: unknown) => {
    const answer = await shop.call("POST", path, body);
    return [answer.status, answer.body.error.code];
  };
  const collected = () => {
    const id = ++ids;
    shop.store.sell(id, [{ sku: "MUG", quantity: 2 }]);
    shop.store.collect(id);
    return id;
  };
  const importOf = async (id: number) =>
    (await shop.done("GET", `/platforms/${shop.connection.id}/imports?external_id=${id}`))[0];

  test("are left out, until the connection imports them", async () => {
    const id = collected();
    await reconcile(shop.app.service.stores.test, shop.app.service);
    await shop.app.runJobs();
    const left_out = await importOf(id);
    expect(left_out).toMatchObject({ status: "ignored", reason: { code: "pickup" } });
    await shop.done("PATCH", `/platforms/${shop.connection.id}`, { pickup_orders: "import" });
    await shop.app.runJobs();
    const order = await shop.done("GET", `/orders/${left_out.order_id}`);
    expect(order).toMatchObject({ fulfillment_type: "pickup", status: "pending", holds: [] });
  });

  test("are packed, never labeled, and end when they are handed over", async () => {
    const id = collected();
    const order = await shop.tell(id);
    expect(order).toMatchObject({ fulfillment_type: "pickup", holds: [] });
    const path = `/orders/${order.id}`;
    expect(await refused(`${path}/deliver`, {})).toEqual([409, "invalid_state_transition"]);
    await shop.act(order, "pick");
    const label = { order_id: order.id, ...parcel };
    expect(await refused("/shipping/labels", label)).toEqual([409, "pickup_order"]);
    const elsewhere = { ...label, carrier: "ups", service: "ground", tracking_number: "1Z999AA10123456784", cost: 3 };
    expect(await refused("/shipping/labels/external", elsewhere)).toEqual([409, "pickup_order"]);
    expect(await refused("/shipping/rates", { order_id: order.id })).toEqual([409, "pickup_order"]);
    const packed = await shop.act(order, "pack", {
      packages: [{ items: [{ sku: "MUG", quantity: 1 }] }],
      partial: true,
    });
    expect(packed.status).toBe("processing");
    expect(await refused(`${path}/deliver`, {})).toEqual([409, "invalid_state_transition"]);
    const ready = await shop.act(order, "pack");
    expect([ready.status, ready.allowed_actions.includes("deliver"), ready.allowed_actions.includes("ship")]).toEqual([
      "fulfilled",
      true,
      false,
    ]);
    expect(await refused(`${path}/ship`, {})).toEqual([409, "invalid_state_transition"]);
    const before = await shop.done("GET", "/inventory/MUG");
    const done = await shop.act(order, "deliver");
    expect(done).toMatchObject({
      status: "delivered",
      fulfillment_status: "delivered",
      line_items: [{ quantity_shipped: 2, quantity_delivered: 2, quantity_reserved: 0 }],
    });
    const after = await shop.done("GET", "/inventory/MUG");
    expect(before.on_hand - after.on_hand).toBe(2);
    const events = await shop.done("GET", "/events?limit=100");
    const own = events.filter(({ data }: { data: { id: string } }) => data.id === order.id);
    expect(own.map(({ type }: { type: string }) => type).sort()).toEqual([
      "order.created",
      "order.delivered",
      "order.fulfilled",
    ]);
    expect((await shop.reports(order)).every(({ status }: { status: string }) => status === "reported")).toBe(true);
    expect(shop.store.isDone(id)).toBe(true);
    const listed = await shop.done("GET", `/orders?fulfillment_type=pickup&q=${order.order_number}`);
    expect(listed).toMatchObject([{ id: order.id }]);
    expect(await shop.done("GET", `/orders?fulfillment_type=ship&q=${order.order_number}`)).toEqual([]);
  });
});

/** Makes one of two lines of an order one that the buyer collects. */
const collectSome: Readonly<Record<"shopify" | "woocommerce", (store: Store, id: number) => void>> = {
  shopify(store, id) {
    const { orders } = store as unknown as ShopifyMock;
    const [first] = (orders.get(id) as ShopOrder).fulfillment_orders;
    if (first === undefined) throw new Error("the order has nothing to fulfill");
    orders.get(id)?.fulfillment_orders.push({ ...first, id: 9001, method: "PICK_UP", lines: first.lines.splice(1) });
  },
  woocommerce: (store, id) =>
    store.edit(id, {
      shipping_lines: [
        { id: 1, method_title: "Flat rate", method_id: "flat_rate", instance_id: "3", total: "4.00" },
        { id: 2, method_title: "Collect in store", method_id: "pickup_location", instance_id: "4", total: "0" },
      ],
    }),
};

test.each(["shopify", "woocommerce"] as const)("a partly collected order of %s is held", async (platform) => {
  const shop = await openConnected(platform);
  for (const sku of ["MUG", "PEN"]) await shop.stock(sku, 50);
  const units = ["MUG", "PEN"].map((sku) => ({ sku, quantity: 1 }));
  shop.store.sell(1, units);
  collectSome[platform](shop.store, 1);
  const order = await shop.tell(1);
  expect(order).toMatchObject({ fulfillment_type: "ship", status: "on_hold", holds: [{ reason: "platform_change" }] });
  expect(order.holds[0].note).toContain("Cancel the units that are collected");
  await shop.act(order, "cancel_items", { items: [{ sku: "PEN", quantity: 1 }], reason: "other" });
  // It stays decided when the order changes at the shop.
  await shop.act(order, "release");
  shop.store.reword(1, "Please ring twice");
  expect(await shop.tell(1)).toMatchObject({ order_notes: "Please ring twice", holds: [] });
  await shop.close();
});

test("a pickup order of a client stays one, and ends when it is delivered", async () => {
  const shop = await openConnected("woocommerce");
  await shop.stock("MUG", 50);
  const { customer_id, shipping_address_id } = await shop.sell(1, { sku: "MUG", quantity: 1 });
  const order = await shop.done("POST", "/orders", {
    ...{ order_number: "P-1", customer_id, shipping_address_id, fulfillment_type: "pickup" },
    line_items: [{ sku: "MUG", quantity: 1, unit_price: 3 }],
  });
  const path = `/orders/${order.id}`;
  expect(await shop.done("PATCH", path, { fulfillment_type: "pickup", priority: 3 })).toMatchObject({ priority: 3 });
  expect((await shop.call("PATCH", path, { fulfillment_type: "ship" })).body.error.code).toBe("immutable_field");
  await shop.act(order, "pack");
  expect(await shop.act(order, "deliver")).toMatchObject({ status: "delivered" });
  await shop.close();
});
