import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { StockItem } from "../../../src/inventory/ledger/stock_item.ts";
import {
  freeUnits,
  type PlannedStock,
  type PlanOptions,
  planStock,
} from "../../../src/inventory/reservations/plan_stock.ts";
import type { StockedProduct } from "../../../src/inventory/stock/product_stock.ts";
import { item, lot, now, product, usual } from "./product_stock.ts";

function shelves(items: readonly StockItem[], fields: Partial<StockedProduct> = {}, crowded = false) {
  const shelf: PlannedStock = { product: { ...product, ...fields }, items, backordered: 0, incoming: 0, crowded };
  return new Map([[1, shelf]]);
}

/** The items and their units for one want. */
function chosen(items: readonly StockItem[], quantity: number, options: Partial<PlanOptions> = {}, fields = {}) {
  const { portions } = planStock([{ product_id: 1, quantity }], shelves(items, fields), { ...usual, ...options });
  return (portions[0] ?? []).map(({ item, quantity }) => [item.id, quantity]);
}

describe("the choice of stock", () => {
  test("takes only from the requested warehouse", () => {
    const items = [item(1, {}), item(2, { warehouse_id: 2 })];
    expect(chosen(items, 15, { warehouse_id: 2 })).toEqual([[2, 10]]);
  });

  test("takes only from zones that are cold enough, for the product and the order", () => {
    const items = [item(1, {}), item(2, { temperature_zone: "refrigerated" }), item(3, { temperature_zone: "frozen" })];
    expect(chosen(items, 30)).toEqual([
      [1, 10],
      [2, 10],
      [3, 10],
    ]);
    expect(chosen(items, 30, { requires_cold_storage: true })).toEqual([
      [2, 10],
      [3, 10],
    ]);
    expect(chosen(items, 30, {}, { temperature_zone: "frozen" })).toEqual([[3, 10]]);
  });

  test("takes only lots that can be sold and keep long enough", () => {
    const items = [item(1, lot(5)), item(2, lot(9)), item(3, lot(20, "recalled")), item(4, lot(0)), item(5, lot(-1))];
    expect(chosen(items, 50)).toEqual([
      [4, 10],
      [1, 10],
      [2, 10],
    ]);
    expect(chosen(items, 50, {}, { min_shelf_life_days: 9 })).toEqual([[2, 10]]);
  });

  test("takes nothing from bins that are not for sale", () => {
    const kinds = ["staging", "returns", "putback", "quarantine", "damage"] as const;
    const items = kinds.map((bin_kind, at) => item(at, { bin_kind }));
    expect(chosen(items, 5)).toEqual([]);
  });

  test("fills everything from one warehouse before it splits, by priority", () => {
    const near = item(1, { on_hand: 8 });
    const far = item(2, { warehouse_id: 2, warehouse_priority: 200, on_hand: 12 });
    expect(chosen([near, far], 8)).toEqual([[1, 8]]);
    expect(chosen([near, far], 9)).toEqual([[2, 9]]);
    expect(chosen([near, far], 15)).toEqual([
      [1, 8],
      [2, 7],
    ]);
  });

  test("requires all products of the order in one warehouse", () => {
    const stock = shelves([item(1, {}), item(2, { warehouse_id: 2, warehouse_priority: 200 })]);
    const other = { ...product, id: 2, sku: "B" };
    const only = item(3, { product_id: 2, warehouse_id: 2, warehouse_priority: 200 });
    stock.set(2, { product: other, items: [only], backordered: 0, incoming: 0 });
    const wants = [
      { product_id: 1, quantity: 2 },
      { product_id: 2, quantity: 2 },
    ];
    const { portions } = planStock(wants, stock, usual);
    expect(portions.map((own) => own.map(({ item }) => item.id))).toEqual([[2], [3]]);
  });

  test("takes first expired, then first received, then the smallest bin, then along the pick path", () => {
    expect(chosen([item(1, {}), item(2, lot(9)), item(3, lot(5))], 25)).toEqual([
      [3, 10],
      [2, 10],
      [1, 5],
    ]);
    expect(chosen([item(1, {}), item(2, { received_at: now - 1 })], 1)).toEqual([[2, 1]]);
    expect(chosen([item(1, {}), item(2, { on_hand: 4 })], 1)).toEqual([[2, 1]]);
    expect(chosen([item(1, { pick_order: 2 }), item(2, { pick_order: 1 })], 1)).toEqual([[2, 1]]);
  });

  test("may keep units already held, even if they would not keep long enough for another order", () => {
    const items = [item(1, { ...lot(3), reserved: 4 }), item(2, { ...lot(30) })];
    const fields = { min_shelf_life_days: 10 };
    expect(chosen(items, 6, { own: new Map([[1, 4]]) }, fields)).toEqual([
      [1, 4],
      [2, 2],
    ]);
    const gone = item(1, { ...lot(3, "quarantined"), reserved: 4 });
    expect(chosen([gone], 4, { own: new Map([[1, 4]]) }, fields)).toEqual([]);
  });

  test("reserves nothing for newer demand while older waits, but may keep units already held", () => {
    const stock = shelves([item(1, { reserved: 3 })], {}, true);
    const wants = [{ product_id: 1, quantity: 5 }];
    expect(planStock(wants, stock, usual).missing).toEqual([5]);
    expect(planStock(wants, stock, { ...usual, own: new Map([[1, 3]]) }).missing).toEqual([2]);
  });
});

