// Billed picks after many orders that were picked, packed, shipped, given up and restocked at random.
import { expect, test } from "bun:test";
import { and, eq, inArray, sql } from "drizzle-orm";
import { billable_events } from "../../db/schema/billing.ts";
import { movements, stock_items } from "../../db/schema/inventory.ts";
import { bins } from "../../db/schema/warehouses.ts";
import type { BilledAct } from "../../src/billing/billable_kinds.ts";
import { seededRandom } from "../../src/core/random.ts";
import { openShop } from "../build/shop.ts";
import { openWest } from "../build/west.ts";
import { seed } from "../volume.ts";

test(`picked units are shipped, restocked or still in staging (seed ${seed})`, async () => {
  const random = seededRandom(seed);
  const shop = await openShop();
  const { app } = shop;
  const elsewhere = await shop.product({ units: 10 });
  const goods = [await shop.product({ units: 400 }), elsewhere, await shop.product({ units: 400 })];
  // Most units of one product are in a different warehouse from the others.
  const location = await openWest(app);
  await app.stock(elsewhere.sku, 400, { location, bin: "W-01" });
  const orders: { id: string; skus: string[] }[] = [];
  const done = new Map<string, number>();
  for (let act = 0; act < 150; act += 1) {
    if (orders.length < 4 || random.integer(0, 4) === 0) {
      const lines = goods.slice(0, random.integer(1, 3)).map((one) => [one, random.integer(1, 5)] as const);
      orders.push({ id: (await shop.order(lines)).id, skus: lines.map(([{ sku }]) => sku) });
    }
    const { id, skus } = random.pick(orders);
    const items = [{ sku: random.pick(skus), quantity: random.integer(1, 3) }];
    const whs = random.pick(["whs_1001", location]);
    const acts: readonly (readonly [name: string, ask: () => Promise<{ status: number }>])[] = [
      [
        "pick",
        () => app.post(`/orders/${id}/pick`, random.integer(0, 1) ? { items, partial: true } : { partial: true }),
      ],
      ["pack", () => app.post(`/orders/${id}/pack`, { partial: true })],
      ["packages", () => app.post(`/orders/${id}/pack`, { packages: [{ items }], partial: true })],
      ["ship", () => app.post(`/orders/${id}/ship`, { partial: true })],
      ["cancel", () => app.call("DELETE", `/orders/${id}`)],
      ["cancel_items", () => app.post(`/orders/${id}/cancel_items`, { items })],
      ["short", () => app.post(`/orders/${id}/pick`, { items: items.map((one) => ({ ...one, short: 1 })) })],
      ["putback", () => app.post("/inventory/putbacks", { order_id: id, ...items[0], bin: "A-01", location: whs })],
    ];
    const [name, ask] = random.pick(acts);
    const { status } = await ask();
    if (status < 300) done.set(name, (done.get(name) ?? 0) + 1);
  }
  for (const name of ["pick", "pack", "ship", "cancel", "cancel_items"])
    expect([name, (done.get(name) ?? 0) > 0]).toEqual([name, true]);
  const sums = await app.service.stores.live.read(async (db) => {
    const units = sql<number>`coalesce(sum(${billable_events.quantity}), 0)`.mapWith(Number);
    const billed = async (acts: BilledAct[]) =>
      (await db.sql.select({ units }).from(billable_events).where(inArray(billable_events.act, acts)))[0]?.units ?? 0;
    const staging = and(eq(bins.id, stock_items.bin_id), eq(bins.kind, "staging"));
    const [sold] = await db.sql
      .select({ units: sql<number>`coalesce(sum(${movements.quantity}), 0)`.mapWith(Number) })
      .from(movements)
      .innerJoin(stock_items, eq(stock_items.id, movements.from_item_id))
      .innerJoin(bins, staging)
      .where(eq(movements.type, "sale"));
    const [staged] = await db.sql
      .select({ units: sql<number>`coalesce(sum(${stock_items.on_hand}), 0)`.mapWith(Number) })
      .from(stock_items)
      .innerJoin(bins, staging);
    const put_back = await billed(["order.give_up", "order.put_back"]);
    return { picked: await billed(["order.pick"]), shipped: sold?.units ?? 0, put_back, staged: staged?.units ?? 0 };
  });
  expect(sums.picked).toBeGreaterThan(20);
  expect(sums.picked).toBe(sums.shipped + sums.put_back + sums.staged);
}, 60_000);

test("a request repeated with its key bills once", async () => {
  const shop = await openShop();
  const goods = await shop.product({ units: 10 });
  const { id } = await shop.order([[goods, 2]]);
  const headers = { "idempotency-key": "once" };
  const ask = () => shop.app.call("POST", `/orders/${id}/pick`, {}, { headers });
  const answers = [...(await Promise.all([ask(), ask()])), await ask()];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const project = { minutes: 5, description: "Photographs", location: "whs_1001" };
  const tell = () => shop.app.call("POST", "/billing/events", project, { headers: { "idempotency-key": "told" } });
  expect((await tell()).body.data.id).toBe((await tell()).body.data.id);
  const { data } = (await shop.app.get("/billing/events")).body;
  const acts = data.map(({ act, quantity }: { act: string; quantity: number }) => `${act} ${quantity}`);
  expect(acts).toEqual(["project.add 5", "order.pick 2", "stock.add 10"]);
}, 60_000);
