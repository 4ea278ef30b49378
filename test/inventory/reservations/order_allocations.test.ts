// The effects of an order's allocation on stock, step by step.

import { beforeEach, describe, expect, test } from "bun:test";
import { iso } from "../../../src/core/clock.ts";
import { day_ms } from "../../../src/core/time.ts";
import { adjustStock } from "../../../src/inventory/counts/adjust_stock.ts";
import { expireLots, expireReservations, fillBackorders } from "../../../src/inventory/inventory.jobs.ts";
import { lotsShipped } from "../../../src/inventory/ledger/ledger.sql.ts";
import { moveInspected, receiveReturned } from "../../../src/inventory/receiving/returned_units.ts";
import { releaseClientReservation, reserveStock } from "../../../src/inventory/reservations/client_reservations.ts";
import {
  allocateForOrder,
  commitOrderAllocation,
  pauseOrderAllocation,
  pickAllocatedUnits,
  releaseOrderAllocation,
  resumeOrderAllocation,
  reviseOrderAllocation,
  setAllocationPriority,
  shipAllocatedUnits,
} from "../../../src/inventory/reservations/order_allocations.ts";
import {
  listOrderReservations,
  plansOf,
  reservationList,
} from "../../../src/inventory/reservations/reservations.sql.ts";

import { clerk, counts, openStock, runJobs, type Stock } from "../../build/stock.ts";

let shop: Stock;
beforeEach(async () => {
  shop = await openStock();
  await shop.product("A", { reorder_point: 5 });
  await shop.product("B");
});

const claimOf = async (order_id: number) =>
  counts(await shop.store.read((db) => listOrderReservations(db, [order_id])));
const plan = async (order_id: number) =>
  (await shop.store.read((db) => plansOf(db, [order_id]))).map(({ bin, lot_number, quantity, picked }) => [
    bin,
    lot_number,
    quantity,
    picked,
  ]);
const confirmed = { confirmed: true, actor: clerk };
const all = (order_id: number, quantity: number) => [{ order_line_id: order_id * 10, quantity }];

