import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { StockItem, StockSpot } from "../ledger/stock_item.ts";
import { hasShelfLifeOf } from "../ledger/stock_item.ts";
import { isSellable, type ProductStock } from "../stock/product_stock.ts";
import { isColdEnough } from "../warehouses/warehouse.ts";
import type { AvoidedItem } from "./reservation.ts";

/** Units wanted of one product. */
export interface WantedUnits {
  readonly product_id: number;
  readonly quantity: number;
}

/** Units of one stock item. */
export interface StockPortion {
  readonly item: StockItem;
  readonly quantity: number;
}

/** Constraints on the stock for a reservation. */
interface StockConstraints {
  /** Only this warehouse; null for any. */
  readonly warehouse_id: number | null;
  readonly requires_cold_storage: boolean;
  /** Items in which units were missing. They are avoided until they hold more than they did then. */
  readonly avoids?: readonly AvoidedItem[] | null;
}

export interface PlanOptions extends StockConstraints {
  readonly now: number;
  /** Units by stock item that the wants already hold: they may be kept or exchanged. */
  readonly own?: ReadonlyMap<number, number>;
  /** Items that must not be chosen. */
  readonly except?: ReadonlySet<number>;
}

/** Stock that may be closed to newer demand, since older demand waits for it. */
export type PlannedStock = ProductStock & { readonly crowded?: boolean };

export interface StockPlan {
  /** For each want, in order, the units chosen for it. */
  readonly portions: readonly (readonly StockPortion[])[];
  /** For each want, the units for which no stock was found. */
  readonly missing: readonly number[];
}

/** Whether a reservation may take units from a spot, by its warehouse and temperature zone. */
export function suits(
  { warehouse_id, temperature_zone }: StockSpot,
  product: ProductStock["product"],
  choice: StockConstraints,
): boolean {
  if (choice.warehouse_id !== null && warehouse_id !== choice.warehouse_id) return false;
  if (temperature_zone === null) return false;
  if (choice.requires_cold_storage && !isColdEnough(temperature_zone, "refrigerated")) return false;
  return isColdEnough(temperature_zone, product.temperature_zone);
}

/** Units of an item that a plan may take. Units already held need only a good lot, and no shelf life. */
export function freeUnits(item: StockItem, { product, crowded }: PlannedStock, options: PlanOptions): number {
  const { now, own, except, avoids } = options;
  if (except?.has(item.id) || isAvoided(item, avoids) || !isSellable(item, now) || !suits(item, product, options))
    return 0;
  const held = own?.get(item.id) ?? 0;
  return hasShelfLifeOf(item, product.min_shelf_life_days, now) && !crowded && item.count_id === null
    ? held + item.on_hand - item.reserved
    : held;
}

function isAvoided({ id, on_hand }: StockItem, avoids: StockConstraints["avoids"]): boolean {
  return avoids?.some((avoided) => avoided.stock_item_id === id && on_hand <= avoided.on_hand) ?? false;
}

/** A stock item that may be chosen, and how many of its units may. */
export interface StockCandidate {
  readonly item: StockItem;
  free: number;
}

/** What a plan chooses from: units needed by product, and the candidate items by product, in order of choice. */
export interface PlanInput {
  readonly needed: ReadonlyMap<number, number>;
  readonly candidates: ReadonlyMap<number, readonly StockCandidate[]>;
  /** The one warehouse that everything comes from; null when none has everything. */
  readonly whole: number | null;
}

/** The stock that these wants can choose from, in order of choice. */
export function planInputOf(
  wants: readonly WantedUnits[],
  stocks: { get(product_id: number): PlannedStock | undefined },
  options: PlanOptions,
): PlanInput {
  const needed = new Map<number, number>();
  for (const { product_id, quantity } of wants) needed.set(product_id, (needed.get(product_id) ?? 0) + quantity);
  const candidates = new Map<number, StockCandidate[]>();
  for (const product_id of needed.keys()) candidates.set(product_id, candidatesOf(stocks.get(product_id), options));
  const whole = wholeWarehouse(needed, candidates);
  for (const list of candidates.values()) list.sort(whole === null ? byWarehouseThenAge : byAge);
  return { needed, candidates, whole };
}

/**
 * Chooses stock for wants: from the requested warehouse, in zones that are cold enough, of lots that last long enough.
 * All of it comes from one warehouse if one has everything, by warehouse priority. First expired goes first, then first
 * received, then the smallest bin, then along the pick path.
 */
export function planStock(
  wants: readonly WantedUnits[],
  stocks: { get(product_id: number): PlannedStock | undefined },
  options: PlanOptions,
): StockPlan {
  const { candidates, whole } = planInputOf(wants, stocks, options);
  const portions: StockPortion[][] = [];
  const missing: number[] = [];
  for (const { product_id, quantity } of wants) {
    const chosen: StockPortion[] = [];
    let left = quantity;
    for (const candidate of candidates.get(product_id) ?? []) {
      if (left === 0) break;
      if (candidate.free === 0 || (whole !== null && candidate.item.warehouse_id !== whole)) continue;
      const taken = Math.min(left, candidate.free);
      candidate.free -= taken;
      left -= taken;
      chosen.push({ item: candidate.item, quantity: taken });
    }
    portions.push(chosen);
    missing.push(left);
  }
  return { portions, missing };
}

