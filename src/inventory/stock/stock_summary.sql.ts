// The stock list: which products match, and in which order. `stock.sql.ts` reads their stock.
import { and, asc, count, eq, ne, or, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { contains, isOneOf, matches, named, opaque } from "../../../db/kit.ts";
import { product_components } from "../../../db/schema/bundles.ts";
import { lots, stock_items } from "../../../db/schema/inventory.ts";
import { products } from "../../../db/schema/products.ts";
import { reservation_lines } from "../../../db/schema/reservations.ts";
import { bins, zones } from "../../../db/schema/warehouses.ts";
import type { PageWindow } from "../../core/schema.ts";
import { orderable } from "../../products/product.ts";
import type { Db } from "../../storage/database.ts";
import { sizesBy } from "../../storage/long_records.ts";
import { isAmong } from "../../storage/record_list.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import type { ItemStatus } from "../inventory.transitions.ts";
import { lotTransitions } from "../inventory.transitions.ts";
import { dayIn, type LocalDays, localDays } from "../warehouses/warehouses.sql.ts";
import type { stockSummarySorts } from "./stock.schema.ts";
import { lastMoved } from "./stock.sql.ts";

/** Filters for the stock list. */
interface StockSummaryFilter {
  /** An exact SKU, or a pattern with `*`. */
  readonly sku?: string | undefined;
  /** Part of the SKU or the name. */
  readonly q?: string | undefined;
  /** Only products with units in one of these warehouses, and bundles of which a set can be made in one. */
  readonly warehouse_ids?: readonly number[] | undefined;
  /** Only products with less available than their reorder point. */
  readonly low_stock?: boolean | undefined;
  readonly status?: readonly ItemStatus[] | undefined;
  /** Only products with units in a zone, a bin or a lot of this name, in the filter's warehouses if it has any. */
  readonly zone?: string | undefined;
  readonly bin?: string | undefined;
  readonly lot_number?: string | undefined;
  /** Only products with units of available lots that expire before this day, and not before today. */
  readonly expiring_before?: number | undefined;
  /** Only products whose stock last changed at this time (ms) or later, and before the other time. */
  readonly updated_after?: number | undefined;
  readonly updated_before?: number | undefined;
}

const held = sql`${stock_items.on_hand} > 0`;
const isGood = isOneOf(lots.status, [lotTransitions.release.to]);

// The product is read only for lots that expire. It has an alias, since the outer query is of products.
const minDays = (product_id: AnyPgColumn) => sql`(
  select lot_product.min_shelf_life_days from ${products} as lot_product where lot_product.id = ${product_id}
)`;

/** The available units of a product; `where` limits them to one warehouse. */
const availableOf = (days: LocalDays, product_id: AnyPgColumn, where = sql`true`) => sql`(
  select coalesce(sum(${stock_items.on_hand} - ${stock_items.reserved}), 0) from ${stock_items}
  join ${bins} on ${bins.id} = ${stock_items.bin_id} left join ${lots} on ${lots.id} = ${stock_items.lot_id}
  where ${stock_items.product_id} = ${product_id} and ${held} and ${where} and ${bins.kind} = 'storage'
    and ${stock_items.count_id} is null
    and (${lots.id} is null or ${isGood}
      and (${lots.expires_on} is null
        or ${lots.expires_on} - ${minDays(product_id)} >= ${dayIn(days, stock_items.warehouse_id)}))
)`;

// A bundle has as many sets as its scarcest component makes.
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
  // Each names the units once: they are summed as often as they are named.
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

/** Condition: units of a product are in the filter's place, or of its lot. */
function lies(
  days: LocalDays,
  { warehouse_ids, zone, bin, lot_number, expiring_before }: StockSummaryFilter,
): SQL | undefined {
  if ([zone, bin, lot_number, expiring_before].every((value) => value === undefined)) return undefined;
  const where = and(
    warehouse_ids === undefined ? undefined : isAmong(stock_items.warehouse_id, warehouse_ids),
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

/** Condition: the stock of a product changed at this time (ms) or later. */
const hasChangedSince = (at: number) => sql`(coalesce(${lastMoved}, ${products.created_at}) >= ${at} or exists (
  select 1 from ${stock_items} where ${stock_items.product_id} = ${products.id} and ${stock_items.updated_at} >= ${at}
))`;

function matching(days: LocalDays, filter: StockSummaryFilter): SQL | undefined {
  const { sku, q, warehouse_ids, low_stock, status, updated_after, updated_before } = filter;
  const named = sku?.includes("*") ? matches(products.sku, sku) : sku === undefined ? undefined : eq(products.sku, sku);
  // A bundle is where a set can be made of its components.
  const storedIn = (there: SQL) => sql`case when ${products.type} = 'bundle' then not exists (
    select 1 from ${product_components} where ${product_components.bundle_id} = ${products.id}
      and ${availableOf(days, product_components.component_id, there)} < ${product_components.quantity}
  ) else exists (
    select 1 from ${stock_items} where ${stock_items.product_id} = ${products.id} and ${held} and ${there}
  ) end`;
  // A bundle is low when one of its components is not enough for that many sets. Most products have no reorder point.
  const low = () => sql`${products.reorder_point} > 0 and case when ${products.type} = 'bundle' then exists (
    select 1 from ${product_components} where ${product_components.bundle_id} = ${products.id}
      and ${availableOf(days, product_components.component_id)}
        < ${products.reorder_point} * ${product_components.quantity}
  ) else ${availableOf(days, products.id)} < ${products.reorder_point} end`;
  return and(
    named,
    q === undefined ? undefined : or(contains(products.sku, q), contains(products.name, q)),
    warehouse_ids && or(...warehouse_ids.map((id) => storedIn(eq(stock_items.warehouse_id, id)))),
    low_stock === undefined ? undefined : low_stock ? low() : sql`not (${low()})`,
    status && or(...status.map((one) => statusOf(days, one))),
    lies(days, filter),
    updated_after === undefined ? undefined : hasChangedSince(updated_after),
    updated_before === undefined ? undefined : sql`not ${hasChangedSince(updated_before)}`,
  );
}

/** The sort order of the stock list. */
type StockSummarySort = (typeof stockSummarySorts)[number];

/** A product of the stock list, with its sort key. */
interface ListedProduct {
  readonly id: number;
  readonly key: string | number;
  /** Sorts products with the same key: several merchants may use one SKU. */
  readonly place: number;
}

const all = prepared((sql, _: StatementArgs<object>) => sql.select({ count: count() }).from(products));
// The first page without a filter is requested most, so it is prepared. It needs only an index.
const first = prepared((sql, a: StatementArgs<{ limit: number; offset: number }>) =>
  sql
    .select({ id: products.id, key: named(products.sku, "key"), place: named(products.merchant_id, "place") })
    .from(products)
    .orderBy(asc(products.sku), asc(products.merchant_id))
    .limit(opaque(a.limit))
    .offset(opaque(a.offset)),
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
    // When something changes, everyone who has the list open requests it at the same moment.
    return db.memo(`inventory.first:${limit}:${offset}`, () => first(db, { limit, offset }));
  }
  const isDown = sort.startsWith("-");
  const byUnits = sort.endsWith("available");
  const key = byUnits
    ? sql`(${available(days)})`
    : sort.endsWith("name")
      ? sql`${products.name}`
      : sql`${products.sku}`;
  // The index of SKUs continues with the merchant.
  const place = sort.endsWith("sku") ? products.merchant_id : products.id;
  const direction = sql.raw(isDown ? "desc" : "asc");
  const beyond = sql.raw(isDown ? "<" : ">");
  const rest =
    after === null
      ? undefined
      : sql`(${key} ${beyond} ${after[0]} or ${key} = ${after[0]} and ${place} ${beyond} ${after[1]})`;
  return db.sql
    .select({ id: products.id, place, key: byUnits ? sql<number>`${key}`.mapWith(Number) : sql<string>`${key}` })
    .from(products)
    .where(and(where, rest))
    .orderBy(sql`${key} ${direction}`, sql`${place} ${direction}`)
    .limit(limit)
    .offset(offset);
}

/** The approximate size (bytes) of each product's stock summary as JSON: a product may be in hundreds of bins. */
export const stockSummarySizes = sizesBy(stock_items.product_id, { record: 1000, part: 250 }, held);

/** The number of products that match. */
export async function countStocked(db: Db, filter: StockSummaryFilter): Promise<number> {
  const days = await localDays(db);
  const where = matching(days, filter);
  if (where !== undefined) return db.sql.$count(products, where);
  const [row] = await db.memo("inventory.count", () => all(db, {}));
  return row?.count ?? 0;
}
