// Warehouse operations, by the contract: lots are quarantined, deliveries arrive, units are moved between warehouses,
// and bins are counted.
import { binFor, Refused } from "./bin_model.ts";
import { type BinCode, endOf, type House, houses, type LotStatus, type Sku } from "./business.ts";
import { ReturnModel } from "./return_model.ts";
import { type Claim, type Item, sum } from "./stock_model.ts";

/** Units of one lot, or without one, that are in transit between two warehouses. */
interface Load {
  readonly sku: Sku;
  readonly lot: number | null;
  received_at: number;
  quantity: number;
}

interface Transfer {
  readonly to: House;
  status: "in_transit" | "received";
  loads: Load[];
}

/** Units that arrive, of one lot if it is named. */
export interface Arrival {
  readonly sku: Sku;
  readonly lot: number | null;
  readonly quantity: number;
  readonly bin: BinCode | null;
}

/** Units that are moved from one bin to another. */
export interface Moving {
  readonly sku: Sku;
  readonly quantity: number;
  readonly house: House;
  readonly bin: BinCode;
  readonly to: BinCode;
}

interface Delivery {
  readonly house: House;
  readonly sku: Sku;
  status: "expected" | "receiving" | "closed" | "cancelled";
  outstanding: number;
}

export type GivenStatus = Exclude<LotStatus, "expired">;
export type Condition = "good" | "damaged" | "quarantined";

// The states from which a lot may change to another.
const lotMoves: Readonly<Record<GivenStatus, readonly LotStatus[]>> = {
  available: ["on_hold", "quarantined", "recalled", "damaged"],
  on_hold: ["available", "quarantined"],
  quarantined: ["available", "on_hold", "damaged", "expired"],
  recalled: ["available", "on_hold", "quarantined", "damaged", "expired"],
  damaged: ["available", "on_hold", "quarantined", "expired"],
};

const isOver = ({ status }: Delivery) => status === "closed" || status === "cancelled";

/** The complete plain model. */
export class HouseModel extends ReturnModel {
  transfers: Transfer[] = [];
  deliveries: Delivery[] = [];

  override copy(): object {
    const transfers = this.transfers.map((one) => ({ ...one, loads: one.loads.map((load) => ({ ...load })) }));
    return { ...super.copy(), transfers, deliveries: this.deliveries.map((one) => ({ ...one })) };
  }

  override incoming(sku: Sku): number {
    const loads = this.transfers.flatMap((transfer) => transfer.loads).filter((load) => load.sku === sku);
    const awaited = this.deliveries.filter((delivery) => delivery.sku === sku && !isOver(delivery));
    return sum(loads.map((load) => load.quantity)) + sum(awaited.map((delivery) => delivery.outstanding));
  }

  extend(claim: Claim, expires_at: number): void {
    this.settle(claim.lines.map((line) => line.sku));
    if (claim.order !== null) throw new Refused("reservation_committed");
    if (claim.status === "released" || this.isOverdue(claim)) throw new Refused("reservation_closed");
    if (expires_at < (claim.expires_at ?? 0)) throw new Refused("validation_failed");
    claim.expires_at = expires_at;
  }

  /** Lots belong to the one SKU that has any. */
  setLot(lot: number, status: GivenStatus): void {
    this.settle(["LOTTED"]);
    const before = this.stateOf(lot);
    this.lots.set(lot, before);
    if (before === status) return;
    if (!lotMoves[status].includes(before)) throw new Refused("invalid_state_transition");
    if (status === "available" && endOf(lot) <= this.now) throw new Refused("validation_failed");
    this.lots.set(lot, status);
    const own = [...this.items.entries()].filter(([, item]) => item.lot === lot && item.kind !== "staging");
    if (before === "available") for (const [at, item] of own) this.displace(at, item.reserved);
    if (status === "available") this.fill(["LOTTED"]);
  }

  /** Units are sent from a warehouse to the other one: available ones, the first to expire first. */
  send(from: House, wants: readonly { readonly sku: Sku; readonly quantity: number }[]): void {
    this.settle(wants.map(({ sku }) => sku));
    const loads = wants.flatMap(({ sku, quantity }) => this.#load(from, sku, quantity));
    const to = houses.find((house) => house !== from) as House;
    this.transfers.push({ to, status: "in_transit", loads });
  }

  #load(house: House, sku: Sku, quantity: number): Load[] {
    const free = [...this.items.entries()]
      .map(([at, item]) => ({ at, item, units: item.on_hand - item.reserved }))
      .filter(({ item, units }) => item.sku === sku && item.house === house && this.promisable(item) && units > 0);
    free.sort(
      (a, b) =>
        (a.item.lot ?? 0) - (b.item.lot ?? 0) ||
        a.item.received_at - b.item.received_at ||
        a.units - b.units ||
        a.item.pick_order - b.item.pick_order ||
        a.at - b.at,
    );
    let left = quantity;
    const loads: Load[] = [];
    for (const { item, units } of free) {
      const taken = Math.min(left, units);
      if (taken === 0) continue;
      left -= taken;
      item.on_hand -= taken;
      const { lot, received_at } = item;
      const load = loads.find((one) => one.lot === lot);
      if (load === undefined) loads.push({ sku, lot, received_at, quantity: taken });
      else
        Object.assign(load, { quantity: load.quantity + taken, received_at: Math.min(load.received_at, received_at) });
    }
    if (left > 0) throw new Refused("insufficient_inventory");
    return loads;
  }

