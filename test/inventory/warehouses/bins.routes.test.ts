import { describe, expect, test } from "bun:test";
import { openApp } from "../../build/service.ts";

const app = await openApp();
await app.patch("/inventory/locations/whs_1001", {
  location_zones: [
    { zone_id: "AMBIENT", temperature_zone: "ambient", bins: [{ code: "A-02", capacity: 4 }, { code: "A-03" }] },
    { zone_id: "COLD", temperature_zone: "refrigerated", bins: [{ code: "C-01", capacity: 10 }] },
  ],
});
await app.product("TEA", { name: "Green tea" });
await app.product("MILK", { temperature_zone: "refrigerated", lot_tracking: true, expiration_tracking: true });
const at = { location: "whs_1001" };
await app.stock("TEA", 4, { bin: "A-02", ...at });
await app.stock("TEA", 3, { bin: "C-01", ...at });
for (const [lot_number, expiration_date] of [
  ["L-2", "2026-03-01"],
  ["L-1", "2026-02-01"],
]) {
  await app.stock("MILK", 2, { bin: "C-01", lot_number, expiration_date, ...at });
}
await app.post("/inventory/moves", { sku: "TEA", quantity: 1, bin: "C-01", condition: "quarantined" });

const codes = async (query: string) =>
  (await app.get(`/inventory/bins?${query}`)).body.data.map(({ code }: { code: string }) => code);
const rows = async (query: string) =>
  (await app.get(`/inventory/items?${query}`)).body.data.map(
    ({ sku, bin, lot_number, quantity }: Record<string, unknown>) => `${sku} ${bin} ${lot_number} ${quantity}`,
  );

describe("works", () => {
  test("a bin shows its zone, its fill level and its number of SKUs", async () => {
    const [bin] = (await app.get("/inventory/bins?bin=C-01")).body.data;
    expect(bin).toEqual({
      warehouse_id: "whs_1001",
      code: "C-01",
      kind: "storage",
      zone_id: "COLD",
      temperature_zone: "refrigerated",
      temperature_range: "2-8°C",
      pick_order: 0,
      capacity: 10,
      dedicated_merchant_id: null,
      mix_merchants: false,
      used: 6,
      free: 4,
      skus: 2,
    });
    // The same units as in the list of warehouses.
    const [warehouse] = (await app.get("/inventory/locations")).body.data;
    const all = warehouse.location_zones.flatMap((zone: { bins: object[] }) => zone.bins);
    const listed = (await app.get("/inventory/bins?limit=100")).body.data;
    const usedOf = (bins: { code: string; used: number }[]) => bins.map(({ code, used }) => `${code} ${used}`).sort();
    expect(usedOf(listed)).toEqual(usedOf(all));
  });

  test.each([
    ["zone=COLD", ["C-01"]],
    ["q=a-0", ["A-01", "A-02", "A-03"]],
    ["kind=quarantine", ["QUARANTINE"]],
    ["fill=full", ["A-02"]],
    ["fill=empty&kind=storage", ["A-01", "A-03"]],
    ["sku=TEA", ["A-02", "C-01", "QUARANTINE"]],
    ["lot_number=L-1", ["C-01"]],
    ["sku=TEA&lot_number=L-1", []],
    ["location=whs_9&sku=TEA", []],
  ])("bins are found by %s", async (query, expected) => {
    expect(await codes(query)).toEqual(expected);
  });

  test.each([
    ["sku=MILK", ["MILK C-01 L-2 2", "MILK C-01 L-1 2"]],
    ["bin=C-01&sort=expiration_date", ["MILK C-01 L-1 2", "MILK C-01 L-2 2", "TEA C-01 null 2"]],
    ["expiring_before=2026-02-15", ["MILK C-01 L-1 2"]],
    ["q=green&sort=bin", ["TEA A-02 null 4", "TEA C-01 null 2", "TEA QUARANTINE null 1"]],
    ["zone=COLD&q=TEA", ["TEA C-01 null 2"]],
    ["kind=quarantine", ["TEA QUARANTINE null 1"]],
    ["lot_number=L-2", ["MILK C-01 L-2 2"]],
  ])("units are found by %s", async (query, expected) => {
    expect(await rows(query)).toEqual(expected);
  });

  test("units show why they are not for sale, and pages continue where the last one ended", async () => {
    const [apart] = (await app.get("/inventory/items?kind=quarantine")).body.data;
    expect(apart).toMatchObject({ quantity: 1, available: 0, cause: "quarantined", lot_status: null });
    for (const sort of ["sku", "bin", "expiration_date"]) {
      const whole = await rows(`sort=${sort}`);
      const walked: string[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const query: string = `sort=${sort}&limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`;
        walked.push(...(await rows(query)));
        cursor = (await app.get(`/inventory/items?${query}`)).body.meta.pagination.next_cursor;
      }
      expect([sort, walked]).toEqual([sort, whole]);
    }
    app.clocks.live.advance(40 * 86_400_000);
    const [milk] = (await app.get("/inventory/items?lot_number=L-1")).body.data;
    expect(milk).toMatchObject({ lot_status: "expired", available: 0, cause: "expired" });
  });
});

describe("guards", () => {
  test("route names cannot be SKUs", async () => {
    for (const sku of ["bins", "Items", "moves"]) {
      expect((await app.post("/products", { sku, name: "x" })).body.error.details[0].field).toBe("sku");
    }
  });
});
