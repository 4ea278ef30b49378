// The shelves of a transaction: what it has read of the stock under lock, changed in step with the database, so that
// every command of the transaction plans from the same truth and the events at its end need no query.
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
  postAnswered,
  postMovements,
  promiseUnits,
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

/** The sums whose change the world is told, and the units waited for at that moment. */
interface ReportedTotals {
  readonly on_hand: number;
  readonly reserved: number;
  readonly available: number;
  readonly backordered: number;
}

/** A shelf that this transaction has locked. */
export interface LockedStock extends ProductStock {
  readonly items: StockItem[];
  backordered: number;
  incoming: number;
  /** Whether a bundle is made of it. */
  readonly bundled: boolean;
  /** Whether some reservation was past its time when the shelf was opened. */
  readonly overdue: boolean;
  /** Whether older demand waits that this transaction could not serve, so that nothing may be promised to newer. */
  crowded: boolean;
  told: ReportedTotals;
  /** Whether something has changed that is shown with the sums and is none of them, such as a lot's expiry. */
  relabelled: boolean;
}

/** The shelves of a transaction by product. */
export type LockedStockMap = ReadonlyMap<number, LockedStock>;

/**
 * Locks and reads the stock of these products, once in a transaction, and tells at its end what has changed. A nested
 * part of a transaction reads for itself, so it may not open a shelf that is open in the transaction around it.
 */
export async function lockStock(tx: Tx, product_ids: readonly number[]): Promise<LockedStockMap> {
  const shelves = tx.memo("inventory.shelves", () => new Map<number, LockedStock>());
  const closed = [...new Set(product_ids)].filter((id) => !shelves.has(id)).sort((a, b) => a - b);
  if (closed.length === 0) return shelves;
  refuseOpenOutside(tx, closed);
  for (const { product, items, backordered, incoming, bundled, overdue } of await lockStockRows(tx, closed)) {
    // What time alone has done since it was last noted is still to be told.
    const stock = { product, items };
    const { on_hand, reserved } = totalsOf(stock, tx.now);
    const told = { on_hand, reserved, available: lastAvailableOf(stock), backordered };
    const rest = { bundled, overdue, crowded: false, told, relabelled: false };
    shelves.set(product.id, { product, items, backordered, incoming, ...rest });
  }
  tx.atEnd("inventory.events", announce);
  return shelves;
}

/** What is open around a nested part would not learn of what the part changes. */
function refuseOpenOutside(tx: Tx, product_ids: readonly number[]): void {
  for (let { outer } = tx; outer !== null; outer = outer.outer) {
    const open = outer.memo("inventory.shelves", () => new Map<number, LockedStock>());
    const twice = product_ids.find((id) => open.has(id));
    assert(twice === undefined, `the shelf of product ${twice} is open in the transaction around this part`);
  }
}

/** The open shelf of a product. */
export function lockedStockOf(shelves: LockedStockMap, product_id: number): LockedStock {
  const shelf = shelves.get(product_id);
  assert(shelf, `the shelf of product ${product_id} is open`);
  return shelf;
}

/** Promises more, or below zero fewer, units of an item. */
export async function promise(tx: Tx, item: StockItem, by: number): Promise<void> {
  await promiseAll(tx, [[item, by]]);
}

/** Promises more, or below zero fewer, units of each of these items, each of which is named once. */
export async function promiseAll(tx: Tx, changes: Iterable<readonly [StockItem, number]>): Promise<void> {
  tx.atEnd("inventory.events", announce);
  await promiseUnits(tx, changes);
}

/**
 * Moves units and writes the ledger; answers the movement's id and the item that they came to. Refuses:
 * validation_failed, for a bundle, which has no stock of its own; merchant_closed, for units from outside.
 */
export async function moveUnits(tx: Tx, shelf: LockedStock, posting: Posting): Promise<PostedMovement> {
  refuseBundle(shelf.product);
  const [posted] = await moveEach(tx, new Map([[shelf.product.id, shelf]]), [posting]);
  assert(posted, "each posting is answered");
  return posted;
}

