import { describe, expect, test } from "bun:test";
import type { Fault } from "../../src/core/faults.ts";
import { allowedActions, unreachableStates } from "../../src/core/transitions.ts";
import {
  conditions,
  type ReturnStatus,
  returnStatuses,
  returnTransitions,
} from "../../src/returns/return.transitions.ts";
import type { Return, ReturnItem } from "../../src/returns/return.ts";
import {
  arriving,
  defaultDisposition,
  type InspectionFinding,
  planInspection,
  planItems,
  planReceipt,
  type ReturnedGoods,
  shippingStatus,
} from "../../src/returns/return_items.ts";

const fieldOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    const { code, facts } = error as Fault;
    return facts.fields === undefined ? code : facts.fields.map(({ field, message }) => `${field} ${message}`);
  }
  return null;
};

describe("the statuses", () => {
  test("are all reachable, and each allows its actions", () => {
    expect(unreachableStates<ReturnStatus>(returnTransitions, returnStatuses, "initiated")).toEqual([]);
    const grid = returnStatuses.map((status) => {
      const actions = allowedActions<ReturnStatus, typeof returnTransitions>(returnTransitions, status, false);
      return `${status}: ${actions.join(", ")}`;
    });
    expect(grid).toMatchInlineSnapshot(`
      [
        "initiated: receive, cancel, label",
        "received: receive, inspect",
        "inspected: refund, close",
        "completed: refund",
        "cancelled: ",
      ]
    `);
  });
});

const lines = [
  { id: 1, sku: "A", quantity_shipped: 2 },
  { id: 2, sku: "B", quantity_shipped: 1 },
  { id: 3, sku: "A", quantity_shipped: 3 },
];
const stated = (sku: string, quantity: number) => ({ sku, quantity, condition: null, notes: null });
const item = (id: number, fields: Partial<ReturnItem> = {}): ReturnItem => ({
  id,
  order_line_id: id,
  sku: "A",
  quantity: 2,
  quantity_received: 2,
  condition: null,
  notes: null,
  inspections: [],
  ...fields,
});
const earlier = (status: ReturnStatus, items: readonly ReturnItem[]) => [{ status, items } as unknown as Return];
const units = (planned: readonly { order_line_id: number; quantity: number }[]) =>
  planned.map(({ order_line_id, quantity }) => [order_line_id, quantity]);

describe("the items of a return", () => {
  test("are taken from the order's lines in order", () => {
    expect(units(planItems(lines, [], undefined))).toEqual([
      [1, 2],
      [2, 1],
      [3, 3],
    ]);
    expect(units(planItems(lines, [], [stated("A", 1), stated("A", 2)]))).toEqual([
      [1, 1],
      [1, 1],
      [3, 1],
    ]);
    expect(fieldOf(() => planItems(lines, [], [stated("A", 3), stated("A", 3)]))).toEqual([
      "items[1].quantity must be at most 2",
    ]);
    expect(fieldOf(() => planItems(lines, [], [stated("C", 1)]))).toEqual(["items[0].sku is not in this order"]);
  });

  const inspection = (quantity: number, disposition: "restock" | "return_to_sender") => ({
    id: 1,
    quantity,
    disposition,
    condition: "opened" as const,
    lot_number: null,
    notes: null,
  });

  test.each([
    ["announced units", "initiated", item(3, { quantity: 3 }), 2],
    ["received units", "received", item(3, { quantity: 3, quantity_received: 1 }), 2],
    ["accepted units", "inspected", item(3, { quantity: 3, inspections: [inspection(1, "restock")] }), 4],
    ["no units sent back", "completed", item(3, { quantity: 3, inspections: [inspection(3, "return_to_sender")] }), 5],
    ["no units of a cancelled return", "cancelled", item(3, { quantity: 3 }), 5],
  ] as const)("leave out what another return has: %s", (_name, status, had, left) => {
    const planned = planItems(lines, earlier(status, [had]), undefined);
    const found = planned.filter(({ sku }) => sku === "A").reduce((sum, { quantity }) => sum + quantity, 0);
    expect(found).toBe(left);
  });

  test("are empty if nothing has shipped", () => {
    const none = lines.map((line) => ({ ...line, quantity_shipped: 0 }));
    expect(fieldOf(() => planItems(none, [], undefined))).toBe("nothing_to_return");
    const all = [item(1), item(2, { quantity: 1 }), item(3, { quantity: 3 })];
    expect(fieldOf(() => planItems(lines, earlier("received", all), [stated("A", 1)]))).toBe("nothing_to_return");
  });
});

describe("a receipt", () => {
  const open = [item(1, { quantity_received: 0 }), item(2, { quantity_received: 1 }), item(3, { sku: "B" })];
  const planned = (said?: { sku: string; quantity: number }[]) =>
    planReceipt(open, said).map(({ item: { id }, quantity }) => [id, quantity]);

  test("covers everything outstanding, or the given items", () => {
    expect(planned()).toEqual([
      [1, 2],
      [2, 1],
    ]);
    expect(planned([{ sku: "A", quantity: 1 }])).toEqual([[1, 1]]);
    expect(fieldOf(() => planned([{ sku: "B", quantity: 1 }]))).toEqual(["items[0].quantity must be at most 0"]);
    expect(fieldOf(() => planned([{ sku: "C", quantity: 1 }]))).toEqual(["items[0].sku is not in this return"]);
  });
});

