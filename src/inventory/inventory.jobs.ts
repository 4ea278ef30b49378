import { dayStart } from "../core/time_zone.ts";
import type { Store, Tx } from "../storage/database.ts";
import { saveTurn } from "./ledger/ledger.sql.ts";
import { type BackorderRank, listBackorderedProducts } from "./reservations/backorders.sql.ts";
import { fillProductBackorders, lockFreshStock } from "./reservations/backorders.ts";
import { expireClientReservations } from "./reservations/client_reservations.ts";
import { lockedStockOf, noteShelfLifeChanges } from "./reservations/locked_stock.ts";
import { listExpiredLots, markLotsExpired, nextLastDay } from "./stock/lots.sql.ts";
import { listShelfLifeChanges, nextShelfLifeChange } from "./stock/stock.sql.ts";
import { type LocalDays, localDays } from "./warehouses/warehouses.sql.ts";

// Each may concern another SKU and emit its own event, and other requests wait until the slice commits.
const expiry_slice = 100;
// Slices per run.
const expiry_slices_max = 50;

/** Expires up to 100 overdue reservations. Returns when to run next (ms), or null. */
export async function expireReservations(store: Store): Promise<number | null> {
  return store.write((tx) => expireClientReservations(tx, expiry_slice));
}

/**
 * Applies the start of a day in a warehouse to its stock, one slice per transaction: expired lots are taken off sale.
 * Returns when to run next (ms), or null.
 */
export async function expireLots(store: Store): Promise<number | null> {
  for (let slices = 1; slices < expiry_slices_max; slices += 1) {
    const { more, next } = await store.write(expireSlice);
    if (!more) return next;
  }
  return (await store.write(expireSlice)).next;
}

async function expireSlice(tx: Tx): Promise<{ readonly more: boolean; readonly next: number | null }> {
  const days = await localDays(tx);
  const turned = await listShelfLifeChanges(tx, days, expiry_slice);
  const past = await listExpiredLots(tx, days, expiry_slice);
  const products = [...turned, ...past].map(({ product_id }) => product_id);
  // Locking the stock takes expired units off sale; lots without units are only marked.
  const stocks = await lockFreshStock(tx, products);
  const opened = new Set(products.map((id) => lockedStockOf(stocks, id)));
  await noteShelfLifeChanges(tx, opened);
  // Empty items no longer change with time. The limit of 0 units spares those that were filled since they were listed.
  const listed = turned.map(({ id }) => id);
  await saveTurn(tx, listed, null, 0);
  const ids = past.map((lot) => lot.id);
  if (ids.length > 0) await markLotsExpired(tx, ids);
  const more = turned.length >= expiry_slice || past.length >= expiry_slice;
  return { more, next: more ? tx.now : await nextTurn(tx, days) };
}

/** When (ms) the next day begins that changes any stock, or null. */
async function nextTurn(tx: Tx, { warehouses }: LocalDays): Promise<number | null> {
  const next: number[] = [];
  for (const { id, timezone, day } of warehouses) {
    const last_day = await nextLastDay(tx, day);
    const days = [await nextShelfLifeChange(tx, id, day), last_day === null ? null : last_day + 1];
    for (const changes_on of days) if (changes_on !== null) next.push(dayStart(changes_on, timezone));
  }
  return next.length === 0 ? null : Math.min(...next);
}

/** Fills backorders from available stock, one slice of the queue per transaction. Returns null: it runs when woken. */
export async function fillBackorders(store: Store): Promise<number | null> {
  for (const product_id of await store.read(listBackorderedProducts)) {
    let place: BackorderRank | null = null;
    do place = await fillAfter(store, product_id, place);
    while (place !== null);
  }
  return null;
}

function fillAfter(store: Store, product_id: number, after: BackorderRank | null): Promise<BackorderRank | null> {
  return store.write(async (tx) => {
    const stocks = await lockFreshStock(tx, [product_id]);
    const stock = stocks.get(product_id);
    return stock === undefined ? null : fillProductBackorders(tx, stocks, stock, after);
  });
}
