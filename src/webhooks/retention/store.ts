import { and, asc, eq, isNotNull, lt, ne, notExists, sql as template } from "drizzle-orm";
import { amongThose, hasText } from "../../../db/kit.ts";
import { events } from "../../../db/schema/outbox.ts";
import { deliveries, delivery_attempts, notices, recoveries } from "../../../db/schema/webhooks.ts";
import type { Tx } from "../../database/store.ts";

// The condition of a partial index stands in the text, since the engines do not look into parameters.
const isPending = template`${deliveries.status} = 'pending'`;

/**
 * Forgets up to `limit` payloads of events older than a moment, sparing what still waits to be sent, and answers how
 * many. The events themselves are kept.
 */
export async function forgetEventBodies(tx: Tx, before: number, limit: number): Promise<number> {
  const unsent = tx.sql
    .select({ one: template`1` })
    .from(deliveries)
    .where(and(eq(deliveries.event_id, events.id), isPending));
  const old = tx.sql
    .select({ seq: events.seq })
    .from(events)
    .where(and(hasText(events.body), lt(events.created_at, before), isNotNull(events.fanned_out_at), notExists(unsent)))
    .orderBy(asc(events.created_at))
    .limit(limit);
  const forgotten = await tx.sql
    .update(events)
    .set({ body: "", previous: null })
    .where(amongThose(events.seq, old))
    .returning({ seq: events.seq });
  return forgotten.length;
}

/** Forgets up to `limit` payloads of finished deliveries older than a moment, and answers how many. */
export async function forgetDeliveryBodies(tx: Tx, before: number, limit: number): Promise<number> {
  const old = tx.sql
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(and(template`${deliveries.body} <> ''`, lt(deliveries.created_at, before), ne(deliveries.status, "pending")))
    .orderBy(asc(deliveries.created_at))
    .limit(limit);
  const forgotten = await tx.sql
    .update(deliveries)
    .set({ body: "" })
    .where(amongThose(deliveries.id, old))
    .returning({ id: deliveries.id });
  return forgotten.length;
}

/** Forgets up to `limit` answers of receivers older than a moment, and answers how many. The attempts are kept. */
export async function forgetResponses(tx: Tx, before: number, limit: number): Promise<number> {
  const old = tx.sql
    .select({ id: delivery_attempts.id })
    .from(delivery_attempts)
    .where(and(template`${delivery_attempts.response_body} <> ''`, lt(delivery_attempts.started_at, before)))
    .orderBy(asc(delivery_attempts.started_at))
    .limit(limit);
  const forgotten = await tx.sql
    .update(delivery_attempts)
    .set({ response_body: null })
    .where(amongThose(delivery_attempts.id, old))
    .returning({ id: delivery_attempts.id });
  return forgotten.length;
}

/** Deletes up to `limit` lines of the log older than a moment, and answers how many. */
export async function deleteAttempts(tx: Tx, before: number, limit: number): Promise<number> {
  const oldest = tx.sql
    .select({ id: delivery_attempts.id })
    .from(delivery_attempts)
    .orderBy(asc(delivery_attempts.id))
    .limit(limit);
  const deleted = await tx.sql
    .delete(delivery_attempts)
    .where(and(amongThose(delivery_attempts.id, oldest), lt(delivery_attempts.started_at, before)))
    .returning({ id: delivery_attempts.id });
  return deleted.length;
}

/** Deletes up to `limit` recoveries older than a moment that have nothing left to send, and answers how many. */
export async function deleteRecoveries(tx: Tx, before: number, limit: number): Promise<number> {
  const unsent = tx.sql
    .select({ one: template`1` })
    .from(deliveries)
    .where(and(eq(deliveries.recovery_id, recoveries.id), isPending));
  const oldest = tx.sql
    .select({ id: recoveries.id })
    .from(recoveries)
    .where(and(lt(recoveries.created_at, before), ne(recoveries.status, "queueing"), notExists(unsent)))
    .orderBy(asc(recoveries.id))
    .limit(limit);
  const deleted = await tx.sql
    .delete(recoveries)
    .where(amongThose(recoveries.id, oldest))
    .returning({ id: recoveries.id });
  return deleted.length;
}

/** Deletes up to `limit` notices older than a moment whose e-mail is no longer on its way, and answers how many. */
export async function deleteNotices(tx: Tx, before: number, limit: number): Promise<number> {
  const oldest = tx.sql
    .select({ id: notices.id })
    .from(notices)
    .where(and(lt(notices.created_at, before), ne(notices.mail_status, "waiting")))
    .orderBy(asc(notices.created_at))
    .limit(limit);
  const deleted = await tx.sql.delete(notices).where(amongThose(notices.id, oldest)).returning({ id: notices.id });
  return deleted.length;
}
