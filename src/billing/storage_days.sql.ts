import { and, asc, count, desc, eq, gte, isNotNull, max, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { among, columnsOf, forUpdate, list, opaque } from "../../db/kit.ts";
import { billing_start, storage_closes, storage_days } from "../../db/schema/billing.ts";
import { lots, movements, stock_items } from "../../db/schema/inventory.ts";
import { products } from "../../db/schema/products.ts";
import { bins, warehouses, zones } from "../../db/schema/warehouses.ts";
import type { Db, Tx, WriteStatements } from "../storage/database.ts";
import { descending, recordList } from "../storage/record_list.ts";
import { insert, prepared, type StatementArgs } from "../storage/statements.ts";
import { businessDate } from "./billable_event.ts";
import { dayFilters } from "./billable_events.sql.ts";
import type { ItemDay, StorageDayClose } from "./storage_day.ts";
import { type StorageFlow, type StorageWarehouse, volumeOf } from "./storage_day.ts";

/** All warehouses. */
export async function listStorageWarehouses(db: Db): Promise<StorageWarehouse[]> {
  const { id, timezone, created_at } = warehouses;
  return db.sql.select({ id, timezone, created_at }).from(warehouses).orderBy(asc(id));
}

/** When billing began (ms); 0 for a database that had it from the start. */
export async function findStart(db: Db): Promise<number> {
  const [row] = await db.sql.select({ began_at: billing_start.began_at }).from(billing_start);
  return row?.began_at ?? 0;
}

const newest = prepared((query, a: StatementArgs<{ warehouse_id: number }>) =>
  query
    .select()
    .from(storage_closes)
    .where(eq(storage_closes.warehouse_id, a.warehouse_id))
    .orderBy(desc(storage_closes.business_date))
    .limit(2),
);

/** The last recorded or started day of a warehouse, and the one before it; null if there is none. */
export async function findNewest(
  db: Db,
  warehouse_id: number,
): Promise<{ last: StorageDayClose | null; before: StorageDayClose | null }> {
  const [last = null, before = null] = await newest(db, { warehouse_id });
  return { last, before };
}

/** The id of the last movement; 0 if there is none. */
export async function lastMovement(db: Db): Promise<number> {
  const [row] = await db.sql.select({ id: max(movements.id) }).from(movements);
  return row?.id ?? 0;
}

/** Stores a day that is being recorded. */
export async function insertClose(tx: Tx, close: StorageDayClose): Promise<void> {
  await insert(tx, storage_closes, [close]);
}

const closed = prepared(
  (
    query: WriteStatements,
    a: StatementArgs<Pick<StorageDayClose, "warehouse_id" | "business_date" | "next_movement_id"> & { now: number }>,
  ) =>
    query
      .update(storage_closes)
      .set({ closed_at: sql`${a.now}`, next_movement_id: sql`${a.next_movement_id}` })
      .where(and(eq(storage_closes.warehouse_id, a.warehouse_id), eq(storage_closes.business_date, a.business_date))),
);

/** Marks a day as completely recorded. */
export async function saveClosed(tx: Tx, day: StorageDayClose, next_movement_id: number): Promise<void> {
  const { warehouse_id, business_date } = day;
  await closed(tx, { warehouse_id, business_date, next_movement_id, now: tx.now });
}

const lockedRow = prepared((query, a: StatementArgs<{ warehouse_id: number; business_date: string }>) =>
  forUpdate(
    query
      .select()
      .from(storage_closes)
      .where(and(eq(storage_closes.warehouse_id, a.warehouse_id), eq(storage_closes.business_date, a.business_date))),
  ),
);

/** Reads a day and locks it until the transaction ends. */
export async function lockClose(
  tx: Tx,
  { warehouse_id, business_date }: StorageDayClose,
): Promise<StorageDayClose | null> {
  const [row] = await lockedRow(tx, { warehouse_id, business_date });
  return row ?? null;
}

const from_items = alias(stock_items as never, "from_items") as unknown as typeof stock_items;
const to_items = alias(stock_items as never, "to_items") as unknown as typeof stock_items;
const inside = (items: typeof stock_items, warehouse_id: SQL) =>
  sql<number | null>`case when ${items.warehouse_id} = ${warehouse_id} then ${items.id} end`;

const flows = prepared((query, a: StatementArgs<{ warehouse_id: number; from: number; limit: number }>) =>
  query
    .select({
      ...columnsOf(movements, "id", "quantity", "created_at"),
      from_item_id: inside(from_items, a.warehouse_id).mapWith(Number).as("from_item_id"),
      to_item_id: inside(to_items, a.warehouse_id).mapWith(Number).as("to_item_id"),
    })
    .from(movements)
    .leftJoin(from_items, eq(from_items.id, movements.from_item_id))
    .leftJoin(to_items, eq(to_items.id, movements.to_item_id))
    .where(gte(movements.id, a.from))
    .orderBy(asc(movements.id))
    .limit(opaque(a.limit)),
);

/** Movements from an id on, in order. */
export async function listFlows(db: Db, warehouse_id: number, from: number, limit: number): Promise<StorageFlow[]> {
  return flows(db, { warehouse_id, from, limit });
}

const unitsOf = prepared((query, a: StatementArgs<{ warehouse_id: number; business_date: string }>) =>
  query
    .select(columnsOf(storage_days, "stock_item_id", "units_at_close", "units_peak"))
    .from(storage_days)
    .where(and(eq(storage_days.warehouse_id, a.warehouse_id), eq(storage_days.business_date, a.business_date)))
    .orderBy(asc(storage_days.stock_item_id)),
);

/** The units of each stock item on a recorded day, by id. */
export async function listUnits(db: Db, { warehouse_id, business_date }: StorageDayClose): Promise<ItemDay[]> {
  return unitsOf(db, { warehouse_id, business_date });
}

const staged = prepared((query, a: StatementArgs<{ ids: string }>) =>
  query
    .select({ id: stock_items.id })
    .from(stock_items)
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .where(and(among(stock_items.id, a.ids), sql`${bins.kind} = 'staging'`)),
);

/** Those of these stock items that are in staging bins. */
export async function findStaged(db: Db, ids: readonly number[]): Promise<Set<number>> {
  return new Set((await staged(db, { ids: list(ids) })).map(({ id }) => id));
}

const lastWritten = prepared((query, a: StatementArgs<{ warehouse_id: number; business_date: string }>) =>
  query
    .select({ id: max(storage_days.stock_item_id) })
    .from(storage_days)
    .where(and(eq(storage_days.warehouse_id, a.warehouse_id), eq(storage_days.business_date, a.business_date))),
);

/** The last stock item that is written for a day; 0 before the first. */
export async function findWritten(db: Db, { warehouse_id, business_date }: StorageDayClose): Promise<number> {
  const [row] = await lastWritten(db, { warehouse_id, business_date });
  return row?.id ?? 0;
}

const facts = prepared((query, a: StatementArgs<{ ids: string }>) =>
  query
    .select({
      ...columnsOf(stock_items, "id", "merchant_id", "product_id", "lot_id", "bin_id", "received_at"),
      dimensions: products.dimensions,
      kept_at: products.temperature_zone,
      temperature_zone: zones.temperature_zone,
    })
    .from(stock_items)
    .innerJoin(products, eq(products.id, stock_items.product_id))
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .leftJoin(zones, eq(zones.id, bins.zone_id))
    .where(among(stock_items.id, a.ids)),
);

/** Writes rows of a day, with the current data of the stock items. */
export async function insertDays(
  tx: Tx,
  { warehouse_id, business_date }: StorageDayClose,
  timezone: string,
  items: readonly ItemDay[],
): Promise<void> {
  const found = await facts(tx, { ids: list(items.map(({ stock_item_id }) => stock_item_id)) });
  const known = new Map(found.map((row) => [row.id, row]));
  const rows = items.flatMap((item) => {
    const row = known.get(item.stock_item_id);
    if (row === undefined) return [];
    const { merchant_id, product_id, lot_id, bin_id, received_at, dimensions, kept_at, temperature_zone } = row;
    return {
      ...item,
      business_date,
      warehouse_id,
      merchant_id,
      product_id,
      lot_id,
      bin_id,
      unit_volume_cm3: volumeOf(dimensions),
      // Bins without a zone, such as staging, count as the zone that the product requires.
      temperature_zone: temperature_zone ?? kept_at,
      oldest_receipt_date: businessDate(received_at, timezone),
    };
  });
  await insert(tx, storage_days, rows);
}

const ofDay = and(
  eq(storage_closes.warehouse_id, storage_days.warehouse_id),
  eq(storage_closes.business_date, storage_days.business_date),
);

/** Storage by day, newest first. Only completely recorded days are included. */
export const storageList = recordList(storage_days, {
  select: (query) =>
    query
      .select({
        ...columnsOf(storage_days, "business_date", "stock_item_id", "merchant_id", "warehouse_id", "product_id"),
        ...columnsOf(storage_days, "units_at_close", "units_peak", "unit_volume_cm3"),
        ...columnsOf(storage_days, "temperature_zone", "oldest_receipt_date"),
        sku: products.sku,
        lot_number: lots.lot_number,
        bin: bins.code,
      })
      .from(storage_days)
      .innerJoin(storage_closes, ofDay)
      .innerJoin(products, eq(products.id, storage_days.product_id))
      .innerJoin(bins, eq(bins.id, storage_days.bin_id))
      .leftJoin(lots, eq(lots.id, storage_days.lot_id)),
  filters: dayFilters(storage_days.warehouse_id, storage_days.business_date),
  within: isNotNull(storage_closes.closed_at),
  counted: (query) => query.select({ count: count() }).from(storage_days).innerJoin(storage_closes, ofDay),
  order: descending(storage_days.business_date, { id: storage_days.stock_item_id }),
});