describe("every plan", () => {
  const anyItem = fc.record({
    warehouse_id: fc.integer({ min: 1, max: 3 }),
    temperature_zone: fc.constantFrom("ambient", "refrigerated", "frozen", null),
    bin_kind: fc.constantFrom("storage", "storage", "storage", "staging", "quarantine"),
    days: fc.option(fc.integer({ min: -2, max: 20 })),
    status: fc.constantFrom("available", "available", "on_hold"),
    on_hand: fc.integer({ min: 0, max: 20 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    received_at: fc.integer({ min: 0, max: 3 }),
    pick_order: fc.integer({ min: 0, max: 2 }),
  });
  const anyCase = fc.record({
    items: fc.array(anyItem, { maxLength: 12 }),
    quantities: fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 4 }),
    warehouse_id: fc.option(fc.integer({ min: 1, max: 3 })),
    requires_cold_storage: fc.boolean(),
    min_shelf_life_days: fc.integer({ min: 0, max: 5 }),
  });

  test("takes only suitable stock, no more than available, and misses only what is not there", () => {
    fc.assert(
      fc.property(anyCase, ({ items: raw, quantities, warehouse_id, requires_cold_storage, min_shelf_life_days }) => {
        const items = raw.map(({ days, status, share, on_hand, ...fields }, at) =>
          item(at + 1, {
            ...fields,
            ...(days === null ? {} : lot(days, status as StockItem["lot_status"])),
            warehouse_priority: fields.warehouse_id * 10,
            on_hand,
            reserved: Math.floor(on_hand * share),
          } as Partial<StockItem>),
        );
        const stock = shelves(items, { min_shelf_life_days });
        const options = { now, warehouse_id, requires_cold_storage };
        const before = JSON.stringify(items);
        const wants = quantities.map((quantity) => ({ product_id: 1, quantity }));
        const { portions, missing } = planStock(wants, stock, options);
        const shelf = stock.get(1) as PlannedStock;

        const taken = new Map<number, number>();
        for (const { item, quantity } of portions.flat()) taken.set(item.id, (taken.get(item.id) ?? 0) + quantity);
        for (const [id, quantity] of taken) {
          const item = items[id - 1] as StockItem;
          expect(quantity).toBeGreaterThan(0);
          expect(quantity).toBeLessThanOrEqual(freeUnits(item, shelf, options));
          if (warehouse_id !== null) expect(item.warehouse_id).toBe(warehouse_id);
        }
        for (const [at, want] of wants.entries()) {
          const found = (portions[at] ?? []).reduce((sum, portion) => sum + portion.quantity, 0);
          expect(found + (missing[at] ?? 0)).toBe(want.quantity);
        }
        const short = missing.reduce((sum, units) => sum + units, 0);
        const free = items.reduce((sum, item) => sum + freeUnits(item, shelf, options), 0);
        const wanted = quantities.reduce((sum, quantity) => sum + quantity, 0);
        expect(short).toBe(Math.max(0, wanted - free));

        // From one warehouse, if it has everything; and nothing younger is taken while older stock stays there.
        const has = (id: number) =>
          items.reduce((sum, item) => sum + (item.warehouse_id === id ? freeUnits(item, shelf, options) : 0), 0);
        const used = new Set(portions.flat().map(({ item }) => item.warehouse_id));
        const whole = [1, 2, 3].find((id) => has(id) >= wanted);
        if (whole !== undefined) expect([...used]).toEqual([whole]);
        for (const id of used) {
          const own = items.filter((item) => item.warehouse_id === id && freeUnits(item, shelf, options) > 0);
          const left = own.filter((item) => (taken.get(item.id) ?? 0) < freeUnits(item, shelf, options));
          const expiry = (item: StockItem) => item.expires_on ?? Number.MAX_SAFE_INTEGER;
          const latest = Math.max(...own.filter((item) => taken.has(item.id)).map(expiry));
          for (const item of left) expect(expiry(item)).toBeGreaterThanOrEqual(latest);
        }
        expect(JSON.stringify(items)).toBe(before);
      }),
      { numRuns: 500, seed: 7 },
    );
  });
});
