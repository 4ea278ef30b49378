// Uploaded files: created, checked, imported and cancelled. The job `imports.run` does the work.
import { createHash } from "node:crypto";
import type { Actor } from "../core/actor.ts";
import type { Encoding } from "../core/csv.ts";
import { columnKey, error_column } from "../core/csv_table.ts";
import { Fault } from "../core/faults.ts";
import { transition } from "../core/transitions.ts";
import type { RecordResult } from "../http/import_report.ts";
import type { Tx } from "../storage/database.ts";
import {
  checkingStatus,
  type FileImportStatus,
  fileImportTransitions,
  type ImportKind,
  isChecking,
  isUnderWay,
  unmappedStatus,
} from "./file_import.transitions.ts";
import { type FileImport, type ImportHead, type ImportProblem, notedRows } from "./file_import.ts";
import {
  deleteCheckedRows,
  fileImportQueue,
  findMapping,
  getImport,
  insertImport,
  insertRows,
  lockImport,
  saveImport,
  saveMapping,
} from "./file_imports.sql.ts";
import { isPlain } from "./suggested_columns.ts";

const part_bytes = 128 << 10;
/** The most rows of an import whose changes are stored. Rejected rows are all stored. */
const changes_max = 10_000;

/** A file as a client sent it. */
export interface UploadedFile {
  readonly kind: ImportKind;
  readonly file_name: string | null;
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
  readonly separator: string;
  readonly columns: readonly string[];
  readonly head: ImportHead;
  /** The columns that the kind requires. */
  readonly required: readonly string[];
}

/** How the columns of a file are read; absent fields are those last used for the same columns. */
interface RequestedMapping {
  readonly map?: string | undefined;
  readonly decimal?: FileImport["decimal"] | undefined;
}

const counted = { rows: null, rows_done: 0, records_done: 0, created: 0, updated: 0, unchanged: 0, failed: 0 } as const;

/**
 * Stores a file. It is checked at once if its columns have Packhouse names, are mapped by the request, or were mapped
 * before. Refuses: merchant_required.
 */
export async function createImport(
  tx: Tx,
  file: UploadedFile,
  { map, decimal }: RequestedMapping,
  actor: Actor,
): Promise<FileImport> {
  const { kind, file_name, encoding, separator, columns, head } = file;
  const columns_key = keyOf(columns);
  const known = map === undefined ? await findMapping(tx, { kind, columns_key }) : null;
  const isReadable = map !== undefined || known !== null || isPlain(head.suggested, file.required);
  const mapping = { map: map ?? known?.map ?? null, decimal: decimal ?? known?.decimal ?? null };
  const status = isReadable ? checkingStatus : unmappedStatus;
  const row = {
    ...{ kind, status, file_name, encoding, separator, columns, columns_key, ...mapping, ...counted },
    ...{ is_remembered: known !== null, asked_by: actor, problem: null, claims: 0 },
    ...{ next_at: isReadable ? tx.now : null, created_at: tx.now, updated_at: tx.now, ended_at: null },
  };
  const parts = Array.from({ length: Math.ceil(file.bytes.byteLength / part_bytes) }, (_, at) =>
    file.bytes.subarray(at * part_bytes, (at + 1) * part_bytes),
  );
  const id = await insertImport(tx, row, head, parts);
  if (map !== undefined) await saveMapping(tx, { kind, columns_key }, mapping);
  if (isReadable) tx.wake(fileImportQueue.job, tx.now);
  return getImport(tx, id);
}

/** The digest of the names of a file's columns, in any order. A column of errors does not count. */
function keyOf(columns: readonly string[]): string {
  const names = columns.map(columnKey).filter((name) => name !== error_column);
  return createHash("sha256").update(names.sort().join("\n")).digest("hex").slice(0, 32);
}

/**
 * Checks the rows of a file, and remembers the mapping for files with the same columns.
 * Refuses: resource_missing, invalid_state_transition.
 */
export async function checkImport(tx: Tx, id: string, { map, decimal }: RequestedMapping): Promise<FileImport> {
  const it = await lockImport(tx, id);
  const mapping = { map: map ?? it.map, decimal: decimal === undefined ? it.decimal : decimal };
  await saveMapping(tx, it, mapping);
  return start(tx, it, "check", { ...mapping, is_remembered: false });
}

/** Imports the rows of a checked file that have no errors. Refuses: resource_missing, invalid_state_transition. */
export async function runImport(tx: Tx, id: string, actor: Actor): Promise<FileImport> {
  const it = await lockImport(tx, id);
  return start(tx, it, "run", { asked_by: actor, rows: it.rows });
}

