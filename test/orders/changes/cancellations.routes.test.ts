import { beforeEach, describe, expect, test } from "bun:test";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();
beforeEach(async () => {
  await shop.app.takeEvents();
});

type Sent = { sku?: string; line_id?: string; quantity: number };
const give = (id: string, items: Sent[], more: object = {}) =>
  shop.act(id, "cancel_items", { items, reason: "customer", ...more });
const lastOf = async (id: string) => (await shop.app.get(`/orders/${id}/history`)).body.data.at(-1);

/** Buys a label for all units of an order that are in no parcel, and returns its id. */
async function bought(order_id: string): Promise<string> {
  const parcel = { carrier: "local", service: "standard", package: { weight: 1, weight_unit: "lb" } };
  return (await shop.app.create("/shipping/labels", { order_id, ...parcel })).label_id;
}

describe("works", () => {
  test("units of a pending order are for sale again, and the total decreases", async () => {
    const [tea, cup] = [await shop.product({ units: 5 }), await shop.product({ units: 5 })];
    const made = await shop.order([
      [tea, 3],
      [cup, 1],
    ]);
    expect(made.subtotal).toBe(50);
    await shop.app.takeEvents();
    const less = await give(made.id, [{ sku: tea.sku, quantity: 2 }], { note: "Changed her mind" });
    expect(less).toMatchObject({
      status: "pending",
      revision: 2,
      subtotal: 25,
      line_items: [{ quantity: 3, quantity_reserved: 1, quantity_cancelled: 2, quantity_backordered: 0 }, {}],
    });
    expect((await shop.app.takeEvents()).map(({ type, data }) => [type, data["sku"]])).toEqual([
      ["inventory.updated", tea.sku],
    ]);
    expect(await shop.stockOf(tea.sku)).toMatchObject({ available: 4, reserved: 1 });
    expect(await lastOf(made.id)).toMatchObject({
      event: "cancel_items",
      from_status: "pending",
      to_status: "pending",
      reason: "customer",
      note: `2 of ${tea.sku}. Changed her mind`,
      actor: { type: "api_key" },
    });
    expect(await shop.act(made.id, "ship")).toMatchObject({
      status: "shipped",
      fulfillment_status: "shipped",
      line_items: [{ quantity_shipped: 1, quantity_cancelled: 2 }, { quantity_shipped: 1 }],
    });
    expect(await shop.told()).toEqual(["order.fulfilled", "order.shipped"]);
  });

  test("backordered units are cancelled first, then reserved and last picked ones", async () => {
    const tea = await shop.product({ units: 5 });
    const made = await shop.order([[tea, 7]]);
    await shop.act(made.id, "pick", { items: [{ sku: tea.sku, quantity: 3 }], partial: true });
    const counts = async (quantity: number) => (await give(made.id, [{ sku: tea.sku, quantity }])).line_items[0];
    expect(await counts(2)).toMatchObject({ quantity_backordered: 0, quantity_reserved: 5, quantity_picked: 3 });
    expect(await counts(2)).toMatchObject({ quantity_reserved: 3, quantity_picked: 3 });
    expect(await counts(1)).toMatchObject({ quantity_reserved: 2, quantity_picked: 2 });
    expect(await shop.stockOf(tea.sku)).toMatchObject({ available: 2, reserved: 2, unavailable: { putback: 1 } });
    const body = { order_id: made.id, sku: tea.sku, quantity: 1, bin: "A-1-1" };
    const bin = (await shop.stockOf(tea.sku)).locations[0].location;
    expect((await shop.app.post("/inventory/putbacks", { ...body, bin })).body.data).toMatchObject({ remaining: 0 });
    expect(await shop.available(tea.sku)).toBe(3);
  });

  test("units released by one line may fill another line of the order, and the response shows it", async () => {
    const tea = await shop.product({ units: 1 });
    const made = await shop.order([
      [tea, 1],
      [tea, 1],
    ]);
    const less = await give(made.id, [{ line_id: made.line_items[0].id, quantity: 1 }]);
    expect(less.line_items).toMatchObject([
      { quantity_reserved: 0, quantity_cancelled: 1 },
      { quantity_reserved: 1, quantity_backordered: 0 },
    ]);
    expect(await shop.get(made.id)).toEqual(less);
  });

  test("released units fill backorders", async () => {
    const tea = await shop.product({ units: 3 });
    const [first, second] = [await shop.order([[tea, 3]]), await shop.order([[tea, 2]])];
    await give(first.id, [{ line_id: first.line_items[0].id, quantity: 2 }]);
    expect((await shop.get(second.id)).allocation).toEqual({ complete: true, backordered_units: 0 });
  });

  test("without its backordered units, an order is packed", async () => {
    const tea = await shop.product({ units: 2 });
    const made = await shop.order([[tea, 5]]);
    await shop.act(made.id, "pack", { partial: true });
    await shop.app.takeEvents();
    const less = await give(made.id, [{ sku: tea.sku, quantity: 3 }]);
    expect(less).toMatchObject({ status: "fulfilled", fulfillment_status: "fulfilled", revision: 5 });
    expect(less.fulfilled_at).not.toBe(null);
    expect(await shop.told()).toEqual(["order.fulfilled"]);
    expect((await shop.history(made.id)).at(-1)).toBe("cancel_items: processing > fulfilled");
  });

  test("after a partial shipment the rest is cancelled, and the order has shipped", async () => {
    const tea = await shop.product({ units: 2 });
    const made = await shop.order([[tea, 5]]);
    await shop.act(made.id, "ship", { partial: true });
    await shop.app.takeEvents();
    const less = await give(made.id, [{ sku: tea.sku, quantity: 3 }]);
    expect(less).toMatchObject({
      status: "shipped",
      fulfillment_status: "shipped",
      subtotal: 25,
      cancelled_at: null,
      allowed_actions: ["deliver"],
      line_items: [{ quantity_shipped: 2, quantity_cancelled: 3, quantity_backordered: 0 }],
    });
    expect(await shop.told()).toEqual(["order.fulfilled", "order.shipped"]);
    await shop.act(made.id, "deliver");
    expect(await shop.told()).toEqual(["order.delivered"]);
    const refund = await shop.app.post("/returns", { order_id: made.id, reason: "defective" });
    expect(refund.body.data.items).toMatchObject([{ sku: tea.sku, quantity: 2 }]);
  });

  test("once all shipped parcels are delivered, cancelling the rest completes the order", async () => {
    const tea = await shop.product({ units: 2 });
    const made = await shop.order([[tea, 3]]);
    const parcel = { carrier: "local", service: "standard", package: { weight: 1, weight_unit: "lb" } };
    const items = [{ sku: tea.sku, quantity: 2 }];
    const label = (await shop.app.post("/shipping/labels", { order_id: made.id, ...parcel, items })).body.data;
    await shop.app.post(`/tracking/${label.tracking_number}/events`, { status: "delivered" });
    expect(await shop.get(made.id)).toMatchObject({ status: "processing", fulfillment_status: "partially_delivered" });
    await shop.told();
    const less = await give(made.id, [{ sku: tea.sku, quantity: 1 }]);
    expect(less).toMatchObject({ status: "delivered", fulfillment_status: "delivered", allowed_actions: [] });
    expect(await shop.told()).toEqual(["order.fulfilled", "order.shipped", "order.delivered"]);
    expect((await shop.history(made.id)).slice(-2)).toEqual([
      "cancel_items: processing > shipped",
      "deliver: shipped > delivered",
    ]);
  });

  test("a label for backordered units is voided when they are cancelled", async () => {
    const tea = await shop.product({ units: 2 });
    const made = await shop.order([[tea, 3]]);
    const part = await shop.act(made.id, "ship", { partial: true, tracking_number: `P-${made.id}` });
    expect(part.shipments).toHaveLength(1);
    const label = await bought(made.id);
    const { body } = await shop.app.post(`/orders/${made.id}/deliver`);
    expect(body.error.code).toBe("invalid_state_transition");
    const less = await give(made.id, [{ sku: tea.sku, quantity: 1 }]);
    expect(less).toMatchObject({ status: "shipped", shipments: [{ status: "shipped" }, { status: "voided" }] });
    expect((await shop.app.get(`/shipping/labels/${label}`)).body.data.status).toBe("voided");
    expect(await shop.act(made.id, "deliver")).toMatchObject({ status: "delivered" });
  });

  test("if nothing is left, the order is cancelled with its picked units and label", async () => {
    const [tea, cup] = [await shop.product({ units: 5 }), await shop.product({ units: 5 })];
    const made = await shop.order([
      [tea, 2],
      [cup, 1],
    ]);
    await shop.act(made.id, "pack");
    const label = await bought(made.id);
    await give(made.id, [{ sku: tea.sku, quantity: 2 }]);
    await shop.app.takeEvents();
    const none = await give(made.id, [{ sku: cup.sku, quantity: 1 }], { reason: "declined" });
    expect(none).toMatchObject({
      status: "cancelled",
      cancel_reason: "declined",
      subtotal: 0,
      shipments: [{ status: "voided" }],
      allowed_actions: [],
      line_items: [{ quantity_cancelled: 2 }, { quantity_cancelled: 1 }],
    });
    expect(await shop.told()).toEqual(["order.cancelled"]);
    expect((await shop.app.get(`/shipping/labels/${label}`)).body.data.status).toBe("voided");
    expect([
      (await shop.stockOf(tea.sku)).unavailable.putback,
      (await shop.stockOf(cup.sku)).unavailable.putback,
    ]).toEqual([2, 1]);
    expect((await shop.history(made.id)).slice(-4)).toEqual([
      "label: fulfilled > fulfilled",
      "void: fulfilled > fulfilled",
      "cancel_items: fulfilled > fulfilled",
      "cancel_items: fulfilled > cancelled",
    ]);
  });

  test("a parcel without a label keeps the rest; one with a label is voided", async () => {
    const tea = await shop.product({ units: 6 });
    const made = await shop.order([[tea, 6]]);
    const items = (quantity: number) => ({ items: [{ sku: tea.sku, quantity }] });
    await shop.act(made.id, "pack", { packages: [items(2), items(1), items(3)] });
    const less = await give(made.id, [{ sku: tea.sku, quantity: 4 }]);
    expect(less.shipments).toMatchObject([
      { status: "pending", items: [{ quantity: 2 }] },
      { status: "voided", items: [{ quantity: 1 }] },
      { status: "voided", items: [{ quantity: 3 }] },
    ]);
    const rest = await give(made.id, [{ sku: tea.sku, quantity: 1 }]);
    expect(rest.shipments[0]).toMatchObject({ status: "pending", items: [{ quantity: 1 }] });
    expect(rest).toMatchObject({ status: "fulfilled", line_items: [{ quantity_packed: 1, quantity_picked: 1 }] });
    expect(await shop.act(made.id, "ship")).toMatchObject({ status: "shipped" });
  });

  test("whole sets of a bundle with components in several places", async () => {
    const [cup, pot] = [await shop.product({ units: 8 }), await shop.product({ units: 3 })];
    const components = [
      { sku: cup.sku, quantity: 2 },
      { sku: pot.sku, quantity: 1 },
    ];
    const sku = `SET-${cup.sku}`;
    const set = await shop.app.product(sku, { type: "bundle", components });
    const made = await shop.order([[set, 4]]);
    expect(made.line_items).toMatchObject([{ quantity_reserved: 3, quantity_backordered: 1 }]);
    await shop.act(made.id, "pick", { items: [{ sku: cup.sku, quantity: 5 }], partial: true });
    const three = await give(made.id, [{ sku, quantity: 1 }]);
    expect(three.line_items).toMatchObject([{ quantity_reserved: 3, quantity_backordered: 0, quantity_cancelled: 1 }]);
    expect([(await shop.stockOf(cup.sku)).reserved, (await shop.stockOf(pot.sku)).reserved]).toEqual([6, 3]);
    const one = await give(made.id, [{ sku, quantity: 2 }]);
    expect(one.line_items).toMatchObject([{ quantity_reserved: 1, quantity_cancelled: 3 }]);
    expect([await shop.stockOf(cup.sku), await shop.stockOf(pot.sku)]).toMatchObject([
      { reserved: 2, picked: 2, available: 3, unavailable: { putback: 3 } },
      { reserved: 1, available: 2 },
    ]);
    expect(await shop.act(made.id, "ship")).toMatchObject({ status: "shipped" });
  });

  test("an order on hold stays on hold", async () => {
    const tea = await shop.product({ units: 5 });
    const made = await shop.order([[tea, 3]]);
    await shop.act(made.id, "hold", { reserve_inventory: false });
    const less = await give(made.id, [{ sku: tea.sku, quantity: 1 }]);
    expect(less).toMatchObject({ status: "on_hold", line_items: [{ quantity_backordered: 2, quantity_reserved: 0 }] });
    expect((await shop.act(made.id, "release")).line_items).toMatchObject([{ quantity_reserved: 2 }]);
  });

  test("replacing lines afterwards sets new quantities", async () => {
    const tea = await shop.product({ units: 9 });
    const made = await shop.order([[tea, 3]]);
    await give(made.id, [{ sku: tea.sku, quantity: 1 }]);
    const lines = (quantity: number) => ({ line_items: [{ sku: tea.sku, quantity, unit_price: "12.50" }] });
    const same = await shop.app.patch(`/orders/${made.id}`, lines(3));
    expect(same.body.data).toMatchObject({ revision: 2, subtotal: 25, line_items: [{ quantity_cancelled: 1 }] });
    const more = await shop.app.patch(`/orders/${made.id}`, lines(5));
    expect(more.body.data).toMatchObject({
      subtotal: 62.5,
      line_items: [{ quantity: 5, quantity_cancelled: 0, quantity_reserved: 5 }],
    });
  });
});

