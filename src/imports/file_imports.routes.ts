import { detectEncoding, encodingNamed } from "../core/csv.ts";
import { csvExportFields } from "../core/csv_columns.ts";
import { type CsvInput, readCsvHead } from "../core/csv_table.ts";
import { Fault } from "../core/faults.ts";
import { closed } from "../core/schema.ts";
import { importNeeds, levelFor, permissions } from "../http/auth/permissions.ts";
import type { Call } from "../http/call.ts";
import type { CsvFile } from "../http/csv_response.ts";
import { EnvelopedView } from "../http/envelope.ts";
import { withFile } from "../http/file_upload.ts";
import { answerWrite } from "../http/response.ts";
import { exportCsv, list, read, respond, routes, write } from "../http/routes.ts";
import { refuseForMerchants } from "../merchants/tenant_scopes.ts";
import type { Db } from "../storage/database.ts";
import { type ImportKind, importKinds } from "./file_import.transitions.ts";
import { type FileImport, fileImportView, rejectedCells, rejectedColumns } from "./file_import.ts";
import { kindsOfImports } from "./file_imports.jobs.ts";
import {
  CheckBody,
  FileImportDetailView,
  FileImportView,
  ImportedRowView,
  UploadQuery,
} from "./file_imports.schema.ts";
import {
  fileImportList,
  findHead,
  getImport,
  type ImportedRow,
  importedRowList,
  listRejected,
} from "./file_imports.sql.ts";
import { cancelImport, checkImport, createImport, runImport, type UploadedFile } from "./file_imports.ts";
import { suggestColumns } from "./suggested_columns.ts";

const sample_rows = 5;
const sample_letters_max = 200;
const columns_max = 500;

/** What merchants' keys and users need to import a kind of record: what its import in one request needs. */
const operations: Readonly<Record<ImportKind, string>> = {
  orders: "importOrders",
  customers: "importCustomers",
  products: "importProducts",
  stock: "importInventory",
};

/**
 * Refuses a kind of record that the caller may not import, or not read the imports of.
 * Refuses: insufficient_permission, not_for_merchants, merchant_suspended.
 */
async function refuseKind(call: Call, kind: ImportKind): Promise<void> {
  const permission = importNeeds[kind];
  const { granted, writes } = call;
  if (!granted.permissions.has(permission)) {
    const what = permissions[permission].toLowerCase();
    const message = `Importing ${kind} requires the permission ${permission} (${what}).`;
    const facts = granted.by === "role" ? { permission, role: granted.name } : { required: levelFor(permission) };
    throw new Fault("insufficient_permission", message, facts);
  }
  await refuseForMerchants(call, { id: operations[kind], need: permission, writes }, operations[kind]);
}

/** Checks that the caller may import the kind of record of an import. */
async function ofPermittedKind({ call, params }: { readonly call: Call; readonly params: { readonly id: string } }) {
  const { kind } = await call.store.read((db) => getImport(db, params.id));
  await refuseKind(call, kind);
}

/**
 * Reads an uploaded file as far as its first rows.
 * Refuses: unsupported_media_type, malformed_request, validation_failed.
 */
async function readUpload(kind: ImportKind, file_name: string | null, file: CsvInput): Promise<UploadedFile> {
  const { columns, required } = kindsOfImports[kind];
  const chunks = await Array.fromAsync(file.bytes());
  const bytes = Buffer.concat(chunks);
  const detected = detectEncoding(bytes);
  const encoding = file.charset === null ? detected : encodingNamed(file.charset);
  const { separator, names, rows } = await readCsvHead(
    { bytes: () => chunks, charset: encoding },
    columns,
    sample_rows,
  );
  if (names.every((name) => name === "")) {
    throw new Fault("validation_failed", "The file is empty: its first line must name the columns.");
  }
  if (names.length > columns_max) {
    throw new Fault(
      "validation_failed",
      `The file has more than ${columns_max} columns. Remove those that you don't need.`,
    );
  }
  const suggested = suggestColumns(
    kind,
    names,
    columns.flatMap((column) => (column.export_only ? [] : column.name)),
  );
  const shown = rows.map((cells) => cells.slice(0, names.length).map((text) => text.slice(0, sample_letters_max)));
  const head = { rows: shown, suggested };
  return { kind, file_name, bytes, encoding, separator, columns: names, head, required };
}

/** The rejected rows of an import as a CSV file with its own columns. */
function rejectedFile(it: FileImport): CsvFile<ImportedRow, number> {
  return {
    name: "rejected_rows.csv",
    columns: rejectedColumns(it.columns),
    page: async (db, after, limit) => {
      const rows = await listRejected(db, it, after, limit);
      return { rows, next: rows.length < limit ? null : (rows.at(-1)?.line ?? null) };
    },
    cells: (row) => rejectedCells(row, it.columns),
    escaped: true,
  };
}

