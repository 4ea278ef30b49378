import { beforeEach, describe, expect, test } from "bun:test";
import { eq, type SQL, sql } from "drizzle-orm";
import { movements, stock_items } from "../../db/schema/inventory.ts";
import { bins } from "../../db/schema/warehouses.ts";
import { engine } from "../../src/core/config.ts";
import { listRestockTasks } from "../../src/inventory/receiving/restock_tasks.sql.ts";
import type { Tx } from "../../src/storage/database.ts";
import { openShop, type Shop } from "../build/shop.ts";

/** Drizzle functions that features may not use. */
interface Executing {
  execute(query: SQL): Promise<unknown>;
}

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});

const item = async (sku: string) => (await shop.app.get(`/inventory/${sku}`)).body.data;
const waiting = async (query = "") => (await shop.app.get(`/inventory/putbacks${query}`)).body;
const putBack = (body: object) => shop.app.post("/inventory/putbacks", body);

/** A return of a shipped order, received and ready to be inspected. */
async function returned(product: { id: string; sku: string }, quantity: number) {
  const order = await shop.order([[product, quantity]]);
  await shop.act(order.id, "ship");
  const { body } = await shop.app.post("/returns", { order_id: order.id, reason: "defective" });
  await shop.app.post(`/returns/${body.data.id}/receive`);
  const inspect = (quantity: number, fields: object = {}) => {
    const items = [{ sku: product.sku, quantity, condition: "unopened", disposition: "restock", ...fields }];
    return shop.app.post(`/returns/${body.data.id}/inspect`, { items });
  };
  return { id: body.data.id as string, order_id: order.id as string, inspect };
}

/** Creates many bins with an empty stock item each, like a warehouse that sells from many places. */
async function addPlaces(tx: Tx, like: number, count: number): Promise<number[]> {
  const [found] = await tx.sql
    .select()
    .from(stock_items)
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .where(eq(stock_items.id, like));
  const { stock_items: item, bins: bin } = found as NonNullable<typeof found>;
  const copies = Array.from({ length: count }, (_, n) => ({ ...bin, id: undefined, code: `X-${n}` }));
  const made = await tx.sql.insert(bins).values(copies).returning({ id: bins.id });
  const empty = made.map(({ id }) => ({ ...item, id: undefined, bin_id: id, on_hand: 0, reserved: 0 }));
  const items = await tx.sql.insert(stock_items).values(empty).returning({ id: stock_items.id });
  return items.map(({ id }) => id);
}

