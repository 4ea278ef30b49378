import { engine } from "../../config.ts";
import { type Erasure as Recorded, recordErasures } from "../../database/erasures.ts";
import type { Stores } from "../../database/open.ts";
import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { wireId } from "../../kit/ids.ts";
import { requestLogOf } from "../../operations/requests/jobs.ts";
import { usersOf } from "../logs/store.ts";
import { begins, lastStep } from "../status.ts";
import { type DuePiece, eraseCustomer, erasePiece } from "./commands.ts";
import { dueErasure, isKnown, lastErased } from "./store.ts";

// Twice as long as a server keeps what it was asked before it writes it down.
const lines_wait_ms = 2000;

/**
 * A round of `privacy.erase`: one piece of an erasure. Whom it begins to erase is written beside the data first, so
 * that no restore brings anyone back. What was overwritten is gone from the disk when it is done.
 */
export async function eraseDue(store: Store, service: Service): Promise<number | null> {
  const settles_ms = service.registry === null ? 0 : lines_wait_ms;
  const due = await prepareDue(store, service.stores.live, { path: service.erasures_path, settles_ms });
  // Requests of a moment ago wait in memory to be logged: the log is read last.
  if (due?.erasure.step === lastStep) await requestLogOf(service).flush();
  const { erasure, next_at } = await store.write((tx) => erasePiece(tx, due));
  if (erasure?.finished_at != null) await store.shred();
  return next_at;
}

/** Reads the erasure that is due, and records whom it is about to erase. The piece of another one is not done then. */
async function prepareDue(
  store: Store,
  live: Store,
  { path, settles_ms }: Pick<DuePiece, "settles_ms"> & { readonly path: string | null },
): Promise<DuePiece | null> {
  const { erasure, now } = await store.read(async (db) => ({ erasure: await dueErasure(db), now: db.now }));
  if (erasure === null) return null;
  const { mode } = store;
  if (path !== null && begins(erasure)) {
    recordErasures(
      path,
      erasure.customers.map((customer_id) => ({ mode, customer_id, erased_at: now })),
    );
  }
  const { merchant_id } = erasure;
  const users = merchant_id === null ? [] : await live.read((db) => usersOf(db, merchant_id));
  return { erasure, users, settles_ms };
}

const shredded = new WeakMap<Store, number>();

/**
 * Cuts the log of a database where an erasure has ended since that was last done by this process, be it that another
 * process did it, or that this one was ended in between.
 */
export async function shredErased(store: Store): Promise<void> {
  const last = await store.read(lastErased);
  if (last === null || last <= (shredded.get(store) ?? -1)) return;
  if (await store.shred()) shredded.set(store, last);
}

/**
 * Does all that is due of erasures at once, without a service of this process. Whom it erases is written into the file
 * at `path` first; null where it stands there already, as after a restore, when no other server runs.
 */
export async function eraseAllDue(store: Store, live: Store, path: string | null): Promise<void> {
  const settles_ms = engine === "postgres" && path !== null ? lines_wait_ms : 0;
  for (;;) {
    const due = await prepareDue(store, live, { path, settles_ms });
    const { erasure, next_at } = await store.write((tx) => erasePiece(tx, due));
    if (erasure?.finished_at != null) await store.shred();
    const now = await store.read(async (db) => db.now);
    if (erasure === null || next_at === null || next_at > now + settles_ms) return;
    if (next_at > now) await Bun.sleep(next_at - now);
  }
}

const restoring = { type: "system", id: "restore", name: "Restore", request_id: null } as const;

/**
 * Erases a customer again who was erased after the backup was made that a world comes from. Where orders were open
 * then, it waits for them as any erasure does. Answers whether there was anyone to erase.
 */
export async function eraseAgain(
  stores: Pick<Stores, Recorded["mode"]>,
  { mode, customer_id }: Recorded,
): Promise<boolean> {
  const store = stores[mode];
  const begun = await store.write(async (tx) => {
    if (!(await isKnown(tx, customer_id))) return false;
    await eraseCustomer(tx, wireId("customer", customer_id), { after_days: 0, actor: restoring });
    return true;
  });
  if (begun) await eraseAllDue(store, stores.live, null);
  return begun;
}
