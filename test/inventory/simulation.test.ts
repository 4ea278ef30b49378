// Random acts on the stock, compared with a model of counts. The seed is printed on a difference.
import { expect, test } from "bun:test";
import { engine } from "../../src/core/config.ts";
import { Fault } from "../../src/core/faults.ts";
import { expireLots, expireReservations } from "../../src/inventory/inventory.jobs.ts";
import { listBackorderedLines } from "../../src/inventory/reservations/backorders.sql.ts";
import { planStock } from "../../src/inventory/reservations/plan_stock.ts";
import { listOrderReservations } from "../../src/inventory/reservations/reservations.sql.ts";
import { loadStock } from "../../src/inventory/stock/stock.sql.ts";
import { openStock, runJobs, type Stock } from "../build/stock.ts";
import { World } from "./stock_model.ts";

const acts_count = engine === "postgres" ? 500 : 2000;
const seed = 20_260_301;

const shop: Stock = await openStock();

test(`ledger, reservations and model agree after ${acts_count} random acts`, async () => {
  const world = new World(shop, seed);
  await world.begin();
  const refused = new Map<string, number>();
  for (let act = 0; act < acts_count; act += 1) {
    const when = `act ${act} of seed ${seed}`;
    try {
      await world.step();
    } catch (error) {
      if (!(error instanceof Fault)) throw new Error(`${when} failed`, { cause: error });
      refused.set(error.code, (refused.get(error.code) ?? 0) + 1);
    }
    if (act % 25 === 0 || act === acts_count - 1) await compare(world, when);
  }
  // The acts were realistic: most succeeded, and the refusals occurred.
  expect([...refused.values()].reduce((sum, count) => sum + count, 0)).toBeLessThan(acts_count / 2);
  expect([...refused.keys()]).toContain("insufficient_inventory");
}, 120_000);

async function compare({ skus, on_hand, orders }: World, when: string): Promise<void> {
  await runJobs(shop.store, [expireReservations, expireLots]);
  expect({ when, differences: await shop.differences() }).toEqual({ when, differences: [] });
  for (const sku of skus) {
    const item = await shop.item(sku);
    expect({ when, sku, on_hand: item.on_hand }).toEqual({ when, sku, on_hand: on_hand.get(sku) ?? 0 });
    const unavailable = Object.values(item.unavailable).reduce((sum, units) => sum + units, 0);
    expect([item.total + unavailable, item.available + item.reserved]).toEqual([item.on_hand, item.total]);
  }
  for (const { id, lines } of orders) {
    const claims = await shop.store.read((db) => listOrderReservations(db, [id]));
    const wanted = claims.map((line) => line.wanted);
    expect({ when, id, wanted }).toEqual({ when, id, wanted: lines.map((line) => line.wanted) });
  }
  for (const sku of skus) await nobodyWaitsBesideStock(shop.product_id(sku), when);
}

async function nobodyWaitsBesideStock(product_id: number, when: string): Promise<void> {
  await shop.store.read(async (db) => {
    const shelves = new Map((await loadStock(db, [product_id])).map((shelf) => [product_id, shelf]));
    for (const line of await listBackorderedLines(db, product_id, null, 1000)) {
      const { portions } = planStock([{ product_id, quantity: 1 }], shelves, { now: db.now, ...line });
      expect({ when, line: line.id, portions }).toEqual({ when, line: line.id, portions: [[]] });
    }
  });
}
