// Breaks each invariant of the stock directly in tables without CHECKs: the audit reports it and shows the affected
// rows.

import { describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { movements, stock_items } from "../../db/schema/inventory.ts";
import { allocations, reservation_lines, reservations } from "../../db/schema/reservations.ts";
import { transfer_loads } from "../../db/schema/transfers.ts";
import { engine } from "../../src/core/config.ts";
import { adjustStock } from "../../src/inventory/counts/adjust_stock.ts";
import { verifyInventory } from "../../src/inventory/inventory_audit.sql.ts";
import { addStock } from "../../src/inventory/receiving/receive_units.ts";
import { createTransfer, shipTransfer } from "../../src/inventory/receiving/transfers.ts";
import { pickAllocatedUnits } from "../../src/inventory/reservations/order_allocations.ts";
import type { Tx } from "../../src/storage/database.ts";
import { type Migration, migrations } from "../../src/storage/migrations/migration_sql.ts";
import type { VerifierDifference } from "../../src/storage/verifier.ts";
import { clerk, openStock, type Stock } from "../build/stock.ts";

/** The program's tables without CHECKs, so that they can contain invalid rows. */
const unchecked = migrations[engine].map(({ name, statements }): Migration => {
  const free = (text: string) => text.replace(/,\s*CONSTRAINT "\w+" CHECK ?\(.*\)(?=,?\n)/g, "");
  const altersCheck = (text: string) =>
    /^ALTER TABLE "\w+" ((DROP|RENAME) CONSTRAINT "(?!\w+_[fp]k")|ADD CONSTRAINT "\w+" CHECK)/.test(text);
  return { name: `${name}_unchecked`, statements: statements.filter((text) => !altersCheck(text)).map(free) };
});

const shop: Stock = await openStock({ migrations: unchecked });
await shop.product("RICE");
await shop.product("TEA", { lot_tracking: true });
await shop.add("RICE", 30);
await shop.write((tx) => adjustStock(tx, "RICE", { adjustment: -2, reason: "lost" }, clerk));
await shop.claim(1, { lines: [["RICE", 6]] });
await shop.write((tx) =>
  pickAllocatedUnits(tx, 1, [{ order_line_id: 10, quantity: 2 }], { confirmed: true, actor: clerk }),
);
const transfer = { from_location: shop.main, to_location: shop.west, items: [{ sku: "RICE", quantity: 6 }] };
const { id } = await shop.write((tx) => createTransfer(tx, transfer));
await shop.write((tx) => shipTransfer(tx, String(id), clerk));
await shop.add("TEA", 5, { lot: "L1" });
await shop.add("TEA", 7, { lot: "L2", bin: "A-02" });

/** The audit's differences after a change that is rolled back. */
async function found(change: (tx: Tx) => PromiseLike<unknown>): Promise<VerifierDifference[]> {
  const undone = new Error("undone");
  let differences: VerifierDifference[] = [];
  const spoil = async (tx: Tx) => {
    await change(tx);
    differences = await verifyInventory(tx);
    throw undone;
  };
  expect(await shop.write(spoil).catch((error) => error)).toBe(undone);
  return differences;
}

const item = (id: number) => eq(stock_items.id, id);
const setItem = (id: number, values: Partial<typeof stock_items.$inferInsert>) => (tx: Tx) =>
  tx.sql.update(stock_items).set(values).where(item(id));
const setMovement = (id: number, values: Partial<typeof movements.$inferInsert>) => (tx: Tx) =>
  tx.sql.update(movements).set(values).where(eq(movements.id, id));

const rice = { table: "stock_items", id: 1001, sku: "RICE", bin: "A-01" };
const ledger = { table: "movements, all of the stock item" };

const promised = { table: "allocations", id: 1001, order_ref: "N-1" };

