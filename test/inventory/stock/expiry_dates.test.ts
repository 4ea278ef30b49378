// An expiry is a calendar date: its day counts in full, in each warehouse by its local time.
import { beforeEach, describe, expect, test } from "bun:test";
import { openApp } from "../../build/service.ts";

let number = 0;

const app = await openApp();
const [main] = (await app.get("/inventory/locations")).body.data;
const east = main.warehouse_id;
const zone = { zone_id: "DRY", temperature_zone: "ambient", bins: [{ code: "W-01" }] };
const place = { name: "West", address: main.address, timezone: "America/Los_Angeles", priority: 200 };
const west = (await app.post("/inventory/locations", { ...place, location_zones: [zone] })).body.data.warehouse_id;
beforeEach(() => app.takeEvents());

const clock = () => app.clocks.live;
const until = (at: string) => clock().advance(Date.parse(at) - clock().now());
const told = async () =>
  (await app.takeEvents()).map(({ type, data }) => `${type} ${data["sku"]} ${data["available"]}`);

async function product(fields: object = {}): Promise<string> {
  const sku = `DAY-${++number}`;
  const tracking = { lot_tracking: true, expiration_tracking: true };
  await app.product(sku, { ...tracking, ...fields });
  return sku;
}

function add(sku: string, expiration_date: string, more: object = {}) {
  const stock = { sku, quantity: 5, location: east, lot_number: "L", expiration_date, ...more };
  return app.create("/inventory", stock);
}

