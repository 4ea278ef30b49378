// Orders and returns, by the contract, on top of the plain model of the stock.
import { Refused } from "./bin_model.ts";
import { type House, type Kit, partsOf, type Sku, type Ware } from "./business.ts";
import { added, type Claim, type Line, StockModel, sum, type Want } from "./stock_model.ts";

export type OrderStatus = "pending" | "processing" | "fulfilled" | "shipped" | "cancelled";

export interface OrderLine {
  readonly id: number;
  readonly sku: Ware;
  quantity: number;
  packed: number;
  shipped: number;
  returned: number;
  cancelled: number;
}

export interface ModelOrder {
  readonly ref: string;
  status: OrderStatus;
  /** Null unless held; otherwise whether the hold released its stock. */
  hold: { readonly free: boolean } | null;
  /** Whether it is held for units of a recalled lot, until it has none left. */
  recalled: boolean;
  /** Whether it is held because units were missing during picking, until it waits for none. */
  short: boolean;
  priority: number;
  cold: boolean;
  readonly house: House | null;
  readonly backorders: boolean;
  lines: OrderLine[];
  /** Units that were picked before the cancellation, by the item in which they wait to be restocked. */
  given_up: { readonly item: number; quantity: number }[];
  /** The units in each staging item, and the item that they were picked from; last picks last. */
  picked_from: { readonly item: number; readonly from: number; quantity: number }[];
  /** The steps that were taken back, as the history names them. */
  undone: string[];
  /** The units that picks and packs are billed for. */
  billed: { picks: number; packs: number };
  /** The shipped units, and where they came from. */
  sold: { readonly sku: Sku; readonly house: House; readonly lot: number | null; quantity: number }[];
}

export interface NewOrder extends Pick<ModelOrder, "ref" | "priority" | "cold" | "house" | "backorders"> {
  readonly lines: readonly { readonly sku: Ware; readonly quantity: number }[];
}

/** The numbers of an order line as the API returns them. */
interface LineLevel {
  readonly sku: Ware;
  readonly quantity: number;
  readonly reserved: number;
  readonly backordered: number;
  readonly picked: number;
  readonly packed: number;
  readonly shipped: number;
  readonly returned: number;
  readonly cancelled: number;
}

/** Units of a line that are still ordered, including shipped ones. */
export const kept = ({ quantity, cancelled }: OrderLine): number => quantity - cancelled;

export class OrderModel extends StockModel {
  orders: ModelOrder[] = [];

  // ---- one operation, or none of it

  /** Does the work, or undoes all of it if it is refused. Returns the code of the refusal, or null. */
  attempt(work: () => void): string | null {
    const before = this.copy();
    try {
      work();
      return null;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      Object.assign(this, before);
      return error.code;
    }
  }

  /** The state that a refused operation must leave unchanged. */
  copy(): object {
    const line = (one: Line): Line => ({ ...one, holds: one.holds.map((hold) => ({ ...hold })) });
    return {
      items: this.items.map((item) => ({ ...item })),
      claims: this.claims.map((claim) => ({ ...claim, lines: claim.lines.map(line) })),
      lots: new Map(this.lots),
      orders: this.orders.map((order) => ({
        ...order,
        lines: order.lines.map((one) => ({ ...one })),
        given_up: order.given_up.map((one) => ({ ...one })),
        picked_from: order.picked_from.map((one) => ({ ...one })),
        undone: [...order.undone],
        billed: { ...order.billed },
        sold: order.sold.map((one) => ({ ...one })),
      })),
    };
  }

  order(at: number): ModelOrder {
    return this.orders[at] as ModelOrder;
  }

  claimOf(order: number): Claim {
    return this.claims.find((claim) => claim.order === order) as Claim;
  }

