// CSV files on the command line, with the same imports and exports as the API.
import { statSync } from "node:fs";
import { systemActor } from "../core/actor.ts";
import { columnLines } from "../core/csv_columns.ts";
import type { CsvFormat, CsvInput, CsvTable } from "../core/csv_table.ts";
import type { Environment } from "../core/environment.ts";
import { openAtomicFile } from "../core/files.ts";
import { progressBar, type Terminal } from "../core/progress.ts";
import { customerExport, customerImport } from "../customers/customer_csv.routes.ts";
import { customerList } from "../customers/customers.sql.ts";
import { type CsvFile, csvPages } from "../http/csv_response.ts";
import type { ImportReport } from "../http/import_report.ts";
import { type Import, importFile } from "../http/imports.ts";
import { operatorViewer } from "../identity/actors.sql.ts";
import { movementList } from "../inventory/ledger/ledger.sql.ts";
import { movementExport } from "../inventory/ledger/movements.routes.ts";
import { noteProductChange } from "../inventory/reservations/backorders.ts";
import { stockExport, stockImport } from "../inventory/stock/stock_csv.routes.ts";
import { countHeld } from "../inventory/stock/stock_csv.sql.ts";
import { ensureWarehouse } from "../inventory/warehouses/warehouses.ts";
import { orderExport, orderImport, pastImport } from "../orders/csv/order_csv.routes.ts";
import { countLines } from "../orders/lifecycle/order_counters.sql.ts";
import { productExport, productImport } from "../products/product_csv.routes.ts";
import { productList } from "../products/products.sql.ts";
import type { Db, Store } from "../storage/database.ts";

type ImportFile = (store: Store, file: string, format: CsvFormat, terminal: Terminal) => Promise<ImportReport>;
type ExportFile = (store: Store, file: string | undefined, bom: boolean, terminal: Terminal) => Promise<number>;

/** The imports by their names on the command line. */
export const csvImports = {
  products: importer("Products", productImport(noteProductChange)),
  stock: importer("Stock", stockImport),
  orders: importer("Orders", orderImport),
  past_orders: importer("Orders", pastImport),
  customers: importer("Customers", customerImport),
} as const satisfies Record<string, ImportFile>;

/** The lines about a file's columns in the help of each import. */
export const columnNotes: Readonly<Record<keyof typeof csvImports, readonly string[]>> = {
  products: notesOf(productImport(noteProductChange)),
  stock: notesOf(stockImport),
  orders: [...notesOf(orderImport), ...notesOf(pastImport, "With --history, columns")],
  past_orders: notesOf(pastImport),
  customers: notesOf(customerImport),
};

function notesOf({ columns, required }: CsvTable, what = "Columns"): string[] {
  return ["", `${what}, in any order, with an example of each:`, "", ...columnLines(columns, required)];
}

/** The exports by their names on the command line. Each returns the number of rows that it wrote. */
export const csvExports = {
  products: exporter("Products", productExport, (db) => productList.count(db, {})),
  stock: exporter("Stock", stockExport, countHeld),
  orders: exporter("Orders", orderExport({}, "created_at"), countLines),
  customers: exporter("Customers", customerExport, (db) => customerList.count(db, {})),
  movements: exporter("Movements", movementExport({}, operatorViewer), (db) => movementList.count(db, {})),
} as const satisfies Record<string, ExportFile>;

function importer<Row>(label: string, it: Import<Row>): ImportFile {
  return async (store, path, format, terminal) => {
    await store.write(ensureWarehouse);
    let bar = progressBar(label, 0, terminal);
    const onStart = (rows: number) => {
      bar = progressBar(label, rows, terminal);
    };
    const file = { bytes: await rereadable(path), ...format };
    const report = await importFile(store, file, it, systemActor("import"), { onStart, onRow: () => bar.step() });
    bar.done();
    return report;
  };
}

/** Returns a function that reads the file from its start each time. `-` is standard input. A pipe is held in memory. */
async function rereadable(file: string): Promise<CsvInput["bytes"]> {
  if (file !== "-" && statSync(file).isFile()) return () => Bun.file(file).stream();
  const piped = await (file === "-" ? Bun.stdin : Bun.file(file)).bytes();
  return () => [piped];
}

function exporter<Row, After>(label: string, it: CsvFile<Row, After>, count: (db: Db) => Promise<number>): ExportFile {
  return async (store, file, bom, terminal) => {
    const target = file === undefined || file === "-" ? null : openAtomicFile(file);
    const bar = progressBar(label, await store.read(count), terminal);
    let rows = 0;
    const cells = (row: Row) => {
      rows += 1;
      bar.step();
      return it.cells(row);
    };
    try {
      for await (const text of csvPages(store, { ...it, cells }, bom)) {
        if (target !== null) target.write(text);
        else if (!(await writeToOutput(text))) break;
      }
      target?.keep();
    } finally {
      target?.drop();
    }
    bar.done();
    return rows;
  };
}

/** Writes to standard output. Returns false when the reader has closed it, as `head` does. */
async function writeToOutput(text: string): Promise<boolean> {
  try {
    await Bun.write(Bun.stdout, text);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EPIPE") return false;
    throw error;
  }
}

/** The result of an import into an environment, as lines to print. */
export function reportLines(report: ImportReport, mode: Environment): string[] {
  const { rows, created, updated, unchanged, failed, errors } = report;
  const counted = report.groups !== undefined ? `${rows} rows, ${report.groups} orders` : `${rows} rows`;
  return [
    ...errors.map(({ line, name, field, message }) => {
      const of = name === null ? "" : `, ${name}`;
      return `line ${line}${of}: ${field === null ? "" : `${field} `}${message}`;
    }),
    `${mode}: ${counted}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`,
  ];
}
