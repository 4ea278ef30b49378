// Returns, by the contract: received units wait in the returns bin until they are inspected.
import { binFor, Refused } from "./bin_model.ts";
import { type BinCode, type House, houses, type Sku } from "./business.ts";
import { Model } from "./model.ts";
import type { OrderLine } from "./order_model.ts";
import { type Item, sum } from "./stock_model.ts";

export type Disposition = "restock" | "quarantine" | "dispose" | "return_to_sender";

/** Units in the item with this index. */
interface Waiting {
  readonly item: number;
  quantity: number;
}

/** Units of one order line that are to come back, and those that have. */
interface ReturnedLine {
  readonly line: number;
  readonly quantity: number;
  received: number;
}

/** A return of one SKU of an order. */
export interface ModelReturn {
  readonly order: number;
  readonly sku: Sku;
  status: "received" | "inspected";
  lines: ReturnedLine[];
  /** Received units, first received first; after the inspection those that wait to be restocked. */
  waits: Waiting[];
}

/** The result of inspecting some units. */
export interface Finding {
  readonly quantity: number;
  readonly disposition: Disposition;
  readonly lot: number | null;
  readonly bin: BinCode | null;
}

/** The plain model of everything related to orders and their returns. */
export class ReturnModel extends Model {
  returns: ModelReturn[] = [];

  override copy(): object {
    const returns = this.returns.map((one) => ({
      ...one,
      lines: one.lines.map((line) => ({ ...line })),
      waits: one.waits.map((units) => ({ ...units })),
    }));
    return { ...super.copy(), returns };
  }

  return(at: number): ModelReturn {
    return this.returns[at] as ModelReturn;
  }

  /** The lots of a SKU that an order was shipped. */
  lotsSold(order: number, sku: Sku): (number | null)[] {
    return [...new Set(this.order(order).sold.flatMap((one) => (one.sku === sku ? [one.lot] : [])))];
  }

