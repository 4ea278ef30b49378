// Acts on uploaded files. An upload takes three steps, so that a crash leaves no content without a row: its row is
// inserted, its content is written, and the row is marked as stored.
import type { Environment } from "../core/environment.ts";
import { Fault } from "../core/faults.ts";
import type { Tx } from "../storage/database.ts";
import type { FileContents } from "../storage/file_contents.ts";
import { takeTurn } from "../storage/leases.ts";
import { requireOwner } from "../storage/tenant.ts";
import { type NewFile, refuseUsed, type StoredFile, unused_ms } from "./file.ts";
import { fileRemovals, findSameFile, insertPendingFile, lockFile, lockPendingFile, saveFile } from "./files.sql.ts";

/** Begins an upload, before its content is written. Returns its id. Refuses: merchant_required. */
export async function beginUpload(tx: Tx, file: NewFile): Promise<number> {
  tx.wake(fileRemovals.job, tx.now + unused_ms);
  return insertPendingFile(tx, file, requireOwner(tx));
}

/**
 * Ends an upload. If the merchant has a file of the same kind and content, that one is returned, and kept for another
 * day; `pending_id` is then not needed, and is removed later. Refuses: merchant_required, write_conflict.
 */
export async function finishUpload(
  tx: Tx,
  content: Pick<StoredFile, "kind" | "sha256">,
  pending_id: number | null,
): Promise<StoredFile> {
  const merchant_id = requireOwner(tx);
  await takeTurn(tx, `files.${merchant_id}`);
  const same = await findSameFile(tx, { ...content, merchant_id });
  if (same !== null) return postponeRemoval(tx, await lockFile(tx, same.id));
  const pending = pending_id === null ? null : await lockPendingFile(tx, pending_id);
  if (pending === null) throw new Fault("write_conflict", "The same file was just deleted. Upload it again.");
  return postponeRemoval(tx, { ...pending, stored_at: tx.now });
}

async function postponeRemoval(tx: Tx, file: StoredFile): Promise<StoredFile> {
  if (file.remove_at === null) return file;
  tx.wake(fileRemovals.job, tx.now + unused_ms);
  return saveFile(tx, { ...file, remove_at: tx.now + unused_ms });
}

/**
 * Deletes a file. Its links end at once; its content is removed a day later, since a backup may be reading it.
 * Refuses: resource_missing, file_in_use.
 */
export async function deleteFile(tx: Tx, id: string | number): Promise<StoredFile> {
  const file = await lockFile(tx, id);
  refuseUsed(file);
  tx.wake(fileRemovals.job, tx.now + unused_ms);
  return saveFile(tx, { ...file, deleted_at: tx.now, remove_at: tx.now + unused_ms });
}

/** Keeps a file as long as a record uses it. Refuses: resource_missing. */
export async function useFile(tx: Tx, id: number): Promise<StoredFile> {
  return saveFile(tx, { ...(await lockFile(tx, id)), remove_at: null });
}

/** Removes a file after a day, since a record no longer uses it. Refuses: resource_missing. */
export async function releaseFile(tx: Tx, id: number): Promise<StoredFile> {
  tx.wake(fileRemovals.job, tx.now + unused_ms);
  return saveFile(tx, { ...(await lockFile(tx, id)), remove_at: tx.now + unused_ms });
}

const storage_timeout_ms = 15_000;

/** Reads the content of a file. Refuses: resource_missing, storage_unavailable. */
export async function readContent(
  files: FileContents,
  mode: Environment,
  { key }: Pick<StoredFile, "key">,
): Promise<Uint8Array> {
  const bytes = await withinTime(files.read(mode, key));
  if (bytes === null) throw new Fault("resource_missing", "The content of this file is missing.");
  return bytes;
}

/** Awaits the storage of contents for a limited time. Refuses: storage_unavailable. */
export async function withinTime<Done>(work: Promise<Done>): Promise<Done> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("it did not answer in time")), storage_timeout_ms);
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw Object.assign(
      new Fault("storage_unavailable", "Files cannot be stored or read at the moment. Try again later."),
      { cause: reason },
    );
  } finally {
    work.catch(() => {});
    clearTimeout(timer);
  }
}
