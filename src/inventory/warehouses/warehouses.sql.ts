import { and, asc, eq, inArray, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { amongTexts, columnsOf, forShare, forUpdate, list } from "../../../db/kit.ts";
import { stock_items } from "../../../db/schema/inventory.ts";
import { bins, warehouses, zones } from "../../../db/schema/warehouses.ts";
import { engine } from "../../core/config.ts";
import { assert, missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import { dayOf, localTime } from "../../core/time_zone.ts";
import type { Db, Tx, WriteStatements } from "../../storage/database.ts";
import { unscoped } from "../../storage/scope.ts";
import { insert, insertIds, prepared, type StatementArgs } from "../../storage/statements.ts";
import type { BinKind } from "../inventory.transitions.ts";
import type { DispatchCalendar, WarehouseCalendar } from "./dispatch_calendar.ts";
import type { NewBin, PlainWarehouse, Warehouse, WarehouseBin, WarehouseZone, ZonedWarehouse } from "./warehouse.ts";
import { permanentBinKinds } from "./warehouse.ts";

const all = prepared((sql) => sql.select().from(warehouses).orderBy(asc(warehouses.priority), asc(warehouses.id)));
const byId = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql.select().from(warehouses).where(eq(warehouses.id, a.id)),
);
const shared = prepared((sql, a: StatementArgs<{ id: number }>) =>
  forShare(sql.select().from(warehouses).where(eq(warehouses.id, a.id))),
);
const zonesOf = prepared((sql, a: StatementArgs<{ warehouse_id: number }>) =>
  sql.select().from(zones).where(eq(zones.warehouse_id, a.warehouse_id)).orderBy(asc(zones.id)),
);
// The excluded kind is written out and the others are listed: only then is the index used that skips staging bins, of
// which every order has one.
const permanentBinsOf = prepared((select, a: StatementArgs<{ warehouse_id: number }>) =>
  select
    .select()
    .from(bins)
    .where(
      and(
        eq(bins.warehouse_id, a.warehouse_id),
        inArray(bins.kind, [...permanentBinKinds]),
        sql`${bins.kind} <> 'staging'`,
      ),
    )
    .orderBy(asc(bins.pick_order), asc(bins.id)),
);
const binByCode = prepared((sql, a: StatementArgs<{ warehouse_id: number; code: string }>) =>
  sql
    .select()
    .from(bins)
    .where(and(eq(bins.warehouse_id, a.warehouse_id), eq(bins.code, a.code))),
);

const calendars = prepared((sql) =>
  sql
    .select(columnsOf(warehouses, "id", "timezone", "working_days", "holidays", "cutoff_time"))
    .from(warehouses)
    .orderBy(asc(warehouses.priority), asc(warehouses.id)),
);

/** The calendar of every warehouse, by priority. */
export async function listCalendars(db: Db): Promise<WarehouseCalendar[]> {
  return db.memo("inventory.calendars", () => calendars(db, {}));
}

/** The dispatch calendar of the warehouse with this id. */
export async function calendarAt(db: Db, id: number): Promise<WarehouseCalendar> {
  const calendar = (await listCalendars(db)).find((candidate) => candidate.id === id);
  assert(calendar !== undefined, `warehouse ${id} exists`);
  return calendar;
}

/** Today in each warehouse, and the first and last of these days. */
export interface LocalDays {
  readonly warehouses: readonly { readonly id: number; readonly timezone: string; readonly day: number }[];
  readonly first: number;
  readonly last: number;
}

/** Today in each warehouse, in days since 1970-01-01. */
export async function localDays(db: Db): Promise<LocalDays> {
  const calendars = await listCalendars(db);
  const local = calendars.map(({ id, timezone }) => ({ id, timezone, day: localTime(db.now, timezone).day }));
  const days = local.length === 0 ? [localTime(db.now, "UTC").day] : local.map(({ day }) => day);
  return { warehouses: local, first: Math.min(...days), last: Math.max(...days) };
}

/** Today in the warehouse that a column names. */
export function dayIn({ warehouses, last }: LocalDays, warehouse_id: SQLWrapper): SQL {
  const others = warehouses.filter(({ day }) => day < last);
  if (others.length === 0) return sql`${last}`;
  const when = others.map(({ id, day }) => sql`when ${id} then cast(${day} as bigint)`);
  return sql`case ${warehouse_id} ${sql.join(when, sql` `)} else ${last} end`;
}

/** The day that an expiry filter names, in the time zone of the first of the filter's warehouses, or of all. */
export async function dayInRequest(db: Db, text: string, warehouse_ids: readonly number[] = []): Promise<number> {
  const all = await listCalendars(db);
  const { timezone = "UTC" } = all.find(({ id }) => id === warehouse_ids[0]) ?? all[0] ?? {};
  return dayOf(text, timezone);
}

/** All warehouses without their zones, by priority. */
export async function listPlainWarehouses(db: Db): Promise<PlainWarehouse[]> {
  return all(db, {});
}

/** Whether there is any warehouse. */
export async function hasWarehouses(db: Db): Promise<boolean> {
  return (await listPlainWarehouses(db)).length > 0;
}

/** All warehouses, or those with these ids, with zones and bins, by priority. */
export async function listWarehouses(db: Db, ids: readonly number[] | null = null): Promise<Warehouse[]> {
  const rows = await all(db, {});
  const whole: Warehouse[] = [];
  for (const row of ids === null ? rows : rows.filter(({ id }) => ids.includes(id)))
    whole.push(await withPlaces(db, row));
  return whole;
}

/** The warehouse with an id, without its zones, or null. */
export async function findWarehouse(db: Db, id: string | number): Promise<PlainWarehouse | null> {
  const [row] = await byId(db, { id: readId("warehouse", id) ?? 0 });
  return row ?? null;
}

/** The warehouse with an id, with zones and bins. Refuses: resource_missing. */
export async function getWarehouse(db: Db, id: string | number): Promise<Warehouse> {
  const row = await findWarehouse(db, id);
  if (row === null) throw missing("warehouse", id);
  return withPlaces(db, row);
}

async function withPlaces(db: Db, row: PlainWarehouse): Promise<Warehouse> {
  const own = { warehouse_id: row.id };
  return { ...row, zones: await zonesOf(db, own), bins: await permanentBinsOf(db, own) };
}

/**
 * A warehouse with its zones. They and its bins stay as they are until this transaction ends. Transactions that put
 * units there do not wait for each other. Refuses: resource_missing.
 */
export async function shareWarehouse(tx: Tx, id: string | number): Promise<ZonedWarehouse> {
  const [row] = await shared(tx, { id: readId("warehouse", id) ?? 0 });
  if (row === undefined) throw missing("warehouse", id);
  return { ...row, zones: await zonesOf(tx, { warehouse_id: row.id }) };
}

/** As `getWarehouse`, and locks the warehouse until this transaction ends. */
export async function lockWarehouse(tx: Tx, id: string | number): Promise<Warehouse> {
  const own = readId("warehouse", id) ?? 0;
  await forUpdate(tx.sql.select({ id: warehouses.id }).from(warehouses).where(eq(warehouses.id, own)));
  return getWarehouse(tx, id);
}

/** The bin with this code in a warehouse, or null. */
export async function findBin(db: Db, warehouse_id: number, code: string): Promise<WarehouseBin | null> {
  const [row] = await binByCode(db, { warehouse_id, code });
  return row ?? null;
}

const permanentByCodes = prepared((select, a: StatementArgs<{ warehouse_id: number; codes: string }>) =>
  select
    .select()
    .from(bins)
    .where(and(eq(bins.warehouse_id, a.warehouse_id), amongTexts(bins.code, a.codes), sql`${bins.kind} <> 'staging'`)),
);

/** Permanent bins of a warehouse by code. Staging bins and unknown codes are left out. */
export async function findPermanentBins(
  db: Db,
  warehouse_id: number,
  codes: readonly string[],
): Promise<ReadonlyMap<string, WarehouseBin>> {
  const rows = await permanentByCodes(db, { warehouse_id, codes: list(codes) });
  return new Map(rows.map((bin) => [bin.code, bin]));
}

const own_first = sql`case when ${bins.dedicated_merchant_id} is null then 1 else 0 end`;
const firstOfKind = prepared((select, a: StatementArgs<{ warehouse_id: number; kind: BinKind; merchant_id: number }>) =>
  select
    .select()
    .from(bins)
    .where(
      and(
        eq(bins.warehouse_id, a.warehouse_id),
        eq(bins.kind, a.kind),
        sql`${bins.kind} <> 'staging'`,
        sql`coalesce(${bins.dedicated_merchant_id}, ${a.merchant_id}) = ${a.merchant_id}`,
      ),
    )
    .orderBy(own_first, asc(bins.pick_order), asc(bins.id))
    .limit(1),
);

/** The first bin of a kind in a warehouse that is reserved for a merchant, otherwise the first for anyone, or null. */
export async function findBinOfKind(
  db: Db,
  warehouse_id: number,
  kind: BinKind,
  merchant_id: number,
): Promise<WarehouseBin | null> {
  const [row] = await firstOfKind(db, { warehouse_id, kind, merchant_id });
  return row ?? null;
}

// The kind is written out, so that SQLite too walks the zone in pick order and stops at the first suitable bin.
const firstWithRoom = prepared((select, a: StatementArgs<{ zone_id: number; needed: number }>) =>
  select
    .select()
    .from(bins)
    .where(
      and(
        eq(bins.zone_id, a.zone_id),
        sql`${bins.kind} = 'storage'`,
        sql`(${bins.capacity} is null or ${a.needed} = 0 or ${bins.capacity} - ${a.needed} >= (
          select coalesce(sum(${stock_items.on_hand}), 0) from ${stock_items} where ${stock_items.bin_id} = ${bins.id}
        ))`,
      ),
    )
    .orderBy(asc(bins.pick_order), asc(bins.id))
    .limit(1),
);

/** The first storage bin of a zone with room for `needed` units, or null. With 0, every bin has room. */
export async function findRoomyBin(db: Db, zone_id: number, needed: number): Promise<WarehouseBin | null> {
  const [row] = await firstWithRoom(db, { zone_id, needed });
  return row ?? null;
}

interface WantedBin {
  readonly zone_id: number;
  readonly needed: number;
  readonly merchant_id: number;
}

// The tables are named in plain text: goods of all merchants count, whichever merchant the request is about.
const firstFor = prepared((select, a: StatementArgs<WantedBin>) => {
  const first = (whose: SQL) => sql`(
    select b.id from ${bins} as b where b.zone_id = ${a.zone_id} and b.kind = 'storage' and ${whose}
      and (b.capacity is null or ${a.needed} = 0 or b.capacity - ${a.needed} >= (
        select coalesce(sum(i.on_hand), 0) from ${stock_items} as i where i.bin_id = b.id
      ))
      and (b.mix_merchants or not exists (
        select 1 from ${stock_items} as i where i.bin_id = b.id and i.on_hand > 0 and i.merchant_id <> ${a.merchant_id}
      ))
    order by b.pick_order, b.id limit 1
  )`;
  const own = first(sql`b.dedicated_merchant_id = ${a.merchant_id}`);
  const any = first(sql`b.dedicated_merchant_id is null`);
  return select.select().from(bins).where(sql`${bins.id} = coalesce(${own}, ${any})`);
});

/** As `findRoomyBin`, among bins that accept goods of a merchant now; bins reserved for the merchant come first. */
export async function findBinFor(db: Db, wanted: WantedBin): Promise<WarehouseBin | null> {
  const [row] = await firstFor(db, wanted);
  return row ?? null;
}

/** The fields of a warehouse that a client sets. */
type WarehouseFields = Pick<PlainWarehouse, "name" | "address" | "priority" | keyof DispatchCalendar>;

/** Stores a warehouse and returns its id; null when its name is taken. */
export async function insertWarehouse(tx: Tx, fields: WarehouseFields): Promise<number | null> {
  const [row] = await tx.sql
    .insert(warehouses)
    .values({ ...fields, revision: 1, created_at: tx.now, updated_at: tx.now })
    .onConflictDoNothing({ target: warehouses.name })
    .returning({ id: warehouses.id });
  return row?.id ?? null;
}

/** Stores changes of a warehouse. Its revision increases by one. */
export async function saveWarehouse(tx: Tx, before: PlainWarehouse, fields: Partial<WarehouseFields>): Promise<void> {
  await tx.sql
    .update(warehouses)
    .set({ ...fields, revision: before.revision + 1, updated_at: tx.now })
    .where(eq(warehouses.id, before.id));
}

/** Stores a zone and returns its id. */
export async function insertZone(tx: Tx, zone: Omit<WarehouseZone, "id">): Promise<number> {
  const [id = 0] = await insertIds(tx, zones, [zone]);
  return id;
}

/** Stores changes of a zone. */
export async function saveZone(
  tx: Tx,
  id: number,
  fields: Pick<WarehouseZone, "temperature_zone" | "temperature_range" | "capacity">,
): Promise<void> {
  await tx.sql.update(zones).set(fields).where(eq(zones.id, id));
}

/** Stores new bins. */
export async function insertBins(tx: Tx, rows: readonly NewBin[]): Promise<void> {
  await insert(tx, bins, rows);
}

const insertBin = prepared((tx: WriteStatements, a: StatementArgs<NewBin>) =>
  tx
    .insert(bins)
    .values({
      warehouse_id: sql`${a.warehouse_id}`,
      zone_id: sql`${a.zone_id}`,
      code: sql`${a.code}`,
      kind: sql`${a.kind}`,
      pick_order: sql`${a.pick_order}`,
      capacity: sql`${a.capacity}`,
    })
    .onConflictDoNothing({ target: [bins.warehouse_id, bins.code] })
    .returning(),
);

/** Creates a bin and returns it; null when another transaction has created one with its code. */
export async function insertNewBin(tx: Tx, bin: NewBin): Promise<WarehouseBin | null> {
  const [made] = await insertBin(tx, bin);
  return made ?? null;
}

/** The bin with this code, created if it does not exist. */
export async function ensureBin(tx: Tx, bin: NewBin): Promise<WarehouseBin> {
  // Another transaction may create it in between.
  return (await findBin(tx, bin.warehouse_id, bin.code)) ?? (await freshBin(tx, bin));
}

/** As `ensureBin`, for a bin that hardly ever exists already. */
export async function freshBin(tx: Tx, bin: NewBin): Promise<WarehouseBin> {
  return (await insertNewBin(tx, bin)) ?? ((await findBin(tx, bin.warehouse_id, bin.code)) as WarehouseBin);
}

/** Stores changes of a bin. */
export async function saveBin(
  tx: Tx,
  id: number,
  fields: Omit<WarehouseBin, "id" | "warehouse_id" | "code">,
): Promise<void> {
  await tx.sql.update(bins).set(fields).where(eq(bins.id, id));
}

const units = sql<number>`coalesce(sum(${stock_items.on_hand}), 0)`.mapWith(Number);
const lockedBin = prepared((sql, a: StatementArgs<{ id: number }>) =>
  forUpdate(sql.select({ id: bins.id }).from(bins).where(eq(bins.id, a.id))),
);
const contents = prepared((sql, a: StatementArgs<{ id: number; merchant_id: number }>) =>
  sql
    .select({ units, other: otherThan(a.merchant_id) })
    .from(stock_items)
    .where(eq(stock_items.bin_id, a.id)),
);

/** A merchant other than this one with units in a bin, or null. */
const otherThan = (merchant_id: SQLWrapper) =>
  sql<number | null>`min(case when ${stock_items.on_hand} > 0 and ${stock_items.merchant_id} <> ${merchant_id}
    then ${stock_items.merchant_id} end)`.mapWith(Number);

/** The contents of a bin: its units, and a merchant other than the one in question that owns any of them. */
interface BinContents {
  readonly units: number;
  readonly other: number | null;
}

/** The contents of a bin, of all merchants. No other caller of this adds units until this transaction ends. */
export async function lockContents(tx: Tx, bin_id: number, merchant_id: number): Promise<BinContents> {
  const all = tx.scoped(unscoped);
  // Both are sent in one trip, and the second is read after the lock. SQLite has one writer, and needs none.
  const lock = engine === "postgres" ? lockedBin(all, { id: bin_id }) : null;
  const [, [row]] = await Promise.all([lock, contents(all, { id: bin_id, merchant_id })]);
  return row ?? { units: 0, other: null };
}

/** The units in each bin that holds any, of these warehouses or of all. */
export async function listUsed(db: Db, warehouse_ids: readonly number[] | null): Promise<ReadonlyMap<number, number>> {
  const its = warehouse_ids === null ? undefined : inArray(stock_items.warehouse_id, [...warehouse_ids]);
  const rows = await db.sql
    .select({ bin_id: stock_items.bin_id, units })
    .from(stock_items)
    .where(and(its, sql`${stock_items.on_hand} > 0`))
    .groupBy(stock_items.bin_id);
  return new Map(rows.map((row) => [row.bin_id, row.units]));
}

/** Whether a zone's bins hold any units, of any merchant. */
export async function zoneHoldsStock(db: Db, zone_id: number): Promise<boolean> {
  const rows = await db
    .scoped(unscoped)
    .sql.select({ id: stock_items.id })
    .from(stock_items)
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .where(and(eq(bins.zone_id, zone_id), sql`${stock_items.on_hand} > 0`))
    .limit(1);
  return rows.length > 0;
}

/** Whether a bin holds any units, of any merchant. */
export async function binHoldsStock(db: Db, bin_id: number): Promise<boolean> {
  const rows = await db
    .scoped(unscoped)
    .sql.select({ id: stock_items.id })
    .from(stock_items)
    .where(and(eq(stock_items.bin_id, bin_id), sql`${stock_items.on_hand} > 0`))
    .limit(1);
  return rows.length > 0;
}
