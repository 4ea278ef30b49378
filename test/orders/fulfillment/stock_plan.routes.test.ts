import { beforeEach, expect, test } from "bun:test";
import { openShop, type Shop } from "../../build/shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});

const add = (sku: string, quantity: number, fields: object = {}) =>
  shop.app.post("/inventory", { sku, quantity, location: "whs_1001", ...fields });
const plan = async (id: string) => (await shop.app.get(`/orders/${id}/plan`)).body.data;

interface Place {
  readonly bin: string;
  readonly lot_number: string | null;
  readonly quantity: number;
}
const places = (some: readonly Place[] | null) =>
  some?.map(({ bin, lot_number, quantity }) => [bin, lot_number, quantity]) ?? null;

test("shows the allocated units and the result of replanning, and changes nothing", async () => {
  const milk = await shop.product({ sku: "MILK" });
  await add("MILK", 5, { bin: "S-1", lot_number: "L9", expiration_date: "2026-03-09" });
  const order = await shop.order([[milk, 4]]);
  const [only] = (await plan(order.id)).items;
  expect([only.sku, only.required, only.reserved, only.backordered, only.reallocation, only.shortage]).toEqual([
    ...["MILK", 4, 4, 0, null, null],
  ]);
  expect(places(only.allocated)).toEqual([["S-1", "L9", 4]]);
  await add("MILK", 3, { bin: "S-2", lot_number: "L5", expiration_date: "2026-03-05" });
  const { etag } = { etag: (await shop.app.get(`/orders/${order.id}`)).headers.get("etag") };
  const [better] = (await plan(order.id)).items;
  expect(places(better.allocated)).toEqual([["S-1", "L9", 4]]);
  const chosen = [
    ["S-2", "L5", 3],
    ["S-1", "L9", 1],
  ];
  expect(places(better.reallocation)).toEqual(chosen);
  expect((await shop.app.get(`/orders/${order.id}`)).headers.get("etag")).toBe(etag);
  await shop.act(order.id, "allocate");
  const [allocated] = (await plan(order.id)).items;
  expect([places(allocated.allocated)?.sort(), allocated.reallocation]).toEqual([chosen.toSorted(), null]);
  expect(allocated.not_chosen).toEqual([]);
  await shop.act(order.id, "pick");
  const [picked] = (await plan(order.id)).items;
  expect(picked.allocated.every((one: { picked: boolean }) => one.picked)).toBe(true);
  expect([picked.picked, picked.reallocation]).toEqual([4, null]);
});

test("for a short SKU it shows the holders, the orders ahead, and when enough is expected", async () => {
  const goods = await shop.product({ units: 4 });
  const first = await shop.order([[goods, 4]]);
  const urgent = await shop.order([[goods, 5]], { priority: 9 });
  const waiting = await shop.order([[goods, 3]]);
  const receipt = (quantity: number, expected_at?: string) =>
    shop.app.post("/inventory/receipts", {
      location: "whs_1001",
      items: [{ sku: goods.sku, quantity }],
      ...(expected_at === undefined ? {} : { expected_at }),
    });
  await receipt(50);
  await receipt(3, "2026-01-09T00:00:00.000Z");
  await receipt(4, "2026-01-07T00:00:00.000Z");
  const { items, allocation } = await plan(waiting.id);
  expect(allocation).toEqual({ complete: false, backordered_units: 3 });
  const [{ backordered, allocated, shortage }] = items;
  expect([backordered, allocated, shortage.units_ahead, shortage.incoming.units]).toEqual([3, [], 5, 57]);
  expect(shortage.reserved_elsewhere.reservations).toEqual([
    { order_id: first.id, order_number: first.order_number, units: 4 },
  ]);
  // Five of the seven announced units go to the urgent order first, so this one needs a receipt without a date.
  expect(shortage.expected_at).toBeNull();
  expect((await plan(urgent.id)).items[0].shortage).toMatchObject({
    units_ahead: 0,
    expected_at: "2026-01-09T00:00:00.000Z",
  });
  await shop.act(urgent.id, "hold");
  expect((await plan(urgent.id)).paused).toBe(true);
  expect((await plan(waiting.id)).items[0].shortage).toMatchObject({
    units_ahead: 0,
    expected_at: "2026-01-07T00:00:00.000Z",
  });
});

test("an order without wanted units has no allocation, and an unknown order is missing", async () => {
  const order = await shop.order([[await shop.product({ units: 2 }), 2]]);
  await shop.cancel(order.id);
  expect(await plan(order.id)).toMatchObject({ items: [], allocation: { complete: true } });
  expect((await shop.app.get("/orders/ord_1/plan")).body.error.code).toBe("resource_missing");
});
