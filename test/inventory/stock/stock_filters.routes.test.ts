// Filters of the stock list that are combined: a SKU is listed if some of its units match all of them at once.
import { beforeEach, expect, test } from "bun:test";
import { openShop, type Shop } from "../../build/shop.ts";
import { openWest } from "../../build/west.ts";

let shop: Shop;
let west: string;
const main = "whs_1001";

beforeEach(async () => {
  shop = await openShop();
  west = await openWest(shop.app);
  for (const [sku, location, bin, lot_number] of [
    // All of these have units in the main warehouse, in bin X-1 and of lot L-1. Only of ONE are they the same units.
    ["ONE", main, "X-1", "L-1"],
    ["BIN-ELSEWHERE", main, "X-2", "L-1"],
    ["BIN-ELSEWHERE", west, "X-1", "L-1"],
    ["LOT-ELSEWHERE", main, "X-1", "L-2"],
    ["LOT-ELSEWHERE", main, "X-2", "L-1"],
    ["WEST", west, "X-1", "L-1"],
    ["WEST", main, "X-1", "L-2"],
  ] as const) {
    if ((await shop.app.get(`/products?sku=${sku}`)).body.data.length === 0) await shop.product({ sku });
    await shop.app.stock(sku, 1, { location, bin, lot_number, expiration_date: "2031-01-01" });
  }
});

const found = async (query: Record<string, string>) =>
  (await shop.app.read(`/inventory?${new URLSearchParams(query)}`)).map(({ sku }: { sku: string }) => sku);

test("a warehouse, a bin and a lot together are about the same units", async () => {
  const everything = ["BIN-ELSEWHERE", "LOT-ELSEWHERE", "ONE", "WEST"];
  for (const one of [{ location: main }, { bin: "X-1" }, { lot_number: "L-1" }]) {
    expect([one, await found(one)]).toEqual([one, everything]);
  }
  expect(await found({ location: main, bin: "X-1" })).toEqual(["LOT-ELSEWHERE", "ONE", "WEST"]);
  expect(await found({ location: main, lot_number: "L-1" })).toEqual(["BIN-ELSEWHERE", "LOT-ELSEWHERE", "ONE"]);
  expect(await found({ bin: "X-1", lot_number: "L-1" })).toEqual(["BIN-ELSEWHERE", "ONE", "WEST"]);
  expect(await found({ location: main, bin: "X-1", lot_number: "L-1" })).toEqual(["ONE"]);
  expect(await found({ location: west, bin: "X-1", lot_number: "L-1" })).toEqual(["BIN-ELSEWHERE", "WEST"]);
  expect(await found({ location: west, bin: "X-1", lot_number: "L-2" })).toEqual([]);
});

test("units that have left match no longer, and other filters narrow the list further", async () => {
  const all = { location: main, bin: "X-1", lot_number: "L-1" };
  expect(await found({ ...all, expiring_before: "2031-02-01" })).toEqual(["ONE"]);
  expect(await found({ ...all, expiring_before: "2030-12-01" })).toEqual([]);
  expect(await found({ ...all, sku: "W*" })).toEqual([]);
  await shop.app.must("PATCH", "/inventory/ONE", { ...all, adjustment: -1, reason: "lost" });
  expect(await found(all)).toEqual([]);
});
