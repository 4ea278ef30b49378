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

// Each of them may be of another SKU with an event of its own, and other requests wait for a slice as a whole.
const expiry_slice = 100;
// So many slices in one round.
const expiry_slices_max = 50;

/** Ends reservations past their time, a slice of them; answers when to run next (ms), or null. */
export async function expireReservations(store: Store): Promise<number | null> {
  return store.write((tx) => expireClientReservations(tx, expiry_slice));
}

/**
 * Notes what a new day in a warehouse changes of its stock, a slice of it in each transaction: lots whose last day is
 * over are put aside. Answers when to run next (ms), or null.
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
  // Opening a shelf puts aside what has expired on it; lots without units are only marked.
  const shelves = await lockFreshStock(tx, products);
  const opened = new Set(products.map((id) => lockedStockOf(shelves, id)));
  await noteShelfLifeChanges(tx, opened);
  // Of what is gone there is nothing to tell. Units may have come since it was listed.
  const listed = turned.map(({ id }) => id);
  await saveTurn(tx, listed, null, 0);
  const ids = past.map((lot) => lot.id);
  if (ids.length > 0) await markLotsExpired(tx, ids);
  const more = turned.length >= expiry_slice || past.length >= expiry_slice;
  return { more, next: more ? tx.now : await nextTurn(tx, days) };
}

/** When (ms) time next changes any stock, or null. */
async function nextTurn(tx: Tx, { warehouses }: LocalDays): Promise<number | null> {
  const next: number[] = [];
  for (const { id, timezone, day } of warehouses) {
    const last_day = await nextLastDay(tx, day);
    const days = [await nextShelfLifeChange(tx, id, day), last_day === null ? null : last_day + 1];
    for (const one of days) if (one !== null) next.push(dayStart(one, timezone));
  }
  return next.length === 0 ? null : Math.min(...next);
}

/** Serves everyone who waits for stock that is there, a slice of the queue in each transaction. */
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
    const shelves = await lockFreshStock(tx, [product_id]);
    const shelf = shelves.get(product_id);
    return shelf === undefined ? null : fillProductBackorders(tx, shelves, shelf, after);
  });
}