/** As `moveUnits`, any number, one after the other. */
export async function moveEach(
  tx: Tx,
  shelves: LockedStockMap,
  postings: readonly Posting[],
): Promise<PostedMovement[]> {
  tx.atEnd("inventory.events", announce);
  for (const { from, to } of postings)
    if (from === null && to !== null) await refuseForClosed(tx, to.merchant_id, "stock");
  const posted = await postAnswered(tx, postings, placesOn(tx, shelves));
  for (const { to } of posted) if (to !== null) lay(lockedStockOf(shelves, to.product_id), to);
  return posted;
}

/** As `moveEach`, without the movements' ids, for which PostgreSQL has to be waited for. */
export async function moveAll(
  tx: Tx,
  shelves: LockedStockMap,
  postings: readonly Posting[],
): Promise<(StockItem | null)[]> {
  if (postings.length === 0) return [];
  tx.atEnd("inventory.events", announce);
  const came = await postMovements(tx, postings, placesOn(tx, shelves));
  for (const to of came) if (to !== null) lay(lockedStockOf(shelves, to.product_id), to);
  return came;
}

function placesOn(tx: Tx, shelves: LockedStockMap): PostingPlaces {
  return {
    itemAt: (to) => itemAt(lockedStockOf(shelves, to.product_id), to),
    turnAt: (to) => {
      const { min_shelf_life_days } = lockedStockOf(shelves, to.product_id).product;
      const turns_on = nextShelfLifeDay(to, min_shelf_life_days, tx.now);
      wakeAtTurn(tx, to, turns_on);
      return turns_on;
    },
  };
}

function wakeAtTurn(tx: Tx, { timezone }: StockSpot, turns_on: number | null): void {
  if (turns_on !== null) tx.wake("inventory.expire_lots", dayStart(turns_on, timezone));
}

