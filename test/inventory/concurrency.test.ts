// Many concurrent requests for the same stock: nothing is reserved twice, and nobody is refused while stock is left.
import { beforeEach, describe, expect, test } from "bun:test";
import { iso } from "../../src/core/clock.ts";
import { seededRandom } from "../../src/core/random.ts";
import { expireReservations } from "../../src/inventory/inventory.jobs.ts";
import { addStock } from "../../src/inventory/receiving/receive_units.ts";
import {
  extendClientReservation,
  releaseClientReservation,
  reserveStock,
} from "../../src/inventory/reservations/client_reservations.ts";
import { releaseOrderAllocation } from "../../src/inventory/reservations/order_allocations.ts";
import { listOrderReservations } from "../../src/inventory/reservations/reservations.sql.ts";
import type { Tx } from "../../src/storage/database.ts";
import { clerk, counts, openStock, type Stock } from "../build/stock.ts";

let shop: Stock;
beforeEach(async () => {
  shop = await openStock();
  await shop.product("A", { reorder_point: 10 });
  await shop.product("B");
  await shop.product("C");
});

const outcomes = async (work: readonly Promise<unknown>[]) => {
  const settled = await Promise.allSettled(work);
  const refused = settled.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
  return { done: settled.length - refused.length, refused: [...new Set(refused)] };
};

/** A transaction that began at another time (ms): on PostgreSQL it may wait behind one that began later. */
function asOf(tx: Tx, now: number): Tx {
  return new Proxy(tx, {
    get(target, name) {
      const value = name === "now" ? now : Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

describe("200 concurrent buyers of 50 units", () => {
  test("get exactly 50 with reservations", async () => {
    await shop.add("A", 30);
    await shop.add("A", 20, { bin: "A-02" });
    await shop.takeEvents();
    const buy = (n: number) =>
      shop.write((tx) => reserveStock(tx, { order_id: `N-${n}`, items: [{ sku: "A", quantity: 1 }] }));
    const buyers = Array.from({ length: 200 }, (_, n) => buy(n));
    expect(await outcomes(buyers)).toEqual({ done: 50, refused: ["insufficient_inventory"] });
    expect(await shop.item("A")).toMatchObject({ available: 0, reserved: 50 });
    const events = await shop.takeEvents();
    expect(events.filter((event) => event === "inventory.low_stock A").length).toBe(1);
    expect(events.length).toBe(51);
  }, 30_000);

  test("get exactly 50 with orders without backorders, and the others wait", async () => {
    await shop.add("A", 50);
    const buyers = Array.from({ length: 200 }, (_, n) =>
      shop.claim(n + 1, { lines: [["A", 1]], allow_backorder: false }),
    );
    expect(await outcomes(buyers)).toEqual({ done: 50, refused: ["insufficient_inventory"] });
    const waiting = Array.from({ length: 50 }, (_, n) => shop.claim(n + 500, { lines: [["A", 1]] }));
    expect(await outcomes(waiting)).toEqual({ done: 50, refused: [] });
    expect(await shop.item("A")).toMatchObject({ available: 0, reserved: 50, backordered: 50 });
  }, 30_000);
});

describe("concurrently", () => {
  test("orders, receipts and cancellations leave no order waiting while stock is available", async () => {
    const random = seededRandom(5);
    const skus = ["A", "B", "C"];
    const lines = () =>
      Array.from({ length: random.integer(1, 3) }, () => [random.pick(skus), random.integer(1, 3)] as const);
    const claims = Array.from({ length: 60 }, (_, n) => shop.claim(n + 1, { lines: lines() }));
    const receipts = Array.from({ length: 30 }, () => shop.add(random.pick(skus), random.integer(1, 4)));
    await Promise.all([...claims, ...receipts]);
    const cancelled = Array.from({ length: 20 }, (_, n) =>
      shop.write((tx) => releaseOrderAllocation(tx, n + 1, null, clerk)),
    );
    const more = Array.from({ length: 20 }, (_, n) => shop.claim(n + 100, { lines: lines() }));
    await Promise.all([...cancelled, ...more]);
    for (const sku of skus) {
      const { available, backordered } = await shop.item(sku);
      expect(Math.min(available, backordered)).toBe(0);
    }
  }, 30_000);

  test("each reservation is either released or expires, once", async () => {
    await shop.add("A", 40);
    const expires_at = iso(shop.clock.now() + 60_000);
    const ids: number[] = [];
    for (let n = 0; n < 20; n += 1) {
      const items = [{ sku: "A", quantity: 2 }];
      ids.push((await shop.write((tx) => reserveStock(tx, { order_id: `N-${n}`, items, expires_at }))).id);
    }
    await shop.claim(900, { lines: [["A", 30]] });
    const released = ids.slice(0, 10).map((id) => shop.write((tx) => releaseClientReservation(tx, id)));
    const again = ids.slice(0, 10).map((id) => shop.write((tx) => releaseClientReservation(tx, id)));
    expect(await outcomes([...released, ...again])).toEqual({ done: 20, refused: [] });
    shop.clock.advance(60_000);
    const late = ids.slice(5).map((id) => shop.write((tx) => releaseClientReservation(tx, id)));
    const expiry = [expireReservations(shop.store), expireReservations(shop.store)];
    expect(await outcomes([...late, ...expiry])).toEqual({ done: 7, refused: ["reservation_closed"] });
    expect(counts(await shop.store.read((db) => listOrderReservations(db, [900])))).toEqual([[30, 30, 0]]);
    expect(await shop.item("A")).toMatchObject({ available: 10, reserved: 30 });
  }, 30_000);

  test("an extension that was requested in time but runs after the units were released is refused", async () => {
    await shop.add("A", 5);
    const expires_at = iso(shop.clock.now() + 60_000);
    const items = [{ sku: "A", quantity: 5 }];
    const { id } = await shop.write((tx) => reserveStock(tx, { order_id: "N-1", items, expires_at }));
    const began = shop.clock.now() + 59_999;
    shop.clock.advance(60_000);
    await shop.add("A", 1);
    const later = { expires_at: iso(shop.clock.now() + 60_000) };
    const late = shop.write((tx) => extendClientReservation(asOf(tx, began), `rsv_${id}`, later));
    expect(await outcomes([late])).toEqual({ done: 0, refused: ["reservation_closed"] });
    await expireReservations(shop.store);
    expect(await shop.item("A")).toMatchObject({ available: 6, reserved: 0 });
  });

  test("an order adopts a reservation while its client releases it: the units are reserved once", async () => {
    await shop.add("A", 10);
    for (let n = 1; n <= 10; n += 1) {
      const items = [{ sku: "A", quantity: 1 }];
      const { id } = await shop.write((tx) => reserveStock(tx, { order_id: `N-${n}`, items }));
      const release = shop.write((tx) => releaseClientReservation(tx, id));
      const [claimed] = await Promise.allSettled([shop.claim(n, { lines: [["A", 1]] }), release]);
      expect(claimed).toMatchObject({ status: "fulfilled", value: [[1, 1, 0]] });
    }
    expect(await shop.item("A")).toMatchObject({ available: 0, reserved: 10 });
  }, 30_000);

  test("two receipts of a new lot create one lot and one stock item", async () => {
    await shop.product("L", { lot_tracking: true });
    const input = { sku: "L", quantity: 5, location: shop.main, lot_number: "L1" };
    await Promise.all([1, 2, 3, 4].map(() => shop.write((tx) => addStock(tx, input, clerk))));
    expect((await shop.item("L")).lots).toMatchObject([{ lot_number: "L1", quantity: 20 }]);
  });
});
