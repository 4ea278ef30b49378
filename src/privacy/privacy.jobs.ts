import { wireId } from "../core/ids.ts";
import type { Service } from "../http/service.ts";
import { type Store, type Tx, writeChunks } from "../storage/database.ts";
import { type LoggedErasure as Recorded, recordErasures } from "../storage/erasures.ts";
import type { Stores } from "../storage/open_stores.ts";
import { type DuePiece, eraseCustomer, erasePiece } from "./erase_person.ts";
import { isKnown, madeAt, wireIdsOf } from "./erased_records.sql.ts";
import { begins, looksForIds } from "./erasure.transitions.ts";
import type { Erasure } from "./erasure.ts";
import { dueErasure, lastErased, nextErasure, postponeErasure } from "./erasures.sql.ts";
import {
  deleteExpiredDocuments,
  deleteExpiredInvitations,
  deleteExpiredOrders,
  deleteIdleCustomers,
} from "./retention.ts";
import { retentionIn } from "./retention_settings.sql.ts";

/**
 * A round of `privacy.erase`: one piece of an erasure. Whom it begins to erase is written beside the data first, so
 * that no restore brings anyone back. What was overwritten is gone from the disk when it is done.
 */
export async function eraseDue(store: Store, service: Service): Promise<number | null> {
  const due = await prepareDue(store, service.erasures_path);
  const { erasure, next_at, failed } = await pieceOf(store, due);
  // The job fails by it, so that it is logged and tried again as every job is.
  if (failed !== undefined) throw failed;
  if (erasure?.finished_at != null) await store.shred();
  return next_at;
}

const again_ms = 3_600_000;

/** The innermost cause of an error: the messages around it hold the values of a statement, which are a person's. */
const rootOf = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : String(error);

/** What a piece came to, and why it failed. */
type ErasedRound = Awaited<ReturnType<typeof erasePiece>> & { readonly failed?: Error };

/** Does a piece. An erasure that fails is put off, so that the others go on. */
async function pieceOf(store: Store, due: DuePiece | null): Promise<ErasedRound> {
  try {
    return await store.write((tx) => erasePiece(tx, due));
  } catch (error) {
    if (due === null) throw error;
    const { id } = due.erasure;
    const next_at = await store.write(async (tx) => {
      await postponeErasure(tx, id, tx.now + again_ms);
      return nextErasure(tx);
    });
    const why = `${wireId("erasure", id)} could not go on, and is tried again in an hour: ${rootOf(error)}`;
    const failed = new Error(why, { cause: error });
    return { erasure: null, next_at, failed };
  }
}

/** Reads the erasure that is due, and records whom it is about to erase. The piece of another one is not done then. */
async function prepareDue(store: Store, path: string | null): Promise<DuePiece | null> {
  const { erasure, made, now } = await store.read(async (db) => {
    const erasure = await dueErasure(db);
    const made = erasure !== null && path !== null && begins(erasure) ? await madeAt(db, erasure.customers) : [];
    return { erasure, made, now: db.now };
  });
  if (erasure === null) return null;
  const { mode } = store;
  if (path !== null && made.length > 0) {
    recordErasures(
      path,
      made.map((one) => ({ mode, ...one, erased_at: now })),
    );
  }
  return { erasure, ids: looksForIds(erasure) ? await idsOf(store, erasure) : new Set() };
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
 * Does all that is due of erasures at once, without a service of this process. Whom it erases is written into the file
 * at `path` first; null where it stands there already, as after a restore, when no other server runs. Throws at the end
 * when one of them could not go on.
 */
export async function eraseAllDue(store: Store, path: string | null): Promise<void> {
  let first: Error | undefined;
  for (;;) {
    const due = await prepareDue(store, path);
    const { erasure, next_at, failed } = await pieceOf(store, due);
    first ??= failed;
    if (erasure?.finished_at != null) await store.shred();
    const now = await store.read(async (db) => db.now);
    if (next_at === null || next_at > now || (erasure === null && failed === undefined)) break;
  }
  if (first !== undefined) throw first;
}

const restoring = { type: "system", id: "restore", name: "Restore", request_id: null } as const;

/**
 * Erases a customer again who was erased after the backup was made that a world comes from. Where orders were open
 * then, it waits for them as any erasure does. Answers whether there was anyone to erase. One that has begun and cannot
 * go on is told of, and the server goes on with it; where not even that can be kept, it throws and says of whom.
 */
export async function eraseAgain(
  stores: Pick<Stores, Recorded["mode"]>,
  recorded: Recorded,
  say: (line: string) => void,
): Promise<boolean> {
  const { mode, customer_id } = recorded;
  const store = stores[mode];
  const name = `${wireId("customer", customer_id)} of the ${mode} world`;
  const begun = await store
    .write((tx) => beginAgain(tx, recorded))
    .catch((error: unknown) => {
      throw new Error(`${name}, who was erased since the backup, cannot be erased again: ${rootOf(error)}`);
    });
  if (!begun) return false;
  try {
    await eraseAllDue(store, null);
  } catch (error) {
    say(`${name}, who was erased since the backup, is not erased everywhere yet: ${rootOf(error)}`);
    say("The server tries it again every hour. GET /erasures tells when it is done.");
  }
  return true;
}

async function beginAgain(tx: Tx, { customer_id, created_at }: Recorded): Promise<boolean> {
  if (!(await isKnown(tx, customer_id, created_at))) return false;
  const asked = { after_days: 0, actor: restoring, recorded: true };
  await eraseCustomer(tx, wireId("customer", customer_id), asked);
  return true;
}

/** Deletes documents of labels that are older than the house keeps them, some in each transaction. */
export async function forgetOldDocuments(store: Store, service: Service): Promise<void> {
  await writeChunks(store, service, async (tx) =>
    deleteExpiredDocuments(tx, (await retentionIn(tx, service)).label_documents),
  );
}

/** Takes out of orders who they were for, that ended longer ago than the house keeps it, some in each transaction. */
export async function forgetOldOrders(store: Store, service: Service): Promise<void> {
  await writeChunks(store, service, async (tx) =>
    deleteExpiredOrders(tx, (await retentionIn(tx, service)).closed_orders),
  );
}

/** Erases customers who have been idle for longer than the house keeps them, some in each transaction. */
export async function forgetIdleCustomers(store: Store, service: Service): Promise<void> {
  await writeChunks(store, service, async (tx) =>
    deleteIdleCustomers(tx, (await retentionIn(tx, service)).idle_customers),
  );
}

/** Deletes invitations that were over longer ago than the house keeps them. Only the live world has any. */
export async function forgetOldInvitations(store: Store, service: Service): Promise<void> {
  if (store.mode !== "live") return;
  await writeChunks(store, service, async (tx) =>
    deleteExpiredInvitations(tx, (await retentionIn(tx, service)).invitations),
  );
}
