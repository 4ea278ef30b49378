import { and, asc, eq, lte, not, notInArray, or, sql as template } from "drizzle-orm";
import { forUpdate, isOneOf, skipLocked } from "../../../db/kit.ts";
import { labels } from "../../../db/schema/shipments.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { isFree } from "../../storage/installation.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import { labelTransitions } from "./label.transitions.ts";
import type { ShippingLabel } from "./label.ts";

type LockedLabelRow = typeof labels.$inferSelect;
// Carriers' documents are loaded only where they are shown.
const labelOf = (row: LockedLabelRow): ShippingLabel => ({ ...(row as unknown as ShippingLabel), documents: [] });

const locked = prepared((sql, a: StatementArgs<{ id: number }>) =>
  forUpdate(sql.select().from(labels).where(eq(labels.id, a.id))),
);

/** Locks a label by its id until the transaction ends; null if there is none. */
export async function lockLabel(tx: Tx, id: number): Promise<ShippingLabel | null> {
  const [row] = await locked(tx, { id });
  return row === undefined ? null : labelOf(row);
}

// The condition of the partial index is literal, since databases do not match parameters to it.
const isClaimed = template`${labels.claimed_until} is not null`;

// After a restore, purchases that were open in the backup may have been completed since.
const isBeingBought = isOneOf(labels.status, labelTransitions.complete.from);
const mayBeAsked = or(not(isBeingBought), isFree(labels.created_at));

/** Counts the labels whose purchase is in progress. */
export async function countBeingBought(db: Db): Promise<number> {
  return db.sql.$count(labels, and(isClaimed, isBeingBought));
}

/** Locks up to `limit` purchases that were open in a restored backup, ordered by id. */
export async function lockHeldPurchases(tx: Tx, limit: number): Promise<ShippingLabel[]> {
  const held = tx.sql
    .select()
    .from(labels)
    .where(and(isClaimed, isBeingBought, not(isFree(labels.created_at))))
    .orderBy(asc(labels.id))
    .limit(limit);
  return (await forUpdate(held)).map(labelOf);
}

const isNotBusy = (busy: ReadonlySet<number>) =>
  busy.size === 0 ? undefined : notInArray(labels.account_id, [...busy]);

/**
 * Locks the due label with the earliest deadline, of an account on which this server is not busy; null if none is
 * due.
 */
export async function lockDue(tx: Tx, busy: ReadonlySet<number>): Promise<ShippingLabel | null> {
  const due = tx.sql
    .select()
    .from(labels)
    .where(and(isClaimed, lte(labels.claimed_until, tx.now), mayBeAsked, isNotBusy(busy)))
    .orderBy(asc(labels.claimed_until), asc(labels.id))
    .limit(1);
  const [row] = await skipLocked(due);
  return row === undefined ? null : labelOf(row);
}

/** Returns when the first claim expires (ms), of accounts on which this server is not busy; null if there is none. */
export async function nextDueAt(db: Db, busy: ReadonlySet<number>): Promise<number | null> {
  const [row] = await db.sql
    .select({ at: template<number | null>`min(${labels.claimed_until})`.mapWith(Number) })
    .from(labels)
    .where(and(isClaimed, mayBeAsked, isNotBusy(busy)));
  return row?.at ?? null;
}
