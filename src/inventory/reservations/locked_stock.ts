// The stock that a transaction has locked, changed in step with the database. Every act of the transaction plans from
// the same figures, and the events at its end need no query.
import { isDeepStrictEqual } from "node:util";
import { assert } from "../../core/faults.ts";
import { dayStart } from "../../core/time_zone.ts";
import { emit } from "../../events/emit.ts";
import { type DomainEvent, type EventType, previousOf } from "../../events/event_types.ts";
import { refuseForClosed } from "../../merchants/directory.sql.ts";
import type { Product } from "../../products/product.ts";
import { listBundlesWith } from "../../products/products.sql.ts";
import type { Tx } from "../../storage/database.ts";
import {
  isAt,
  type PostedMovement,
  type Posting,
  type PostingPlaces,
  postMovements,
  postWithIds,
  saveReservedUnits,
  saveTurn,
} from "../ledger/ledger.sql.ts";
import type { StockItem, StockSpot } from "../ledger/stock_item.ts";
import { nextShelfLifeDay } from "../ledger/stock_item.ts";
import {
  availableOf,
  itemStatus,
  itemView,
  lastAvailableOf,
  type ProductStock,
  refuseBundle,
  totalsOf,
} from "../stock/product_stock.ts";
import { findNamedProducts, listStockedParts, loadStock, lockStockRows } from "../stock/stock.sql.ts";

/** The totals that events reported last, and the units backordered at that moment. */
interface ReportedTotals {
  readonly on_hand: number;
  readonly reserved: number;
  readonly available: number;
  readonly backordered: number;
}

/** A product's stock that this transaction has locked. */
export interface LockedStock extends ProductStock {
  readonly items: StockItem[];
  backordered: number;
  incoming: number;
  /** Whether a bundle contains it. */
  readonly bundled: boolean;
  /** Whether a reservation was overdue when the stock was locked. */
  readonly overdue: boolean;
  /**
   * Whether older demand waits that this transaction could not serve, so that nothing may be reserved for newer demand.
   */
  crowded: boolean;
  reported: ReportedTotals;
  /** Whether something shown along with the totals has changed, such as a lot's expiry. */
  details_changed: boolean;
}

/** The locked stock of a transaction, by product id. */
export type LockedStockMap = ReadonlyMap<number, LockedStock>;

/**
 * Locks and reads the stock of these products once per transaction, and emits what has changed at its end. A nested
 * part of a transaction reads for itself, so it must not lock stock that the surrounding transaction has locked.
 */
export async function lockStock(tx: Tx, product_ids: readonly number[]): Promise<LockedStockMap> {
  const stocks = tx.memo("inventory.stocks", () => new Map<number, LockedStock>());
  const closed = [...new Set(product_ids)].filter((id) => !stocks.has(id)).sort((a, b) => a - b);
  if (closed.length === 0) return stocks;
  refuseOpenOutside(tx, closed);
  for (const { product, items, backordered, incoming, bundled, overdue } of await lockStockRows(tx, closed)) {
    // Changes by the passage of time alone still have to be reported.
    const known_stock = { product, items };
    const { on_hand, reserved } = totalsOf(known_stock, tx.now);
    const reported = { on_hand, reserved, available: lastAvailableOf(known_stock), backordered };
    const rest = { bundled, overdue, crowded: false, reported, details_changed: false };
    stocks.set(product.id, { product, items, backordered, incoming, ...rest });
  }
  tx.atEnd("inventory.events", announce);
  return stocks;
}

/** The surrounding transaction would not see what a nested part changes. */
function refuseOpenOutside(tx: Tx, product_ids: readonly number[]): void {
  for (let { outer } = tx; outer !== null; outer = outer.outer) {
    const open = outer.memo("inventory.stocks", () => new Map<number, LockedStock>());
    const twice = product_ids.find((id) => open.has(id));
    assert(twice === undefined, `the stock of product ${twice} is open in the transaction around this part`);
  }
}

/** The locked stock of a product. */
export function lockedStockOf(stocks: LockedStockMap, product_id: number): LockedStock {
  const stock = stocks.get(product_id);
  assert(stock, `the stock of product ${product_id} is open`);
  return stock;
}

/** Reserves more, or below zero fewer, units of an item. */
export async function adjustReserved(tx: Tx, item: StockItem, by: number): Promise<void> {
  await adjustReservedOfEach(tx, [[item, by]]);
}