describe("works", () => {
  test("restocked units without a bin wait as tasks, and are sold again once shelved", async () => {
    const product = await shop.product({ units: 5 });
    const { id, order_id, inspect } = await returned(product, 3);
    const { status, body } = await inspect(3);
    expect(status).toBe(200);
    const row = {
      merchant_id: "mer_1",
      order_id,
      return_id: id,
      sku: product.sku,
      name: `Product ${product.sku}`,
      quantity: 3,
      lot_number: null,
      location: "whs_1001",
      bin: "RETURNS",
      suggested_bin: expect.any(String),
      waiting_since: expect.any(String),
    };
    expect(body.data.putbacks).toEqual([row]);
    expect(await item(product.sku)).toMatchObject({
      available: 2,
      on_hand: 5,
      unavailable: { returns: 3, putback: 0 },
    });
    const listed = await waiting();
    expect(listed.data).toEqual(body.data.putbacks);
    expect(listed.meta.pagination.total).toBe(1);
    await shop.app.takeEvents();
    const bin = listed.data[0].suggested_bin;
    const shelved = await putBack({ return_id: id, sku: product.sku, quantity: 2, bin });
    expect([shelved.status, shelved.body.data]).toMatchObject([
      201,
      { order_id, return_id: id, quantity: 2, from_bin: "RETURNS", bin, remaining: 1, was_picked: false },
    ]);
    expect((await shop.app.takeEvents()).map(({ type }) => type)).toEqual(["inventory.updated"]);
    expect(await item(product.sku)).toMatchObject({ available: 4, on_hand: 5, unavailable: { returns: 1 } });
    expect((await waiting(`?return_id=${id}`)).data).toMatchObject([{ quantity: 1 }]);
    const [entry] = (await shop.app.get(`/orders/${order_id}/history`)).body.data.slice(-1);
    expect(entry).toMatchObject({ event: "put_back", note: `${id}: 2 of ${product.sku} to ${bin}` });
    const explained = (await shop.app.get(`/inventory/${product.sku}/explain`)).body.data;
    expect(JSON.stringify(explained)).toContain("put_back");
    expect((await putBack({ return_id: id, sku: product.sku, quantity: 1, bin })).body.data.remaining).toBe(0);
    expect((await waiting()).data).toEqual([]);
  });

  test("units restocked to a bin create no tasks, nor do quarantined ones", async () => {
    const product = await shop.product({ units: 5 });
    const { inspect } = await returned(product, 3);
    const { body } = await inspect(3, { bin: "A-01" });
    expect(body.data.putbacks).toEqual([]);
    const other = await shop.product({ units: 5 });
    const second = await returned(other, 2);
    expect((await second.inspect(2, { disposition: "quarantine" })).body.data.putbacks).toEqual([]);
    expect((await waiting()).data).toEqual([]);
  });

  test("the list includes picked units of cancelled orders, with filters and pages", async () => {
    const [one, two] = [await shop.product({ units: 9 }), await shop.product({ units: 9 })];
    const picked = await shop.order([[one, 4]]);
    await shop.act(picked.id, "pick");
    await shop.cancel(picked.id);
    shop.app.clocks.live.advance(1000);
    const back = await returned(one, 2);
    await back.inspect(2);
    shop.app.clocks.live.advance(1000);
    const third = await returned(two, 1);
    await third.inspect(1);
    const names = (rows: { order_id: string; return_id: string | null; quantity: number }[]) =>
      rows.map(({ order_id, return_id, quantity }) => [order_id, return_id, quantity]);
    const all = [
      [picked.id, null, 4],
      [back.order_id, back.id, 2],
      [third.order_id, third.id, 1],
    ];
    expect(names((await waiting()).data)).toEqual(all);
    expect(names((await waiting(`?sku=${one.sku}`)).data)).toEqual(all.slice(0, 2));
    expect(names((await waiting(`?order_id=${back.order_id}`)).data)).toEqual(all.slice(1, 2));
    expect(names((await waiting(`?order_id=${picked.order_number}`)).data)).toEqual(all.slice(0, 1));
    expect(names((await waiting(`?return_id=${third.id}`)).data)).toEqual(all.slice(2));
    expect((await waiting(`?return_id=${third.id}&order_id=${picked.id}`)).data).toEqual([]);
    expect((await waiting("?location=whs_1001")).data).toHaveLength(3);
    expect((await waiting("?location=whs_7")).data).toEqual([]);
    // The first units of each came one second after those of the one before.
    const [, second, last] = (await waiting()).data.map((row: { waiting_since: string }) => row.waiting_since);
    const found = async (query: string) => {
      const { data, meta } = await waiting(query);
      expect([query, meta.pagination.total]).toEqual([query, data.length]);
      return names(data);
    };
    expect(await found(`?created_after=${second}`)).toEqual(all.slice(1));
    expect(await found(`?created_before=${second}`)).toEqual(all.slice(0, 1));
    expect(await found(`?created_after=${second}&created_before=${last}`)).toEqual(all.slice(1, 2));
    expect(await found(`?created_after=${last}&sku=${one.sku}`)).toEqual([]);
    const walked: unknown[] = [];
    for (let query = "?limit=1"; query !== ""; ) {
      const { data, meta } = await waiting(query);
      walked.push(...names(data));
      const next = meta.pagination.next_cursor ?? null;
      query = next === null ? "" : `?limit=1&cursor=${encodeURIComponent(next)}`;
    }
    expect(walked).toEqual(all);
    // Units that are written off while waiting are no longer tasks.
    const gone = { adjustment: -4, reason: "lost", location: "whs_1001", bin: "PUTBACK" };
    expect((await shop.app.patch(`/inventory/${one.sku}`, gone)).status).toBe(200);
    expect(names((await waiting()).data)).toEqual(all.slice(1));
  });

  test("the suggested bin has the SKU, or had it last, and has room", async () => {
    const product = await shop.product();
    const add = (bin: string, quantity: number) =>
      shop.app.post("/inventory", { sku: product.sku, quantity, location: "whs_1001", bin });
    await add("B-02", 3);
    const { id, inspect } = await returned(product, 3);
    await inspect(3);
    const suggested = async () => (await waiting(`?return_id=${id}`)).data[0].suggested_bin;
    // All were sold, so no bin has the SKU.
    expect(await suggested()).toBe("B-02");
    await add("C-03", 1);
    expect(await suggested()).toBe("C-03");
    const bins = [
      { code: "B-02", capacity: 3 },
      { code: "C-03", capacity: 3 },
    ];
    const location_zones = [{ zone_id: "AMBIENT", temperature_zone: "ambient", bins }];
    expect((await shop.app.patch("/inventory/locations/whs_1001", { location_zones })).status).toBe(200);
    expect(await suggested()).toBe("B-02");
    await add("B-02", 1);
    expect(await suggested()).toBe(null);
  });

  test("tasks are found as fast in a long ledger as in a short one", async () => {
    const product = await shop.product({ units: 5 });
    const { inspect } = await returned(product, 3);
    await inspect(3);
    const fastest = async (tx: Tx) => {
      const times: number[] = [];
      for (let run = 0; run < 9; run++) {
        const begun = performance.now();
        expect(await listRestockTasks(tx, {}, { limit: 10, offset: 0, after: null })).toHaveLength(1);
        times.push(performance.now() - begun);
      }
      return Math.min(...times);
    };
    const undone = new Error("undone");
    const lengthen = async (tx: Tx) => {
      const before = await fastest(tx);
      const [sale] = await tx.sql.select().from(movements).where(eq(movements.type, "sale"));
      const { id: _id, ...row } = sale as typeof movements.$inferSelect;
      const items = await addPlaces(tx, row.from_item_id as number, 300);
      for (let order = 2000; order < 32_000; order += 1000) {
        const rows = Array.from({ length: 1000 }, (_, n) => {
          return { ...row, reference_id: `ord_${order + n}`, from_item_id: items[n % items.length] };
        });
        await tx.sql.insert(movements).values(rows);
      }
      // As autovacuum would do; a schema used by other tests has their statistics.
      const analyze = sql`analyze movements, stock_items, bins`;
      if (engine === "postgres") await (tx.sql as unknown as Executing).execute(analyze);
      expect(await fastest(tx)).toBeLessThan(3 * before);
      throw undone;
    };
    expect(await shop.app.service.stores.live.write(lengthen).catch((error) => error)).toBe(undone);
  });
});

describe("refuses", () => {
  test("a missing, unknown or double source, more units than are waiting, and the bin in which they are", async () => {
    const product = await shop.product({ units: 5 });
    const { id, order_id, inspect } = await returned(product, 3);
    await inspect(3);
    const body = { sku: product.sku, quantity: 1, bin: "A-01" };
    const code = async (fields: object) => (await putBack({ ...body, ...fields })).body.error.code;
    expect(await code({})).toBe("validation_failed");
    expect(await code({ return_id: id, order_id })).toBe("validation_failed");
    expect(await code({ return_id: "ret_7" })).toBe("resource_missing");
    expect(await code({ order_id })).toBe("insufficient_inventory");
    expect(await code({ return_id: id, quantity: 4 })).toBe("insufficient_inventory");
    expect(await code({ return_id: id, bin: "RETURNS" })).toBe("validation_failed");
    expect((await waiting()).data).toMatchObject([{ quantity: 3 }]);
  });
});