function candidatesOf(stock: PlannedStock | undefined, options: PlanOptions): StockCandidate[] {
  if (stock === undefined) return [];
  const candidates: StockCandidate[] = [];
  for (const item of stock.items) {
    const free = freeUnits(item, stock, options);
    if (free > 0) candidates.push({ item, free });
  }
  return candidates;
}

/** The first warehouse, by priority, that has everything, or null. */
function wholeWarehouse(
  needed: ReadonlyMap<number, number>,
  candidates: ReadonlyMap<number, readonly StockCandidate[]>,
): number | null {
  const warehouses = new Map<number, number>();
  for (const list of candidates.values()) {
    for (const { item } of list) warehouses.set(item.warehouse_id, item.warehouse_priority);
  }
  const ranked = [...warehouses].sort(([a, first], [b, second]) => first - second || a - b);
  return ranked.find(([id]) => hasAll(id, { needed, candidates }))?.[0] ?? null;
}

/** Whether one warehouse alone has everything that is needed. */
export function hasAll(
  warehouse_id: number,
  { needed, candidates }: Pick<PlanInput, "needed" | "candidates">,
): boolean {
  return [...needed].every(([product_id, quantity]) => {
    let free = 0;
    for (const candidate of candidates.get(product_id) ?? []) {
      if (candidate.item.warehouse_id === warehouse_id) free += candidate.free;
    }
    return free >= quantity;
  });
}

/** Sorts candidates as they leave: first expired, first received, smallest bin, then along the pick path. */
export function byAge({ item: a, free: few }: StockCandidate, { item: b, free: many }: StockCandidate): number {
  return (
    (a.expires_on ?? Number.MAX_SAFE_INTEGER) - (b.expires_on ?? Number.MAX_SAFE_INTEGER) ||
    a.received_at - b.received_at ||
    few - many ||
    a.pick_order - b.pick_order ||
    a.id - b.id
  );
}

/** As `byAge`, after sorting by warehouse priority. */
export function byWarehouseThenAge(a: StockCandidate, b: StockCandidate): number {
  return (
    a.item.warehouse_priority - b.item.warehouse_priority || a.item.warehouse_id - b.item.warehouse_id || byAge(a, b)
  );
}

/** A SKU with too little stock. */
interface StockShortage {
  readonly sku: string;
  readonly requested: number;
  readonly available: number;
  readonly by_warehouse: readonly { readonly warehouse_id: number; readonly available: number }[];
}

/** The shortages of these wants by SKU: the units that could have been reserved, and where. */
function shortagesOf(
  wants: readonly WantedUnits[],
  missing: readonly number[],
  stocks: { get(product_id: number): PlannedStock | undefined },
  options: PlanOptions,
): StockShortage[] {
  const short = new Set(wants.filter((_, at) => (missing[at] ?? 0) > 0).map(({ product_id }) => product_id));
  return [...new Set(wants.map((want) => want.product_id))].flatMap((product_id) => {
    const stock = stocks.get(product_id);
    if (stock === undefined || !short.has(product_id)) return [];
    const own = wants.filter((want) => want.product_id === product_id);
    const free = new Map<number, number>();
    for (const item of stock.items) {
      const units = freeUnits(item, stock, options);
      if (units > 0) free.set(item.warehouse_id, (free.get(item.warehouse_id) ?? 0) + units);
    }
    return {
      sku: stock.product.sku,
      requested: own.reduce((sum, want) => sum + want.quantity, 0),
      available: [...free.values()].reduce((sum, units) => sum + units, 0),
      by_warehouse: [...free].map(([warehouse_id, available]) => ({ warehouse_id, available })),
    };
  });
}

/** The refusal of wants that cannot all be reserved. It lists every short SKU. */
export function shortageFault(
  wants: readonly WantedUnits[],
  missing: readonly number[],
  stocks: { get(product_id: number): PlannedStock | undefined },
  options: PlanOptions,
): Fault {
  const shortages = shortagesOf(wants, missing, stocks, options).map(({ by_warehouse, ...shortage }) => ({
    ...shortage,
    by_warehouse: by_warehouse.map(({ warehouse_id, available }) => ({
      warehouse_id: wireId("warehouse", warehouse_id),
      available,
    })),
  }));
  const named = shortages.map(
    ({ sku, requested, available }) => `${sku} (${requested} requested, ${available} available)`,
  );
  return new Fault("insufficient_inventory", `Not enough stock: ${named.join(", ")}.`, { shortages });
}
