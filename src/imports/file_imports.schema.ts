import { type Static, Type } from "@sinclair/typebox";
import { decimalSigns } from "../core/csv_columns.ts";
import { choice, closed, notesField, nullable, Timestamp, textField } from "../core/schema.ts";
import { actionsIn } from "../core/transitions.ts";
import { fileFields } from "../http/file_upload.ts";
import { OwnerView } from "../storage/tenant.schema.ts";
import { fileImportStatuses, fileImportTransitions, importKinds, rowChanges } from "./file_import.transitions.ts";

/** The query of an upload. */
export const UploadQuery = closed({
  kind: choice(importKinds, { description: "What the rows are." }),
  file_name: Type.Optional(textField(200, { description: "The name of the file, for the list of imports." })),
  ...fileFields,
});

/** How the columns of an uploaded file are read. */
export const CheckBody = closed({
  map: Type.Optional({
    ...notesField(40_000),
    description: "Maps the file's columns to Packhouse columns, such as `Variant SKU:sku,Title:name,Handle:`.",
  }),
  decimal: Type.Optional(
    nullable(choice(decimalSigns, { description: "The file's decimal separator; null refuses ambiguous numbers." })),
  ),
});
export type CheckBody = Static<typeof CheckBody>;

const Count = (description: string) => Type.Integer({ description });

const fields = {
  id: Type.String(),
  merchant_id: OwnerView,
  kind: choice(importKinds, { description: "What the rows are." }),
  status: choice(fileImportStatuses, {
    description:
      "`mapping`: its columns must be mapped. `checked`: `run` imports the rows without errors. `failed`: the whole" +
      " file was refused.",
  }),
  allowed_actions: Type.Array(choice(actionsIn(fileImportTransitions))),
  file_name: nullable(Type.String({ description: "The name of the file; null if the client sent none." })),
  encoding: Type.String({ description: "The encoding that was detected, such as `windows-1252`." }),
  separator: Type.String({ description: "The separator of its cells." }),
  columns: Type.Array(Type.String(), { description: "The names in its header line." }),
  map: nullable(Type.String({ description: "How its columns are mapped; null if they have Packhouse names." })),
  decimal: nullable(choice(decimalSigns, { description: "Its decimal separator; null if none was declared." })),
  remembered: Type.Boolean({ description: "Whether the mapping is that of an earlier file with the same columns." }),
  rows: nullable(Count("Rows without the header; null until they are counted.")),
  rows_done: Count("Rows that were checked or imported so far."),
  created: Count("New records. In a check: those that it would create."),
  updated: Count("Existing records that the file changes."),
  unchanged: Count("Existing records that are as in the file."),
  failed: Count("Records with errors, which are not imported."),
  problem: {
    ...nullable(
      closed({
        message: Type.String(),
        fields: Type.Array(closed({ field: Type.String({ description: "The column." }), message: Type.String() }), {
          description: "The problems of columns.",
        }),
      }),
    ),
    description: "Why the whole file was refused, or cancelled by an erasure; null if it was not.",
  },
  created_at: Timestamp,
  ended_at: nullable({ ...Timestamp, description: "When it ended; null while it has not." }),
};

/** An import in a list. */
export const FileImportView = closed(fields);

/** An import with the first rows of its file. */
export const FileImportDetailView = closed({
  ...fields,
  first_rows: Type.Array(Type.Array(Type.String()), { description: "The cells of the first rows." }),
  suggested: Type.Array(
    closed({
      name: Type.String({ description: "The column of the file." }),
      field: nullable(Type.String({ description: "The Packhouse column that it probably holds; null for none." })),
      by: nullable(
        choice(["name", "export", "similar"], {
          description: "Whether it has this name, that of another program's export, or a similar one.",
        }),
      ),
    }),
    { description: "A suggestion for each column." },
  ),
  fields: Type.Array(
    closed({
      name: Type.String({ description: "The Packhouse column." }),
      required: Type.Boolean({ description: "Whether every file must have it." }),
      meaning: Type.String({ description: "What it contains." }),
    }),
    { description: "The columns that this kind of record has." },
  ),
});

const cell = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);

/** A row that was rejected, or that changes something. */
export const ImportedRowView = closed({
  line: Count("The line of the file on which the row begins, from 1."),
  name: nullable(Type.String({ description: "The row's SKU, order number or email address." })),
  change: choice(rowChanges, {
    description: "`failed`: the row has errors. `held`: it has none, but another row of its record has.",
  }),
  problems: Type.Array(
    closed({
      field: nullable(Type.String({ description: "The column; null if the problem is the whole row." })),
      value: nullable(Type.String({ description: "The text of the cell." })),
      message: Type.String(),
    }),
    { description: "What is wrong with a rejected row, and what to do." },
  ),
  fields: Type.Array(
    closed({
      field: Type.String({ description: "The column." }),
      from: { ...cell, description: "The value before; null if there was none." },
      to: { ...cell, description: "The new value; null if it is emptied." },
    }),
    { description: "What the row changes." },
  ),
});
