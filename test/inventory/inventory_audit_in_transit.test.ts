// The audit of stock in transit after the tables were changed directly.
import { expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { movements } from "../../db/schema/inventory.ts";
import { receipt_lines, receipts } from "../../db/schema/receipts.ts";
import { transfer_loads, transfers } from "../../db/schema/transfers.ts";
import { verifyInventory } from "../../src/inventory/inventory_audit.sql.ts";
import { createReceipt, scanReceipt } from "../../src/inventory/receiving/receipts.ts";
import { createTransfer, receiveTransfer, shipTransfer } from "../../src/inventory/receiving/transfers.ts";
import type { Tx } from "../../src/storage/database.ts";
import { clerk, openStock, type Stock } from "../build/stock.ts";

const shop: Stock = await openStock();
await shop.product("RICE");
await shop.add("RICE", 20);
const items = [{ sku: "RICE", quantity: 8 }];
const transfer = { from_location: shop.main, to_location: shop.west, items };
const { id } = await shop.write((tx) => createTransfer(tx, transfer));
await shop.write((tx) => shipTransfer(tx, String(id), clerk));
await shop.write((tx) => receiveTransfer(tx, String(id), { items: [{ sku: "RICE", quantity: 3 }] }, clerk));
const receipt = await shop.write((tx) => createReceipt(tx, { location: shop.main, items }));
await shop.write((tx) => scanReceipt(tx, String(receipt.id), { items: [{ sku: "RICE", quantity: 2 }] }, clerk));

/** The audit's differences after a change that is rolled back. */
async function found(change: (tx: Tx) => PromiseLike<unknown>): Promise<string[]> {
  const undone = new Error("undone");
  let differences: string[] = [];
  const spoil = async (tx: Tx) => {
    await change(tx);
    differences = (await verifyInventory(tx)).map(
      ({ rule, subject, expected, actual }) => `${rule.slice(0, 24)}: ${subject}: ${expected} ${actual}`,
    );
    throw undone;
  };
  expect(await shop.write(spoil).catch((error) => error)).toBe(undone);
  return differences;
}

test.each<[string, (tx: Tx) => PromiseLike<unknown>, string[]]>([
  ["nothing", async () => {}, []],
  [
    "units in transit that vanish",
    (tx) => tx.sql.update(transfer_loads).set({ in_transit: 4, written_off: 1 }),
    ["I7 units of a transfer t: transfer 1001: 5 4"],
  ],
  [
    "a transfer that is over too early",
    (tx) => tx.sql.update(transfers).set({ status: "received" }),
    ["I7 only a shipped transf: transfer 1001: 0 5"],
  ],
  [
    "a movement of a transfer that names the wrong one",
    (tx) => tx.sql.update(movements).set({ reference_id: "trf_9" }).where(sql`${movements.to_place} = 'in_transit'`),
    ["I7 units of a transfer t: transfer 9: 8 0", "I7 units of a transfer t: transfer 1001: -3 5"],
  ],
  [
    "units of a transfer that are said to have gone to a customer",
    (tx) => tx.sql.update(movements).set({ to_place: "customer" }).where(sql`${movements.to_place} = 'in_transit'`),
    ["I7 a transfer has two si: movement 1002: 1 0"],
  ],
  [
    "a one-sided movement that is of no transfer",
    (tx) => tx.sql.update(movements).set({ type: "transfer" }).where(eq(movements.reference_type, "receipt")),
    ["I7 a transfer has two si: movement 1004: 1 0", "I4 a receipt's received : receipt 1001: 0 2"],
  ],
  [
    "received units that no movement brought",
    (tx) => tx.sql.update(receipt_lines).set({ received: 3, outstanding: 5 }),
    ["I4 a receipt's received : receipt 1001: 2 3"],
  ],
  [
    "a line that awaits too little",
    (tx) => tx.sql.update(receipt_lines).set({ outstanding: 5 }),
    ["an open receipt's line h: receipt line 1001: 6 5"],
  ],
  [
    "a receipt that is over and awaits something",
    (tx) => tx.sql.update(receipts).set({ status: "closed" }),
    ["an open receipt's line h: receipt line 1001: 0 6"],
  ],
])("the audit reports %s", async (_, change, differences) => {
  expect((await found(change)).sort()).toEqual([...differences].sort());
});
