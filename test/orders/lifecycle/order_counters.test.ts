// Orders are counted by status as they change, not on request.
import { expect, test } from "bun:test";
import { count, eq, sql } from "drizzle-orm";
import { order_counts, orders } from "../../../db/schema/orders.ts";
import { engine } from "../../../src/core/config.ts";
import { addUpCounts, countByStatus, hasPendingCounts } from "../../../src/orders/lifecycle/order_counters.sql.ts";
import type { PublicOrderStatus } from "../../../src/orders/order.transitions.ts";
import { publicStatus } from "../../../src/orders/order.ts";
import { addUpOrders } from "../../../src/orders/orders.jobs.ts";
import type { Db } from "../../../src/storage/database.ts";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();

const live = () => shop.app.service.stores.live;

/** The stored counters, and a count of the orders in the same snapshot, without statuses that have no orders. */
async function bothCounts(db: Db) {
  const counted = new Map<PublicOrderStatus, number>();
  const rows = db.sql
    .select({ status: orders.status, held: orders.held, number: count() })
    .from(orders)
    .groupBy(orders.status, orders.held);
  const kept = [...(await countByStatus(db))].filter(([, number]) => number !== 0);
  for (const row of await rows) counted.set(publicStatus(row), (counted.get(publicStatus(row)) ?? 0) + row.number);
  return { kept: kept.sort(), counted: [...counted].sort() };
}

async function expectExact(): Promise<number> {
  const { kept, counted } = await live().read(bothCounts);
  expect(kept).toEqual(counted);
  return kept.reduce((sum, [, number]) => sum + number, 0);
}

test("counters are exact in every snapshot while orders are created, changed and refused", async () => {
  const goods = await shop.product({ units: 1000 });
  const ends = ["ship", "hold", "process", "cancel", "release"] as const;
  const life = async (n: number) => {
    const { id } = await shop.order([[goods, 1]]);
    if (n % 3 === 0) await shop.act(id, "hold", { reason: "payment" });
    const end = ends[n % ends.length];
    // Held orders do not ship and others are not released: such calls are refused and count nothing.
    if (end === "cancel") await shop.cancel(id);
    else await shop.app.post(`/orders/${id}/${end}`, end === "hold" ? { reason: "fraud" } : {});
  };
  const undone = async () => {
    const spoil = live().write(async (tx) => {
      await tx.sql.update(orders).set({ held: sql`not ${orders.held}` });
      throw new Error("undone");
    });
    await expect(spoil).rejects.toThrow("undone");
  };
  let going = true;
  const watch = async () => {
    for (; going; await Bun.sleep(0)) await expectExact();
  };
  const watching = watch();
  for (let round = 0; round < 5; round += 1) {
    const lives = Array.from({ length: 12 }, (_, n) => life(n + round));
    await Promise.all([...lives, undone(), addUpOrders(live())]);
  }
  going = false;
  await watching;
  expect(await expectExact()).toBe(60);
  await Promise.all([addUpOrders(live()), addUpOrders(live())]);
  expect(await live().read(hasPendingCounts)).toBe(false);
  expect(await expectExact()).toBe(60);
});

test("orders that are deleted or changed in bulk are counted as well", async () => {
  const undone = new Error("undone");
  const work = live().write(async (tx) => {
    const told = async () => {
      const { kept, counted } = await bothCounts(tx);
      expect(kept).toEqual(counted);
      return kept;
    };
    await tx.sql.update(orders).set({ status: "delivered", held: false });
    expect(await told()).toEqual([["delivered", 60]]);
    await tx.sql.update(orders).set({ held: true });
    expect(await told()).toEqual([["on_hold", 60]]);
    await addUpCounts(tx);
    expect(await told()).toEqual([["on_hold", 60]]);
    throw undone;
  });
  await expect(work).rejects.toBe(undone);
  await expectExact();
});

test("a list without filters or by status takes its total from the counters, others count", async () => {
  await live().write(async (tx) => {
    await tx.sql.insert(order_counts).values({ merchant_id: 1, status: "pending", held: false, part: 9, number: 5000 });
  });
  const total = async (query: string) =>
    (await shop.app.get(`/orders?limit=1&${query}`)).body.meta.pagination.total as number;
  const [every, pending, cancelled] = await Promise.all(["", "status=pending", "status=cancelled"].map(total));
  const counted = await live().read(async (db) => {
    const pendingOnes = sql`${orders.status} = 'pending' and ${orders.held} = false`;
    return { every: await db.sql.$count(orders), pending: await db.sql.$count(orders, pendingOnes) };
  });
  expect([every, pending]).toEqual([counted.every + 5000, counted.pending + 5000]);
  expect(await total("status=pending,cancelled")).toBe(Number(pending) + Number(cancelled));
  expect(await total("imported=false")).toBe(counted.every);
  expect(await total(`status=pending&customer_id=${shop.customer.id}`)).toBe(counted.pending);
  await live().write(async (tx) => {
    await tx.sql.delete(order_counts).where(eq(order_counts.part, 9));
  });
  await expectExact();
});

if (engine === "postgres") {
  test("transactions that count the same status do not wait for each other", async () => {
    const goods = await shop.product({ units: 10 });
    const [one, two] = [await shop.order([[goods, 1]]), await shop.order([[goods, 1]])].map(({ id }) =>
      Number(id.slice(4)),
    );
    const undone = new Error("undone");
    const begun = Promise.withResolvers<void>();
    const done = Promise.withResolvers<void>();
    const hold = (id: number | undefined, then: () => Promise<void>) =>
      live().write(async (tx) => {
        await tx.sql
          .update(orders)
          .set({ held: true })
          .where(eq(orders.id, id ?? 0));
        await then();
        throw undone;
      });
    const first = hold(one, async () => {
      begun.resolve();
      await done.promise;
    });
    await begun.promise;
    await expect(hold(two, async () => {})).rejects.toBe(undone);
    await addUpOrders(live());
    done.resolve();
    await expect(first).rejects.toBe(undone);
    await expectExact();
  });
}