describe("works", () => {
  test("units can be sold until the end of their last day there, then a timer takes them off sale", async () => {
    const sku = await product({ reorder_point: 2 });
    const added = await add(sku, "2026-01-01");
    expect(added).toMatchObject({ available: 5, received: { expiration_date: "2026-01-01T23:59:59.999Z" } });
    const order = { order_id: `R-${sku}`, items: [{ sku, quantity: 2 }] };
    expect((await app.post("/inventory/reserve", order)).status).toBe(201);
    await app.runJobs();
    await app.takeEvents();
    until("2026-01-02T04:59:59.999Z");
    await app.runJobs();
    expect(await app.stockOf(sku)).toMatchObject({ available: 3, reserved: 2, lots: [{ status: "available" }] });
    expect(await told()).toEqual([]);
    clock().advance(1);
    // At once, before the timer has recorded it.
    expect(await app.stockOf(sku)).toMatchObject({ available: 0, lots: [{ status: "expired" }] });
    expect((await app.get(`/inventory?status=out_of_stock&sku=${sku}`)).body.data).toHaveLength(1);
    await app.runJobs();
    expect(await app.stockOf(sku)).toMatchObject({
      available: 0,
      reserved: 0,
      backordered: 2,
      unavailable: { expired: 5 },
    });
    expect(await told()).toEqual([`inventory.updated ${sku} 0`, `inventory.low_stock ${sku} 0`]);
  });

  test("a date stays that date, and any other time is the warehouse's date at that time", async () => {
    const written = {
      "2026-02-01": "2026-02-01",
      "2026-02-01T00:00:00Z": "2026-02-01",
      "2026-02-01T00:00:00.000+00:00": "2026-02-01",
      "2026-02-01T23:59:59Z": "2026-02-01",
      "2026-02-01T23:59:59.999Z": "2026-02-01",
      "2026-02-01T00:00:01Z": "2026-01-31",
      "2026-02-01T04:59:59Z": "2026-01-31",
      "2026-02-01T05:00:00Z": "2026-02-01",
      "2026-02-01T00:00:00-05:00": "2026-02-01",
      "2026-07-01T03:30:00Z": "2026-06-30",
      "2026-07-01T04:30:00Z": "2026-07-01",
    };
    for (const [text, date] of Object.entries(written)) {
      const { received, lots } = await add(await product(), text);
      const shown = `${date}T23:59:59.999Z`;
      expect([text, received.expiration_date, lots[0].expiration_date]).toEqual([text, shown, shown]);
      // The shown value can be sent back.
      const path = `/inventory/lots/${lots[0].id}`;
      expect((await app.patch(path, { expiration_date: shown })).body.data.changes).toEqual([]);
    }
  });

  test("a lot in two zones ends in each at local midnight, and is expired once it has ended in both", async () => {
    const sku = await product();
    await add(sku, "2026-01-03");
    await add(sku, "2026-01-03", { location: west, quantity: 7 });
    const [{ id }] = (await app.stockOf(sku)).lots;
    const held = async () => (await app.get(`/inventory/items?sku=${sku}&sort=bin`)).body.data;
    await app.runJobs();
    await app.takeEvents();
    until("2026-01-04T05:00:00Z");
    await app.runJobs();
    expect(await told()).toEqual([`inventory.updated ${sku} 7`]);
    expect(await app.stockOf(sku)).toMatchObject({
      available: 7,
      unavailable: { expired: 5 },
      lots: [{ status: "available" }],
    });
    expect(await held()).toMatchObject([
      { warehouse_id: east, available: 0, cause: "expired", lot_status: "expired" },
      { warehouse_id: west, available: 7, cause: null, lot_status: "available" },
    ]);
    expect((await app.get(`/inventory/lots/${id}`)).body.data).toMatchObject({ status: "available", changes: [] });
    expect((await app.get(`/inventory/lots?sku=${sku}&status=expired`)).body.data).toEqual([]);
    expect((await app.get(`/inventory?sku=${sku}&status=in_stock`)).body.data).toHaveLength(1);
    // Nothing is emitted twice, and the remaining units can be reserved.
    const order = { order_id: `R-${sku}`, items: [{ sku, quantity: 7 }] };
    const reserved = (await app.post("/inventory/reserve", order)).body.data;
    expect(reserved.items).toMatchObject([{ reserved_from: west, quantity: 7 }]);
    expect(await told()).toEqual([`inventory.updated ${sku} 0`]);
    until("2026-01-04T08:00:00Z");
    expect((await app.get(`/inventory/lots?sku=${sku}&status=expired`)).body.data).toHaveLength(1);
    await app.runJobs();
    expect(await app.stockOf(sku)).toMatchObject({ available: 0, reserved: 0, unavailable: { expired: 12 } });
    expect(await told()).toEqual([`inventory.updated ${sku} 0`]);
    expect((await app.get(`/inventory/lots/${id}`)).body.data).toMatchObject({
      status: "expired",
      changes: [{ to_status: "expired" }],
    });
  });

  test("filters and lists go by dates", async () => {
    const sku = await product();
    for (const day of ["05", "06", "07"]) await add(sku, `2026-02-${day}`, { lot_number: `L${day}` });
    const before = async (text: string) =>
      (await app.get(`/inventory/lots?sku=${sku}&sort=expiration_date&expiring_before=${text}`)).body.data.map(
        (lot: { lot_number: string }) => lot.lot_number,
      );
    expect(await before("2026-02-06")).toEqual(["L05"]);
    expect(await before("2026-02-06T23:59:59.999Z")).toEqual(["L05"]);
    expect(await before("2026-02-07T00:00:00Z")).toEqual(["L05", "L06"]);
    expect(await before("2026-02-07T04:00:00Z")).toEqual(["L05"]);
    const items = (await app.get(`/inventory/items?sku=${sku}&expiring_before=2026-02-07`)).body.data;
    expect(items).toHaveLength(2);
    expect((await app.get(`/inventory?sku=${sku}&expiring_before=2026-02-05`)).body.data).toHaveLength(0);
    expect((await app.get(`/inventory?sku=${sku}&expiring_before=2026-02-06`)).body.data).toHaveLength(1);
  });

  test("a receipt date of today is accepted even if UTC is still a day behind", async () => {
    const [{ address, location_zones }] = (await app.get("/inventory/locations")).body.data;
    const zones = location_zones.map(({ zone_id, temperature_zone }: Record<string, string>) => ({
      zone_id,
      temperature_zone,
    }));
    const tokyo = { name: "Tokyo", address, timezone: "Asia/Tokyo", location_zones: zones };
    const location = (await app.post("/inventory/locations", tokyo)).body.data.warehouse_id;
    until("2026-01-09T16:00:00Z");
    const sku = await product();
    const { received } = await add(sku, "2026-01-10", { location, received_date: "2026-01-10" });
    expect(received.received_date).toBe("2026-01-09T15:00:00.000Z");
    expect(await app.stockOf(sku)).toMatchObject({ available: 5 });
    // In New York it is the 9th.
    const early = { sku, quantity: 1, location: east, lot_number: "L", received_date: "2026-01-10" };
    expect((await app.post("/inventory", early)).body.error.details[0]).toMatchObject({ field: "received_date" });
  });
});
