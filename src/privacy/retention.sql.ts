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
import { namesBuyer, ordersWithPersonalData } from "./re_erasure.sql.ts";
import type { SweepPosition } from "./retention_settings.sql.ts";

const voidedLabels = labelStatuses.filter(isVoided);

/** The rows of one chunk: at most `limit` after a position, from before `to` (ms). */
interface RetentionPage {
  readonly after: SweepPosition;
  readonly to: number;
  readonly limit: number;
}

type TimedTable = PgTable & { readonly id: AnyPgColumn };

/** The next rows of a table by time and id. Reads only the index. */
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

/** The next labels by creation time. */
export const pageOfLabels = (db: Db, page: RetentionPage) => pageOf(db, labels, labels.created_at, page);
/** The next orders by the time of their last change. */
export const pageOfOrders = (db: Db, page: RetentionPage) => pageOf(db, orders, orders.updated_at, page);
/** The next customers by creation time. */
export const pageOfCustomers = (db: Db, page: RetentionPage) => pageOf(db, customers, customers.created_at, page);

const awaitedReturnsOf = (db: Db) =>
  db.sql
    .select({ one: template`1` })
    .from(returns)
    .where(and(eq(returns.order_id, orders.id), isOneOf(returns.status, awaitedReturns)));

/**
 * Selects the labels among `ids` whose carrier documents can be deleted: the label is voided, or its order has ended
 * and no return is open. Oldest first, at most `limit`.
 */
export async function labelsToClear(db: Db, ids: readonly number[], ended: readonly OrderStatus[], limit: number) {
  if (ids.length === 0) return [];
  const isOver = and(isOneOf(orders.status, ended), notExists(awaitedReturnsOf(db)));
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
 * Selects and locks the orders among `ids` that have ended, have no open return and no return changed since `until`
 * (ms), and contain personal data, including data that was added after an earlier erasure. By the time of their last
 * change, at most `limit`.
 */
export async function ordersToErase(
  tx: Tx,
  ids: readonly number[],
  { ended, until, limit }: { readonly ended: readonly OrderStatus[]; readonly until: number; readonly limit: number },
) {
  if (ids.length === 0) return [];
  const over = await tx.sql
    .select({ id: orders.id, names_buyer: template<boolean>`${namesBuyer}` })
    .from(orders)
    .where(
      and(
        among(orders.id, template`${list(ids)}`),
        isOneOf(orders.status, ended),
        notExists(awaitedReturnsOf(tx)),
        notExists(changedReturns(tx, until)),
      ),
    )
    .orderBy(asc(orders.updated_at), asc(orders.id));
  const emptied = over.filter(({ names_buyer }) => !names_buyer).map(({ id }) => id);
  const added = await ordersWithPersonalData(tx, emptied);
  const wanted = over.filter(({ id, names_buyer }) => names_buyer || added.has(id)).slice(0, limit);
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

/** Returns of an order that changed since a time (ms). */
const changedReturns = (db: Db, since: number) =>
  db.sql
    .select({ one: template`1` })
    .from(returns)
    .where(and(eq(returns.order_id, orders.id), gte(returns.updated_at, since)));

/**
 * Selects the customers among `ids` who are not erased, have not changed since `until` (ms), and have no order that
 * changed since then or still names them. By creation time, at most `limit`.
 */
export async function idleCustomers(db: Db, ids: readonly number[], until: number, limit: number) {
  if (ids.length === 0) return [];
  const needed = db.sql
    .select({ one: template`1` })
    .from(orders)
    .where(and(eq(orders.customer_id, customers.id), or(gte(orders.updated_at, until), namesBuyer)));
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

/**
 * Deletes up to `limit` invitations that were accepted, withdrawn or expired before `until` (ms). Returns the number.
 */
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
