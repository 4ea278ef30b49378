import { and, eq, isNull, lt, sql as template } from "drizzle-orm";
import { carrier_callbacks, tracking_events, tracking_records } from "../../db/schema/tracking.ts";
import { minute_ms } from "../core/time.ts";
import type { Db, Tx, WriteStatements } from "../storage/database.ts";
import { dueRecords, queueOf } from "../storage/queue.ts";
import { deleteBatch } from "../storage/row_batches.ts";
import { prepared, type StatementArgs } from "../storage/statements.ts";
import type { TrackingRecord } from "./tracking_record.ts";

const insertNew = prepared(
  (sql: WriteStatements, a: StatementArgs<{ account_id: number; event_id: string; received_at: number }>) =>
    sql
      .insert(carrier_callbacks)
      .values({ account_id: a.account_id, event_id: a.event_id, received_at: a.received_at })
      .onConflictDoNothing()
      .returning({ id: carrier_callbacks.id }),
);

/** Inserts a received callback of an account; false if it was received before. */
export async function insertCallback(tx: Tx, account_id: number, event_id: string): Promise<boolean> {
  return (await insertNew(tx, { account_id, event_id, received_at: tx.now })).length === 1;
}

/** Deletes up to `limit` callbacks received before a time (ms), and returns how many. */
export async function deleteCallbacks(tx: Tx, before: number, limit: number): Promise<number> {
  const { received_at } = carrier_callbacks;
  return deleteBatch(tx, carrier_callbacks, { where: lt(received_at, before), by: [received_at], limit });
}

// The condition of the partial index is literal, since databases do not match parameters to it.
const isScheduled = template`${tracking_records.look_at} is not null`;

/** The parcels to poll their carriers about. A claim of five minutes without a result is due again. */
export const pollQueue = queueOf<TrackingRecord>(tracking_records, {
  kind: "looks",
  job: "tracking.poll",
  due: tracking_records.look_at,
  waiting: isScheduled,
  lane: tracking_records.account_id,
  lease_ms: 5 * minute_ms,
});

/** The numbers of the simulated carrier. */
export const simulatedNumbers = dueRecords<TrackingRecord>(tracking_records, {
  due: tracking_records.look_at,
  waiting: isScheduled,
  ready: isNull(tracking_records.account_id),
});

const latest = prepared((sql, a: StatementArgs<{ account_id: number }>) =>
  sql
    .select({ at: template<number | null>`max(${carrier_callbacks.received_at})`.mapWith(Number) })
    .from(carrier_callbacks)
    .where(eq(carrier_callbacks.account_id, a.account_id)),
);

/** Returns when the last callback of an account arrived (ms); null if there is none. */
export async function lastCallbackAt(db: Db, account_id: number): Promise<number | null> {
  const [row] = await latest(db, { account_id });
  return row?.at ?? null;
}

/** Returns the time of a source's first event of a parcel (ms); null if there is none. */
export async function firstReportAt(db: Db, record_id: number, source: string): Promise<number | null> {
  const [row] = await db.sql
    .select({ at: template<number | null>`min(${tracking_events.occurred_at})`.mapWith(Number) })
    .from(tracking_events)
    .where(and(eq(tracking_events.record_id, record_id), eq(tracking_events.source, source)));
  return row?.at ?? null;
}