describe("works", () => {
  test("an order reserves available units and waits for the rest", async () => {
    await shop.add("A", 10);
    await shop.add("B", 3);
    await shop.takeEvents();
    const lines = [
      ["A", 4],
      ["B", 5],
      ["A", 3],
    ] as const;
    expect(await shop.claim(1, { lines })).toEqual([
      [4, 4, 0],
      [5, 3, 0],
      [3, 3, 0],
    ]);
    expect(await shop.takeEvents()).toEqual(["inventory.updated A", "inventory.low_stock A", "inventory.updated B"]);
    expect(await shop.item("B")).toMatchObject({ available: 0, reserved: 3, total: 3, backordered: 2 });
    expect(await shop.item("B")).toMatchObject({ status: "backordered" });
    expect(await shop.item("A")).toMatchObject({ available: 3, reserved: 7, status: "low_stock" });
  });

  test("low stock is reported only when stock decreases, and again after it was sufficient", async () => {
    await shop.add("A", 6);
    await shop.takeEvents();
    await shop.claim(1, { lines: [["A", 2]] });
    await shop.claim(2, { lines: [["A", 1]] });
    await shop.add("A", 2);
    await shop.claim(3, { lines: [["A", 1]] });
    expect(await shop.takeEvents()).toEqual([
      "inventory.updated A",
      "inventory.low_stock A",
      "inventory.updated A",
      "inventory.received A",
      "inventory.updated A",
      "inventory.updated A",
      "inventory.low_stock A",
    ]);
  });

  test("units of an order go from the shelf to the customer", async () => {
    await shop.add("A", 10);
    await shop.claim(1, { lines: [["A", 4]] });
    await shop.takeEvents();
    await shop.write((tx) => commitOrderAllocation(tx, 1));
    const { claims, taken } = await shop.write((tx) => pickAllocatedUnits(tx, 1, all(1, 3), confirmed));
    expect(counts(claims)).toEqual([[4, 4, 3]]);
    expect(taken).toMatchObject([{ order_line_id: 10, warehouse_id: 1001, quantity: 3 }]);
    expect(await shop.item("A")).toMatchObject({ available: 6, reserved: 4, picked: 3, on_hand: 10 });
    // Neither on-hand nor reserved nor available units have changed.
    expect(await shop.takeEvents()).toEqual([]);
    expect(await plan(1)).toEqual([
      ["A-01", null, 1, false],
      ["STAGING-ord_1", null, 3, true],
    ]);
    const shipped = await shop.write((tx) => shipAllocatedUnits(tx, 1, all(1, 2), clerk, { confirmed: true }));
    expect(counts(shipped)).toEqual([[2, 2, 1]]);
    expect(await shop.item("A")).toMatchObject({ available: 6, reserved: 2, picked: 1, on_hand: 8 });
    expect(await shop.takeEvents()).toEqual(["inventory.updated A"]);
    const gone = await shop.store.read((db) => lotsShipped(db, 1));
    expect(gone).toMatchObject([{ lot_number: null, quantity: 2, warehouse_id: shop.main }]);
  });

  test("all steps of an order fit into one transaction", async () => {
    await shop.add("A", 10);
    await shop.takeEvents();
    const claim = shop.claimOf(1, { lines: [["A", 6]] });
    const lines = await shop.write(async (tx) => {
      await allocateForOrder(tx, claim);
      await commitOrderAllocation(tx, 1);
      await pickAllocatedUnits(tx, 1, all(1, 6), { ...confirmed, confirmed: false });
      return shipAllocatedUnits(tx, 1, all(1, 6), clerk, { confirmed: true });
    });
    expect(counts(lines)).toEqual([[0, 0, 0]]);
    expect(await shop.takeEvents()).toEqual(["inventory.updated A", "inventory.low_stock A"]);
    expect(await shop.item("A")).toMatchObject({ available: 4, reserved: 0, on_hand: 4 });
  });

  test("picking another lot or bin than planned moves the reservation", async () => {
    await shop.product("L", { lot_tracking: true, expiration_tracking: true });
    await shop.add("L", 5, { lot: "early", days: 5 });
    await shop.add("L", 5, { lot: "late", days: 50, bin: "A-02" });
    await shop.claim(1, { lines: [["L", 4]] });
    await shop.write((tx) => commitOrderAllocation(tx, 1));
    expect(await plan(1)).toEqual([["A-01", "early", 4, false]]);
    const picks = [{ order_line_id: 10, quantity: 2, lot_number: "late" }];
    await shop.write((tx) => pickAllocatedUnits(tx, 1, picks, confirmed));
    expect(await plan(1)).toEqual([
      ["A-01", "early", 2, false],
      ["STAGING-ord_1", "late", 2, true],
    ]);
    const others = [{ order_line_id: 10, quantity: 2, bin: "A-02" }];
    await shop.write((tx) => pickAllocatedUnits(tx, 1, others, confirmed));
    expect(await plan(1)).toEqual([["STAGING-ord_1", "late", 4, true]]);
    expect((await shop.item("L")).lots.map(({ lot_number, quantity }) => [lot_number, quantity])).toEqual([
      ["early", 5],
      ["late", 5],
    ]);
  });

  test("committing replans the allocation: first expired, first out", async () => {
    await shop.product("L", { lot_tracking: true, expiration_tracking: true });
    await shop.add("L", 5, { lot: "late", days: 50 });
    await shop.claim(1, { lines: [["L", 4]] });
    await shop.add("L", 3, { lot: "early", days: 5 });
    await shop.write((tx) => commitOrderAllocation(tx, 1));
    expect(await plan(1)).toEqual([
      ["A-01", "late", 1, false],
      ["A-01", "early", 3, false],
    ]);
  });

  test("a cancelled order releases its units to other orders, picked ones through the restock bin", async () => {
    await shop.add("A", 6);
    await shop.claim(1, { lines: [["A", 6]] });
    await shop.claim(2, { lines: [["A", 2]] });
    await shop.claim(3, { lines: [["A", 3]], priority: 1 });
    await shop.write((tx) => commitOrderAllocation(tx, 1));
    await shop.write((tx) => pickAllocatedUnits(tx, 1, all(1, 2), confirmed));
    await shop.takeEvents();
    expect(counts(await shop.write((tx) => releaseOrderAllocation(tx, 1, null, clerk)))).toEqual([[0, 0, 0]]);
    expect([await claimOf(2), await claimOf(3)]).toEqual([[[2, 1, 0]], [[3, 3, 0]]]);
    expect(await shop.item("A")).toMatchObject({ available: 0, reserved: 4, unavailable: { putback: 2 }, on_hand: 6 });
    expect(await shop.takeEvents()).toEqual(["inventory.updated A"]);
    const [third, second, first] = await shop.store.read((db) => reservationList.rows(db, {}, { limit: 9 }));
    expect([first?.status, second?.status, third?.status]).toEqual(["released", "reserved", "reserved"]);
  });

  test("units are released in order: backordered, then unpicked, then picked", async () => {
    await shop.add("A", 5);
    await shop.claim(1, { lines: [["A", 7]] });
    await shop.write((tx) => commitOrderAllocation(tx, 1));
    await shop.write((tx) => pickAllocatedUnits(tx, 1, all(1, 3), confirmed));
    const back = (quantity: number) => shop.write((tx) => releaseOrderAllocation(tx, 1, all(1, quantity), clerk));
    expect(counts(await back(1))).toEqual([[6, 5, 3]]);
    expect(counts(await back(2))).toEqual([[4, 4, 3]]);
    expect(counts(await back(2))).toEqual([[2, 2, 2]]);
    expect(await shop.item("A")).toMatchObject({ available: 2, reserved: 2, unavailable: { putback: 1 } });
  });

  test("additional stock goes to the highest priority, then to the oldest; orders on hold are skipped", async () => {
    await shop.claim(1, { lines: [["A", 2]] });
    shop.clock.advance(1000);
    await shop.claim(2, { lines: [["A", 2]] });
    await shop.claim(3, { lines: [["A", 2]], priority: 5 });
    await shop.claim(4, { lines: [["A", 2]] });
    await shop.write((tx) => setAllocationPriority(tx, 4, 9));
    await shop.write((tx) => pauseOrderAllocation(tx, 4, { free: false }));
    await shop.add("A", 3);
    expect([await claimOf(1), await claimOf(2), await claimOf(3)]).toEqual([[[2, 1, 0]], [[2, 0, 0]], [[2, 2, 0]]]);
    await shop.add("A", 2);
    expect([await claimOf(1), await claimOf(2), await claimOf(4)]).toEqual([[[2, 2, 0]], [[2, 1, 0]], [[2, 0, 0]]]);
    expect(counts(await shop.write((tx) => resumeOrderAllocation(tx, 4)))).toEqual([[2, 0, 0]]);
    await shop.add("A", 2);
    expect([await claimOf(2), await claimOf(4)]).toEqual([[[2, 1, 0]], [[2, 2, 0]]]);
  });

  test("an order on hold can keep its stock or release it to others", async () => {
    await shop.add("A", 4);
    await shop.claim(1, { lines: [["A", 4]] });
    await shop.claim(2, { lines: [["A", 3]] });
    expect(counts(await shop.write((tx) => pauseOrderAllocation(tx, 1, { free: false })))).toEqual([[4, 4, 0]]);
    expect(counts(await shop.write((tx) => pauseOrderAllocation(tx, 1, { free: true })))).toEqual([[4, 0, 0]]);
    expect(await claimOf(2)).toEqual([[3, 3, 0]]);
    expect(counts(await shop.write((tx) => resumeOrderAllocation(tx, 1)))).toEqual([[4, 1, 0]]);
  });

  test("changed lines keep their reserved units, and release those no longer wanted", async () => {
    await shop.add("A", 4);
    await shop.add("B", 4);
    await shop.claim(1, { lines: [["A", 4]] });
    await shop.claim(2, { lines: [["A", 2]] });
    const lines = [
      ["A", 3],
      ["B", 2],
    ] as const;
    const revised = await shop.write((tx) => reviseOrderAllocation(tx, shop.claimOf(1, { lines })));
    expect(counts(revised)).toEqual([
      [3, 3, 0],
      [2, 2, 0],
    ]);
    expect(await claimOf(2)).toEqual([[2, 1, 0]]);
    await shop.write((tx) => pauseOrderAllocation(tx, 1, { free: true }));
    const held = await shop.write((tx) => reviseOrderAllocation(tx, shop.claimOf(1, { lines: [["B", 1]] })));
    expect(counts(held)).toEqual([[1, 0, 0]]);
  });

  test("an order adopts the reservation for its number: the surplus is released, the rest waits", async () => {
    await shop.add("A", 10);
    await shop.add("B", 4);
    const items = [
      { sku: "A", quantity: 8 },
      { sku: "B", quantity: 1 },
    ];
    const { id } = await shop.write((tx) => reserveStock(tx, { order_id: "N-1", items }));
    await shop.claim(2, { lines: [["A", 5]] });
    await shop.takeEvents();
    const lines = [
      ["A", 2],
      ["A", 3],
      ["B", 6],
    ] as const;
    expect(await shop.claim(1, { lines })).toEqual([
      [2, 2, 0],
      [3, 3, 0],
      [6, 4, 0],
    ]);
    // Three units go to the waiting order; the sums of A are unchanged.
    expect(await claimOf(2)).toEqual([[5, 5, 0]]);
    expect(await shop.takeEvents()).toEqual(["inventory.updated B"]);
    const found = await shop.store.read((db) => reservationList.rows(db, {}, { limit: 9 }));
    expect(found.find((one) => one.id === id)).toMatchObject({ order_id: 1, expires_at: null, status: "reserved" });
    expect(found.length).toBe(2);
    shop.clock.advance(2 * day_ms);
    await runJobs(shop.store, [expireReservations]);
    expect(await claimOf(1)).toEqual([
      [2, 2, 0],
      [3, 3, 0],
      [6, 4, 0],
    ]);
  });

  test("an order adopts the reservation that it names, but none of another source", async () => {
    await shop.add("A", 4);
    const items = [{ sku: "A", quantity: 4 }];
    const { id } = await shop.write((tx) => reserveStock(tx, { order_id: "N-1", items }));
    expect(await shop.claim(1, { lines: [["A", 1]], source: "bigcommerce:1" })).toEqual([[1, 0, 0]]);
    expect(await shop.claim(2, { lines: [["A", 3]], reservation_id: id })).toEqual([[3, 3, 0]]);
    expect(await claimOf(1)).toEqual([[1, 1, 0]]);
    await expect(shop.claim(3, { lines: [["A", 1]], reservation_id: id })).rejects.toMatchObject({
      code: "reservation_committed",
    });
    await expect(shop.claim(3, { lines: [["A", 1]], reservation_id: 99 })).rejects.toMatchObject({
      code: "resource_missing",
    });
  });

  test("an expired reservation stops counting at once, even before the job runs", async () => {
    await shop.add("A", 4);
    const expires_at = iso(shop.clock.now() + 3_600_000);
    const items = [{ sku: "A", quantity: 4 }];
    const { id } = await shop.write((tx) => reserveStock(tx, { order_id: "X", items, expires_at }));
    await shop.claim(1, { lines: [["A", 3]] });
    shop.clock.advance(3_600_000);
    await shop.takeEvents();
    expect(await shop.claim(2, { lines: [["A", 2]], allow_backorder: true })).toEqual([[2, 1, 0]]);
    expect(await claimOf(1)).toEqual([[3, 3, 0]]);
    await expect(shop.write((tx) => releaseClientReservation(tx, id))).rejects.toMatchObject({
      code: "reservation_closed",
    });
    await runJobs(shop.store, [expireReservations]);
    const [, , booked] = await shop.store.read((db) => reservationList.rows(db, {}, { limit: 9 }));
    expect(booked).toMatchObject({ id, status: "expired" });
    expect(await shop.takeEvents()).toEqual([]);
  });

  test("a job ends reservations of SKUs that nothing else touches", async () => {
    await shop.add("A", 6);
    const items = [{ sku: "A", quantity: 6 }];
    await shop.write((tx) => reserveStock(tx, { order_id: "X", items }));
    await shop.takeEvents();
    expect(await expireReservations(shop.store)).toBe(shop.clock.now() + day_ms);
    shop.clock.advance(day_ms);
    expect(await expireReservations(shop.store)).toBe(null);
    expect(await shop.takeEvents()).toEqual(["inventory.updated A"]);
    expect(await shop.item("A")).toMatchObject({ available: 6, reserved: 0 });
  });

  test("an expired lot loses its reservations to other stock, and low stock is reported", async () => {
    await shop.product("L", { lot_tracking: true, expiration_tracking: true, reorder_point: 4 });
    await shop.add("L", 5, { lot: "early", days: 2 });
    await shop.add("L", 3, { lot: "late", days: 50 });
    await shop.claim(1, { lines: [["L", 2]] });
    await shop.claim(2, { lines: [["L", 2]], priority: 1 });
    await shop.takeEvents();
    // Until the end of the last day in New York.
    expect(await expireLots(shop.store)).toBe(Date.parse("2026-03-04T05:00:00.000Z"));
    shop.clock.advance(3 * day_ms + (5 * day_ms) / 24);
    await runJobs(shop.store, [expireLots]);
    expect([await claimOf(1), await claimOf(2)].flat()).toContainEqual([2, 2, 0]);
    expect(await shop.item("L")).toMatchObject({ available: 0, reserved: 3, backordered: 1, on_hand: 8 });
    expect(await shop.item("L")).toMatchObject({ unavailable: { expired: 5 } });
    expect((await shop.item("L")).lots.map(({ status }) => status)).toEqual(["expired", "available"]);
    expect(await shop.takeEvents()).toEqual(["inventory.updated L", "inventory.low_stock L"]);
  });

  test("more than one slice of backorders is filled before newer demand", async () => {
    await shop.product("Q");
    for (let from = 1; from <= 520; from += 52) {
      await shop.write(async (tx) => {
        for (let id = from; id < from + 52; id += 1)
          await allocateForOrder(tx, shop.claimOf(id, { lines: [["Q", 1]] }));
      });
    }
    await shop.add("Q", 600);
    expect(await shop.item("Q")).toMatchObject({ reserved: 500, backordered: 20 });
    // The next request finds the queue served first, by the next slice.
    expect(await shop.claim(600, { lines: [["Q", 1]] })).toEqual([[1, 1, 0]]);
    expect(await shop.item("Q")).toMatchObject({ reserved: 521, backordered: 0 });
    await runJobs(shop.store, [fillBackorders]);
  });

  test("a long queue that no stock suits delays no other demand, and the job can finish", async () => {
    await shop.product("Q");
    const wait = (from: number, count: number, requires_cold_storage: boolean) =>
      shop.write(async (tx) => {
        for (let id = from; id < from + count; id += 1) {
          await allocateForOrder(tx, shop.claimOf(id, { lines: [["Q", 1]], requires_cold_storage }));
        }
      });
    for (let from = 1; from <= 520; from += 52) await wait(from, 52, true);
    await wait(601, 2, false);
    await shop.add("Q", 5);
    // A later entry in the queue can be filled, and precedes newer demand.
    expect(await shop.claim(700, { lines: [["Q", 1]] })).toEqual([[1, 0, 0]]);
    let woken = 0;
    shop.store.onWake((job) => {
      if (job === "inventory.fill_backorders") woken += 1;
    });
    await fillBackorders(shop.store);
    expect([await claimOf(601), await claimOf(602), await claimOf(700)]).toEqual([
      [[1, 1, 0]],
      [[1, 1, 0]],
      [[1, 1, 0]],
    ]);
    woken = 0;
    await fillBackorders(shop.store);
    expect(woken).toBe(0);
    expect(await shop.claim(701, { lines: [["Q", 1]] })).toEqual([[1, 1, 0]]);
    expect(await shop.item("Q")).toMatchObject({ reserved: 4, available: 1, backordered: 520 });
  });

  test("returned units wait in the returns bin, and go where their disposition says", async () => {
    const product_id = shop.product_id("A");
    const moves = (n: number) => ({
      reference: { type: "return" as const, id: `ret_${n}` },
      actor: clerk,
      type: "return" as const,
    });
    const receive = (n: number, quantity: number) =>
      shop.write((tx) =>
        receiveReturned(tx, [{ product_id, warehouse_id: shop.main, quantity, lot_id: null }], moves(n)),
      );
    const unit = { product_id, quantity: 2, lot_id: null, bin: null };
    await receive(1, 8);
    expect(await shop.item("A")).toMatchObject({ on_hand: 8, available: 0, unavailable: { returns: 8 } });
    const dispositions = ["restock", "quarantine", "dispose", "return_to_sender"] as const;
    const units = dispositions.map((disposition) => ({ ...unit, disposition }));
    await shop.write((tx) => moveInspected(tx, units, moves(1)));
    expect(await shop.item("A")).toMatchObject({ on_hand: 4, available: 0 });
    expect(await shop.item("A")).toMatchObject({ unavailable: { returns: 2, quarantined: 2 } });
    await shop.claim(1, { lines: [["A", 3]] });
    await receive(2, 2);
    expect(await claimOf(1)).toEqual([[3, 0, 0]]);
    const restocked = [{ ...unit, disposition: "restock" as const, bin: "A-01" }];
    await shop.write((tx) => moveInspected(tx, restocked, moves(2)));
    expect(await claimOf(1)).toEqual([[3, 2, 0]]);
    await expect(shop.write((tx) => moveInspected(tx, restocked, moves(2)))).rejects.toThrow(
      /more units are inspected/,
    );
  });
});

