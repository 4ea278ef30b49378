// The queries of access exports. They read the same kinds of records that an erasure erases.
import { and, asc, eq, getTableColumns, gt, inArray, isNotNull, type SQL, sql as template } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { among, list } from "../../db/kit.ts";
import { unpack } from "../../db/packing/packing.ts";
import { addresses, customer_words, customers } from "../../db/schema/customers.ts";
import { orders } from "../../db/schema/orders.ts";
import { platform_imports } from "../../db/schema/platforms.ts";
import { request_blocks } from "../../db/schema/requests.ts";
import { returns } from "../../db/schema/returns.ts";
import { labels } from "../../db/schema/shipments.ts";
import { deliveries, delivery_attempts, subscriptions } from "../../db/schema/webhooks.ts";
import type { Db } from "../storage/database.ts";
import { hasReturnEmail, rowsOfOrders } from "./erased_records.sql.ts";
import { type PersonalKind, unexported } from "./personal_records.ts";

/** The maximum number of rows of a kind in an export. */
export const rows_max = 10_000;

/** A row of an export, by column. */
export type ExportedRow = Readonly<Record<string, unknown>>;

/** Rows by kind. One more than `rows_max` means that there are more. */
export type ExportedRecords = ReadonlyMap<PersonalKind, readonly ExportedRow[]>;

/** The rows of these customers, their orders, and all records that belong to those. */
export async function recordsOf(db: Db, ids: readonly number[]): Promise<ExportedRecords> {
  const found = new Map<PersonalKind, readonly ExportedRow[]>();
  if (ids.length === 0) return found;
  const isTheirs = (column: Parameters<typeof inArray>[0]) => inArray(column, [...ids]);
  found.set("customers", await rowsOf(db, customers, isTheirs(customers.id)));
  found.set("addresses", await rowsOf(db, addresses, isTheirs(addresses.customer_id)));
  found.set("search_words", await rowsOf(db, customer_words, isTheirs(customer_words.customer_id)));
  const theirs = await db.sql.select({ id: orders.id }).from(orders).where(isTheirs(orders.customer_id));
  const belonging = rowsOfOrders(db.sql, list(theirs.map(({ id }) => id)));
  for (const [kind, { table, which }] of Object.entries(belonging)) {
    found.set(kind as PersonalKind, await rowsOf(db, table, which));
  }
  return found;
}

async function rowsOf(db: Db, table: PgTable, which: SQL): Promise<ExportedRow[]> {
  const all = getTableColumns(table);
  const columns = Object.entries(all).filter(([name]) => !unexported.has(name));
  // The key of a table without an id is its first two columns.
  const key = all["id"] === undefined ? Object.values(all).slice(0, 2) : [all["id"]];
  return db.sql
    .select(Object.fromEntries(columns))
    .from(table)
    .where(which)
    .orderBy(...key.map((column) => asc(column)))
    .limit(rows_max + 1);
}

/** The next imports after an id that hold a platform's order. */
export async function nextImports(db: Db, after: number, limit: number) {
  return db.sql
    .select({ id: platform_imports.id, payload: platform_imports.payload })
    .from(platform_imports)
    .where(and(gt(platform_imports.id, after), isNotNull(platform_imports.payload)))
    .orderBy(asc(platform_imports.id))
    .limit(limit);
}

/** The rows of these imports. */
export async function importsOf(db: Db, ids: readonly number[]): Promise<ExportedRow[]> {
  return ids.length === 0 ? [] : rowsOf(db, platform_imports, among(platform_imports.id, template`${list(ids)}`));
}

/** The rows of returns that were requested with one of these email addresses, for any customer's order. */
export async function returnsByEmail(db: Db, email_keys: readonly string[]): Promise<ExportedRow[]> {
  return email_keys.length === 0 ? [] : rowsOf(db, returns, hasReturnEmail(email_keys));
}

/** The delivery log of these events, and the ids of webhooks that received any of them. */
export async function deliveriesOf(
  db: Db,
  event_ids: readonly string[],
): Promise<{ readonly log: ExportedRow[]; readonly receivers: number[] }> {
  const { status, status_code, started_at, response_body, response_headers } = delivery_attempts;
  const log: ExportedRow[] = [];
  const receivers = new Set<number>();
  for (let at = 0; at < event_ids.length; at += events_max) {
    const some = inArray(deliveries.event_id, event_ids.slice(at, at + events_max));
    const rows = await db.sql
      .select({
        event_id: deliveries.event_id,
        status,
        status_code,
        started_at,
        response_body,
        response_headers,
        receiver: deliveries.subscription_id,
      })
      .from(delivery_attempts)
      .innerJoin(deliveries, eq(deliveries.id, delivery_attempts.delivery_id))
      .where(some)
      .limit(rows_max + 1 - log.length);
    for (const { receiver, ...row } of rows) {
      receivers.add(receiver);
      log.push(row);
    }
  }
  return { log, receivers: [...receivers] };
}

const events_max = 500;

/** The ids of the webhooks among `ids` that are visible in the scope. */
export async function visibleReceivers(db: Db, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await db.sql
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(inArray(subscriptions.id, [...ids]));
  return rows.map(({ id }) => id);
}

/** The ids of labels of these customers' orders. */
export async function labelsOf(db: Db, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const theirs = await db.sql
    .select({ id: labels.id })
    .from(labels)
    .innerJoin(orders, eq(orders.id, labels.order_id))
    .where(inArray(orders.customer_id, [...ids]))
    .orderBy(template`${labels.id}`)
    .limit(rows_max);
  return theirs.map(({ id }) => id);
}

/** The next blocks of the request log after an id, with their lines. */
export async function nextBlocks(db: Db, after: number, limit: number) {
  const rows = await db.sql
    .select({ id: request_blocks.id, lines: request_blocks.lines })
    .from(request_blocks)
    .where(gt(request_blocks.id, after))
    .orderBy(asc(request_blocks.id))
    .limit(limit);
  return rows.map(({ id, lines }) => ({ id, lines: unpack(lines).split("\n") }));
}