  /** Reserves for an order that may come. An existing order uses its own claim, if that covers everything wanted. */
  override book(ref: string, wants: readonly Want[], house: House | null, cold: boolean, expires_at: number): Claim {
    const own = this.claims.find((claim) => claim.order !== null && claim.ref === ref);
    if (own === undefined) return super.book(ref, wants, house, cold, expires_at);
    const summed = added(wants);
    this.settle(summed.map(({ sku }) => sku));
    if (own.lines.every((line) => line.wanted === 0)) throw new Refused("reservation_closed");
    const of = (sku: Sku, count: (line: Line) => number) =>
      sum(own.lines.filter((line) => line.sku === sku).map(count));
    if (summed.some(({ sku, quantity }) => quantity > of(sku, (line) => line.wanted))) {
      throw new Refused("reservation_committed");
    }
    if (summed.some(({ sku, quantity }) => quantity > of(sku, (line) => this.reserved(line)))) {
      throw new Refused("insufficient_inventory");
    }
    return own;
  }

  /** The stock held for an order line: one line of its claim for each component of a set. */
  parts(order: number, { id, sku }: OrderLine): { line: Line; each: number }[] {
    const own = this.claimOf(order).lines.filter((one) => one.order_line === id);
    return partsOf(sku).flatMap(([part, each]) => {
      const line = own.find((one) => one.sku === part);
      return line === undefined ? [] : [{ line, each }];
    });
  }

  /** Complete sets: every part is there. */
  sets(order: number, own: OrderLine, count: (line: Line) => number): number {
    const parts = this.parts(order, own);
    return parts.length === 0 ? 0 : Math.min(...parts.map(({ line, each }) => Math.floor(count(line) / each)));
  }

  /** The number of sets that can be made from their parts. */
  available(kit: Kit): number {
    return Math.min(...partsOf(kit).map(([sku, each]) => Math.floor(this.level(sku).available / each)));
  }

  isHeld(order: ModelOrder): boolean {
    return this.isStopped(order) || order.short;
  }

  /** Whether a hold keeps its backorders from being filled. */
  isStopped({ hold, recalled }: ModelOrder): boolean {
    return hold !== null || recalled;
  }

  /** Lets an order that was short continue, once it waits for nothing. */
  settleShort(at: number): void {
    const order = this.order(at);
    const waits = (own: OrderLine) =>
      this.sets(at, own, (line) => line.wanted) - this.sets(at, own, (line) => this.reserved(line));
    if (order.short && sum(order.lines.map(waits)) === 0) order.short = false;
  }

  levels(at: number): LineLevel[] {
    const order = this.order(at);
    const over = order.status === "shipped" || order.status === "cancelled";
    return order.lines.map((own) => {
      const { sku, quantity, packed, shipped, returned, cancelled } = own;
      const count = (of: (line: Line) => number) => (over ? 0 : this.sets(at, own, of));
      const reserved = count((line) => this.reserved(line));
      const picked = count((line) => this.picked(line));
      const backordered = count((line) => line.wanted) - reserved;
      const counts = { reserved, backordered, picked: picked + shipped, packed, shipped, returned, cancelled };
      return { sku, quantity, ...counts };
    });
  }