describe("refuses", () => {
  test("an order without backorders, and names every short SKU", async () => {
    await shop.add("A", 3);
    await shop.add("A", 1, { location: shop.west });
    await shop.takeEvents();
    const lines = [
      ["A", 3],
      ["B", 1],
      ["A", 2],
    ] as const;
    await expect(shop.claim(1, { lines, allow_backorder: false })).rejects.toMatchObject({
      code: "insufficient_inventory",
      facts: {
        shortages: [
          {
            sku: "A",
            requested: 5,
            available: 4,
            by_warehouse: [
              { warehouse_id: `whs_${shop.main}`, available: 3 },
              { warehouse_id: `whs_${shop.west}`, available: 1 },
            ],
          },
          { sku: "B", requested: 1, available: 0, by_warehouse: [] },
        ],
      },
    });
    expect(await shop.takeEvents()).toEqual([]);
    expect(await claimOf(1)).toEqual([]);
  });

  test("to pick more than is reserved, from an empty bin, or units reserved for others", async () => {
    await shop.add("A", 3);
    await shop.add("A", 2, { bin: "A-02" });
    await shop.claim(1, { lines: [["A", 2]] });
    await shop.claim(2, { lines: [["A", 3]] });
    const pick = (pick: { quantity: number; bin?: string }) =>
      shop.write((tx) => pickAllocatedUnits(tx, 1, [{ order_line_id: 10, ...pick }], confirmed));
    for (const wrong of [{ quantity: 3 }, { quantity: 1, bin: "A-01" }, { quantity: 1, bin: "A-09" }]) {
      await expect(pick(wrong)).rejects.toMatchObject({ code: "insufficient_inventory" });
    }
    expect(counts((await pick({ quantity: 2, bin: "A-02" })).claims)).toEqual([[2, 2, 2]]);
  });

  test("to pick or ship an expired lot, unless a carrier reports it", async () => {
    await shop.product("L", { lot_tracking: true, expiration_tracking: true });
    await shop.add("L", 2, { lot: "early", days: 2 });
    await shop.add("L", 5, { lot: "late", days: 50 });
    await shop.claim(1, { lines: [["L", 3]] });
    await shop.write((tx) => commitOrderAllocation(tx, 1));
    await shop.write((tx) => pickAllocatedUnits(tx, 1, all(1, 1), confirmed));
    shop.clock.advance(4 * day_ms);
    const picks = [{ order_line_id: 10, quantity: 1, lot_number: "early" }];
    const refused = { code: "lot_not_pickable" };
    await expect(shop.write((tx) => pickAllocatedUnits(tx, 1, picks, confirmed))).rejects.toMatchObject(refused);
    const ship = (anyway: boolean) =>
      shop.write((tx) => shipAllocatedUnits(tx, 1, all(1, 1), clerk, { confirmed: true, anyway }));
    await expect(ship(false)).rejects.toMatchObject(refused);
    expect(counts(await ship(true))).toEqual([[2, 2, 0]]);
  });
});

