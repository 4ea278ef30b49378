import { expect, test } from "bun:test";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();

const counts = async () => (await shop.app.get("/orders/counts")).body.data;
const none = { pending: 0, processing: 0, fulfilled: 0, shipped: 0, delivered: 0, cancelled: 0, on_hold: 0 };

test("orders are counted by status, and separately if short or late", async () => {
  expect(await counts()).toEqual({ total: 0, statuses: none, short: 0, late: 0 });
  const [cup, tea] = [await shop.product({ units: 9 }), await shop.product({ units: 1 })];
  const made = [];
  for (const [product, units] of [
    [cup, 1],
    [cup, 2],
    [tea, 3],
    [cup, 1],
    [cup, 1],
  ] as const) {
    made.push((await shop.order([[product, units]])).id);
  }
  const [waiting, held, short, gone, cancelled] = made;
  await shop.act(held, "hold", { reason: "payment" });
  await shop.act(gone, "ship");
  await shop.cancel(cancelled);
  const statuses = { ...none, pending: 2, on_hold: 1, shipped: 1, cancelled: 1 };
  expect(await counts()).toEqual({ total: 5, statuses, short: 1, late: 0 });

  const { ship_by } = (await shop.app.get(`/orders/${waiting}`)).body.data;
  shop.app.clocks.live.advance(Date.parse(ship_by) - shop.app.clocks.live.now());
  expect((await counts()).late).toBe(0);
  shop.app.clocks.live.advance(1);
  // Shipped and cancelled orders are no longer late; held ones are.
  expect(await counts()).toEqual({ total: 5, statuses, short: 1, late: 3 });
  const late = (await shop.app.get("/orders?late=true&sort=created_at")).body.data;
  expect(late.map((one: { id: string }) => one.id)).toEqual([waiting, held, short]);
});

test("the promised date does not move with later events", async () => {
  const goods = await shop.product({ units: 5 });
  const { id, ship_by } = await shop.order([[goods, 1]]);
  await shop.act(id, "hold", { reason: "payment" });
  shop.app.clocks.live.advance(9 * 86_400_000);
  await shop.act(id, "release");
  const now = await shop.act(id, "process");
  expect(now.ship_by).toBe(ship_by);
  expect(now.estimated_ship_date > ship_by.slice(0, 10)).toBe(true);
});
