// The sources of exceptions. Each is one query over an index of the records that need a person, oldest or newest first.
import {
  and,
  eq,
  exists,
  gt,
  gte,
  isNotNull,
  isNull,
  lt,
  ne,
  not,
  notExists,
  or,
  type SQL,
  type Subquery,
  sql,
} from "drizzle-orm";
import { type AnyPgColumn, alias } from "drizzle-orm/pg-core";
import { among, isOneOf, list, opaque } from "../../../db/kit.ts";
import { count_lines, counts } from "../../../db/schema/counts.ts";
import { packing_sessions, print_jobs } from "../../../db/schema/floor.ts";
import { lots, stock_items } from "../../../db/schema/inventory.ts";
import { order_holds, orders } from "../../../db/schema/orders.ts";
import { platform_reports } from "../../../db/schema/platform_reports.ts";
import { platform_listings } from "../../../db/schema/platform_stock.ts";
import { platform_connections, platform_imports } from "../../../db/schema/platforms.ts";
import { products } from "../../../db/schema/products.ts";
import { returns } from "../../../db/schema/returns.ts";
import { labels } from "../../../db/schema/shipments.ts";
import { subscriptions } from "../../../db/schema/webhooks.ts";
import type { IdNoun } from "../../core/ids.ts";
import { day_ms } from "../../core/time.ts";
import { countTransitions, lotTransitions } from "../../inventory/inventory.transitions.ts";
import { countRestockTasks, listRestockTasks } from "../../inventory/receiving/restock_tasks.sql.ts";
import { localDays } from "../../inventory/warehouses/warehouses.sql.ts";
import { type HoldReason, openStatuses } from "../../orders/order.transitions.ts";
import {
  importTransitions,
  shipmentUpdateTransitions,
  stockTransitions,
} from "../../platforms/platforms.transitions.ts";
import { returnTransitions } from "../../returns/return.transitions.ts";
import { labelTransitions } from "../../shipping/labels/label.transitions.ts";
import type { Db, ReadStatements } from "../../storage/database.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import { failingSince, isFailing } from "../../webhooks/subscriptions/subscriptions.sql.ts";
import { printJobTransitions } from "../floor.transitions.ts";
import type { Exception, ExceptionKind } from "./exception.ts";

/** Lots that expire within this many days need a person. */
const expiring_days = 30;

/** Which exceptions are listed. */
export interface ExceptionFilter {
  /** Null for all warehouses, and records of none. */
  readonly warehouse_ids: readonly number[] | null;
  /** Only exceptions whose cause began before this moment (ms). */
  readonly before: number;
  readonly newest_first: boolean;
}

/** A window of a source: exceptions beyond a position, in the order of the list. */
interface SourceWindow extends ExceptionFilter {
  readonly since: number;
  readonly id: number;
  readonly limit: number;
}

/** Where exceptions come from. */
interface ExceptionSource {
  readonly kind: ExceptionKind;
  /** The noun of their ids. */
  readonly noun: IdNoun;
  readonly rows: (db: Db, window: SourceWindow) => Promise<readonly Exception[]>;
  readonly count: (db: Db, filter: ExceptionFilter) => Promise<number>;
}

/** The parameters of each source: `anywhere` is 1 for all warehouses. `today` is in days since 1970-01-01. */
type SourceArgs = StatementArgs<{ anywhere: number; warehouse_ids: string; before: number; today: number }>;
type WindowArgs = SourceArgs & StatementArgs<{ since: number; id: number; limit: number }>;

const shown = {
  id: sql<number>`found.id`.mapWith(Number),
  since: sql<number>`found.since`.mapWith(Number),
  merchant_id: sql<number | null>`found.merchant_id`.mapWith(Number),
  warehouse_id: sql<number | null>`found.warehouse_id`.mapWith(Number),
  order_id: sql<number | null>`found.order_id`.mapWith(Number),
  parent_id: sql<number | null>`found.parent_id`.mapWith(Number),
  name: sql<string>`found.name`,
  number: sql<number | null>`found.number`.mapWith(Number),
  detail: sql<string | null>`found.detail`,
};

const parameter = (value: SQL) => sql`cast(${value} as bigint)`;

