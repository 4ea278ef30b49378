import { describe, expect, test } from "bun:test";
import { unreachableStates } from "../../../src/core/transitions.ts";
import {
  type TransferStatus,
  transferStatuses,
  transferTransitions,
} from "../../../src/inventory/inventory.transitions.ts";
import type { StockItem } from "../../../src/inventory/ledger/stock_item.ts";
import type { TransferLoad } from "../../../src/inventory/receiving/transfer.ts";
import { chooseUnits, planArrival } from "../../../src/inventory/receiving/transfer.ts";
import { item as stockItem } from "../reservations/product_stock.ts";

test("every status of a transfer is reachable", () => {
  expect(unreachableStates<TransferStatus>(transferTransitions, transferStatuses, "pending")).toEqual([]);
});

let made = 0;
const item = (more: Partial<StockItem>) => stockItem(++made, { warehouse_priority: 1, bin: `B-${made}`, ...more });

describe("units ship", () => {
  const lot = (lot_number: string, expires_on: number, more: Partial<StockItem> = {}) =>
    item({ lot_id: made + 1, lot_number, lot_status: "available", expires_on, ...more });
  const soon = lot("SOON", 200, { reserved: 7 });
  const late = lot("LATE", 300, { bin: "X" });
  const past = lot("PAST", 50);
  const recalled = lot("BAD", 100, { lot_status: "recalled" });
  const others = [item({ warehouse_id: 2 }), item({ bin_kind: "staging" }), item({ bin_kind: "damage" })];
  const apart = lot("LATE", 300, { bin_kind: "quarantine" });
  const items = [late, apart, ...others, recalled, past, soon];
  const source = { warehouse_id: 1, now: 100 * 86_400_000, crowded: false, min_shelf_life_days: 0 };
  const line = { quantity: 5, lot_number: null, bin: null };
  const chosen = (more: object, from = source) =>
    chooseUnits({ ...line, ...more }, items, from).map(({ item, quantity }) => [item.lot_number, quantity]);

  test("first expired first, and only free units for sale", () => {
    expect(chosen({})).toEqual([
      ["SOON", 3],
      ["LATE", 2],
    ]);
    expect(chosen({ quantity: 100 })).toEqual([
      ["SOON", 3],
      ["LATE", 10],
    ]);
  });

  test("from the named lot and bin", () => {
    expect(chosen({ lot_number: "LATE", quantity: 20 })).toEqual([["LATE", 10]]);
    expect(chosen({ bin: "X" })).toEqual([["LATE", 5]]);
    expect(chosen({ bin: "X", lot_number: "SOON" })).toEqual([]);
  });

  test("from a lot that is not for sale if it is named", () => {
    expect(chosen({ lot_number: "BAD" })).toEqual([["BAD", 5]]);
    expect(chosen({ lot_number: "PAST" })).toEqual([["PAST", 5]]);
  });

  test("not while older demand waits", () => {
    expect(chosen({}, { ...source, crowded: true })).toEqual([]);
  });
});

describe("units arrive", () => {
  const load = (sku: string, lot_number: string | null, in_transit: number): TransferLoad => ({
    id: ++made,
    transfer_line_id: 1,
    product_id: 1,
    sku,
    lot_id: null,
    lot_number,
    stocked_at: 0,
    quantity: 10,
    in_transit,
    received: 10 - in_transit,
    written_off: 0,
  });
  const [one, two, none, salt] = [load("A", "L1", 4), load("A", "L2", 6), load("A", "L3", 0), load("B", null, 2)];
  const loads = [one, two, none, salt];
  const planned = (...given: Parameters<typeof planArrival>) =>
    planArrival(...given).map(({ load, quantity, bin, item }) => [load.id, quantity, bin, item]);

  test("everything in transit unless items are named", () => {
    expect(planned(loads, undefined)).toEqual([
      [one.id, 4, undefined, 0],
      [two.id, 6, undefined, 0],
      [salt.id, 2, undefined, 0],
    ]);
  });

  test("from the first load on, each unit once", () => {
    const items = [
      { sku: "A", quantity: 5, bin: "X" },
      { sku: "B", quantity: 1 },
      { sku: "A", quantity: 2 },
    ];
    expect(planned(loads, items)).toEqual([
      [one.id, 4, "X", 0],
      [two.id, 1, "X", 0],
      [salt.id, 1, undefined, 1],
      [two.id, 2, undefined, 2],
    ]);
    expect(planned(loads, [{ sku: "A", quantity: 6, lot_number: "L2" }])).toEqual([[two.id, 6, undefined, 0]]);
  });

  test.each([
    [[{ sku: "A", quantity: 11 }]],
    [[{ sku: "A", quantity: 5, lot_number: "L1" }]],
    [[{ sku: "A", quantity: 1, lot_number: "L3" }]],
    [[{ sku: "C", quantity: 1 }]],
    [
      [
        { sku: "B", quantity: 2 },
        { sku: "B", quantity: 1 },
      ],
    ],
  ])("no more than is in transit: %j", (items) => {
    expect(() => planArrival(loads, items)).toThrow(/^items\[\d\]\./);
  });
});
