import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { StockItem } from "../../../src/inventory/ledger/stock_item.ts";
import {
  allotmentsOf,
  type PassedOverReason,
  passedOverReasons,
} from "../../../src/inventory/reservations/passed_over_stock.ts";
import {
  freeUnits,
  type PlannedStock,
  type PlanOptions,
  planStock,
} from "../../../src/inventory/reservations/plan_stock.ts";
import type { StockedProduct } from "../../../src/inventory/stock/product_stock.ts";
import { item, lot, now, product, today, usual } from "./product_stock.ts";

interface Case {
  readonly options?: Partial<PlanOptions>;
  readonly fields?: Partial<StockedProduct>;
  readonly crowded?: boolean;
}

function told(items: readonly StockItem[], quantity: number, { options = {}, fields = {}, crowded = false }: Case) {
  const shelf: PlannedStock = { product: { ...product, ...fields }, items, backordered: 0, incoming: 0, crowded };
  const shelves = new Map([[1, shelf]]);
  const wants = [{ product_id: 1, quantity }];
  const choice = { ...usual, ...options };
  const plan = planStock(wants, shelves, choice);
  const [allotment] = allotmentsOf(wants, plan, shelves, choice);
  if (allotment === undefined) throw new Error("the product is told of");
  return { plan, allotment, shelf, choice };
}

const near = item(1, {});
const far = { warehouse_id: 2, warehouse_priority: 200 };
const cold = { temperature_zone: "refrigerated" } as const;

describe("an item is passed over", () => {
  test.each<[reason: PassedOverReason, other: Partial<StockItem>, quantity: number, how: Case]>([
    ["other_warehouse", far, 5, { options: { warehouse_id: 1 } }],
    ["bin_not_for_sale", { bin_kind: "returns", temperature_zone: null }, 15, {}],
    ["bin_not_for_sale", { bin_kind: "staging", temperature_zone: null, reserved: 10 }, 15, {}],
    ["zone_too_warm", cold, 5, { fields: { temperature_zone: "frozen" } }],
    ["zone_too_warm", {}, 5, { options: { requires_cold_storage: true } }],
    ["lot_status", lot(9, "recalled"), 15, {}],
    ["lot_status", lot(-9, "quarantined"), 15, {}],
    ["lot_expired", lot(-1), 15, {}],
    ["lot_expired", lot(9, "expired"), 15, {}],
    ["count_pending", { count_id: 7 }, 15, {}],
    ["no_free_units", { reserved: 10 }, 15, {}],
    ["shelf_life", lot(4), 15, { fields: { min_shelf_life_days: 5 } }],
    ["older_demand", {}, 5, { crowded: true }],
    ["not_needed", {}, 0, {}],
    ["split_avoided", { ...far, on_hand: 4 }, 5, {}],
    ["warehouse_priority", far, 5, {}],
    ["expires_later", lot(9), 5, {}],
    ["received_later", { received_at: now + 1 }, 5, {}],
    ["larger_bin", { on_hand: 11 }, 5, {}],
    ["later_on_pick_path", { pick_order: 1 }, 5, {}],
    ["later_on_pick_path", {}, 5, {}],
  ])("as %p", (reason, other, quantity, how) => {
    // Items without expiry come last, so the chosen one has an expiry when expiry decides.
    const first = reason === "expires_later" ? item(1, lot(8)) : near;
    const { allotment } = told([first, item(2, other)], quantity, how);
    expect(allotment.passed_over.find(({ item }) => item.id === 2)?.reason).toBe(reason);
  });

  test("a split by need names the first warehouse", () => {
    const items = [item(1, {}), item(2, { ...far, on_hand: 8 }), item(3, { warehouse_id: 3, warehouse_priority: 300 })];
    const { allotment } = told(items, 18, {});
    expect(allotment.chosen.map(({ item, quantity }) => [item.id, quantity])).toEqual([
      [1, 10],
      [2, 8],
    ]);
    expect(allotment.passed_over.map(({ item, reason }) => [item.id, reason])).toEqual([[3, "warehouse_priority"]]);
  });

  test("reserved units count as free, and are shown as before the plan", () => {
    const { allotment } = told([item(1, { reserved: 6 })], 5, { options: { own: new Map([[1, 4]]) } });
    expect(allotment.chosen).toEqual([{ item: item(1, { reserved: 6 }), quantity: 5 }]);
    const { passed_over } = told([near, item(2, { ...lot(3), reserved: 6 })], 15, { crowded: true }).allotment;
    expect(passed_over.map(({ free }) => free)).toEqual([10, 4]);
  });
});

