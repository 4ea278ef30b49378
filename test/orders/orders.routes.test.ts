import { beforeEach, describe, expect, test } from "bun:test";
import { orderTransitions } from "../../src/orders/order.transitions.ts";
import { openShop } from "../build/shop.ts";

const shop = await openShop();
beforeEach(async () => {
  await shop.told();
});

describe("works", () => {
  test("an order is created, read and listed, and its event has the same data as its GET", async () => {
    const [milk, ice] = [await shop.product({ units: 10 }), await shop.product({ units: 1 })];
    await shop.app.takeEvents();
    const answer = await shop.app.post(
      "/orders",
      shop.draft(
        [
          [milk, 3],
          [ice, 2],
        ],
        { shipping_method: "flat ground", shipping_amount: "4.95", metadata: { channel: "phone" }, priority: 2 },
      ),
    );
    expect(answer.status).toBe(201);
    const { data } = answer.body;
    expect(data).toMatchObject({
      status: "pending",
      held_from: null,
      fulfillment_status: "unfulfilled",
      customer: { id: shop.customer.id, email: "jane@example.com", name: "Jane Doe" },
      shipping_address: { name: "Jane Doe", city: "Portland" },
      line_items: [
        { sku: milk.sku, quantity: 3, unit_price: 12.5, quantity_reserved: 3, quantity_backordered: 0 },
        { sku: ice.sku, quantity: 2, quantity_reserved: 1, quantity_backordered: 1 },
      ],
      subtotal: 62.5,
      shipping_amount: 4.95,
      currency: "USD",
      allocation: { complete: false, backordered_units: 1 },
      estimated_ship_date: null,
      source: { platform: "api", external_id: null },
      allowed_actions: ["process", "pick", "pack", "ship", "hold", "cancel", "cancel_items", "split"],
      revision: 1,
      processing_at: null,
    });
    const got = await shop.app.get(`/orders/${data.id}`);
    expect(got.body.data).toEqual(data);
    expect((await shop.get(data.id.slice(4))).id).toBe(data.id);
    const [event] = (await shop.app.takeEvents()).filter(({ type }) => type === "order.created");
    expect(event?.data).toEqual({ object: "order", ...data });
    expect((await shop.app.get(`/orders?order_number=${data.order_number}`)).body.data).toEqual([data]);
    expect((await shop.app.get(`/orders/${data.id}/history`)).body.data).toMatchObject([
      { event: "create", from_status: null, to_status: "pending", actor: { type: "api_key", name: "full" } },
    ]);
  });

  test("an order with stock is expected to ship on the next working day", async () => {
    const { estimated_ship_date } = await shop.order([[await shop.product({ units: 5 }), 1]]);
    // The harness's clock stands on a Friday morning.
    expect(estimated_ship_date).toBe("2026-01-02");
  });

  test("a line may refer to its product by SKU or number; lines of the same product stay separate", async () => {
    const goods = await shop.product({ units: 5 });
    const line = { quantity: 2, unit_price: 1 };
    const line_items = [
      { ...line, sku: goods.sku },
      { ...line, product_id: Number(goods.id.slice(4)) },
      { ...line, product_id: goods.id, sku: goods.sku },
    ];
    const customer_id = Number(shop.customer.id.slice(4));
    const made = await shop.order([], { line_items, customer_id });
    expect(made.line_items.map((one: { sku: string }) => one.sku)).toEqual([goods.sku, goods.sku, goods.sku]);
    expect(made.allocation).toEqual({ complete: false, backordered_units: 1 });
  });

  test("stock events follow the order's event in one transaction", async () => {
    const [a, b] = [await shop.product({ units: 5 }), await shop.product({ units: 5 })];
    const types = async () => (await shop.app.takeEvents()).map(({ type }) => type);
    await types();
    const made = await shop.order([
      [a, 1],
      [b, 1],
    ]);
    const twice = ["inventory.updated", "inventory.updated"];
    expect(await types()).toEqual(["order.created", ...twice]);
    await shop.act(made.id, "ship");
    expect(await types()).toEqual(["order.fulfilled", "order.shipped", ...twice]);
    const other = await shop.order([[a, 1]]);
    await types();
    await shop.cancel(other.id);
    expect(await types()).toEqual(["order.cancelled", "inventory.updated"]);
  });

  test("an earlier reservation is adopted, by order number or by id", async () => {
    const goods = await shop.product({ units: 10 });
    const reserve = async (order_id: string) =>
      (await shop.app.post("/inventory/reserve", { order_id, items: [{ sku: goods.sku, quantity: 4 }] })).body.data;
    await reserve("by number");
    const { reservation_id } = await reserve("by id");
    expect(await shop.available(goods.sku)).toBe(2);
    const first = await shop.order([[goods, 3]], { order_number: "by number" });
    const second = await shop.order([[goods, 6]], { reservation_id });
    expect([first.allocation.backordered_units, second.allocation.backordered_units]).toEqual([0, 0]);
    expect(await shop.available(goods.sku)).toBe(1);
  });

  test("an order waits for stock, and incoming units are shown at once", async () => {
    const goods = await shop.product({ units: 1 });
    const made = await shop.order([[goods, 3]]);
    await shop.app.stock(goods.sku, 5, { location: "whs_1001" });
    const filled = await shop.get(made.id);
    expect(filled).toMatchObject({
      allocation: { complete: true, backordered_units: 0 },
      line_items: [{ quantity_reserved: 3 }],
      estimated_ship_date: "2026-01-02",
    });
  });

  test("the response of a GET can be sent back and changes nothing", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 1]]);
    const same = await shop.app.patch(`/orders/${made.id}`, made);
    expect([same.status, same.body.data]).toEqual([200, made]);
    expect(await shop.history(made.id)).toEqual(["create: - > pending"]);
  });

  test("an order's own fields can change until it is packed", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 1]]);
    const second = shop.customer.shipping_addresses[1];
    const change = {
      shipping_address_id: second.id,
      shipping_method: null,
      order_notes: "Ring twice.\nThen wait.",
      requires_cold_storage: false,
      priority: 7,
      metadata: { a: 1 },
    };
    const { body } = await shop.app.patch(`/orders/${made.id}`, change);
    expect(body.data).toMatchObject({ ...change, revision: 2, shipping_address: { address_line1: "1 Dock Rd" } });
    expect(await shop.get(made.id)).toEqual(body.data);
    expect(await shop.told()).toEqual(["order.created"]);
    expect(await shop.history(made.id)).toEqual(["create: - > pending", "update: pending > pending"]);
  });

  test("lines are replaced and reserved again; a line of the same product keeps its id", async () => {
    const [a, b, c] = [
      await shop.product({ units: 5 }),
      await shop.product({ units: 5 }),
      await shop.product({ units: 5 }),
    ];
    const made = await shop.order([
      [a, 2],
      [b, 3],
    ]);
    const line_items = [
      { product_id: b.id, quantity: 4, unit_price: "2.00" },
      { product_id: c.id, quantity: 6, unit_price: "1.00" },
    ];
    const { body } = await shop.app.patch(`/orders/${made.id}`, { line_items });
    expect(body.data).toMatchObject({
      subtotal: 14,
      allocation: { complete: false, backordered_units: 1 },
      revision: 2,
    });
    expect(body.data.line_items).toMatchObject([
      { id: made.line_items[1].id, quantity: 4, quantity_reserved: 4 },
      { quantity: 6, quantity_reserved: 5, quantity_backordered: 1 },
    ]);
    expect(await shop.get(made.id)).toEqual(body.data);
    expect(await shop.available(a.sku)).toBe(5);
  });

  test("the table of transitions is published", async () => {
    const { body } = await shop.app.get("/orders/transitions");
    expect(body.data).toContainEqual({
      action: "cancel",
      outcome: "cancel",
      from: ["pending", "processing", "fulfilled"],
      to: "cancelled",
      while_held: true,
      event: "order.cancelled",
    });
    expect(body.data).toContainEqual({
      action: "split",
      outcome: "rest_packed",
      from: ["pending", "processing"],
      to: "fulfilled",
      while_held: false,
      event: "order.fulfilled",
    });
    const outcomes = new Set(body.data.map(({ outcome }: { outcome: string }) => outcome));
    expect([...outcomes].sort()).toEqual(Object.keys(orderTransitions).sort());
  });

  test("cancelling releases everything, and cancelling twice equals once", async () => {
    const goods = await shop.product({ units: 5 });
    const made = await shop.order([[goods, 4]]);
    await shop.act(made.id, "pick");
    await shop.told();
    const { body } = await shop.cancel(made.id, "?reason=customer&note=Changed%20mind");
    expect(body.data).toMatchObject({
      status: "cancelled",
      cancel_reason: "customer",
      line_items: [{ quantity_reserved: 0, quantity_picked: 0, quantity_cancelled: 4 }],
      allowed_actions: [],
      estimated_ship_date: null,
    });
    expect((await shop.cancel(made.id, "?reason=fraud")).body.data).toEqual(body.data);
    expect(await shop.get(made.id)).toEqual(body.data);
    expect(await shop.told()).toEqual(["order.cancelled"]);
    expect((await shop.app.get(`/orders/${made.id}/history`)).body.data.at(-1)).toMatchObject({
      event: "cancel",
      from_status: "processing",
      to_status: "cancelled",
      reason: "customer",
      note: "Changed mind",
    });
  });
});

