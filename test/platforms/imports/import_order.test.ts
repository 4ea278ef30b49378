// Imports of platform orders that are sent over HTTP.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { openApp } from "../../build/service.ts";
import { openSeller } from "../../shipping/labels/seller.ts";
import { address, connectShopify, shopifyLine, shopifyOrder, stock, take } from "../stores.ts";

setDefaultTimeout(30_000);

const app = await openApp();
const shop = await connectShopify(app, { name: "The tea shop" });
await stock(app, "TEA", "CUP", "POT");
await app.takeEvents();

let ids = 5000;
const later = (minutes: number) => new Date(Date.parse("2026-01-02T03:00:00Z") + minutes * 60_000).toISOString();
const historyOf = async (id: string): Promise<{ event: string; note: string | null; reason: string | null }[]> =>
  (await app.get(`/orders/${id}/history`)).body.data;
const notesOf = async (id: string) =>
  (await historyOf(id)).filter(({ event }) => event === "platform_note").map(({ note }) => note);
const tooLate = (...changes: string[]) => `At the shop, ${changes.join(", and ")}, too late to follow here.`;
const holdsOf = (order: { holds: { reason: string }[] }) => order.holds.map(({ reason }) => reason);

describe("works", () => {
  test("an order is imported completely: buyer, address, lines, prices", async () => {
    const lines = [shopifyLine(1), shopifyLine(2, { sku: "CUP", quantity: 1, current_quantity: 1, price: "12.00" })];
    const told = shopifyOrder(++ids, { line_items: lines, note: "Ring twice." });
    const order = await take(app, shop, told);
    expect(order).toMatchObject({
      order_number: String(ids),
      status: "pending",
      customer: { email: `buyer-${ids}@example.com`, name: "Ida Holm" },
      shipping_address: { address_line1: "12 Quay Street", city: "Louisville", state: "KY", country: "US" },
      line_items: [
        { sku: "TEA", quantity: 2, unit_price: 3.5, quantity_reserved: 2 },
        { sku: "CUP", quantity: 1, unit_price: 12, quantity_reserved: 1 },
      ],
      shipping_method: "Ground",
      shipping_amount: 4,
      subtotal: 19,
      order_notes: "Ring twice.",
      source: { platform: "shopify", external_id: String(ids) },
      holds: [],
    });
    expect(await app.takeTypes()).toEqual(["order.created", "inventory.updated", "inventory.updated"]);
    const [first] = await historyOf(order.id);
    expect(first).toMatchObject({ event: "create", actor: { type: "platform", id: shop.id, name: "The tea shop" } });
    expect(await shop.imports(`?external_id=${ids}`)).toMatchObject([
      { status: "imported", order_id: order.id, reason: null, attempts: 1, next_attempt_at: null },
    ]);
  });

  test("identifiers have up to 64 bits", async () => {
    // JSON.parse would round these.
    const [id, line, variant] = ["820982911946154509", "866550311766439021", "808950810000000001"];
    const order = JSON.stringify(shopifyOrder(++ids, { line_items: [shopifyLine(1, { sku: "" })] }))
      .replace(`"id":${ids},`, `"id":${id},`)
      .replace('"id":1,', `"id":${line},`)
      .replace('"variant_id":71,', `"variant_id":${variant},`);
    const { body } = await shop.tell(order);
    await app.runJobs();
    const { data } = (await app.get(`/orders/${body.order_id}`)).body;
    expect([data.source.external_id, data.line_items[0].sku]).toEqual([id, `shopify-${variant}`]);
    await app.takeTypes();
  });

  test("the price of a line after discounts is exact to the cent, also for its remaining units", async () => {
    const discount_allocations = [{ amount: "0.40", discount_application_index: 0 }];
    const line = shopifyLine(1, { quantity: 3, current_quantity: 2, price: "3.50", discount_allocations });
    const order = await take(app, shop, shopifyOrder(++ids, { line_items: [line] }));
    // Three cost 10.10 together: two of them 6.73, which no price in whole cents gives.
    expect(order).toMatchObject({
      line_items: [{ quantity: 2, unit_price: 3.5, discount_amount: 0.27, line_total: 6.73 }],
      subtotal: 6.73,
    });
    await app.takeTypes();
  });

  test("it stays one order for any number and order of notifications", async () => {
    const [created, changed] = [
      shopifyOrder(++ids),
      shopifyOrder(ids, { updated_at: later(5), shipping_address: address({ address1: "99 New Street" }) }),
    ];
    const order = await take(app, shop, changed);
    await app.takeTypes();
    expect(order.shipping_address.address_line1).toBe("99 New Street");
    const after = await take(app, shop, created, { topic: "orders/create" });
    expect(after).toEqual(order);
    expect(await app.takeTypes()).toEqual([]);
    expect(await shop.imports(`?external_id=${ids}`)).toMatchObject([{ status: "imported", order_id: order.id }]);
  });

  test("of two pending imports, the later one is done", async () => {
    await shop.tell(shopifyOrder(++ids, { updated_at: later(5), note: "later" }));
    const order = await take(app, shop, shopifyOrder(ids, { note: "earlier" }));
    expect(order.order_notes).toBe("later");
    await app.takeTypes();
  });

  test("a buyer is one customer, and an address of theirs one address", async () => {
    const email = "Twice@Example.com";
    const one = await take(app, shop, shopifyOrder(++ids, { email }));
    const two = await take(app, shop, shopifyOrder(++ids, { email: "twice@example.com" }));
    expect([two.customer_id, two.shipping_address_id]).toEqual([one.customer_id, one.shipping_address_id]);
    const three = await take(app, shop, shopifyOrder(++ids, { email, shipping_address: address({ zip: "40203" }) }));
    expect(three.customer_id).toBe(one.customer_id);
    expect(three.shipping_address_id).not.toBe(one.shipping_address_id);
    await app.takeTypes();
  });

  test("a buyer without an email address gets a placeholder", async () => {
    const order = await take(app, shop, shopifyOrder(++ids, { email: null }));
    expect(order.customer.email).toBe(`order-${shop.id.slice(4)}-${ids}@shopify.invalid`);
    await app.takeTypes();
  });

  test("an order that cannot be read or fetched is refused with what is wrong in it", async () => {
    const order = await take(
      app,
      shop,
      shopifyOrder(++ids, { line_items: [shopifyLine(1, { current_quantity: 0.5 })] }),
    );
    expect(order).toBeNull();
    const [{ status, reason }] = await shop.imports(`?external_id=${ids}`);
    expect([status, reason.code]).toEqual(["failed", "platform_error"]);
    expect(reason.message).toContain("line_items[0].quantity must be an integer from 0 to 1000000");
    expect(reason.message).toContain("no api_token");
    // A version that can be read is imported.
    expect(await take(app, shop, shopifyOrder(ids, { updated_at: later(1) }))).toMatchObject({ status: "pending" });
    expect(await shop.imports(`?external_id=${ids}`)).toMatchObject([{ status: "imported", reason: null }]);
    await app.takeTypes();
  });

  test("an unpaid order waits until it is paid", async () => {
    const waiting = await take(app, shop, shopifyOrder(++ids, { financial_status: "pending" }));
    expect(waiting).toBeNull();
    expect(await shop.imports(`?external_id=${ids}`)).toMatchObject([
      { status: "waiting", reason: { code: "unpaid" } },
    ]);
    expect(await app.takeTypes()).toEqual([]);
    const order = await take(app, shop, shopifyOrder(ids, { updated_at: later(9) }), { topic: "orders/paid" });
    expect(order.status).toBe("pending");
    expect(await app.takeTypes()).toEqual(["order.created", "inventory.updated"]);
    // An earlier notification from before the payment arrives late.
    await take(app, shop, shopifyOrder(ids, { financial_status: "pending", updated_at: later(1) }));
    expect((await app.get(`/orders/${order.id}`)).body.data).toEqual(order);
    expect(await shop.imports(`?external_id=${ids}`)).toMatchObject([{ status: "imported", order_id: order.id }]);
  });

  test("orders cancelled or shipped at the platform, or without items to ship, are not created", async () => {
    const nothing = [shopifyLine(1, { requires_shipping: false })];
    const cases: [Record<string, unknown>, string][] = [
      [{ cancelled_at: later(0) }, "cancelled"],
      [{ fulfillment_status: "fulfilled" }, "done"],
      [{ line_items: nothing }, "nothing_to_send"],
    ];
    for (const [changes, code] of cases) {
      expect(await take(app, shop, shopifyOrder(++ids, changes))).toBeNull();
      expect(await shop.imports(`?external_id=${ids}`)).toMatchObject([{ status: "ignored", reason: { code } }]);
    }
    expect(await app.takeTypes()).toEqual([]);
  });

  test("an unknown SKU becomes an inactive product, which holds the order until it is active", async () => {
    const line_items = [
      shopifyLine(1, { sku: "NEW-TEA", title: "New tea", name: "New tea" }),
      shopifyLine(2, { sku: "" }),
    ];
    const order = await take(app, shop, shopifyOrder(++ids, { line_items }));
    expect([order.status, holdsOf(order)]).toEqual(["on_hold", ["unknown_sku"]]);
    expect(order.holds[0].note).toContain("NEW-TEA");
    const found = (await app.get("/products?sku=NEW-TEA")).body.data[0];
    expect(found).toMatchObject({ name: "New tea", status: "inactive", price: null });
    const made = order.line_items[1].sku;
    expect(made).toStartWith("shopify-");
    await app.patch(`/products/${found.id}`, { status: "active" });
    await app.runJobs();
    expect(holdsOf((await app.get(`/orders/${order.id}`)).body.data)).toEqual(["unknown_sku"]);
    const other = (await app.get(`/products?sku=${made}`)).body.data[0];
    await app.patch(`/products/${other.id}`, { status: "active" });
    await app.runJobs();
    expect((await app.get(`/orders/${order.id}`)).body.data).toMatchObject({ status: "pending", holds: [] });
    expect((await app.takeTypes()).filter((type) => type.startsWith("order."))).toEqual(["order.created"]);
  });

  test("an incomplete address holds the order until it is corrected, here or at the platform", async () => {
    const bad = { shipping_address: address({ address1: "", zip: null }) };
    const order = await take(app, shop, shopifyOrder(++ids, bad));
    expect([order.status, holdsOf(order)]).toEqual(["on_hold", ["bad_address"]]);
    expect(order.holds[0].note).toContain("address_line1");
    const path = `/customers/${order.customer_id}/addresses/${order.shipping_address_id}`;
    await app.patch(path, { address_line1: "1 Right Street", postal_code: "40202" });
    await app.runJobs();
    const right = (await app.get(`/orders/${order.id}`)).body.data;
    expect(right).toMatchObject({ status: "pending", shipping_address: { address_line1: "1 Right Street" } });
    // The platform still has the old address: the correction here stays.
    const same = await take(app, shop, shopifyOrder(ids, { ...bad, updated_at: later(7), note: "more" }));
    expect(same).toMatchObject({
      holds: [],
      shipping_address: { address_line1: "1 Right Street" },
      order_notes: "more",
    });
    const none = await take(app, shop, shopifyOrder(++ids, { shipping_address: null }));
    expect(holdsOf(none)).toEqual(["bad_address"]);
    const healed = await take(app, shop, shopifyOrder(ids, { updated_at: later(7) }));
    expect(healed).toMatchObject({ status: "pending", shipping_address: { city: "Louisville" } });
    await app.takeTypes();
  });

  test("changes of address and lines are applied while possible, and hold the order later", async () => {
    const order = await take(app, shop, shopifyOrder(++ids));
    const line_items = [shopifyLine(1, { quantity: 5, current_quantity: 5 }), shopifyLine(2, { sku: "UNHEARD-OF" })];
    const moved = { shipping_address: address({ address1: "7 Elsewhere" }) };
    const changed = await take(app, shop, shopifyOrder(ids, { line_items, ...moved, updated_at: later(1) }));
    expect(changed).toMatchObject({
      id: order.id,
      shipping_address: { address_line1: "7 Elsewhere" },
      line_items: [{ sku: "TEA", quantity: 5, quantity_reserved: 5 }, { sku: "UNHEARD-OF" }],
    });
    expect(holdsOf(changed)).toEqual(["unknown_sku"]);
    const back = await take(app, shop, shopifyOrder(ids, { ...moved, updated_at: later(2) }));
    expect([back.status, back.line_items.length]).toEqual(["pending", 1]);
    await app.post(`/orders/${order.id}/pack`);
    const late = await take(app, shop, shopifyOrder(ids, { line_items, updated_at: later(3) }));
    const changes = ["its address changed", "3 of TEA were added", "2 of UNHEARD-OF were added"];
    expect(late).toMatchObject({
      status: "on_hold",
      held_from: "fulfilled",
      holds: [{ reason: "platform_change", lifted_by: "release", note: tooLate(...changes) }],
    });
    expect((await app.post(`/orders/${order.id}/release`)).body.data).toMatchObject({ status: "fulfilled", holds: [] });
    // What was decided stays decided.
    const told = { line_items, updated_at: later(4), note: null };
    expect(holdsOf(await take(app, shop, shopifyOrder(ids, told)))).toEqual([]);
    await app.takeTypes();
  });

  test("the price of shipping follows the shop, also after the order has shipped", async () => {
    const priced = (price: string, minutes: number) =>
      shopifyOrder(ids, { shipping_lines: [{ title: "Ground", price }], updated_at: later(minutes) });
    ids += 1;
    const order = await take(app, shop, priced("5.00", 0));
    expect((await take(app, shop, priced("12.00", 1))).shipping_amount).toBe(12);
    await app.post(`/orders/${order.id}/ship`);
    const dearer = await take(app, shop, priced("13.50", 2));
    expect([dearer.status, dearer.shipping_amount, dearer.holds]).toEqual(["shipped", 13.5, []]);
    expect((await historyOf(order.id)).filter(({ event }) => event === "update").map(({ note }) => note)).toEqual([
      "shipping_amount: 5.00 > 12.00",
      "shipping_amount: 12.00 > 13.50",
    ]);
    await app.takeTypes();
  });

  test("the phone number follows the shop when only the order's own changes", async () => {
    const told = (phone: string, minutes: number) =>
      shopifyOrder(ids, { shipping_address: address({ phone: null }), phone, updated_at: later(minutes) });
    ids += 1;
    await take(app, shop, told("502-555-0101", 0));
    const { shipping_address } = await take(app, shop, told("502-555-0199", 1));
    expect(shipping_address.phone).toBe("502-555-0199");
    await app.takeTypes();
  });

  test("an order whose buyer was erased gets no personal data back", async () => {
    const order = await take(app, shop, shopifyOrder(++ids));
    for (const act of ["ship", "deliver"]) expect((await app.post(`/orders/${order.id}/${act}`)).status).toBe(200);
    expect((await app.post(`/customers/${order.customer_id}/erasure`)).status).toBe(202);
    await app.runJobs();
    const erased = (await app.get(`/orders/${order.id}`)).body.data;
    expect(erased.customer.name).not.toContain("Holm");
    const changes = { shipping_address: address({ address1: "99 New Street" }), note: "Ring twice, Ida." };
    await take(app, shop, shopifyOrder(ids, { updated_at: later(30), ...changes }));
    expect((await app.get(`/orders/${order.id}`)).body.data).toMatchObject({
      ...{ order_notes: erased.order_notes, shipping_address: erased.shipping_address, customer: erased.customer },
    });
    expect((await app.get(`/customers/${order.customer_id}`)).body.shipping_addresses).toEqual([]);
    expect(await notesOf(order.id)).toEqual(["The platform changed the order, but its buyer's data was erased here."]);
    await app.takeTypes();
  });

  test("an order cancelled at the platform is cancelled with its label; too late, it is noted once", async () => {
    const order = await take(app, shop, shopifyOrder(++ids));
    const parcel = { carrier: "local", service: "standard", package: { weight: 2, weight_unit: "lbs" } };
    const label = await app.post("/shipping/labels", { order_id: order.id, ...parcel });
    expect(label.status).toBe(201);
    await app.takeTypes();
    const gone = { cancelled_at: later(1), updated_at: later(1) };
    const cancelled = await take(app, shop, shopifyOrder(ids, gone), { topic: "orders/cancelled" });
    expect(cancelled).toMatchObject({ id: order.id, status: "cancelled", cancel_reason: "customer" });
    expect(await app.takeTypes()).toEqual(["order.cancelled", "inventory.updated"]);
    const voided = await app.get(`/shipping/labels/${label.body.data.label_id}`);
    expect(voided.body.data.status).toBe("voided");
    expect(await take(app, shop, shopifyOrder(ids, { ...gone, updated_at: later(2) }))).toEqual(cancelled);
    await take(app, shop, shopifyOrder(ids, { updated_at: later(3) }));
    expect(await notesOf(order.id)).toEqual([
      "The platform reopened the order, but it is cancelled here. Create it again.",
    ]);
    const sent = await take(app, shop, shopifyOrder(++ids));
    await app.post(`/orders/${sent.id}/ship`);
    await app.takeTypes();
    for (const minute of [1, 2]) {
      const late = shopifyOrder(ids, { cancelled_at: later(1), updated_at: later(minute) });
      expect((await take(app, shop, late)).status).toBe("shipped");
    }
    expect(await notesOf(sent.id)).toEqual([
      "The platform cancelled the order, but it could no longer be cancelled here.",
    ]);
    expect(await app.takeTypes()).toEqual([]);
  });

  test("a carrier voids its label before the platform cancels an order; a refused one stays valid", async () => {
    const seller = await openSeller(app);
    const labelled = async () => {
      const order = await take(app, shop, shopifyOrder(++ids));
      const parcel = { carrier: "swift", service: "ground", package: { weight: 2, weight_unit: "lbs" } };
      const { data } = (await app.post("/shipping/labels", { order_id: order.id, ...parcel })).body;
      expect(data.status).toBe("completed");
      return data.label_id as string;
    };
    const statusOf = async (id: string) => {
      const { status, void_status } = (await app.get(`/shipping/labels/${id}`)).body.data;
      return [status, void_status];
    };
    const gone = { cancelled_at: later(1), updated_at: later(1) };
    const given = await labelled();
    const cancelled = await take(app, shop, shopifyOrder(ids, gone), { topic: "orders/cancelled" });
    expect([cancelled.status, ...(await statusOf(given)), seller.asked("void")]).toEqual([
      ...["cancelled", "voided", "accepted", 1],
    ]);
    seller.fake.void = async () => "rejected";
    const kept = await labelled();
    const open = await take(app, shop, shopifyOrder(ids, gone), { topic: "orders/cancelled" });
    expect([open.held_from, ...(await statusOf(kept)), seller.asked("void")]).toEqual([
      "pending",
      "completed",
      null,
      2,
    ]);
    const note = "The platform cancelled the order, but it could no longer be cancelled here.";
    expect(open.holds).toMatchObject([{ reason: "platform_change", note }]);
    // The hold ends by itself if the platform takes the cancellation back.
    expect((await take(app, shop, shopifyOrder(ids, { updated_at: later(2) }))).holds).toEqual([]);
    await app.takeTypes();
  });

  test("an order that is no longer paid is held, and released when it is", async () => {
    const order = await take(app, shop, shopifyOrder(++ids));
    const unpaid = { financial_status: "pending", updated_at: later(1) };
    expect(holdsOf(await take(app, shop, shopifyOrder(ids, unpaid)))).toEqual(["payment"]);
    expect(holdsOf(await take(app, shop, shopifyOrder(ids, { ...unpaid, updated_at: later(2) })))).toEqual(["payment"]);
    const paid = await take(app, shop, shopifyOrder(ids, { updated_at: later(3) }));
    expect([paid.id, paid.status, paid.holds]).toEqual([order.id, "pending", []]);
    await app.takeTypes();
  });

  test("an order shipped by others is held, one shipped from here is not", async () => {
    const order = await take(app, shop, shopifyOrder(++ids));
    const done = { fulfillment_status: "fulfilled", updated_at: later(1) };
    const held = await take(app, shop, shopifyOrder(ids, done));
    const note = "The platform reports the order as already shipped.";
    expect(held.holds).toMatchObject([{ reason: "platform_change", note }]);
    expect(await take(app, shop, shopifyOrder(ids, { updated_at: later(2) }))).toMatchObject({
      id: order.id,
      holds: [],
    });
    const own = await take(app, shop, shopifyOrder(++ids));
    await app.post(`/orders/${own.id}/ship`);
    await take(app, shop, shopifyOrder(ids, done));
    expect([await notesOf(own.id), (await app.get(`/orders/${own.id}`)).body.data.holds]).toEqual([[], []]);
    await app.takeTypes();
  });

  test("the number has the connection's prefix, and a suffix if another order has it", async () => {
    const other = await connectShopify(app, { order_prefix: "W-" });
    expect(await take(app, other, shopifyOrder(++ids, { name: "#77" }))).toMatchObject({ order_number: "W-77" });
    expect(await take(app, other, shopifyOrder(++ids, { name: "#77" }))).toMatchObject({ order_number: "W-77-2" });
    expect(await take(app, other, shopifyOrder(++ids, { name: "#77" }))).toMatchObject({ order_number: "W-77-3" });
    const plain = await take(app, shop, shopifyOrder(++ids, { name: "ord_1234" }));
    expect(plain.order_number).toBe("ord_1234-2");
    await app.takeTypes();
  });

  test("each store has its own order, even with equal numbers", async () => {
    const other = await connectShopify(app);
    const one = await take(app, shop, shopifyOrder(++ids, { name: "#A" }));
    const two = await take(app, other, shopifyOrder(ids, { name: "#A" }));
    expect(two.id).not.toBe(one.id);
    expect([one.source.external_id, two.source.external_id]).toEqual([String(ids), String(ids)]);
    await app.takeTypes();
  });
});

