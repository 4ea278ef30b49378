// The stock, by the contract, in plain arrays: no database, no code of the service. The results of the service are
// compared with this after each operation, so it is written in the slow and obvious way.
import { day_ms } from "../../src/core/time.ts";
import { binFor, Refused } from "./bin_model.ts";
import {
  type BinCode,
  bins,
  endOf,
  goods,
  type House,
  houses,
  type Kind,
  type Level,
  type LotStatus,
  lotName,
  type Sku,
  skus,
} from "./business.ts";

/** Units of one SKU in one bin and, if it has lots, of one lot, which is identified by its last day. */
export interface Item {
  readonly sku: Sku;
  readonly house: House;
  readonly bin: string;
  readonly kind: Kind;
  readonly cold: boolean;
  readonly pick_order: number;
  readonly lot: number | null;
  received_at: number;
  on_hand: number;
  reserved: number;
}

/** Units of the item with this index that are reserved for a line. */
interface Hold {
  readonly item: number;
  quantity: number;
}

export interface Line {
  readonly id: number;
  readonly sku: Sku;
  /** The order line; null for a reservation. */
  readonly order_line: number | null;
  wanted: number;
  holds: Hold[];
}

export interface Claim {
  readonly id: number;
  order: number | null;
  ref: string;
  status: "reserved" | "committed" | "released";
  priority: number;
  paused: boolean;
  house: House | null;
  cold: boolean;
  expires_at: number | null;
  readonly created_at: number;
  lines: Line[];
}

export interface Want {
  readonly sku: Sku;
  readonly quantity: number;
  readonly order_line: number | null;
}

interface Choice {
  readonly house: House | null;
  readonly cold: boolean;
  readonly own?: ReadonlyMap<number, number>;
  readonly except?: number;
}

type Portions = readonly (readonly Hold[])[];

export const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** On-hand quantity of items by name; only those that have any. */
function totals(items: readonly Item[], name: (item: Item) => string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const item of items) if (item.on_hand > 0) found[name(item)] = (found[name(item)] ?? 0) + item.on_hand;
  return found;
}

/** The total wanted of each SKU, in the order in which they were first named. */
export function added(wants: readonly Want[]): Want[] {
  const of = Map.groupBy(wants, ({ sku }) => sku);
  return [...of].map(([sku, own]) => ({ sku, quantity: sum(own.map((want) => want.quantity)), order_line: null }));
}

export class StockModel {
  /** The index of its merchant, and the other merchants in the same warehouses. */
  readonly whose: number;
  neighbours: readonly StockModel[] = [];
  now: number;
  items: Item[] = [];
  claims: Claim[] = [];
  /** All lots so far, by their last days, with their status. */
  lots = new Map<number, LotStatus>();
  #ids = 0;

  constructor(now: number, whose = 0) {
    this.now = now;
    this.whose = whose;
  }

  refuse(code: string): never {
    throw new Refused(code);
  }

  booking(id: number): Claim {
    return this.claims.find((claim) => claim.id === id) as Claim;
  }

  nextId(): number {
    this.#ids += 1;
    return this.#ids;
  }

  sellable({ kind, lot }: Item): boolean {
    return kind === "storage" && this.isGood(lot);
  }

  /** Whether units of a lot, or without one, may be shipped. */
  isGood(lot: number | null): boolean {
    return lot === null || (this.lots.get(lot) === "available" && endOf(lot) > this.now);
  }

  /** The current status of a lot: it may have expired before any act has recorded that. */
  stateOf(lot: number): LotStatus {
    const known = this.lots.get(lot) ?? "available";
    return known === "available" && endOf(lot) <= this.now ? "expired" : known;
  }

  /** Units on their way to us. */
  incoming(_sku: Sku): number {
    return 0;
  }

  /** Whether units may be reserved for a line that does not hold them yet. */
  promisable(item: Item): boolean {
    return this.sellable(item) && this.#keeps(item);
  }

