// What a warehouse holds by its people's own count: where units are, and what became of each order.
import { expect } from "bun:test";

/** Units of one product, in one lot or in none. */
export interface Goods {
  readonly merchant_id: string;
  readonly sku: string;
  readonly lot_number: string | null;
}

/** An order as it was placed. */
export interface ModelOrder {
  readonly id: string;
  readonly merchant_id: string;
  readonly lines: ReadonlyMap<string, number>;
}

/** Units that were picked for an order, and the bin that they came from. */
interface StagedUnits extends Goods {
  readonly bin: string;
  quantity: number;
}

const goodsKey = ({ merchant_id, sku, lot_number }: Goods) => [merchant_id, sku, lot_number ?? ""].join(" ");
/** The reasons of entries that are compared one by one. */
const compared: ReadonlySet<string> = new Set(["picked", "unpicked", "put_back", "shipped"]);

/** The bin where the picked and packed units of an order are. */
const stagingOf = (order_id: string) => `staging of ${order_id}`;

/** Where the picked units of cancelled orders wait. */
const put_back_bin = "PUTBACK";

/** A bin, as the model names it. */
function placeOf(bin: string): string {
  const order_id = /ord_\d+$/.exec(bin)?.[0];
  return order_id === undefined ? bin : stagingOf(order_id);
}

function add(sums: Map<string, number>, key: string, quantity: number): void {
  const sum = (sums.get(key) ?? 0) + quantity;
  if (sum === 0) sums.delete(key);
  else sums.set(key, sum);
}

/** An item of stock, as the API shows it. */
export interface StockItem extends Goods {
  readonly bin: string;
  readonly quantity: number;
  readonly reserved: number;
}

/** An entry of the ledger, as the API shows it. */
export interface LedgerEntry extends Goods {
  readonly from_location: string | null;
  readonly to_location: string;
  readonly quantity: number;
  readonly reason: string;
  readonly reference: { readonly type: string; readonly id: string } | null;
}

/** Each act is entered once, when the person who did it knows that it is done. */
export class FloorModel {
  readonly orders = new Map<string, ModelOrder>();
  readonly packed = new Map<string, string>();
  readonly cancelled = new Set<string>();
  readonly shipped = new Set<string>();
  /** Units of closed and open parcels, by session. */
  readonly scanned = new Map<string, Map<string, number>>();
  readonly #sessions = new Map<string, string>();
  readonly #shelves = new Map<string, number>();
  readonly #staged = new Map<string, StagedUnits[]>();
  /** Units by reason, order and goods. */
  readonly #moved = new Map<string, number>();

  /** Units that a bin holds. */
  onShelf(goods: Goods, bin: string): number {
    return this.#shelves.get(`${goodsKey(goods)} ${bin}`) ?? 0;
  }

  #shelve(goods: Goods, bin: string, quantity: number): void {
    add(this.#shelves, `${goodsKey(goods)} ${bin}`, quantity);
    if (this.onShelf(goods, bin) < 0) throw new Error(`${bin} holds fewer than none of ${goodsKey(goods)}`);
  }

  receive(goods: Goods, bin: string, quantity: number): void {
    this.#shelve(goods, bin, quantity);
  }

  /** Units that are not there, or are thrown away. */
  lose(goods: Goods, bin: string, quantity: number): void {
    this.#shelve(goods, bin, -quantity);
  }

  /** The units that were picked for an order and have not left it. */
  stagedFor(order_id: string): readonly Readonly<StagedUnits>[] {
    return this.#staged.get(order_id) ?? [];
  }

  /** Whether all units of an order were picked. */
  isPicked(order_id: string): boolean {
    const staged = this.stagedFor(order_id).reduce((sum, { quantity }) => sum + quantity, 0);
    const ordered = [...(this.orders.get(order_id)?.lines.values() ?? [])].reduce((sum, quantity) => sum + quantity, 0);
    return staged >= ordered;
  }