describe("an inspection", () => {
  const nothing = { condition: null, disposition: null, lot_number: null, bin: null, notes: null };
  const finding = (quantity: number, fields: Partial<InspectionFinding> = {}): InspectionFinding => ({
    sku: "A",
    quantity,
    ...nothing,
    condition: "unopened",
    ...fields,
  });
  const lot = (lot_id: number | null, warehouse_id = 1) => ({
    // More fields than requested, as inventory returns them: they must not leak into the plan.
    warehouse_id,
    lot_id,
    lot_number: lot_id === null ? null : `L${lot_id}`,
    quantity: 99,
  });
  const goods = (...shipped: ReturnedGoods["shipped"]): ReturnedGoods => ({
    temperature_zone: "ambient",
    lots_known: true,
    lot_tracking: false,
    shipped,
  });
  const plan = (found: InspectionFinding[], of: ReturnedGoods = goods(lot(null)), items = [item(1), item(2)]) =>
    planInspection(items, found, () => of).map((one) => [...[one.item.id, one.quantity, one.disposition, one.lot_id]]);

  test("covers every received unit, in the order of the items", () => {
    expect(plan([finding(3), finding(1, { condition: "damaged" })])).toEqual([
      [1, 2, "restock", null],
      [2, 1, "restock", null],
      [2, 1, "dispose", null],
    ]);
    expect(fieldOf(() => plan([finding(3)]))).toEqual(["items must cover every unit received (missing: 1 of A)"]);
    expect(fieldOf(() => plan([finding(5)]))).toEqual(["items[0].quantity must be at most 4"]);
    expect(fieldOf(() => plan([finding(4, { sku: "C" })]))).toEqual(["items[0].sku is not in this return"]);
  });

  test("uses the condition that the customer stated, unless it finds another", () => {
    const said = [item(1, { condition: "expired" })];
    expect(plan([finding(2, { condition: null })], goods(lot(null)), said)).toEqual([[1, 2, "dispose", null]]);
    expect(fieldOf(() => plan([finding(4, { condition: null })]))).toEqual(["items[0].condition is required"]);
  });

  test("needs a lot number only if several lots shipped", () => {
    expect(plan([finding(4)], goods(lot(7, 2)))[0]).toEqual([1, 2, "restock", 7]);
    expect(plan([finding(4)], goods())[0]).toEqual([1, 2, "restock", null]);
    const several = goods(lot(7), lot(8, 2), lot(7, 3));
    expect(fieldOf(() => plan([finding(4)], several))).toEqual([
      "items[0].lot_number is required, because several lots were shipped: L7, L8",
    ]);
    expect(plan([finding(4, { lot_number: "L8" })], several)[0]).toEqual([1, 2, "restock", 8]);
    expect(plan([finding(4, { disposition: "return_to_sender" })], several)[0]?.[3]).toBeNull();
    expect(fieldOf(() => plan([finding(4, { lot_number: "L9" })], several))).toEqual([
      "items[0].lot_number is not a lot that was shipped with this order",
    ]);
  });

  test("restocks by default unopened units that need no cooling", () => {
    expect(
      conditions.map((condition) => `${condition}: ${defaultDisposition(condition, "ambient")}`),
    ).toMatchInlineSnapshot(`
        [
          "unopened: restock",
          "opened: quarantine",
          "damaged: dispose",
          "defective: dispose",
          "expired: dispose",
          "missing_parts: quarantine",
          "wrong_item: quarantine",
        ]
      `);
    for (const condition of conditions) {
      for (const zone of ["refrigerated", "frozen"] as const) {
        expect(defaultDisposition(condition, zone)).not.toBe("restock");
      }
    }
  });
});

describe("received units", () => {
  const shipped = (product_id: number, warehouse_id: number, lot_id: number | null) => ({
    product_id,
    warehouse_id,
    lot_id,
    lot_number: null,
    quantity: 99,
  });
  const tea = { product_id: 1, components: null };

  test("arrive where most of the product was shipped from, in its lot if there is only one", () => {
    const unit = { product_id: 1, quantity: 3 };
    expect(arriving(tea, 3, [shipped(1, 5, 7), shipped(1, 6, 7), shipped(2, 6, 8)], 9)).toEqual([
      { ...unit, warehouse_id: 5, lot_id: 7 },
    ]);
    expect(arriving(tea, 3, [shipped(1, 6, 7), shipped(1, 5, 8)], 9)).toEqual([
      { ...unit, warehouse_id: 6, lot_id: null },
    ]);
    expect(arriving(tea, 3, [shipped(2, 5, 7)], 9)).toEqual([{ ...unit, warehouse_id: 9, lot_id: null }]);
  });

  test("of a bundle are its components", () => {
    const components = [
      { product_id: 1, quantity: 2 },
      { product_id: 2, quantity: 1 },
    ];
    const left = [shipped(1, 5, 7), shipped(2, 6, 8), shipped(2, 6, 9)];
    expect(arriving({ product_id: 3, components }, 2, left, 9)).toEqual([
      { product_id: 1, quantity: 4, warehouse_id: 5, lot_id: 7 },
      { product_id: 2, quantity: 2, warehouse_id: 6, lot_id: null },
    ]);
  });
});

describe("return shipping", () => {
  test("follows the tracking status", () => {
    expect(shippingStatus("out_for_delivery")).toBe("in_transit");
    expect(shippingStatus("returned")).toBe("exception");
  });
});