describe("refuses", () => {
  test("all bad fields at once", async () => {
    const { status, body } = await shop.app.post("/orders", {
      order_number: "ord_12",
      line_items: [{ quantity: 0, unit_price: 1.9999 }],
      colour: "red",
    });
    expect([status, body.error.code]).toEqual([422, "validation_failed"]);
    const fields = body.error.details.map(({ field }: { field: string }) => field);
    expect(fields.sort()).toEqual(
      [
        "colour",
        "customer_id",
        "line_items[0].quantity",
        "line_items[0].unit_price",
        "order_number",
        "shipping_address_id",
      ].sort(),
    );
    expect(await shop.told()).toEqual([]);
  });

  test("all unknown records at once", async () => {
    const line = { quantity: 1, unit_price: 1 };
    const line_items = [
      { ...line, product_id: 1 },
      { ...line, sku: "no such" },
    ];
    const missing = async (fields: object) => {
      const { status, body } = await shop.app.post("/orders", shop.draft([], { line_items, ...fields }));
      expect([status, body.error.code]).toEqual([404, "resource_missing"]);
      return body.error.details.map(({ field }: { field: string }) => field);
    };
    const lines = ["line_items[0].product_id", "line_items[1].sku"];
    expect(await missing({})).toEqual(lines);
    expect(await missing({ customer_id: 1 })).toEqual(["customer_id", ...lines]);
    expect(await missing({ shipping_address_id: "adr_1" })).toEqual(["shipping_address_id", ...lines]);
    expect(await missing({ warehouse_id: 1 })).toEqual([...lines, "warehouse_id"]);
  });

  test("lines without a product, on creation and on a change", async () => {
    const goods = await shop.product({ units: 5 });
    const made = await shop.order([[goods, 1]]);
    const line = { quantity: 1, unit_price: 1 };
    const line_items = [line, { ...line, sku: goods.sku }, line];
    for (const { status, body } of [
      await shop.app.post("/orders", shop.draft([], { line_items })),
      await shop.app.patch(`/orders/${made.id}`, { line_items }),
    ]) {
      expect([status, body.error.code]).toEqual([422, "validation_failed"]);
      expect(body.error.details).toMatchObject([
        { field: "line_items[0].product_id", code: "required" },
        { field: "line_items[2].product_id", code: "required" },
      ]);
    }
  });

  test("an unknown reservation, by its field", async () => {
    const { status, body } = await shop.app.post(
      "/orders",
      shop.draft([[await shop.product({ units: 5 }), 1]], { reservation_id: "rsv_99999" }),
    );
    expect([status, body.error.code]).toEqual([404, "resource_missing"]);
    expect(body.error.details).toMatchObject([{ field: "reservation_id", code: "resource_missing" }]);
  });

  test("changes of a cancelled order, without mentioning packing", async () => {
    const goods = await shop.product({ units: 5 });
    const made = await shop.order([[goods, 1]]);
    await shop.cancel(made.id);
    const line_items = [{ sku: goods.sku, quantity: 2, unit_price: 1 }];
    for (const { status, body } of [
      await shop.app.patch(`/orders/${made.id}`, { priority: 7 }),
      await shop.app.patch(`/orders/${made.id}`, { line_items }),
    ]) {
      expect([status, body.error.message]).toEqual([409, "Cannot update while cancelled."]);
    }
    const items = [{ sku: goods.sku, quantity: 1 }];
    const { body } = await shop.app.post(`/orders/${made.id}/cancel_items`, { items });
    expect(body.error.message).toBe("Cannot cancel_items while cancelled.");
  });

  test("a number in use, and names the order", async () => {
    const goods = await shop.product({ units: 5 });
    const made = await shop.order([[goods, 1]]);
    await shop.told();
    const { status, body } = await shop.app.post(
      "/orders",
      shop.draft([[goods, 1]], { order_number: made.order_number }),
    );
    expect([status, body.error.code, body.error.existing_id]).toEqual([409, "duplicate_order_number", made.id]);
    expect(await shop.told()).toEqual([]);
    expect(await shop.available(goods.sku)).toBe(4);
  });

  test("a shortage if backorders are not allowed, and stores nothing", async () => {
    const [a, b] = [await shop.product({ units: 2 }), await shop.product({ units: 5 })];
    const draft = shop.draft(
      [
        [a, 3],
        [b, 5],
      ],
      { allow_backorder: false },
    );
    const { status, body } = await shop.app.post("/orders", draft);
    expect([status, body.error.code]).toEqual([409, "insufficient_inventory"]);
    expect(await shop.told()).toEqual([]);
    expect(await shop.available(b.sku)).toBe(5);
    expect((await shop.app.get(`/orders?order_number=${draft.order_number}`)).body.data).toEqual([]);
  });

  test("an inactive product, and another product's SKU", async () => {
    const [goods, other] = [await shop.product({ units: 1 }), await shop.product({ units: 1 })];
    const line = { product_id: goods.id, quantity: 1, unit_price: 1 };
    const problem = async (line_items: object[]) =>
      (await shop.app.post("/orders", shop.draft([], { line_items }))).body.error.details;
    expect(await problem([{ ...line, sku: other.sku }])).toMatchObject([{ field: "line_items[0].sku" }]);
    await shop.app.patch(`/products/${goods.id}`, { status: "inactive" });
    expect(await problem([line])).toMatchObject([{ field: "line_items[0].product_id", code: "inactive" }]);
  });

  test("changes of immutable fields", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 1]]);
    const fixed = {
      order_number: "other",
      customer_id: 1,
      currency: "EUR",
      shipping_amount: 1,
      allow_backorder: false,
      warehouse_id: 1,
    };
    const refused = await shop.app.patch(`/orders/${made.id}`, fixed);
    expect([refused.status, refused.body.error.code]).toEqual([422, "immutable_field"]);
    expect(refused.body.error.details.map(({ field }: { field: string }) => field)).toEqual(Object.keys(fixed));
    const moved = await shop.app.patch(`/orders/${made.id}`, { status: "shipped" });
    expect([moved.status, moved.body.error.details[0].field]).toEqual([422, "status"]);
    expect(moved.body.error.details[0].message).toContain("POST /orders/:id/{process,");
  });

  test("another customer's address", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 1]]);
    const { status, body } = await shop.app.patch(`/orders/${made.id}`, { shipping_address_id: 1 });
    expect([status, body.error.details[0].field]).toEqual([404, "shipping_address_id"]);
  });

  test("changes that come too late", async () => {
    const goods = await shop.product({ units: 20 });
    const line_items = [{ product_id: goods.id, quantity: 2, unit_price: 1 }];
    const change = async (id: string, fields: object) => {
      const { status, body } = await shop.app.patch(`/orders/${id}`, fields);
      return [status, body.error?.code, body.error?.action];
    };
    const refused = [409, "invalid_state_transition", "update"];
    const made = await shop.order([[goods, 1]]);
    await shop.act(made.id, "process");
    expect(await change(made.id, { line_items })).toEqual(refused);
    expect(await change(made.id, { priority: 1 })).toEqual([200, undefined, undefined]);
    await shop.act(made.id, "hold");
    expect(await change(made.id, { line_items })).toEqual([200, undefined, undefined]);
    await shop.act(made.id, "release");
    await shop.act(made.id, "pack");
    expect(await change(made.id, { priority: 2 })).toEqual(refused);
    expect(await change(made.id, { priority: 1 })).toEqual([200, undefined, undefined]);
  });

  test("an unknown order", async () => {
    for (const path of ["/orders/ord_1", "/orders/1", "/orders/cus_1001", "/orders/ord_1/history"]) {
      const { status, body } = await shop.app.get(path);
      expect([path, status, body.error.code]).toEqual([path, 404, "resource_missing"]);
    }
    expect((await shop.app.post("/orders/ord_1/ship")).status).toBe(404);
    expect((await shop.cancel("ord_1")).status).toBe(404);
  });
});
