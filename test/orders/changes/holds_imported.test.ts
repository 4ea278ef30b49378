import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Actor } from "../../../src/core/actor.ts";
import { readId, wireId } from "../../../src/core/ids.ts";
import type { CompleteAddress } from "../../../src/core/postal_address.ts";
import { addresses_max } from "../../../src/customers/customer.ts";
import { keepAddress } from "../../../src/customers/customers.ts";
import { updateImported } from "../../../src/orders/changes/change_order.ts";
import { importOrder } from "../../../src/orders/lifecycle/create_order.ts";
import type { UpdateOrder } from "../../../src/orders/order.schema.ts";
import { allotOrderId } from "../../../src/orders/orders.sql.ts";
import type { Tx } from "../../../src/storage/database.ts";
import { openShop, type Shop } from "../../build/shop.ts";

setDefaultTimeout(30_000);

const shop = await openShop();

const actor: Actor = { type: "platform", id: "shopify", name: "Shop", request_id: null };
const source = { platform: "shopify", external_id: "77", stock: "shopify" };
const write = <T>(work: (tx: Tx) => Promise<T>) => shop.app.service.stores.live.write(work);

/** An order as a platform's import creates it, with an id assigned before. */
async function imported(...given: Parameters<Shop["draft"]>) {
  const id = await write(allotOrderId);
  await write((tx) => importOrder(tx, id, shop.draft(...given), actor, source));
  return shop.get(wireId("order", id));
}

/** A product that has not been completed yet. */
async function unknown(sku?: string) {
  const product = await shop.product({ sku });
  expect((await shop.app.patch(`/products/${product.id}`, { status: "inactive" })).status).toBe(200);
  return product;
}

const activate = async ({ id }: { id: string }) =>
  expect((await shop.app.patch(`/products/${id}`, { status: "active" })).status).toBe(200);

const incomplete: CompleteAddress = {
  name: "Jo Roe",
  company: null,
  address_line1: "7 Low Rd",
  address_line2: null,
  city: "",
  state: null,
  postal_code: "97x",
  country: "US",
  phone: null,
};

/** An imported address without city and state. */
async function badAddress(fields: Partial<CompleteAddress> = {}) {
  const customer_id = readId("customer", shop.customer.id) ?? 0;
  return wireId("address", (await write((tx) => keepAddress(tx, customer_id, { ...incomplete, ...fields }))).id);
}

const patchAddress = (address: string, body: object) =>
  shop.app.patch(`/customers/${shop.customer.id}/addresses/${address}`, body);
const whole = { city: "Portland", state: "OR", postal_code: "97201" };

const reasonsOf = (order: { holds: { reason: string }[] }) => order.holds.map(({ reason }) => reason);

