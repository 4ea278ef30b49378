import { day_ms, hour_ms } from "../../src/core/time.ts";
import { adjustStock } from "../../src/inventory/counts/adjust_stock.ts";

// Random acts on the stock, and a model of it that consists of counts.

import { iso } from "../../src/core/clock.ts";
import { type Random, seededRandom } from "../../src/core/random.ts";
import { expireLots, expireReservations, fillBackorders } from "../../src/inventory/inventory.jobs.ts";
import { addStock, takeReturned } from "../../src/inventory/receiving/receive_units.ts";
import { releaseClientReservation, reserveStock } from "../../src/inventory/reservations/client_reservations.ts";
import {
  allocateForOrder,
  commitOrderAllocation,
  pauseOrderAllocation,
  pickAllocatedUnits,
  releaseOrderAllocation,
  resumeOrderAllocation,
  reviseOrderAllocation,
  shipAllocatedUnits,
} from "../../src/inventory/reservations/order_allocations.ts";
import type { AllocationLine } from "../../src/inventory/reservations/reservation.ts";
import { listOrderReservations } from "../../src/inventory/reservations/reservations.sql.ts";

import { clerk, runJobs, type Stock } from "../build/stock.ts";

interface ModelOrder {
  readonly id: number;
  lines: { readonly sku: string; readonly order_line_id: number; wanted: number }[];
  state: "pending" | "working" | "over";
  paused: boolean;
}

/** A shop with random acts, and the invariants that must hold afterwards. */
export class World {
  readonly skus = ["A", "B", "C", "D"];
  readonly on_hand = new Map(this.skus.map((sku) => [sku, 0]));
  readonly orders: ModelOrder[] = [];
  readonly #bookings: number[] = [];
  readonly #shop: Stock;
  readonly #random: Random;

