// The rows behind a verification difference, so that a person can see which of them is wrong.
import { and, asc, desc, eq, lte, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
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
import { type FindVerifiedRows, named, plainRows, rows_max, type VerifiedRow } from "../storage/verifier.ts";

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
export async function movementRows(db: Db, condition: SQL | undefined): Promise<VerifiedRow[]> {
  const rows = await db.sql
    .select({
      id: movements.id,
      type: movements.type,
      quantity: movements.quantity,
      from_item_id: movements.from_item_id,
      from_balance: movements.from_balance,
      to_item_id: movements.to_item_id,
      to_balance: movements.to_balance,
      to_place: movements.to_place,
      lot_id: movements.lot_id,
      reason: movements.reason,
      reference_type: movements.reference_type,
      reference_id: movements.reference_id,
      created_at: movements.created_at,
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

async function ledgerSum(db: Db, item_id: number): Promise<VerifiedRow> {
  const change = sql`case when ${movements.to_item_id} = ${item_id} then ${movements.quantity} else 0 end
    - case when ${movements.from_item_id} = ${item_id} then ${movements.quantity} else 0 end`;
  const [row] = await db.sql
    .select({ rows: number(sql`count(*)`), change: number(sql`coalesce(sum(${change}), 0)`) })
    .from(movements)
    .where(touches(item_id));
  return { table: "movements, all of the stock item", ...row };
}

async function allocationSum(db: Db, condition: SQL): Promise<VerifiedRow> {
  const [row] = await db.sql
    .select({ rows: number(sql`count(*)`), quantity: number(sql`coalesce(sum(${allocations.quantity}), 0)`) })
    .from(allocations)
    .where(condition);
  return { table: "allocations, all", ...row };
}

const touches = (item_id: number) => or(eq(movements.from_item_id, item_id), eq(movements.to_item_id, item_id));

/** Condition: movements caused by one record, given its type and its id in the API. */
export function causedBy(type: string, id: string): SQL | undefined {
  return and(eq(movements.reference_type, type), eq(movements.reference_id, id));
}

async function rowsOfItem(db: Db, id: number): Promise<VerifiedRow[]> {
  const own = eq(allocations.stock_item_id, id);
  return [
    ...(await itemRows(db, eq(stock_items.id, id))),
    await ledgerSum(db, id),
    ...(await movementRows(db, touches(id))),
    await allocationSum(db, own),
    ...(await allocationRows(db, own)),
  ];
}

async function rowsOfMovement(db: Db, id: number): Promise<VerifiedRow[]> {
  const [row] = await db.sql.select().from(movements).where(eq(movements.id, id));
  const items = [row?.from_item_id, row?.to_item_id].flatMap((item) => item ?? []);
  const around = or(eq(movements.id, id), ...items.map(touches));
  return [
    ...(await movementRows(db, and(lte(movements.id, id), around))),
    ...(await itemRows(db, or(sql`false`, ...items.map((item) => eq(stock_items.id, item))))),
  ];
}

async function rowsOfLine(db: Db, id: number): Promise<VerifiedRow[]> {
  const own = eq(allocations.reservation_line_id, id);
  return [
    ...(await plainRows(db, "reservation_lines", reservation_lines, eq(reservation_lines.id, id))),
    await allocationSum(db, own),
    ...(await allocationRows(db, own)),
  ];
}

async function rowsOfProduct(db: Db, id: number): Promise<VerifiedRow[]> {
  const wanting = and(eq(reservation_lines.product_id, id), sql`${reservation_lines.reserved} <> 0`);
  return [
    ...(await itemRows(db, eq(stock_items.product_id, id))),
    ...(await plainRows(db, "reservation_lines", reservation_lines, wanting as SQL)),
    ...(await movementRows(db, eq(movements.product_id, id))),
  ];
}

async function rowsOfTransfer(db: Db, id: number): Promise<VerifiedRow[]> {
  const lines = db.sql.select({ id: transfer_lines.id }).from(transfer_lines).where(eq(transfer_lines.transfer_id, id));
  return [
    ...(await plainRows(db, "transfers", transfers, eq(transfers.id, id))),
    ...(await plainRows(db, "transfer_loads", transfer_loads, sql`${transfer_loads.transfer_line_id} in ${lines}`)),
    ...(await movementRows(db, causedBy("transfer", wireId("transfer", id)))),
  ];
}

async function rowsOfReceipt(db: Db, id: number): Promise<VerifiedRow[]> {
  return [
    ...(await plainRows(db, "receipts", receipts, eq(receipts.id, id))),
    ...(await plainRows(db, "receipt_lines", receipt_lines, eq(receipt_lines.receipt_id, id))),
    ...(await movementRows(db, causedBy("receipt", wireId("receipt", id)))),
  ];
}

async function rowsOfLot(db: Db, id: number): Promise<VerifiedRow[]> {
  return [
    ...(await plainRows(db, "lots", lots, eq(lots.id, id))),
    ...(await plainRows(db, "lot_changes", lot_changes, eq(lot_changes.lot_id, id))),
    ...(await itemRows(db, eq(stock_items.lot_id, id))),
    ...(await movementRows(db, eq(movements.lot_id, id))),
  ];
}

async function rowsOfCountLine(db: Db, id: number): Promise<VerifiedRow[]> {
  const moved = db.sql.select({ id: count_lines.movement_id }).from(count_lines).where(eq(count_lines.id, id));
  return [
    ...(await plainRows(db, "count_lines", count_lines, eq(count_lines.id, id))),
    ...(await movementRows(db, sql`${movements.id} in ${moved}`)),
  ];
}

async function rowsOfReservation(db: Db, id: number): Promise<VerifiedRow[]> {
  return [
    ...(await plainRows(db, "reservations", reservations, eq(reservations.id, id))),
    ...(await plainRows(db, "reservation_lines", reservation_lines, eq(reservation_lines.reservation_id, id))),
  ];
}

/** For each noun of the inventory, how to find the rows behind a difference. */
export const inventoryRows = {
  product: rowsOfProduct,
  "stock item": rowsOfItem,
  movement: rowsOfMovement,
  reservation: rowsOfReservation,
  "reservation line": rowsOfLine,
  allocation: (db, id) => allocationRows(db, eq(allocations.id, id)),
  lot: rowsOfLot,
  transfer: rowsOfTransfer,
  "transfer line": (db, id) => plainRows(db, "transfer_lines", transfer_lines, eq(transfer_lines.id, id)),
  "transfer load": (db, id) => plainRows(db, "transfer_loads", transfer_loads, eq(transfer_loads.id, id)),
  receipt: rowsOfReceipt,
  "receipt line": (db, id) => plainRows(db, "receipt_lines", receipt_lines, eq(receipt_lines.id, id)),
  "count line": rowsOfCountLine,
} as const satisfies Record<string, FindVerifiedRows>;
