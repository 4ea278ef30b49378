import { and, asc, eq, exists, lt, or, type SQL, sql } from "drizzle-orm";
import { contains } from "../../../db/kit.ts";
import { lots, stock_items } from "../../../db/schema/inventory.ts";
import { products } from "../../../db/schema/products.ts";
import { bins, warehouses, zones } from "../../../db/schema/warehouses.ts";
import type { PagePosition, PageWindow } from "../../core/schema.ts";
import type { Db } from "../../storage/database.ts";
import type { BinKind } from "../inventory.transitions.ts";
import { itemColumns } from "../stock/stock.sql.ts";
import type { binFills, itemSorts } from "./bin.schema.ts";
import type { FilledBin, StoredItem } from "./bin.ts";

/** Filters for the list of bins. */
interface BinFilter {
  readonly warehouse_id?: number | undefined;
  /** The client's name for a zone. */
  readonly zone?: string | undefined;
  readonly bin?: string | undefined;
  readonly q?: string | undefined;
  readonly kind?: BinKind | undefined;
  readonly fill?: (typeof binFills)[number] | undefined;
  /** Only bins with units of this SKU, or of a lot with this number. */
  readonly sku?: string | undefined;
  readonly lot_number?: string | undefined;
}

const held = sql`${stock_items.on_hand} > 0`;
const used = sql<number>`(
  select coalesce(sum(${stock_items.on_hand}), 0) from ${stock_items} where ${stock_items.bin_id} = ${bins.id}
)`.mapWith(Number);
const skus = sql<number>`(
  select count(distinct ${stock_items.product_id}) from ${stock_items}
  where ${stock_items.bin_id} = ${bins.id} and ${held}
)`.mapWith(Number);

function binsMatching(db: Db, filter: BinFilter): SQL | undefined {
  const { warehouse_id, zone, bin, q, kind, fill, sku, lot_number } = filter;
  const its = and(
    eq(stock_items.bin_id, bins.id),
    held,
    sku === undefined ? undefined : eq(products.sku, sku),
    lot_number === undefined ? undefined : eq(lots.lot_number, lot_number),
  );
  const holds = db.sql
    .select({ id: stock_items.id })
    .from(stock_items)
    .innerJoin(products, eq(products.id, stock_items.product_id))
    .leftJoin(lots, eq(lots.id, stock_items.lot_id))
    .where(its);
  return and(
    // Written out, so that the index without staging bins is used.
    sql`${bins.kind} <> 'staging'`,
    warehouse_id === undefined ? undefined : eq(bins.warehouse_id, warehouse_id),
    zone === undefined ? undefined : eq(zones.zone_id, zone),
    bin === undefined ? undefined : eq(bins.code, bin),
    q === undefined ? undefined : contains(bins.code, q),
    kind === undefined ? undefined : eq(bins.kind, kind),
    fill === undefined ? undefined : filled[fill],
    sku === undefined && lot_number === undefined ? undefined : exists(holds),
  );
}

const filled = {
  empty: sql`${used} = 0`,
  used: sql`${used} > 0`,
  full: sql`${bins.capacity} is not null and ${used} >= ${bins.capacity}`,
};

/** A page of bins by code, without staging bins. */
export async function listBins(db: Db, filter: BinFilter, { limit, offset, after }: PageWindow): Promise<FilledBin[]> {
  return db.sql
    .select({
      id: bins.id,
      warehouse_id: bins.warehouse_id,
      code: bins.code,
      kind: bins.kind,
      pick_order: bins.pick_order,
      capacity: bins.capacity,
      dedicated_merchant_id: bins.dedicated_merchant_id,
      mix_merchants: bins.mix_merchants,
      zone_id: zones.zone_id,
      temperature_zone: zones.temperature_zone,
      temperature_range: zones.temperature_range,
      used,
      skus,
    })
    .from(bins)
    .leftJoin(zones, eq(zones.id, bins.zone_id))
    .where(and(binsMatching(db, filter), beyond(sql`${bins.code}`, sql`${bins.id}`, after)))
    .orderBy(asc(bins.code), asc(bins.id))
    .limit(limit)
    .offset(offset);
}

