// The fill level of bins and zones, and the refusals of a full bin.
import { beforeAll, describe, expect, test } from "bun:test";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();
const main = (await shop.app.get("/inventory/locations")).body.data[0].warehouse_id;
beforeAll(async () => {
  const bins = [
    { code: "A-01", capacity: 10 },
    { code: "A-02", capacity: 4, pick_order: 1 },
  ];
  await setBins(bins);
});

const setBins = (bins: object[]) =>
  shop.app.patch(`/inventory/locations/${main}`, {
    location_zones: [{ zone_id: "AMBIENT", temperature_zone: "ambient", capacity: 100, bins }],
  });
const add = (sku: string, quantity: number, bin?: string) =>
  shop.app.post("/inventory", { sku, quantity, location: main, ...(bin === undefined ? {} : { bin }) });
const full = (bin: string, capacity: number, free: number, quantity: number) => ({
  status: 409,
  body: { error: { code: "bin_full", bin, capacity, free, quantity } },
});

/** The fill level of the zone and of its two bins with a capacity. */
async function fill() {
  const [zone] = (await shop.app.get("/inventory/locations")).body.data[0].location_zones;
  const bounded = zone.bins.filter(({ capacity }: { capacity: number | null }) => capacity !== null);
  const bins = bounded.slice(0, 2).map(({ code, used, free }: Record<string, unknown>) => [code, used, free]);
  return [[zone.used, zone.free], ...bins];
}

describe("a bin with a capacity", () => {
  test("takes units of any product up to its capacity; by default, the next bin with room is used", async () => {
    const [tea, rice] = [await shop.product(), await shop.product()];
    expect((await add(tea.sku, 6, "A-01")).status).toBe(201);
    await shop.app.takeEvents();
    expect(await add(rice.sku, 5, "A-01")).toMatchObject(full("A-01", 10, 4, 5));
    expect(await shop.app.takeEvents()).toEqual([]);
    expect((await add(rice.sku, 4, "A-01")).body.data.received.location).toBe("A-01");
    expect((await add(rice.sku, 3)).body.data.received.location).toBe("A-02");
    expect(await fill()).toEqual([
      [13, 87],
      ["A-01", 10, 0],
      ["A-02", 3, 1],
    ]);
    expect(await add(rice.sku, 2)).toMatchObject(full("A-01", 10, 0, 2));
  });

  test("accepts counted units, since they are already there", async () => {
    const [item] = (await shop.app.get("/inventory")).body.data;
    const counted = { adjustment: 2, reason: "stock_count", bin: "A-01" };
    expect((await shop.app.patch(`/inventory/${item.sku}`, counted)).status).toBe(200);
    expect((await fill())[1]).toEqual(["A-01", 12, 0]);
  });

  test("refuses units of a receipt, of a transfer and of a restock task", async () => {
    const goods = await shop.product();
    expect((await add(goods.sku, 6, "A-03")).status).toBe(201);
    const items = [{ sku: goods.sku, quantity: 3, bin: "A-02" }];
    const lines = [{ sku: goods.sku, quantity: 3 }];
    const receipt = (await shop.app.post("/inventory/receipts", { location: main, items: lines })).body.data;
    expect(await shop.app.post(`/inventory/receipts/${receipt.id}/items`, { items })).toMatchObject(
      full("A-02", 4, 1, 3),
    );

    const { name: _name, warehouse_id: _id, ...rest } = (await shop.app.get("/inventory/locations")).body.data[0];
    const west = (await shop.app.post("/inventory/locations", { ...rest, name: "West" })).body.data.warehouse_id;
    await shop.app.post("/inventory", { ...lines[0], location: west, bin: "W-01" });
    const moved = { from_location: west, to_location: main, items: lines };
    const transfer = (await shop.app.post("/inventory/transfers", moved)).body.data;
    await shop.app.post(`/inventory/transfers/${transfer.id}/ship`);
    expect(await shop.app.post(`/inventory/transfers/${transfer.id}/receive`, { items })).toMatchObject(
      full("A-02", 4, 1, 3),
    );

    const order = await shop.order([[goods, 3]]);
    await shop.act(order.id, "pick");
    await shop.cancel(order.id);
    const back = { order_id: order.id, ...items[0] };
    expect(await shop.app.post("/inventory/putbacks", back)).toMatchObject(full("A-02", 4, 1, 3));
    expect((await shop.app.post("/inventory/putbacks", { ...back, quantity: 1 })).status).toBe(201);
    expect((await fill())[2]).toEqual(["A-02", 4, 0]);
  });

  test("can still be sold from and picked from", async () => {
    const goods = (await shop.app.get("/inventory")).body.data.find(
      ({ available }: { available: number }) => available > 0,
    );
    const { id } = (await shop.app.get(`/products?sku=${goods.sku}`)).body.data[0];
    const order = await shop.order([[{ id }, 1]]);
    await shop.act(order.id, "ship");
    expect((await shop.get(order.id)).status).toBe("shipped");
  });

  test("the response of GET can be sent back", async () => {
    const [warehouse] = (await shop.app.get("/inventory/locations")).body.data;
    const { status, body } = await shop.app.patch(`/inventory/locations/${main}`, warehouse);
    expect([status, body.data]).toEqual([200, warehouse]);
  });

  test("takes no more than its capacity from concurrent requests", async () => {
    await setBins([{ code: "B-01", capacity: 5 }]);
    const many = await Promise.all(Array.from({ length: 8 }, () => shop.product()));
    const answers = await Promise.all(many.map(({ sku }) => add(sku, 2, "B-01")));
    expect(answers.filter(({ status }) => status === 201).length).toBe(2);
    expect(answers.filter(({ status }) => status === 409).length).toBe(6);
  }, 30_000);
});
