// What the floor does, as the contract tells it: work on orders, and returns, on top of the plain model of orders.

import type { BinCode, House, Sku } from "./business.ts";
import { type ModelOrder, type OrderLine, OrderModel } from "./order_model.ts";
import { type Line, Refused, sum } from "./stock_model.ts";

/** Units of an order line. */
export interface Units {
  readonly line: number;
  readonly quantity: number;
  readonly bin?: BinCode | null;
  readonly lot?: number | null;
}

export type Disposition = "restock" | "quarantine" | "dispose" | "return_to_sender";

/** The plain model of all that has to do with orders. */
export class Model extends OrderModel {
  // ---- process, pick, pack, ship

  process(at: number): void {
    this.refuseUnless(this.order(at), ["pending"]);
    this.#inWork(at);
  }

  #inWork(at: number): void {
    const order = this.order(at);
    if (order.status !== "pending") return;
    order.status = "processing";
    const claim = this.claimOf(at);
    const touched = claim.lines.map((line) => line.sku);
    this.settle(touched);
    claim.status = "committed";
    this.planAnew(claim);
    this.fill(touched);
  }

  #unitsOf(at: number, count: (line: Line, own: OrderLine) => number): Units[] {
    return this.order(at).lines.flatMap((own) => {
      const line = this.lineOf(at, own.id);
      const quantity = line === undefined ? 0 : count(line, own);
      return quantity > 0 ? [{ line: own.id, quantity }] : [];
    });
  }

  #refuseShort(at: number, partial: boolean): void {
    if (!partial && this.#unitsOf(at, (line) => line.wanted - this.reserved(line)).length > 0) {
      throw new Refused("insufficient_inventory");
    }
  }

  /** Picks all that is promised, or some units of the first SKU that match. */
  pick(at: number, named: { sku: Sku; quantity: number; bin: BinCode | null } | null, partial: boolean): void {
    this.refuseUnless(this.order(at), ["pending", "processing"]);
    if (named === null) this.#refuseShort(at, partial);
    const picks =
      named === null
        ? this.#unitsOf(at, (line) => this.reserved(line) - this.picked(line))
        : this.#named(at, named).map((units) => ({ ...units, bin: named.bin }));
    this.#inWork(at);
    this.#pickUnits(at, picks);
  }

  #named(at: number, { sku, quantity }: { sku: Sku; quantity: number }): Units[] {
    if (!this.order(at).lines.some((line) => line.sku === sku)) throw new Refused("resource_missing");
    let left = quantity;
    const taken = this.#unitsOf(at, (line, own) => {
      const units = own.sku === sku ? Math.min(left, line.wanted - this.picked(line)) : 0;
      left -= units;
      return units;
    });
    if (left > 0) throw new Refused("validation_failed");
    return taken;
  }

  #pickUnits(at: number, picks: readonly Units[]): void {
    if (picks.length === 0) return;
    this.settle(this.claimOf(at).lines.map((line) => line.sku));
    for (const pick of picks) this.#pickLine(at, this.lineOf(at, pick.line) as Line, pick);
  }

  #pickLine(at: number, line: Line, { quantity, bin = null }: Units): void {
    if (quantity > this.reserved(line) - this.picked(line)) throw new Refused("insufficient_inventory");
    let left = quantity;
    const planned = this.shelved(line).map((hold) => ({ ...hold }));
    for (const hold of planned) {
      const item = this.item(hold);
      const units = Math.min(left, hold.quantity);
      if (units === 0 || (bin !== null && item.bin !== bin)) continue;
      if (!this.sellable(item)) throw new Refused("lot_not_pickable");
      left -= units;
      this.free(line, hold.item, units);
      this.#stage(at, line, hold.item, units);
    }
    if (left > 0) this.#pickOthers(at, line, bin, left);
  }

  /** Units that were not planned for the line, of the warehouses it takes from: it gives up as many that were. */
  #pickOthers(at: number, line: Line, bin: BinCode | null, count: number): void {
    const from = new Set(this.shelved(line).map((hold) => this.item(hold).house));
    const meant = [...this.items.entries()].filter(
      ([, item]) =>
        item.sku === line.sku &&
        item.kind === "storage" &&
        item.on_hand > 0 &&
        from.has(item.house) &&
        (bin === null || item.bin === bin),
    );
    if (meant.some(([, item]) => !this.sellable(item))) throw new Refused("lot_not_pickable");
    let left = count;
    for (const [index, item] of meant) {
      const units = Math.min(left, item.on_hand - item.reserved);
      if (units === 0) continue;
      left -= units;
      this.#giveUp(line, units);
      this.#stage(at, line, index, units);
    }
    if (left > 0) throw new Refused("insufficient_inventory");
  }

  #giveUp(line: Line, count: number): void {
    let left = count;
    for (const hold of this.shelved(line).reverse()) {
      const units = Math.min(left, hold.quantity);
      left -= units;
      if (units > 0) this.free(line, hold.item, units);
    }
  }

  #stage(at: number, line: Line, from: number, quantity: number): void {
    const { sku, house, lot, received_at } = this.item({ item: from });
    this.item({ item: from }).on_hand -= quantity;
    const to = this.place(sku, house, `STAGING-${at}`, lot);
    this.put(to, quantity, received_at);
    this.hold(line, to, quantity);
  }

  pack(at: number, partial: boolean): void {
    this.refuseUnless(this.order(at), ["pending", "processing"]);
    this.#refuseShort(at, partial);
    this.#ready(
      at,
      this.#unitsOf(at, (line) => this.reserved(line)),
    );
  }

  /** Brings units to where they stand packed, by the steps that are missing. */
  #ready(at: number, units: readonly Units[]): void {
    if (units.length === 0) throw new Refused("insufficient_inventory");
    this.#inWork(at);
    const order = this.order(at);
    const wanted = (id: number) => units.find(({ line }) => line === id)?.quantity ?? 0;
    const here = ({ packed, shipped }: OrderLine) => packed - shipped;
    const packs = order.lines.map((own) => Math.max(0, wanted(own.id) - here(own)));
    const picks = order.lines.flatMap((own, index) => {
      const line = this.lineOf(at, own.id) as Line;
      const quantity = (packs[index] ?? 0) === 0 ? 0 : here(own) + (packs[index] ?? 0) - this.picked(line);
      return quantity > 0 ? [{ line: own.id, quantity }] : [];
    });
    this.#pickUnits(at, picks);
    if (sum(packs) === 0) return;
    for (const [index, own] of order.lines.entries()) own.packed += packs[index] ?? 0;
    if (order.lines.every((own) => own.packed === own.quantity)) order.status = "fulfilled";
  }

  ship(at: number, partial: boolean): void {
    const order = this.order(at);
    this.refuseUnless(order, ["pending", "processing", "fulfilled"]);
    this.#refuseShort(at, partial);
    const packed = this.#unitsOf(at, (_, own) => own.packed - own.shipped);
    const units = partial && packed.length > 0 ? packed : this.#unitsOf(at, (line) => this.reserved(line));
    this.#ready(at, units);
    this.settle(this.claimOf(at).lines.map((line) => line.sku));
    for (const unit of units) this.#handOver(order, this.lineOf(at, unit.line) as Line, unit);
    if (order.lines.every((own) => own.shipped === own.quantity)) order.status = "shipped";
  }

  #handOver(order: ModelOrder, line: Line, { line: id, quantity }: Units): void {
    let left = quantity;
    for (const hold of this.staged(line).map((one) => ({ ...one }))) {
      const item = this.item(hold);
      const units = Math.min(left, hold.quantity);
      if (units === 0) continue;
      if (!this.isGood(item.lot)) throw new Refused("lot_not_pickable");
      left -= units;
      this.free(line, hold.item, units);
      item.on_hand -= units;
      const { sku, house, lot } = item;
      const known = order.sold.find((one) => one.sku === sku && one.house === house && one.lot === lot);
      if (known) known.quantity += units;
      else order.sold.push({ sku, house, lot, quantity: units });
    }
    line.wanted -= quantity;
    (order.lines.find((own) => own.id === id) as OrderLine).shipped += quantity;
  }

  /** Units that a cancelled order gave up go to a bin where they are for sale again. */
  putBack(at: number, sku: Sku, quantity: number, bin: BinCode): void {
    this.settle([sku]);
    const waiting = this.order(at)
      .given_up.filter((one) => one.quantity > 0 && this.item(one).sku === sku && this.item(one).on_hand > 0)
      .map((one) => ({ one, item: this.item(one), waits: Math.min(one.quantity, this.item(one).on_hand) }));
    const [found, ...others] = waiting;
    if (others.length > 0) throw new Refused("ambiguous_stock");
    if (found === undefined || quantity > found.waits) throw new Refused("insufficient_inventory");
    const { house, lot, received_at } = found.item;
    const to = this.place(sku, house, this.binFor(sku, bin), lot);
    found.one.quantity -= quantity;
    found.item.on_hand -= quantity;
    this.put(to, quantity, received_at);
    this.fill([sku]);
  }

  // ---- returns

  /** Where units of a SKU would come back to: the warehouse and lot most of them left from, if that is certain. */
  origin(at: number, sku: Sku): { house: House; lot: number | null } | null {
    const sold = this.order(at).sold.filter((one) => one.sku === sku);
    const most = Math.max(...sold.map((one) => one.quantity));
    const [first, ...others] = sold.filter((one) => one.quantity === most);
    return first === undefined || others.length > 0 ? null : first;
  }

  /** Units of an order come back, are received and inspected. */
  takeBack(at: number, sku: Sku, quantity: number, disposition: Disposition, bin: BinCode | null): void {
    const order = this.order(at);
    const left = (own: OrderLine) => own.shipped - own.returned;
    if (order.lines.every((own) => left(own) === 0)) throw new Refused("nothing_to_return");
    const own = order.lines.filter((line) => line.sku === sku);
    if (quantity > sum(own.map(left))) throw new Refused("validation_failed");
    if (disposition === "return_to_sender") return;
    let open = quantity;
    for (const line of own) {
      const units = Math.min(open, left(line));
      open -= units;
      line.returned += units;
    }
    this.settle([sku]);
    const from = this.origin(at, sku);
    if (from === null) throw new Error("returns are simulated where their way back is certain");
    const usual = disposition === "quarantine" ? "QUARANTINE" : "RETURNS";
    const to = disposition === "restock" && bin !== null ? this.binFor(sku, bin) : usual;
    const place = this.place(sku, from.house, to, from.lot);
    if (disposition !== "dispose") this.put(place, quantity, this.now);
    this.fill([sku]);
  }
}