describe("an order with unknown SKUs", () => {
  test("is on hold, states what to do, and continues once its products are active", async () => {
    const [known, first, second] = [await shop.product({ units: 5 }), await unknown("NEW-1"), await unknown("NEW-2")];
    await shop.app.takeEvents();
    const order = await imported([
      [known, 2],
      [first, 1],
      [second, 3],
    ]);
    expect(await shop.told()).toEqual(["order.created"]);
    expect(order).toMatchObject({
      status: "on_hold",
      held_from: "pending",
      source: { platform: "shopify", external_id: "77" },
      holds: [{ reason: "unknown_sku", lifted_by: "cause" }],
    });
    expect(order.holds[0].note).toStartWith("Not among the active products: NEW-1, NEW-2. Complete and activate");
    expect(order.line_items.map((line: { quantity_reserved: number }) => line.quantity_reserved)).toEqual([2, 0, 0]);
    expect(await shop.act(order.id, "release")).toMatchObject({ still_on_hold: true, revision: order.revision });
    await activate(first);
    await shop.app.runJobs();
    expect(reasonsOf(await shop.get(order.id))).toEqual(["unknown_sku"]);
    await activate(second);
    await shop.app.runJobs();
    expect(await shop.get(order.id)).toMatchObject({ status: "pending", holds: [] });
    expect(await shop.history(order.id)).toEqual([
      "create: - > pending",
      "hold: pending > on_hold",
      "release: on_hold > pending",
    ]);
    expect(await shop.told()).toEqual([]);
    // Nothing is left for the job to repeat.
    await shop.app.runJobs();
    expect((await shop.get(order.id)).revision).toBe(order.revision + 1);
  });

  test("is announced as on hold", async () => {
    const product = await unknown();
    await shop.app.takeEvents();
    const order = await imported([[product, 1]]);
    const [created] = (await shop.app.takeEvents()).filter(({ type }) => type === "order.created");
    expect(created?.data).toEqual({ object: "order", ...order });
  });

  test("gets its stock when it continues", async () => {
    const product = await unknown();
    const order = await imported([[product, 2]]);
    await activate(product);
    await shop.app.stock(product.sku, 5, { location: "whs_1001" });
    await shop.app.runJobs();
    expect(await shop.get(order.id)).toMatchObject({ status: "pending", allocation: { complete: true } });
  });

  test("a bundle also waits for its components", async () => {
    const part = await shop.product({ sku: "PART", units: 4 });
    const bundle = await shop.app.product("SET", {
      name: "Set",
      type: "bundle",
      components: [{ sku: "PART", quantity: 2 }],
    });
    await shop.app.patch(`/products/${part.id}`, { status: "inactive" });
    const order = await imported([[bundle, 1]]);
    expect(order.holds[0].note).toStartWith("Not among the active products: PART.");
    await shop.app.runJobs();
    expect(reasonsOf(await shop.get(order.id))).toEqual(["unknown_sku"]);
    await activate(part);
    await shop.app.runJobs();
    expect(await shop.get(order.id)).toMatchObject({ status: "pending", holds: [] });
  });

  test("names five of many", async () => {
    const products = [];
    for (const at of Array(7).keys()) products.push(await unknown(`MANY-${at}`));
    const order = await imported(products.map((product) => [product, 1] as const));
    expect(order.holds[0].note).toContain("MANY-0, MANY-1, MANY-2, MANY-3, MANY-4 and 2 more.");
  });

  test("continues once the lines are replaced or cancelled", async () => {
    const [known, product] = [await shop.product({ units: 9 }), await unknown()];
    const replaced = await imported([[product, 1]]);
    const line_items = [{ product_id: known.id, quantity: 1, unit_price: "1.00" }];
    expect((await shop.app.patch(`/orders/${replaced.id}`, { line_items })).body.data.holds).toEqual([]);
    const lines = [
      [known, 1],
      [product, 1],
    ] as const;
    const kept = await imported(lines);
    const answer = await shop.act(kept.id, "cancel_items", {
      items: [{ sku: product.sku, quantity: 1 }],
      reason: "other",
    });
    expect(answer).toMatchObject({ status: "pending", holds: [] });
  });

  test("is not forgotten if its products became active during the import", async () => {
    const product = await unknown();
    await activate(product);
    await shop.app.runJobs();
    const id = await write(allotOrderId);
    await write((tx) => importOrder(tx, id, shop.draft([[product, 1]]), actor, source));
    await shop.app.patch(`/products/${product.id}`, { status: "inactive" });
    const woken: string[] = [];
    shop.app.service.stores.live.onWake((job) => woken.push(job));
    const other = await write(allotOrderId);
    await write((tx) => importOrder(tx, other, shop.draft([[product, 1]]), actor, source));
    expect(woken).toContain("orders.recheck_goods");
    expect(reasonsOf(await shop.get(wireId("order", id)))).toEqual([]);
    expect(reasonsOf(await shop.get(wireId("order", other)))).toEqual(["unknown_sku"]);
  });
});

