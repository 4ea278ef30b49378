import { and, asc, eq, not, or, sql as template } from "drizzle-orm";
import { forUpdate, isOneOf } from "../../../db/kit.ts";
import { labels } from "../../../db/schema/shipments.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { isFree } from "../../storage/installation.ts";
import { queueOf } from "../../storage/queue.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import { isBeingBought, labelTransitions } from "./label.transitions.ts";
import type { ShippingLabel } from "./label.ts";
import { call_ms_max, lease_ms } from "./label_purchase.ts";

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
const isPurchase = isOneOf(labels.status, labelTransitions.complete.from);
const mayBeAsked = or(not(isPurchase), isFree(labels.created_at));

/** Counts the labels whose purchase is in progress. */
export async function countBeingBought(db: Db): Promise<number> {
  return db.sql.$count(labels, and(isClaimed, isPurchase));
}

/** Locks up to `limit` purchases that were open in a restored backup, ordered by id. */
export async function lockHeldPurchases(tx: Tx, limit: number): Promise<ShippingLabel[]> {
  const held = tx.sql
    .select()
    .from(labels)
    .where(and(isClaimed, isPurchase, not(isFree(labels.created_at))))
    .orderBy(asc(labels.id))
    .limit(limit);
  return (await forUpdate(held)).map(labelOf);
}

/**
 * The labels that are being bought or voided, one at a time of each account. A claim of five minutes without a result
 * is due again.
 */
export const purchaseQueue = queueOf<Omit<ShippingLabel, "documents">>(labels, {
  kind: "labels",
  job: "shipping.finish_purchases",
  due: labels.claimed_until,
  waiting: isClaimed,
  ready: mayBeAsked,
  lane: labels.account_id,
  lease_ms,
  // Voiding starts immediately, so it is held for the length of a call.
  rest_ms: ({ status }) => (isBeingBought(status) ? 0 : call_ms_max),
  claimed: ({ attempts }) => ({ attempts: attempts + 1 }),
});
