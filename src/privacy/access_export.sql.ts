// All that is known of a person, read by the same table that says what an erasure does.
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
import { isAskedBy, rowsOfOrders } from "./erased_records.sql.ts";
import { type PersonalKind, undisclosed } from "./personal_records.ts";

/** The most rows of a kind that a disclosure holds. */
export const rows_max = 10_000;

/** A row as it is told. */
export type ExportedRow = Readonly<Record<string, unknown>>;

/** Rows of some kinds, each of them at most one more than `rows_max`. */
export type ExportedRecords = ReadonlyMap<PersonalKind, readonly ExportedRow[]>;

/** What the tables hold of these customers: themselves, and their orders with all that belongs to them. */
export async function recordsOf(db: Db, ids: readonly number[]): Promise<ExportedRecords> {
  const told = new Map<PersonalKind, readonly ExportedRow[]>();
  if (ids.length === 0) return told;
  const isTheirs = (column: Parameters<typeof inArray>[0]) => inArray(column, [...ids]);
  told.set("customers", await rowsOf(db, customers, isTheirs(customers.id)));
  told.set("addresses", await rowsOf(db, addresses, isTheirs(addresses.customer_id)));
  told.set("search_words", await rowsOf(db, customer_words, isTheirs(customer_words.customer_id)));
  const theirs = await db.sql.select({ id: orders.id }).from(orders).where(isTheirs(orders.customer_id));
  const belonging = rowsOfOrders(db.sql, list(theirs.map(({ id }) => id)));
  for (const [kind, { table, which }] of Object.entries(belonging)) {
    told.set(kind as PersonalKind, await rowsOf(db, table, which));
  }
  return told;
}

async function rowsOf(db: Db, table: PgTable, which: SQL): Promise<ExportedRow[]> {
  const all = getTableColumns(table);
  const columns = Object.entries(all).filter(([name]) => !undisclosed.has(name));
  // A table without an id is known by its first columns.
  const key = all["id"] === undefined ? Object.values(all).slice(0, 2) : [all["id"]];
  return db.sql
    .select(Object.fromEntries(columns))
    .from(table)
    .where(which)
    .orderBy(...key.map((column) => asc(column)))
    .limit(rows_max + 1);
}

/** The next imports after an id that hold an order as the platform told it. */
export async function nextImports(db: Db, after: number, limit: number) {
  return db.sql
    .select({ id: platform_imports.id, payload: platform_imports.payload })
    .from(platform_imports)
    .where(and(gt(platform_imports.id, after), isNotNull(platform_imports.payload)))
    .orderBy(asc(platform_imports.id))
    .limit(limit);
}

/** These imports of shops' orders. */
export async function importsOf(db: Db, ids: readonly number[]): Promise<ExportedRow[]> {
  return ids.length === 0 ? [] : rowsOf(db, platform_imports, among(platform_imports.id, template`${list(ids)}`));
}

/** Returns that were asked for with one of these e-mail addresses, whoever ordered. */
export async function returnsAskedBy(db: Db, email_keys: readonly string[]): Promise<ExportedRow[]> {
  return email_keys.length === 0 ? [] : rowsOf(db, returns, isAskedBy(email_keys));
}

/** The log of deliveries of these events, and the webhooks that were sent any of them. */
export async function deliveriesOf(
  db: Db,
  event_ids: readonly string[],
): Promise<{ readonly log: ExportedRow[]; readonly receivers: number[] }> {
  const { status, status_code, started_at, response_body, response_headers } = delivery_attempts;
  const log: ExportedRow[] = [];
  const receivers = new Set<number>();
  for (let at = 0; at < event_ids.length; at += ids_together) {
    const some = inArray(deliveries.event_id, event_ids.slice(at, at + ids_together));
    const rows = await db.sql
      .select({
        ...{ event_id: deliveries.event_id, status, status_code, started_at, response_body, response_headers },
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

const ids_together = 500;

/** Those of some webhooks that this view may see. */
export async function seenReceivers(db: Db, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await db.sql
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(inArray(subscriptions.id, [...ids]));
  return rows.map(({ id }) => id);
}

/** The labels of these customers' orders, by id. */
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

/** The next blocks of the log of requests after an id, with their lines. */
export async function nextBlocks(db: Db, after: number, limit: number) {
  const rows = await db.sql
    .select({ id: request_blocks.id, lines: request_blocks.lines })
    .from(request_blocks)
    .where(gt(request_blocks.id, after))
    .orderBy(asc(request_blocks.id))
    .limit(limit);
  return rows.map(({ id, lines }) => ({ id, lines: unpack(lines).split("\n") }));
}
