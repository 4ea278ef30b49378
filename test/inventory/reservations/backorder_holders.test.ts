// A stock item with a great many reservations that loses units.

import { beforeEach, expect, test } from "bun:test";
import { adjustStock } from "../../../src/inventory/counts/adjust_stock.ts";
import { listAllocationHolders } from "../../../src/inventory/reservations/backorders.sql.ts";
import { clerk, openStock, type Stock } from "../../build/stock.ts";
import { bookMany } from "./many_reservations.ts";

const holders = 1_200;

let shop: Stock;
beforeEach(async () => {
  shop = await openStock();
  await shop.product("HOT");
  await shop.add("HOT", holders, { bin: "A-01" });
  await bookMany(shop, "HOT", holders, 60_000);
  await shop.add("HOT", 700, { bin: "A-02" });
});

const adjust = (adjustment: number) =>
  shop.write((tx) => adjustStock(tx, "HOT", { adjustment, reason: "lost", bin: "A-01", allow_shortfall: true }, clerk));

test("if all units are lost, all lose theirs, and the youngest get others while there are any", async () => {
  const { backordered_orders } = await adjust(-holders);
  expect(backordered_orders.length).toBe(500);
  expect(backordered_orders[0]?.order_number).toBe("N-499");
  expect(await shop.item("HOT")).toMatchObject({ on_hand: 700, reserved: 700, available: 0, backordered: 500 });
}, 60_000);

test("if few units are lost, only the affected reservations are read", async () => {
  expect((await adjust(-2)).backordered_orders).toEqual([]);
  const left = await shop.store.read((db) => listAllocationHolders(db, 1001, 3));
  expect(left.map(({ order_ref }) => order_ref)).toEqual(["N-1197", "N-1196", "N-1195"]);
}, 60_000);