/** Reserves more, or below zero fewer, units of each of these items. An item may occur once. */
export async function adjustReservedOfEach(tx: Tx, changes: Iterable<readonly [StockItem, number]>): Promise<void> {
  tx.atEnd("inventory.events", announce);
  await saveReservedUnits(tx, changes);
}

/**
 * Moves units and writes the ledger. Returns the movement's id and the item that they came to.
 * Refuses: validation_failed (a bundle has no stock of its own), merchant_closed (units from outside).
 */
export async function moveUnits(tx: Tx, stock: LockedStock, posting: Posting): Promise<PostedMovement> {
  refuseBundle(stock.product);
  const [posted] = await moveEach(tx, new Map([[stock.product.id, stock]]), [posting]);
  assert(posted, "each posting has a movement");
  return posted;
}

/** Moves the units of several postings in order, none of a bundle. Refuses: merchant_closed (units from outside). */
export async function moveEach(
  tx: Tx,
  stocks: LockedStockMap,
  postings: readonly Posting[],
): Promise<PostedMovement[]> {
  tx.atEnd("inventory.events", announce);
  for (const { from, to } of postings)
    if (from === null && to !== null) await refuseForClosed(tx, to.merchant_id, "stock");
  const posted = await postWithIds(tx, postings, placesOn(tx, stocks));
  for (const { to } of posted) if (to !== null) addItem(lockedStockOf(stocks, to.product_id), to);
  return posted;
}

/**
 * As `moveEach`, without the movements' ids, which would cost a round trip on PostgreSQL. No units come from outside.
 */
export async function moveAll(
  tx: Tx,
  stocks: LockedStockMap,
  postings: readonly Posting[],
): Promise<(StockItem | null)[]> {
  if (postings.length === 0) return [];
  tx.atEnd("inventory.events", announce);
  const came = await postMovements(tx, postings, placesOn(tx, stocks));
  for (const to of came) if (to !== null) addItem(lockedStockOf(stocks, to.product_id), to);
  return came;
}

function placesOn(tx: Tx, stocks: LockedStockMap): PostingPlaces {
  return {
    itemAt: (to) => itemAt(lockedStockOf(stocks, to.product_id), to),
    turnAt: (to) => {
      const { min_shelf_life_days } = lockedStockOf(stocks, to.product_id).product;
      const turns_on = nextShelfLifeDay(to, min_shelf_life_days, tx.now);
      wakeAtTurn(tx, to, turns_on);
      return turns_on;
    },
  };
}

function wakeAtTurn(tx: Tx, { timezone }: StockSpot, turns_on: number | null): void {
  if (turns_on !== null) tx.wake("inventory.expire_lots", dayStart(turns_on, timezone));
}

/** Records the day on which time next changes each item, so that what has changed until now is reported once. */
export async function noteShelfLifeChanges(tx: Tx, stocks: Iterable<LockedStock>): Promise<void> {
  const turned = new Map<number | null, StockItem[]>();
  for (const { product, items } of stocks) {
    for (const item of items) {
      const turns_on = nextShelfLifeDay(item, product.min_shelf_life_days, tx.now);
      if (item.id === 0 || item.turns_on === turns_on) continue;
      const same = turned.get(turns_on);
      if (same === undefined) turned.set(turns_on, [item]);
      else same.push(item);
    }
  }
  for (const [turns_on, some] of turned) {
    const ids = some.map(({ id }) => id);
    await saveTurn(tx, ids, turns_on);
    for (const item of some) {
      item.turns_on = turns_on;
      wakeAtTurn(tx, item, turns_on);
    }
  }
}

/** The item at a spot, or null when there is none. */
function itemAt({ items }: LockedStock, to: StockSpot): StockItem | null {
  return items.find((item) => isAt(item, to)) ?? null;
}

function addItem({ items }: LockedStock, item: StockItem): void {
  if (!items.includes(item)) items.push(item);
}

/** Emits an event for every SKU whose totals or details have changed since they were last reported. */
async function announce(tx: Tx): Promise<void> {
  const stocks = tx.memo("inventory.stocks", () => new Map<number, LockedStock>());
  const events: DomainEvent[] = [];
  const parts = new Map<number, number>();
  await noteShelfLifeChanges(tx, stocks.values());
  for (const stock of stocks.values()) {
    const before = stock.reported;
    const { on_hand, reserved, available } = totalsOf(stock, tx.now);
    const isSame = before.on_hand === on_hand && before.reserved === reserved && before.available === available;
    if (isSame && !stock.details_changed) continue;
    stock.details_changed = false;
    events.push(...changeEvents(stockEvent(tx, "inventory.updated", stock), before.available));
    stock.reported = { on_hand, reserved, available, backordered: stock.backordered };
    if (stock.bundled && before.available !== available) parts.set(stock.product.id, before.available);
  }
  await emit(tx, [...events, ...(await bundleEvents(tx, parts))]);
}

