// Warehouse work, by the contract: order fulfillment, on top of the plain model of orders.

import { binFor, Refused } from "./bin_model.ts";
import type { BinCode, House, Sku, Ware } from "./business.ts";
import { kept, type ModelOrder, type OrderLine, OrderModel } from "./order_model.ts";
import { type Line, sum } from "./stock_model.ts";

/** Units of an order line, or whole sets of it. */
interface Units {
  readonly own: OrderLine;
  readonly quantity: number;
}

/** Units to pick for a line of an order's claim. */
interface Picks {
  readonly line: Line;
  readonly quantity: number;
  readonly bin?: BinCode | null;
  readonly lot?: number | null;
}

/** The plain model of everything related to orders. */
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

  /** The units or sets of each line that its parts add up to, by the given count; only lines that have any. */
  #unitsOf(at: number, count: (line: Line) => number): Units[] {
    return this.order(at).lines.flatMap((own) => {
      const quantity = this.sets(at, own, count);
      return quantity > 0 ? [{ own, quantity }] : [];
    });
  }

  #packedHere(at: number): Units[] {
    return this.order(at).lines.flatMap((own) => {
      const quantity = own.packed - own.shipped;
      return quantity > 0 ? [{ own, quantity }] : [];
    });
  }

  #isShort(at: number): boolean {
    return this.order(at).lines.some(
      (own) => this.sets(at, own, (line) => line.wanted) > this.sets(at, own, (line) => this.reserved(line)),
    );
  }

  /**
   * A waiting order first gets the stock that is free by now, and loses expired units. An order that is entirely in
   * staging needs nothing from the shelves, so it is skipped.
   */
  #getFree(at: number): void {
    const { lines } = this.claimOf(at);
    if (lines.every((line) => this.picked(line) === line.wanted)) return;
    const own = lines.map((line) => line.sku);
    if (this.#isShort(at) || own.some((sku) => this.isDue(sku))) this.settle(own);
  }

  #refuseShort(at: number, partial: boolean): void {
    if (!partial && this.#isShort(at)) throw new Refused("insufficient_inventory");
  }

  /** The units that must still be picked to complete this many sets of a line. */
  #picksUpTo(at: number, own: OrderLine, sets: number): Picks[] {
    return this.parts(at, own).flatMap(({ line, each }) => {
      const quantity = sets * each - this.picked(line);
      return quantity > 0 ? [{ line, quantity }] : [];
    });
  }

  /** Picks everything reserved, or some units of the first ware that matches. */
  pick(at: number, named: { sku: Ware; quantity: number; bin: BinCode | null } | null, partial: boolean): void {
    this.refuseUnless(this.order(at), ["pending", "processing"]);
    this.#getFree(at);
    if (named === null) this.#refuseShort(at, partial);
    const picks =
      named === null
        ? this.#unitsOf(at, (line) => this.reserved(line)).flatMap(({ own, quantity }) =>
            this.#picksUpTo(at, own, quantity),
          )
        : this.#named(at, named).map((units) => ({ ...units, bin: named.bin }));
    this.#inWork(at);
    this.#pickUnits(at, picks);
  }

  /** Lines can be named by the ware that they sell, and sets by one of their parts. */
  #named(at: number, { sku, quantity }: { sku: Ware; quantity: number }): Picks[] {
    let left = quantity;
    let known = false;
    const picks: Picks[] = [];
    for (const own of this.order(at).lines) {
      const parts = this.parts(at, own);
      if (own.sku === sku) {
        known = true;
        const done = this.sets(at, own, (line) => this.picked(line));
        const units = Math.min(left, this.sets(at, own, (line) => line.wanted) - done);
        left -= units;
        if (units > 0) picks.push(...this.#picksUpTo(at, own, done + units));
        continue;
      }
      for (const { line } of parts.filter((part) => part.line.sku === sku)) {
        known = true;
        const units = Math.min(left, line.wanted - this.picked(line));
        left -= units;
        if (units > 0) picks.push({ line, quantity: units });
      }
    }
    if (!known) throw new Refused("resource_missing");
    if (left > 0) throw new Refused("validation_failed");
    return picks;
  }

  /**
   * Units of the first ware that matches are missing from their planned location: others replace them, if there are
   * any.
   */
  miss(at: number, named: { sku: Ware; quantity: number; bin: BinCode | null }): void {
    const order = this.order(at);
    this.refuseUnless(order, ["pending", "processing"]);
    this.#getFree(at);
    const missed = this.#named(at, named);
    this.#inWork(at);
    const { lines, house, cold } = this.claimOf(at);
    const touched = lines.map((line) => line.sku);
    this.settle(touched);
    const lost = new Map<Line, number>();
    for (const { line, quantity } of missed) {
      let left = quantity;
      for (const hold of this.shelved(line).map((one) => ({ ...one }))) {
        const units = named.bin === null || this.item(hold).bin === named.bin ? Math.min(left, hold.quantity) : 0;
        if (units === 0) continue;
        left -= units;
        this.free(line, hold.item, units);
        this.item(hold).on_hand -= units;
      }
      if (left > 0) throw new Refused("insufficient_inventory");
      lost.set(line, (lost.get(line) ?? 0) + quantity);
    }
    const wants = [...lost].map(([{ sku }, quantity]) => ({ sku, quantity, order_line: null }));
    const { portions, missing } = this.plan(wants, { house, cold, own: new Map() });
    for (const [index, line] of [...lost.keys()].entries()) {
      for (const { item, quantity } of portions[index] ?? []) this.hold(line, item, quantity);
    }
    this.fill(touched);
    order.short = sum(missing) > 0;
  }

  /** As the order's own job does: an order that was short continues once it waits for nothing. */
  settleShorts(): void {
    for (const at of this.orders.keys()) this.settleShort(at);
  }

  #pickUnits(at: number, picks: readonly Picks[]): void {
    if (picks.length === 0) return;
    this.settle(this.claimOf(at).lines.map((line) => line.sku));
    for (const pick of picks) this.#pickLine(at, pick);
  }

  #pickLine(at: number, { line, quantity, bin = null }: Picks): void {
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

  /** Picks units that were not planned for the line, from its warehouses, and releases as many of the planned ones. */
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
      const units = this.promisable(item) ? Math.min(left, item.on_hand - item.reserved) : 0;
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
    const order = this.order(at);
    order.picked_from.push({ item: to, from, quantity });
    order.billed.picks += quantity;
  }

  /** Picked units of a part of a line that are not packed. */
  #loose(own: OrderLine, { line, each }: { readonly line: Line; readonly each: number }): number {
    return this.picked(line) - (own.packed - own.shipped) * each;
  }

  /** The steps that can be taken back. */
  undoable(at: number): string[] {
    const { status, lines } = this.order(at);
    const loose = lines.some((own) => this.parts(at, own).some((part) => this.#loose(own, part) > 0));
    return [
      ...(status === "processing" && loose ? ["unpick"] : []),
      ...(["processing", "fulfilled"].includes(status) && this.#packedHere(at).length > 0 ? ["unpack"] : []),
    ];
  }

  /** Returns everything that is picked and not packed, or some units of the first ware that matches, to their bins. */
  unpick(at: number, named: { sku: Ware; quantity: number } | null): void {
    if (!this.undoable(at).includes("unpick")) throw new Refused("invalid_state_transition");
    const units = this.#looseUnits(at, named);
    this.settle(this.claimOf(at).lines.map((line) => line.sku));
    const freed = units.flatMap(({ line, quantity }) => this.#unpickLine(this.order(at), line, quantity));
    this.fill(freed);
    this.order(at).undone.push("unpick");
  }

  #looseUnits(at: number, named: { sku: Ware; quantity: number } | null): Picks[] {
    const parts = this.order(at).lines.flatMap((own) =>
      this.parts(at, own).map((part) => ({ ...part, own, loose: this.#loose(own, part) })),
    );
    if (named === null) return parts.flatMap(({ line, loose }) => (loose > 0 ? [{ line, quantity: loose }] : []));
    const { sku } = named;
    let left = named.quantity;
    const meant = this.order(at).lines.flatMap((own): Picks[] => {
      const mine = parts.filter((part) => part.own === own);
      const sets = Math.min(...mine.map(({ loose, each }) => Math.floor(loose / each)));
      const units = Math.min(left, own.sku === sku ? sets : (mine.find(({ line }) => line.sku === sku)?.loose ?? 0));
      left -= units;
      if (own.sku === sku) return mine.map(({ line, each }) => ({ line, quantity: units * each }));
      return mine.flatMap(({ line }) => (line.sku === sku ? [{ line, quantity: units }] : []));
    });
    if (meant.length === 0) throw new Refused("resource_missing");
    if (left > 0) throw new Refused("validation_failed");
    return meant;
  }

  /** Returns units of a line to the shelf, the last picks first. Returns their SKU if others may have them now. */
  #unpickLine(order: ModelOrder, line: Line, quantity: number): Sku[] {
    let left = quantity;
    const freed: Sku[] = [];
    order.billed.picks -= quantity;
    for (const hold of this.staged(line).reverse()) {
      let units = Math.min(left, hold.quantity);
      left -= units;
      const { sku, house, lot, received_at } = this.item(hold);
      const keeps = this.isGood(lot);
      if (units > 0 && !keeps) freed.push(sku);
      for (const one of order.picked_from.filter(({ item }) => item === hold.item).reverse()) {
        const some = Math.min(units, one.quantity);
        if (some === 0) continue;
        units -= some;
        one.quantity -= some;
        const to = this.place(
          sku,
          house,
          this.#binAgain(sku, house, this.item({ item: one.from }).bin as BinCode),
          lot,
        );
        this.free(line, hold.item, some);
        this.item(hold).on_hand -= some;
        this.put(to, some, received_at);
        if (keeps) this.hold(line, to, some);
      }
    }
    return freed;
  }

  /** The bin that units were picked from, or the usual one if it does not take them any more. */
  #binAgain(sku: Sku, house: House, bin: BinCode): BinCode {
    try {
      return binFor(this, sku, bin, house);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return binFor(this, sku, null, house);
    }
  }

  /** Unpacks everything that is packed and in the house, or some units of the first ware that matches. */
  unpack(at: number, named: { sku: Ware; quantity: number } | null): void {
    if (!this.undoable(at).includes("unpack")) throw new Refused("invalid_state_transition");
    const order = this.order(at);
    if (named !== null && !order.lines.some(({ sku }) => sku === named.sku)) throw new Refused("resource_missing");
    let left = named?.quantity ?? Number.POSITIVE_INFINITY;
    for (const own of order.lines) {
      if (named !== null && own.sku !== named.sku) continue;
      const units = Math.min(left, own.packed - own.shipped);
      left -= units;
      own.packed -= units;
      order.billed.packs -= units * sum(this.parts(at, own).map(({ each }) => each));
    }
    if (named !== null && left > 0) throw new Refused("validation_failed");
    order.undone.push(order.status === "fulfilled" ? "unpack" : "unpack_part");
    order.status = "processing";
  }

  pack(at: number, partial: boolean): void {
    this.refuseUnless(this.order(at), ["pending", "processing"]);
    this.#getFree(at);
    this.#refuseShort(at, partial);
    this.#ready(
      at,
      this.#unitsOf(at, (line) => this.reserved(line)),
    );
  }

  /** Brings units to the packed state, by the missing steps. */
  #ready(at: number, units: readonly Units[]): void {
    if (units.length === 0) throw new Refused("insufficient_inventory");
    this.#inWork(at);
    const packs = units
      .map(({ own, quantity }) => ({ own, here: own.packed - own.shipped, quantity }))
      .map(({ own, here, quantity }) => ({ own, here, more: Math.max(0, quantity - here) }))
      .filter(({ more }) => more > 0);
    this.#pickUnits(
      at,
      packs.flatMap(({ own, here, more }) => this.#picksUpTo(at, own, here + more)),
    );
    const order = this.order(at);
    for (const { own, more } of packs) {
      own.packed += more;
      order.billed.packs += more * sum(this.parts(at, own).map(({ each }) => each));
    }
    if (packs.length > 0 && order.lines.every((own) => own.packed === kept(own))) order.status = "fulfilled";
  }

  ship(at: number, partial: boolean): void {
    const order = this.order(at);
    this.refuseUnless(order, ["pending", "processing", "fulfilled"]);
    this.#getFree(at);
    this.#refuseShort(at, partial);
    const packed = this.#packedHere(at);
    const units = partial && packed.length > 0 ? packed : this.#unitsOf(at, (line) => this.reserved(line));
    this.#ready(at, units);
    this.settle(this.claimOf(at).lines.map((line) => line.sku));
    for (const { own, quantity } of units) {
      for (const { line, each } of this.parts(at, own)) this.#handOver(order, line, quantity * each);
      own.shipped += quantity;
    }
    if (order.lines.every((own) => own.shipped === kept(own))) order.status = "shipped";
  }

  #handOver(order: ModelOrder, line: Line, quantity: number): void {
    let left = quantity;
    for (const hold of this.staged(line).map((one) => ({ ...one }))) {
      const item = this.item(hold);
      const units = Math.min(left, hold.quantity);
      if (units === 0) continue;
      if (!this.isGood(item.lot)) throw new Refused("lot_not_pickable");
      left -= units;
      this.leftStaging(order, hold.item, units);
      this.free(line, hold.item, units);
      item.on_hand -= units;
      const { sku, house, lot } = item;
      const known = order.sold.find((one) => one.sku === sku && one.house === house && one.lot === lot);
      if (known) known.quantity += units;
      else order.sold.push({ sku, house, lot, quantity: units });
    }
    line.wanted -= quantity;
  }

  /** Units released by a cancelled order go to a bin where they are for sale again. */
  putBack(at: number, sku: Sku, quantity: number, bin: BinCode): void {
    this.settle([sku]);
    const waiting = this.order(at)
      .given_up.filter((one) => one.quantity > 0 && this.item(one).sku === sku && this.item(one).on_hand > 0)
      .map((one) => ({ one, item: this.item(one), waits: Math.min(one.quantity, this.item(one).on_hand) }));
    const [found, ...others] = waiting;
    if (others.length > 0) throw new Refused("ambiguous_stock");
    if (found === undefined || quantity > found.waits) throw new Refused("insufficient_inventory");
    const { house, lot, received_at } = found.item;
    const to = this.place(sku, house, binFor(this, sku, bin, house), lot);
    found.one.quantity -= quantity;
    found.item.on_hand -= quantity;
    this.put(to, quantity, received_at);
    this.fill([sku]);
  }
}
