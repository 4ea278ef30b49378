// Open tasks. Each kind is one query over a partial index of pending records, limited to `counted_max` rows.

import { and, eq, exists, gt, gte, isNotNull, isNull, lt, ne, type SQL, type Subquery, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { isOneOf, opaque } from "../../../db/kit.ts";
import { count_lines, counts } from "../../../db/schema/counts.ts";
import { lots, stock_items } from "../../../db/schema/inventory.ts";
import { api_keys } from "../../../db/schema/keys.ts";
import { order_counts, order_holds, orders } from "../../../db/schema/orders.ts";
import { platform_reports } from "../../../db/schema/platform_reports.ts";
import { platform_connections, platform_imports } from "../../../db/schema/platforms.ts";
import { products } from "../../../db/schema/products.ts";
import { receipt_lines, receipts } from "../../../db/schema/receipts.ts";
import { reservation_lines, reservations } from "../../../db/schema/reservations.ts";
import { labels } from "../../../db/schema/shipments.ts";
import { subscriptions } from "../../../db/schema/webhooks.ts";
import { day_ms } from "../../core/time.ts";
import { countTransitions, lotTransitions, receiptTransitions } from "../../inventory/inventory.transitions.ts";
import { dayIn, type LocalDays } from "../../inventory/warehouses/warehouses.sql.ts";
import { type HoldReason, openStatuses, orderTransitions } from "../../orders/order.transitions.ts";
import { importTransitions, shipmentUpdateTransitions } from "../../platforms/platforms.transitions.ts";
import { labelTransitions } from "../../shipping/labels/label.transitions.ts";
import type { Db, ReadStatements } from "../../storage/database.ts";
import { isParentVisible } from "../../storage/scope.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import { failingSince, isFailing } from "../../webhooks/subscriptions/subscriptions.sql.ts";

/** The limit up to which a topic is counted. */
export const counted_max = 10_000;
/** The number of records that a topic shows. */
export const samples_max = 3;

/** A record of a topic. `count` is the number of rows in total. */
export interface TopicRecord {
  readonly id: number;
  /** Null for the operator's records; absent for records that merchants share. */
  readonly merchant_id?: number | null;
  readonly name: string;
  readonly at: number | null;
  readonly count: number;
}

/** The most rows to read. It is a parameter because the query plan must not depend on it. */
type UpTo = StatementArgs<{ up_to: number }>;
const merchant_id = sql<number | null>`found.merchant_id`.mapWith(Number);
const connection_id = sql<number>`found.connection_id`.mapWith(Number);
const quantity = sql<number>`found.quantity`.mapWith(Number);
const id = sql<number>`found.id`.mapWith(Number);
const name = sql<string>`found.name`;
const at = sql<number | null>`found.at`.mapWith(Number);
const count = sql<number>`count(*) over ()`.mapWith(Number);

type TopicColumns = Readonly<Record<string, SQL<unknown>>>;
type TopicValues<Columns> = { readonly [K in keyof Columns]: Columns[K] extends SQL<infer Value> ? Value : never };

/** Declares a topic by a query that names its rows `found`. The topic returns the oldest of them. */
function topic<Columns extends TopicColumns, A = object>(
  columns: Columns,
  found: (select: ReadStatements, a: UpTo & StatementArgs<A>) => SQL | Subquery,
) {
  const oldest = prepared((select, a: StatementArgs<{ up_to: number } & A>) =>
    select
      .select({ id, name, at, count, ...(columns as TopicColumns) })
      .from(found(select, a as UpTo & StatementArgs<A>))
      .orderBy(sql`found.at`, sql`found.id`)
      .limit(samples_max),
  );
  return async (db: Db, values?: A) => {
    const rows = await oldest(db, { up_to: counted_max, ...(values as A) });
    return rows as unknown as (TopicRecord & TopicValues<Columns>)[];
  };
}

const openHolds = (select: ReadStatements, a: UpTo) => {
  const { id, order_id, reason, created_at, released_at } = order_holds;
  const h = select
    .select({ id, order_id, reason, created_at })
    .from(order_holds)
    .where(and(isNull(released_at), isParentVisible(select, orders, order_id)))
    .orderBy(order_id)
    .limit(opaque(a.up_to))
    .as("h");
  return sql`(
    select h.reason, h.order_id, h.created_at as at, count(*) over (partition by h.reason) as count,
      row_number() over (partition by h.reason order by h.created_at, h.id) as place
    from ${h}
  ) as found`;
};
const holds = prepared((select, a: UpTo) =>
  select
    .select({
      reason: sql<HoldReason>`found.reason`,
      id: orders.id,
      merchant_id: orders.merchant_id,
      name: orders.order_number,
      at: sql<number>`found.at`.mapWith(Number),
      count: sql<number>`found.count`.mapWith(Number),
    })
    .from(openHolds(select, a))
    .innerJoin(orders, sql`${orders.id} = found.order_id`)
    .where(sql`found.place <= ${sql.raw(String(samples_max))}`)
    .orderBy(sql`found.reason`, sql`found.place`),
);

/** The oldest open holds of each reason. */
export async function findHolds(db: Db): Promise<(TopicRecord & { readonly reason: HoldReason })[]> {
  return holds(db, { up_to: counted_max });
}

/** The oldest orders that wait for stock, with the number of missing units. */
export const findBackorders = topic({ merchant_id, quantity }, (select, a) => {
  const { reservation_id, wanted, reserved } = reservation_lines;
  const l = select
    .select({ reservation_id, wanted, reserved })
    .from(reservation_lines)
    .where(lt(reserved, wanted))
    .limit(opaque(a.up_to))
    .as("l");
  return sql`(
    select o.id, o.merchant_id, o.order_number as name, o.created_at as at,
      sum(l.wanted - l.reserved) as quantity
    from ${l}
    join ${reservations} r on r.id = l.reservation_id
    join ${orders} o on o.id = r.order_id
    group by o.id, o.merchant_id, o.order_number, o.created_at
  ) as found`;
});

/** The oldest failed labels without another attempt. */
export const findFailedLabels = topic({ merchant_id }, (select, a) => {
  // A failure no longer counts once another attempt followed or the order shipped without the label.
  const { id, order_id, return_id, created_at, status } = labels;
  const l = select
    .select({ id, order_id, return_id, created_at })
    .from(labels)
    // The condition on created_at is always true. It makes SQLite use the index of failed labels.
    .where(and(isOneOf(status, [labelTransitions.fail.to]), sql`${created_at} > 0`))
    .orderBy(created_at)
    .limit(opaque(a.up_to))
    .as("l");
  return sql`(
    select l.id, o.merchant_id, o.order_number as name, l.created_at as at
    from ${l}
    join ${orders} o on o.id = l.order_id
    where (l.return_id is not null or ${isOneOf(sql`o.status`, openStatuses)})
      and not exists (
        select 1 from ${labels} n
        where n.order_id = l.order_id and n.id > l.id and (n.return_id is null) = (l.return_id is null)
      )
  ) as found`;
});

/** The oldest platform orders that could not be imported. */
export const findFailedImports = topic({ merchant_id, connection_id }, (select, a) => {
  const { id, external_id, connection_id, updated_at, status } = platform_imports;
  const i = select
    .select({ id, external_id, connection_id, updated_at })
    .from(platform_imports)
    .where(isOneOf(status, [importTransitions.give_up.to]))
    .orderBy(updated_at)
    .limit(opaque(a.up_to))
    .as("i");
  return sql`(
    select i.id, c.merchant_id, i.external_id as name, i.updated_at as at, i.connection_id
    from ${i}
    join ${platform_connections} c on c.id = i.connection_id and c.deleted_at is null
  ) as found`;
});

/** The oldest parcels that could not be reported to their platforms. */
export const findFailedReports = topic({ merchant_id, connection_id }, (select, a) => {
  const { id, order_id, connection_id, updated_at, status } = platform_reports;
  const r = select
    .select({ id, order_id, connection_id, updated_at })
    .from(platform_reports)
    .where(and(isOneOf(status, [shipmentUpdateTransitions.give_up.to]), isParentVisible(select, orders, order_id)))
    .orderBy(updated_at)
    .limit(opaque(a.up_to))
    .as("r");
  return sql`(
    select r.id, o.merchant_id, o.order_number as name, r.updated_at as at, r.connection_id
    from ${r}
    join ${orders} o on o.id = r.order_id
    join ${platform_connections} c on c.id = r.connection_id and c.deleted_at is null
  ) as found`;
});

/** The subscriptions whose receivers fail, and those that were disabled for it. */
export const findFailingWebhooks = topic({ merchant_id }, (select) => {
  const { id, merchant_id, url } = subscriptions;
  return select
    .select({
      id,
      merchant_id,
      name: sql`${url}`.as("name"),
      at: failingSince.as("at"),
    })
    .from(subscriptions)
    .where(isFailing)
    .as("found");
});

/** Counts in review, with the number of lines that differ. */
export const findDifferences = topic({ quantity }, (select) => {
  // A count may include stock of several merchants.
  const { count_id, product_id, counted, expected } = count_lines;
  const isMine = isParentVisible(select, products, product_id);
  const l = select
    .select({ count_id })
    .from(count_lines)
    .where(and(ne(counted, expected), isMine))
    .as("l");
  return sql`(
    select c.id, coalesce(c.notes, '') as name, c.reviewed_at as at, count(*) as quantity
    from ${counts} c join ${l} on l.count_id = c.id
    where ${isOneOf(sql`c.status`, [countTransitions.review.to])}
    group by c.id, c.notes, c.reviewed_at
  ) as found`;
});

const outstanding = sql`(
  select coalesce(sum(${receipt_lines.outstanding}), 0) from ${receipt_lines}
  where ${receipt_lines.receipt_id} = ${receipts.id}
)`;
/** Open receipts expected from `since` until `until` (ms), with the number of units still to come. */
export const findReceipts = topic(
  { merchant_id, quantity },
  (select, a: StatementArgs<{ since: number; until: number }>) => {
    const { id, merchant_id, reference, supplier, expected_at, status } = receipts;
    return select
      .select({
        id,
        merchant_id,
        name: sql`coalesce(${reference}, ${supplier}, '')`.as("name"),
        at: sql`${expected_at}`.as("at"),
        quantity: sql`${outstanding}`.as("quantity"),
      })
      .from(receipts)
      .where(and(isOneOf(status, receiptTransitions.close.from), gte(expected_at, a.since), lt(expected_at, a.until)))
      .as("found");
  },
);

/** The range of last sale days, and the current days of the warehouses. */
interface LastDays {
  readonly days: LocalDays;
  /** The end of the range, exclusive. */
  readonly before: number;
}

const expiring = (select: ReadStatements, { days, before }: LastDays) => {
  const { id, lot_number, expires_on, product_id, status } = lots;
  return select
    .select({
      id,
      name: sql`${lot_number}`.as("name"),
      // The last millisecond of the date, as everywhere else.
      at: sql`(${expires_on} + 1) * ${sql.raw(String(day_ms))} - 1`.as("at"),
      product_id,
      quantity: sql`sum(${stock_items.on_hand})`.as("quantity"),
    })
    .from(lots)
    .innerJoin(stock_items, and(eq(stock_items.lot_id, id), gt(stock_items.on_hand, 0)))
    .where(
      and(
        isOneOf(status, lotTransitions.expire.from),
        isNotNull(expires_on),
        gte(expires_on, dayIn(days, stock_items.warehouse_id)),
        gte(expires_on, days.first),
        lt(expires_on, before),
      ),
    )
    .groupBy(id, lot_number, expires_on, product_id)
    .as("found");
};

/** The lots with units on hand whose last day is before `before`, soonest first. */
export async function findExpiringLots(
  db: Db,
  last_days: LastDays,
): Promise<(TopicRecord & { readonly quantity: number; readonly sku: string })[]> {
  return db.sql
    .select({ id, merchant_id: products.merchant_id, name, at, quantity, sku: products.sku, count })
    .from(expiring(db.sql, last_days))
    .innerJoin(products, sql`${products.id} = found.product_id`)
    .orderBy(sql`found.at`, sql`found.id`)
    .limit(samples_max);
}

const hasShipped = isOneOf(order_counts.status, [orderTransitions.ship.to, orderTransitions.deliver.to]);
const steps = prepared((select) => {
  // Takes the first row from an index by merchant: any other index may pass many rows of other merchants.
  const has = (table: PgTable, where?: SQL) =>
    exists(select.select({ one: sql`1` }).from(table).where(where)).mapWith(Boolean);
  return select
    .select({
      product: has(products),
      stock: has(stock_items),
      order: has(orders),
      shipped_order: has(order_counts, and(hasShipped, gt(order_counts.number, 0))),
      used_key: has(api_keys, isNotNull(api_keys.last_used_at)),
    })
    .from(sql`(select 1) as one`);
});

/** Setup steps that have been done at least once in this environment. */
export async function findSteps(db: Db): Promise<{
  readonly product: boolean;
  readonly stock: boolean;
  readonly order: boolean;
  readonly shipped_order: boolean;
  readonly used_key: boolean;
}> {
  const [row] = await steps(db, {});
  return row ?? { product: false, stock: false, order: false, shipped_order: false, used_key: false };
}