  /** Whether the remaining shelf life after today is at least the required one. */
  #keeps({ sku, lot }: Item): boolean {
    return lot === null || endOf(lot - goods[sku].shelf_life_days * day_ms) > this.now;
  }

  level(sku: Sku): Level {
    // No wave of the simulation finds units missing.
    const never = { count_pending: 0 };
    const unavailable = { quarantined: 0, damaged: 0, expired: 0, short_dated: 0, putback: 0, returns: 0, ...never };
    const own = this.items.filter((item) => item.sku === sku);
    for (const item of own) {
      const reason = this.#whyNot(item);
      if (!this.promisable(item)) unavailable[reason] += item.on_hand - item.reserved;
    }
    return {
      on_hand: sum(own.map((item) => item.on_hand)),
      reserved: sum(own.map((item) => item.reserved)),
      available: sum(own.filter((item) => this.promisable(item)).map((item) => item.on_hand - item.reserved)),
      picked: sum(own.filter((item) => item.kind === "staging").map((item) => item.reserved)),
      backordered: sum(this.#linesOf(sku).map((line) => line.wanted - this.reserved(line))),
      incoming: this.incoming(sku),
      unavailable,
      places: totals(
        own.filter(({ kind }) => kind !== "staging"),
        ({ house, bin }) => `${house} ${bin}`,
      ),
      batches: totals(
        own.filter(({ lot }) => lot !== null),
        ({ lot }) => `${lotName(lot ?? 0)} ${this.stateOf(lot ?? 0)}`,
      ),
    };
  }

  #whyNot(item: Item): keyof Level["unavailable"] {
    const { kind, lot } = item;
    if (this.sellable(item)) return "short_dated";
    const status = lot === null ? "available" : this.stateOf(lot);
    const spoilt = status === "damaged" ? "damaged" : "quarantined";
    const storage = status === "available" || status === "expired" ? "expired" : spoilt;
    const lying = { returns: "returns", putback: "putback", staging: "putback", quarantine: "quarantined" } as const;
    return { ...lying, damage: "damaged", storage }[kind] as keyof Level["unavailable"];
  }

  #linesOf(sku: Sku): Line[] {
    return this.claims.flatMap((claim) => claim.lines.filter((line) => line.sku === sku));
  }

  reserved(line: Line): number {
    return sum(line.holds.map((hold) => hold.quantity));
  }

  picked(line: Line): number {
    return sum(this.staged(line).map((hold) => hold.quantity));
  }

  staged(line: Line): Hold[] {
    return line.holds.filter((hold) => this.item(hold).kind === "staging");
  }

  shelved(line: Line): Hold[] {
    return line.holds.filter((hold) => this.item(hold).kind !== "staging");
  }

  item({ item }: { readonly item: number }): Item {
    return this.items[item] as Item;
  }

  /** The index of the item in this place, created if there is none. */
  place(sku: Sku, house: House, bin: string, lot: number | null): number {
    const at = this.items.findIndex(
      (item) => item.sku === sku && item.house === house && item.bin === bin && item.lot === lot,
    );
    if (at >= 0) return at;
    const known = bins.find(({ code }) => code === bin) ?? { kind: "staging" as const, cold: false, pick_order: 0 };
    const { kind, cold, pick_order } = known;
    this.items.push({ sku, house, bin, kind, cold, pick_order, lot, received_at: 0, on_hand: 0, reserved: 0 });
    return this.items.length - 1;
  }

  /** Adds units to an item. If it was empty, it counts as received when the units were. */
  put(at: number, quantity: number, received_at: number): void {
    const item = this.item({ item: at });
    if (item.on_hand === 0) item.received_at = received_at;
    item.on_hand += quantity;
  }

  hold(line: Line, at: number, quantity: number): void {
    const known = line.holds.find((hold) => hold.item === at);
    if (known) known.quantity += quantity;
    else line.holds.push({ item: at, quantity });
    this.item({ item: at }).reserved += quantity;
  }

  free(line: Line, at: number, quantity: number): void {
    const hold = line.holds.find(({ item }) => item === at) as Hold;
    hold.quantity -= quantity;
    this.item(hold).reserved -= quantity;
    line.holds = line.holds.filter((one) => one.quantity > 0);
  }

  /** Gives a line exactly these unpicked units. Those that it already has stay in place, new ones come last. */
  assign(line: Line, portions: readonly Hold[]): void {
    for (const { item, quantity } of [...this.shelved(line)]) {
      const wanted = portions.find((portion) => portion.item === item)?.quantity ?? 0;
      if (wanted === 0) this.free(line, item, quantity);
      else this.hold(line, item, wanted - quantity);
    }
    for (const { item, quantity } of portions) {
      if (!line.holds.some((hold) => hold.item === item)) this.hold(line, item, quantity);
    }
  }

  /** The six allocation rules. Returns what each want gets, and how many units are missing. */
  plan(wants: readonly Want[], choice: Choice): { portions: Portions; missing: number[] } {
    const pool = this.items
      .map((item, at) => ({ at, item, free: this.#freeFor(at, choice) }))
      .filter(({ item, free }) => free > 0 && wants.some((want) => want.sku === item.sku));
    const need = added(wants);
    const has = (house: House) =>
      need.every(
        ({ sku, quantity }) =>
          sum(pool.filter(({ item }) => item.sku === sku && item.house === house).map(({ free }) => free)) >= quantity,
      );
    const whole = houses.find((house) => pool.some(({ item }) => item.house === house) && has(house));
    const usable = pool.filter(({ item }) => whole === undefined || item.house === whole);
    const order = (far: number | null) => far ?? Number.MAX_SAFE_INTEGER;
    usable.sort(
      ({ item: a, free: few, at: first }, { item: b, free: many, at: second }) =>
        houses.indexOf(a.house) - houses.indexOf(b.house) ||
        order(a.lot) - order(b.lot) ||
        a.received_at - b.received_at ||
        few - many ||
        a.pick_order - b.pick_order ||
        first - second,
    );
    const portions: Hold[][] = [];
    const missing: number[] = [];
    for (const { sku, quantity } of wants) {
      const taken: Hold[] = [];
      let left = quantity;
      for (const one of usable.filter(({ item }) => item.sku === sku)) {
        const units = Math.min(left, one.free);
        if (units > 0) taken.push({ item: one.at, quantity: units });
        one.free -= units;
        left -= units;
      }
      portions.push(taken);
      missing.push(left);
    }
    return { portions, missing };
  }

  #freeFor(at: number, { house, cold, own, except }: Choice): number {
    const item = this.item({ item: at });
    const { cold: keep_cold } = goods[item.sku];
    if (at === except || !this.sellable(item)) return 0;
    if (house !== null && item.house !== house) return 0;
    if ((cold || keep_cold) && !item.cold) return 0;
    const kept = own?.get(at) ?? 0;
    return this.#keeps(item) ? kept + item.on_hand - item.reserved : kept;
  }

  // ---- effects of time

  isOverdue({ status, expires_at }: Claim): boolean {
    return status === "reserved" && expires_at !== null && expires_at <= this.now;
  }

  /** Whether time has changed something about a SKU that no act has processed yet. */
  isDue(sku: Sku): boolean {
    const past = this.items.some(
      (item) => item.sku === sku && item.on_hand > 0 && item.lot !== null && this.#isPast(item.lot),
    );
    return (
      past ||
      this.claims.some(
        (claim) => this.isOverdue(claim) && claim.lines.some((line) => line.sku === sku && line.wanted > 0),
      )
    );
  }

  #isPast(lot: number): boolean {
    return endOf(lot) <= this.now && this.lots.get(lot) === "available";
  }

  /** When the next lot or reservation expires. */
  nextEnd(): number {
    const bookings = this.claims.flatMap(({ status, expires_at }) => (status === "reserved" ? (expires_at ?? []) : []));
    const ends = [...[...this.lots.keys()].map(endOf), ...bookings];
    return Math.min(...ends.filter((at) => at > this.now), Number.MAX_SAFE_INTEGER);
  }

  /** Processes the effects of time on these SKUs, as each transaction on their stock does before anything else. */
  settle(touched: readonly Sku[]): void {
    for (const sku of new Set(touched)) {
      const past = [...this.items.entries()].filter(
        ([, item]) => item.sku === sku && item.on_hand > 0 && item.lot !== null && this.#isPast(item.lot),
      );
      for (const [, { lot }] of past) this.lots.set(lot as number, "expired");
      for (const [at, item] of past) if (item.kind !== "staging") this.displace(at, item.reserved);
      for (const claim of this.claims.filter((one) => this.isOverdue(one))) {
        for (const line of claim.lines.filter((one) => one.sku === sku)) this.end(line);
      }
      this.fill([sku]);
    }
  }

  /** Processes all effects of time, as the scheduled jobs do. */
  settleAll(): void {
    this.settle(skus);
    for (const lot of this.lots.keys()) this.lots.set(lot, this.stateOf(lot));
  }

  end(line: Line): void {
    this.assign(line, []);
    line.wanted = 0;
  }

  /** Fills waiting lines: the most urgent first, then the oldest. */
  fill(touched: readonly Sku[]): void {
    for (const sku of new Set(touched)) {
      const waiting = this.claims
        .filter((claim) => claim.status !== "released" && !claim.paused && !this.isOverdue(claim))
        .flatMap((claim) => claim.lines.filter((line) => line.sku === sku).map((line) => ({ claim, line })));
      waiting.sort(
        (a, b) =>
          b.claim.priority - a.claim.priority || a.claim.created_at - b.claim.created_at || a.line.id - b.line.id,
      );
      for (const { claim, line } of waiting) {
        const quantity = line.wanted - this.reserved(line);
        if (quantity === 0) continue;
        const { portions } = this.plan([{ sku, quantity, order_line: null }], claim);
        for (const portion of portions[0] ?? []) this.hold(line, portion.item, portion.quantity);
      }
    }
  }

  /** Moves reservations of an item to other stock, least urgent and youngest first. Returns those that now wait. */
  displace(at: number, units: number): { claim: Claim; quantity: number }[] {
    const holders = this.claims
      .flatMap((claim) => claim.lines.map((line) => ({ claim, line })))
      .filter(({ line }) => line.holds.some((hold) => hold.item === at));
    holders.sort(
      (a, b) => a.claim.priority - b.claim.priority || b.claim.created_at - a.claim.created_at || b.line.id - a.line.id,
    );
    let left = units;
    return holders.flatMap(({ claim, line }) => {
      const held = line.holds.find((hold) => hold.item === at)?.quantity ?? 0;
      const quantity = Math.min(left, held);
      if (quantity === 0) return [];
      left -= quantity;
      const want = { sku: line.sku, quantity, order_line: null };
      const { portions, missing } = this.plan([want], { house: claim.house, cold: claim.cold, except: at });
      this.free(line, at, quantity);
      for (const portion of portions[0] ?? []) this.hold(line, portion.item, portion.quantity);
      return (missing[0] ?? 0) > 0 ? [{ claim, quantity: missing[0] ?? 0 }] : [];
    });
  }

  // ---- acts of clients

  add(sku: Sku, quantity: number, house: House, bin: BinCode | null, lot: number | null, received_at: number): void {
    this.settle([sku]);
    if (goods[sku].lots && lot === null) throw new Refused("validation_failed");
    this.know(lot);
    this.put(this.place(sku, house, binFor(this, sku, bin, house), lot), quantity, received_at);
    this.fill([sku]);
  }

  /** Creates a lot if it is new. */
  know(lot: number | null): void {
    if (lot !== null && !this.lots.has(lot)) this.lots.set(lot, endOf(lot) <= this.now ? "expired" : "available");
  }

  adjust(
    sku: Sku,
    { by, house, bin, lot, expected, shortfall }: Adjustment,
  ): { previous: number; waiting: { ref: string; quantity: number }[] } {
    this.settle([sku]);
    const inside = [...this.items.entries()].filter(
      ([, item]) => item.sku === sku && item.house === house && item.on_hand > 0,
    );
    const previous = sum(inside.map(([, item]) => item.on_hand));
    if (expected !== null && previous + expected !== previous) throw new Refused("quantity_conflict");
    const meant = inside.filter(
      ([, item]) => item.kind !== "staging" && (bin === null || item.bin === bin) && (lot === null || item.lot === lot),
    );
    if (meant.length > 1) throw new Refused("ambiguous_stock");
    const [at, item] = meant[0] ?? [-1, null];
    if ((item?.on_hand ?? 0) + by < 0) throw new Refused("insufficient_inventory");
    let waiting: { claim: Claim; quantity: number }[] = [];
    if (item === null) {
      if (lot !== null && !this.lots.has(lot)) throw new Refused("validation_failed");
      if (lot === null && goods[sku].lots) throw new Refused("validation_failed");
      this.put(this.place(sku, house, binFor(this, sku, bin, house, true), lot), by, this.now);
    } else {
      waiting = this.displace(at, Math.max(0, item.reserved - (item.on_hand + by)));
      if (waiting.length > 0 && !shortfall) throw new Refused("would_break_reservations");
      item.on_hand += by;
    }
    this.fill([sku]);
    // Each order is listed once, however many of its lines or reservations wait.
    const orders = [...Map.groupBy(waiting, ({ claim }) => `${claim.order} ${claim.ref}`).values()];
    const told = orders.map((own) => ({ ref: own[0]?.claim.ref ?? "", quantity: sum(own.map((one) => one.quantity)) }));
    return { previous, waiting: told };
  }

  book(ref: string, wants: readonly Want[], house: House | null, cold: boolean, expires_at: number): Claim {
    const summed = added(wants);
    this.settle(summed.map(({ sku }) => sku));
    const { portions, missing } = this.plan(summed, { house, cold });
    if (sum(missing) > 0) throw new Refused("insufficient_inventory");
    const claim = this.newClaim({ order: null, ref, priority: 0, house, cold, expires_at });
    this.replace(claim, [], summed, portions);
    return claim;
  }

  newClaim(fields: Pick<Claim, "order" | "ref" | "priority" | "house" | "cold" | "expires_at">): Claim {
    const id = this.nextId();
    const claim: Claim = { ...fields, id, status: "reserved", paused: false, created_at: this.now, lines: [] };
    this.claims.push(claim);
    return claim;
  }

  /** Gives a claim new lines with these portions, replacing old ones whose units may be among them. */
  replace(claim: Claim, old: readonly Line[], wants: readonly Want[], portions: Portions): void {
    for (const line of old) this.end(line);
    claim.lines = wants.map(({ sku, quantity, order_line }) => {
      return { id: this.nextId(), sku, order_line, wanted: quantity, holds: [] };
    });
    for (const [at, line] of claim.lines.entries()) this.assign(line, portions[at] ?? []);
  }

  release(claim: Claim): void {
    const touched = claim.lines.map((line) => line.sku);
    this.settle(touched);
    if (claim.status === "released") return;
    if (claim.order !== null) throw new Refused("reservation_committed");
    if (this.isOverdue(claim)) throw new Refused("reservation_closed");
    for (const line of claim.lines) this.end(line);
    claim.status = "released";
    this.fill(touched);
  }
}

/** An adjustment. `expected` is the difference between the client's expected quantity and the actual one. */
export interface Adjustment {
  readonly by: number;
  readonly house: House;
  readonly bin: BinCode | null;
  readonly lot: number | null;
  readonly expected: number | null;
  readonly shortfall: boolean;
}