/**
 * The events for a changed SKU that had `before` units available: `inventory.low_stock` too if it is low from now on.
 */
function changeEvents(updated: StockEvent, before: number): StockEvent[] {
  const { available, reorder_point } = updated.data;
  const isLow = before >= reorder_point && available < reorder_point;
  return isLow ? [updated, { ...updated, type: "inventory.low_stock" }] : [updated];
}

/**
 * The events for bundles of which more or fewer sets can be made. `before` has the units of parts available before.
 */
async function bundleEvents(tx: Tx, before: ReadonlyMap<number, number>): Promise<DomainEvent[]> {
  if (before.size === 0) return [];
  // Locked, so that a concurrent change of another part counts the sets after this transaction.
  const bundles = await lockStockRows(tx, await listBundlesWith(tx, [...before.keys()]));
  const partsOf = await listStockedParts(
    tx,
    bundles.map(({ product }) => product.id),
  );
  return bundles.flatMap(({ product, ...stock }) => {
    const parts = partsOf.get(product.id) ?? [];
    const sets = Math.min(...parts.map((part) => part.sets));
    const had = Math.min(
      ...parts.map(({ product_id, available, quantity }) =>
        Math.floor((before.get(product_id) ?? available) / quantity),
      ),
    );
    return setsEvents(tx, { product, ...stock, sets }, had);
  });
}

/** The events for a bundle of which `had` sets could be made before; none if the number is the same now. */
function setsEvents(tx: Tx, stock: ProductStock & { readonly sets: number }, had: number): DomainEvent[] {
  if (stock.sets === had) return [];
  const { merchant_id } = stock.product;
  const data = { object: "inventory_item", ...itemView(stock, tx.now, tx.now) };
  const levels = { available: had, total: had + data.reserved };
  const before = { ...levels, status: itemStatus(stock.product, had, stock.backordered) };
  return changeEvents({ type: "inventory.updated", merchant_id, data, previous: previousOf(before, data) }, had);
}

interface StockEvent extends DomainEvent {
  readonly merchant_id: number;
  readonly data: { readonly object: string } & ReturnType<typeof itemView>;
}

/** An event with the stock as this transaction has left it so far, and the values that were reported last. */
export function stockEvent(tx: Tx, type: EventType, stock: LockedStock, more: object = {}): StockEvent {
  const data = { object: "inventory_item", ...lockedStockView(tx, stock), ...more };
  const { available, reserved, backordered } = stock.reported;
  const status = itemStatus(stock.product, available, backordered);
  const { merchant_id } = stock.product;
  return {
    type,
    merchant_id,
    data,
    previous: previousOf({ ...stock.reported, total: available + reserved, status }, data),
  };
}

/** A product's stock as its detail shows it, including the changes of this transaction so far. */
export function lockedStockView(tx: Tx, stock: LockedStock) {
  return itemView({ ...stock, items: stock.items.filter((item) => item.on_hand > 0) }, tx.now, tx.now);
}

/**
 * Reports a bundle of which more or fewer sets can be made, since its components changed.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function emitSetsChange(tx: Tx, before: Product, after: Product): Promise<void> {
  if (isDeepStrictEqual(before.components, after.components)) return;
  const skus = [...before.components, ...after.components].map(({ sku }) => sku);
  const named = await findNamedProducts(tx, skus);
  const ids = [...named.values()]
    .flat()
    .flatMap(({ id, merchant_id }) => (merchant_id === after.merchant_id ? id : []));
  // Locked, so that a concurrent change of a part either is counted here or finds the bundle as it is now.
  const parts = await lockStockRows(tx, ids);
  const free = new Map(parts.map((part) => [part.product.sku, availableOf(part, tx.now)]));
  const [stock] = await loadStock(tx, [after.id]);
  if (stock === undefined) return;
  const sets = setsOf(after, free);
  await emit(tx, setsEvents(tx, { ...stock, sets }, setsOf(before, free)));
}

/** The number of sets that can be made of a bundle's components. `free` has the available units by SKU. */
function setsOf({ components }: Product, free: ReadonlyMap<string, number>): number {
  return Math.min(...components.map(({ sku, quantity }) => Math.floor((free.get(sku) ?? 0) / quantity)));
}
