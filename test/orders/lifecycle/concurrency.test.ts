import { expect, test } from "bun:test";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();

test("200 concurrent buyers of 50 units buy exactly 50", async () => {
  const goods = await shop.product({ units: 50 });
  const drafts = Array.from({ length: 200 }, () => shop.draft([[goods, 1]], { allow_backorder: false }));
  const answers = await Promise.all(drafts.map((draft) => shop.app.post("/orders", draft)));
  const sold = answers.filter(({ status }) => status === 201);
  const refused = answers.filter(({ body }) => body.error?.code === "insufficient_inventory");
  expect([sold.length, refused.length]).toEqual([50, 150]);
  expect(await shop.available(goods.sku)).toBe(0);
  expect(await shop.told()).toHaveLength(50);
});

test("of concurrent orders with one number, one is created", async () => {
  const goods = await shop.product({ units: 50 });
  const draft = shop.draft([[goods, 1]]);
  const answers = await Promise.all(Array.from({ length: 20 }, () => shop.app.post("/orders", draft)));
  const [made, ...others] = answers.filter(({ status }) => status === 201);
  expect(others).toEqual([]);
  const existing = answers.filter(({ status }) => status === 409).map(({ body }) => body.error.existing_id);
  expect(new Set(existing)).toEqual(new Set([made?.body.data.id]));
  expect(await shop.available(goods.sku)).toBe(49);
});

test("of concurrent cancelling and shipping one succeeds, and stock agrees", async () => {
  const goods = await shop.product({ units: 40 });
  let shipped = 0;
  for (let round = 0; round < 20; round += 1) {
    const { id } = await shop.order([[goods, 2]]);
    await shop.told();
    const both = [() => shop.app.post(`/orders/${id}/ship`), () => shop.cancel(id)];
    const answers = await Promise.all((round % 2 === 0 ? both : both.reverse()).map((act) => act()));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { status } = await shop.get(id);
    const told = { shipped: ["order.fulfilled", "order.shipped"], cancelled: ["order.cancelled"] };
    expect(await shop.told()).toEqual(told[status as keyof typeof told]);
    if (status === "shipped") shipped += 1;
  }
  expect(await shop.available(goods.sku)).toBe(40 - 2 * shipped);
});

test("an order and a concurrent reservation for it: it is adopted, or comes too late", async () => {
  for (let round = 0; round < 20; round += 1) {
    const goods = await shop.product({ units: 3 });
    const draft = shop.draft([[goods, 3]]);
    const booking = { order_id: draft.order_number, items: [{ sku: goods.sku, quantity: 3 }] };
    const [ordered, booked] = await Promise.all([
      shop.app.post("/orders", draft),
      shop.app.post("/inventory/reserve", booking),
    ]);
    expect([ordered.status, [201, 409].includes(booked.status)]).toEqual([201, true]);
    expect((await shop.get(ordered.body.data.id)).line_items).toMatchObject([{ quantity_reserved: 3 }]);
  }
});