  pick(order_id: string, goods: Goods, bin: string, quantity: number): void {
    this.#shelve(goods, bin, -quantity);
    const staged = this.#staged.get(order_id) ?? [];
    this.#staged.set(order_id, staged);
    staged.push({ ...goods, bin, quantity });
    add(this.#moved, `picked ${order_id} ${goodsKey(goods)}`, quantity);
  }

  /** Takes picked units of an order, into a bin or out of the house. */
  #unstage(order_id: string, goods: Goods, quantity: number): void {
    let left = quantity;
    for (const units of this.#staged.get(order_id) ?? []) {
      if (goodsKey(units) !== goodsKey(goods)) continue;
      const taken = Math.min(left, units.quantity);
      units.quantity -= taken;
      left -= taken;
    }
    if (left > 0) throw new Error(`order ${order_id} has ${left} fewer of ${goodsKey(goods)} than were taken`);
    const staged = this.stagedFor(order_id).filter((units) => units.quantity > 0);
    this.#staged.set(order_id, [...staged]);
  }

  /** Returns picked units to a bin. */
  shelveAgain(reason: "unpicked" | "put_back", order_id: string, goods: Goods, bin: string, quantity: number): void {
    this.#unstage(order_id, goods, quantity);
    this.#shelve(goods, bin, quantity);
    add(this.#moved, `${reason} ${order_id} ${goodsKey(goods)}`, quantity);
  }

  /** Scans units into a parcel, or takes them out again (below zero). */
  scan(session: string, sku: string, quantity: number, order_id: string): void {
    this.#sessions.set(session, order_id);
    const units = this.scanned.get(session) ?? new Map<string, number>();
    this.scanned.set(session, units);
    add(units, sku, quantity);
  }

  /** Units of an order that were scanned into its parcels. */
  scannedFor(order_id: string, sku: string): number {
    const own = [...this.scanned].filter(([session]) => this.#sessions.get(session) === order_id);
    return own.reduce((sum, [, units]) => sum + (units.get(sku) ?? 0), 0);
  }

  ship(order_id: string): void {
    this.shipped.add(order_id);
    for (const units of this.#staged.get(order_id) ?? []) {
      add(this.#moved, `shipped ${order_id} ${goodsKey(units)}`, units.quantity);
    }
    this.#staged.delete(order_id);
  }

  /** Units by goods and bin. */
  #places(): Map<string, number> {
    const places = new Map(this.#shelves);
    for (const [order_id, staged] of this.#staged) {
      const bin = this.cancelled.has(order_id) ? put_back_bin : stagingOf(order_id);
      for (const units of staged) add(places, `${goodsKey(units)} ${bin}`, units.quantity);
    }
    return places;
  }

  /** Units, ledger and parcels are as the model has them. */
  compare(items: readonly StockItem[], ledger: readonly LedgerEntry[]): void {
    const there = new Map<string, number>();
    for (const item of items) add(there, `${goodsKey(item)} ${placeOf(item.bin)}`, item.quantity);
    expect(sorted(there)).toEqual(sorted(this.#places()));
    const entered = new Map<string, number>();
    const moved = new Map<string, number>();
    for (const entry of ledger) {
      const { from_location: from, to_location: to, quantity, reason, reference } = entry;
      if (from !== null) add(entered, `${goodsKey(entry)} ${placeOf(from)}`, -quantity);
      if (!outside.has(to)) add(entered, `${goodsKey(entry)} ${placeOf(to)}`, quantity);
      if (reference?.type === "order" && compared.has(reason))
        add(moved, `${reason} ${reference.id} ${goodsKey(entry)}`, quantity);
    }
    expect(sorted(entered)).toEqual(sorted(this.#places()));
    expect(sorted(moved)).toEqual(sorted(this.#moved));
  }

  /** Each packed order has one parcel that holds exactly its units. Each unit was scanned once. */
  compareParcels(): void {
    const wrong = [...this.packed].filter(([order_id, session]) => {
      const lines = this.orders.get(order_id)?.lines ?? new Map();
      return !Bun.deepEquals(sorted(this.scanned.get(session) ?? new Map()), sorted(lines));
    });
    expect(wrong).toEqual([]);
  }

  /** Units that are reserved for orders, by product, when every open order has all of its units. */
  reserved(): Map<string, number> {
    const sums = new Map<string, number>();
    for (const { id, merchant_id, lines } of this.orders.values()) {
      if (this.cancelled.has(id) || this.shipped.has(id)) continue;
      for (const [sku, quantity] of lines) add(sums, `${merchant_id} ${sku}`, quantity);
    }
    return sums;
  }
}

const outside: ReadonlySet<string> = new Set(["customer", "write_off"]);

/** The sums of a map in the order of their keys. */
export const sorted = (sums: ReadonlyMap<string, number>) => [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
