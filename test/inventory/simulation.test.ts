// Random acts on the stock against a model that is only counts, with a seed that is printed when something differs.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { engine } from "../../src/config.ts";
import { bookStock, releaseBooking } from "../../src/inventory/bookings/commands.ts";
import { expireLots, expireReservations, fillBackorders } from "../../src/inventory/jobs.ts";
import {
  claimForOrder,
  commitClaim,
  pauseClaim,
  pickClaim,
  releaseClaim,
  resumeClaim,
  reviseClaim,
  shipClaim,
} from "../../src/inventory/reservations/commands.ts";
import { planStock } from "../../src/inventory/reservations/rules.ts";
import { claimsOf, listWaitingLines } from "../../src/inventory/reservations/store.ts";
import { addStock, adjustStock, takeReturned } from "../../src/inventory/stock/commands.ts";
import { loadShelves } from "../../src/inventory/stock/store.ts";
import { iso } from "../../src/kit/clock.ts";
import { Fault } from "../../src/kit/fault.ts";
import { seededRandom } from "../../src/kit/random.ts";
import { clerk, day_ms, openShop, runJobs, type Shop } from "./shop.ts";

const skus = ["A", "B", "C", "D"];
const acts_count = engine === "postgres" ? 500 : 2000;
const seed = 20_260_301;

interface ModelOrder {
  readonly lines: { readonly sku: string; readonly order_line_id: number; wanted: number }[];
  state: "pending" | "working" | "over";
  paused: boolean;
}

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
  await shop.product("A", { reorder_point: 5 });
  await shop.product("B", { reorder_point: 3, lot_tracking: true, expiration_tracking: true, min_shelf_life_days: 2 });
  await shop.product("C", { temperature_zone: "refrigerated" });
  await shop.product("D");
});
afterAll(() => shop.close());

