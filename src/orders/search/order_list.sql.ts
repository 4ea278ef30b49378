import {
  and,
  asc,
  desc,
  eq,
  gte,
  inArray,
  isNull,
  lt,
  notInArray,
  or,
  type SQL,
  type SQLWrapper,
  sql as template,
} from "drizzle-orm";
import { among, list, listed, opaque } from "../../../db/kit.ts";
import { orders } from "../../../db/schema/orders.ts";
import type { PagePosition, PageWindow } from "../../core/schema.ts";
import { cutoffBefore } from "../../inventory/warehouses/dispatch_calendar.ts";
import { listCalendars } from "../../inventory/warehouses/warehouses.sql.ts";
import type { Db } from "../../storage/database.ts";
import { isAmong } from "../../storage/record_list.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import { countByStatus } from "../lifecycle/order_counters.sql.ts";
import { findOrderRows, orderRow, type StoredOrderRow } from "../lifecycle/order_lookup.sql.ts";
import { isOnHold, openStatuses, type PublicOrderStatus, publicOrderStatuses } from "../order.transitions.ts";
import type { Order } from "../order.ts";
import { wholeOrders } from "../orders.sql.ts";
import { contentFiltersOf, countShortOrders, type OrderContentFilter, productOf } from "./order_filters.sql.ts";
import type { orderSorts } from "./order_list.schema.ts";
import { candidates_max, meaningOf, ordersWith, type Search, soleProduct } from "./order_search.sql.ts";

/** Filters for the list of orders. Times in ms. */
export interface OrderFilter extends OrderContentFilter {
  /** Any of these. */
  readonly statuses?: readonly PublicOrderStatus[] | undefined;
  readonly customer_id?: readonly number[] | undefined;
  readonly order_number?: string | undefined;
  readonly created_after?: number | undefined;
  readonly created_before?: number | undefined;
  readonly updated_after?: number | undefined;
  readonly updated_before?: number | undefined;
  readonly shipped_after?: number | undefined;
  readonly shipped_before?: number | undefined;
  /** Only orders that have not shipped and whose ship-by time is before this. */
  readonly ship_by_before?: number | undefined;
  /** Only orders that have not shipped and whose ship-by time is this or later. */
  readonly ship_by_after?: number | undefined;
  /** Only orders that have not shipped by their ship-by time; or all others. */
  readonly late?: boolean | undefined;
  /** The platforms that it may have come from; `api` for none. */
  readonly platform?: readonly string[] | undefined;
  readonly fulfillment_type?: readonly string[] | undefined;
  readonly shipping_method?: string | undefined;
  readonly warehouse_id?: readonly number[] | undefined;
  readonly imported?: boolean | undefined;
  readonly search?: Search | undefined;
}

/** The sort order of a list of orders; `priority` is highest priority first, then oldest. */
export type OrderSort = (typeof orderSorts)[number];

/** A filter whose conditions on the clock and the calendars are resolved to SQL. */
type SettledFilter = OrderFilter & { readonly due?: SQL | undefined };

// An order in one of these statuses has not shipped.
const unshipped: readonly PublicOrderStatus[] = ["pending", "processing", "fulfilled", "on_hold"];

async function resolveFilter(db: Db, filter: OrderFilter): Promise<SettledFilter> {
  // An order that shipped after a time has been updated since.
  const updated_after = filter.updated_after ?? filter.shipped_after;
  const { late, ship_by_before, ship_by_after } = filter;
  const over = late === undefined ? undefined : await dueBefore(db, db.now);
  const due = and(
    ship_by_before === undefined ? undefined : await dueBefore(db, ship_by_before),
    ship_by_after === undefined ? undefined : await dueAfter(db, ship_by_after),
    // Of an order without a warehouse the condition can be null, which `not` would leave null.
    late === false ? template`${over} is not true` : over,
  );
  const waits = late === true || ship_by_before !== undefined || ship_by_after !== undefined;
  return { ...filter, updated_after, due, statuses: filter.statuses ?? (waits ? unshipped : undefined) };
}

/** Condition: an order has not shipped and is to ship at a time or later. */
async function dueAfter(db: Db, moment: number): Promise<SQL | undefined> {
  const before = await dueBefore(db, moment);
  const waits = and(inArray(orders.status, openStatuses), eq(orders.imported, false));
  const earliest = (await cutoffsBefore(db, moment)).reduce((least, { at }) => Math.min(least, at), moment);
  return and(waits, gte(orders.created_at, earliest), template`${before} is not true`);
}

