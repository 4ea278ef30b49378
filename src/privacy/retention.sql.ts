import {
  and,
  asc,
  eq,
  exists,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  notExists,
  or,
  type SQL,
  sql as template,
} from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { among, forUpdate, isOneOf, list } from "../../db/kit.ts";
import { customers } from "../../db/schema/customers.ts";
import { orders } from "../../db/schema/orders.ts";
import { invitations } from "../../db/schema/people.ts";
import { returns } from "../../db/schema/returns.ts";
import { label_documents, labels } from "../../db/schema/shipments.ts";
import type { OrderStatus } from "../orders/order.transitions.ts";
import { isVoided, labelStatuses } from "../shipping/labels/label.transitions.ts";
import type { Db, Tx } from "../storage/database.ts";
import { emptiedOrder } from "./erased_records.sql.ts";
import { awaitedReturns } from "./erasure_terms.ts";
import { ordersTelling, tellsOfBuyer } from "./re_erasure.sql.ts";
import type { SweepPosition } from "./retention_settings.sql.ts";

const voidedLabels = labelStatuses.filter(isVoided);

/** Rows that a piece looks at: those of a time behind the last one that was looked at, so many of them. */
interface RetentionPage {
  readonly after: SweepPosition;
  readonly to: number;
  readonly limit: number;
}

type TimedTable = PgTable & { readonly id: AnyPgColumn };

/** The next rows of a table by a moment, of which an index is walked and nothing else is read. */
async function pageOf(
  db: Db,
  rows: TimedTable,
  moment: AnyPgColumn,
  { after: [at, id], to, limit }: RetentionPage,
): Promise<SweepPosition[]> {
  const found = await db.sql
    .select({ at: template<number>`${moment}`.mapWith(Number), id: template<number>`${rows.id}`.mapWith(Number) })
    .from(rows as PgTable)
    .where(and(template`(${moment}, ${rows.id}) > (${at}, ${id})`, lt(moment, to)))
    .orderBy(asc(moment), asc(rows.id))
    .limit(limit);
  return found.map((row) => [row.at, row.id] as const);
}

/** The next labels by when they were made. */
export const pageOfLabels = (db: Db, page: RetentionPage) => pageOf(db, labels, labels.created_at, page);
/** The next orders by when they last changed. */
export const pageOfOrders = (db: Db, page: RetentionPage) => pageOf(db, orders, orders.updated_at, page);
/** The next customers by when they were made. */
export const pageOfCustomers = (db: Db, page: RetentionPage) => pageOf(db, customers, customers.created_at, page);

const awaitedOf = (db: Db) =>
  db.sql
    .select({ one: template`1` })
    .from(returns)
    .where(and(eq(returns.order_id, orders.id), isOneOf(returns.status, awaitedReturns)));

/**
 * Those of some labels that have documents of their carrier and are not to be used any more: they are voided, or their
 * order has ended and nothing of it is to come back. Oldest first, so many of them.
 */
export async function overLabels(db: Db, ids: readonly number[], ended: readonly OrderStatus[], limit: number) {
  if (ids.length === 0) return [];
  const isOver = and(isOneOf(orders.status, ended), notExists(awaitedOf(db)));
  const documents = db.sql
    .select({ one: template`1` })
    .from(label_documents)
    .where(eq(label_documents.label_id, labels.id));
  return db.sql
    .select({ id: labels.id, at: labels.created_at })
    .from(labels)
    .innerJoin(orders, eq(orders.id, labels.order_id))
    .where(
      and(
        among(labels.id, template`${list(ids)}`),
        exists(documents),
        or(isOneOf(labels.status, voidedLabels), isOver),
      ),
    )
    .orderBy(asc(labels.created_at), asc(labels.id))
    .limit(limit);
}

/**
 * Those of some orders that have left or were cancelled, of which nothing is to come back, nor did a return change
 * since a moment, and that tell who they were for, or tell it again by what was added. By when they last changed, so
 * many of them, locked.
 */
export async function tellingOrders(
  tx: Tx,
  ids: readonly number[],
  { ended, until, limit }: { readonly ended: readonly OrderStatus[]; readonly until: number; readonly limit: number },
) {
  if (ids.length === 0) return [];
  const over = await tx.sql
    .select({ id: orders.id, telling: template<boolean>`${tellsOfBuyer}` })
    .from(orders)
    .where(
      and(
        among(orders.id, template`${list(ids)}`),
        isOneOf(orders.status, ended),
        notExists(awaitedOf(tx)),
        notExists(newsOf(tx, until)),
      ),
    )
    .orderBy(asc(orders.updated_at), asc(orders.id));
  const silent = over.filter(({ telling }) => !telling).map(({ id }) => id);
  const added = await ordersTelling(tx, silent);
  const wanted = over.filter(({ id, telling }) => telling || added.has(id)).slice(0, limit);
  if (wanted.length === 0) return [];
  return forUpdate(
    tx.sql
      .select({ ...emptiedOrder, at: orders.updated_at })
      .from(orders)
      .where(
        inArray(
          orders.id,
          wanted.map(({ id }) => id),
        ),
      )
      .orderBy(asc(orders.updated_at), asc(orders.id)),
  );
}

/** Returns of an order that changed since a moment. */
const newsOf = (db: Db, since: number) =>
  db.sql
    .select({ one: template`1` })
    .from(returns)
    .where(and(eq(returns.order_id, orders.id), gte(returns.updated_at, since)));

/**
 * Those of some customers who are known, did not change since a moment, and have no order that changed since then or
 * still tells who it was for. By when they were made, so many of them.
 */
export async function idleCustomers(db: Db, ids: readonly number[], until: number, limit: number) {
  if (ids.length === 0) return [];
  const needed = db.sql
    .select({ one: template`1` })
    .from(orders)
    .where(and(eq(orders.customer_id, customers.id), or(gte(orders.updated_at, until), tellsOfBuyer)));
  return db.sql
    .select({ id: customers.id, at: customers.created_at })
    .from(customers)
    .where(
      and(
        ...[among(customers.id, template`${list(ids)}`), isNull(customers.erased_at), lt(customers.updated_at, until)],
        notExists(needed),
      ),
    )
    .orderBy(asc(customers.created_at), asc(customers.id))
    .limit(limit);
}

/** Deletes invitations that were accepted or withdrawn, or that expired, before a moment, so many of them. */
export async function deleteInvitations(tx: Tx, until: number, limit: number): Promise<number> {
  const { id, created_at, accepted_at, revoked_at, expires_at } = invitations;
  const pending = and(isNull(accepted_at), isNull(revoked_at)) as SQL;
  const isOver = or(
    and(isNotNull(accepted_at), lt(accepted_at, until)),
    and(isNotNull(revoked_at), lt(revoked_at, until)),
    and(pending, lt(expires_at, until)),
  );
  const old = await tx.sql
    .select({ id })
    .from(invitations)
    .where(and(lt(created_at, until), isOver))
    .orderBy(asc(created_at))
    .limit(limit);
  if (old.length === 0) return 0;
  const gone = old.map((row) => row.id);
  await tx.sql.delete(invitations).where(and(inArray(id, gone), isOver));
  return old.length;
}