describe("an order with an incomplete address", () => {
  test("is on hold, states what to do, and uses the address once it is corrected", async () => {
    const address = await badAddress();
    const order = await imported([[await shop.product({ units: 5 }), 2]], { shipping_address_id: address });
    expect(reasonsOf(order)).toEqual(["bad_address"]);
    expect(order.holds[0].note).toBe(
      "Nothing can be delivered to its address: city is required, state is required in US, postal_code is not a " +
        "postal code of US. Correct the customer's address, or choose another one for this order.",
    );
    expect(await shop.act(order.id, "release")).toMatchObject({ still_on_hold: true, revision: order.revision });
    expect((await patchAddress(address, { city: "Portland" })).status).toBe(422);
    expect((await patchAddress(address, whole)).status).toBe(200);
    await shop.app.runJobs();
    const after = await shop.get(order.id);
    expect(after).toMatchObject({ status: "pending", holds: [], shipping_address: { name: "Jo Roe", ...whole } });
    const { body } = await shop.app.get(`/orders/${order.id}/history`);
    expect(body.data.slice(-2)).toMatchObject([
      { event: "update", note: "shipping_address", actor: { id: "orders.recheck_addresses" } },
      { event: "release", reason: "bad_address" },
    ]);
    // From now on the order keeps its copy.
    await patchAddress(address, { city: "Salem" });
    await shop.app.runJobs();
    expect((await shop.get(order.id)).shipping_address.city).toBe("Portland");
  });

  test("can be sent to another address, and to the same one after a correction", async () => {
    const product = await shop.product({ units: 5 });
    const [address, other] = [await badAddress(), shop.customer.shipping_addresses[0].id];
    const first = await imported([[product, 1]], { shipping_address_id: address });
    const sent = await shop.app.patch(`/orders/${first.id}`, { shipping_address_id: other });
    expect(sent.body.data).toMatchObject({ status: "pending", holds: [], shipping_address_id: other });
    const second = await imported([[product, 1]], { shipping_address_id: address });
    const again = await shop.app.patch(`/orders/${second.id}`, { shipping_address_id: address });
    expect(again.body.data).toEqual(second);
    await patchAddress(address, whole);
    const corrected = await shop.app.patch(`/orders/${second.id}`, { shipping_address_id: address });
    expect(corrected.body.data).toMatchObject({ status: "pending", holds: [], shipping_address: whole });
  });

  test("and unknown SKUs waits for both", async () => {
    const [product, address] = [await unknown(), await badAddress()];
    const order = await imported([[product, 1]], { shipping_address_id: address });
    expect(reasonsOf(order)).toEqual(["bad_address", "unknown_sku"]);
    await patchAddress(address, whole);
    await shop.app.runJobs();
    expect(reasonsOf(await shop.get(order.id))).toEqual(["unknown_sku"]);
    await activate(product);
    await shop.app.runJobs();
    expect((await shop.get(order.id)).status).toBe("pending");
  });

  test("does not prevent changes of its customer", async () => {
    const address = await badAddress();
    const path = `/customers/${shop.customer.id}`;
    const good = { address_line1: "9 Elm St", country: "US", ...whole };
    expect((await shop.app.post(`${path}/addresses`, good)).status).toBe(201);
    const { shipping_addresses } = (await shop.app.get(path)).body;
    const ids = shipping_addresses.map(({ id }: { id: string }) => ({ id }));
    expect((await shop.app.patch(path, { first_name: "Joan", shipping_addresses: ids })).status).toBe(200);
    const changed = ids.map((one: { id: string }) => (one.id === address ? { ...one, name: "J" } : one));
    const refused = await shop.app.patch(path, { shipping_addresses: changed });
    const at = shipping_addresses.findIndex(({ id }: { id: string }) => id === address);
    expect(refused.status).toBe(422);
    expect(refused.body.error.details.map(({ field }: { field: string }) => field)).toEqual([
      `shipping_addresses[${at}].city`,
      `shipping_addresses[${at}].state`,
      `shipping_addresses[${at}].postal_code`,
    ]);
  });

  test("is stored once, and the oldest is removed if there are too many", async () => {
    expect(await badAddress()).toBe(await badAddress());
    const others =
      addresses_max - (await shop.app.get(`/customers/${shop.customer.id}`)).body.shipping_addresses.length;
    for (const at of Array(others + 1).keys()) await badAddress({ address_line1: `${at} High Rd` });
    const { shipping_addresses } = (await shop.app.get(`/customers/${shop.customer.id}`)).body;
    expect(shipping_addresses).toHaveLength(addresses_max);
    const lines = shipping_addresses.map((one: { address_line1: string }) => one.address_line1);
    expect([lines[0], lines.includes("1 Dock Rd"), lines.at(-1)]).toEqual(["12 Elm St", false, `${others} High Rd`]);
  }, 30_000);
});