async function shown(db: Db, it: FileImport) {
  const head = await findHead(db, it.id);
  const { columns, required } = kindsOfImports[it.kind];
  const fields = columns
    .filter(({ export_only }) => !export_only)
    .map(({ name, meaning }) => ({ name, required: required.includes(name), meaning: meaning.replaceAll("`", "") }));
  return { ...fileImportView(it), first_rows: head?.rows ?? [], suggested: head?.suggested ?? [], fields };
}

/** Imports of files in steps. */
export const fileImportRoutes = routes("Imports", [
  respond("POST", "/imports", "imports", {
    id: "createImport",
    summary: "Upload a CSV file",
    description:
      "Stores the file and checks its rows, without importing them, if its columns have Packhouse names, `map` maps" +
      " them, or a file with the same columns was mapped before. Otherwise it waits for `check` with a mapping. The" +
      " columns of each kind are listed at its import in one request, such as `POST /products/import`. Files are" +
      " deleted 14 days after the last change.",
    refuses: ["merchant_suspended"],
    sends: "csv",
    query: UploadQuery,
    answers: { 201: EnvelopedView(FileImportDetailView) },
    answer: async ({ call, query: { kind, file_name = null, map, decimal } }) => {
      await refuseKind(call, kind);
      return withFile(call, {}, async (file) => {
        const upload = await readUpload(kind, file_name, file);
        // Lets other requests run before the file is stored.
        await Bun.sleep(0);
        return answerWrite(call, 201, async (tx) =>
          shown(tx, await createImport(tx, upload, { map, decimal }, call.actor)),
        );
      });
    },
  }),
  list("/imports", "imports", {
    id: "listImports",
    summary: "List imports",
    description: "Uploaded files of the last 14 days, of the kinds that the caller may import, newest first.",
    of: {
      query: fileImportList.query,
      listing: ({ call, query, params }) => {
        const kind = (query.kind ?? importKinds).filter((one) => call.granted.permissions.has(importNeeds[one]));
        return fileImportList.listing({ query: { ...query, kind }, params });
      },
    },
    view: FileImportView,
    views: (rows) => rows.map(fileImportView),
  }),
  read("/imports/:id", "imports", {
    id: "getImport",
    summary: "Get an import with its progress",
    description: "Ask again every second or so while its status is `checking` or `importing`.",
    view: FileImportDetailView,
    prepare: ofPermittedKind,
    data: async (db, { params }) => shown(db, await getImport(db, params.id)),
  }),
  list("/imports/:id/rows", "imports", {
    id: "listImportRows",
    summary: "List the rejected and changed rows of an import",
    description: "By line: each rejected row, and the first 10,000 that create or update a record.",
    prepare: ofPermittedKind,
    of: importedRowList,
    view: ImportedRowView,
    views: (rows) =>
      rows.map(({ line, change, row: { name, problems = [], fields = [] } }) => {
        return { line, name, change, problems, fields };
      }),
  }),
  exportCsv("/imports/:id/rejected.csv", "imports", {
    id: "exportRejectedRows",
    summary: "Export the rejected rows of an import as CSV",
    description:
      "The rows as in the file, with a column `error`. Correct them and upload this file: imports ignore that column," +
      " and the mapping is that of the first file. If several rows form a record, all of them are included.",
    query: closed(csvExportFields),
    file: async (input) => {
      await ofPermittedKind(input);
      return rejectedFile(await input.call.store.read((db) => getImport(db, input.params.id)));
    },
  }),
  write("POST", "/imports/:id/check", "imports", {
    id: "checkImport",
    summary: "Check the rows of an import",
    description:
      "Runs each row and undoes it; nothing is imported. The mapping is remembered for the merchant's later files of" +
      " this kind with the same columns.",
    refuses: ["invalid_state_transition", "merchant_suspended"],
    prepare: ofPermittedKind,
    body: CheckBody,
    view: FileImportDetailView,
    act: async (tx, { params, body }) => shown(tx, await checkImport(tx, params.id, body)),
  }),
  write("POST", "/imports/:id/run", "imports", {
    id: "runImport",
    summary: "Import the rows of a checked file",
    description:
      "Imports the rows without errors, as the import in one request does. It continues after a crash, and each row" +
      " is imported once.",
    refuses: ["invalid_state_transition", "merchant_suspended"],
    prepare: ofPermittedKind,
    view: FileImportDetailView,
    act: async (tx, { params, call }) => shown(tx, await runImport(tx, params.id, call.actor)),
  }),
  write("POST", "/imports/:id/cancel", "imports", {
    id: "cancelImport",
    summary: "Cancel an import",
    description: "Rows that are already imported stay.",
    refuses: ["invalid_state_transition", "merchant_suspended"],
    prepare: ofPermittedKind,
    view: FileImportDetailView,
    act: async (tx, { params }) => shown(tx, await cancelImport(tx, params.id)),
  }),
]);
