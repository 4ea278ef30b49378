import { and, asc, count, eq, gte, inArray, isNull, lt, ne, or, sql as template } from "drizzle-orm";
import { amongThose, skipLocked } from "../../../db/kit.ts";
import { events } from "../../../db/schema/outbox.ts";
import { deliveries, recoveries } from "../../../db/schema/webhooks.ts";
import { insertIds } from "../../database/statements.ts";
import type { Db, Tx } from "../../database/store.ts";
import { missing } from "../../kit/fault.ts";
import { readId } from "../../kit/ids.ts";
import type { RetryLimit } from "../status.ts";
import type { Outcome, Recovery } from "./recovery.ts";

/** A subscription's recovery by its identifier. Refuses: resource_missing. */
export async function getRecovery(db: Db, subscription_id: number, id: string): Promise<Recovery> {
  const own = and(eq(recoveries.subscription_id, subscription_id), eq(recoveries.id, readId("recovery", id) ?? 0));
  const [row] = await db.sql.select().from(recoveries).where(own);
  if (row === undefined) throw missing("recovery", id);
  return row;
}

/** Stores a new recovery and answers it. */
export async function insertRecovery(tx: Tx, row: Omit<Recovery, "id">): Promise<Recovery> {
  const [id = 0] = await insertIds(tx, recoveries, [{ ...row, statuses: [...row.statuses] }]);
  return { id, ...row };
}

/** The oldest recovery that still queues deliveries, locked, unless another server is at it; or null. */
export async function lockQueueing(tx: Tx): Promise<Recovery | null> {
  const [row] = await skipLocked(
    tx.sql
      .select()
      .from(recoveries)
      .where(template`${recoveries.status} = 'queueing'`)
      .orderBy(asc(recoveries.id))
      .limit(1),
  );
  return row ?? null;
}

/** Stores how far a recovery is. */
export async function saveRecovery(
  tx: Tx,
  { id, status, total, queued }: Pick<Recovery, "id" | "status" | "total" | "queued">,
): Promise<void> {
  await tx.sql.update(recoveries).set({ status, total, queued }).where(eq(recoveries.id, id));
}

type Missed = Pick<Recovery, "subscription_id" | "since" | "until" | "statuses">;

/** The ids of what a subscription missed, oldest first, payloads kept; those of recovery `own_id` are left out. */
function missed(db: Db, { subscription_id, since, until, statuses }: Missed, own_id: number | null, limit: number) {
  // Asked for each delivery: PostgreSQL joins an `exists`, by the whole table where it takes it for empty.
  const kept = template`(select length(${events.body}) from ${events} where ${events.id} = ${deliveries.event_id}) > 0`;
  return db.sql
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.subscription_id, subscription_id),
        // The condition of the index, which looks into no parameters.
        template`${deliveries.status} in ('exhausted', 'skipped')`,
        inArray(deliveries.status, [...statuses]),
        gte(deliveries.created_at, since),
        lt(deliveries.created_at, until),
        template`${deliveries.sequence} > 0`,
        own_id === null ? undefined : or(isNull(deliveries.recovery_id), ne(deliveries.recovery_id, own_id)),
        kept,
      ),
    )
    .orderBy(asc(deliveries.created_at), asc(deliveries.id))
    .limit(limit);
}

/** How much a subscription missed, counted to `limit` at most. */
export async function countMissed(db: Db, what: Missed, limit: number): Promise<number> {
  const [row] = await db.sql.select({ count: count() }).from(missed(db, what, null, limit).as("missed"));
  return row?.count ?? 0;
}

/** Queues up to `limit` of what a recovery is for, each with a fresh budget of retries, and answers how many. */
export async function queueMissed(tx: Tx, recovery: Recovery, retry_limit: RetryLimit, limit: number): Promise<number> {
  const queued = await tx.sql
    .update(deliveries)
    .set({
      ...{ status: "pending", trigger: "manual", recovery_id: recovery.id },
      spent_attempts: deliveries.attempts,
      max_attempts: template`${deliveries.attempts} + ${retry_limit} + 1`,
      ...{ next_at: tx.now, leased_until: null, finished_at: null },
    })
    .where(amongThose(deliveries.id, missed(tx, recovery, recovery.id, limit)))
    .returning({ id: deliveries.id });
  return queued.length;
}

/** What became of the deliveries that a recovery queued. */
export async function outcomeOf(db: Db, recovery_id: number): Promise<Outcome> {
  const rows = await db.sql
    .select({ status: deliveries.status, count: count() })
    .from(deliveries)
    .where(eq(deliveries.recovery_id, recovery_id))
    .groupBy(deliveries.status);
  const of = (wanted: string) => rows.find(({ status }) => status === wanted)?.count ?? 0;
  return { pending: of("pending"), delivered: of("delivered") };
}
