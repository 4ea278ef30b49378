import { and, asc, count, desc, eq, gt, inArray, lt, type SQL, sql as template } from "drizzle-orm";
import { among, list } from "../../../db/kit.ts";
import { orders } from "../../../db/schema/orders.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Db } from "../../database/store.ts";
import type { Position, Window } from "../../kit/page.ts";
import type { Order } from "../order.ts";
import type { Search } from "../search/rules.ts";
import { candidates_max, findCandidates, matchesSearch } from "../search/store.ts";
import { orderStatuses, type PublicOrderStatus } from "../status.ts";
import { wholeOrders } from "../store.ts";

/** What a list of orders may be narrowed to. Moments in milliseconds. */
export interface OrderFilter {
  readonly status?: PublicOrderStatus | undefined;
  readonly customer_id?: number | undefined;
  readonly order_number?: string | undefined;
  readonly created_after?: number | undefined;
  readonly created_before?: number | undefined;
  readonly updated_after?: number | undefined;
  readonly search?: Search | undefined;
}

/** How a list of orders is sorted; by priority means the most urgent first, and of these the oldest. */
export type OrderSort = "created_at" | "-created_at" | "priority";

function matching(filter: OrderFilter): SQL | undefined {
  const { status, customer_id, order_number, created_after, created_before, updated_after } = filter;
  return and(
    status === undefined ? undefined : hasStatus(status),
    customer_id === undefined ? undefined : eq(orders.customer_id, customer_id),
    order_number === undefined ? undefined : eq(orders.order_number, order_number),
    created_after === undefined ? undefined : gt(orders.created_at, created_after),
    created_before === undefined ? undefined : lt(orders.created_at, created_before),
    updated_after === undefined ? undefined : gt(orders.updated_at, updated_after),
  );
}

/** The states are named with held orders as well: the index that knows who is held begins with the state. */
function hasStatus(status: PublicOrderStatus): SQL | undefined {
  if (status === "on_hold") return and(inArray(orders.status, orderStatuses), eq(orders.held, true));
  return and(eq(orders.status, status), eq(orders.held, false));
}

/** What a list goes by: how it is ordered, and which rows lie beyond a position. */
function walkOf(sort: OrderSort) {
  switch (sort) {
    case "created_at":
      return {
        order: [asc(orders.created_at), asc(orders.id)],
        beyond: ([at, id]: Position) => template`(${orders.created_at}, ${orders.id}) > (${at}, ${id})`,
      };
    case "-created_at":
      return {
        order: [desc(orders.created_at), desc(orders.id)],
        beyond: ([at, id]: Position) => template`(${orders.created_at}, ${orders.id}) < (${at}, ${id})`,
      };
    case "priority":
      return {
        order: [desc(orders.priority), asc(orders.id)],
        beyond: ([at, id]: Position) =>
          template`${orders.priority} <= ${at} and (${orders.priority} < ${at} or ${orders.id} > ${id})`,
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

// The page that is asked for most, without a filter and newest first, is prepared.
const newest = prepared((sql, a: Args<{ limit: number; offset: number }>) =>
  sql.select().from(orders).orderBy(desc(orders.created_at), desc(orders.id)).limit(a.limit).offset(a.offset),
);

/** A page of orders with all that belongs to them; a filter's search is for `searchOrders`. */
export async function listOrders(db: Db, filter: OrderFilter, window: Window, sort: OrderSort): Promise<Order[]> {
  const { limit, offset, after } = window;
  const where = matching(filter);
  if (where === undefined && after === null && sort === "-created_at") {
    return wholeOrders(db, await newest(db, { limit, offset }));
  }
  const { order, beyond } = walkOf(sort);
  const rows = await db.sql
    .select()
    .from(orders)
    .where(and(where, after === null ? undefined : beyond(after)))
    .orderBy(...order)
    .limit(limit)
    .offset(offset);
  return wholeOrders(db, rows);
}

/** How many orders match; a filter's search is for `searchOrders`. */
export async function countOrders(db: Db, filter: OrderFilter): Promise<number> {
  return db.sql.$count(orders, matching(filter));
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
const bounds_max: SearchBounds = { candidates: candidates_max, walk: 20_000 };

/**
 * A page of the orders that match a filter and its search. When these may be too many, a stretch of the list is walked
 * instead, whose page may be short and whose `total` is null; it knows no offset.
 */
export async function searchOrders(
  db: Db,
  filter: OrderFilter & { readonly search: Search },
  window: Window,
  sort: OrderSort,
  bounds = bounds_max,
): Promise<Found> {
  const ids = await findCandidates(db, filter.search, bounds.candidates);
  if (ids?.length === 0) return { rows: [], total: 0 };
  return ids === null ? walk(db, filter, window, sort, bounds.walk) : choose(db, ids, filter, window, sort);
}

type Searched = OrderFilter & { readonly search: Search };

// A limit keeps the databases from looking at the list before the candidates.
async function choose(db: Db, ids: readonly number[], filter: Searched, window: Window, sort: OrderSort) {
  const { limit, offset, after } = window;
  const { order, beyond } = walkOf(sort);
  const some = db.sql
    .select()
    .from(orders)
    .where(among(orders.id, template`${list(ids)}`))
    .limit(ids.length)
    .as("orders");
  const where = and(matching(filter), matchesSearch(filter.search));
  const rows = await db.sql
    .select()
    .from(some)
    .where(and(where, after === null ? undefined : beyond(after)))
    .orderBy(...order)
    .limit(limit)
    .offset(offset);
  const [counted] = after === null ? await db.sql.select({ total: count() }).from(some).where(where) : [];
  return { rows: await wholeOrders(db, rows), total: counted?.total ?? rows.length };
}

async function walk(db: Db, filter: Searched, { limit, after }: Window, sort: OrderSort, steps: number) {
  const { order, beyond } = walkOf(sort);
  const stretch = db.sql
    .select()
    .from(orders)
    .where(and(matching(filter), after === null ? undefined : beyond(after)))
    .orderBy(...order)
    .limit(steps);
  const rows = await db.sql
    .select()
    .from(stretch.as("orders"))
    .where(matchesSearch(filter.search))
    .orderBy(...order)
    .limit(limit);
  const [last] =
    rows.length < limit
      ? await db.sql
          .select()
          .from(stretch.as("orders"))
          .orderBy(...order)
          .limit(1)
          .offset(steps - 1)
      : [];
  return { rows: await wholeOrders(db, rows), total: null, end: last ? orderPosition(last, sort) : null };
}