/** Condition: an order has not shipped and is to ship before a time, by the calendar of its warehouse. */
async function dueBefore(db: Db, moment: number): Promise<SQL> {
  const cutoffs = await cutoffsBefore(db, moment);
  const [first, ...others] = cutoffs;
  const came = ({ at }: { readonly at: number }) => lt(orders.created_at, at);
  const ofOthers = others.map((cutoff) => and(eq(orders.warehouse_id, cutoff.id), came(cutoff)));
  const named = others.map(({ id }) => id);
  const ofFirst =
    first === undefined
      ? template`1 = 0`
      : and(
          named.length === 0 ? undefined : or(isNull(orders.warehouse_id), notInArray(orders.warehouse_id, named)),
          came(first),
        );
  const latest = cutoffs.reduce((most, { at }) => Math.max(most, at), 0);
  const waits = inArray(orders.status, openStatuses);
  return template`(${and(waits, eq(orders.imported, false), lt(orders.created_at, latest), or(ofFirst, ...ofOthers))})`;
}

/** The last cut-off (ms) of each warehouse before a time. The earliest and latest limit what an index has to read. */
async function cutoffsBefore(db: Db, moment: number): Promise<{ readonly id: number; readonly at: number }[]> {
  const calendars = await listCalendars(db);
  return calendars.map((calendar) => ({ id: calendar.id, at: cutoffBefore(moment, calendar) ?? 0 }));
}

function matching(filter: SettledFilter): SQL | undefined {
  const { statuses, customer_id, order_number, created_after, created_before, updated_after, updated_before } = filter;
  const { shipped_after, shipped_before, platform, shipping_method, warehouse_id, imported, due, fulfillment_type } =
    filter;
  return and(
    statuses === undefined ? undefined : (or(...statuses.map(hasStatus)) ?? template`1 = 0`),
    due,
    shipped_after === undefined ? undefined : gte(orders.shipped_at, shipped_after),
    shipped_before === undefined ? undefined : lt(orders.shipped_at, shipped_before),
    platform === undefined ? undefined : isAmong(orders.source_platform, platform),
    warehouse_id === undefined ? undefined : isAmong(orders.warehouse_id, warehouse_id),
    fulfillment_type === undefined ? undefined : isAmong(orders.fulfillment_type, fulfillment_type),
    shipping_method === undefined ? undefined : eq(orders.shipping_method, shipping_method),
    customer_id === undefined ? undefined : isAmong(orders.customer_id, customer_id),
    order_number === undefined ? undefined : eq(orders.order_number, order_number),
    created_after === undefined ? undefined : gte(orders.created_at, created_after),
    created_before === undefined ? undefined : lt(orders.created_at, created_before),
    updated_after === undefined ? undefined : gte(orders.updated_at, updated_after),
    updated_before === undefined ? undefined : lt(orders.updated_at, updated_before),
    imported === undefined ? undefined : imported ? isImported : eq(orders.imported, false),
  );
}

// Written out, as in the index of these orders.
const isImported = template`${orders.imported} = true`;

/** Condition: an order has a public status. `held` is written out, as in the indexes of held orders. */
function hasStatus(status: PublicOrderStatus): SQL | undefined {
  if (isOnHold(status)) return template`${orders.held} = true`;
  return and(eq(orders.status, status), eq(orders.held, false));
}

/**
 * The order of a list, and the rows beyond a position: one stretch after the other, each of which an index can walk
 * from its beginning.
 */
function walkOf(sort: OrderSort) {
  switch (sort) {
    case "created_at":
      return {
        order: [asc(orders.created_at), asc(orders.id)],
        beyond: ([at, id]: PagePosition) => [template`(${orders.created_at}, ${orders.id}) > (${at}, ${id})`],
      };
    case "-created_at":
      return {
        order: [desc(orders.created_at), desc(orders.id)],
        beyond: ([at, id]: PagePosition) => [template`(${orders.created_at}, ${orders.id}) < (${at}, ${id})`],
      };
    case "updated_at":
      return {
        order: [asc(orders.updated_at), asc(orders.id)],
        beyond: ([at, id]: PagePosition) => [template`(${orders.updated_at}, ${orders.id}) > (${at}, ${id})`],
      };
    case "-updated_at":
      return {
        order: [desc(orders.updated_at), desc(orders.id)],
        beyond: ([at, id]: PagePosition) => [template`(${orders.updated_at}, ${orders.id}) < (${at}, ${id})`],
      };
    case "priority":
      return {
        order: [desc(orders.priority), asc(orders.id)],
        beyond: ([at, id]: PagePosition) => [
          template`${orders.priority} = ${at} and ${orders.id} > ${id}`,
          template`${orders.priority} < ${at}`,
        ],
      };
  }
}