  // The relative frequency of each act.
  readonly #acts: readonly (readonly [weight: number, act: () => Promise<unknown>])[] = [
    [6, () => this.#add()],
    [10, () => this.#order()],
    [3, () => this.#book()],
    [2, () => this.#unbook()],
    [5, () => this.#commit()],
    [8, () => this.#pick()],
    [6, () => this.#ship()],
    [4, () => this.#giveBack()],
    [2, () => this.#pause()],
    [2, () => this.#revise()],
    [3, () => this.#adjust()],
    [1, () => this.#takeBack()],
    [2, async () => this.#shop.clock.advance(this.#random.integer(1, 12) * hour_ms)],
    [1, () => runJobs(this.#shop.store, [expireReservations, expireLots, fillBackorders])],
  ];

  constructor(shop: Stock, seed: number) {
    this.#shop = shop;
    this.#random = seededRandom(seed);
  }

  /** Creates the products: with a reorder point, with expiring lots, cold, and plain. */
  async begin(): Promise<void> {
    await this.#shop.product("A", { reorder_point: 5 });
    const lots = { lot_tracking: true, expiration_tracking: true, min_shelf_life_days: 2 };
    await this.#shop.product("B", { reorder_point: 3, ...lots });
    await this.#shop.product("C", { temperature_zone: "refrigerated" });
    await this.#shop.product("D");
  }

  /** Performs one act. A refusal is thrown, and changes nothing. */
  async step(): Promise<void> {
    const [, act] = this.#acts[this.#random.weighted(this.#acts.map(([weight]) => weight))] ?? [];
    await act?.();
  }

  #change(sku: string, by: number): void {
    this.on_hand.set(sku, (this.on_hand.get(sku) ?? 0) + by);
  }

  #location(): number {
    return this.#random.pick([this.#shop.main, this.#shop.west]);
  }

  #wants() {
    const any = () => [this.#random.pick(this.skus), this.#random.integer(1, 6)] as const;
    return Array.from({ length: this.#random.integer(1, 3) }, any);
  }

  #any(state: ModelOrder["state"], held = false): ModelOrder | null {
    const found = this.orders.filter((order) => order.state === state && (held || !order.paused));
    return found.length === 0 ? null : this.#random.pick(found);
  }

  async #add(): Promise<void> {
    const sku = this.#random.pick(this.skus);
    const quantity = this.#random.integer(1, 12);
    const day = Math.floor(this.#shop.clock.now() / day_ms) + this.#random.integer(1, 12);
    const inLot = sku === "B" || this.#random.chance(0.2);
    const lot = inLot ? { lot_number: `L${day}`, expiration_date: iso(day * day_ms) } : {};
    const bin = this.#random.chance(0.5) ? { bin: `${sku}-${this.#random.integer(1, 3)}` } : {};
    const input = { sku, quantity, location: this.#location(), ...bin, ...lot };
    await this.#shop.write((tx) => addStock(tx, input, clerk));
    this.#change(sku, quantity);
  }

  async #order(): Promise<void> {
    const id = this.orders.length + 1;
    const wants = this.#wants();
    const claim = this.#shop.claimOf(id, {
      lines: wants,
      priority: this.#random.integer(0, 2),
      warehouse_id: this.#random.chance(0.2) ? this.#location() : null,
      requires_cold_storage: this.#random.chance(0.1),
      allow_backorder: this.#random.chance(0.8),
      order_number: this.#random.chance(0.3) ? this.#bookedOrder() : `N-${id}`,
    });
    // A refused order does not exist, but uses up its id.
    const order: ModelOrder = { id, lines: [], state: "over", paused: false };
    this.orders.push(order);
    await this.#shop.write((tx) => allocateForOrder(tx, claim));
    Object.assign(order, { lines: linesOf(id, wants), state: "pending" });
  }

  #bookedOrder(): string {
    return `BOOKED-${this.#random.integer(1, 5)}`;
  }

  async #book(): Promise<void> {
    const items = this.#wants().map(([sku, quantity]) => ({ sku, quantity }));
    const expires_at = iso(this.#shop.clock.now() + this.#random.integer(1, 48) * hour_ms);
    const order_id = this.#bookedOrder();
    const { id } = await this.#shop.write((tx) => reserveStock(tx, { order_id, items, expires_at }));
    this.#bookings.push(id);
  }

  async #unbook(): Promise<void> {
    if (this.#bookings.length === 0) return;
    const id = this.#random.pick(this.#bookings);
    await this.#shop.write((tx) => releaseClientReservation(tx, id));
  }

  async #commit(): Promise<void> {
    const order = this.#any("pending");
    if (order === null) return;
    await this.#shop.write((tx) => commitOrderAllocation(tx, order.id));
    order.state = "working";
  }

  async #lines({ id }: ModelOrder): Promise<AllocationLine[]> {
    return await this.#shop.store.read((db) => listOrderReservations(db, [id]));
  }

  async #pick(): Promise<void> {
    const order = this.#any("working");
    if (order === null) return;
    const open = (await this.#lines(order)).filter((line) => line.reserved > line.picked);
    if (open.length === 0) return;
    const { order_line_id, reserved, picked } = this.#random.pick(open);
    const bin = this.#random.chance(0.1) ? { bin: "A-1" } : {};
    const picks = [{ order_line_id, quantity: this.#random.integer(1, reserved - picked), ...bin }];
    await this.#shop.write((tx) => pickAllocatedUnits(tx, order.id, picks, { confirmed: true, actor: clerk }));
  }

  async #ship(): Promise<void> {
    const order = this.#any("working");
    if (order === null) return;
    const units = (await this.#lines(order))
      .filter((line) => line.picked > 0)
      .map(({ order_line_id, picked }) => ({ order_line_id, quantity: this.#random.integer(1, picked) }));
    const how = { confirmed: true, anyway: true };
    await this.#shop.write((tx) => shipAllocatedUnits(tx, order.id, units, clerk, how));
    for (const { order_line_id, quantity } of units) {
      const line = order.lines.find((line) => line.order_line_id === order_line_id);
      if (line === undefined) throw new Error("units of a line of the order are shipped");
      line.wanted -= quantity;
      this.#change(line.sku, -quantity);
    }
  }

  async #giveBack(): Promise<void> {
    const order = this.#any(this.#random.chance(0.5) ? "pending" : "working", true);
    if (order === null) return;
    const whole = this.#random.chance(0.5);
    const units = order.lines
      .filter((line) => line.wanted > 0)
      .map(({ order_line_id, wanted }) => ({ order_line_id, quantity: this.#random.integer(1, wanted) }));
    await this.#shop.write((tx) => releaseOrderAllocation(tx, order.id, whole ? null : units, clerk));
    for (const line of order.lines) {
      const back = units.find((unit) => unit.order_line_id === line.order_line_id)?.quantity ?? 0;
      line.wanted = whole ? 0 : line.wanted - back;
    }
    if (whole) order.state = "over";
  }

  async #pause(): Promise<void> {
    const order = this.#any("pending", true);
    if (order === null) return;
    const free = this.#random.chance(0.5);
    await this.#shop.write((tx) =>
      order.paused ? resumeOrderAllocation(tx, order.id) : pauseOrderAllocation(tx, order.id, { free }),
    );
    order.paused = !order.paused;
  }

  async #revise(): Promise<void> {
    const order = this.#any("pending", true);
    if (order === null) return;
    const wants = this.#wants();
    await this.#shop.write((tx) => reviseOrderAllocation(tx, this.#shop.claimOf(order.id, { lines: wants })));
    order.lines = linesOf(order.id, wants);
  }

  async #adjust(): Promise<void> {
    const sku = this.#random.pick(this.skus);
    const adjustment = this.#random.chance(0.6) ? -this.#random.integer(1, 5) : this.#random.integer(1, 5);
    const place = { location: this.#location(), bin: `${sku}-${this.#random.integer(1, 3)}` };
    const input = { adjustment, reason: "correction", allow_shortfall: this.#random.chance(0.7), ...place } as const;
    await this.#shop.write((tx) => adjustStock(tx, sku, input, clerk));
    this.#change(sku, adjustment);
  }

  async #takeBack(): Promise<void> {
    const sku = this.#random.pick(["A", "C", "D"]);
    const disposition = this.#random.pick(["restock", "quarantine", "dispose", "return_to_sender"] as const);
    const bin = this.#random.chance(0.5) ? { bin: `${sku}-1` } : {};
    const place = { warehouse_id: this.#location(), lot_id: null, ...bin };
    const quantity = this.#random.integer(1, 3);
    const units = [{ product_id: this.#shop.product_id(sku), quantity, disposition, ...place }];
    await this.#shop.write((tx) => takeReturned(tx, units, { type: "return", id: "ret_1" }, clerk));
    if (disposition === "restock" || disposition === "quarantine") this.#change(sku, quantity);
  }
}

function linesOf(order_id: number, wants: readonly (readonly [sku: string, quantity: number])[]) {
  return wants.map(([sku, wanted], at) => ({ sku, order_line_id: order_id * 10 + at, wanted }));
}