describe("a platform's change of an order", () => {
  const change = async (id: string, input: UpdateOrder) => {
    await write((tx) => updateImported(tx, readId("order", id) ?? 0, input, actor));
    return shop.get(id);
  };
  const lineOf = ({ id }: { id: string }) => [{ product_id: id, quantity: 1, unit_price: "5.00" }];

  test("holds and releases it because of its lines", async () => {
    const [known, product] = [await shop.product({ units: 9 }), await unknown()];
    const order = await imported([[known, 1]]);
    expect(order.status).toBe("pending");
    expect(reasonsOf(await change(order.id, { line_items: lineOf(product) }))).toEqual(["unknown_sku"]);
    expect(reasonsOf(await change(order.id, { order_notes: "Ring twice" }))).toEqual(["unknown_sku"]);
    expect(await change(order.id, { line_items: lineOf(known) })).toMatchObject({ status: "pending", holds: [] });
  });

  test("holds and releases it because of its address", async () => {
    const good = shop.customer.shipping_addresses[0].id;
    const order = await imported([[await shop.product({ units: 9 }), 1]]);
    expect(reasonsOf(await change(order.id, { shipping_address_id: await badAddress() }))).toEqual(["bad_address"]);
    const worse = await change(order.id, { shipping_address_id: await badAddress({ address_line1: "" }) });
    expect(worse.holds).toHaveLength(1);
    expect(worse.holds[0].note).toStartWith("Nothing can be delivered to its address: address_line1 is required,");
    expect(await change(order.id, { shipping_address_id: good })).toMatchObject({ status: "pending", holds: [] });
  });

  test("does not hold an order for a product that was deactivated after the order", async () => {
    const product = await shop.product({ units: 9 });
    const order = await imported([[product, 1]]);
    await shop.app.patch(`/products/${product.id}`, { status: "inactive" });
    expect(await change(order.id, { order_notes: "Ring twice" })).toMatchObject({ status: "pending", holds: [] });
  });
});

describe("the recheck jobs are woken", () => {
  test("only by changes that may end a hold", async () => {
    const [product, address] = [await unknown(), await badAddress()];
    const woken = new Set<string>();
    shop.app.service.stores.live.onWake((job) => job.includes("recheck") && woken.add(job));
    await shop.app.patch(`/products/${product.id}`, { name: "Better name" });
    await shop.app.post("/customers", { email: "new@example.com", shipping_addresses: [{ ...newAddress, ...whole }] });
    expect([...woken]).toEqual([]);
    await activate(product);
    expect([...woken]).toEqual(["orders.recheck_goods"]);
    woken.clear();
    await patchAddress(address, whole);
    expect([...woken]).toEqual(["orders.recheck_addresses"]);
  });
});

const newAddress = { address_line1: "1 New St", country: "US" };

describe("an assigned id", () => {
  test("is not used by another order, even if its order comes late or never", async () => {
    const [late, never] = [await write(allotOrderId), await write(allotOrderId)];
    const product = await shop.product({ units: 9 });
    const next = await shop.order([[product, 1]]);
    expect([never - late, readId("order", next.id)]).toEqual([1, never + 1]);
    await write((tx) => importOrder(tx, late, shop.draft([[product, 1]]), actor, source));
    expect((await shop.get(wireId("order", late))).order_number).toStartWith("N-");
    expect((await shop.app.get(`/orders/${wireId("order", never)}`)).status).toBe(404);
    expect(readId("order", (await shop.order([[product, 1]])).id)).toBe(never + 2);
  });
});

