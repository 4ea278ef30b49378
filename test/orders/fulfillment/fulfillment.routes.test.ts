import { describe, expect, test } from "bun:test";
import { actionsIn } from "../../../src/core/transitions.ts";
import { orderTransitions } from "../../../src/orders/order.transitions.ts";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();

describe("works", () => {
  test("an order passes every step, each emitted once", async () => {
    const made = await shop.order([
      [await shop.product({ units: 5 }), 2],
      [await shop.product({ units: 5 }), 1],
    ]);
    expect(await shop.told()).toEqual(["order.created"]);
    expect(await shop.act(made.id, "process")).toMatchObject({ status: "processing", revision: 2 });
    const picked = await shop.act(made.id, "pick");
    expect(picked.line_items).toMatchObject([
      { quantity_reserved: 2, quantity_picked: 2, quantity_packed: 0 },
      { quantity_reserved: 1, quantity_picked: 1, quantity_packed: 0 },
    ]);
    const packed = await shop.act(made.id, "pack");
    expect(packed).toMatchObject({ status: "fulfilled", fulfillment_status: "fulfilled" });
    expect(
      await shop.app.takeEvents().then((events) => events.filter(({ type }) => type === "order.fulfilled")),
    ).toEqual([
      expect.objectContaining({
        data: {
          object: "order",
          id: made.id,
          order_number: made.order_number,
          status: "fulfilled",
          customer: { email: "jane@example.com", name: "Jane Doe" },
          shipment: { tracking_number: null, carrier: null, service: null },
          fulfilled_at: packed.fulfilled_at,
        },
      }),
    ]);
    const shipped = await shop.act(made.id, "ship", { carrier: "van", service: "same day", tracking_number: "V1" });
    expect(shipped).toMatchObject({
      status: "shipped",
      fulfillment_status: "shipped",
      line_items: [
        { quantity_reserved: 0, quantity_picked: 2, quantity_shipped: 2 },
        { quantity_reserved: 0, quantity_picked: 1, quantity_shipped: 1 },
      ],
      shipments: [{ status: "shipped", carrier: "van", service: "same day", tracking_number: "V1", items: [{}, {}] }],
      allowed_actions: ["deliver"],
    });
    const [event] = (await shop.app.takeEvents()).filter(({ type }) => type === "order.shipped");
    expect(event?.data).toEqual({ object: "order", ...shipped });
    const delivered = await shop.act(made.id, "deliver");
    expect(delivered).toMatchObject({ status: "delivered", fulfillment_status: "delivered", allowed_actions: [] });
    expect(await shop.told()).toEqual(["order.delivered", "shipment.tracking_updated", "shipment.delivered"]);
    expect(await shop.get(made.id)).toEqual(delivered);
    expect(await shop.history(made.id)).toEqual([
      "create: - > pending",
      "process: pending > processing",
      "pick: processing > processing",
      "pack: processing > fulfilled",
      "ship: fulfilled > shipped",
      "deliver: shipped > delivered",
    ]);
  });

  test("shipping a pending order performs every step, with its own row and event", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 2]]);
    await shop.told();
    const shipped = await shop.act(made.id, "ship", { carrier: "van", tracking_number: "V2" });
    expect(shipped).toMatchObject({ status: "shipped", revision: 5 });
    const events = (await shop.app.takeEvents()).filter(({ type }) => type.startsWith("order."));
    expect(events.map(({ type }) => type)).toEqual(["order.fulfilled", "order.shipped"]);
    expect(events[0]?.data["shipment"]).toEqual({ tracking_number: "V2", carrier: "van", service: null });
    const { body } = await shop.app.get(`/orders/${made.id}/history?limit=2&page=2`);
    expect(body.data).toMatchObject([{ event: "pick", note: "assumed" }, { event: "pack" }]);
    expect(body.meta.pagination).toMatchObject({ total: 5, total_pages: 3 });
    const rest = await shop.app.get(`/orders/${made.id}/history?limit=4&cursor=`);
    expect(rest.status).toBe(400);
    const ids = new Set(body.data.map(({ request_id }: { request_id: string }) => request_id));
    expect(ids.size).toBe(1);
  });

  test("items are picked individually, across the lines of a SKU in order", async () => {
    const goods = await shop.product({ units: 9 });
    const made = await shop.order([
      [goods, 2],
      [goods, 3],
    ]);
    const counts = async (items: object[]) =>
      (await shop.act(made.id, "pick", { items })).line_items.map(
        (line: { quantity_picked: number }) => line.quantity_picked,
      );
    expect(await counts([{ sku: goods.sku, quantity: 3 }])).toEqual([2, 1]);
    expect(await counts([{ line_id: made.line_items[1].id, quantity: 1 }])).toEqual([2, 2]);
    expect(await shop.act(made.id, "pack")).toMatchObject({ status: "fulfilled" });
    expect((await shop.history(made.id)).filter((row) => row.startsWith("pick"))).toHaveLength(3);
  });

  test("picked units are not picked again", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 2]]);
    const picked = await shop.act(made.id, "pick");
    expect(await shop.act(made.id, "pick")).toEqual(picked);
  });

  test("each package becomes a parcel, and each is shipped separately", async () => {
    const goods = await shop.product({ units: 5 });
    const made = await shop.order([[goods, 3]]);
    const items = (quantity: number) => ({ items: [{ sku: goods.sku, quantity }] });
    const packed = await shop.act(made.id, "pack", { packages: [items(1), items(2)] });
    expect(packed).toMatchObject({
      status: "fulfilled",
      shipments: [
        { status: "pending", items: [{ quantity: 1 }] },
        { status: "pending", items: [{ quantity: 2 }] },
      ],
    });
    await shop.told();
    const first = await shop.act(made.id, "ship", { shipment_id: packed.shipments[0].id });
    expect(first).toMatchObject({ status: "fulfilled", fulfillment_status: "partially_shipped", shipped_at: null });
    expect(first.shipments.map(({ status }: { status: string }) => status)).toEqual(["shipped", "pending"]);
    expect(await shop.told()).toEqual([]);
    const second = await shop.act(made.id, "ship", { shipment_id: first.shipments[1].id });
    expect(second.status).toBe("shipped");
    expect(await shop.told()).toEqual(["order.shipped"]);
    expect((await shop.act(made.id, "deliver")).shipments).toMatchObject([
      { status: "delivered" },
      { status: "delivered" },
    ]);
    expect(await shop.told()).toEqual(["order.delivered"]);
  });

  test("parcels without labels ship together, with other packed units", async () => {
    const goods = await shop.product({ units: 9 });
    const made = await shop.order([[goods, 7]]);
    const items = (quantity: number) => ({ items: [{ sku: goods.sku, quantity }] });
    await shop.act(made.id, "pack", { packages: [items(1), items(2)] });
    await shop.act(made.id, "pack");
    await shop.told();
    const shipped = await shop.act(made.id, "ship", { carrier: "UPS" });
    expect(shipped).toMatchObject({ status: "shipped", line_items: [{ quantity_shipped: 7 }] });
    expect(shipped.shipments).toMatchObject(
      [1, 2, 4].map((quantity) => ({ status: "shipped", carrier: "UPS", items: [{ quantity }] })),
    );
    expect(await shop.told()).toEqual(["order.shipped"]);
    expect((await shop.app.post(`/orders/${made.id}/ship`, {})).status).toBe(409);
  });

  test("without a parcel everything ships, packed or not", async () => {
    const [there, late] = [await shop.product({ units: 1 }), await shop.product()];
    const made = await shop.order([
      [there, 1],
      [late, 1],
    ]);
    await shop.act(made.id, "pack", { partial: true });
    await shop.app.stock(late.sku, 1);
    const shipped = await shop.act(made.id, "ship");
    expect(shipped).toMatchObject({ status: "shipped", shipments: [{ items: [{ quantity: 1 }, { quantity: 1 }] }] });
  });

  test("of parcels without labels, one ships if a tracking number is sent", async () => {
    const goods = await shop.product({ units: 9 });
    const made = await shop.order([[goods, 3]]);
    const items = (quantity: number) => ({ items: [{ sku: goods.sku, quantity }] });
    await shop.act(made.id, "pack", { packages: [items(1), items(2)] });
    const first = await shop.act(made.id, "ship", { tracking_number: "T7" });
    expect(first.shipments).toMatchObject([{ status: "shipped", tracking_number: "T7" }, { status: "pending" }]);
    expect(await shop.act(made.id, "ship")).toMatchObject({ status: "shipped" });
  });

  test("with partial, available units ship and the rest stays open", async () => {
    const goods = await shop.product({ units: 3 });
    const made = await shop.order([[goods, 5]]);
    await shop.told();
    const part = await shop.act(made.id, "ship", { partial: true });
    expect(part).toMatchObject({
      status: "processing",
      fulfillment_status: "partially_shipped",
      line_items: [{ quantity_shipped: 3, quantity_reserved: 0, quantity_backordered: 2, quantity_picked: 3 }],
      allocation: { complete: false, backordered_units: 2 },
    });
    expect(part.allowed_actions).toEqual(["pick", "pack", "ship", "hold", "cancel_items", "split"]);
    expect(await shop.told()).toEqual([]);
    expect(await shop.get(made.id)).toEqual(part);
  });

  test("with partial, packed units ship before others", async () => {
    const [a, b] = [await shop.product({ units: 5 }), await shop.product({ units: 5 })];
    const made = await shop.order([
      [a, 1],
      [b, 2],
    ]);
    await shop.act(made.id, "pack", { packages: [{ items: [{ sku: b.sku, quantity: 1 }] }] });
    const part = await shop.act(made.id, "ship", { partial: true });
    expect(part.line_items).toMatchObject([{ quantity_shipped: 0 }, { quantity_shipped: 1 }]);
    const rest = await shop.act(made.id, "ship");
    expect(rest).toMatchObject({ status: "shipped", shipments: [{ items: [{}] }, { items: [{}, {}] }] });
  });
});

