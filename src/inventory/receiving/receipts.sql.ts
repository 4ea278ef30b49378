import { and, asc, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { among, columnsOf, contains, list } from "../../../db/kit.ts";
import { movements } from "../../../db/schema/inventory.ts";
import { products } from "../../../db/schema/products.ts";
import { receipt_lines, receipts } from "../../../db/schema/receipts.ts";
import { wireId } from "../../core/ids.ts";
import { choice, textField } from "../../core/schema.ts";
import type { PackKind } from "../../products/product.ts";
import type { Db, Tx, WriteStatements } from "../../storage/database.ts";
import { longRecords } from "../../storage/long_records.ts";
import {
  descending,
  equals,
  exactly,
  filter,
  recordList,
  refersTo,
  search,
  soonest,
} from "../../storage/record_list.ts";
import { recordLookup } from "../../storage/record_lookup.ts";
import { insert, insertIds, prepared, type StatementArgs } from "../../storage/statements.ts";
import { initialReceiptStatus, receiptStatuses } from "../inventory.transitions.ts";
import type { AwaitedDelivery, DeliveryFields, PlainReceipt, Receipt, ReceiptLine } from "./receipt.ts";

const linesOf = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  sql
    .select({
      ...columnsOf(receipt_lines, "id", "receipt_id", "product_id", "lot_number", "expires_on", "quantity"),
      ...columnsOf(receipt_lines, "received", "set_aside", "outstanding", "unit_cost_cents", "unit_cost_currency"),
      sku: products.sku,
    })
    .from(receipt_lines)
    .innerJoin(products, eq(products.id, receipt_lines.product_id))
    .where(among(receipt_lines.receipt_id, a.ids))
    .orderBy(asc(receipt_lines.id)),
);

/** The receipt with an id. Refuses: resource_missing. */
export const { get: getReceipt, lock: lockReceipt } = recordLookup(receipts, "receipt", { records: wholeReceipts });

/** Receipts with their lines. */
export async function wholeReceipts(db: Db, rows: readonly PlainReceipt[]): Promise<Receipt[]> {
  if (rows.length === 0) return [];
  const lines = Map.groupBy(await linesOf(db, { ids: list(rows.map(({ id }) => id)) }), (line) => line.receipt_id);
  return rows.map((row) => ({ ...row, lines: lines.get(row.id) ?? [] }));
}

const lotsOf = prepared((query, a: StatementArgs<{ receipt: string }>) =>
  query
    .select({ lots: sql<number>`count(distinct ${movements.lot_id})`.mapWith(Number) })
    .from(movements)
    .where(and(sql`${movements.reference_type} = 'receipt'`, eq(movements.reference_id, a.receipt))),
);

/** The number of lots that arrived with a receipt. */
export async function countLots(db: Db, id: number): Promise<number> {
  const [row] = await lotsOf(db, { receipt: wireId("receipt", id) });
  return row?.lots ?? 0;
}

const packsOf = prepared((query, a: StatementArgs<{ receipt: string }>) =>
  query
    .select({
      level: movements.pack_level,
      units: movements.pack_units,
      quantity: sql<number>`sum(${movements.quantity})`.mapWith(Number),
    })
    .from(movements)
    .where(
      and(
        sql`${movements.reference_type} = 'receipt'`,
        eq(movements.reference_id, a.receipt),
        isNotNull(movements.pack_level),
      ),
    )
    .groupBy(movements.pack_level, movements.pack_units)
    .orderBy(asc(movements.pack_level), asc(movements.pack_units)),
);

/** The units that arrived with a receipt in packs, by pack. */
export async function listReceivedPacks(db: Db, id: number) {
  const rows = await packsOf(db, { receipt: wireId("receipt", id) });
  return rows.map(({ level, units, quantity }) => {
    const pack: PackKind | null = level === null || units === null ? null : { level, quantity: units };
    return { quantity, pack };
  });
}

const withLine = (what: SQL) => sql`exists (
  select 1 from ${receipt_lines} join ${products} on ${products.id} = ${receipt_lines.product_id}
  where ${receipt_lines.receipt_id} = ${receipts.id} and ${what}
)`;

