// What waits for somebody: each kind is one query over an index of what waits alone, and no further than `counted_max`.
import { sql } from "drizzle-orm";
import { isOneOf } from "../../../../db/kit.ts";
import { count_lines, counts } from "../../../../db/schema/counts.ts";
import { lots, movements, stock_items } from "../../../../db/schema/inventory.ts";
import { api_keys } from "../../../../db/schema/keys.ts";
import { order_holds, orders } from "../../../../db/schema/orders.ts";
import { platform_reports } from "../../../../db/schema/platform_reports.ts";
import { platform_connections, platform_imports } from "../../../../db/schema/platforms.ts";
import { products } from "../../../../db/schema/products.ts";
import { receipt_lines, receipts } from "../../../../db/schema/receipts.ts";
import { reservation_lines, reservations } from "../../../../db/schema/reservations.ts";
import { labels } from "../../../../db/schema/shipments.ts";
import { subscriptions } from "../../../../db/schema/webhooks.ts";
import { type Args, prepared } from "../../../database/statements.ts";
import type { Db } from "../../../database/store.ts";
import { countMoves } from "../../../inventory/counts/status.ts";
import { lotMoves } from "../../../inventory/lots/status.ts";
import { receiptMoves } from "../../../inventory/receipts/status.ts";
import { type HoldReason, openStatuses, orderMoves } from "../../../orders/status.ts";
import { reportMoves } from "../../../platforms/reports/status.ts";
import { importMoves } from "../../../platforms/status.ts";
import { labelMoves } from "../../../shipping/labels/status.ts";
import { subscriptionMoves } from "../../../webhooks/status.ts";

/** How far a topic is counted. */
export const counted_max = 10_000;
/** How many of a topic are named. */
export const samples_max = 3;

/** One of what waits, as a row; `count` says how many rows there are in all. */
export interface Waiting {
  readonly id: number;
  readonly name: string;
  readonly at: number | null;
  readonly count: number;
}

const all = sql<number>`count(*) over ()`.mapWith(Number);
const up_to = sql.raw(String(counted_max));
const few = samples_max;
const at = sql<number | null>`found.at`.mapWith(Number);
const name = sql<string>`found.name`;
const id = sql<number>`found.id`.mapWith(Number);
const quantity = sql<number>`found.quantity`.mapWith(Number);

const hasStatus = (status: string) => isOneOf(sql`status`, [status]);

const open_holds = sql`(
  select h.reason, h.order_id, h.created_at as at, count(*) over (partition by h.reason) as count,
    row_number() over (partition by h.reason order by h.created_at, h.id) as place
  from (select id, order_id, reason, created_at from ${order_holds} where released_at is null limit ${up_to}) as h
) as found`;
const holds = prepared((select) =>
  select
    .select({
      reason: sql<HoldReason>`found.reason`,
      id: orders.id,
      name: orders.order_number,
      at: sql<number>`found.at`.mapWith(Number),
      count: sql<number>`found.count`.mapWith(Number),
    })
    .from(open_holds)
    .innerJoin(orders, sql`${orders.id} = found.order_id`)
    .where(sql`found.place <= ${sql.raw(String(samples_max))}`)
    .orderBy(sql`found.reason`, sql`found.place`),
);

/** The oldest open holds of each reason. */
export async function findHolds(db: Db): Promise<(Waiting & { readonly reason: HoldReason })[]> {
  return holds(db, {});
}

const short_orders = sql`(
  select o.id, o.order_number as name, o.created_at as at,
    sum(l.wanted - l.reserved) as quantity
  from (select reservation_id, wanted, reserved from ${reservation_lines} where reserved < wanted limit ${up_to}) as l
  join ${reservations} r on r.id = l.reservation_id
  join ${orders} o on o.id = r.order_id
  group by o.id, o.order_number, o.created_at
) as found`;
const backorders = prepared((select) =>
  select
    .select({ id, name, at, quantity, count: all })
    .from(short_orders)
    .orderBy(sql`found.at`, sql`found.id`)
    .limit(few),
);

/** The oldest orders that wait for stock, and for how many units. */
export async function findBackorders(db: Db): Promise<(Waiting & { readonly quantity: number })[]> {
  return backorders(db, {});
}

// A failure that another try followed is over; so is one of an order that has left without it.
const failed_labels = sql`(
  select l.id, o.order_number as name, l.created_at as at
  from (select * from ${labels} where ${hasStatus(labelMoves.fail.to)} order by created_at limit ${up_to}) as l
  join ${orders} o on o.id = l.order_id
  where (l.return_id is not null or ${isOneOf(sql`o.status`, openStatuses)})
    and not exists (
      select 1 from ${labels} n
      where n.order_id = l.order_id and n.id > l.id and (n.return_id is null) = (l.return_id is null)
    )
) as found`;
const failedLabels = prepared((select) =>
  select.select({ id, name, at, count: all }).from(failed_labels).orderBy(sql`found.at`, sql`found.id`).limit(few),
);

/** The oldest labels that could not be bought and that nobody tried again. */
export async function findFailedLabels(db: Db): Promise<Waiting[]> {
  return failedLabels(db, {});
}

const failed_imports = sql`(
  select i.id, i.external_id as name, i.updated_at as at, i.connection_id
  from (
    select * from ${platform_imports} where ${hasStatus(importMoves.give_up.to)} order by updated_at limit ${up_to}
  ) as i
  join ${platform_connections} c on c.id = i.connection_id and c.deleted_at is null
) as found`;
const connection_id = sql<number>`found.connection_id`.mapWith(Number);
const failedImports = prepared((select) =>
  select
    .select({ id, name, at, connection_id, count: all })
    .from(failed_imports)
    .orderBy(sql`found.at`, sql`found.id`)
    .limit(few),
);