/** The position of an order in a list of this sort. */
export function orderPosition(order: OrderListKey, sort: OrderSort) {
  return [keyOf(order, sort), order.id] as const satisfies PagePosition;
}

function keyOf({ priority, created_at, updated_at }: OrderListKey, sort: OrderSort): number {
  if (sort === "priority") return priority;
  return sort === "created_at" || sort === "-created_at" ? created_at : updated_at;
}

// The first page, without a filter and newest first, is requested most, so it is prepared.
const newest = prepared((sql, a: StatementArgs<{ limit: number; offset: number }>) =>
  sql
    .select(orderRow)
    .from(orders)
    .orderBy(desc(orders.created_at), desc(orders.id))
    .limit(opaque(a.limit))
    .offset(opaque(a.offset)),
);

/**
 * A page of orders without what belongs to them; `searchOrders` handles a filter's search. Up to `few` orders that
 * changed lately are sorted; with more of them, the list is walked.
 */
export async function listOrders(
  db: Db,
  filter: OrderFilter,
  window: PageWindow,
  sort: OrderSort,
  few = candidates_max,
): Promise<StoredOrderRow[]> {
  const { limit, offset, after } = window;
  const narrowed = await resolveFilter(db, filter);
  const where = matching(narrowed);
  if (where === undefined && after === null && sort === "-created_at") {
    // When something changes, everyone who has the list open requests it at the same moment.
    return db.memo(`orders.newest:${limit}:${offset}`, () => newest(db, { limit, offset }));
  }
  const { beyond } = walkOf(sort);
  const stretches = after === null ? [undefined] : beyond(after);
  const { statuses, updated_after } = narrowed;
  const changed = updated_after === undefined ? null : await changedSince(db, updated_after, few);
  if (changed !== null) {
    const places = (await placesAmong(db, changed, and(where, or(...stretches)))).sort(inOrder(sort));
    return findOrderRows(
      db,
      places.slice(offset, offset + limit).map(({ id }) => id),
    );
  }
  if (statuses === undefined || statuses.length === 1) return walked(db, where, stretches, sort, window);
  // Each status has an index in the order of the list; all of them together have none.
  const rows: StoredOrderRow[] = [];
  const front = { limit: offset + limit, offset: 0 };
  for (const status of statuses)
    rows.push(...(await walked(db, and(hasStatus(status), where), stretches, sort, front)));
  return rows.sort(inOrder(sort)).slice(offset, offset + limit);
}

/** The orders of a page with everything that belongs to them. Orders already read in this view are not read again. */
export async function wholePage(db: Db, rows: readonly (StoredOrderRow | Order)[]): Promise<readonly Order[]> {
  return rows.every((row): row is Order => "lines" in row) ? rows : wholeOrders(db, rows as readonly StoredOrderRow[]);
}

/** The rows that match, in the order of the list, one stretch of it after the other. */
async function walked(
  db: Db,
  where: SQL | undefined,
  stretches: readonly (SQL | undefined)[],
  sort: OrderSort,
  { limit, offset }: Pick<PageWindow, "limit" | "offset">,
): Promise<StoredOrderRow[]> {
  const { order } = walkOf(sort);
  const rows: StoredOrderRow[] = [];
  for (const stretch of stretches) {
    if (rows.length === limit) break;
    const some = db.sql
      .select(orderRow)
      .from(orders)
      .where(and(where, stretch))
      .orderBy(...order);
    rows.push(...(await some.limit(limit - rows.length).offset(offset)));
  }
  return rows;
}

/** The orders that changed at a time or later; null if there are more than `max`. */
async function changedSince(db: Db, at: number, max: number): Promise<number[] | null> {
  // Not prepared: PostgreSQL would plan it for any time, and read all orders.
  const found = await fewAmong(db, gte(orders.updated_at, at), candidates_max);
  return found === null || found.length > max ? null : found;
}