describe("guards", () => {
  test("orders imported while their product is activated and their address corrected all continue", async () => {
    const [product, address] = [await unknown(), await badAddress({ address_line1: "8 Race St" })];
    const orders = Array.from({ length: 8 }, () => imported([[product, 1]], { shipping_address_id: address }));
    const corrected = patchAddress(address, whole);
    await Promise.all([...orders, activate(product), corrected]);
    await shop.app.runJobs();
    for (const { id } of await Promise.all(orders)) {
      expect(await shop.get(id)).toMatchObject({ status: "pending", holds: [], shipping_address: whole });
    }
  });

  test("ids assigned concurrently are all different", async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => write(allotOrderId)));
    expect(new Set(ids).size).toBe(20);
  });
});

describe("refuses", () => {
  test("an order number in use", async () => {
    const product = await shop.product({ units: 9 });
    const { id, order_number } = await shop.order([[product, 1]]);
    const late = await write(allotOrderId);
    const draft = { ...shop.draft([[product, 1]]), order_number };
    const refused = await write((tx) => importOrder(tx, late, draft, actor, source)).catch((error) => error);
    expect([refused.code, refused.facts]).toEqual(["duplicate_order_number", { existing_id: id }]);
  });

  test.each([["unknown_sku"], ["bad_address"]])("a client's hold for %s", async (reason) => {
    const order = await shop.order([[await shop.product({ units: 5 }), 1]]);
    expect((await shop.app.post(`/orders/${order.id}/hold`, { reason })).status).toBe(422);
  });

  test("a client's order of an inactive product, or to an incomplete address", async () => {
    const [product, ended, address] = [await shop.product({ units: 5 }), await unknown(), await badAddress()];
    await shop.app.takeEvents();
    const inactive = await shop.app.post("/orders", shop.draft([[ended, 1]]));
    expect([inactive.status, inactive.body.error.details[0].code]).toEqual([422, "inactive"]);
    const draft = shop.draft([[product, 1]], { shipping_address_id: address });
    const details = [
      {
        field: "shipping_address_id",
        message:
          "names an address that cannot be delivered to: city is required, state is required in US, " +
          "postal_code is not a postal code of US",
      },
    ];
    expect((await shop.app.post("/orders", draft)).body.error).toMatchObject({ code: "validation_failed", details });
    const bulk = await shop.app.post("/orders/bulk", { orders: [draft, { ...draft, order_number: "N-X" }] });
    expect(bulk.body.data).toMatchObject({ created: 0, failed: 2 });
    expect(await shop.told()).toEqual([]);
    const order = await shop.order([[product, 1]]);
    const moved = await shop.app.patch(`/orders/${order.id}`, { shipping_address_id: address });
    expect(moved.body.error).toMatchObject({ code: "validation_failed", details });
    expect(await shop.get(order.id)).toEqual(order);
  });

  test.each([
    ["process", {}],
    ["pick", {}],
    ["pack", {}],
    ["ship", {}],
  ])("to %s an order on such a hold", async (action, body) => {
    const order = await imported([[await shop.product({ units: 5 }), 1]], { shipping_address_id: await badAddress() });
    const answer = await shop.app.post(`/orders/${order.id}/${action}`, body);
    expect([answer.status, answer.body.error.code]).toEqual([409, "invalid_state_transition"]);
    expect(answer.body.error.message).toContain("bad_address");
  });

  test("a label for it", async () => {
    const order = await imported([[await shop.product({ units: 5 }), 1]], { shipping_address_id: await badAddress() });
    const label = { order_id: order.id, carrier: "local", service: "standard", package: { weight: 1 } };
    const answer = await shop.app.post("/shipping/labels", label);
    expect([answer.status, answer.body.error]).toMatchObject([409, { code: "invalid_state_transition" }]);
  });
});

test("an order of a suspended merchant also waits for the merchant", async () => {
  await shop.app.post("/merchants/MAIN/suspend");
  const made = await imported([[await unknown(), 1]]);
  const reasons = ({ holds }: { holds: { reason: string }[] }) => holds.map(({ reason }) => reason).sort();
  expect([made.status, reasons(made)]).toEqual(["on_hold", ["merchant_suspended", "unknown_sku"]]);
  await shop.app.post("/merchants/MAIN/reactivate");
  await shop.app.runJobs();
  expect(reasons(await shop.get(made.id))).toEqual(["unknown_sku"]);
});