describe("requiring cold storage after work has started", () => {
  test("moves the reservations of unpicked units; picked ones stay", async () => {
    const goods = await shop.product({ units: 9 });
    const made = await shop.order([[goods, 6]]);
    await shop.act(made.id, "pick", { items: [{ sku: goods.sku, quantity: 2 }] });
    const cold = await shop.app.patch(`/orders/${made.id}`, { requires_cold_storage: true });
    expect(cold.status).toBe(200);
    expect(cold.body.data.line_items).toMatchObject([
      { quantity_reserved: 2, quantity_picked: 2, quantity_backordered: 4 },
    ]);
    expect(await shop.available(goods.sku)).toBe(7);
    const warm = await shop.app.patch(`/orders/${made.id}`, { requires_cold_storage: false });
    expect(warm.body.data.line_items).toMatchObject([{ quantity_reserved: 6, quantity_backordered: 0 }]);
  });

  test("does not want shipped units again", async () => {
    const goods = await shop.product({ units: 4 });
    const made = await shop.order([[goods, 10]]);
    await shop.act(made.id, "ship", { partial: true });
    const { status, body } = await shop.app.patch(`/orders/${made.id}`, { requires_cold_storage: true });
    expect(status).toBe(200);
    expect(body.data.line_items).toMatchObject([{ quantity_shipped: 4, quantity_backordered: 6 }]);
  });

  test("is refused if an order without backorders would be short", async () => {
    const goods = await shop.product({ units: 5 });
    const made = await shop.order([[goods, 2]], { allow_backorder: false });
    await shop.act(made.id, "process");
    await shop.app.takeEvents();
    const { status, body } = await shop.app.patch(`/orders/${made.id}`, { requires_cold_storage: true });
    expect([status, body.error.code]).toEqual([409, "insufficient_inventory"]);
    expect((await shop.get(made.id)).line_items).toMatchObject([{ quantity_reserved: 2 }]);
    expect(await shop.app.takeEvents()).toEqual([]);
  });
});

