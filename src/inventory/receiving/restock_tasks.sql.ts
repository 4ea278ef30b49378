import { and, asc, desc, eq, gte, lt, or, type SQL, sql } from "drizzle-orm";
import { among, amongTexts, columnsOf, list, opaque } from "../../../db/kit.ts";
import { lots, movements, stock_items } from "../../../db/schema/inventory.ts";
import { orders } from "../../../db/schema/orders.ts";
import { products } from "../../../db/schema/products.ts";
import { returns } from "../../../db/schema/returns.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import { readId, wireId } from "../../core/ids.ts";
import type { PageWindow } from "../../core/schema.ts";
import type { Db } from "../../storage/database.ts";
import { isAmong } from "../../storage/record_list.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import type { HomeBin, RestockOrigin, RestockTask } from "./restock_task.ts";

/** Units of one stock item from one order or return. */
interface UnitsToRestock {
  readonly stock_item_id: number;
  readonly quantity: number;
}

const change = sql<number>`sum(case when ${movements.to_item_id} = ${stock_items.id}
  then ${movements.quantity} else -${movements.quantity} end)`.mapWith(Number);
const touches = or(eq(stock_items.id, movements.to_item_id), eq(stock_items.id, movements.from_item_id));
const waits = sql`${bins.kind} in ('putback', 'returns')`;

const waiting = prepared((select, a: StatementArgs<RestockOrigin & { product_id: number }>) =>
  select
    .select({ stock_item_id: stock_items.id, quantity: change })
    .from(movements)
    .innerJoin(stock_items, touches)
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .where(
      and(
        eq(movements.reference_type, a.type),
        eq(movements.reference_id, a.id),
        eq(movements.product_id, a.product_id),
        waits,
      ),
    )
    .groupBy(stock_items.id)
    .having(sql`${change} > 0`)
    .orderBy(asc(stock_items.id)),
);

/** Units of a product from an order or an inspected return that are not restocked yet, according to the ledger. */
export async function listUnitsToRestock(db: Db, origin: RestockOrigin, product_id: number): Promise<UnitsToRestock[]> {
  return waiting(db, { ...origin, product_id });
}

// Units that were written off while they waited have left the bin, which may then have become one of another kind.
const awaitsInspection = sql`(${bins.kind} = 'returns' or ${stock_items.on_hand} = 0)`;

const received = prepared((select, a: StatementArgs<{ return: string; product_id: number }>) =>
  select
    .select({
      stock_item_id: stock_items.id,
      warehouse_id: stock_items.warehouse_id,
      lot_id: stock_items.lot_id,
      quantity: change,
    })
    .from(movements)
    .innerJoin(stock_items, touches)
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .where(
      and(
        eq(movements.reference_type, "return"),
        eq(movements.reference_id, a.return),
        eq(movements.product_id, a.product_id),
        awaitsInspection,
      ),
    )
    .groupBy(stock_items.id)
    .having(sql`${change} > 0`)
    .orderBy(sql`min(${movements.id})`),
);

/** Units of one stock item that were received with a return. */
export interface UnitsOfReturn {
  readonly stock_item_id: number;
  readonly warehouse_id: number;
  readonly lot_id: number | null;
  readonly quantity: number;
}

/**
 * Where the received units of a return that is not inspected wait, according to the ledger; first received first. `id`
 * is the return's id in the API.
 */
export async function listReturnedUnits(db: Db, id: string, product_id: number): Promise<UnitsOfReturn[]> {
  return received(db, { return: id, product_id });
}

/** The merchant of an order or a return, or null if it does not exist. */
export async function findOwner(db: Db, origin: RestockOrigin): Promise<number | null> {
  const id = readId(origin.type, origin.id) ?? 0;
  const table = origin.type === "order" ? orders : returns;
  const [row] = await db.sql.select({ merchant_id: table.merchant_id }).from(table).where(eq(table.id, id));
  return row?.merchant_id ?? null;
}

/** Filters for the list of restock tasks. */
interface RestockTaskFilter {
  readonly warehouse_ids?: readonly number[] | undefined;
  readonly sku?: string | undefined;
  /** The orders that may have released them, or that their return may belong to. */
  readonly order_ids?: readonly number[] | undefined;
  readonly return_ids?: readonly number[] | undefined;
  /** When the first of the units came to their bin (ms): at this time or later, and before this time. */
  readonly created_after?: number | undefined;
  readonly created_before?: number | undefined;
}

// Units of a return that was not inspected wait for the inspection. Only ids of returns are cast.
const isInspected = sql`(${movements.reference_type} <> 'return' or exists (
  select 1 from ${returns} where ${returns.inspected_at} is not null
    and ${returns.id} = case when ${movements.reference_type} = 'return'
      then cast(substr(${movements.reference_id}, 5) as bigint) end
))`;

/** Units to restock, grouped by stock item and by the order or return they come from. */
function groups(db: Db, filter: RestockTaskFilter, origins: readonly string[] | null) {
  const { warehouse_ids, sku, created_after, created_before } = filter;
  const since = sql<number>`min(${movements.created_at})`.mapWith(Number);
  // For an unfiltered list the few waiting items are found first, since most of the ledger is about orders.
  const type = origins === null ? opaque(sql`${movements.reference_type}`) : movements.reference_type;
  const narrowed: (SQL | undefined)[] = [
    warehouse_ids && isAmong(stock_items.warehouse_id, warehouse_ids),
    sku === undefined ? undefined : eq(products.sku, sku),
    origins === null ? undefined : amongTexts(movements.reference_id, sql`${list(origins)}`),
  ];
  return db.sql
    .select({
      id: sql<number>`min(${movements.id})`.mapWith(Number).as("first_id"),
      since: since.as("since"),
      type: sql<RestockOrigin["type"]>`${movements.reference_type}`.as("giver_type"),
      origin: sql<string>`${movements.reference_id}`.as("origin"),
      stock_item_id: sql<number>`${stock_items.id}`.mapWith(Number).as("stock_item_id"),
      quantity: change.as("quantity"),
    })
    .from(stock_items)
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .innerJoin(products, eq(products.id, stock_items.product_id))
    .innerJoin(movements, touches)
    .where(and(sql`${stock_items.on_hand} > 0`, waits, sql`${type} in ('order', 'return')`, ...narrowed))
    .groupBy(stock_items.id, movements.reference_type, movements.reference_id)
    .having(
      and(
        sql`${change} > 0 and ${isInspected}`,
        created_after === undefined ? undefined : gte(since, created_after),
        created_before === undefined ? undefined : lt(since, created_before),
      ),
    )
    .as("waiting");
}

