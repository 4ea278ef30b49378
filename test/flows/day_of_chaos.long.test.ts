// A day at three shops: buyers buy, stock changes at both ends, requests are slow, refused or lost, notifications are
// lost, repeated or late, tokens expire and servers are killed. No shop ever sells what is not there, and in the end
// each shows our number.
import { expect, test } from "bun:test";
import { seed } from "../volume.ts";
import { compared, type Day, figures, listAll, live, openDay, settled } from "./shops_in_chaos.ts";

const orders = Number(process.env["CHAOS_ORDERS"] ?? 1000);
const per_second = Number(process.env["CHAOS_ORDERS_PER_SECOND"] ?? 8);
/** What 99% of the changes take at most until the shop shows them. */
const pushed_within_seconds = 60;

/** Whatever differed during the day is explained. */
async function expectExplained(day: Day): Promise<void> {
  for (const { id, meddled } of day.shops) {
    const differences = await listAll(day, `/platforms/${id}/stock_differences`);
    const unexplained = differences.filter(({ sku, cause }) => {
      return cause !== "order_not_imported" && !(cause === "changed_at_shop" && meddled.has(sku));
    });
    expect(unexplained).toEqual([]);
  }
}

/** What someone changes at the shops is reported, nothing else, and repaired. */
async function expectReported(day: Day): Promise<void> {
  const known = new Set<string>();
  const reported = async () => {
    const all = [];
    for (const { id } of day.shops) all.push(...(await listAll(day, `/platforms/${id}/stock_differences`)));
    return all.filter(({ id }) => !known.has(id));
  };
  for (const { id } of await reported()) known.add(id);
  const changed = day.shops.flatMap(({ store, skus }) =>
    skus.slice(-10).map((sku) => {
      store.shelf.count(sku, store.shelf.units(sku) + 1);
      return sku;
    }),
  );
  await compared(day);
  await settled(day);
  const found = await reported();
  expect(found.map(({ sku }) => sku).sort()).toEqual(changed.sort());
  expect(found.every(({ cause, repaired_at }) => cause === "changed_at_shop" && repaired_at !== null)).toBe(true);
}

test(
  `no shop oversells, and each shows our number in the end (seed ${seed})`,
  async () => {
    const day = await openDay();
    const spend = async (what: string, part: Parameters<typeof live>[1]) => {
      const since = Date.now();
      const { seconds, settling } = await live(day, part);
      const { text, p99_seconds } = await figures(day, since);
      const how_long = `${part.orders} buyers in ${seconds.toFixed(0)} s, in step ${settling.toFixed(0)} s later`;
      console.log(`${what}: ${how_long}; ${text}`);
      return p99_seconds;
    };
    const none: ReadonlySet<number> = new Set();
    const calm = await spend("calm", { orders: 60, per_second: 3, kills: none, chaos: false });
    const killed = await spend("a server is killed", {
      orders: 120,
      per_second: 3,
      kills: new Set([30]),
      chaos: false,
    });
    // As long as the shops respond, they show our numbers soon, even if a server was killed during a call.
    for (const p99_seconds of [calm, killed]) expect(p99_seconds).toBeLessThan(pushed_within_seconds);
    await spend("chaos", { orders, per_second, kills: new Set([orders * 0.2, orders * 0.6]), chaos: true });
    const { sold, sold_out, ours } = day.counts;
    console.log(`${sold} units sold at 3 shops, ${sold_out} buyers found nothing, ${ours} changes here`);
    await expectExplained(day);
    // Here, too, is what is left, and nobody waits for units.
    for (const [sku, units] of day.left) {
      const { available, backordered } = (await day.send("GET", `/inventory/${sku}`)).data;
      expect([sku, available, backordered]).toEqual([sku, units, 0]);
    }
    await expectReported(day);
    for (const { store } of day.shops) store.stop();
    const verified = await day.servers.verify();
    expect([verified?.code, verified?.output]).toEqual([0, "live: 0 differences\ntest: 0 differences\n"]);
    await day.servers.stop();
  },
  600_000 + (orders * 1000) / per_second,
);