const anyItem = fc.record({
  warehouse_id: fc.integer({ min: 1, max: 3 }),
  temperature_zone: fc.constantFrom("ambient", "refrigerated", "frozen"),
  bin_kind: fc.constantFrom("storage", "storage", "storage", "staging", "quarantine"),
  days: fc.option(fc.integer({ min: -1, max: 6 }), { freq: 2 }),
  status: fc.constantFrom("available", "available", "available", "on_hold"),
  on_hand: fc.integer({ min: 1, max: 4 }),
  share: fc.constantFrom(0, 0.5, 1),
  own: fc.boolean(),
  received_at: fc.integer({ min: 0, max: 1 }),
  pick_order: fc.integer({ min: 0, max: 2 }),
  count_id: fc.constantFrom(null, null, null, 7),
});
const anyCase = fc.record({
  items: fc.array(anyItem, { minLength: 1, maxLength: 10 }),
  quantity: fc.integer({ min: 0, max: 20 }),
  warehouse_id: fc.option(fc.integer({ min: 1, max: 3 }), { freq: 4 }),
  requires_cold_storage: fc.boolean(),
  min_shelf_life_days: fc.integer({ min: 0, max: 3 }),
  crowded: fc.boolean(),
});

// Changes that remove a reason. If the item only came later than others, the plan then takes it.
const remedies: Partial<Record<PassedOverReason, (item: StockItem) => Partial<StockItem>>> = {
  bin_not_for_sale: () => ({ bin_kind: "storage" }),
  zone_too_warm: () => ({ temperature_zone: "frozen" }),
  lot_status: () => ({ lot_status: "available" }),
  lot_expired: () => ({ lot_status: "available", expires_on: today + 99 }),
  count_pending: () => ({ count_id: null }),
  no_free_units: ({ on_hand }) => ({ on_hand: on_hand + 1 }),
  shelf_life: () => ({ expires_on: today + 99 }),
  expires_later: () => ({ lot_id: 99, lot_status: "available", expires_on: today, received_at: -1 }),
  received_later: () => ({ received_at: -1 }),
  later_on_pick_path: () => ({ pick_order: -1 }),
};

test("every plan agrees with its reasons", () => {
  const seen = new Set<PassedOverReason>();
  fc.assert(
    fc.property(anyCase, ({ items: raw, quantity, warehouse_id, requires_cold_storage, ...rest }) => {
      const own = new Map<number, number>();
      const items = raw.map(({ days, status, share, own: held, ...fields }, at) => {
        const reserved = Math.floor(fields.on_hand * share);
        if (held && fields.bin_kind === "storage") own.set(at + 1, reserved);
        const batch = days === null ? {} : { ...lot(days, status as StockItem["lot_status"]), lot_id: at + 1 };
        const warehouse_priority = fields.warehouse_id * 10;
        return item(at + 1, { ...(fields as Partial<StockItem>), ...batch, warehouse_priority, reserved });
      });
      const how = {
        options: { warehouse_id, requires_cold_storage, own },
        fields: { min_shelf_life_days: rest.min_shelf_life_days },
        crowded: rest.crowded,
      };
      const { plan, allotment, shelf, choice } = told(items, quantity, how);

      // The items shown as chosen are the plan's choice, and each item is shown once.
      const chosen = new Map(allotment.chosen.map(({ item, quantity }) => [item.id, quantity]));
      expect(chosen).toEqual(new Map((plan.portions[0] ?? []).map(({ item, quantity }) => [item.id, quantity])));
      expect(allotment.missing).toBe(plan.missing[0] ?? -1);
      const ids = [...chosen.keys(), ...allotment.passed_over.map(({ item }) => item.id)];
      expect(ids.toSorted((a, b) => a - b)).toEqual(items.map(({ id }) => id));

      for (const { item: passed, reason } of allotment.passed_over) {
        seen.add(reason);
        const suitable = freeUnits(passed, shelf, choice) > 0;
        expect(suitable).toBe(later.includes(reason));
        // While units are missing, no suitable item is left out.
        if (suitable) expect(allotment.missing).toBe(0);
        const remedy = remedies[reason];
        // Items that expire too soon are unsuitable for products that must keep for days.
        if (remedy === undefined || (reason === "expires_later" && rest.min_shelf_life_days > 0)) continue;
        const mended = items.map((one) => (one.id === passed.id ? { ...one, ...remedy(one) } : one));
        const after = told(mended, quantity, how).allotment;
        expect(after.passed_over.find(({ item }) => item.id === passed.id)?.reason).not.toBe(reason);
        const taken = after.chosen.map(({ item }) => item.id);
        if (suitable) expect(taken).toContain(passed.id);
      }
    }),
    { numRuns: 3000, seed: 17 },
  );
  expect([...seen].sort()).toEqual([...passedOverReasons].sort());
});

const later: readonly PassedOverReason[] = [
  "not_needed",
  "split_avoided",
  "warehouse_priority",
  "expires_later",
  "received_later",
  "larger_bin",
  "later_on_pick_path",
];
