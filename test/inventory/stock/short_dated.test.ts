// Good units that are too close to their last day to be sold: available units are those that can be reserved.
import { beforeEach, describe, expect, test } from "bun:test";
import { openApp } from "../../build/service.ts";

let number = 0;
const app = await openApp();
beforeEach(() => app.takeEvents());

const until = (at: string) => app.clocks.live.advance(Date.parse(at) - app.clocks.live.now());
const told = async () =>
  (await app.takeEvents()).map(({ type, data }) => `${type} ${data["sku"]} ${data["available"]}`);

async function product(fields: object = {}) {
  const sku = `SHORT-${++number}`;
  const more = { lot_tracking: true, expiration_tracking: true, min_shelf_life_days: 30, ...fields };
  const { status, body } = await app.post("/products", { sku, name: sku, ...more });
  expect([status, body.error]).toEqual([201, undefined]);
  return { sku, id: body.data.id as string };
}

/** Five units of a lot. */
async function add(sku: string, expiration_date: string, lot_number = "L") {
  const { status } = await app.post("/inventory", { sku, quantity: 5, lot_number, expiration_date });
  expect(status).toBe(201);
}

const reserve = (sku: string, quantity: number, expires_at = "2026-01-30") =>
  app.post("/inventory/reserve", { order_id: `R-${++number}`, items: [{ sku, quantity }], expires_at });

describe("works", () => {
  test("units that cannot be reserved are not available anywhere", async () => {
    const { sku } = await product({ reorder_point: 3 });
    await add(sku, "2026-01-13");
    const shown = { available: 0, reserved: 0, total: 0, on_hand: 5, status: "out_of_stock" };
    expect(await app.stockOf(sku)).toMatchObject({ ...shown, unavailable: { short_dated: 5, expired: 0 } });
    expect((await app.stockOf(sku)).lots).toMatchObject([{ status: "available", quantity: 5 }]);
    const list = async (query: string) => (await app.get(`/inventory?sku=${sku}&${query}`)).body.data;
    expect(await list("low_stock=true")).toMatchObject([shown]);
    expect(await list("status=out_of_stock")).toHaveLength(1);
    expect(await list("status=in_stock")).toEqual([]);
    expect((await app.get(`/inventory/items?sku=${sku}`)).body.data).toMatchObject([
      { available: 0, cause: "short_dated", lot_status: "available", quantity: 5 },
    ]);
    expect((await app.get(`/inventory/${sku}/explain`)).body.data).toMatchObject({
      available: 0,
      unavailable: [{ cause: "short_dated", lot_number: "L", units: 5 }],
    });
    const { status, body } = await reserve(sku, 1);
    expect([status, body.error.code]).toEqual([409, "insufficient_inventory"]);
    expect(body.error.shortages).toMatchObject([{ sku, requested: 1, available: 0 }]);
    // Bundles cannot be made of them either.
    const components = [{ sku, quantity: 1 }];
    await app.product(`SET-${sku}`, { type: "bundle", components });
    expect(await app.stockOf(`SET-${sku}`)).toMatchObject({ available: 0, status: "out_of_stock" });
    // Overviews count the SKU as low.
    const { low_stock } = (await app.get("/overview")).body.data;
    expect(low_stock.samples).toContainEqual(expect.objectContaining({ id: sku, quantity: 0 }));
  });

  test("exactly the available units can be reserved, on every day", async () => {
    const { sku } = await product({ min_shelf_life_days: 3 });
    for (const [at, day] of ["2026-01-03", "2026-01-04", "2026-01-05"].entries()) await add(sku, day, `L${at}`);
    const { available } = await app.stockOf(sku);
    expect(available).toBe(10);
    expect((await reserve(sku, available + 1)).status).toBe(409);
    expect((await reserve(sku, available)).status).toBe(201);
    expect(await app.stockOf(sku)).toMatchObject({ available: 0, reserved: 10, unavailable: { short_dated: 5 } });
  });

  test("units become too close to expiry at local midnight, by a timer; reserved units stay reserved", async () => {
    const { sku } = await product({ min_shelf_life_days: 10, reorder_point: 2 });
    const set = `SET-${sku}`;
    await app.product(set, { type: "bundle", components: [{ sku, quantity: 1 }] });
    await add(sku, "2026-01-11");
    expect(await app.stockOf(sku)).toMatchObject({ available: 5 });
    expect((await reserve(sku, 2)).status).toBe(201);
    await app.runJobs();
    await app.takeEvents();
    until("2026-01-02T04:59:59.999Z");
    await app.runJobs();
    expect([await told(), (await app.stockOf(sku)).available]).toEqual([[], 3]);
    app.clocks.live.advance(1);
    // At once, before the timer has recorded it.
    expect(await app.stockOf(sku)).toMatchObject({ available: 0, reserved: 2, unavailable: { short_dated: 3 } });
    await app.runJobs();
    expect(await told()).toEqual([
      `inventory.updated ${sku} 0`,
      `inventory.low_stock ${sku} 0`,
      `inventory.updated ${set} 0`,
    ]);
    await app.runJobs();
    expect(await told()).toEqual([]);
    expect(await app.stockOf(sku)).toMatchObject({ reserved: 2, backordered: 0, lots: [{ status: "available" }] });
    // The reservation holds on the last day, and ends afterwards.
    until("2026-01-12T04:59:59.999Z");
    await app.runJobs();
    expect((await told()).filter((line) => line.includes(`${sku} `))).toEqual([]);
    expect(await app.stockOf(sku)).toMatchObject({ available: 0, reserved: 2 });
    app.clocks.live.advance(1);
    await app.runJobs();
    expect((await told()).filter((line) => line.includes(`${sku} `))).toEqual([`inventory.updated ${sku} 0`]);
    expect(await app.stockOf(sku)).toMatchObject({ reserved: 0, backordered: 2, unavailable: { expired: 5 } });
  });

  test("fewer required days make more units available at once, and more make fewer", async () => {
    const { sku, id } = await product({ min_shelf_life_days: 2 });
    until("2026-01-13T05:00:00Z");
    await app.runJobs();
    await add(sku, "2026-01-13");
    await app.takeEvents();
    await add(sku, "2026-01-14", "L2");
    expect(await told()).toEqual([`inventory.received ${sku} 0`, `inventory.updated ${sku} 0`]);
    expect((await app.patch(`/products/${id}`, { min_shelf_life_days: 0 })).status).toBe(200);
    expect(await told()).toEqual([`inventory.updated ${sku} 10`]);
    expect((await app.patch(`/products/${id}`, { min_shelf_life_days: 1 })).status).toBe(200);
    expect(await told()).toEqual([`inventory.updated ${sku} 5`]);
    expect((await app.patch(`/products/${id}`, { name: "Other" })).status).toBe(200);
    expect(await told()).toEqual([]);
    expect(await app.stockOf(sku)).toMatchObject({ available: 5, unavailable: { short_dated: 5 } });
  });
});