async function start(
  tx: Tx,
  it: FileImport,
  action: "check" | "run",
  fields: Partial<FileImport>,
): Promise<FileImport> {
  const status = transition(fileImportTransitions, action, it.status) as FileImportStatus;
  await saveImport(tx, it.id, { ...counted, ...fields, status, problem: null, next_at: tx.now });
  tx.wake(fileImportQueue.job, tx.now);
  return getImport(tx, it.id);
}

/**
 * Ends an import. Rows that were imported stay. The server that works on it stops before its next rows.
 * Refuses: resource_missing, invalid_state_transition.
 */
export async function cancelImport(tx: Tx, id: string): Promise<FileImport> {
  const it = await lockImport(tx, id);
  const status = transition(fileImportTransitions, "cancel", it.status) as FileImportStatus;
  await saveImport(tx, it.id, { status, next_at: null, ended_at: tx.now });
  return getImport(tx, it.id);
}

/** Thrown when an import was cancelled, or another server has claimed it. */
export class ImportSuperseded extends Error {}

/** The claimed import, locked. Throws when the claim is no longer the last. */
async function lockClaimed(tx: Tx, claim: FileImport): Promise<FileImport> {
  const it = await lockImport(tx, claim.id);
  if (it.claims !== claim.claims || !isUnderWay(it.status)) throw new ImportSuperseded("superseded");
  return it;
}

/** Resets the counts of an interrupted check, and deletes some of its results. Returns whether more are left. */
export async function restartCheck(tx: Tx, claim: FileImport): Promise<boolean> {
  await lockClaimed(tx, claim);
  await saveImport(tx, claim.id, counted);
  return deleteCheckedRows(tx, claim.id, deleted_batch_max);
}

const deleted_batch_max = 500;

/** Stores the results of some records of a claimed import of `rows` rows, with its progress, and renews the claim. */
export async function noteResults(
  tx: Tx,
  claim: FileImport,
  results: readonly RecordResult[],
  rows: number,
): Promise<void> {
  const it = await lockClaimed(tx, claim);
  const count = (change: RecordResult["change"]) => results.filter((one) => one.change === change).length;
  const read = results.reduce((sum, one) => sum + one.rows.length, 0);
  const noted = notedRows(results, it.columns, it.created + it.updated < changes_max);
  const is_checked = isChecking(it.status);
  await insertRows(
    tx,
    noted.map((row) => ({ ...row, import_id: it.id, is_checked })),
  );
  const left_ms = (it.next_at ?? 0) - tx.now;
  await saveImport(tx, it.id, {
    rows,
    rows_done: it.rows_done + read,
    records_done: it.records_done + results.length,
    created: it.created + count("created"),
    updated: it.updated + count("updated"),
    unchanged: it.unchanged + count("unchanged"),
    failed: it.failed + count("failed"),
    ...(left_ms < claim_renewed_ms && { next_at: await fileImportQueue.hold(tx, it.id) }),
  });
}

const claim_renewed_ms = 30_000;

/** Ends a claimed import or its check: when all rows are done, or with the reason why the file was refused. */
export async function endImport(
  tx: Tx,
  claim: FileImport,
  { rows, problem }: { readonly rows: number | null; readonly problem: ImportProblem | null },
): Promise<void> {
  const it = await lockClaimed(tx, claim);
  const ends = isChecking(it.status) ? (["finish_check", "refuse_check"] as const) : endsOfRun;
  const status = transition(fileImportTransitions, ends[problem === null ? 0 : 1], it.status) as FileImportStatus;
  await saveImport(tx, it.id, {
    status,
    rows: rows ?? it.rows,
    problem,
    next_at: null,
    ...(!isChecking(it.status) && { ended_at: tx.now }),
  });
}

const endsOfRun = ["finish_run", "refuse_run"] as const;

/** Releases the claim of a server that stops, so that the import continues at once elsewhere. */
export async function releaseImport(tx: Tx, claim: FileImport): Promise<void> {
  await lockClaimed(tx, claim);
  await saveImport(tx, claim.id, { next_at: tx.now });
  tx.wake(fileImportQueue.job, tx.now);
}

/** The reason why a file was refused, for its import. Rethrows other errors. */
export function problemOf(error: unknown): ImportProblem {
  if (!(error instanceof Fault) || error.code === "storage_unavailable" || error.code === "storage_full") throw error;
  const { fields = [] } = error.facts;
  return { message: error.message, fields: fields.map(({ field, message }) => ({ field, message })) };
}