/** The number of orders that match; `searchOrders` handles a filter's search. Counts by status alone are stored. */
export async function countOrders(db: Db, filter: OrderFilter): Promise<number> {
  const { statuses, late, ...others } = filter;
  if (late === false) {
    // An index finds the late orders; all others would have to be read.
    return (await countOrders(db, { ...filter, late: undefined })) - (await countOrders(db, { ...filter, late: true }));
  }
  if (late === undefined && Object.values(others).every((value) => value === undefined)) {
    const counts = await countByStatus(db);
    return (statuses ?? publicOrderStatuses).reduce((sum, status) => sum + (counts.get(status) ?? 0), 0);
  }
  return db.sql.$count(orders, matching(await resolveFilter(db, filter)));
}

/** The number of orders that match a filter with its search; null if a page of the list would have no total either. */
export async function countMatching(db: Db, filter: OrderFilter): Promise<number | null> {
  if (!isSearched(filter)) return countOrders(db, filter);
  const where = matching(await resolveFilter(db, filter));
  const meaning = await meaningOf(db, filter.search ?? null, contentFiltersOf(filter));
  const isCounted = meaning.ids === null && filter.search === undefined;
  const ids = isCounted ? await fewAmong(db, where, candidates_max) : meaning.ids;
  return ids && (await placesAmong(db, ids, and(where, meaning.check))).length;
}

/** The result of a search: a page and the total, or a stretch of the list and where it ended. */
export type OrderSearchResult =
  | { readonly rows: StoredOrderRow[]; readonly total: number }
  | { readonly rows: StoredOrderRow[]; readonly total: null; readonly end: PagePosition | null };

/** Limits of a search: candidates that are checked at once, and orders that are passed over for one page. */
export interface SearchBounds {
  readonly candidates: number;
  readonly walk: number;
}
const bounds_max: SearchBounds = { candidates: candidates_max, walk: 10_000 };

/** Whether a filter needs `searchOrders`: it has words, or conditions on what belongs to the orders. */
export function isSearched(filter: OrderFilter): boolean {
  return filter.search !== undefined || contentFiltersOf(filter).length > 0;
}

/**
 * A page of the orders that match a filter with its search and its conditions. If these may be too many, a stretch of
 * the list is walked instead: its page may be short, its `total` is null, and it has no offset.
 */
export async function searchOrders(
  db: Db,
  filter: OrderFilter,
  window: PageWindow,
  sort: OrderSort,
  bounds = bounds_max,
): Promise<OrderSearchResult> {
  const { limit, offset, after } = window;
  const quick = await searchProduct(db, filter, window, sort, bounds);
  if (quick !== null) return quick;
  const narrowed = await resolveFilter(db, filter);
  const where = matching(narrowed);
  const meaning = await meaningOf(db, filter.search ?? null, contentFiltersOf(filter), bounds.candidates);
  const { check } = meaning;
  // What no index finds can still be counted if the rest of the filter leaves few orders.
  const isCounted = meaning.ids === null && filter.search === undefined && after === null;
  const ids = isCounted ? await fewAmong(db, where, bounds.candidates) : meaning.ids;
  if (ids === null) return walk(db, narrowed, check, window, sort, bounds.walk);
  const all = and(where, check);
  const first =
    all === undefined && ids.length * 2 > bounds.walk ? await firstOf(db, ids, window, sort, bounds.walk) : null;
  if (first !== null) return { rows: await findOrderRows(db, first), total: ids.length };
  const onwards = after === null ? undefined : or(...walkOf(sort).beyond(after));
  const places = (await placesAmong(db, ids, and(all, onwards))).sort(inOrder(sort));
  const page = places.slice(offset, offset + limit).map(({ id }) => id);
  return { rows: await findOrderRows(db, page), total: places.length };
}

/** As `searchOrders`, for a search for all orders with one product and nothing else; null for any other search. */
async function searchProduct(
  db: Db,
  { search, sku, ...others }: OrderFilter,
  window: PageWindow,
  sort: OrderSort,
  { candidates }: SearchBounds,
): Promise<OrderSearchResult | null> {
  if (Object.values(others).some((value) => value !== undefined)) return null;
  if (sort !== "created_at" && sort !== "-created_at") return null;
  if ((search === undefined) === (sku === undefined)) return null;
  const product = search === undefined ? await productOf(db, sku ?? "") : await soleProduct(db, search);
  if (product === null) return null;
  const { ids, total } = await ordersWith(db, product, window, sort === "created_at" ? "oldest" : "newest", candidates);
  const rows = await findOrderRows(db, ids);
  return total === null ? { rows, total, end: null } : { rows, total };
}

/**
 * A page of these orders, found by reading the list in order, which is cheaper than looking up each one. Null if the
 * page is not full within `orders_max` orders.
 */
