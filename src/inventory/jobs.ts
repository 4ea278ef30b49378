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

const slice = 500;
// Each of them may be of another SKU with an event of its own, and other requests wait for a slice as a whole.
const expiry_slice = 100;

/** Ends reservations past their time, a slice of them; answers when to run next (ms), or null. */
export async function expireReservations(store: Store): Promise<number | null> {
  return store.write((tx) => expireBookings(tx, expiry_slice));
}

/**
 * Notes what a new day in a warehouse changes of its stock, a slice of it: lots whose last day is over are put aside.
 * Answers when to run next (ms), or null.
 */
export async function expireLots(store: Store): Promise<number | null> {
  return store.write(async (tx) => {
    const days = await localDays(tx);
    const turned = await listTurned(tx, days, slice);
    const past = await listExpiredLots(tx, days, slice);
    const products = [...turned, ...past].map(({ product_id }) => product_id);
    // Opening a shelf puts aside what has expired on it; lots without units are only marked.
    const shelves = await freshShelves(tx, products);
    for (const id of new Set(products)) await noteTurns(tx, shelfOf(shelves, id));
    // Of what is gone there is nothing to tell.
    const gone = turned.flatMap(({ id, on_hand }) => (on_hand === 0 ? id : []));
    await saveTurn(tx, gone, null);
    const ids = past.map((lot) => lot.id);
    if (ids.length > 0) await markLotsExpired(tx, ids);
    return turned.length >= slice || past.length >= slice ? tx.now : nextTurn(tx, days);
  });
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
