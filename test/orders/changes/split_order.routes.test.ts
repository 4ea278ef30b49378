// Splitting an order: units, reservations and amounts of both orders add up to the original.
import { describe, expect, test } from "bun:test";
import { seededRandom } from "../../../src/core/random.ts";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();

const split = (id: string, body: object) => shop.app.post(`/orders/${id}/split`, body);
const plan = async (id: string) => (await shop.app.get(`/orders/${id}/plan`)).body.data.items;

describe("works", () => {
  test("the new order gets the units, backordered ones first, and is emitted; stock does not change", async () => {
    const [tea, cup] = [await shop.product({ units: 3 }), await shop.product({ units: 5 })];
    const order = await shop.order(
      [
        [tea, 5],
        [cup, 2],
      ],
      { shipping_amount: "4.00", metadata: { gift: true }, priority: 3 },
    );
    const levels = async () => (await shop.app.get("/inventory")).body.data;
    const before = await levels();
    await shop.app.takeEvents();
    const { status, body } = await split(order.id, {
      items: [
        { sku: tea.sku, quantity: 3 },
        { sku: cup.sku, quantity: 2 },
      ],
    });
    expect([status, body.error]).toEqual([200, undefined]);
    const { split_off, ...rest } = body.data;
    expect(rest).toEqual(await shop.get(order.id));
    expect(split_off).toEqual(await shop.get(split_off.id));
    const counts = ({ sku, quantity, quantity_reserved, quantity_backordered }: Record<string, unknown>) => [
      sku,
      quantity,
      quantity_reserved,
      quantity_backordered,
    ];
    expect(rest.line_items.map(counts)).toEqual([[tea.sku, 2, 2, 0]]);
    expect(split_off.line_items.map(counts)).toEqual([
      [tea.sku, 3, 1, 2],
      [cup.sku, 2, 2, 0],
    ]);
    expect([rest.shipping_amount, split_off.shipping_amount, split_off.order_number]).toEqual([
      ...[4, 0, `${order.order_number}-2`],
    ]);
    const { customer, shipping_address, metadata, priority } = order;
    expect(split_off).toMatchObject({ customer, shipping_address, metadata, priority, status: "pending" });
    expect(await levels()).toEqual(before);
    const told = (await shop.app.takeEvents()).map(({ type, data }) => [type, data["id"]]);
    expect(told).toEqual([["order.created", split_off.id]]);
    expect([await shop.history(order.id), await shop.history(split_off.id)]).toEqual([
      ["create: - > pending", "split: pending > pending"],
      ["split: - > pending"],
    ]);
    const again = await split(order.id, { items: [{ sku: tea.sku, quantity: 1 }] });
    expect(again.body.data.split_off.order_number).toBe(`${order.order_number}-3`);
  });

  test("arriving units go to the backordered units in their old place of the queue", async () => {
    const goods = await shop.product({ units: 1 });
    const order = await shop.order([[goods, 3]]);
    shop.app.clocks.live.advance(1000);
    const later = await shop.order([[goods, 2]]);
    const { split_off } = (await split(order.id, { items: [{ sku: goods.sku, quantity: 2 }] })).body.data;
    expect((await plan(split_off.id))[0]).toMatchObject({ backordered: 2, shortage: { units_ahead: 0 } });
    await shop.app.stock(goods.sku, 2, { location: "whs_1001" });
    const reserved = async (id: string) => (await shop.get(id)).line_items[0].quantity_reserved;
    expect([await reserved(order.id), await reserved(split_off.id), await reserved(later.id)]).toEqual([1, 2, 0]);
    await shop.act(split_off.id, "ship");
    await shop.act(order.id, "ship");
  });

  test("units and cents add up after any split", async () => {
    const random = seededRandom(20_261_122);
    const below = (most: number) => random.integer(0, Math.max(0, most - 1));
    for (let round = 0; round < 25; round += 1) {
      const goods = await shop.product({ units: below(12) });
      const quantity = 2 + below(9);
      const line_total = below(quantity * 700) / 100;
      const line_items = [
        { sku: goods.sku, quantity, line_total },
        { sku: goods.sku, quantity: 1, unit_price: "1.00" },
      ];
      const order = (await shop.app.post("/orders", { ...shop.draft([]), line_items })).body.data;
      if (below(2) === 0) {
        await shop.app.post(`/orders/${order.id}/cancel_items`, { items: [{ sku: goods.sku, quantity: 1 }] });
      }
      const before = await shop.get(order.id);
      const open = before.allocation.backordered_units + sum(before, "quantity_reserved");
      if (!before.allowed_actions.includes("split")) continue;
      const { body } = await split(order.id, { items: [{ sku: goods.sku, quantity: 1 + below(open - 1) }] });
      const { split_off, ...rest } = body.data;
      const cents = (one: { subtotal: number }) => Math.round(one.subtotal * 100);
      expect([round, Math.abs(cents(rest) + cents(split_off) - cents(before)) <= 1]).toEqual([round, true]);
      for (const count of [
        "quantity",
        "line_total",
        "quantity_reserved",
        "quantity_backordered",
        "quantity_cancelled",
      ]) {
        expect([count, sum(rest, count) + sum(split_off, count)]).toEqual([
          count,
          expect.closeTo(sum(before, count), 6),
        ]);
      }
    }
  });

  test("sets of a bundle are split as a whole, with their components", async () => {
    const [leaf, pot] = [await shop.product({ units: 4 }), await shop.product({ units: 2 })];
    const components = [
      { sku: leaf.sku, quantity: 2 },
      { sku: pot.sku, quantity: 1 },
    ];
    const set = await shop.app.product("SET", { type: "bundle", components });
    const order = await shop.order([[set, 2]]);
    const { split_off } = (await split(order.id, { items: [{ sku: "SET", quantity: 1 }] })).body.data;
    expect((await plan(split_off.id)).map(({ sku, reserved }: Record<string, unknown>) => [sku, reserved])).toEqual([
      [leaf.sku, 2],
      [pot.sku, 1],
    ]);
    await shop.act(split_off.id, "ship");
    await shop.act(order.id, "ship");
  });
});