describe("verify finds, and shows the rows of", () => {
  test.each<[string, (tx: Tx) => PromiseLike<unknown>, [rule: string, what: string][], Record<string, unknown>[]]>([
    [
      "I1: promised units that the API does not show, since nothing is on hand beside them",
      setItem(1001, { on_hand: 0 }),
      [
        ["I1 available is what can be sold and is not reserved", "product 1001: -4 0"],
        ["I1 reserved is the sum of the items' reserved units", "product 1001: 6 2"],
        ["I4 on hand is the sum of the item's movements", "stock item 1001: 20 0"],
        ["I6 reserved is at most on hand", "stock item 1001: 0 4"],
      ],
      [{ ...rice, on_hand: 0, reserved: 4 }],
    ],
    [
      "I2: a negative quantity, which the API does not show either",
      setItem(1003, { on_hand: -3 }),
      [
        ["I1 available is what can be sold and is not reserved", "product 1002: 4 7"],
        ["I1 on hand is the sum of the items' units", "product 1002: 4 7"],
        ["I3 units in bins and in staging are on hand", "product 1002: 4 7"],
        ["I3 units in lots are the sum of the lots", "product 1002: 4 7"],
        ["I2 no quantity is negative", "stock item 1003: 0 -3"],
        ["I4 on hand is the sum of the item's movements", "stock item 1003: 5 -3"],
        ["I6 reserved is at most on hand", "stock item 1003: -3 0"],
        ["I3 units of a lot are the sum of its movements", "lot 1001: 5 -3"],
      ],
      [{ table: "stock_items", id: 1003, sku: "TEA", lot_number: "L1", on_hand: -3 }],
    ],
    [
      "I3: units of a lot that lie as another",
      setItem(1003, { lot_id: 1002 }),
      [
        ["I3 units of a lot are the sum of its movements", "lot 1001: 5 0"],
        ["I3 units of a lot are the sum of its movements", "lot 1002: 7 12"],
      ],
      [
        { table: "lots", id: 1001, lot_number: "L1" },
        { table: "movements", id: 1005, lot_id: 1001, quantity: 5 },
      ],
    ],
    [
      "I3: an item in a bin of another warehouse",
      setItem(1001, { warehouse_id: 1002 }),
      [["I3 an item is in a bin of its warehouse and of a lot of its product", "stock item 1001: 1 0"]],
      [{ ...rice, warehouse_id: 1002 }],
    ],
    [
      "I4: units that no movement brought",
      setItem(1001, { on_hand: 21 }),
      [["I4 on hand is the sum of the item's movements", "stock item 1001: 20 21"]],
      [
        { ...rice, on_hand: 21, reserved: 4 },
        { ...ledger, rows: 4, change: 20 },
        { table: "movements", id: 1002, type: "adjustment", quantity: 2, from_balance: 28, reason: "lost" },
      ],
    ],
    [
      "I5: units promised to nobody",
      setItem(1001, { reserved: 5 }),
      [
        ["I5 reserved is the sum of the item's allocations", "stock item 1001: 4 5"],
        ["I5 a product's reserved units are those of its open reservations", "product 1001: 6 7"],
      ],
      [{ ...rice, on_hand: 20, reserved: 5 }, { table: "allocations, all", rows: 1, quantity: 4 }, promised],
    ],
    [
      "I5: a promise of more than its line knows of",
      (tx) => tx.sql.update(allocations).set({ quantity: 3 }).where(eq(allocations.id, 1001)),
      [
        ["I5 reserved is the sum of the item's allocations", "stock item 1001: 3 4"],
        ["I5 a line's reserved units are the sum of its allocations", "reservation line 1001: 5 6"],
      ],
      [
        { table: "reservation_lines", id: 1001, reserved: 6, picked: 2 },
        { ...promised, quantity: 3 },
      ],
    ],
    [
      "I5: a line that has picked more than lies in staging",
      (tx) => tx.sql.update(reservation_lines).set({ picked: 3 }),
      [["I5 a line's picked units are its allocations in staging", "reservation line 1001: 2 3"]],
      [{ table: "allocations", id: 1002, bin: "STAGING-ord_1", quantity: 2 }],
    ],
    [
      "I5: promises of a reservation that is over",
      (tx) => tx.sql.update(reservations).set({ status: "released" }),
      [
        ["I5 a product's reserved units are those of its open reservations", "product 1001: 0 6"],
        ["I9 a closed reservation wants and holds nothing", "reservation 1001: 0 12"],
      ],
      [{ table: "reservations", id: 1001, order_ref: "N-1", status: "released" }],
    ],
    [
      "I6: more promised than there is",
      setItem(1001, { reserved: 21 }),
      [
        ["I5 reserved is the sum of the item's allocations", "stock item 1001: 4 21"],
        ["I5 a product's reserved units are those of its open reservations", "product 1001: 6 23"],
        ["I6 reserved is at most on hand", "stock item 1001: 20 21"],
      ],
      [{ ...rice, on_hand: 20, reserved: 21 }],
    ],
    [
      "I7: a transfer that lost a unit on its way",
      (tx) => tx.sql.update(transfer_loads).set({ in_transit: 5 }),
      [["I7 units of a transfer that left and have not arrived are in transit", "transfer 1001: 6 5"]],
      [
        { table: "transfer_loads", id: 1001, quantity: 6, in_transit: 5 },
        { table: "movements", id: 1004, quantity: 6, to_place: "in_transit", reference_id: "trf_1001" },
      ],
    ],
    [
      "I7: units that left the house for nowhere",
      setMovement(1002, { to_place: null }),
      [["I7 a transfer has two sides, and units that leave stock name where they went", "movement 1002: 1 0"]],
      [{ table: "movements", id: 1002, from_item_id: 1001, to_item_id: null, to_place: null }],
    ],
    [
      "I8: an adjustment whose balance is not the one before it and its own units",
      setMovement(1002, { from_balance: 29 }),
      [["I8 each balance is the ledger replayed up to that row", "movement 1002: 28 29"]],
      [
        { table: "movements", id: 1001, quantity: 30, to_balance: 30 },
        { table: "movements", id: 1002, quantity: 2, from_balance: 29 },
      ],
    ],
    [
      "I8: a balance that is not there",
      setMovement(1002, { from_balance: null }),
      [["I8 each balance is the ledger replayed up to that row", "movement 1002: 28 null"]],
      [{ table: "movements", id: 1002, quantity: 2, from_balance: null }],
    ],
    [
      "I13: more than a thousand million on hand",
      setItem(1001, { on_hand: 1_000_000_001 }),
      [
        ["I13 a quantity is at least 0 and at most 1000000000", "stock item 1001: 1000000000 1000000001"],
        ["I4 on hand is the sum of the item's movements", "stock item 1001: 20 1000000001"],
      ],
      [{ ...rice, on_hand: 1_000_000_001 }],
    ],
    [
      "I13: a movement of nothing",
      setMovement(1002, { quantity: 0 }),
      [
        ["I13 a quantity is at least 1 and at most 1000000000", "movement 1002: 1 0"],
        ["I4 on hand is the sum of the item's movements", "stock item 1001: 22 20"],
        ["I8 each balance is the ledger replayed up to that row", "movement 1002: 30 28"],
        ["I8 each balance is the ledger replayed up to that row", "movement 1003: 28 26"],
        ["I8 each balance is the ledger replayed up to that row", "movement 1004: 22 20"],
      ],
      [{ table: "movements", id: 1002, quantity: 0 }],
    ],
    [
      "I13: more units than whole numbers can count",
      setItem(1001, { on_hand: 2 ** 53 }),
      [
        ["I13 a quantity is at least 0 and at most 1000000000", "stock item 1001: 1000000000 9007199254740992"],
        ["I13 the units of a product are fewer than 2^53", "product 1001: 9007199254740991 9007199254740994"],
        ["I4 on hand is the sum of the item's movements", "stock item 1001: 20 9007199254740992"],
      ],
      [{ ...rice, on_hand: 2 ** 53 }],
    ],
  ])("%s", async (_, change, differences, rows) => {
    const said = await found(change);
    expect(said.map(({ rule, subject, expected, actual }) => [rule, `${subject}: ${expected} ${actual}`])).toEqual(
      differences,
    );
    const shown = said.flatMap(({ rows }) => rows);
    for (const row of rows) expect(shown).toContainEqual(expect.objectContaining(row));
  });

  test("a hundred differences of a rule, and counts the others", async () => {
    await shop.product("MANY");
    await shop.write(async (tx) => {
      for (let n = 0; n < 101; n += 1) {
        await addStock(tx, { sku: "MANY", quantity: 1, location: shop.main, bin: `M-${n}` }, clerk);
      }
    });
    const said = await found((tx) => tx.sql.update(stock_items).set({ on_hand: 2 }).where(eq(stock_items.on_hand, 1)));
    expect(said.length).toBe(101);
    expect(said.filter(({ rows }) => rows.length > 0).length).toBe(100);
  }, 20_000);
});