/** The number of bins that match. */
export async function countBins(db: Db, filter: BinFilter): Promise<number> {
  const [row] = await db.sql
    .select({ count: sql<number>`count(*)`.mapWith(Number) })
    .from(bins)
    .leftJoin(zones, eq(zones.id, bins.zone_id))
    .where(binsMatching(db, filter));
  return row?.count ?? 0;
}

function beyond(key: SQL, id: SQL, after: PagePosition | null): SQL | undefined {
  return after === null ? undefined : sql`(${key} > ${after[0]} or ${key} = ${after[0]} and ${id} > ${after[1]})`;
}

/** Filters for the list of stock items. */
interface StoredItemFilter {
  readonly warehouse_id?: number | undefined;
  readonly zone?: string | undefined;
  readonly bin?: string | undefined;
  readonly kind?: BinKind | undefined;
  readonly sku?: string | undefined;
  readonly q?: string | undefined;
  readonly lot_number?: string | undefined;
  /** Only units of lots that expire before this day (days since 1970-01-01). */
  readonly expiring_before?: number | undefined;
}

/** The sort order of a list of stock items. */
type StoredItemSort = (typeof itemSorts)[number];

function itemsMatching(filter: StoredItemFilter): SQL | undefined {
  const { warehouse_id, zone, bin, kind, sku, q, lot_number, expiring_before } = filter;
  return and(
    held,
    warehouse_id === undefined ? undefined : eq(stock_items.warehouse_id, warehouse_id),
    zone === undefined ? undefined : eq(zones.zone_id, zone),
    bin === undefined ? undefined : eq(bins.code, bin),
    kind === undefined ? undefined : eq(bins.kind, kind),
    sku === undefined ? undefined : eq(products.sku, sku),
    q === undefined ? undefined : or(contains(products.sku, q), contains(products.name, q)),
    lot_number === undefined ? undefined : eq(lots.lot_number, lot_number),
    expiring_before === undefined ? undefined : lt(lots.expires_on, expiring_before),
  );
}

const never = Number.MAX_SAFE_INTEGER;
const expiry = sql`coalesce(${lots.expires_on}, ${sql.raw(String(never))})`;
const itemKeys = { sku: sql`${products.sku}`, bin: sql`${bins.code}`, expiration_date: expiry };

/** The position at which a list continues after this item. */
export function itemPosition(item: StoredItem, sort: StoredItemSort): PagePosition {
  return [sort === "expiration_date" ? (item.expires_on ?? never) : item[sort], item.id];
}

/** A page of stock items with their bins. */
export async function listStoredItems(
  db: Db,
  filter: StoredItemFilter,
  { limit, offset, after }: PageWindow,
  sort: StoredItemSort,
): Promise<StoredItem[]> {
  const key = itemKeys[sort];
  return db.sql
    .select({
      ...itemColumns,
      product_id: stock_items.product_id,
      sku: products.sku,
      name: products.name,
      min_shelf_life_days: products.min_shelf_life_days,
      zone_id: zones.zone_id,
    })
    .from(stock_items)
    .innerJoin(products, eq(products.id, stock_items.product_id))
    .innerJoin(warehouses, eq(warehouses.id, stock_items.warehouse_id))
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .leftJoin(zones, eq(zones.id, bins.zone_id))
    .leftJoin(lots, eq(lots.id, stock_items.lot_id))
    .where(and(itemsMatching(filter), beyond(key, sql`${stock_items.id}`, after)))
    .orderBy(sql`${key} asc`, asc(stock_items.id))
    .limit(limit)
    .offset(offset);
}

/** The number of stock items that match. */
export async function countStoredItems(db: Db, filter: StoredItemFilter): Promise<number> {
  const [row] = await db.sql
    .select({ count: sql<number>`count(*)`.mapWith(Number) })
    .from(stock_items)
    .innerJoin(products, eq(products.id, stock_items.product_id))
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .leftJoin(zones, eq(zones.id, bins.zone_id))
    .leftJoin(lots, eq(lots.id, stock_items.lot_id))
    .where(itemsMatching(filter));
  return row?.count ?? 0;
}
