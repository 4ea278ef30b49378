// An order's allocation is opened once per transaction, and its object matches the stored rows after any acts.
import { beforeEach, expect, test } from "bun:test";
import { adjustStock } from "../../../src/inventory/counts/adjust_stock.ts";
import { addStock } from "../../../src/inventory/receiving/receive_units.ts";
import { listHeldLines } from "../../../src/inventory/reservations/allocations.sql.ts";
import { lockOrderAllocation } from "../../../src/inventory/reservations/lock_order_allocation.ts";
import { lockStock } from "../../../src/inventory/reservations/locked_stock.ts";
import {
  commitOrderAllocation,
  pauseOrderAllocation,
  pickAllocatedUnits,
  reallocateOrder,
  releaseOrderAllocation,
  reportMissingUnits,
  resumeOrderAllocation,
  reviseOrderAllocation,
  setAllocationPriority,
  shipAllocatedUnits,
} from "../../../src/inventory/reservations/order_allocations.ts";
import { findOrderReservation } from "../../../src/inventory/reservations/reservations.sql.ts";
import type { Tx } from "../../../src/storage/database.ts";
import { clerk, openStock, type Stock } from "../../build/stock.ts";

let shop: Stock;
beforeEach(async () => {
  shop = await openStock();
  await shop.product("A");
  await shop.product("B");
  await shop.add("A", 6, { lot: "L-1", days: 30 });
  await shop.add("A", 6, { lot: "L-2", days: 60, bin: "A-02" });
  await shop.add("B", 4);
});

const how = { confirmed: true, actor: clerk };
const lines = [
  ["A", 5],
  ["B", 6],
  ["A", 4],
] as const;

/** Acts on order 1 or on its reserved stock. Each does as much as possible. */
const acts: readonly ((tx: Tx) => Promise<unknown>)[] = [
  (tx) => commitOrderAllocation(tx, 1),
  (tx) => reallocateOrder(tx, 1),
  async (tx) => pickAllocatedUnits(tx, 1, await oneUnit(tx, ({ reserved, picked }) => reserved > picked), how),
  async (tx) => shipAllocatedUnits(tx, 1, await oneUnit(tx, ({ picked }) => picked > 0), clerk, how),
  async (tx) => releaseOrderAllocation(tx, 1, await oneUnit(tx, ({ wanted }) => wanted > 0), clerk),
  async (tx) => {
    const units = await oneUnit(tx, ({ reserved, picked }) => reserved > picked);
    await reportMissingUnits(
      tx,
      1,
      units.map((unit) => ({ ...unit, write_off: null })),
      clerk,
    );
  },
  (tx) => pauseOrderAllocation(tx, 1, { free: true }),
  (tx) => resumeOrderAllocation(tx, 1),
  (tx) => setAllocationPriority(tx, 1, 5),
  (tx) => addStock(tx, { sku: "B", quantity: 1, location: shop.main }, clerk),
  async (tx) => {
    const { stocks } = await lockOrderAllocation(tx, 1);
    const item = stocks.get(shop.product_id("A"))?.items.find(({ bin, on_hand }) => bin === "A-02" && on_hand > 0);
    if (item === undefined) return;
    const away = { adjustment: -1, reason: "lost", bin: "A-02", location: shop.main, allow_shortfall: true } as const;
    await adjustStock(tx, "A", away, clerk);
  },
];

/** One unit of each line that has such a unit. */
async function oneUnit(tx: Tx, is: (line: { wanted: number; reserved: number; picked: number }) => boolean) {
  const claim = await lockOrderAllocation(tx, 1);
  return claim.lines.filter(is).map(({ order_line_id }) => ({ order_line_id: order_line_id ?? 0, quantity: 1 }));
}

async function expectInHand(tx: Tx): Promise<void> {
  const { reservation, lines } = await lockOrderAllocation(tx, 1);
  expect(lines).toEqual(await listHeldLines(tx, reservation.id));
  expect(reservation).toEqual((await findOrderReservation(tx, 1)) as typeof reservation);
}

test("the open allocation matches the stored rows after hundreds of acts in a few transactions", async () => {
  await shop.claim(1, { lines });
  await shop.claim(2, { lines: [["A", 5]], priority: 1 });
  await shop.write(async (tx) => {
    await reviseOrderAllocation(tx, shop.claimOf(1, { lines }));
    await expectInHand(tx);
  });
  let dice = 7;
  for (let round = 0; round < 8; round += 1) {
    await shop.write(async (tx) => {
      for (let step = 0; step < 15; step += 1) {
        dice = (dice * 16_807) % 2_147_483_647;
        await acts[dice % acts.length]?.(tx);
        await expectInHand(tx);
      }
    });
  }
});

test("a nested part cannot reopen an open allocation, but may open others", async () => {
  await shop.claim(1, { lines: [["A", 1]] });
  await shop.write(async (tx) => {
    await lockOrderAllocation(tx, 1);
    await expect(tx.nested((part) => lockOrderAllocation(part, 1))).rejects.toThrow(
      "is open in the transaction around",
    );
    await tx.nested((part) => lockStock(part, [shop.product_id("B")]));
  });
});