/** The columns of a source; those that it does not name are null. */
function columns(of: { readonly [Name in keyof Exception]?: SQL | { getSQL(): SQL } }) {
  const all = Object.keys(shown) as (keyof Exception)[];
  const found = all.map((name) => [name, sql`${of[name] ?? sql`null`}`.as(name)]);
  return Object.fromEntries(found) as Record<string, SQL.Aliased>;
}

/** Condition: a record is in one of the requested warehouses. Without a column it is in none. */
const isIn = (a: SourceArgs, warehouse_id?: SQL | { getSQL(): SQL }) =>
  warehouse_id === undefined
    ? sql`${parameter(a.anywhere)} = 1`
    : sql`(${parameter(a.anywhere)} = 1 or ${among(warehouse_id, a.warehouse_ids)})`;

/** Declares a source by a query that names its rows `found`. */
function source(
  kind: ExceptionKind,
  noun: IdNoun,
  found: (select: ReadStatements, a: SourceArgs) => Subquery,
): ExceptionSource {
  const page = (direction: "asc" | "desc", beyond: SQL) =>
    prepared((select, a: WindowArgs) =>
      select
        .select(shown)
        .from(found(select, a))
        .where(
          and(
            sql`(found.since, found.id) ${beyond} (${parameter(a.since)}, ${parameter(a.id)})`,
            sql`found.since < ${parameter(a.before)}`,
          ),
        )
        .orderBy(sql.raw(`found.since ${direction}, found.id ${direction}`))
        .limit(opaque(a.limit)),
    );
  const [oldest, newest] = [page("asc", sql.raw(">")), page("desc", sql.raw("<"))];
  const counted = prepared((select, a: SourceArgs) =>
    select
      .select({ count: sql<number>`count(*)`.mapWith(Number) })
      .from(found(select, a))
      .where(sql`found.since < ${parameter(a.before)}`),
  );
  const argsOf = async (db: Db, { warehouse_ids, before }: ExceptionFilter) => {
    const { first: today } = await localDays(db);
    const anywhere = warehouse_ids === null ? 1 : 0;
    return { anywhere, warehouse_ids: list(warehouse_ids ?? []), before, today };
  };
  return {
    kind,
    noun,
    rows: async (db, { since, id, limit, ...filter }) =>
      (filter.newest_first ? newest : oldest)(db, { ...(await argsOf(db, filter)), since, id, limit }),
    count: async (db, filter) => {
      const [row] = await counted(db, await argsOf(db, filter));
      return row?.count ?? 0;
    },
  };
}

const ofOrder = {
  merchant_id: orders.merchant_id,
  warehouse_id: orders.warehouse_id,
  order_id: orders.id,
  name: orders.order_number,
};
const isOrderOpen = isOneOf(orders.status, openStatuses);

/** Holds that no timer ends, by their reasons. */
const heldFor = (kind: ExceptionKind, reason: (column: typeof order_holds.reason) => SQL) =>
  source(kind, "hold", (select, a) => {
    const { id, order_id, reason: column, created_at, released_at, hold_until } = order_holds;
    return select
      .select(columns({ ...ofOrder, id, since: created_at, detail: column }))
      .from(order_holds)
      .innerJoin(orders, eq(orders.id, order_id))
      .where(and(isNull(released_at), isNull(hold_until), reason(column), isIn(a, orders.warehouse_id)))
      .as("found");
  });

// Each is a kind of its own. Nobody resolves the holds of a suspended merchant's orders one by one.
const own_kinds = ["short_pick", "carrier_discrepancy"] as const satisfies HoldReason[];
const other_holds = [...own_kinds, "merchant_suspended"] as const satisfies HoldReason[];

const one = sql`1`;
const next_labels = alias(labels as never, "next_labels") as unknown as typeof labels;
const next_jobs = alias(print_jobs as never, "next_jobs") as unknown as typeof print_jobs;