/** The oldest orders of platforms that could not be imported. */
export async function findFailedImports(db: Db): Promise<(Waiting & { readonly connection_id: number })[]> {
  return failedImports(db, {});
}

const failed_reports = sql`(
  select r.id, o.order_number as name, r.updated_at as at, r.connection_id
  from (
    select * from ${platform_reports} where ${hasStatus(reportMoves.give_up.to)} order by updated_at limit ${up_to}
  ) as r
  join ${orders} o on o.id = r.order_id
  join ${platform_connections} c on c.id = r.connection_id and c.deleted_at is null
) as found`;
const failedReports = prepared((select) =>
  select
    .select({ id, name, at, connection_id, count: all })
    .from(failed_reports)
    .orderBy(sql`found.at`, sql`found.id`)
    .limit(few),
);

/** The oldest parcels that could not be reported to their platforms. */
export async function findFailedReports(db: Db): Promise<(Waiting & { readonly connection_id: number })[]> {
  return failedReports(db, {});
}

const failing = sql`(
  select id, url as name, coalesce(failing_since, updated_at) as at from ${subscriptions}
  where deleted_at is null and (${hasStatus(subscriptionMoves.fail.to)}
      or ${hasStatus(subscriptionMoves.disable.to)} and disabled_reason is not null)
) as found`;
const failingWebhooks = prepared((select) =>
  select.select({ id, name, at, count: all }).from(failing).orderBy(sql`found.at`, sql`found.id`).limit(few),
);

/** The subscriptions whose receivers fail, and those that were disabled for it. */
export async function findFailingWebhooks(db: Db): Promise<Waiting[]> {
  return failingWebhooks(db, {});
}

const differing = sql`(
  select c.id, coalesce(c.notes, '') as name, c.reviewed_at as at, count(*) as quantity
  from ${counts} c join ${count_lines} l on l.count_id = c.id and l.counted <> l.expected
  where ${isOneOf(sql`c.status`, [countMoves.review.to])}
  group by c.id, c.notes, c.reviewed_at
) as found`;
const differences = prepared((select) =>
  select
    .select({ id, name, at, quantity, count: all })
    .from(differing)
    .orderBy(sql`found.at`, sql`found.id`)
    .limit(few),
);

/** The counts under review that found a difference, and on how many lines. */
export async function findDifferences(db: Db): Promise<(Waiting & { readonly quantity: number })[]> {
  return differences(db, {});
}

const due = (a: Args<{ since: number; until: number }>) => sql`(
  select r.id, coalesce(r.reference, r.supplier, '') as name, r.expected_at as at,
    (select coalesce(sum(l.outstanding), 0) from ${receipt_lines} l where l.receipt_id = r.id) as quantity
  from ${receipts} r
  where ${isOneOf(sql`r.status`, receiptMoves.close.from)}
    and r.expected_at >= ${a.since} and r.expected_at < ${a.until}
) as found`;
const receiptsDue = prepared((select, a: Args<{ since: number; until: number }>) =>
  select.select({ id, name, at, quantity, count: all }).from(due(a)).orderBy(sql`found.at`, sql`found.id`).limit(few),
);

/** The deliveries that are expected in a time (ms) and not done with, and how many units of each are still to come. */
export async function findReceipts(
  db: Db,
  since: number,
  until: number,
): Promise<(Waiting & { readonly quantity: number })[]> {
  return receiptsDue(db, { since, until });
}

const expiring = (a: Args<{ now: number; until: number }>) => sql`(
  select l.id, l.lot_number as name, l.expiration_date as at, l.product_id, sum(s.on_hand) as quantity
  from ${lots} l join ${stock_items} s on s.lot_id = l.id and s.on_hand > 0
  where ${isOneOf(sql`l.status`, lotMoves.expire.from)}
    and l.expiration_date is not null and l.expiration_date > ${a.now}
    and l.expiration_date <= ${a.until}
  group by l.id, l.lot_number, l.expiration_date, l.product_id
) as found`;
const expiringLots = prepared((select, a: Args<{ now: number; until: number }>) =>
  select
    .select({ id, name, at, quantity, sku: products.sku, count: all })
    .from(expiring(a))
    .innerJoin(products, sql`${products.id} = found.product_id`)
    .orderBy(sql`found.at`, sql`found.id`)
    .limit(few),
);

/** The lots with units on hand that expire next, up to a moment (ms). */
export async function findExpiringLots(
  db: Db,
  until: number,
): Promise<(Waiting & { readonly quantity: number; readonly sku: string })[]> {
  return expiringLots(db, { now: db.now, until });
}

const hasShipped = isOneOf(orders.status, [orderMoves.ship.to, orderMoves.deliver.to]);
const steps = prepared((select) =>
  select
    .select({
      product: sql`exists (select 1 from ${products})`.mapWith(Boolean),
      stock: sql`exists (select 1 from ${movements})`.mapWith(Boolean),
      order: sql`exists (select 1 from ${orders})`.mapWith(Boolean),
      shipped_order: sql`exists (select 1 from ${orders} where ${hasShipped})`.mapWith(Boolean),
      used_key: sql`exists (select 1 from ${api_keys} where ${api_keys.last_used_at} is not null)`.mapWith(Boolean),
    })
    .from(sql`(select 1) as one`),
);

/** What has been done in this store at least once. */
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