/** Receipts without their lines. */
export const receiptList = recordList(receipts, {
  filters: {
    status: equals(receipts.status, choice(receiptStatuses)),
    location: refersTo(receipts.warehouse_id, "warehouse", "Only receipts at these warehouses."),
    reference: exactly(
      receipts.reference,
      textField(100, { description: "Only receipts with exactly this reference." }),
    ),
    sku: filter(textField(100, { description: "Only receipts with a line of this SKU." }), (sku) =>
      withLine(eq(products.sku, sku)),
    ),
    q: search("Part of the reference, the purchase order, the supplier or the SKU of a line.", [
      receipts.reference,
      receipts.purchase_order_number,
      receipts.supplier,
      (q) => withLine(contains(products.sku, q)),
    ]),
  },
  sorts: { "-created_at": descending(receipts.created_at), expected_at: soonest(receipts.expected_at) },
  sort_note: "Default: `-created_at`. Receipts without an expected date come last.",
  // One may have hundreds of lines.
  long: longRecords(receipts, receipt_lines.receipt_id, { record: 1000, part: 350 }),
});

/** Deliveries that have yet to bring units of a product, oldest first. */
export async function listAwaited(db: Db, product_id: number, limit: number): Promise<AwaitedDelivery[]> {
  const { reference, warehouse_id, expected_at } = receipts;
  return db.sql
    .select({
      receipt_id: receipts.id,
      reference,
      warehouse_id,
      expected_at,
      units: sql<number>`sum(${receipt_lines.outstanding})`.mapWith(Number),
    })
    .from(receipt_lines)
    .innerJoin(receipts, eq(receipts.id, receipt_lines.receipt_id))
    .where(and(eq(receipt_lines.product_id, product_id), sql`${receipt_lines.outstanding} > 0`))
    .groupBy(receipts.id, reference, warehouse_id, expected_at)
    .orderBy(asc(receipts.id))
    .limit(limit);
}

/** The fields of a new receipt. */
type NewReceipt = Pick<PlainReceipt, "merchant_id" | "warehouse_id"> & DeliveryFields;

/** Stores an expected delivery and returns it. */
export async function insertReceipt(
  tx: Tx,
  fields: NewReceipt,
  lines: readonly Omit<ReceiptLine, "id" | "receipt_id" | "sku" | "received" | "set_aside" | "outstanding">[],
): Promise<Receipt> {
  const times = { created_at: tx.now, updated_at: tx.now, closed_at: null, cancelled_at: null };
  const [receipt_id = 0] = await insertIds(tx, receipts, [
    { ...fields, status: initialReceiptStatus, revision: 1, ...times },
  ]);
  const rows = lines.map((line) => ({ receipt_id, ...line, received: 0, set_aside: 0, outstanding: line.quantity }));
  await insert(tx, receipt_lines, rows);
  return getReceipt(tx, receipt_id);
}

/** Stores changes of a receipt, without its lines, and returns it. Its revision increases by one. */
export async function saveReceipt(
  tx: Tx,
  before: Receipt,
  change: Partial<Pick<PlainReceipt, "status" | "closed_at" | "cancelled_at"> & DeliveryFields>,
): Promise<Receipt> {
  await tx.sql
    .update(receipts)
    .set({ ...change, revision: before.revision + 1, updated_at: tx.now })
    .where(eq(receipts.id, before.id));
  return getReceipt(tx, before.id);
}

const saveCounts = prepared(
  (tx: WriteStatements, a: StatementArgs<{ id: number; received: number; set_aside: number; outstanding: number }>) =>
    tx
      .update(receipt_lines)
      .set({
        received: sql`${a.received}`,
        set_aside: sql`${a.set_aside}`,
        outstanding: sql`${a.outstanding}`,
      })
      .where(eq(receipt_lines.id, a.id)),
);

/** Stores the counts of a line. */
export async function saveReceiptLine(tx: Tx, line: ReceiptLine): Promise<void> {
  const { id, received, set_aside, outstanding } = line;
  await saveCounts(tx, { id, received, set_aside, outstanding });
}

/** Sets the outstanding units of a receipt's lines to zero. */
export async function endReceiptLines(tx: Tx, receipt_id: number): Promise<void> {
  await tx.sql.update(receipt_lines).set({ outstanding: 0 }).where(eq(receipt_lines.receipt_id, receipt_id));
}