  /** All units of a transfer that are in transit arrive, or are written off. */
  arrive(at: number, lost: boolean): void {
    const transfer = this.transfers[at] as Transfer;
    if (transfer.status === "received" && lost) return;
    if (transfer.status === "received") throw new Refused("invalid_state_transition");
    const touched = this.loadsOf(at).map(({ sku }) => sku);
    this.settle(touched);
    for (const { sku, lot, quantity, received_at } of this.loadsOf(at)) {
      const place = this.place(sku, transfer.to, lost ? "QUARANTINE" : binFor(this, sku, null, transfer.to), lot);
      if (!lost) this.put(place, quantity, received_at);
    }
    Object.assign(transfer, { status: "received", loads: [] });
    if (!lost) this.fill(touched);
  }

  /** Some units in transit arrive, from the loads in their order. */
  arriveSome(at: number, { sku, lot, quantity, bin }: Arrival): void {
    const transfer = this.transfers[at] as Transfer;
    if (transfer.status === "received") throw new Refused("invalid_state_transition");
    const meant = transfer.loads.filter((load) => load.sku === sku && (lot === null || load.lot === lot));
    if (quantity > sum(meant.map((load) => load.quantity))) throw new Refused("validation_failed");
    this.settle([sku]);
    let left = quantity;
    for (const load of meant) {
      const units = Math.min(left, load.quantity);
      if (units === 0) continue;
      left -= units;
      load.quantity -= units;
      this.put(this.place(sku, transfer.to, binFor(this, sku, bin, transfer.to), load.lot), units, load.received_at);
    }
    if (transfer.loads.every((load) => load.quantity === 0)) transfer.status = "received";
    this.fill([sku]);
  }

  /** The units in transit of a transfer. */
  loadsOf(at: number): readonly Load[] {
    return this.transfers[at]?.loads.filter((load) => load.quantity > 0) ?? [];
  }

  announce(house: House, sku: Sku, quantity: number): void {
    this.deliveries.push({ house, sku, status: "expected", outstanding: quantity });
  }

  /** Units of a delivery are scanned; more than expected are accepted as well. */
  scan(at: number, quantity: number, lot: number | null, condition: Condition): void {
    const delivery = this.deliveries[at] as Delivery;
    if (isOver(delivery)) throw new Refused("invalid_state_transition");
    const { sku, house } = delivery;
    this.settle([sku]);
    if (sku === "LOTTED" && lot === null) throw new Refused("validation_failed");
    this.know(lot);
    const aside = { damaged: "DAMAGE", quarantined: "QUARANTINE" } as const;
    const bin = condition === "good" ? binFor(this, sku, null, house) : aside[condition];
    this.put(this.place(sku, house, bin, lot), quantity, this.now);
    delivery.outstanding -= Math.min(quantity, delivery.outstanding);
    delivery.status = "receiving";
    this.fill([sku]);
  }

  close(at: number): void {
    const delivery = this.deliveries[at] as Delivery;
    if (delivery.status === "cancelled") throw new Refused("invalid_state_transition");
    delivery.status = "closed";
  }

  /** Cancels a delivery of which nothing has arrived. */
  callOff(at: number): void {
    const delivery = this.deliveries[at] as Delivery;
    if (delivery.status === "cancelled") return;
    if (delivery.status !== "expected") throw new Refused("invalid_state_transition");
    delivery.status = "cancelled";
  }

  /** Moves units of a SKU from one bin to another of the same warehouse; none of them is reserved. */
  move({ sku, quantity, house, bin: from, to }: Moving): void {
    this.settle([sku]);
    const [item, ...others] = this.lyingIn(sku, house, from);
    if (others.length > 0) throw new Refused("ambiguous_stock");
    if (item === undefined || item.on_hand < quantity) throw new Refused("insufficient_inventory");
    const bin = binFor(this, sku, to, house);
    if (bin === from) throw new Refused("validation_failed");
    item.on_hand -= quantity;
    this.put(this.place(sku, house, bin, item.lot), quantity, item.received_at);
    this.fill([sku]);
  }

  /** The units of a SKU in a bin, by lot. */
  lyingIn(sku: Sku, house: House, bin: BinCode): Item[] {
    return this.items.filter((one) => one.sku === sku && one.house === house && one.bin === bin && one.on_hand > 0);
  }

  /** Counts a bin, and adjusts the stock to what was found. */
  count(sku: Sku, house: House, bin: BinCode, lot: number | null, off: number, shortfall: boolean): void {
    if (lot !== null && !this.lots.has(lot)) throw new Refused("validation_failed");
    const at = this.place(sku, house, bin, lot);
    const item = this.item({ item: at });
    const counted = Math.max(0, item.on_hand + off);
    const more = counted - item.on_hand;
    if (more === 0) return;
    this.settle([sku]);
    const waiting = more > 0 ? [] : this.displace(at, Math.max(0, item.reserved - counted));
    if (waiting.length > 0 && !shortfall) throw new Refused("would_break_reservations");
    if (more > 0) this.put(at, more, this.now);
    else item.on_hand = counted;
    this.fill([sku]);
  }
}
