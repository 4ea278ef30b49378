import type { Actor } from "../../src/core/actor.ts";
import type { Encoding } from "../../src/core/csv.ts";
import type { DecimalSign } from "../../src/core/csv_columns.ts";
import {
  type FileImportStatus,
  fileImportStatuses,
  type ImportKind,
  type RowChangeKind,
} from "../../src/imports/file_import.transitions.ts";
import type { ImportProblem, NotedRow } from "../../src/imports/file_import.ts";
import { bool, bytes, check, id, index, int, json, oneOf, table, text, time, unique, where } from "../kit.ts";
import { owner } from "./merchants.ts";

/** Uploaded CSV files, which are checked and then imported. */
export const file_imports = table(
  "file_imports",
  {
    id: id(),
    merchant_id: owner(),
    kind: text().$type<ImportKind>().notNull(),
    status: text().$type<FileImportStatus>().notNull(),
    /** The name of the file; null if the client sent none. */
    file_name: text(),
    encoding: text().$type<Encoding>().notNull(),
    separator: text().notNull(),
    /** The names in the header line. */
    columns: json<readonly string[]>().notNull(),
    /** A digest of these names. Finds the mapping again. */
    columns_key: text().notNull(),
    /** How the columns are read; see `fileFields`. */
    map: text(),
    decimal: text().$type<DecimalSign>(),
    /** Whether `map` and `decimal` are those of an earlier file with the same columns. */
    is_remembered: bool().notNull(),
    asked_by: json<Actor>().notNull(),
    /** The rows of the file; null until they are counted. */
    rows: int(),
    rows_done: int().notNull(),
    /** The records whose results are stored. */
    records_done: int().notNull(),
    created: int().notNull(),
    updated: int().notNull(),
    unchanged: int().notNull(),
    failed: int().notNull(),
    /** Why the whole file was refused. */
    problem: json<ImportProblem>(),
    /** When it continues; while a server works on it, when its claim ends. */
    next_at: time(),
    /** How often it was claimed. A server works on only as long as its claim is the last. */
    claims: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
    ended_at: time(),
  },
  (t) => [
    index("file_imports_created").on(t.created_at, t.id),
    index("file_imports_merchant").on(t.merchant_id, t.created_at, t.id),
    index("file_imports_due").on(t.next_at).where(where("next_at is not null")),
    oneOf("file_imports", "status", fileImportStatuses),
    check("file_imports_next", "(status in ('checking', 'importing')) = (next_at is not null)"),
  ],
);

/** The bytes of uploaded files. Part -1 is the header line with the first rows, as JSON. */
export const file_import_parts = table(
  "file_import_parts",
  {
    id: id(),
    import_id: int()
      .notNull()
      .references(() => file_imports.id),
    seq: int().notNull(),
    bytes: bytes().notNull(),
  },
  (t) => [unique("file_import_parts_seq").on(t.import_id, t.seq)],
);

/** Rows of uploaded files that were rejected, or that change something. */
export const file_import_rows = table(
  "file_import_rows",
  {
    id: id(),
    import_id: int()
      .notNull()
      .references(() => file_imports.id),
    /** Whether the row was only checked, and not imported. */
    is_checked: bool().notNull(),
    line: int().notNull(),
    change: text().$type<RowChangeKind>().notNull(),
    row: json<NotedRow>().notNull(),
  },
  (t) => [unique("file_import_rows_line").on(t.import_id, t.is_checked, t.line)],
);

/** The mappings that were last used for files with the same columns. */
export const import_mappings = table(
  "import_mappings",
  {
    id: id(),
    merchant_id: owner(),
    kind: text().$type<ImportKind>().notNull(),
    columns_key: text().notNull(),
    map: text(),
    decimal: text().$type<DecimalSign>(),
    updated_at: time().notNull(),
  },
  (t) => [unique("import_mappings_columns").on(t.merchant_id, t.kind, t.columns_key)],
);
