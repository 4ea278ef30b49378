import { and, asc, desc, eq, or, type SQL, sql } from "drizzle-orm";
import { among, contains, forUpdate, list } from "../../../db/kit.ts";
import { movements } from "../../../db/schema/inventory.ts";
import { products } from "../../../db/schema/products.ts";
import { receipt_lines, receipts } from "../../../db/schema/receipts.ts";
import { missing } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import type { PagePosition, PageWindow } from "../../core/schema.ts";
import type { Db, Tx, WriteStatements } from "../../storage/database.ts";
import { longRecords } from "../../storage/long_records.ts";
import { insert, insertIds, prepared, type StatementArgs } from "../../storage/statements.ts";
import { initialReceiptStatus, type ReceiptStatus } from "../inventory.transitions.ts";
import type { receiptSorts } from "./receipt.schema.ts";
import type { AwaitedDelivery, PlainReceipt, Receipt, ReceiptLine } from "./receipt.ts";

const byId = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql.select().from(receipts).where(eq(receipts.id, a.id)),
);
const lockedById = prepared((sql, a: StatementArgs<{ id: number }>) =>
  forUpdate(sql.select().from(receipts).where(eq(receipts.id, a.id))),
);
const linesOf = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  sql
    .select({
      id: receipt_lines.id,
      receipt_id: receipt_lines.receipt_id,
      product_id: receipt_lines.product_id,
      sku: products.sku,
      lot_number: receipt_lines.lot_number,
      expires_on: receipt_lines.expires_on,
      quantity: receipt_lines.quantity,
      received: receipt_lines.received,
      set_aside: receipt_lines.set_aside,
      outstanding: receipt_lines.outstanding,
    })
    .from(receipt_lines)
    .innerJoin(products, eq(products.id, receipt_lines.product_id))
    .where(among(receipt_lines.receipt_id, a.ids))
    .orderBy(asc(receipt_lines.id)),
);

/** The receipt with an id. Refuses: resource_missing. */
export async function getReceipt(db: Db, id: string | number): Promise<Receipt> {
  const [receipt] = await wholeReceipts(db, await byId(db, { id: readId("receipt", id) ?? 0 }));
  if (receipt === undefined) throw missing("receipt", id);
  return receipt;
}

/** As `getReceipt`, and locks the receipt until this transaction ends. */
export async function lockReceipt(tx: Tx, id: string | number): Promise<Receipt> {
  const [receipt] = await wholeReceipts(tx, await lockedById(tx, { id: readId("receipt", id) ?? 0 }));
  if (receipt === undefined) throw missing("receipt", id);
  return receipt;
}

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

/** Filters for the list of receipts. */
interface ReceiptFilter {
  readonly status?: ReceiptStatus | undefined;
  readonly warehouse_id?: number | undefined;
  readonly reference?: string | undefined;
  /** Only receipts with a line of this SKU. */
  readonly sku?: string | undefined;
  /** Part of the reference, the supplier or the SKU of a line. */
  readonly q?: string | undefined;
}

function matching({ status, warehouse_id, reference, sku, q }: ReceiptFilter): SQL | undefined {
  const with_line = (what: SQL) => sql`exists (
    select 1 from ${receipt_lines} join ${products} on ${products.id} = ${receipt_lines.product_id}
    where ${receipt_lines.receipt_id} = ${receipts.id} and ${what}
  )`;
  return and(
    status === undefined ? undefined : eq(receipts.status, status),
    warehouse_id === undefined ? undefined : eq(receipts.warehouse_id, warehouse_id),
    reference === undefined ? undefined : eq(receipts.reference, reference),
    sku === undefined ? undefined : with_line(eq(products.sku, sku)),
    q === undefined
      ? undefined
      : or(contains(receipts.reference, q), contains(receipts.supplier, q), with_line(contains(products.sku, q))),
  );
}

/** The sort order of a list of receipts. */
type ReceiptSort = (typeof receiptSorts)[number];

const never = Number.MAX_SAFE_INTEGER;
const expected = sql`coalesce(${receipts.expected_at}, ${sql.raw(String(never))})`;

/** The position at which a list continues after this receipt. */
export function receiptPosition({ id, created_at, expected_at }: PlainReceipt, sort: ReceiptSort): PagePosition {
  return [sort === "expected_at" ? (expected_at ?? never) : created_at, id];
}

/** A page of receipts without their lines. */
export async function listReceipts(
  db: Db,
  filter: ReceiptFilter,
  { limit, offset, after }: PageWindow,
  sort: ReceiptSort,
): Promise<PlainReceipt[]> {
  const soonest = sort === "expected_at";
  const older =
    after &&
    (soonest
      ? sql`(${expected}, ${receipts.id}) > (${after[0]}, ${after[1]})`
      : sql`(${receipts.created_at}, ${receipts.id}) < (${after[0]}, ${after[1]})`);
  return db.sql
    .select()
    .from(receipts)
    .where(and(matching(filter), older ?? undefined))
    .orderBy(...(soonest ? [sql`${expected} asc`, asc(receipts.id)] : [desc(receipts.created_at), desc(receipts.id)]))
    .limit(limit)
    .offset(offset);
}

/** The sizes by which a list of receipts is limited: one may have hundreds of lines. */
export const longReceipts = longRecords(receipts, receipt_lines.receipt_id, { record: 1000, part: 350 });

/** The number of receipts that match. */
export async function countReceipts(db: Db, filter: ReceiptFilter): Promise<number> {
  return db.sql.$count(receipts, matching(filter));
}

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
type NewReceipt = Pick<PlainReceipt, "merchant_id" | "reference" | "supplier" | "warehouse_id" | "expected_at">;

/** Stores an expected delivery and returns it. */
export async function insertReceipt(
  tx: Tx,
  fields: NewReceipt,
  lines: readonly Pick<ReceiptLine, "product_id" | "lot_number" | "expires_on" | "quantity">[],
): Promise<Receipt> {
  const times = { created_at: tx.now, updated_at: tx.now, closed_at: null, cancelled_at: null };
  const [receipt_id = 0] = await insertIds(tx, receipts, [
    { ...fields, status: initialReceiptStatus, version: 1, ...times },
  ]);
  const rows = lines.map((line) => ({ receipt_id, ...line, received: 0, set_aside: 0, outstanding: line.quantity }));
  await insert(tx, receipt_lines, rows);
  return getReceipt(tx, receipt_id);
}

/** Stores changes of a receipt, without its lines, and returns it. Its version increases by one. */
export async function saveReceipt(
  tx: Tx,
  before: Receipt,
  change: Partial<Pick<PlainReceipt, "status" | "closed_at" | "cancelled_at">>,
): Promise<Receipt> {
  await tx.sql
    .update(receipts)
    .set({ ...change, version: before.version + 1, updated_at: tx.now })
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