async function firstOf(
  db: Db,
  ids: readonly number[],
  { limit, offset, after }: PageWindow,
  sort: OrderSort,
  orders_max: number,
): Promise<number[] | null> {
  const { order, beyond } = walkOf(sort);
  const some = db.sql
    .select({ id: orders.id })
    .from(orders)
    .where(after === null ? undefined : or(...beyond(after)))
    .orderBy(...order)
    .limit(orders_max)
    .as("orders");
  const wanted = new Set(ids);
  const found = (await listOf(db, listed(orders.id), some))
    .filter((id) => wanted.has(id))
    .slice(offset, offset + limit);
  return found.length < limit ? null : found;
}

/** Checks one order of the list after the other, until a page is full or `orders_max` have been passed. */
async function walk(
  db: Db,
  filter: SettledFilter,
  check: SQL | undefined,
  { limit, after }: PageWindow,
  sort: OrderSort,
  orders_max: number,
): Promise<OrderSearchResult> {
  const { order, beyond } = walkOf(sort);
  const onwards = db.sql
    .select(checkedColumns)
    .from(orders)
    .where(and(matching(filter), after === null ? undefined : or(...beyond(after))))
    .orderBy(...order);
  // The first that meet the check, in the order in which they are passed.
  const found = await db.sql
    .select({ id: orders.id })
    .from(onwards.limit(orders_max).as("orders"))
    .where(check)
    .limit(limit);
  const rows = await findOrderRows(
    db,
    found.map(({ id }) => id),
  );
  if (found.length === limit) return { rows, total: null, end: null };
  const [last] = await onwards.limit(1).offset(orders_max - 1);
  return { rows, total: null, end: last === undefined ? null : orderPosition(last, sort) };
}

const place = {
  id: orders.id,
  created_at: orders.created_at,
  updated_at: orders.updated_at,
  priority: orders.priority,
};
type OrderListKey = Pick<StoredOrderRow, keyof typeof place>;
/** The columns of an order that a check may use. */
const checkedColumns = {
  ...place,
  order_number: orders.order_number,
  customer_id: orders.customer_id,
  shipping_choice: orders.shipping_choice,
};

/** The orders that match; null if there are more than `max`. */
async function fewAmong(db: Db, where: SQL | undefined, max: number): Promise<number[] | null> {
  const found = await db.sql
    .select({ id: orders.id })
    .from(orders)
    .where(where)
    .limit(max + 1);
  return found.length > max ? null : found.map(({ id }) => id);
}

function inOrder(sort: OrderSort): (a: OrderListKey, b: OrderListKey) => number {
  if (sort === "priority") return (a, b) => b.priority - a.priority || a.id - b.id;
  const sign = sort.startsWith("-") ? -1 : 1;
  return (a, b) => sign * (keyOf(a, sort) - keyOf(b, sort) || a.id - b.id);
}

/** The sort keys of those of these orders that meet a condition. */
async function placesAmong(db: Db, ids: readonly number[], where: SQL | undefined): Promise<OrderListKey[]> {
  return ids.length === 0 ? [] : db.sql.select(place).from(theOrders(db, ids)).where(where);
}

function theOrders(db: Db, ids: readonly number[]) {
  // The limit keeps the databases from reading other orders first.
  return db.sql
    .select()
    .from(orders)
    .where(among(orders.id, template`${list(ids)}`))
    .limit(ids.length)
    .as("orders");
}

/** The ids of some orders, which come in a single row. */
async function listOf(db: Db, ids: SQL, some: SQLWrapper): Promise<number[]> {
  const [row] = await db.sql.select({ ids: template<string>`${ids}` }).from(template`${some}`);
  return JSON.parse(row?.ids ?? "[]") as number[];
}

/** The number of orders of each kind. */
interface OrderCounts {
  readonly total: number;
  readonly statuses: Readonly<Record<PublicOrderStatus, number>>;
  /** Orders with backordered units. */
  readonly short: number;
  /** Orders that have not shipped by their ship-by time. */
  readonly late: number;
}

/** The number of orders in each status, and of those that are backordered or late. */
export async function countAllOrders(db: Db): Promise<OrderCounts> {
  const counts = await countByStatus(db);
  const statuses = Object.fromEntries(publicOrderStatuses.map((status) => [status, counts.get(status) ?? 0])) as Record<
    PublicOrderStatus,
    number
  >;
  const total = Object.values(statuses).reduce((sum, number) => sum + number, 0);
  return { total, statuses, short: await countShortOrders(db), late: await countOrders(db, { late: true }) };
}