describe("refuses", () => {
  test.each([
    ["no items", { items: [] }, 422, "validation_failed"],
    ["an unknown reason", { items: [{ line_id: "LINE", quantity: 1 }], reason: "bored" }, 422, "validation_failed"],
    ["more than is open", { items: [{ line_id: "LINE", quantity: 4 }] }, 422, "validation_failed"],
    ["a line of no order", { items: [{ line_id: "lin_9", quantity: 1 }] }, 404, "resource_missing"],
    ["an item without a name", { items: [{ quantity: 1 }] }, 422, "validation_failed"],
  ])("%s", async (_, body, status, code) => {
    const made = await shop.order([[await shop.product({ units: 5 }), 3]]);
    await shop.app.takeEvents();
    const sent = JSON.stringify(body).replace("LINE", made.line_items[0].id);
    const answer = await shop.app.post(`/orders/${made.id}/cancel_items`, sent);
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(await shop.app.takeEvents()).toEqual([]);
    expect(await shop.get(made.id)).toEqual(made);
  });

  test("shipped units", async () => {
    const tea = await shop.product({ units: 2 });
    const made = await shop.order([[tea, 3]]);
    await shop.act(made.id, "ship", { partial: true });
    const items = [{ sku: tea.sku, quantity: 2 }];
    const some = await shop.app.post(`/orders/${made.id}/cancel_items`, { items });
    expect([some.status, some.body.error.details[0].message]).toEqual([422, "exceeds what is left by 1"]);
    await give(made.id, [{ sku: tea.sku, quantity: 1 }]);
    const all = await shop.app.post(`/orders/${made.id}/cancel_items`, { items });
    expect([all.status, all.body.error]).toMatchObject([
      409,
      { code: "invalid_state_transition", from: "shipped", action: "cancel_items", allowed_actions: ["deliver"] },
    ]);
  });
});

describe("guards", () => {
  test("of two concurrent cancellations of the same last units, one succeeds", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 3]]);
    const body = { items: [{ line_id: made.line_items[0].id, quantity: 2 }] };
    const answers = await Promise.all([1, 2].map(() => shop.app.post(`/orders/${made.id}/cancel_items`, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  });
});