/** Notes on which day time next changes each item of some shelves, so that what it has done until now is told once. */
export async function noteShelfLifeChanges(tx: Tx, shelves: Iterable<LockedStock>): Promise<void> {
  const turned = new Map<number | null, StockItem[]>();
  for (const { product, items } of shelves) {
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

/** The item of a shelf that units come to, or null when nothing lies there. */
function itemAt({ items }: LockedStock, to: StockSpot): StockItem | null {
  return items.find((item) => isAt(item, to)) ?? null;
}

function lay({ items }: LockedStock, item: StockItem): void {
  if (!items.includes(item)) items.push(item);
}

/** Tells of every SKU whose sums have changed since they were last told, or which is labelled anew, once. */
async function announce(tx: Tx): Promise<void> {
  const shelves = tx.memo("inventory.shelves", () => new Map<number, LockedStock>());
  const events: DomainEvent[] = [];
  const parts = new Map<number, number>();
  await noteShelfLifeChanges(tx, shelves.values());
  for (const shelf of shelves.values()) {
    const before = shelf.told;
    const { on_hand, reserved, available } = totalsOf(shelf, tx.now);
    const isSame = before.on_hand === on_hand && before.reserved === reserved && before.available === available;
    if (isSame && !shelf.relabelled) continue;
    shelf.relabelled = false;
    events.push(...changeEvents(stockEvent(tx, "inventory.updated", shelf), before.available));
    shelf.told = { on_hand, reserved, available, backordered: shelf.backordered };
    if (shelf.bundled && before.available !== available) parts.set(shelf.product.id, before.available);
  }
  await emit(tx, [...events, ...(await bundleEvents(tx, parts))]);
}

/** What the world is told of a changed SKU that had so many available before: of low stock as well, or not. */
function changeEvents(updated: StockEvent, before: number): StockEvent[] {
  const { available, reorder_point } = updated.data;
  const isLow = before >= reorder_point && available < reorder_point;
  return isLow ? [updated, { ...updated, type: "inventory.low_stock" }] : [updated];
}

/** Tells of bundles of which more or fewer sets can be made, since so many of their parts were available before. */
async function bundleEvents(tx: Tx, before: ReadonlyMap<number, number>): Promise<DomainEvent[]> {
  if (before.size === 0) return [];
  // Locked, so that whoever changes another part at the same moment counts sets after this transaction.
  const bundles = await lockStockRows(tx, await listBundlesWith(tx, [...before.keys()]));
  const partsOf = await listStockedParts(
    tx,
    bundles.map(({ product }) => product.id),
  );
  return bundles.flatMap(({ product, ...shelf }) => {
    const parts = partsOf.get(product.id) ?? [];
    const sets = Math.min(...parts.map((part) => part.sets));
    const had = Math.min(
      ...parts.map(({ product_id, available, quantity }) =>
        Math.floor((before.get(product_id) ?? available) / quantity),
      ),
    );
    return setsEvents(tx, { product, ...shelf, sets }, had);
  });
}

/** What the world is told of a bundle of which so many sets could be made before; nothing when they are as many now. */
function setsEvents(tx: Tx, shelf: ProductStock & { readonly sets: number }, had: number): DomainEvent[] {
  if (shelf.sets === had) return [];
  const { merchant_id } = shelf.product;
  const data = { object: "inventory_item", ...itemView(shelf, tx.now, tx.now) };
  const levels = { available: had, total: had + data.reserved };
  const before = { ...levels, status: itemStatus(shelf.product, had, shelf.backordered) };
  return changeEvents({ type: "inventory.updated", merchant_id, data, previous: previousOf(before, data) }, had);
}

interface StockEvent extends DomainEvent {
  readonly merchant_id: number;
  readonly data: { readonly object: string } & ReturnType<typeof itemView>;
}

/** What the world is told of a shelf's stock, after what this transaction has done so far, and what was told last. */
export function stockEvent(tx: Tx, type: EventType, shelf: LockedStock, more: object = {}): StockEvent {
  const data = { object: "inventory_item", ...lockedStockView(tx, shelf), ...more };
  const { available, reserved, backordered } = shelf.told;
  const status = itemStatus(shelf.product, available, backordered);
  const { merchant_id } = shelf.product;
  return {
    type,
    merchant_id,
    data,
    previous: previousOf({ ...shelf.told, total: available + reserved, status }, data),
  };
}

/** A shelf's stock as its detail shows it, after what this transaction has done so far. */
export function lockedStockView(tx: Tx, shelf: LockedStock) {
  return itemView({ ...shelf, items: shelf.items.filter((item) => item.on_hand > 0) }, tx.now, tx.now);
}

/**
 * Tells of a bundle of which more or fewer sets can be made, since it is made of other components.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function emitSetsChange(tx: Tx, before: Product, after: Product): Promise<void> {
  if (isDeepStrictEqual(before.components, after.components)) return;
  const skus = [...before.components, ...after.components].map(({ sku }) => sku);
  const named = await findNamedProducts(tx, skus);
  const ids = [...named.values()]
    .flat()
    .flatMap(({ id, merchant_id }) => (merchant_id === after.merchant_id ? id : []));
  // Locked, so that whoever changes a part at the same moment either is counted here or finds the bundle as it is now.
  const parts = await lockStockRows(tx, ids);
  const free = new Map(parts.map((part) => [part.product.sku, availableOf(part, tx.now)]));
  const [shelf] = await loadStock(tx, [after.id]);
  if (shelf === undefined) return;
  const sets = setsOf(after, free);
  await emit(tx, setsEvents(tx, { ...shelf, sets }, setsOf(before, free)));
}

/** How many sets can be made of a bundle's components, of which so many are available. */
function setsOf({ components }: Product, free: ReadonlyMap<string, number>): number {
  return Math.min(...components.map(({ sku, quantity }) => Math.floor((free.get(sku) ?? 0) / quantity)));
}
