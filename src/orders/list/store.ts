import { and, asc, count, desc, eq, gt, lt, or, type SQL, sql as template } from "drizzle-orm";
import { among, given, list } from "../../../db/kit.ts";
import { orders } from "../../../db/schema/orders.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Db } from "../../database/store.ts";
import type { Position, Window } from "../../kit/page.ts";
import type { Order } from "../order.ts";
import type { Search } from "../search/rules.ts";
import { candidates_max, meaningOf } from "../search/store.ts";
import type { PublicOrderStatus } from "../status.ts";
import { findOrders, wholeOrders } from "../store.ts";

type Row = typeof orders.$inferSelect;

/** What a list of orders may be narrowed to. Moments in milliseconds. */
export interface OrderFilter {
  readonly status?: PublicOrderStatus | undefined;
  readonly customer_id?: number | undefined;
  readonly order_number?: string | undefined;
  readonly created_after?: number | undefined;
  readonly created_before?: number | undefined;
  readonly updated_after?: number | undefined;
  readonly imported?: boolean | undefined;
  readonly search?: Search | undefined;
}

/** How a list of orders is sorted; by priority means the most urgent first, and of these the oldest. */
export type OrderSort = "created_at" | "-created_at" | "priority";

function matching(filter: OrderFilter): SQL | undefined {
  const { status, customer_id, order_number, created_after, created_before, updated_after, imported } = filter;
  return and(
    status === undefined ? undefined : hasStatus(status),
    customer_id === undefined ? undefined : eq(orders.customer_id, customer_id),
    order_number === undefined ? undefined : eq(orders.order_number, order_number),
    created_after === undefined ? undefined : gt(orders.created_at, created_after),
    created_before === undefined ? undefined : lt(orders.created_at, created_before),
    updated_after === undefined ? undefined : gt(orders.updated_at, updated_after),
    imported === undefined ? undefined : imported ? isImported : eq(orders.imported, false),
  );
}

// Written out, as the index of these orders has it.
const isImported = template`${orders.imported} = true`;

/** That an order is held is written out, as the indexes of held orders have it. */
function hasStatus(status: PublicOrderStatus): SQL | undefined {
  if (status === "on_hold") return template`${orders.held} = true`;
  return and(eq(orders.status, status), eq(orders.held, false));
}

/**
 * What a list goes by: how it is ordered, and which rows lie beyond a position. These are one stretch after the other,
 * each of which an index can walk from its beginning.
 */
function walkOf(sort: OrderSort) {
  switch (sort) {
    case "created_at":
      return {
        order: [asc(orders.created_at), asc(orders.id)],
        beyond: ([at, id]: Position) => [template`(${orders.created_at}, ${orders.id}) > (${at}, ${id})`],
      };
    case "-created_at":
      return {
        order: [desc(orders.created_at), desc(orders.id)],
        beyond: ([at, id]: Position) => [template`(${orders.created_at}, ${orders.id}) < (${at}, ${id})`],
      };
    case "priority":
      return {
        order: [desc(orders.priority), asc(orders.id)],
        beyond: ([at, id]: Position) => [
          template`${orders.priority} = ${at} and ${orders.id} > ${id}`,
          template`${orders.priority} < ${at}`,
        ],
      };
  }
}

/** Where an order stands in a list of this sort. */
export function orderPosition(
  { priority, created_at, id }: Pick<Order, "priority" | "created_at" | "id">,
  sort: OrderSort,
) {
  return [sort === "priority" ? priority : created_at, id] as const satisfies Position;
}

const all = prepared((sql, _: Args<object>) => sql.select({ count: count() }).from(orders));
// The page that is asked for most, without a filter and newest first, is prepared.
const newest = prepared((sql, a: Args<{ limit: number; offset: number }>) =>
  sql
    .select()
    .from(orders)
    .orderBy(desc(orders.created_at), desc(orders.id))
    .limit(given(a.limit))
    .offset(given(a.offset)),
);

/**
 * A page of orders with all that belongs to them; a filter's search is for `searchOrders`. Up to `few` orders that
 * changed lately are sorted; among more of them the list is walked.
 */
export async function listOrders(
  db: Db,
  filter: OrderFilter,
  window: Window,
  sort: OrderSort,
  few = candidates_max,
): Promise<Order[]> {
  const { limit, offset, after } = window;
  const where = matching(filter);
  if (where === undefined && after === null && sort === "-created_at") {
    return wholeOrders(db, await newest(db, { limit, offset }));
  }
  const { order, beyond } = walkOf(sort);
  const stretches = after === null ? [undefined] : beyond(after);
  const changed = filter.updated_after === undefined ? null : await changedAfter(db, filter.updated_after, few);
  if (changed !== null) {
    const places = (await placesAmong(db, changed, and(where, or(...stretches)))).sort(inOrder(sort));
    return ordersAt(db, places.slice(offset, offset + limit));
  }
  const rows: Row[] = [];
  for (const stretch of stretches) {
    if (rows.length === limit) break;
    const some = db.sql
      .select()
      .from(orders)
      .where(and(where, stretch))
      .orderBy(...order);
    rows.push(...(await some.limit(limit - rows.length).offset(offset)));
  }
  return wholeOrders(db, rows);
}