describe("refuses", () => {
  test("forbidden actions, in every status", async () => {
    const actions = actionsIn(orderTransitions).filter((action) => !/^(cancel|release|split)/.test(action));
    const ways = {
      pending: [],
      processing: ["process"],
      fulfilled: ["pack"],
      shipped: ["ship"],
      delivered: ["ship", "deliver"],
    };
    for (const [status, steps] of Object.entries(ways)) {
      for (const action of actions) {
        const made = await shop.order([[await shop.product({ units: 1 }), 1]]);
        for (const step of steps) await shop.act(made.id, step);
        const before = await shop.get(made.id);
        expect(before.status).toBe(status);
        await shop.told();
        const body = /^unp/.test(action) ? { reason: "mistake" } : {};
        const answer = await shop.app.post(`/orders/${made.id}/${action}`, body);
        const allowed = before.allowed_actions.includes(action);
        expect([status, action, answer.status]).toEqual([status, action, allowed ? 200 : 409]);
        if (allowed) continue;
        const error = { code: "invalid_state_transition", from: status, action };
        expect(answer.body.error).toMatchObject({ ...error, allowed_actions: before.allowed_actions });
        expect(await shop.told()).toEqual([]);
        expect(await shop.get(made.id)).toEqual(before);
      }
    }
  });

  test("cancelling once a parcel has shipped, and names the alternative", async () => {
    const goods = await shop.product({ units: 3 });
    const [whole, part] = [await shop.order([[goods, 1]]), await shop.order([[goods, 5]])];
    await shop.act(whole.id, "ship");
    await shop.act(part.id, "ship", { partial: true });
    for (const { id } of [whole, part]) {
      const { status, body } = await shop.cancel(id);
      expect([status, body.error.code, body.error.message]).toEqual([
        409,
        "invalid_state_transition",
        expect.stringContaining("create a return"),
      ]);
    }
  });

  test("open backorders, and names each SKU", async () => {
    const goods = await shop.product({ units: 3 });
    const made = await shop.order([[goods, 5]]);
    await shop.told();
    for (const action of ["pick", "pack", "ship"]) {
      const { status, body } = await shop.app.post(`/orders/${made.id}/${action}`);
      expect([action, status, body.error.code, body.error.shortages]).toEqual([
        action,
        409,
        "insufficient_inventory",
        [{ sku: goods.sku, requested: 5, available: 3 }],
      ]);
    }
    expect(await shop.told()).toEqual([]);
    expect(await shop.get(made.id)).toEqual(made);
  });

  test("a pick of too many units, with the counts", async () => {
    const goods = await shop.product({ units: 3 });
    const made = await shop.order([[goods, 1]]);
    await shop.order([[goods, 2]]);
    const message = async (body: object) => (await shop.app.post(`/orders/${made.id}/pick`, body)).body.error.message;
    expect(await message({ items: [{ sku: goods.sku, quantity: 1, bin: "B-99" }] })).toBe(
      `1 unit of ${goods.sku} is not in that lot or bin, reserved for other orders, or too close to expiry.`,
    );
  });

  test("picks without any units, even with partial", async () => {
    const made = await shop.order([[await shop.product(), 5]]);
    for (const action of ["pack", "ship"]) {
      const { status, body } = await shop.app.post(`/orders/${made.id}/${action}`, { partial: true });
      expect([action, status, body.error.code]).toEqual([action, 409, "insufficient_inventory"]);
    }
    expect((await shop.get(made.id)).shipments).toEqual([]);
  });

  test.each([
    ["more than the line has", { items: [{ line_id: "LINE", quantity: 3 }] }, 422],
    ["more than the line has, in two items", { items: [1, 2].map((quantity) => ({ sku: "SKU", quantity })) }, 422],
    ["a line of another order", { items: [{ line_id: 1, quantity: 1 }] }, 404],
    ["a SKU that was not ordered", { items: [{ sku: "other", quantity: 1 }] }, 404],
    ["neither line nor SKU", { items: [{ quantity: 1 }] }, 422],
    ["no items", { items: [] }, 422],
  ])("a pick of %s", async (_, body, status) => {
    const made = await shop.order([[await shop.product({ units: 5 }), 2]]);
    const [{ id, sku }] = made.line_items;
    const sent = JSON.parse(JSON.stringify(body).replaceAll('"LINE"', `"${id}"`).replaceAll('"SKU"', `"${sku}"`));
    expect((await shop.app.post(`/orders/${made.id}/pick`, sent)).status).toBe(status);
    expect(await shop.get(made.id)).toEqual(made);
  });

  test("too many units, and names the package and the item", async () => {
    const goods = await shop.product({ units: 5 });
    const made = await shop.order([[goods, 2]]);
    const item = (quantity: number) => ({ sku: goods.sku, quantity });
    const packages = [{ items: [item(1)] }, { items: [item(1), item(1)] }];
    const { status, body } = await shop.app.post(`/orders/${made.id}/pack`, { packages });
    expect(status).toBe(422);
    expect(body.error.details).toMatchObject([{ field: "packages[1].items[1].quantity", code: "too_large" }]);
  });

  test("a partial shipment without any units, and names what is short", async () => {
    const goods = await shop.product();
    const made = await shop.order([[goods, 2]]);
    for (const action of ["pack", "ship"]) {
      const { status, body } = await shop.app.post(`/orders/${made.id}/${action}`, { partial: true });
      expect([status, body.error.code]).toEqual([409, "insufficient_inventory"]);
      expect(body.error.shortages).toEqual([{ sku: goods.sku, requested: 2, available: 0 }]);
    }
  });

  test("another order's parcel, a shipped one, and another tracking number than its label's", async () => {
    const goods = await shop.product({ units: 9 });
    const made = await shop.order([[goods, 2]]);
    expect((await shop.app.post(`/orders/${made.id}/ship`, { shipment_id: 1 })).status).toBe(404);
    const item = { items: [{ sku: goods.sku, quantity: 1 }] };
    const { shipments } = await shop.act(made.id, "pack", { packages: [item, item] });
    const [first, second] = shipments;
    await shop.act(made.id, "ship", { shipment_id: first.id, tracking_number: "T1" });
    const gone = await shop.app.post(`/orders/${made.id}/ship`, { shipment_id: first.id });
    expect([gone.status, gone.body.error.code]).toEqual([409, "invalid_state_transition"]);
    await shop.act(made.id, "ship", { shipment_id: second.id });
  });
});
