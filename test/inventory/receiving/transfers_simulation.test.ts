// Random receipts, transfers, orders and losses, compared with a model of counts.

import { describe, expect, test } from "bun:test";
import { engine } from "../../../src/core/config.ts";
import { Fault } from "../../../src/core/faults.ts";
import { type Random, seededRandom } from "../../../src/core/random.ts";
import { adjustStock } from "../../../src/inventory/counts/adjust_stock.ts";
import { receiptView } from "../../../src/inventory/receiving/receipt.ts";
import { getReceipt } from "../../../src/inventory/receiving/receipts.sql.ts";
import { cancelReceipt, closeReceipt, createReceipt, scanReceipt } from "../../../src/inventory/receiving/receipts.ts";
import { loadsOf } from "../../../src/inventory/receiving/transfer.ts";
import { getTransfer } from "../../../src/inventory/receiving/transfers.sql.ts";
import {
  cancelTransfer,
  closeTransfer,
  createTransfer,
  receiveTransfer,
  shipTransfer,
} from "../../../src/inventory/receiving/transfers.ts";
import { clerk, openStock, type Stock } from "../../build/stock.ts";

const skus = ["A", "B", "C"];
const steps = engine === "postgres" ? 120 : 600;

/** The invariants of a shop with random arrivals, shipments and orders. */
class World {
  /** Units on hand, by SKU and warehouse. */
  readonly on_hand = new Map<string, number>();
  /** Units expected or in transit, by SKU. */
  readonly incoming = new Map<string, number>();
  readonly refused = new Set<string>();
  readonly #shop: Stock;
  readonly #random: Random;
  readonly #receipts: number[] = [];
  readonly #transfers: number[] = [];
  #orders = 0;

