import type { Store, Tx } from "../database/store.ts";
import { dayStart } from "../kit/zone.ts";
import { fillShelf, freshShelves } from "./backorders/commands.ts";
import { listAwaitedProducts, type WaitingPlace } from "./backorders/store.ts";
import { expireBookings } from "./bookings/commands.ts";
import { saveTurn } from "./ledger/store.ts";
import { listExpiredLots, markLotsExpired, nextLastDay } from "./lots/store.ts";
import { noteTurns, shelfOf } from "./shelves/commands.ts";
import { listTurned, nextTurnDay } from "./stock/store.ts";
import { type LocalDays, localDays } from "./warehouses/store.ts";

// Each of them may be of another SKU with an event of its own, and other requests wait for a slice as a whole.
const expiry_slice = 100;
// So many slices in one round.
const expiry_slices_max = 50;

/** Ends reservations past their time, a slice of them; answers when to run next (ms), or null. */
export async function expireReservations(store: Store): Promise<number | null> {
  return store.write((tx) => expireBookings(tx, expiry_slice));
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
  const turned = await listTurned(tx, days, expiry_slice);
  const past = await listExpiredLots(tx, days, expiry_slice);
  const products = [...turned, ...past].map(({ product_id }) => product_id);
  // Opening a shelf puts aside what has expired on it; lots without units are only marked.
  const shelves = await freshShelves(tx, products);
  const opened = new Set(products.map((id) => shelfOf(shelves, id)));
  await noteTurns(tx, opened);
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
    const days = [await nextTurnDay(tx, id, day), last_day === null ? null : last_day + 1];
    for (const one of days) if (one !== null) next.push(dayStart(one, timezone));
  }
  return next.length === 0 ? null : Math.min(...next);
}

/** Serves everyone who waits for stock that is there, a slice of the queue in each transaction. */
export async function fillBackorders(store: Store): Promise<number | null> {
  for (const product_id of await store.read(listAwaitedProducts)) {
    let place: WaitingPlace | null = null;
    do place = await fillAfter(store, product_id, place);
    while (place !== null);
  }
  return null;
}

function fillAfter(store: Store, product_id: number, after: WaitingPlace | null): Promise<WaitingPlace | null> {
  return store.write(async (tx) => {
    const shelves = await freshShelves(tx, [product_id]);
    const shelf = shelves.get(product_id);
    return shelf === undefined ? null : fillShelf(tx, shelves, shelf, after);
  });
}
