import { and, count, eq, getTableColumns, inArray, isNotNull, lt, or, sql as template } from "drizzle-orm";
import { amongThose } from "../../../db/kit.ts";
import { deliveries, delivery_attempts } from "../../../db/schema/webhooks.ts";
import { choice } from "../../core/schema.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { descending, equals, recordList } from "../../storage/record_list.ts";
import { changeBatch, deleteBatch } from "../../storage/row_batches.ts";
import { insert } from "../../storage/statements.ts";
import { getSubscription } from "../subscriptions/subscriptions.sql.ts";
import { attemptStatuses } from "../webhooks.transitions.ts";
import type { DeliveryAttempt, LoggedAttempt } from "./attempt.ts";
import { eventFilters } from "./deliveries.sql.ts";

/** Inserts log entries. */
export async function insertAttempts(tx: Tx, rows: readonly Omit<DeliveryAttempt, "id">[]): Promise<void> {
  await insert(tx, delivery_attempts, rows);
}

const isOfDelivery = eq(deliveries.id, delivery_attempts.delivery_id);
const ofEvent = { event_id: deliveries.event_id, event_type: deliveries.event_type };

/** A subscription's log, newest first. */
export const attemptList = recordList(delivery_attempts, {
  select: (sql) =>
    sql
      .select({ ...getTableColumns(delivery_attempts), ...ofEvent })
      .from(delivery_attempts)
      .innerJoin(deliveries, isOfDelivery),
  filters: {
    status: equals(delivery_attempts.status, choice(attemptStatuses)),
    ...eventFilters,
  },
  created_at: delivery_attempts.started_at,
  within: async (db, _, id) => eq(delivery_attempts.subscription_id, (await getSubscription(db, id)).id),
  counted: (sql) => sql.select({ count: count() }).from(delivery_attempts).innerJoin(deliveries, isOfDelivery),
  order: descending(delivery_attempts.started_at),
  records: (rows) => rows as readonly LoggedAttempt[],
});

/** Finds a log entry of a subscription with its delivery, or null. */
export async function findAttempt(
  db: Db,
  subscription_id: number,
  id: number,
): Promise<{ readonly attempt: LoggedAttempt; readonly delivery: typeof deliveries.$inferSelect } | null> {
  const [row] = await db.sql
    .select({ attempt: getTableColumns(delivery_attempts), delivery: getTableColumns(deliveries) })
    .from(delivery_attempts)
    .innerJoin(deliveries, isOfDelivery)
    .where(and(eq(delivery_attempts.subscription_id, subscription_id), eq(delivery_attempts.id, id)));
  if (row === undefined) return null;
  const { event_id, event_type } = row.delivery;
  return { attempt: { ...row.attempt, event_id, event_type } as LoggedAttempt, delivery: row.delivery };
}

/** Deletes up to `limit` response bodies of attempts before a time (ms), and returns how many. The attempts stay. */
export async function forgetResponses(tx: Tx, before: number, limit: number): Promise<number> {
  const { response_body, started_at } = delivery_attempts;
  const where = and(template`${response_body} <> ''`, lt(started_at, before));
  return changeBatch(tx, delivery_attempts, { response_body: null }, { where, by: [started_at], limit });
}

/** Deletes the responses to some events, by id, and returns how many. The attempts stay. */
export async function forgetResponsesTo(tx: Tx, event_ids: readonly string[]): Promise<number> {
  if (event_ids.length === 0) return 0;
  const affected = tx.sql
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(inArray(deliveries.event_id, [...event_ids]));
  const emptied = await tx.sql
    .update(delivery_attempts)
    .set({ response_body: null, response_headers: null })
    .where(
      and(
        amongThose(delivery_attempts.delivery_id, affected),
        or(isNotNull(delivery_attempts.response_headers), isNotNull(delivery_attempts.response_body)),
      ),
    )
    .returning({ id: delivery_attempts.id });
  return emptied.length;
}

/** Deletes up to `limit` log entries from before a time (ms), and returns how many. */
export async function deleteAttempts(tx: Tx, before: number, limit: number): Promise<number> {
  const { id, started_at } = delivery_attempts;
  return deleteBatch(tx, delivery_attempts, { where: undefined, by: [id], limit, still: lt(started_at, before) });
}