describe("guards", () => {
  test("an adjustment takes no reserved units unless allowed, then from the least urgent and youngest", async () => {
    await shop.add("A", 6);
    await shop.claim(1, { lines: [["A", 2]] });
    shop.clock.advance(1000);
    await shop.claim(2, { lines: [["A", 2]] });
    await shop.claim(3, { lines: [["A", 2]], priority: 1 });
    const adjust = (allow_shortfall: boolean) =>
      shop.write((tx) => adjustStock(tx, "A", { adjustment: -3, reason: "lost", allow_shortfall }, clerk));
    const orders = [
      { order_id: "ord_2", order_number: "N-2", quantity: 2 },
      { order_id: "ord_1", order_number: "N-1", quantity: 1 },
    ];
    await expect(adjust(false)).rejects.toMatchObject({ code: "would_break_reservations", facts: { orders } });
    expect(await claimOf(2)).toEqual([[2, 2, 0]]);
    expect(await adjust(true)).toMatchObject({ new_quantity: 3, backordered_orders: orders });
    expect([await claimOf(1), await claimOf(2), await claimOf(3)]).toEqual([[[2, 1, 0]], [[2, 0, 0]], [[2, 2, 0]]]);
  });

  test("reservations of lost units are moved to other stock if possible", async () => {
    await shop.add("A", 3);
    await shop.add("A", 9, { bin: "A-02" });
    await shop.claim(1, { lines: [["A", 3]] });
    const input = { adjustment: -3, reason: "lost", bin: "A-01" } as const;
    expect(await shop.write((tx) => adjustStock(tx, "A", input, clerk))).toMatchObject({ backordered_orders: [] });
    expect(await plan(1)).toEqual([["A-02", null, 3, false]]);
  });
});