  /** Units of a line that are in no return yet. */
  #left(order: number, own: OrderLine): number {
    const open = this.returns.filter((one) => one.order === order && one.status === "received");
    const claimed = open.flatMap(({ lines }) => lines.filter(({ line }) => line === own.id));
    return own.shipped - own.returned - sum(claimed.map(({ quantity }) => quantity));
  }

  /** Units of an order are returned, and the first of them arrive. */
  comeBack(at: number, sku: Sku, quantity: number, arrived: number): void {
    const order = this.order(at);
    if (order.lines.every((own) => this.#left(at, own) === 0)) throw new Refused("nothing_to_return");
    const own = order.lines.filter((line) => line.sku === sku);
    if (quantity > sum(own.map((line) => this.#left(at, line)))) throw new Refused("validation_failed");
    let open = quantity;
    const lines = own.flatMap((line) => {
      const units = Math.min(open, this.#left(at, line));
      open -= units;
      return units === 0 ? [] : [{ line: line.id, quantity: units, received: 0 }];
    });
    this.returns.push({ order: at, sku, status: "received", lines, waits: [] });
    this.arriveFrom(this.returns.length - 1, arrived);
  }

  /** More units of a return arrive, up to all of them. They wait where most of the SKU was shipped from. */
  arriveFrom(at: number, quantity: number): void {
    const own = this.return(at);
    const { sku, order } = own;
    if (own.status !== "received") throw new Refused("invalid_state_transition");
    const outstanding = sum(own.lines.map((line) => line.quantity - line.received));
    if (quantity > outstanding) throw new Refused("validation_failed");
    let open = quantity;
    this.settle([sku]);
    for (const line of own.lines) {
      const units = Math.min(open, line.quantity - line.received);
      open -= units;
      line.received += units;
    }
    const lots = this.lotsSold(order, sku);
    const item = this.place(sku, this.#houseOf(order, sku), "RETURNS", lots.length === 1 ? (lots[0] ?? null) : null);
    this.put(item, quantity, this.now);
    const known = own.waits.find((one) => one.item === item);
    if (known) known.quantity += quantity;
    else own.waits.push({ item, quantity });
    this.fill([sku]);
  }

  #houseOf(order: number, sku: Sku): House {
    const sold = this.order(order).sold.filter((one) => one.sku === sku);
    sold.sort((a, b) => b.quantity - a.quantity || houses.indexOf(a.house) - houses.indexOf(b.house));
    return sold[0]?.house ?? "main";
  }

  /** Inspects all received units of a return. */
  inspect(at: number, findings: readonly Finding[]): void {
    const own = this.return(at);
    const { sku, order } = own;
    if (own.status !== "received") throw new Refused("invalid_state_transition");
    const lots = this.lotsSold(order, sku);
    const unsure = ({ disposition, lot }: Finding) =>
      lot === null && lots.length > 1 && disposition !== "return_to_sender";
    if (findings.some(unsure)) throw new Refused("validation_failed");
    own.status = "inspected";
    const received = own.lines.map((line) => ({ ...line }));
    for (const { quantity, disposition } of findings) {
      let open = quantity;
      for (const line of received) {
        const units = Math.min(open, line.received);
        open -= units;
        line.received -= units;
        const of = this.order(order).lines.find(({ id }) => id === line.line);
        if (of !== undefined && disposition !== "return_to_sender") of.returned += units;
      }
    }
    this.settle([sku]);
    const waited = own.waits;
    own.waits = [];
    // Units that were written off while they waited were there after all.
    for (const { item: at, quantity } of waited) {
      const { on_hand } = this.item({ item: at });
      if (on_hand < quantity) this.put(at, quantity - on_hand, this.now);
    }
    for (const finding of findings) this.#moveOut(own, waited, finding, lots);
    this.fill([sku]);
  }

  #moveOut(
    own: ModelReturn,
    waited: Waiting[],
    { quantity, disposition, lot: named, bin }: Finding,
    lots: (number | null)[],
  ) {
    const lot = named ?? (lots.length === 1 ? (lots[0] ?? null) : null);
    const rank = (one: Waiting) => {
      const lies = this.item(one).lot;
      return lies === lot ? 0 : lies === null ? 1 : 2;
    };
    let open = quantity;
    for (const from of [...waited].sort((a, b) => rank(a) - rank(b))) {
      const units = Math.min(open, from.quantity);
      if (units === 0) continue;
      open -= units;
      from.quantity -= units;
      const item = this.item(from);
      const to = this.#destination(own.sku, item, disposition, lot ?? item.lot, bin);
      if (to !== from.item) {
        item.on_hand -= units;
        if (to !== null) this.put(to, units, item.received_at);
      }
      if (to !== null && this.item({ item: to }).kind === "returns") {
        const known = own.waits.find((one) => one.item === to);
        if (known) known.quantity += units;
        else own.waits.push({ item: to, quantity: units });
      }
    }
    if (open > 0) throw new Error("all units that are inspected were received");
  }

  /** The index of the item to which inspected units go; null for those that leave. */
  #destination(
    sku: Sku,
    { house }: Item,
    disposition: Disposition,
    lot: number | null,
    bin: BinCode | null,
  ): number | null {
    if (disposition === "dispose" || disposition === "return_to_sender") return null;
    if (disposition === "quarantine") return this.place(sku, house, "QUARANTINE", lot);
    return this.place(sku, house, bin === null ? "RETURNS" : binFor(this, sku, bin, house), lot);
  }

  /** Inspected units that wait go to a bin where they are for sale again. */
  shelve(at: number, quantity: number, bin: BinCode): void {
    const { sku, status, waits } = this.return(at);
    if (status === "received") throw new Refused("return_not_inspected");
    this.settle([sku]);
    const [found, ...others] = waits
      .map((one) => ({ one, item: this.item(one), units: Math.min(one.quantity, this.item(one).on_hand) }))
      .filter(({ units }) => units > 0);
    if (others.length > 0) throw new Refused("ambiguous_stock");
    if (found === undefined || quantity > found.units) throw new Refused("insufficient_inventory");
    const { house, lot, received_at } = found.item;
    const to = this.place(sku, house, binFor(this, sku, bin, house), lot);
    found.one.quantity -= quantity;
    found.item.on_hand -= quantity;
    this.put(to, quantity, received_at);
    this.fill([sku]);
  }
}