describe("guards", () => {
  test.each([
    ["one buyer", 1],
    ["six buyers", 6],
  ])(
    "stores that tell at once of %s, one new SKU and one number share the buyer and the product",
    async (what, buyers) => {
      const shops = [];
      for (let at = 0; at < 6; at += 1) shops.push(await connectShopify(app));
      const line_items = [shopifyLine(1, { sku: `AT-ONCE-${buyers}` }), shopifyLine(2)];
      const order = (at: number) => {
        const email = `at-once-${buyers}-${at % buyers}@example.com`;
        return shopifyOrder(++ids, { name: `#${what}`, email, line_items });
      };
      const told = await Promise.all(shops.map(({ tell }, at) => tell(order(at))));
      // The jobs import one order of each store at a time, all stores in parallel.
      await app.runJobs();
      const orders = [];
      for (const { body } of told) orders.push((await app.get(`/orders/${body.order_id}`)).body.data);
      expect(orders.map(({ order_number }) => order_number).sort()).toEqual([
        what,
        ...[2, 3, 4, 5, 6].map((suffix) => `${what}-${suffix}`),
      ]);
      for (const field of ["customer_id", "shipping_address_id"]) {
        expect(new Set(orders.map((one) => one[field])).size).toBe(buyers);
      }
      expect(new Set(orders.map((one) => one.line_items[0].product_id)).size).toBe(1);
      expect((await app.takeTypes()).filter((type) => type === "order.created")).toHaveLength(6);
      for (const { imports } of shops) expect(await imports()).toMatchObject([{ status: "imported", attempts: 1 }]);
    },
    30_000,
  );

  test("an order with invalid data fails at once, with the reason", async () => {
    const dear = shopifyLine(1, { price: "9999999999.00", quantity: 999_999, current_quantity: 999_999 });
    expect(await take(app, shop, shopifyOrder(++ids, { line_items: [dear] }))).toBeNull();
    const [one] = await shop.imports(`?external_id=${ids}`);
    expect([one.status, one.attempts, one.reason.code]).toEqual(["failed", 1, "validation_failed"]);
    expect(one.reason.message).toContain("line_items");
    expect(await app.takeTypes()).toEqual([]);
  });
});
