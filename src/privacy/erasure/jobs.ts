import { type Erasure as Recorded, recordErasures } from "../../database/erasures.ts";
import type { Stores } from "../../database/open.ts";
import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { wireId } from "../../kit/ids.ts";
import { requestLogOf } from "../../operations/requests/jobs.ts";
import type { Erasure } from "../erasures/erasure.ts";
import { dueErasure, lastErased, postponeErasure } from "../erasures/store.ts";
import { usersOf } from "../logs/store.ts";
import { begins, firstStep, looksForIds } from "../status.ts";
import { type DuePiece, eraseCustomer, erasePiece } from "./commands.ts";
import { isKnown, wireIdsOf } from "./store.ts";

/**
 * A round of `privacy.erase`: one piece of an erasure. Whom it begins to erase is written beside the data first, so
 * that no restore brings anyone back. What was overwritten is gone from the disk when it is done.
 */
export async function eraseDue(store: Store, service: Service): Promise<number | null> {
  const due = await prepareDue(store, service.stores.live, service.erasures_path);
  const { erasure, next_at } = await pieceOf(store, due);
  // Requests of a moment ago wait in memory to be logged: the log is read last.
  if (erasure?.step === firstStep) await requestLogOf(service).flush();
  if (erasure?.finished_at != null) await store.shred();
  return next_at;
}

const again_ms = 3_600_000;

/** Does a piece. An erasure that fails is put off, so that the others go on; what went wrong is told as of any job. */
async function pieceOf(store: Store, due: DuePiece | null) {
  try {
    return await store.write((tx) => erasePiece(tx, due));
  } catch (error) {
    if (due === null) throw error;
    const { id } = due.erasure;
    await store.write((tx) => postponeErasure(tx, id, tx.now + again_ms));
    throw new Error(`${wireId("erasure", id)} could not go on, and is tried again in an hour`, { cause: error });
  }
}

/** Reads the erasure that is due, and records whom it is about to erase. The piece of another one is not done then. */
async function prepareDue(store: Store, live: Store, path: string | null): Promise<DuePiece | null> {
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
  return { erasure, users, ids: looksForIds(erasure) ? await idsOf(store, erasure) : new Set() };
}

const read_ids = new WeakMap<Store, { readonly erasure_id: number; readonly ids: ReadonlySet<string> }>();

/** The ids of the records of a person, read once for all pieces that look for them. */
async function idsOf(store: Store, { id, customers }: Erasure): Promise<ReadonlySet<string>> {
  const known = read_ids.get(store);
  if (known?.erasure_id === id) return known.ids;
  const ids = await store.read((db) => wireIdsOf(db, customers));
  read_ids.set(store, { erasure_id: id, ids });
  return ids;
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
 * Does all that is due of erasures at once, without a running service. Whom it erases is written into the file at
 * `path` first; null where it stands there already.
 */
export async function eraseAllDue(store: Store, live: Store, path: string | null): Promise<void> {
  for (;;) {
    const due = await prepareDue(store, live, path);
    const { erasure, next_at } = await pieceOf(store, due);
    if (erasure?.finished_at != null) await store.shred();
    const now = await store.read(async (db) => db.now);
    if (erasure === null || next_at === null || next_at > now) return;
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
    await eraseCustomer(tx, wireId("customer", customer_id), { after_days: 0, actor: restoring, recorded: true });
    return true;
  });
  if (begun) await eraseAllDue(store, stores.live, null);
  return begun;
}