const sum = (order: { line_items: Record<string, number>[] }, name: string) =>
  order.line_items.reduce((total, line) => total + (line[name] ?? 0), 0);

test("an order whose last open units are split off has shipped", async () => {
  const goods = await shop.product({ units: 2 });
  const order = await shop.order([[goods, 5]]);
  await shop.act(order.id, "ship", { partial: true });
  await shop.app.takeEvents();
  const { body } = await split(order.id, { items: [{ sku: goods.sku, quantity: 3 }] });
  const { split_off, ...rest } = body.data;
  expect([rest.status, rest.line_items[0].quantity, split_off.status]).toEqual(["shipped", 2, "pending"]);
  expect(split_off.allocation.backordered_units).toBe(3);
  expect((await shop.told()).sort()).toEqual(["order.created", "order.fulfilled", "order.shipped"]);
});

describe("refuses", () => {
  test("all open units, more than are free, picked units, and parcels", async () => {
    const goods = await shop.product({ units: 6 });
    const order = await shop.order([[goods, 4]]);
    const item = (quantity: number) => ({ items: [{ sku: goods.sku, quantity }] });
    expect((await split(order.id, item(4))).body.error.code).toBe("validation_failed");
    await shop.act(order.id, "pick", { items: [{ sku: goods.sku, quantity: 2 }] });
    expect((await split(order.id, item(3))).body.error.code).toBe("validation_failed");
    const parcel = { carrier: "local", service: "standard", package: { weight: 1 } };
    await shop.app.post("/shipping/labels", { order_id: order.id, ...parcel, ...item(3) });
    expect((await split(order.id, item(2))).body.error.code).toBe("validation_failed");
    expect((await split(order.id, item(1))).status).toBe(200);
  });

  test("a number in use, a single unit, and an order on hold; allowed_actions agrees", async () => {
    const goods = await shop.product({ units: 6 });
    const [order, other] = [await shop.order([[goods, 2]]), await shop.order([[goods, 1]])];
    const items = [{ sku: goods.sku, quantity: 1 }];
    const taken = await split(order.id, { items, order_number: other.order_number });
    expect(taken.body.error).toMatchObject({ code: "duplicate_order_number", existing_id: other.id });
    expect(other.allowed_actions).not.toContain("split");
    expect((await split(other.id, { items })).body.error.code).toBe("invalid_state_transition");
    const held = await shop.act(order.id, "hold");
    expect(held.allowed_actions).not.toContain("split");
    expect((await split(order.id, { items })).body.error.code).toBe("invalid_state_transition");
  });
});