/** The ids of the orders and returns that match a filter; null for all. */
async function originsOf(db: Db, { order_ids, return_ids }: RestockTaskFilter): Promise<string[] | null> {
  const named = return_ids?.map((id) => wireId("return", id));
  if (order_ids === undefined) return named ?? null;
  const own = await db.sql.select({ id: returns.id }).from(returns).where(isAmong(returns.order_id, order_ids));
  const all = [...order_ids.map((id) => wireId("order", id)), ...own.map(({ id }) => wireId("return", id))];
  return named === undefined ? all : all.filter((id) => named.includes(id));
}

/** A page of restock tasks, longest waiting first unless `newest_first`. */
export async function listRestockTasks(
  db: Db,
  filter: RestockTaskFilter,
  window: PageWindow,
  newest_first = false,
): Promise<RestockTask[]> {
  const { limit, offset, after } = window;
  const [beyond, direction] = newest_first ? [sql.raw("<"), desc] : [sql.raw(">"), asc];
  const tasks = groups(db, filter, await originsOf(db, filter));
  const rows = await db.sql
    .select({
      id: tasks.id,
      since: tasks.since,
      type: tasks.type,
      origin: tasks.origin,
      quantity: tasks.quantity,
      ...columnsOf(stock_items, "merchant_id", "product_id", "on_hand", "warehouse_id", "lot_id"),
      sku: products.sku,
      name: products.name,
      bin: bins.code,
      lot_number: lots.lot_number,
    })
    .from(tasks)
    .innerJoin(stock_items, eq(stock_items.id, tasks.stock_item_id))
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .innerJoin(products, eq(products.id, stock_items.product_id))
    .leftJoin(lots, eq(lots.id, stock_items.lot_id))
    .where(after === null ? undefined : sql`(${tasks.since}, ${tasks.id}) ${beyond} (${after[0]}, ${after[1]})`)
    .orderBy(direction(tasks.since), direction(tasks.id))
    .limit(limit)
    .offset(offset);
  const orders = await ordersOf(db, rows);
  return rows.map(({ type, origin: id, on_hand, quantity, ...row }) => ({
    ...row,
    origin: { type, id },
    order_id: orders.get(id) ?? readId("order", id) ?? 0,
    // Some may have been written off while they waited.
    quantity: Math.min(quantity, on_hand),
  }));
}

/** The number of restock tasks that match. */
export async function countRestockTasks(db: Db, filter: RestockTaskFilter): Promise<number> {
  const tasks = groups(db, filter, await originsOf(db, filter));
  const [row] = await db.sql.select({ count: sql<number>`count(*)`.mapWith(Number) }).from(tasks);
  return row?.count ?? 0;
}

/** The orders of the returns among these rows, by the return's id. */
async function ordersOf(
  db: Db,
  rows: readonly { type: RestockOrigin["type"]; origin: string }[],
): Promise<Map<string, number>> {
  const ids = rows.flatMap(({ type, origin }) => (type === "return" ? (readId("return", origin) ?? []) : []));
  if (ids.length === 0) return new Map();
  const { id, order_id } = returns;
  const pairs = await db.sql
    .select({ id, order_id })
    .from(returns)
    .where(among(id, sql`${list([...new Set(ids)])}`));
  return new Map(pairs.map((row) => [wireId("return", row.id), row.order_id]));
}

const used = sql<number>`(select coalesce(sum(s.on_hand), 0) from ${stock_items} s where s.bin_id = ${bins.id})`;

// Goods of all merchants count, whichever merchant the request is about.
const takesMore = sql`coalesce(${bins.dedicated_merchant_id}, ${stock_items.merchant_id}) = ${stock_items.merchant_id}
  and (${bins.mix_merchants} or not exists (
    select 1 from ${stock_items} s
    where s.bin_id = ${bins.id} and s.on_hand > 0 and s.merchant_id <> ${stock_items.merchant_id}
  ))`;

const homes = prepared((select, a: StatementArgs<{ product_ids: string }>) =>
  select
    .select({
      ...columnsOf(stock_items, "product_id", "warehouse_id", "lot_id", "on_hand"),
      code: bins.code,
      pick_order: bins.pick_order,
      free: sql<number | null>`case when ${bins.capacity} is not null then ${bins.capacity} - ${used} end`,
    })
    .from(stock_items)
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .where(and(among(stock_items.product_id, a.product_ids), sql`${bins.kind} = 'storage'`, takesMore)),
);

/** Storage bins that hold units of these products, or once did, and that accept more of them. */
export async function listHomeBins(db: Db, product_ids: readonly number[]): Promise<HomeBin[]> {
  if (product_ids.length === 0) return [];
  const home_bins = await homes(db, { product_ids: list([...new Set(product_ids)]) });
  return home_bins.map(({ free, ...bin }) => ({ ...bin, free: free === null ? null : Number(free) }));
}
