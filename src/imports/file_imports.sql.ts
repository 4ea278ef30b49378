import { and, asc, desc, eq, gt, isNotNull, lt, not, or, sql as template } from "drizzle-orm";
import { amongThose, isOneOf } from "../../db/kit.ts";
import { file_import_parts, file_import_rows, file_imports, import_mappings } from "../../db/schema/imports.ts";
import { choice } from "../core/schema.ts";
import { minute_ms } from "../core/time.ts";
import type { Db, Tx } from "../storage/database.ts";
import { queueOf } from "../storage/queue.ts";
import { ascending, equals, recordList } from "../storage/record_list.ts";
import { recordLookup } from "../storage/record_lookup.ts";
import { deleteBatch } from "../storage/row_batches.ts";
import { insert, insertIds } from "../storage/statements.ts";
import { requireOwner } from "../storage/tenant.ts";
import {
  cancellableStatuses,
  cancelledStatus,
  fileImportStatuses,
  importKinds,
  isOnlyChecked,
  personalKinds,
  rowChanges,
} from "./file_import.transitions.ts";
import type { FileImport, ImportHead } from "./file_import.ts";

/** The import that an identifier names. `lockImport` also locks it. Both refuse: resource_missing. */
export const { get: getImport, lock: lockImport } = recordLookup(file_imports, "file_import", { called: "import" });

/** Imports, newest first. */
export const fileImportList = recordList(file_imports, {
  filters: {
    kind: equals(file_imports.kind, choice(importKinds, { description: "Only imports of these kinds." })),
    status: equals(file_imports.status, choice(fileImportStatuses)),
  },
});

export type ImportedRow = typeof file_import_rows.$inferSelect;

/** The rejected and changed rows of an import, by line: those of its check or, once it runs, of the run. */
export const importedRowList = recordList(file_import_rows, {
  filters: {
    change: equals(file_import_rows.change, choice(rowChanges, { description: "Only rows with these results." })),
  },
  within: async (db, _, parent) => {
    const { id, status } = await getImport(db, parent);
    return and(eq(file_import_rows.import_id, id), eq(file_import_rows.is_checked, isOnlyChecked(status)));
  },
  order: ascending(file_import_rows.line),
});

/** Rejected rows and the other rows of their records, after a line. */
export async function listRejected(
  db: Db,
  { id, status }: Pick<FileImport, "id" | "status">,
  after: number | null,
  limit: number,
): Promise<ImportedRow[]> {
  return db.sql
    .select()
    .from(file_import_rows)
    .where(
      and(
        eq(file_import_rows.import_id, id),
        eq(file_import_rows.is_checked, isOnlyChecked(status)),
        isOneOf(file_import_rows.change, ["failed", "held"]),
        template`${file_import_rows.line} > ${after ?? 0}`,
      ),
    )
    .orderBy(asc(file_import_rows.line))
    .limit(limit);
}

/** The queue of imports that are checked or run. One of each merchant is worked on at a time. */
export const fileImportQueue = queueOf<FileImport>(file_imports, {
  kind: "file_imports",
  job: "imports.run",
  due: file_imports.next_at,
  waiting: isNotNull(file_imports.next_at),
  lane: file_imports.merchant_id,
  lease_ms: minute_ms,
  claimed: ({ claims }, _, now) => ({ claims: claims + 1, updated_at: now }),
});

const head_seq = -1;

/** Stores a new import with its file. Returns its id. */
export async function insertImport(
  tx: Tx,
  row: Omit<FileImport, "id" | "merchant_id">,
  head: ImportHead,
  parts: readonly Uint8Array[],
): Promise<number> {
  const [id = 0] = await insertIds(tx, file_imports, [{ ...row, merchant_id: requireOwner(tx) }]);
  const first = { import_id: id, seq: head_seq, bytes: Buffer.from(JSON.stringify(head)) };
  await insert(tx, file_import_parts, [first]);
  for (const [seq, bytes] of parts.entries()) await insert(tx, file_import_parts, [{ import_id: id, seq, bytes }]);
  return id;
}

/** A part of the file of an import; null after the last. */
export async function findPart(db: Db, import_id: number, seq: number): Promise<Uint8Array | null> {
  const { bytes } = file_import_parts;
  const [row] = await db.sql
    .select({ bytes })
    .from(file_import_parts)
    .where(and(eq(file_import_parts.import_id, import_id), eq(file_import_parts.seq, seq)));
  return row?.bytes ?? null;
}

/** The first lines of the file of an import; null once the file was deleted. */
export async function findHead(db: Db, import_id: number): Promise<ImportHead | null> {
  const bytes = await findPart(db, import_id, head_seq);
  return bytes === null ? null : (JSON.parse(Buffer.from(bytes).toString()) as ImportHead);
}

/** Stores fields of an import. */
export async function saveImport(tx: Tx, id: number, fields: Partial<FileImport>): Promise<void> {
  await tx.sql
    .update(file_imports)
    .set({ ...fields, updated_at: tx.now })
    .where(eq(file_imports.id, id));
}

/** Stores the results of rows. */
export async function insertRows(tx: Tx, rows: readonly Omit<ImportedRow, "id">[]): Promise<void> {
  if (rows.length > 0) await insert(tx, file_import_rows, rows);
}

/** Deletes some results of the check of an import. Returns whether more are left. */
export async function deleteCheckedRows(tx: Tx, import_id: number, limit: number): Promise<boolean> {
  const where = and(eq(file_import_rows.import_id, import_id), eq(file_import_rows.is_checked, true));
  return (await deleteBatch(tx, file_import_rows, { where, by: [file_import_rows.line], limit })) === limit;
}

