import { describe, expect, test } from "bun:test";
import { unreachableStates } from "../../../src/core/transitions.ts";
import {
  type ReceiptStatus,
  receiptStatuses,
  receiptTransitions,
} from "../../../src/inventory/inventory.transitions.ts";
import type { ReceiptLine } from "../../../src/inventory/receiving/receipt.ts";
import { countOn, expectedExpiry, expectedLot } from "../../../src/inventory/receiving/receipt.ts";

let made = 0;
const line = (lot_number: string | null, outstanding: number, more: Partial<ReceiptLine> = {}): ReceiptLine => ({
  id: ++made,
  receipt_id: 1,
  product_id: 1,
  sku: "A",
  lot_number,
  expires_on: null,
  quantity: 10,
  unit_cost_cents: null,
  unit_cost_currency: null,
  received: 10 - outstanding,
  set_aside: 0,
  outstanding,
  ...more,
});

test("every status of a receipt is reachable", () => {
  expect(unreachableStates<ReceiptStatus>(receiptTransitions, receiptStatuses, "expected")).toEqual([]);
});

describe("scanned units are counted", () => {
  const own = line("L1", 4);
  const any = line(null, 3);
  const other = line("L2", 5);
  const lines = [other, any, own, line("L1", 9, { sku: "B" })];

  test.each<[string, number, string | undefined, [ReceiptLine, number][]]>([
    ["on the line of their lot", 4, "L1", [[own, 4]]],
    [
      "then on one that takes any lot",
      6,
      "L1",
      [
        [own, 4],
        [any, 2],
      ],
    ],
    [
      "then on the others",
      12,
      "L1",
      [
        [own, 4],
        [any, 3],
        [other, 5],
      ],
    ],
    [
      "and what is too many on the first of them",
      15,
      "L1",
      [
        [own, 7],
        [any, 3],
        [other, 5],
      ],
    ],
    ["without a lot on one that takes any", 3, undefined, [[any, 3]]],
    ["of a lot that nobody announced on one that takes any", 2, "L9", [[any, 2]]],
  ])("%s", (_, quantity, lot_number, counted) => {
    const found = countOn(lines, { sku: "A", quantity, lot_number });
    expect(found).toEqual(counted.map(([line, quantity]) => ({ line, quantity })));
  });

  test("on the full line if all are full", () => {
    const full = line("L1", 0);
    expect(countOn([line(null, 0), full], { sku: "A", quantity: 2, lot_number: "L1" })).toEqual([
      { line: full, quantity: 2 },
    ]);
  });

  test("nowhere if the SKU is not expected", () => {
    expect(() => countOn(lines, { sku: "C", quantity: 1 })).toThrow("sku is not expected in this delivery");
  });
});

test("the lot can be omitted if only one is expected", () => {
  const lines = [line("L1", 1), line("L1", 2), line("L2", 1, { sku: "B" }), line(null, 1, { sku: "B" })];
  expect(["A", "B", "C"].map((sku) => expectedLot(lines, sku))).toEqual(["L1", undefined, undefined]);
});

test("the expiry can be omitted if it was announced for the lot", () => {
  const lines = [line("L1", 1, { expires_on: 7 }), line(null, 1)];
  expect([expectedExpiry(lines, "A", "L1"), expectedExpiry(lines, "A", "L2")]).toEqual([7, null]);
  expect(expectedExpiry(lines, "A", undefined)).toBe(null);
});
