import type { Store } from "../database/store.ts";
import { fillShelf, freshShelves } from "./backorders/commands.ts";
import { listAwaitedProducts, type WaitingPlace } from "./backorders/store.ts";
import { expireBookings } from "./bookings/commands.ts";
import { listExpiredLots, markLotsExpired, nextLotExpiry } from "./lots/store.ts";

const slice = 500;
// Each of them may be of another SKU with an event of its own, and other requests wait for a slice as a whole.
const expiry_slice = 100;

/** Ends reservations past their time, a slice of them; answers when to run next (ms), or null. */
export async function expireReservations(store: Store): Promise<number | null> {
  return store.write((tx) => expireBookings(tx, expiry_slice));
}

/** Puts lots past their expiry aside, a slice of them; answers when to run next (ms), or null. */
export async function expireLots(store: Store): Promise<number | null> {
  return store.write(async (tx) => {
    const past = await listExpiredLots(tx, slice);
    // Opening a shelf puts aside what has expired on it; lots without units are only marked.
    await freshShelves(
      tx,
      past.map((lot) => lot.product_id),
    );
    const ids = past.map((lot) => lot.id);
    if (ids.length > 0) await markLotsExpired(tx, ids);
    return nextLotExpiry(tx);
  });
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
