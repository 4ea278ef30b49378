// The list of levels: which products match, and in which order. What their stock is, `stock/store.ts` reads.
import { and, asc, count, eq, ne, or, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { contains, given, isOneOf, matches, named } from "../../../db/kit.ts";
import { product_components } from "../../../db/schema/bundles.ts";
import { lots, stock_items } from "../../../db/schema/inventory.ts";
import { products } from "../../../db/schema/products.ts";
import { reservation_lines } from "../../../db/schema/reservations.ts";
import { bins, zones } from "../../../db/schema/warehouses.ts";
import type { PageWindow } from "../../core/schema.ts";
import { orderable } from "../../products/product.ts";
import type { Db } from "../../storage/database.ts";
import { sizesBy } from "../../storage/long_records.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import type { ItemStatus } from "../inventory.transitions.ts";
import { lotTransitions } from "../inventory.transitions.ts";
import { dayIn, type LocalDays, localDays } from "../warehouses/warehouses.sql.ts";
import type { stockSummarySorts } from "./stock.schema.ts";

/** What the list of levels may be narrowed to. */
interface StockSummaryFilter {
  /** An exact SKU, or a pattern with `*`. */
  readonly sku?: string | undefined;
  /** A piece of the SKU or the name. */
  readonly q?: string | undefined;
  /** Only products with units in this warehouse, and bundles of which its units make a set. */
  readonly warehouse_id?: number | undefined;
  /** Only products with less available than their reorder point. */
  readonly low_stock?: boolean | undefined;
  readonly status?: ItemStatus | undefined;
  /** Only products with units in a zone, a bin or a lot of this name, in the warehouse if one is named. */
  readonly zone?: string | undefined;
  readonly bin?: string | undefined;
  readonly lot_number?: string | undefined;
  /** Only products with units of available lots whose last day comes before this one, and not before today. */
  readonly expiring_before?: number | undefined;
}

const held = sql`${stock_items.on_hand} > 0`;
const isGood = isOneOf(lots.status, [lotTransitions.release.to]);

// The product is read only of lots that expire. It has a name of its own, since the query around is of products.
const minDays = (product_id: AnyPgColumn) => sql`(
  select kept.min_shelf_life_days from ${products} as kept where kept.id = ${product_id}
)`;

/** The units of a product that may be promised, and are not; of one warehouse, when `where` says so. */
const availableOf = (days: LocalDays, product_id: AnyPgColumn, where = sql`true`) => sql`(
  select coalesce(sum(${stock_items.on_hand} - ${stock_items.reserved}), 0) from ${stock_items}
  join ${bins} on ${bins.id} = ${stock_items.bin_id} left join ${lots} on ${lots.id} = ${stock_items.lot_id}
  where ${stock_items.product_id} = ${product_id} and ${held} and ${where} and ${bins.kind} = 'storage'
    and (${lots.id} is null or ${isGood}
      and (${lots.expires_on} is null
        or ${lots.expires_on} - ${minDays(product_id)} >= ${dayIn(days, stock_items.warehouse_id)}))
)`;

// A bundle has what the scarcest of its components makes.
const available = (days: LocalDays) => sql`case when ${products.type} = 'bundle' then (
  select coalesce(min(${availableOf(days, product_components.component_id)} / ${product_components.quantity}), 0)
  from ${product_components} where ${product_components.bundle_id} = ${products.id}
) else ${availableOf(days, products.id)} end`;

const waitedFor = sql`exists (
  select 1 from ${reservation_lines} where ${reservation_lines.product_id} = ${products.id}
    and ${reservation_lines.reserved} < ${reservation_lines.wanted}
)`;

function statusOf(days: LocalDays, status: ItemStatus): SQL | undefined {
  const units = available(days);
  // Each names the units once: they are summed up as often as they are named.
  const is = {
    inactive: null,
    in_stock: sql`${units} >= case when ${products.reorder_point} > 1 then ${products.reorder_point} else 1 end`,
    low_stock: sql`${units} between 1 and ${products.reorder_point} - 1`,
    out_of_stock: sql`${units} = 0 and not ${waitedFor}`,
    backordered: sql`${units} = 0 and ${waitedFor}`,
  };
  const has = is[status];
  return has === null ? ne(products.status, orderable) : and(eq(products.status, orderable), has);
}

/** Whether units of a product lie where, or are of the lot that, the filter names. */
function lies(
  days: LocalDays,
  { warehouse_id, zone, bin, lot_number, expiring_before }: StockSummaryFilter,
): SQL | undefined {
  if ([zone, bin, lot_number, expiring_before].every((value) => value === undefined)) return undefined;
  const where = and(
    warehouse_id === undefined ? undefined : eq(stock_items.warehouse_id, warehouse_id),
    zone === undefined ? undefined : eq(zones.zone_id, zone),
    bin === undefined ? undefined : eq(bins.code, bin),
    lot_number === undefined ? undefined : eq(lots.lot_number, lot_number),
    expiring_before === undefined
      ? undefined
      : sql`${isGood} and ${lots.expires_on} >= ${dayIn(days, stock_items.warehouse_id)}
          and ${lots.expires_on} < ${expiring_before}`,
  );
  return sql`exists (
    select 1 from ${stock_items} join ${bins} on ${bins.id} = ${stock_items.bin_id}
      left join ${zones} on ${zones.id} = ${bins.zone_id} left join ${lots} on ${lots.id} = ${stock_items.lot_id}
    where ${stock_items.product_id} = ${products.id} and ${held} and ${where}
  )`;
}

function matching(days: LocalDays, filter: StockSummaryFilter): SQL | undefined {
  const { sku, q, warehouse_id, low_stock, status } = filter;
  const named = sku?.includes("*") ? matches(products.sku, sku) : sku === undefined ? undefined : eq(products.sku, sku);
  const there = sql`${stock_items.warehouse_id} = ${warehouse_id}`;
  // A bundle is where its components make a set.
  const stored = () => sql`case when ${products.type} = 'bundle' then not exists (
    select 1 from ${product_components} where ${product_components.bundle_id} = ${products.id}
      and ${availableOf(days, product_components.component_id, there)} < ${product_components.quantity}
  ) else exists (
    select 1 from ${stock_items} where ${stock_items.product_id} = ${products.id} and ${held} and ${there}
  ) end`;
  // A bundle is low when one of its components is too few for as many sets. Most products have no reorder point.
  const low = () => sql`${products.reorder_point} > 0 and case when ${products.type} = 'bundle' then exists (
    select 1 from ${product_components} where ${product_components.bundle_id} = ${products.id}
      and ${availableOf(days, product_components.component_id)}
        < ${products.reorder_point} * ${product_components.quantity}
  ) else ${availableOf(days, products.id)} < ${products.reorder_point} end`;
  return and(
    named,
    q === undefined ? undefined : or(contains(products.sku, q), contains(products.name, q)),
    warehouse_id === undefined ? undefined : stored(),
    low_stock === undefined ? undefined : low_stock ? low() : sql`not (${low()})`,
    status === undefined ? undefined : statusOf(days, status),
    lies(days, filter),
  );
}

/** The order of the list of levels. */
type StockSummarySort = (typeof stockSummarySorts)[number];

/** A product of the list of levels, with what the list is sorted by. */
interface ListedProduct {
  readonly id: number;
  readonly key: string | number;
  /** What sorts those with the same key: several merchants may use one SKU. */
  readonly place: number;
}

const all = prepared((sql, _: StatementArgs<object>) => sql.select({ count: count() }).from(products));
// The page that is asked for most, without a filter, is prepared: an index alone has all that it tells.
const first = prepared((sql, a: StatementArgs<{ limit: number; offset: number }>) =>
  sql
    .select({ id: products.id, key: named(products.sku, "key"), place: named(products.merchant_id, "place") })
    .from(products)
    .orderBy(asc(products.sku), asc(products.merchant_id))
    .limit(given(a.limit))
    .offset(given(a.offset)),
);

/** A page of the products that match. */
export async function listStocked(
  db: Db,
  filter: StockSummaryFilter,
  { limit, offset, after }: PageWindow,
  sort: StockSummarySort,
): Promise<ListedProduct[]> {
  const days = await localDays(db);
  const where = matching(days, filter);
  if (where === undefined && after === null && sort === "sku") {
    // When something changes, whoever has the list open asks for it at the same moment.
    return db.memo(`inventory.first:${limit}:${offset}`, () => first(db, { limit, offset }));
  }
  const isDown = sort.startsWith("-");
  const byUnits = sort.endsWith("available");
  const key = byUnits
    ? sql`(${available(days)})`
    : sort.endsWith("name")
      ? sql`${products.name}`
      : sql`${products.sku}`;
  // The index of SKUs goes on by the merchant.
  const place = sort.endsWith("sku") ? products.merchant_id : products.id;
  const way = sql.raw(isDown ? "desc" : "asc");
  const beyond = sql.raw(isDown ? "<" : ">");
  const rest =
    after === null
      ? undefined
      : sql`(${key} ${beyond} ${after[0]} or ${key} = ${after[0]} and ${place} ${beyond} ${after[1]})`;
  return db.sql
    .select({ id: products.id, place, key: byUnits ? sql<number>`${key}`.mapWith(Number) : sql<string>`${key}` })
    .from(products)
    .where(and(where, rest))
    .orderBy(sql`${key} ${way}`, sql`${place} ${way}`)
    .limit(limit)
    .offset(offset);
}

/** About how many bytes the levels of each of these products take as JSON: it may lie in hundreds of bins. */
export const stockSummarySizes = sizesBy(stock_items.product_id, { record: 1000, part: 250 }, held);

/** How many products match. */
export async function countStocked(db: Db, filter: StockSummaryFilter): Promise<number> {
  const days = await localDays(db);
  const where = matching(days, filter);
  if (where !== undefined) return db.sql.$count(products, where);
  const [row] = await db.memo("inventory.count", () => all(db, {}));
  return row?.count ?? 0;
}
