// A zone or bin changes while units arrive: one comes first, and the other sees its result.

import { beforeEach, expect, test } from "bun:test";
import { engine } from "../../../src/core/config.ts";
import type { Fault } from "../../../src/core/faults.ts";
import { adjustStock } from "../../../src/inventory/counts/adjust_stock.ts";
import { addStock } from "../../../src/inventory/receiving/receive_units.ts";
import { updateWarehouse } from "../../../src/inventory/warehouses/warehouses.ts";
import type { Tx } from "../../../src/storage/database.ts";
import { clerk, openStock, type Stock } from "../../build/stock.ts";

let shop: Stock;
beforeEach(async () => {
  shop = await openStock();
  await shop.product("MILK", { temperature_zone: "refrigerated" });
});

/** Two transactions; the second starts after the first has done its work but not ended. */
async function overlapping(first: (tx: Tx) => Promise<unknown>, second: (tx: Tx) => Promise<unknown>) {
  const worked = Promise.withResolvers<void>();
  const late = worked.promise.then(() => shop.write(second));
  const early = shop.write(async (tx) => {
    await first(tx);
    worked.resolve();
    // The second either continues, or waits for the first, which then ends.
    if (engine === "postgres") await Promise.race([late.catch(() => {}), Bun.sleep(300)]);
  });
  const [one, two] = await Promise.allSettled([early, late]);
  const refused = (fault: Fault) => fault.facts.fields?.[0]?.field ?? fault.code;
  return [one.status, two.status === "rejected" ? refused(two.reason) : two.status];
}

const milk = { sku: "MILK", quantity: 3 };
const zoneOf = (zone: object) => (tx: Tx) =>
  updateWarehouse(tx, String(shop.main), { location_zones: [zone as never] });
const warm = zoneOf({ zone_id: "COLD", temperature_zone: "ambient" });
const cold = { zone_id: "COLD", temperature_zone: "refrigerated" };
const damage = zoneOf({ ...cold, bins: [{ code: "C-01", kind: "damage" }] });
const add = (tx: Tx) => addStock(tx, { ...milk, location: shop.main, bin: "C-01" }, clerk);

test("a zone cannot become warmer after units have arrived", async () => {
  expect(await overlapping(add, warm)).toEqual(["fulfilled", "location_zones[0].temperature_zone"]);
});

test("units are refused after their zone became warmer", async () => {
  expect(await overlapping(warm, add)).toEqual(["fulfilled", "bin"]);
});

test("a bin cannot become one for damaged units after good ones have arrived", async () => {
  expect(await overlapping(add, damage)).toEqual(["fulfilled", "location_zones[0].bins[0].code"]);
});

test("an empty bin is locked as well while units arrive", async () => {
  await shop.write(add);
  await shop.write((tx) => adjustStock(tx, "MILK", { adjustment: -3, reason: "lost" }, clerk));
  expect(await overlapping(add, damage)).toEqual(["fulfilled", "location_zones[0].bins[0].code"]);
});

test("the last room of a bin goes to one of two SKUs", async () => {
  await shop.product("CREAM", { temperature_zone: "refrigerated" });
  await shop.write(zoneOf({ ...cold, bins: [{ code: "C-01", capacity: 5 }] }));
  const cream = (tx: Tx) => addStock(tx, { sku: "CREAM", quantity: 3, location: shop.main, bin: "C-01" }, clerk);
  expect(await overlapping(add, cream)).toEqual(["fulfilled", "bin_full"]);
});

test("without named bins, the second request gets the next bin", async () => {
  await shop.product("CREAM", { temperature_zone: "refrigerated" });
  const bins = ["C-01", "C-02"].map((code, pick_order) => ({ code, pick_order, capacity: 5 }));
  await shop.write(zoneOf({ ...cold, bins }));
  const come = (sku: string) => (tx: Tx) => addStock(tx, { sku, quantity: 3, location: shop.main }, clerk);
  expect(await overlapping(come("MILK"), come("CREAM"))).toEqual(["fulfilled", "fulfilled"]);
  const lies = async (sku: string) => (await shop.item(sku)).locations.map(({ location }) => location);
  expect([await lies("MILK"), await lies("CREAM")]).toEqual([["C-01"], ["C-02"]]);
});

test("units arrive in a warehouse in parallel", async () => {
  await shop.product("RICE");
  const rice = (tx: Tx) => addStock(tx, { sku: "RICE", quantity: 3, location: shop.main }, clerk);
  await Promise.all([shop.write(add), shop.write(rice)]);
  expect([(await shop.item("MILK")).on_hand, (await shop.item("RICE")).on_hand]).toEqual([3, 3]);
});