test(`${acts_count} random acts keep ledger, promises and model together`, async () => {
  const random = seededRandom(seed);
  const on_hand = new Map(skus.map((sku) => [sku, 0]));
  const orders = new Map<number, ModelOrder>();
  const bookings: number[] = [];
  const change = (sku: string, by: number) => on_hand.set(sku, (on_hand.get(sku) ?? 0) + by);
  const anyOrder = (state: ModelOrder["state"]) => {
    const found = [...orders].filter(([, order]) => order.state === state);
    return found.length === 0 ? null : random.pick(found);
  };
  const wants = () => {
    const count = random.integer(1, 3);
    return Array.from({ length: count }, () => [random.pick(skus), random.integer(1, 6)] as const);
  };
  const locations = [shop.main, shop.west];
  let order_id = 0;

  const acts: readonly (readonly [weight: number, act: () => Promise<void>])[] = [
    [
      6,
      async () => {
        const sku = random.pick(skus);
        const quantity = random.integer(1, 12);
        const days = random.integer(1, 12);
        const lot = sku === "B" || random.chance(0.2) ? `L${Math.floor(shop.clock.now() / day_ms) + days}` : "";
        const expiry = lot === "" ? {} : { lot_number: lot, expiration_date: iso(Number(lot.slice(1)) * day_ms) };
        const bin = random.chance(0.5) ? { bin: `${sku}-${random.integer(1, 3)}` } : {};
        const input = { sku, quantity, location: random.pick(locations), ...bin, ...expiry };
        await shop.write((tx) => addStock(tx, input, clerk));
        change(sku, quantity);
      },
    ],
    [
      10,
      async () => {
        order_id += 1;
        const id = order_id;
        const lines = wants();
        const claim = shop.claimOf(id, {
          lines,
          priority: random.integer(0, 2),
          warehouse_id: random.chance(0.2) ? random.pick(locations) : null,
          requires_cold_storage: random.chance(0.1),
          allow_backorder: random.chance(0.8),
          order_number: random.chance(0.3) ? `BOOKED-${random.integer(1, 5)}` : `N-${id}`,
        });
        await shop.write((tx) => claimForOrder(tx, claim));
        const own = lines.map(([sku, wanted], at) => ({ sku, order_line_id: id * 10 + at, wanted }));
        orders.set(id, { lines: own, state: "pending", paused: false });
      },
    ],
    [
      3,
      async () => {
        const items = wants().map(([sku, quantity]) => ({ sku, quantity }));
        const order = `BOOKED-${random.integer(1, 5)}`;
        const expires_at = iso(shop.clock.now() + random.integer(1, 48) * 3_600_000);
        const { id } = await shop.write((tx) => bookStock(tx, { order_id: order, items, expires_at }));
        bookings.push(id);
      },
    ],
    [
      2,
      async () => void (bookings.length > 0 && (await shop.write((tx) => releaseBooking(tx, random.pick(bookings))))),
    ],
    [
      5,
      async () => {
        const [id, order] = anyOrder("pending") ?? [];
        if (id === undefined || order === undefined || order.paused) return;
        await shop.write((tx) => commitClaim(tx, id));
        order.state = "working";
      },
    ],
    [
      8,
      async () => {
        const [id, order] = anyOrder("working") ?? [];
        if (id === undefined || order === undefined || order.paused) return;
        await shop.write(async (tx) => {
          const lines = (await claimsOf(tx, [id])).get(id) ?? [];
          const open = lines.filter((line) => line.reserved > line.picked);
          if (open.length === 0) return;
          const { order_line_id, reserved, picked } = random.pick(open);
          const bin = random.chance(0.1) ? { bin: "A-1" } : {};
          const picks = [{ order_line_id, quantity: random.integer(1, reserved - picked), ...bin }];
          await pickClaim(tx, id, picks, { confirmed: true, actor: clerk });
        });
      },
    ],
    [
      6,
      async () => {
        const [id, order] = anyOrder("working") ?? [];
        if (id === undefined || order === undefined || order.paused) return;
        const shipped = await shop.write(async (tx) => {
          const lines = (await claimsOf(tx, [id])).get(id) ?? [];
          const units = lines
            .filter((line) => line.picked > 0)
            .map(({ order_line_id, picked }) => ({ order_line_id, quantity: random.integer(1, picked) }));
          await shipClaim(tx, id, units, clerk, { confirmed: true, anyway: true });
          return units;
        });
        for (const { order_line_id, quantity } of shipped) {
          const line = order.lines.find((line) => line.order_line_id === order_line_id);
          if (line === undefined) throw new Error("units of a line of the order are shipped");
          line.wanted -= quantity;
          change(line.sku, -quantity);
        }
      },
    ],
    [
      4,
      async () => {
        const [id, order] = anyOrder(random.chance(0.5) ? "pending" : "working") ?? [];
        if (id === undefined || order === undefined) return;
        const all = random.chance(0.5);
        const units = order.lines
          .filter((line) => line.wanted > 0)
          .map(({ order_line_id, wanted }) => ({ order_line_id, quantity: random.integer(1, wanted) }));
        await shop.write((tx) => releaseClaim(tx, id, all ? null : units, clerk));
        for (const line of order.lines) {
          const back = units.find((unit) => unit.order_line_id === line.order_line_id)?.quantity ?? 0;
          line.wanted = all ? 0 : line.wanted - back;
        }
        if (all) order.state = "over";
      },
    ],
    [
      2,
      async () => {
        const [id, order] = anyOrder("pending") ?? [];
        if (id === undefined || order === undefined) return;
        if (order.paused) await shop.write((tx) => resumeClaim(tx, id));
        else await shop.write((tx) => pauseClaim(tx, id, { free: random.chance(0.5) }));
        order.paused = !order.paused;
      },
    ],
    [
      2,
      async () => {
        const [id, order] = anyOrder("pending") ?? [];
        if (id === undefined || order === undefined) return;
        const lines = wants();
        await shop.write((tx) => reviseClaim(tx, shop.claimOf(id, { lines })));
        order.lines.length = 0;
        order.lines.push(...lines.map(([sku, wanted], at) => ({ sku, order_line_id: id * 10 + at, wanted })));
      },
    ],
    [
      3,
      async () => {
        const sku = random.pick(skus);
        const adjustment = random.chance(0.6) ? -random.integer(1, 5) : random.integer(1, 5);
        const place = { location: random.pick(locations), bin: `${sku}-${random.integer(1, 3)}` };
        const input = { adjustment, reason: "correction", allow_shortfall: random.chance(0.7), ...place } as const;
        await shop.write((tx) => adjustStock(tx, sku, input, clerk));
        change(sku, adjustment);
      },
    ],
    [
      1,
      async () => {
        const sku = random.pick(["A", "C", "D"]);
        const disposition = random.pick(["restock", "quarantine", "dispose", "return_to_sender"] as const);
        const unit = { product_id: shop.product_id(sku), quantity: random.integer(1, 3), disposition };
        const bin = random.chance(0.5) ? { bin: `${sku}-1` } : {};
        const units = [{ ...unit, warehouse_id: random.pick(locations), lot_id: null, ...bin }];
        await shop.write((tx) => takeReturned(tx, units, { type: "return", id: "ret_1" }, clerk));
        if (disposition === "restock" || disposition === "quarantine") change(sku, unit.quantity);
      },
    ],
    [2, async () => shop.clock.advance(random.integer(1, 12) * 3_600_000)],
    [1, () => runJobs(shop.store, [expireReservations, expireLots, fillBackorders])],
  ];

  const refused = new Map<string, number>();
  for (let act = 0; act < acts_count; act += 1) {
    const [, run] = acts[random.weighted(acts.map(([weight]) => weight))] ?? [];
    try {
      await run?.();
    } catch (error) {
      if (!(error instanceof Fault)) throw new Error(`act ${act} of seed ${seed} failed`, { cause: error });
      refused.set(error.code, (refused.get(error.code) ?? 0) + 1);
    }
    if (act % 25 === 0 || act === acts_count - 1) await compare(`act ${act} of seed ${seed}`);
  }
  // The acts were real: most went through, and the ways to be refused were met.
  expect([...refused.values()].reduce((sum, count) => sum + count, 0)).toBeLessThan(acts_count / 2);
  expect([...refused.keys()]).toContain("insufficient_inventory");

  async function compare(when: string): Promise<void> {
    await runJobs(shop.store, [expireReservations, expireLots]);
    expect({ when, differences: await shop.differences() }).toEqual({ when, differences: [] });
    for (const sku of skus) {
      const item = await shop.item(sku);
      expect({ when, sku, on_hand: item.on_hand }).toEqual({ when, sku, on_hand: on_hand.get(sku) ?? 0 });
      const unavailable = Object.values(item.unavailable).reduce((sum, units) => sum + units, 0);
      expect(item.available + item.reserved + unavailable).toBe(item.on_hand);
    }
    await shop.store.read(async (db) => {
      const claims = await claimsOf(db, [...orders.keys()]);
      for (const [id, { lines }] of orders) {
        const wanted = (claims.get(id) ?? []).map((line) => line.wanted);
        expect({ when, id, wanted }).toEqual({ when, id, wanted: lines.map((line) => line.wanted) });
      }
      // Nobody waits for units that are there.
      for (const sku of skus) {
        const product_id = shop.product_id(sku);
        const shelves = new Map((await loadShelves(db, [product_id])).map((shelf) => [product_id, shelf]));
        for (const line of await listWaitingLines(db, product_id, null, 1000)) {
          const { portions } = planStock([{ product_id, quantity: 1 }], shelves, { now: db.now, ...line });
          expect({ when, line: line.id, portions }).toEqual({ when, line: line.id, portions: [[]] });
        }
      }
    });
  }
}, 120_000);
