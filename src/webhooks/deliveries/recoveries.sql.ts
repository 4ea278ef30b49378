import { and, asc, count, eq, lt, not, notExists, sql as template } from "drizzle-orm";
import { isOneOf, skipLocked } from "../../../db/kit.ts";
import { deliveries, recoveries } from "../../../db/schema/webhooks.ts";
import { missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { deleteBatch } from "../../storage/row_batches.ts";
import { insertIds } from "../../storage/statements.ts";
import {
  arrivedDeliveries,
  type DeliveryStatus,
  recoveryTransitions,
  unsentDeliveries,
} from "../webhooks.transitions.ts";
import type { DeliveryRecovery, RecoveryOutcome } from "./recovery.ts";

/** Finds a subscription's recovery by its identifier. Refuses: resource_missing. */
export async function getRecovery(db: Db, subscription_id: number, id: string): Promise<DeliveryRecovery> {
  const own = and(eq(recoveries.subscription_id, subscription_id), eq(recoveries.id, readId("recovery", id) ?? 0));
  const [row] = await db.sql.select().from(recoveries).where(own);
  if (row === undefined) throw missing("recovery", id);
  return row;
}

/** Inserts a recovery and returns it. */
export async function insertRecovery(tx: Tx, row: Omit<DeliveryRecovery, "id">): Promise<DeliveryRecovery> {
  const [id = 0] = await insertIds(tx, recoveries, [{ ...row, statuses: [...row.statuses] }]);
  return { id, ...row };
}

const isQueueing = isOneOf(recoveries.status, recoveryTransitions.finish.from);

/** Locks the oldest unfinished recovery that no other server holds, or returns null. */
export async function lockQueueing(tx: Tx): Promise<DeliveryRecovery | null> {
  const [row] = await skipLocked(
    tx.sql.select().from(recoveries).where(isQueueing).orderBy(asc(recoveries.id)).limit(1),
  );
  return row ?? null;
}

/** Saves the progress of a recovery. */
export async function saveRecovery(
  tx: Tx,
  { id, status, total, queued }: Pick<DeliveryRecovery, "id" | "status" | "total" | "queued">,
): Promise<void> {
  await tx.sql.update(recoveries).set({ status, total, queued }).where(eq(recoveries.id, id));
}

/** Counts the results of the deliveries that a recovery queued. */
export async function outcomeOf(db: Db, recovery_id: number): Promise<RecoveryOutcome> {
  const rows = await db.sql
    .select({ status: deliveries.status, count: count() })
    .from(deliveries)
    .where(eq(deliveries.recovery_id, recovery_id))
    .groupBy(deliveries.status);
  const of = (wanted: readonly DeliveryStatus[]) =>
    rows.reduce((sum, { status, count: some }) => (wanted.includes(status) ? sum + some : sum), 0);
  return { pending: of(unsentDeliveries), delivered: of(arrivedDeliveries) };
}

/** Deletes up to `limit` recoveries from before a time (ms) with nothing left to send, and returns how many. */
export async function deleteRecoveries(tx: Tx, before: number, limit: number): Promise<number> {
  const unsent = tx.sql
    .select({ one: template`1` })
    .from(deliveries)
    .where(and(eq(deliveries.recovery_id, recoveries.id), isOneOf(deliveries.status, unsentDeliveries)));
  const where = and(lt(recoveries.created_at, before), not(isQueueing), notExists(unsent));
  return deleteBatch(tx, recoveries, { where, by: [recoveries.id], limit });
}
