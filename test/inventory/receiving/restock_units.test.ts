// Units of a cancelled order that a carrier has anyway: the units that count as shipped, although no scan showed it.
import { beforeEach, expect, test } from "bun:test";
import { takeReleasedUnits } from "../../../src/inventory/receiving/restock_units.ts";
import { pickAllocatedUnits, releaseOrderAllocation } from "../../../src/inventory/reservations/order_allocations.ts";
import { clerk, openStock, type Stock } from "../../build/stock.ts";

let shop: Stock;
beforeEach(async () => {
  shop = await openStock();
  await shop.product("TEA");
});

const taken = (quantity: number, warehouse_id: number | null = null) =>
  shop.write((tx) => {
    const parts = [{ product_id: shop.product_id("TEA"), quantity: 1 }];
    return takeReleasedUnits(tx, { order_id: 1, warehouse_id }, [{ sets: quantity, parts }], clerk);
  });
/** The units in each bin. */
const places = async () =>
  (await shop.item("TEA")).locations.map(({ location, quantity }) => `${location} ${quantity}`);

test("released picked units ship first, then free units as in a pick", async () => {
  await shop.add("TEA", 4, { location: shop.west, bin: "W-01" });
  shop.clock.advance(1000);
  await shop.add("TEA", 5, { bin: "A-02" });
  shop.clock.advance(1000);
  await shop.add("TEA", 6, { bin: "A-01" });
  await shop.claim(1, { lines: [["TEA", 2]] });
  await shop.write((tx) =>
    pickAllocatedUnits(tx, 1, [{ order_line_id: 10, quantity: 2 }], { confirmed: true, actor: clerk }),
  );
  await shop.write((tx) => releaseOrderAllocation(tx, 1, null, clerk));
  expect(await places()).toContain("PUTBACK 2");
  expect(await taken(2)).toEqual([2]);
  expect((await places()).sort()).toEqual(["A-01 6", "A-02 3", "W-01 4"]);
  // West has the older units, but the main warehouse has priority; there, the bin that was filled first.
  expect(await taken(4)).toEqual([4]);
  expect((await places()).sort()).toEqual(["A-01 5", "W-01 4"]);
  expect(await taken(20)).toEqual([9]);
});

test("no units of another warehouse than the order's, no reserved and no expired ones", async () => {
  await shop.add("TEA", 4, { location: shop.west, bin: "W-01" });
  await shop.add("TEA", 5);
  await shop.add("TEA", 3, { lot: "OLD", days: 1 });
  shop.clock.advance(3 * 86_400_000);
  await shop.claim(2, { lines: [["TEA", 4]], warehouse_id: shop.main });
  expect(await taken(9, shop.main)).toEqual([1]);
  expect(await shop.item("TEA")).toMatchObject({ on_hand: 11, reserved: 4, available: 4 });
});
