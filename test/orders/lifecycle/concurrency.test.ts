import { expect, test } from "bun:test";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();

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