/** How the columns of a file are read. */
type ColumnMapping = Pick<FileImport, "map" | "decimal">;
type MappedFile = Pick<FileImport, "kind" | "columns_key">;

/** The mapping that was last used for a file with these columns; null for none. */
export async function findMapping(db: Db, { kind, columns_key }: MappedFile): Promise<ColumnMapping | null> {
  const { map, decimal } = import_mappings;
  const [row] = await db.sql
    .select({ map, decimal })
    .from(import_mappings)
    .where(and(eq(import_mappings.kind, kind), eq(import_mappings.columns_key, columns_key)))
    .orderBy(desc(import_mappings.updated_at))
    .limit(1);
  return row ?? null;
}

/** Remembers the mapping of files with these columns. */
export async function saveMapping(tx: Tx, file: MappedFile, { map, decimal }: ColumnMapping): Promise<void> {
  const { kind, columns_key } = file;
  const row = { merchant_id: requireOwner(tx), kind, columns_key, map, decimal, updated_at: tx.now };
  await tx.sql
    .insert(import_mappings)
    .values(row)
    .onConflictDoUpdate({
      target: [import_mappings.merchant_id, import_mappings.kind, import_mappings.columns_key],
      set: { map, decimal, updated_at: tx.now },
    });
}

/** Deletes a part of the imports that last changed before a time (ms). Returns whether more are left. */
export async function deleteImports(tx: Tx, before: number, limit: number): Promise<boolean> {
  const [old] = await tx.sql
    .select({ id: file_imports.id })
    .from(file_imports)
    .where(and(lt(file_imports.updated_at, before), template`${file_imports.next_at} is null`))
    .orderBy(asc(file_imports.created_at), asc(file_imports.id))
    .limit(1);
  if (old === undefined) return false;
  const { rows, parts } = await deleteContents(tx, old.id, limit);
  if (rows + parts === 0) await tx.sql.delete(file_imports).where(eq(file_imports.id, old.id));
  return true;
}

/** Numbers of deleted rows. */
interface DeletedContents {
  readonly rows: number;
  readonly parts: number;
}

const parts_max = 16;

/** Deletes a part of the file and rows of an import. Zero when nothing is left. */
async function deleteContents(tx: Tx, import_id: number, limit: number): Promise<DeletedContents> {
  const which = { where: eq(file_import_rows.import_id, import_id), by: [file_import_rows.line], limit };
  const rows = await deleteBatch(tx, file_import_rows, which);
  if (rows === limit) return { rows, parts: 0 };
  const where = eq(file_import_parts.import_id, import_id);
  return {
    rows,
    parts: await deleteBatch(tx, file_import_parts, { where, by: [file_import_parts.seq], limit: parts_max }),
  };
}

const isPersonal = isOneOf(file_imports.kind, personalKinds);
const isWithdrawn = eq(file_imports.columns_key, "");

/**
 * Cancels pending imports of people's data. The names of these files and of their columns, and the mappings, are
 * removed from all of them, since they may name a person. Waits until the running step of an import has ended. Returns
 * how many files there were.
 */
export async function withdrawPersonalFiles(tx: Tx): Promise<number> {
  const nothing = { file_name: null, columns: [], columns_key: "", map: null, problem: null };
  const found = await tx.sql
    .update(file_imports)
    .set(nothing)
    .where(and(isPersonal, not(isWithdrawn)))
    .returning({ id: file_imports.id });
  const message =
    "The import was cancelled because a person is being erased. Upload the file again, without that person.";
  await tx.sql
    .update(file_imports)
    .set({
      ...{ status: cancelledStatus, problem: { message, fields: [] } },
      ...{ next_at: null, ended_at: tx.now, updated_at: tx.now },
    })
    .where(and(isPersonal, isOneOf(file_imports.status, cancellableStatuses)));
  return found.length;
}

/** Deletes a part of the contents and rows of withdrawn files. Zero when nothing is left. */
export async function erasePersonalFiles(tx: Tx, limit: number): Promise<DeletedContents> {
  const parts = tx.sql.select({ id: file_import_parts.import_id }).from(file_import_parts);
  const rows = tx.sql.select({ id: file_import_rows.import_id }).from(file_import_rows);
  const [found] = await tx.sql
    .select({ id: file_imports.id })
    .from(file_imports)
    .where(and(isWithdrawn, or(amongThose(file_imports.id, parts), amongThose(file_imports.id, rows))))
    .orderBy(asc(file_imports.id))
    .limit(1);
  return found === undefined ? { rows: 0, parts: 0 } : deleteContents(tx, found.id, limit);
}

/** The files of people's data that still have their contents, oldest first. */
export async function listPersonalFiles(db: Db): Promise<FileImport[]> {
  return db.sql
    .select()
    .from(file_imports)
    .where(and(isPersonal, not(isWithdrawn)))
    .orderBy(asc(file_imports.id));
}

/** The next results of the rows of an import, of its check and of its run, after a row. */
export async function nextImportedRows(
  db: Db,
  import_id: number,
  after: number,
  limit: number,
): Promise<ImportedRow[]> {
  return db.sql
    .select()
    .from(file_import_rows)
    .where(and(eq(file_import_rows.import_id, import_id), gt(file_import_rows.id, after)))
    .orderBy(asc(file_import_rows.id))
    .limit(limit);
}
