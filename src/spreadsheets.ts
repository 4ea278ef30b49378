// Files of CSV on the command line: the same imports and exports as those of the API.
import type { Db, Store } from "./database/store.ts";
import { type CsvFile, csvPages } from "./http/csv.ts";
import { type GroupImport, type GroupReport, importGroups } from "./http/group_imports.ts";
import { type Import, type ImportReport, importRows } from "./http/imports.ts";
import { tellSets } from "./inventory/bundles/commands.ts";
import { movementExport } from "./inventory/movements/routes.ts";
import { countMovements } from "./inventory/movements/store.ts";
import { stockExport, stockImport } from "./inventory/sheets/routes.ts";
import { countHeld } from "./inventory/sheets/store.ts";
import { ensureWarehouse } from "./inventory/warehouses/commands.ts";
import { system } from "./kit/actor.ts";
import { readCsv } from "./kit/csv.ts";
import type { Mode } from "./kit/mode.ts";
import { progress, type Terminal } from "./kit/progress.ts";
import { openWhole } from "./kit/whole_file.ts";
import { orderExport, orderImport, pastImport } from "./orders/sheets/routes.ts";
import { countLines } from "./orders/sheets/store.ts";
import { productExport, productImport } from "./products/sheets/routes.ts";
import { countProducts } from "./products/store.ts";

type Importing = (store: Store, file: string, terminal: Terminal) => Promise<ImportReport | GroupReport>;
type Exporting = (store: Store, file: string | undefined, bom: boolean, terminal: Terminal) => Promise<number>;

/** What can be imported, by its name on the command line. */
export const importing = {
  products: importer("Products", productImport(tellSets)),
  stock: importer("Stock", stockImport),
  orders: groupImporter("Orders", orderImport),
  past_orders: groupImporter("Orders", pastImport),
} as const satisfies Record<string, Importing>;

/** What can be exported, by its name on the command line; each answers how many rows it wrote. */
export const exporting = {
  products: exporter("Products", productExport, (db) => countProducts(db, {})),
  stock: exporter("Stock", stockExport, countHeld),
  orders: exporter("Orders", orderExport({}, "created_at"), countLines),
  movements: exporter("Movements", movementExport({}), (db) => countMovements(db, {})),
} as const satisfies Record<string, Exporting>;

function importer<Row>(label: string, it: Import<Row>): Importing {
  return async (store, file, terminal) => {
    const bar = await barOf(label, store, file, terminal);
    const report = await importRows(store, piecesOf(file), it, system("import"), bar.step);
    bar.done();
    return report;
  };
}

function groupImporter<Row>(label: string, it: GroupImport<Row>): Importing {
  return async (store, file, terminal) => {
    const bar = await barOf(label, store, file, terminal);
    const report = await importGroups(store, () => piecesOf(file), it, system("import"), { onRow: bar.step });
    bar.done();
    return report;
  };
}

async function barOf(label: string, store: Store, file: string, terminal: Terminal) {
  let rows = -1;
  for await (const _ of readCsv(piecesOf(file))) rows += 1;
  await store.write(ensureWarehouse);
  return progress(label, Math.max(rows, 0), terminal);
}

async function* piecesOf(file: string): AsyncGenerator<string> {
  const text = new TextDecoder();
  for await (const bytes of Bun.file(file).stream()) yield text.decode(bytes, { stream: true });
  yield text.decode();
}

function exporter<Row, After>(label: string, it: CsvFile<Row, After>, count: (db: Db) => Promise<number>): Exporting {
  return async (store, file, bom, terminal) => {
    const target = file === undefined ? null : openWhole(file);
    const bar = progress(label, await store.read(count), terminal);
    let rows = 0;
    const cells = (row: Row) => {
      rows += 1;
      bar.step();
      return it.cells(row);
    };
    try {
      for await (const text of csvPages(store, { ...it, cells }, bom)) {
        if (target !== null) target.write(text);
        else if (!(await isRead(text))) break;
      }
      target?.keep();
    } finally {
      target?.drop();
    }
    bar.done();
    return rows;
  };
}

/** Writes to the output; false when nobody reads it any more, such as `head`, which has what it wants. */
async function isRead(text: string): Promise<boolean> {
  try {
    await Bun.write(Bun.stdout, text);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EPIPE") return false;
    throw error;
  }
}

/** What became of a file that was imported into a world, line by line. */
export function reportLines(report: ImportReport | GroupReport, mode: Mode): string[] {
  const { rows, created, updated, unchanged, failed, errors } = report;
  const counted = "groups" in report ? `${rows} rows, ${report.groups} orders` : `${rows} rows`;
  return [
    ...errors.map(({ line, field, message }) => `line ${line}: ${field === null ? "" : `${field} `}${message}`),
    `${mode}: ${counted}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`,
  ];
}
