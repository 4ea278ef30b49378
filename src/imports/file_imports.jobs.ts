// Checks and imports uploaded files, some rows per transaction. The results of rows are stored with them, so that an
// interrupted import continues where it was.
import type { Actor } from "../core/actor.ts";
import type { CsvColumn } from "../core/csv_columns.ts";
import type { CsvInput } from "../core/csv_table.ts";
import { day_ms } from "../core/time.ts";
import { customerImport } from "../customers/customer_csv.routes.ts";
import { type Import, importFile } from "../http/imports.ts";
import type { Service } from "../http/service.ts";
import { noteProductChange } from "../inventory/reservations/backorders.ts";
import { stockImport } from "../inventory/stock/stock_csv.routes.ts";
import { orderImport } from "../orders/csv/order_csv.routes.ts";
import { laneJob } from "../outbound/lanes.ts";
import { productImport } from "../products/product_csv.routes.ts";
import { type Store, type Tx, writeChunks } from "../storage/database.ts";
import type { ClaimedWork } from "../storage/queue.ts";
import { type ImportKind, isChecking } from "./file_import.transitions.ts";
import type { FileImport } from "./file_import.ts";
import { deleteImports, fileImportQueue, findPart } from "./file_imports.sql.ts";
import { endImport, ImportSuperseded, noteResults, problemOf, releaseImport, restartCheck } from "./file_imports.ts";

type ImportOptions = NonNullable<Parameters<typeof importFile>[4]>;

/** A kind of import: its columns, and how a file is imported. */
interface KindOfImport {
  readonly columns: readonly CsvColumn[];
  readonly required: readonly string[];
  readonly run: (store: Store, file: CsvInput, actor: Actor, options: ImportOptions) => Promise<unknown>;
}

const kindOf = <Row>(it: Import<Row>): KindOfImport => {
  const { columns, required } = it;
  return { columns, required, run: (store, file, actor, options) => importFile(store, file, it, actor, options) };
};

/** The kinds of imports. */
export const kindsOfImports: Readonly<Record<ImportKind, KindOfImport>> = {
  orders: kindOf(orderImport),
  customers: kindOf(customerImport),
  products: kindOf(productImport(noteProductChange)),
  stock: kindOf(stockImport),
};

/** How many files are worked on at a time, in each environment. */
const at_once_max = 2;
/** The most rows of a file. */
const rows_max = 100_000;
const deleted_batch_max = 500;
/** A file that was claimed this often without an end is given up: it may be what ends the server. */
const claims_max = 50;
/** How long a file and its results are kept after the last change. */
const kept_ms = 14 * day_ms;

/** A claimed import. The merchants are the lanes of the job. */
interface ImportClaim {
  readonly connection: { readonly id: number };
  readonly file: FileImport;
}

const { round, settled } = laneJob<ImportClaim>(fileImportQueue.job, "a file import was not recorded", {
  claim: claimNext,
  work: workOn,
});

/** Starts the pending imports. */
export const importFiles = round;

/** The stores whose imports stop before their next rows. */
const stopping = new WeakSet<Store>();

/** Ends the imports of a store before their next rows. They continue after the next start. */
export function interruptFileImports(store: Store): void {
  stopping.add(store.base);
}

/** Waits until the imports that are under way have ended. */
export const fileImportsSettled = settled;

async function claimNext(tx: Tx, busy: ReadonlySet<number>): Promise<ClaimedWork<ImportClaim>> {
  const free = at_once_max - busy.size;
  // The end of an import wakes the job.
  if (free <= 0) return { claims: [], next_at: null };
  const lanes = (await fileImportQueue.lanes(tx)).filter(({ id }) => !busy.has(id)).slice(0, free);
  return fileImportQueue.claimLanes(tx, lanes, async (lane) => {
    const [file] = await fileImportQueue.claim(tx, { lane: lane.id, limit: 1 });
    return file === undefined ? null : { connection: lane, file };
  });
}

class ImportStopped extends Error {}

async function workOn({ file: it }: ImportClaim, all: Store, service: Service): Promise<void> {
  const store = all.scoped({ visible: it.merchant_id, owner: it.merchant_id });
  const facts = { import: it.id, kind: it.kind, mode: store.mode };
  const ended = async (rows: number | null, problem: ReturnType<typeof problemOf> | null) => {
    await store.write((tx) => endImport(tx, it, { rows, problem }));
    service.log.info("a file was imported or checked", { ...facts, refused: problem !== null });
  };
  try {
    if (it.claims > claims_max) return await ended(null, { message: "The file could not be processed.", fields: [] });
    await ended(await importRows(it, store), null);
  } catch (error) {
    if (error instanceof ImportSuperseded) return;
    if (error instanceof ImportStopped) return await store.write((tx) => releaseImport(tx, it));
    await ended(null, problemOf(error)).catch((failure) => {
      if (!(failure instanceof ImportSuperseded)) throw failure;
    });
  }
}

/** Imports or checks the rows of a file, and returns how many there are. */
async function importRows(it: FileImport, store: Store): Promise<number> {
  const dry_run = isChecking(it.status);
  if (dry_run) while (await store.write((tx) => restartCheck(tx, it))) await Bun.sleep(0);
  let rows = 0;
  await kindsOfImports[it.kind].run(store, inputOf(it, store), it.asked_by, {
    dry_run,
    rows_max,
    done: dry_run ? 0 : it.records_done,
    onStart: (count) => {
      rows = count;
    },
    note: async (tx, results) => {
      if (stopping.has(store.base)) throw new ImportStopped("stopped");
      await noteResults(tx, it, results, rows);
    },
  });
  return rows;
}

/** The file of an import, read part by part. */
export function inputOf({ id, encoding: charset, decimal, map }: FileImport, store: Store): CsvInput {
  async function* bytes() {
    for (let seq = 0; ; seq += 1) {
      const part = await store.read((db) => findPart(db, id, seq));
      if (part === null) return;
      yield part;
    }
  }
  return { bytes, charset, decimal, map };
}

/** Deletes imports, with their files and results, 14 days after their last change. */
export async function deleteOldImports(store: Store, service: Service): Promise<void> {
  await writeChunks(store, service, (tx) => deleteImports(tx, tx.now - kept_ms, deleted_batch_max));
}