  readonly #acts = [
    [4, () => this.#expect()],
    [10, () => this.#scan()],
    [2, () => this.#end()],
    [5, () => this.#plan()],
    [6, () => this.#ship()],
    [8, () => this.#arrive()],
    [2, () => this.#giveUp()],
    [5, () => this.#claim()],
    [2, () => this.#lose()],
  ] as const;

  constructor(shop: Stock, seed: number) {
    this.#shop = shop;
    this.#random = seededRandom(seed);
  }

  /** Performs one act. A refusal changes nothing. */
  async step(): Promise<void> {
    const [, act] = this.#acts[this.#random.weighted(this.#acts.map(([weight]) => weight))] ?? [];
    try {
      await act?.();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.refused.add(error.code);
    }
  }

  #items() {
    const item = () => ({ sku: this.#random.pick(skus), quantity: this.#random.integer(1, 9) });
    return Array.from({ length: this.#random.integer(1, 3) }, item);
  }

  /** One of the last few; 0, which does not exist, if there are none. */
  #recent(ids: readonly number[]): number {
    return this.#random.pick(ids.length === 0 ? [0] : ids.slice(-6));
  }

  #house(): number {
    return this.#random.pick([this.#shop.main, this.#shop.west]);
  }

  #move(sku: string, house: number, by: number): void {
    this.on_hand.set(`${sku} ${house}`, (this.on_hand.get(`${sku} ${house}`) ?? 0) + by);
  }

  #await(sku: string, by: number): void {
    this.incoming.set(sku, (this.incoming.get(sku) ?? 0) + by);
  }

  async #expect(): Promise<void> {
    const lines = this.#items();
    const { id } = await this.#shop.write((tx) => createReceipt(tx, { location: this.#house(), lines }));
    this.#receipts.push(id);
    for (const { sku, quantity } of lines) this.#await(sku, quantity);
  }

  async #scan(): Promise<void> {
    const id = this.#recent(this.#receipts);
    const before = await this.#shop.store.read((db) => getReceipt(db, id));
    const items = this.#items();
    await this.#shop.write((tx) => scanReceipt(tx, String(id), { items }, clerk));
    const open = new Map(before.lines.map((line) => [line.id, line.outstanding]));
    for (const { sku, quantity } of items) {
      this.#move(sku, before.warehouse_id, quantity);
      let left = quantity;
      for (const line of before.lines.filter((line) => line.sku === sku)) {
        const units = Math.min(left, open.get(line.id) ?? 0);
        open.set(line.id, (open.get(line.id) ?? 0) - units);
        left -= units;
        this.#await(sku, -units);
      }
    }
  }

  async #end(): Promise<void> {
    const id = this.#recent(this.#receipts);
    const before = await this.#shop.store.read((db) => getReceipt(db, id));
    const end = this.#random.chance(0.5) ? closeReceipt : cancelReceipt;
    const after = await this.#shop.write((tx) => end(tx, String(id)));
    for (const { sku, outstanding } of before.lines) this.#await(sku, -outstanding);
    expect(receiptView(after).lines.every((line) => line.quantity_outstanding === 0)).toBe(true);
  }

  async #plan(): Promise<void> {
    const input = { from_location: this.#house(), to_location: this.#house(), items: this.#items() };
    const { id } = await this.#shop.write((tx) => createTransfer(tx, input));
    this.#transfers.push(id);
  }

  async #ship(): Promise<void> {
    const id = this.#recent(this.#transfers);
    const { lines, from_warehouse_id } = await this.#shop.write((tx) => shipTransfer(tx, String(id), clerk));
    for (const { sku, quantity } of lines) {
      this.#move(sku, from_warehouse_id, -quantity);
      this.#await(sku, quantity);
    }
  }

  async #arrive(): Promise<void> {
    const id = this.#recent(this.#transfers);
    const before = await this.#shop.store.read((db) => getTransfer(db, id));
    const left = loadsOf(before).map(({ sku, in_transit }) => ({ sku, quantity: in_transit }));
    const items = this.#random.chance(0.5) ? this.#items() : undefined;
    await this.#shop.write((tx) => receiveTransfer(tx, String(id), items === undefined ? {} : { items }, clerk));
    for (const { sku, quantity } of items ?? left) {
      this.#move(sku, before.to_warehouse_id, quantity);
      this.#await(sku, -quantity);
    }
  }

  async #giveUp(): Promise<void> {
    const id = this.#recent(this.#transfers);
    const before = await this.#shop.store.read((db) => getTransfer(db, id));
    if (this.#random.chance(0.5)) await this.#shop.write((tx) => closeTransfer(tx, String(id), {}, clerk));
    else await this.#shop.write((tx) => cancelTransfer(tx, String(id)));
    for (const { sku, in_transit } of loadsOf(before)) this.#await(sku, -in_transit);
  }

  async #claim(): Promise<void> {
    const lines = this.#items().map(({ sku, quantity }) => [sku, quantity] as const);
    this.#orders += 1;
    await this.#shop.claim(this.#orders, { lines });
  }

  async #lose(): Promise<void> {
    const [sku, location] = [this.#random.pick(skus), this.#house()];
    const input = { adjustment: -this.#random.integer(1, 3), reason: "lost", location, allow_shortfall: true } as const;
    await this.#shop.write((tx) => adjustStock(tx, sku, input, clerk));
    this.#move(sku, location, input.adjustment);
  }

  /** Compares the service's stock of each SKU with the model. */
  async check(): Promise<void> {
    for (const sku of skus) {
      const item = await this.#shop.item(sku);
      const houses = [this.#shop.main, this.#shop.west].map((house) => this.on_hand.get(`${sku} ${house}`) ?? 0);
      const shown = { on_hand: item.on_hand, incoming: item.incoming };
      expect({ sku, ...shown }).toEqual({
        sku,
        on_hand: houses.reduce((sum, units) => sum + units, 0),
        incoming: this.incoming.get(sku) ?? 0,
      });
      expect([sku, item.available > 0 && item.backordered > 0]).toEqual([sku, false]);
      const byHouse = [this.#shop.main, this.#shop.west].map((house) =>
        item.locations
          .filter(({ warehouse_id }) => warehouse_id === `whs_${house}`)
          .reduce((sum, { quantity }) => sum + quantity, 0),
      );
      expect([sku, ...byHouse]).toEqual([sku, ...houses]);
    }
  }
}

describe("stock in transit matches the model", () => {
  test.each([1, 2, 3])(
    "after random acts, seed %d",
    async (seed) => {
      const shop = await openStock();
      for (const sku of skus) await shop.product(sku, { reorder_point: 3 });
      const world = new World(shop, seed);
      for (let step = 0; step < steps; step += 1) {
        await world.step();
        await world.check();
        if (step % 20 === 0) expect(await shop.differences()).toEqual([]);
      }
      expect(await shop.differences()).toEqual([]);
      expect(world.refused).toContain("insufficient_inventory");
      expect(world.refused).toContain("invalid_state_transition");
    },
    60_000,
  );
});
