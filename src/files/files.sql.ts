import { and, eq, inArray, sql as template } from "drizzle-orm";
import { forUpdate } from "../../db/kit.ts";
import { files } from "../../db/schema/files.ts";
import { missing } from "../core/faults.ts";
import { choice } from "../core/schema.ts";
import { minute_ms } from "../core/time.ts";
import type { Db, Tx } from "../storage/database.ts";
import { queueOf } from "../storage/queue.ts";
import { equals, recordList } from "../storage/record_list.ts";
import { recordLookup } from "../storage/record_lookup.ts";
import { prepared, type StatementArgs } from "../storage/statements.ts";
import { type FileKind, fileKinds, isVisible, type NewFile, type StoredFile, unused_ms } from "./file.ts";

// The condition of the partial index, literally.
const visible = template`${files.stored_at} is not null and ${files.deleted_at} is null`;

/** The file that an identifier names. Refuses: resource_missing. */
export const { get: getFile, lock: lockFile } = recordLookup(files, "file", {
  record: (_, row): StoredFile => {
    if (!isVisible(row)) throw missing("file", row.id);
    return row;
  },
});

/** Files, newest first. */
export const fileList = recordList(files, {
  within: visible,
  filters: { kind: equals(files.kind, choice(fileKinds, { description: "Only files of this kind." })) },
});

/**
 * The files whose content is to be removed. The claim deletes the file, so that nothing begins to use it meanwhile.
 */
export const fileRemovals = queueOf<StoredFile>(files, {
  kind: "files",
  job: "files.remove",
  due: files.remove_at,
  waiting: template`${files.remove_at} is not null`,
  lease_ms: 5 * minute_ms,
  claimed: ({ deleted_at }, _, now) => ({ deleted_at: deleted_at ?? now }),
});

const withContent = prepared((sql, a: StatementArgs<{ kind: FileKind; sha256: string; merchant_id: number }>) =>
  sql
    .select()
    .from(files)
    .where(and(eq(files.merchant_id, a.merchant_id), eq(files.kind, a.kind), eq(files.sha256, a.sha256), visible)),
);

/** The file of a merchant with this content, or null. */
export async function findSameFile(
  db: Db,
  { kind, sha256, merchant_id }: Pick<StoredFile, "kind" | "sha256" | "merchant_id">,
): Promise<StoredFile | null> {
  const [row] = await withContent(db, { kind, sha256, merchant_id });
  return row ?? null;
}

/** Inserts a file whose content is about to be written. It is removed unless it is stored and used in time. */
export async function insertPendingFile(tx: Tx, file: NewFile, merchant_id: number): Promise<number> {
  const remove_at = tx.now + unused_ms;
  const values = { ...file, merchant_id, created_at: tx.now, stored_at: null, deleted_at: null, remove_at };
  const [row] = await tx.sql.insert(files).values(values).returning({ id: files.id });
  return row?.id ?? 0;
}

/** Locks a file whose content has been written; null if it was removed since. */
export async function lockPendingFile(tx: Tx, id: number): Promise<StoredFile | null> {
  const [row] = await forUpdate(tx.sql.select().from(files).where(eq(files.id, id)));
  return row === undefined || row.deleted_at !== null ? null : row;
}

/** Stores what has changed of a file: its times. */
export async function saveFile(tx: Tx, file: StoredFile): Promise<StoredFile> {
  const { id, stored_at, deleted_at, remove_at } = file;
  await tx.sql.update(files).set({ stored_at, deleted_at, remove_at }).where(eq(files.id, id));
  return file;
}

/** Deletes the row of a file whose content was removed under a claim, unless another server has claimed it since. */
export async function deleteRemovedFile(
  tx: Tx,
  { id, remove_at }: { readonly id: number; readonly remove_at: number },
): Promise<void> {
  await tx.sql.delete(files).where(and(eq(files.id, id), eq(files.remove_at, remove_at)));
}

/** The names of the contents of all files that clients see. */
export async function storedFiles(db: Db): Promise<Pick<StoredFile, "id" | "key">[]> {
  return await db.sql.select({ id: files.id, key: files.key }).from(files).where(visible).orderBy(files.id);
}

const keys_at_once = 500;

/** Those of some keys that no file has. */
export async function unknownKeys(db: Db, keys: readonly string[]): Promise<string[]> {
  const unknown: string[] = [];
  for (let at = 0; at < keys.length; at += keys_at_once) {
    const some = keys.slice(at, at + keys_at_once);
    const rows = await db.sql.select({ key: files.key }).from(files).where(inArray(files.key, some));
    const known = new Set(rows.map(({ key }) => key));
    unknown.push(...some.filter((key) => !known.has(key)));
  }
  return unknown;
}