const failedLabels = source("failed_label", "label", (select, a) => {
  const { id, order_id, created_at, status, error_message, error_code } = labels;
  // A failure is over once another attempt followed, or the order shipped without the label.
  const isNext = and(
    eq(next_labels.order_id, order_id),
    gt(next_labels.id, id),
    sql`(${next_labels.return_id} is null) = (${labels.return_id} is null)`,
  );
  // The packing session of its parcel is shown instead.
  const isShown = and(
    eq(packing_sessions.order_id, order_id),
    eq(packing_sessions.shipment_id, labels.shipment_id),
    isNotNull(packing_sessions.label_error),
  );
  return select
    .select(columns({ ...ofOrder, id, since: created_at, detail: sql`coalesce(${error_message}, ${error_code})` }))
    .from(labels)
    .innerJoin(orders, eq(orders.id, order_id))
    .where(
      and(
        isOneOf(status, [labelTransitions.fail.to]),
        isIn(a, orders.warehouse_id),
        or(isNotNull(labels.return_id), isOrderOpen),
        notExists(select.select({ one }).from(next_labels).where(isNext)),
        notExists(select.select({ one }).from(packing_sessions).where(isShown)),
      ),
    )
    .as("found");
});

const unlabelledParcels = source("failed_label", "packing_session", (select, a) => {
  const { id, order_id, closed_at, label_error } = packing_sessions;
  return select
    .select(columns({ ...ofOrder, id, since: closed_at, detail: label_error }))
    .from(packing_sessions)
    .innerJoin(orders, eq(orders.id, order_id))
    .where(and(isNotNull(label_error), isNotNull(closed_at), isOrderOpen, isIn(a, packing_sessions.warehouse_id)))
    .as("found");
});

const failedPrints = source("failed_print", "print_job", (select, a) => {
  const { id, order_id, kind, status, updated_at, error } = print_jobs;
  // It is over once it was printed again, or its order has left.
  const isNext = and(
    eq(next_jobs.order_id, order_id),
    gt(next_jobs.id, id),
    eq(next_jobs.kind, kind),
    sql`coalesce(${next_jobs.shipment_id}, 0) = coalesce(${print_jobs.shipment_id}, 0)`,
  );
  return select
    .select(columns({ ...ofOrder, id, since: updated_at, detail: error }))
    .from(print_jobs)
    .innerJoin(orders, eq(orders.id, order_id))
    .where(
      and(
        isOneOf(status, [printJobTransitions.fail.to]),
        isOrderOpen,
        isIn(a, orders.warehouse_id),
        notExists(select.select({ one }).from(next_jobs).where(isNext)),
      ),
    )
    .as("found");
});

const ofConnection = { merchant_id: platform_connections.merchant_id, parent_id: platform_connections.id };
const isConnected = (connection_id: AnyPgColumn) =>
  and(eq(platform_connections.id, connection_id), isNull(platform_connections.deleted_at));

const failedImports = source("failed_import", "import", (select, a) => {
  const { id, connection_id, external_id, status, updated_at, error_message, error_code } = platform_imports;
  const detail = sql`coalesce(${error_message}, ${error_code})`;
  return select
    .select(columns({ ...ofConnection, id, since: updated_at, name: external_id, detail }))
    .from(platform_imports)
    .innerJoin(platform_connections, isConnected(connection_id))
    .where(and(isOneOf(status, [importTransitions.give_up.to]), isIn(a)))
    .as("found");
});

const failedReports = source("failed_report", "report", (select, a) => {
  const { id, order_id, connection_id, status, updated_at, error_message, error_code } = platform_reports;
  const detail = sql`coalesce(${error_message}, ${error_code})`;
  return select
    .select(columns({ ...ofOrder, parent_id: connection_id, id, since: updated_at, detail }))
    .from(platform_reports)
    .innerJoin(orders, eq(orders.id, order_id))
    .innerJoin(platform_connections, isConnected(connection_id))
    .where(and(isOneOf(status, [shipmentUpdateTransitions.give_up.to]), isIn(a, orders.warehouse_id)))
    .as("found");
});

const failedStockPushes = source("failed_stock_push", "listing", (select, a) => {
  const { id, connection_id, name, sku, status, updated_at, error_message, error_code } = platform_listings;
  const detail = sql`coalesce(${error_message}, ${error_code})`;
  return select
    .select(columns({ ...ofConnection, id, since: updated_at, name: sql`coalesce(${sku}, ${name})`, detail }))
    .from(platform_listings)
    .innerJoin(platform_connections, isConnected(connection_id))
    .where(and(isOneOf(status, [stockTransitions.give_up.to]), isIn(a)))
    .as("found");
});