  #wants(lines: readonly OrderLine[]): Want[] {
    return lines.flatMap((own) =>
      partsOf(own.sku).map(([part, each]) => ({ sku: part, quantity: kept(own) * each, order_line: own.id })),
    );
  }

  #newLine({ sku, quantity }: NewOrder["lines"][number]): OrderLine {
    return { id: this.nextId(), sku, quantity, packed: 0, shipped: 0, returned: 0, cancelled: 0 };
  }

  // ---- create, change

  create(input: NewOrder, booking: Claim | null): void {
    const { ref, priority, cold, house, backorders } = input;
    const at = this.orders.length;
    const lines = input.lines.map((line) => this.#newLine(line));
    this.orders.push({
      ref,
      status: "pending",
      hold: null,
      recalled: false,
      short: false,
      priority,
      cold,
      house,
      backorders,
      lines,
      given_up: [],
      picked_from: [],
      undone: [],
      billed: { picks: 0, packs: 0 },
      sold: [],
    });
    const wants = this.#wants(lines);
    this.settle(wants.map(({ sku }) => sku));
    const adopted = this.#adopted(ref, booking);
    const old = adopted.flatMap((claim) => claim.lines);
    const touched = old.map((line) => line.sku);
    this.settle(touched);
    const [first = null, ...others] = adopted;
    const claim = first ?? this.newClaim({ order: at, ref, priority, house, cold, expires_at: null });
    const { portions, missing } = this.plan(wants, { house, cold, own: this.#shelvedUnits(old) });
    if (!backorders && sum(missing) > 0) throw new Refused("insufficient_inventory");
    for (const other of others) Object.assign(other, { status: "released", lines: [] });
    Object.assign(claim, { order: at, ref, priority, house, cold, expires_at: null });
    this.replace(claim, old, wants, portions);
    this.fill(touched);
  }

  /** The named reservation, or all that were made for this order number. */
  #adopted(ref: string, booking: Claim | null): Claim[] {
    const open = (claim: Claim) => claim.status === "reserved" && claim.order === null && !this.isOverdue(claim);
    if (booking === null) return this.claims.filter((claim) => claim.ref === ref && open(claim));
    const named = this.claims.find(({ id }) => id === booking.id) as Claim;
    if (named.order !== null) throw new Refused("reservation_committed");
    if (!open(named)) throw new Refused("reservation_closed");
    return [named];
  }

  #shelvedUnits(lines: readonly Line[]): Map<number, number> {
    const units = new Map<number, number>();
    for (const { item, quantity } of lines.flatMap((line) => this.shelved(line))) {
      units.set(item, (units.get(item) ?? 0) + quantity);
    }
    return units;
  }

  refuseUnless(order: ModelOrder, from: readonly OrderStatus[], held = false): void {
    if (!from.includes(order.status) || (this.isHeld(order) && !held)) throw new Refused("invalid_state_transition");
  }

  setPriority(at: number, priority: number): void {
    const order = this.order(at);
    if (order.priority === priority) return;
    this.refuseUnless(order, ["pending", "processing"], true);
    order.priority = priority;
    this.claimOf(at).priority = priority;
    this.settleShort(at);
  }

  setCold(at: number, cold: boolean): void {
    const order = this.order(at);
    if (order.cold === cold) return;
    this.refuseUnless(order, ["pending", "processing"], true);
    const claim = this.claimOf(at);
    order.cold = cold;
    const touched = claim.lines.map((line) => line.sku);
    this.settle(touched);
    claim.cold = cold;
    if (!(claim.paused && claim.lines.every((line) => this.reserved(line) === 0))) {
      const missing = this.planAnew(claim);
      if (!order.backorders && missing > 0) throw new Refused("insufficient_inventory");
      this.fill(touched);
    }
    this.#pauseAgain(at);
    this.settleShort(at);
  }

  setLines(at: number, lines: NewOrder["lines"]): void {
    const order = this.order(at);
    const key = (list: NewOrder["lines"]) =>
      list
        .map(({ sku, quantity }) => `${sku}:${quantity}`)
        .sort()
        .join();
    if (key(lines) === key(order.lines)) return;
    const claim = this.claimOf(at);
    this.refuseUnless(order, this.isHeld(order) ? ["pending", "processing"] : ["pending"], true);
    if (claim.lines.some((line) => this.picked(line) > 0) || order.lines.some((line) => line.packed > 0)) {
      throw new Refused("invalid_state_transition");
    }
    const left = this.#left(order.lines, lines);
    order.lines = [...left].sort((a, b) => a.id - b.id);
    const old = claim.lines;
    const touched = old.map((line) => line.sku);
    const wants = this.#wants(left);
    this.settle([...touched, ...wants.map(({ sku }) => sku)]);
    const waits = claim.paused && old.length > 0 && old.every((line) => this.reserved(line) === 0);
    const { house, cold } = claim;
    const plan = this.plan(wants, { house, cold, own: this.#shelvedUnits(old) });
    if (!order.backorders && !waits && sum(plan.missing) > 0) throw new Refused("insufficient_inventory");
    this.replace(claim, old, wants, waits ? [] : plan.portions);
    this.fill(touched);
    this.#pauseAgain(at);
    this.settleShort(at);
  }

  /**
   * A line stays the same while its SKU is still wanted. A line whose quantity changes keeps no cancelled units. New
   * ones come last.
   */
  #left(old: readonly OrderLine[], lines: NewOrder["lines"]): OrderLine[] {
    const free = [...old];
    const known: OrderLine[] = [];
    const fresh: OrderLine[] = [];
    for (const line of lines) {
      const found = free.findIndex(({ sku }) => sku === line.sku);
      const [own] = found < 0 ? [] : free.splice(found, 1);
      const { quantity } = line;
      if (own === undefined) fresh.push(this.#newLine(line));
      else known.push({ ...own, quantity, cancelled: own.quantity === quantity ? own.cancelled : 0 });
    }
    return [...known, ...fresh];
  }

  planAnew(claim: Claim): number {
    const wants = claim.lines.map((line) => ({ ...line, quantity: line.wanted - this.picked(line) }));
    const { house, cold } = claim;
    const { portions, missing } = this.plan(wants, { house, cold, own: this.#shelvedUnits(claim.lines) });
    for (const [index, line] of claim.lines.entries()) this.assign(line, portions[index] ?? []);
    return sum(missing);
  }

  // ---- hold, release, cancel

  stop(at: number, free: boolean): void {
    const order = this.order(at);
    this.refuseUnless(order, ["pending", "processing"], true);
    const claim = this.claimOf(at);
    if (claim.lines.some((line) => this.picked(line) > 0)) throw new Refused("invalid_state_transition");
    const before = order.hold;
    order.hold = { free };
    if (before?.free === free) return;
    if (before !== null && !free) this.#resume(claim);
    this.#pause(claim, free);
  }

  #pause(claim: Claim, free: boolean): void {
    const touched = claim.lines.map((line) => line.sku);
    this.settle(touched);
    claim.paused = true;
    if (!free) return;
    for (const line of claim.lines) this.assign(line, []);
    this.fill(touched);
  }

  #resume(claim: Claim): void {
    const touched = claim.lines.map((line) => line.sku);
    this.settle(touched);
    claim.paused = false;
    this.fill(touched);
  }

  #pauseAgain(at: number): void {
    const order = this.order(at);
    if (this.isStopped(order)) this.#pause(this.claimOf(at), order.hold?.free ?? false);
  }

  resume(at: number): void {
    const order = this.order(at);
    if (order.hold !== null) this.#resume(this.claimOf(at));
    order.hold = null;
    this.settleShort(at);
  }

  /** Holds the orders that have units of a recalled lot, then releases those that have none any more. */
  settleRecalls(): void {
    const has = ({ lines }: Claim) =>
      lines.some((line) => line.holds.some((hold) => this.lots.get(this.item(hold).lot ?? 0) === "recalled"));
    const changed = this.claims
      .filter((claim) => claim.order !== null && has(claim) !== this.order(claim.order).recalled)
      .sort((a, b) => Number(has(b)) - Number(has(a)) || (a.order ?? 0) - (b.order ?? 0));
    for (const claim of changed) {
      const order = this.order(claim.order ?? 0);
      order.recalled = has(claim);
      // Units are picked for it, so no other claim can hold it.
      if (order.recalled) this.#pause(claim, false);
      else if (order.status !== "cancelled") this.#resume(claim);
    }
  }

  cancel(at: number): void {
    const order = this.order(at);
    if (order.status === "cancelled") return;
    this.refuseUnless(order, ["pending", "processing", "fulfilled"], true);
    if (order.lines.some((line) => line.shipped > 0)) throw new Refused("invalid_state_transition");
    this.#cancelAll(at);
  }

  #cancelAll(at: number): void {
    const order = this.order(at);
    const claim = this.claimOf(at);
    const touched = claim.lines.map((line) => line.sku);
    this.settle(touched);
    for (const line of claim.lines) {
      this.assign(line, []);
      for (const { item, quantity } of this.staged(line).reverse()) this.#giveUp(order, line, item, quantity);
      line.wanted = 0;
    }
    Object.assign(claim, { status: "released" });
    Object.assign(order, { status: "cancelled", hold: null, recalled: false, short: false });
    for (const line of order.lines) Object.assign(line, { packed: 0, cancelled: line.quantity });
    this.fill(touched);
  }

  /** Releases units of a ware: first backordered ones, then those on the shelf, and finally picked ones. */
  cancelUnits(at: number, sku: Ware, quantity: number): void {
    const order = this.order(at);
    this.refuseUnless(order, ["pending", "processing", "fulfilled"], true);
    const meant = order.lines.filter((own) => own.sku === sku);
    if (meant.length === 0) throw new Refused("resource_missing");
    let left = quantity;
    const given = new Map<number, number>();
    for (const own of meant) {
      const units = Math.min(left, kept(own) - own.shipped);
      left -= units;
      given.set(own.id, units);
    }
    if (left > 0) throw new Refused("validation_failed");
    const rest = sum(order.lines.map((own) => kept(own) - (given.get(own.id) ?? 0)));
    if (rest === 0) {
      this.#cancelAll(at);
      return;
    }
    const claim = this.claimOf(at);
    const touched = claim.lines.map((line) => line.sku);
    this.settle(touched);
    for (const own of meant) {
      const sets = given.get(own.id) ?? 0;
      for (const { line, each } of this.parts(at, own)) this.#giveBack(order, line, sets * each);
      own.cancelled += sets;
      own.packed = Math.min(own.packed, kept(own));
    }
    this.fill(touched);
    if (order.lines.every((own) => own.packed === kept(own))) order.status = "fulfilled";
    if (order.lines.every((own) => own.shipped === kept(own))) order.status = "shipped";
    this.settleShort(at);
  }

  #giveBack(order: ModelOrder, line: Line, units: number): void {
    const wanted = line.wanted - units;
    const shelved = this.shelved(line).map((hold) => ({ ...hold }));
    let keep = Math.max(0, Math.min(wanted, this.reserved(line)) - this.picked(line));
    for (const hold of shelved) {
      const stays = Math.min(keep, hold.quantity);
      keep -= stays;
      if (hold.quantity > stays) this.free(line, hold.item, hold.quantity - stays);
    }
    let back = Math.max(0, this.picked(line) - wanted);
    for (const { item, quantity } of this.staged(line).reverse()) {
      const some = Math.min(back, quantity);
      back -= some;
      if (some > 0) this.#giveUp(order, line, item, some);
    }
    line.wanted = wanted;
  }

  /** Units leave a staging item other than back to the shelf: it is unknown which ones, so the first picks count. */
  leftStaging(order: ModelOrder, item: number, quantity: number): void {
    let left = quantity;
    for (const one of order.picked_from.filter((one) => one.item === item)) {
      const units = Math.min(left, one.quantity);
      one.quantity -= units;
      left -= units;
    }
  }

  #giveUp(order: ModelOrder, line: Line, at: number, quantity: number): void {
    this.leftStaging(order, at, quantity);
    const { sku, house, lot, received_at } = this.item({ item: at });
    this.free(line, at, quantity);
    this.item({ item: at }).on_hand -= quantity;
    const to = this.place(sku, house, "PUTBACK", lot);
    this.put(to, quantity, received_at);
    const known = order.given_up.find(({ item }) => item === to);
    if (known) known.quantity += quantity;
    else order.given_up.push({ item: to, quantity });
  }
}
