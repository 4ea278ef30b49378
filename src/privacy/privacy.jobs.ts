import { wireId } from "../core/ids.ts";
import type { Service } from "../http/service.ts";
import { type Store, type Tx, writeChunks } from "../storage/database.ts";
import { type LoggedErasure as Recorded, recordErasures } from "../storage/erasures.ts";
import type { Stores } from "../storage/open_stores.ts";
import type { KeptForever } from "../storage/retention.ts";
import { type DueErasure, eraseCustomer, runErasureStep } from "./erase_person.ts";
import { creationTimes, customerExists, wireIdsOf } from "./erased_records.sql.ts";
import { isAboutToErase, needsIds } from "./erasure.transitions.ts";
import type { Erasure } from "./erasure.ts";
import { dueErasure, lastErased, pendingErasures, postponeErasure } from "./erasures.sql.ts";
import {
  deleteExpiredDocuments,
  deleteExpiredInvitations,
  deleteExpiredOrders,
  deleteIdleCustomers,
} from "./retention.ts";
import { retentionIn } from "./retention_settings.sql.ts";

/**
 * A round of `privacy.erase`: one transaction of an erasure. The customers are first recorded in the erasure log
 * outside the database, so that a restore erases them again. When the erasure is finished, overwritten data is removed
 * from disk.
 */
export async function eraseDue(store: Store, service: Service): Promise<number | null> {
  const due = await prepareDue(store, service.erasures_path);
  const { erasure, next_at, failed } = await runStep(store, due);
  // The failed job is logged and retried like any other.
  if (failed !== undefined) throw failed;
  if (erasure?.finished_at != null) await store.shred();
  return next_at;
}

const again_ms = 3_600_000;

/** The innermost cause of an error. The outer messages contain values of the statement, which are personal data. */
const rootOf = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : String(error);

/** The result of a transaction, and why it failed. */
type ErasedRound = Awaited<ReturnType<typeof runErasureStep>> & { readonly failed?: Error };

/** Runs one transaction. An erasure that fails is postponed, so that others continue. */
async function runStep(store: Store, due: DueErasure | null): Promise<ErasedRound> {
  try {
    return await store.write((tx) => runErasureStep(tx, due));
  } catch (error) {
    if (due === null) throw error;
    const { id } = due.erasure;
    const next_at = await store.write(async (tx) => {
      await postponeErasure(tx, id, tx.now + again_ms);
      return pendingErasures.nextAt(tx);
    });
    const why = `${wireId("erasure", id)} failed and is retried in an hour: ${rootOf(error)}`;
    const failed = new Error(why, { cause: error });
    return { erasure: null, next_at, failed };
  }
}

/** Reads the due erasure and records its customers in the erasure log at `path`; a null `path` skips the log. */
async function prepareDue(store: Store, path: string | null): Promise<DueErasure | null> {
  const { erasure, made, now } = await store.read(async (db) => {
    const erasure = await dueErasure(db);
    const made =
      erasure !== null && path !== null && isAboutToErase(erasure) ? await creationTimes(db, erasure.customers) : [];
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
  return { erasure, ids: needsIds(erasure) ? await idsOf(store, erasure) : new Set() };
}

const read_ids = new WeakMap<Store, { readonly erasure_id: number; readonly ids: ReadonlySet<string> }>();

/** The wire ids of the person's records, read once per erasure. */
async function idsOf(store: Store, { id, customers }: Erasure): Promise<ReadonlySet<string>> {
  const known = read_ids.get(store);
  if (known?.erasure_id === id) return known.ids;
  const ids = await store.read((db) => wireIdsOf(db, customers));
  read_ids.set(store, { erasure_id: id, ids });
  return ids;
}

const shredded = new WeakMap<Store, number>();

/**
 * Removes overwritten data from disk if an erasure has finished since this process last did so. Another process may
 * have finished it, or this one may have ended in between.
 */
export async function shredErased(store: Store): Promise<void> {
  const last = await store.read(lastErased);
  if (last === null || last <= (shredded.get(store) ?? -1)) return;
  if (await store.shred()) shredded.set(store, last);
}

/**
 * Runs all due erasures to the end, without a running service. The customers are first recorded in the erasure log at
 * `path`; null if it already contains them, as after a restore. Throws the first failure at the end.
 */
export async function eraseAllDue(store: Store, path: string | null): Promise<void> {
  let first: Error | undefined;
  for (;;) {
    const due = await prepareDue(store, path);
    const { erasure, next_at, failed } = await runStep(store, due);
    first ??= failed;
    if (erasure?.finished_at != null) await store.shred();
    const now = await store.read(async (db) => db.now);
    if (next_at === null || next_at > now || (erasure === null && failed === undefined)) break;
  }
  if (first !== undefined) throw first;
}

const restoring = { type: "system", id: "restore", name: "Restore", request_id: null } as const;

/**
 * Repeats the erasure of a customer after a restore from a backup that still contains them. Open orders delay it, as
 * usual. Returns whether the customer exists. If it starts but fails, reports this through `report`, and the server
 * retries; if it cannot start, throws.
 */
export async function eraseAgain(
  stores: Pick<Stores, Recorded["mode"]>,
  recorded: Recorded,
  report: (line: string) => void,
): Promise<boolean> {
  const { mode, customer_id } = recorded;
  const store = stores[mode];
  const name = `${wireId("customer", customer_id)} (${mode})`;
  const begun = await store
    .write((tx) => beginAgain(tx, recorded))
    .catch((error: unknown) => {
      throw new Error(`${name} was erased after the backup and cannot be erased again: ${rootOf(error)}`);
    });
  if (!begun) return false;
  try {
    await eraseAllDue(store, null);
  } catch (error) {
    report(`${name} was erased after the backup and is not fully erased again yet: ${rootOf(error)}`);
    report("The server retries every hour. Check the progress with GET /erasures.");
  }
  return true;
}

async function beginAgain(tx: Tx, { customer_id, created_at }: Recorded): Promise<boolean> {
  if (!(await customerExists(tx, customer_id, created_at))) return false;
  await eraseCustomer(tx, wireId("customer", customer_id), { after_days: 0, actor: restoring, recorded: true });
  return true;
}

/** A nightly job that deletes expired records of a kind, some in each transaction. */
function retentionJob(kind: KeptForever, deleteExpired: (tx: Tx, days: number | null) => Promise<boolean>) {
  return (store: Store, service: Service): Promise<void> =>
    writeChunks(store, service, async (tx) => deleteExpired(tx, (await retentionIn(tx, service))[kind]));
}

/** Deletes expired carrier documents of labels. */
export const deleteOldDocuments = retentionJob("label_documents", deleteExpiredDocuments);
/** Erases personal data from orders that ended longer ago than the retention time. */
export const eraseOldOrders = retentionJob("closed_orders", deleteExpiredOrders);
/** Erases customers without activity for the retention time. */
export const eraseIdleCustomers = retentionJob("idle_customers", deleteIdleCustomers);
/** Deletes expired invitations. Test data has none. */
export const deleteOldInvitations = retentionJob("invitations", deleteExpiredInvitations);
