import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { among, columnsOf, contains, list } from "../../../db/kit.ts";
import { lots } from "../../../db/schema/inventory.ts";
import { products } from "../../../db/schema/products.ts";
import { transfer_lines, transfer_loads, transfers } from "../../../db/schema/transfers.ts";
import { choice, textField } from "../../core/schema.ts";
import type { Db, Tx, WriteStatements } from "../../storage/database.ts";
import { longRecords } from "../../storage/long_records.ts";
import { equals, filter, recordList, refersTo, search } from "../../storage/record_list.ts";
import { recordLookup } from "../../storage/record_lookup.ts";
import { insert, insertIds, prepared, type StatementArgs } from "../../storage/statements.ts";
import { initialTransferStatus, transferStatuses } from "../inventory.transitions.ts";
import type { InTransit, PlainTransfer, Transfer, TransferLine, TransferLoad } from "./transfer.ts";

const linesOf = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  sql
    .select({
      ...columnsOf(transfer_lines, "id", "transfer_id", "product_id", "lot_number", "bin", "quantity"),
      sku: products.sku,
    })
    .from(transfer_lines)
    .innerJoin(products, eq(products.id, transfer_lines.product_id))
    .where(among(transfer_lines.transfer_id, a.ids))
    .orderBy(asc(transfer_lines.id)),
);
const loadsOfLines = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  sql
    .select({
      ...columnsOf(transfer_loads, "id", "transfer_line_id", "product_id", "lot_id", "stocked_at", "quantity"),
      ...columnsOf(transfer_loads, "in_transit", "received", "written_off"),
      sku: products.sku,
      lot_number: lots.lot_number,
    })
    .from(transfer_loads)
    .innerJoin(products, eq(products.id, transfer_loads.product_id))
    .leftJoin(lots, eq(lots.id, transfer_loads.lot_id))
    .where(among(transfer_loads.transfer_line_id, a.ids))
    .orderBy(asc(transfer_loads.id)),
);

/** The transfer with an id. Refuses: resource_missing. */
export const { get: getTransfer, lock: lockTransfer } = recordLookup(transfers, "transfer", {
  records: wholeTransfers,
});

/** Transfers with their lines. */
export async function wholeTransfers(db: Db, rows: readonly PlainTransfer[]): Promise<Transfer[]> {
  if (rows.length === 0) return [];
  const lineRows = await linesOf(db, { ids: list(rows.map(({ id }) => id)) });
  const loadRows = await loadsOfLines(db, { ids: list(lineRows.map(({ id }) => id)) });
  const loads = Map.groupBy(loadRows, (load) => load.transfer_line_id);
  const lines = Map.groupBy(lineRows, (line) => line.transfer_id);
  return rows.map((row) => ({
    ...row,
    lines: (lines.get(row.id) ?? []).map((line) => ({ ...line, loads: loads.get(line.id) ?? [] })),
  }));
}

const withLine = (what: SQL) => sql`exists (
  select 1 from ${transfer_lines} join ${products} on ${products.id} = ${transfer_lines.product_id}
  where ${transfer_lines.transfer_id} = ${transfers.id} and ${what}
)`;

/** Transfers without their lines, newest first. */
export const transferList = recordList(transfers, {
  filters: {
    status: equals(transfers.status, choice(transferStatuses)),
    from_location: refersTo(transfers.from_warehouse_id, "warehouse", "Only transfers from these warehouses."),
    to_location: refersTo(transfers.to_warehouse_id, "warehouse", "Only transfers to these warehouses."),
    sku: filter(textField(100, { description: "Only transfers with a line of this SKU." }), (sku) =>
      withLine(eq(products.sku, sku)),
    ),
    q: search("Part of the reference or of a SKU.", [transfers.reference, (q) => withLine(contains(products.sku, q))]),
  },
  // One may have hundreds of lines.
  long: longRecords(transfers, transfer_lines.transfer_id, { record: 1000, part: 500 }),
});

/** Transfers with units of a product in transit, oldest first. */
export async function listInTransit(db: Db, product_id: number, limit: number): Promise<InTransit[]> {
  const { reference, from_warehouse_id, to_warehouse_id, shipped_at } = transfers;
  return db.sql
    .select({
      transfer_id: transfers.id,
      reference,
      from_warehouse_id,
      to_warehouse_id,
      shipped_at,
      units: sql<number>`sum(${transfer_loads.in_transit})`.mapWith(Number),
    })
    .from(transfer_loads)
    .innerJoin(transfer_lines, eq(transfer_lines.id, transfer_loads.transfer_line_id))
    .innerJoin(transfers, eq(transfers.id, transfer_lines.transfer_id))
    .where(and(eq(transfer_loads.product_id, product_id), sql`${transfer_loads.in_transit} > 0`))
    .groupBy(transfers.id, reference, from_warehouse_id, to_warehouse_id, shipped_at)
    .orderBy(asc(transfers.id))
    .limit(limit);
}

/** Stores a planned transfer and returns it. */
export async function insertTransfer(
  tx: Tx,
  fields: Pick<PlainTransfer, "merchant_id" | "reference" | "from_warehouse_id" | "to_warehouse_id">,
  lines: readonly Pick<TransferLine, "product_id" | "lot_number" | "bin" | "quantity">[],
): Promise<Transfer> {
  const times = { created_at: tx.now, updated_at: tx.now, shipped_at: null, received_at: null, cancelled_at: null };
  const [transfer_id = 0] = await insertIds(tx, transfers, [
    { ...fields, status: initialTransferStatus, revision: 1, ...times },
  ]);
  await insert(
    tx,
    transfer_lines,
    lines.map((line) => ({ transfer_id, ...line })),
  );
  return getTransfer(tx, transfer_id);
}

/** Stores changes of a transfer, without its loads, and returns it. Its revision increases by one. */
export async function saveTransfer(
  tx: Tx,
  before: Transfer,
  change: Partial<Pick<PlainTransfer, "status" | "shipped_at" | "received_at" | "cancelled_at">>,
): Promise<Transfer> {
  await tx.sql
    .update(transfers)
    .set({ ...change, revision: before.revision + 1, updated_at: tx.now })
    .where(eq(transfers.id, before.id));
  return getTransfer(tx, before.id);
}

/** Units of one line and lot that are being shipped. */
export type NewLoad = Pick<TransferLoad, "transfer_line_id" | "product_id" | "lot_id" | "stocked_at" | "quantity">;

/** Stores what was shipped with a transfer: all of it is in transit. */
export async function insertLoads(tx: Tx, loads: readonly NewLoad[]): Promise<void> {
  const rows = loads.map((load) => ({ ...load, in_transit: load.quantity, received: 0, written_off: 0 }));
  await insert(tx, transfer_loads, rows);
}

const saveCounts = prepared(
  (tx: WriteStatements, a: StatementArgs<{ id: number; in_transit: number; received: number; written_off: number }>) =>
    tx
      .update(transfer_loads)
      .set({
        in_transit: sql`${a.in_transit}`,
        received: sql`${a.received}`,
        written_off: sql`${a.written_off}`,
      })
      .where(eq(transfer_loads.id, a.id)),
);

/** Stores the counts of a load. */
export async function saveLoad(tx: Tx, { id, in_transit, received, written_off }: TransferLoad): Promise<void> {
  await saveCounts(tx, { id, in_transit, received, written_off });
}