const failingWebhooks = source("failing_webhook", "subscription", (select, a) => {
  const { id, merchant_id, url, status } = subscriptions;
  return select
    .select(columns({ id, merchant_id, since: failingSince, name: url, detail: status }))
    .from(subscriptions)
    .where(and(isFailing, isIn(a)))
    .as("found");
});

const expiringLots = source("expiring_lot", "lot", (select, a) => {
  const { id, merchant_id, lot_number, expires_on, product_id, status } = lots;
  const days = sql.raw(String(expiring_days));
  const since = sql`(${expires_on} - ${days}) * ${sql.raw(String(day_ms))}`;
  const stock = select
    .select({ one })
    .from(stock_items)
    .where(and(eq(stock_items.lot_id, id), sql`${stock_items.on_hand} > 0`, isIn(a, stock_items.warehouse_id)));
  return select
    .select(
      columns({ id, merchant_id, since, name: sql`${products.sku} || ' · ' || ${lot_number}`, number: expires_on }),
    )
    .from(lots)
    .innerJoin(products, eq(products.id, product_id))
    .where(
      and(
        isOneOf(status, lotTransitions.expire.from),
        isNotNull(expires_on),
        gte(expires_on, parameter(a.today)),
        lt(expires_on, sql`${parameter(a.today)} + ${days} + 1`),
        exists(stock),
      ),
    )
    .as("found");
});

const uninspectedReturns = source("return_inspection", "return", (select, a) => {
  const { id, order_id, status, received_at } = returns;
  return select
    .select(columns({ ...ofOrder, id, since: received_at }))
    .from(returns)
    .innerJoin(orders, eq(orders.id, order_id))
    .where(and(isOneOf(status, [returnTransitions.receive.to]), isNotNull(received_at), isIn(a, orders.warehouse_id)))
    .as("found");
});

const reviewedCounts = source("count_review", "count", (select, a) => {
  const { id, warehouse_id, notes, status, reviewed_at } = counts;
  // A count may include products of several merchants.
  const { count_id, product_id, counted, expected } = count_lines;
  const differing = select
    .select({ one })
    .from(count_lines)
    .innerJoin(products, eq(products.id, product_id))
    .where(and(eq(count_id, id), ne(counted, expected)));
  return select
    .select(columns({ id, warehouse_id, since: reviewed_at, name: sql`coalesce(${notes}, '')` }))
    .from(counts)
    .where(
      and(
        isOneOf(status, [countTransitions.review.to]),
        isNotNull(reviewed_at),
        isIn(a, warehouse_id),
        exists(differing),
      ),
    )
    .as("found");
});

/** Units that wait to be put back follow from the ledger. */
const restockTasks: ExceptionSource = {
  kind: "putback",
  noun: "movement",
  rows: async (db, { since, id, limit, ...filter }) => {
    const window = { limit, offset: 0, after: [since, id] as const };
    const tasks = await listRestockTasks(db, restockFilter(filter), window, filter.newest_first);
    return tasks.map((task) => ({
      ...{ id: task.id, since: task.since, merchant_id: task.merchant_id, warehouse_id: task.warehouse_id },
      ...{ order_id: task.order_id, parent_id: null, name: task.sku, number: task.quantity, detail: task.bin },
    }));
  },
  count: (db, filter) => countRestockTasks(db, restockFilter(filter)),
};

const restockFilter = ({ warehouse_ids, before }: ExceptionFilter) => ({
  created_before: before,
  ...(warehouse_ids !== null && { warehouse_ids }),
});

/** All sources. Exceptions that began at the same moment are listed in this order. */
export const exceptionSources: readonly ExceptionSource[] = [
  ...own_kinds.map((reason) => heldFor(reason, (column) => isOneOf(column, [reason]))),
  heldFor("hold", (column) => not(isOneOf(column, other_holds))),
  ...[restockTasks, failedLabels, unlabelledParcels, failedPrints, failedImports, failedReports, failedStockPushes],
  ...[failingWebhooks, expiringLots, uninspectedReturns, reviewedCounts],
];
