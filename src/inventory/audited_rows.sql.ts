// The rows behind a verification difference, so that a person can see which of them is wrong.
import { and, asc, desc, eq, lte, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { columnsOf } from "../../db/kit.ts";
import { count_lines } from "../../db/schema/counts.ts";
import { lots, movements, stock_items } from "../../db/schema/inventory.ts";
import { lot_changes } from "../../db/schema/lots.ts";
import { products } from "../../db/schema/products.ts";
import { receipt_lines, receipts } from "../../db/schema/receipts.ts";
import { allocations, reservation_lines, reservations } from "../../db/schema/reservations.ts";
import { transfer_lines, transfer_loads, transfers } from "../../db/schema/transfers.ts";
import { bins } from "../../db/schema/warehouses.ts";
import { wireId } from "../core/ids.ts";
import type { Db } from "../storage/database.ts";
import { named, plainRows, type RelatedRows, rows_max, type VerifiedRow } from "../storage/verifier.ts";

const newest_max = 10;

/** Stock items that match, with their SKU, bin and lot number. */
async function itemRows(db: Db, condition: SQL | undefined): Promise<VerifiedRow[]> {
  const rows = await db.sql
    .select({
      id: stock_items.id,
      sku: products.sku,
      warehouse_id: stock_items.warehouse_id,
      bin: bins.code,
      bin_kind: bins.kind,
      lot_number: lots.lot_number,
      lot_status: lots.status,
      on_hand: stock_items.on_hand,
      reserved: stock_items.reserved,
    })
    .from(stock_items)
    .innerJoin(products, eq(products.id, stock_items.product_id))
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .leftJoin(lots, eq(lots.id, stock_items.lot_id))
    .where(condition)
    .orderBy(asc(stock_items.id))
    .limit(rows_max);
  return named("stock_items", rows);
}

/** The newest movements that match (at most 10), oldest first. */
async function movementRows(db: Db, condition: SQL | undefined): Promise<VerifiedRow[]> {
  const rows = await db.sql
    .select({
      ...columnsOf(movements, "id", "type", "quantity", "from_item_id", "from_balance", "to_item_id", "to_balance"),
      ...columnsOf(movements, "to_place", "lot_id", "reason", "reference_type", "reference_id", "created_at"),
    })
    .from(movements)
    .where(condition)
    .orderBy(desc(movements.id))
    .limit(newest_max);
  return named("movements", rows.reverse());
}

/** Allocations that match, with the bin and the order reference of each. */
async function allocationRows(db: Db, condition: SQL): Promise<VerifiedRow[]> {
  const rows = await db.sql
    .select({
      id: allocations.id,
      stock_item_id: allocations.stock_item_id,
      bin: bins.code,
      reservation_line_id: allocations.reservation_line_id,
      order_ref: reservations.order_ref,
      quantity: allocations.quantity,
    })
    .from(allocations)
    .innerJoin(stock_items, eq(stock_items.id, allocations.stock_item_id))
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .innerJoin(reservation_lines, eq(reservation_lines.id, allocations.reservation_line_id))
    .innerJoin(reservations, eq(reservations.id, reservation_lines.reservation_id))
    .where(condition)
    .orderBy(asc(allocations.id))
    .limit(rows_max);
  return named("allocations", rows);
}

const number = (value: SQLWrapper) => sql<number>`${value}`.mapWith(Number);

async function ledgerSum(db: Db, item_id: number): Promise<VerifiedRow[]> {
  const change = sql`case when ${movements.to_item_id} = ${item_id} then ${movements.quantity} else 0 end
    - case when ${movements.from_item_id} = ${item_id} then ${movements.quantity} else 0 end`;
  const [row] = await db.sql
    .select({ rows: number(sql`count(*)`), change: number(sql`coalesce(sum(${change}), 0)`) })
    .from(movements)
    .where(touches(item_id));
  return [{ table: "movements, all of the stock item", ...row }];
}

async function allocationSum(db: Db, condition: SQL): Promise<VerifiedRow> {
  const [row] = await db.sql
    .select({ rows: number(sql`count(*)`), quantity: number(sql`coalesce(sum(${allocations.quantity}), 0)`) })
    .from(allocations)
    .where(condition);
  return { table: "allocations, all", ...row };
}

const touches = (item_id: number) => or(eq(movements.from_item_id, item_id), eq(movements.to_item_id, item_id));

/** The movements that a record caused, given the noun of its id. */
export const movementsOf =
  (noun: "order" | "transfer" | "receipt" | "return") =>
  (db: Db, id: number): Promise<VerifiedRow[]> =>
    movementRows(db, and(eq(movements.reference_type, noun), eq(movements.reference_id, wireId(noun, id))));

const movementsBy =
  (column: AnyPgColumn) =>
  (db: Db, id: number): Promise<VerifiedRow[]> =>
    movementRows(db, eq(column, id));

const itemsBy =
  (column: AnyPgColumn) =>
  (db: Db, id: number): Promise<VerifiedRow[]> =>
    itemRows(db, eq(column, id));

const allocationsBy = (column: AnyPgColumn) => async (db: Db, id: number) => [
  await allocationSum(db, eq(column, id)),
  ...(await allocationRows(db, eq(column, id))),
];

/** A movement, the earlier ones of its items, and these. */
async function rowsOfMovement(db: Db, id: number): Promise<VerifiedRow[]> {
  const [row] = await db.sql.select().from(movements).where(eq(movements.id, id));
  const items = [row?.from_item_id, row?.to_item_id].flatMap((item) => item ?? []);
  const around = or(eq(movements.id, id), ...items.map(touches));
  return [
    ...(await movementRows(db, and(lte(movements.id, id), around))),
    ...(await itemRows(db, or(sql`false`, ...items.map((item) => eq(stock_items.id, item))))),
  ];
}

/** The lines of a product that hold units. */
const holdingLines = (db: Db, id: number) =>
  plainRows(
    db,
    reservation_lines.id,
    sql`${reservation_lines.product_id} = ${id} and ${reservation_lines.reserved} <> 0`,
  );

function loadsOfTransfer(db: Db, id: number): Promise<VerifiedRow[]> {
  const lines = db.sql.select({ id: transfer_lines.id }).from(transfer_lines).where(eq(transfer_lines.transfer_id, id));
  return plainRows(db, transfer_loads.id, sql`${transfer_loads.transfer_line_id} in ${lines}`);
}

function movementOfCountLine(db: Db, id: number): Promise<VerifiedRow[]> {
  const moved = db.sql.select({ id: count_lines.movement_id }).from(count_lines).where(eq(count_lines.id, id));
  return movementRows(db, sql`${movements.id} in ${moved}`);
}

/** The nouns of the inventory, with the rows that are shown with a violation. */
export const inventoryNouns = {
  product: [itemsBy(stock_items.product_id), holdingLines, movementsBy(movements.product_id)],
  "stock item": [
    itemsBy(stock_items.id),
    ledgerSum,
    (db, id) => movementRows(db, touches(id)),
    allocationsBy(allocations.stock_item_id),
  ],
  movement: [rowsOfMovement],
  reservation: [reservations.id, reservation_lines.reservation_id],
  "reservation line": [reservation_lines.id, allocationsBy(allocations.reservation_line_id)],
  allocation: [(db, id) => allocationRows(db, eq(allocations.id, id))],
  lot: [lots.id, lot_changes.lot_id, itemsBy(stock_items.lot_id), movementsBy(movements.lot_id)],
  transfer: [transfers.id, loadsOfTransfer, movementsOf("transfer")],
  "transfer line": [transfer_lines.id],
  "transfer load": [transfer_loads.id],
  receipt: [receipts.id, receipt_lines.receipt_id, movementsOf("receipt")],
  "receipt line": [receipt_lines.id],
  "count line": [count_lines.id, movementOfCountLine],
} as const satisfies Record<string, readonly RelatedRows[]>;