const changes = prepared((sql, a: Args<{ at: number }>) =>
  sql
    .select({ id: orders.id })
    .from(orders)
    .where(gt(orders.updated_at, a.at))
    .limit(candidates_max + 1),
);

/** The orders that changed after a moment; null when they are more than `max`. */
async function changedAfter(db: Db, at: number, max: number): Promise<number[] | null> {
  const found = await changes(db, { at });
  return found.length > max ? null : found.map(({ id }) => id);
}

/** How many orders match; a filter's search is for `searchOrders`. */
export async function countOrders(db: Db, filter: OrderFilter): Promise<number> {
  const where = matching(filter);
  if (where !== undefined) return db.sql.$count(orders, where);
  const [row] = await all(db, {});
  return row?.count ?? 0;
}

/** What a search has found: a page, and all there is of it; or a stretch of the list, and where it ended. */
export type Found =
  | { readonly rows: Order[]; readonly total: number }
  | { readonly rows: Order[]; readonly total: null; readonly end: Position | null };

/** How far a search goes: so many candidates are looked at all at once, so many orders walked past for one page. */
export interface SearchBounds {
  readonly candidates: number;
  readonly walk: number;
}
const bounds_max: SearchBounds = { candidates: candidates_max, walk: 10_000 };
const first_step = 200;

/**
 * A page of the orders that match a filter and its search. When these may be too many, a stretch of the list is walked
 * instead, whose page may be short and whose `total` is null; it knows no offset.
 */
export async function searchOrders(
  db: Db,
  filter: Searched,
  window: Window,
  sort: OrderSort,
  bounds = bounds_max,
): Promise<Found> {
  const { search } = filter;
  const { limit, offset, after } = window;
  const { ids, check } = await meaningOf(db, search, bounds.candidates);
  if (ids === null) return walk(db, filter, check, window, sort, bounds.walk);
  const onwards = after === null ? undefined : or(...walkOf(sort).beyond(after));
  const places = await placesAmong(db, ids, and(matching(filter), onwards, check));
  places.sort(inOrder(sort));
  return { rows: await ordersAt(db, places.slice(offset, offset + limit)), total: places.length };
}

type Searched = OrderFilter & { readonly search: Search };

/** Looks at one order of the list after the other, until a page is full or so many have been passed. */
async function walk(
  db: Db,
  filter: OrderFilter,
  check: SQL | undefined,
  { limit, after }: Window,
  sort: OrderSort,
  orders_max: number,
): Promise<Found> {
  const { order, beyond } = walkOf(sort);
  const found: Place[] = [];
  let end = after;
  let left = orders_max;
  // Often the first few hold enough; the longer nothing is found, the more are looked at in one query.
  for (let step = first_step; found.length < limit && left > 0; step *= 2) {
    const size = Math.min(step, left);
    const some: Place[] = await db.sql
      .select(place)
      .from(orders)
      .where(and(matching(filter), end === null ? undefined : or(...beyond(end))))
      .orderBy(...order)
      .limit(size);
    const ids = some.map(({ id }) => id);
    found.push(...(await placesAmong(db, ids, check)).sort(inOrder(sort)));
    const last = some.at(-1);
    end = some.length < size || last === undefined ? null : orderPosition(last, sort);
    if (end === null) break;
    left -= size;
  }
  return { rows: await ordersAt(db, found.slice(0, limit)), total: null, end: found.length < limit ? end : null };
}

const place = { id: orders.id, created_at: orders.created_at, priority: orders.priority };
type Place = Pick<Order, keyof typeof place>;

function inOrder(sort: OrderSort): (a: Place, b: Place) => number {
  if (sort === "priority") return (a, b) => b.priority - a.priority || a.id - b.id;
  const sign = sort === "created_at" ? 1 : -1;
  return (a, b) => sign * (a.created_at - b.created_at || a.id - b.id);
}

/** Where those of these orders stand that meet a condition. */
async function placesAmong(db: Db, ids: readonly number[], where: SQL | undefined): Promise<Place[]> {
  if (ids.length === 0) return [];
  // A limit keeps the databases from looking at other orders first.
  const some = db.sql
    .select()
    .from(orders)
    .where(among(orders.id, template`${list(ids)}`))
    .limit(ids.length)
    .as("orders");
  return db.sql.select(place).from(some).where(where);
}

/** The orders at these places, in their order. */
async function ordersAt(db: Db, places: readonly Place[]): Promise<Order[]> {
  const found = await findOrders(
    db,
    places.map(({ id }) => id),
  );
  const byId = new Map(found.map((order) => [order.id, order]));
  return places.flatMap(({ id }) => byId.get(id) ?? []);
}
