// Facts about a database itself: the seal that ties it to a secret key, its restores, and its id sequences.

import { type AnyColumn, and, desc, eq, isNotNull, isNull, type SQL, sql as template } from "drizzle-orm";
import { forUpdate, int, table, text } from "../../db/kit.ts";
import { restoration_gaps, restorations } from "../../db/schema/restorations.ts";
import { installation } from "../../db/schema/service.ts";
import { engine } from "../core/config.ts";
import { assert } from "../core/faults.ts";
import type { Db, Tx } from "./database.ts";
import { insert, prepared, type StatementArgs } from "./statements.ts";

/** The seal made with the secret key at the first start; null before it. */
export async function findSeal(db: Db): Promise<string | null> {
  const [row] = await db.sql.select({ seal: installation.seal }).from(installation);
  return row?.seal ?? null;
}

/** As `findSeal`, and locks it until this transaction ends. */
export async function lockSeal(tx: Tx): Promise<string | null> {
  const [row] = await forUpdate(tx.sql.select({ seal: installation.seal }).from(installation));
  return row?.seal ?? null;
}

/** Stores the seal. */
export async function saveSeal(tx: Tx, seal: string): Promise<void> {
  await tx.sql.update(installation).set({ seal });
}

// Restores from backups: the sequence numbers that they skipped, and what is held until an operator has decided.

/** One restore of this database from a backup. */
export type Restoration = typeof restorations.$inferSelect;

/** How much was pending in the backup, or was withdrawn. */
export type PendingAtRestore = Pick<
  Restoration,
  "waiting_deliveries" | "waiting_reports" | "waiting_purchases" | "withdrawn_mails"
>;

/**
 * The condition that a record may be sent, by the column of its creation time: it was not created before a restore
 * whose pending records are still held.
 */
export const isFree = (made_at: AnyColumn): SQL =>
  template`${made_at} > coalesce((select max(restored_at) from restorations where settled_at is null), 0)`;

/** Every restore of this database, latest first. */
export async function listRestorations(db: Db): Promise<Restoration[]> {
  return db.sql.select().from(restorations).orderBy(desc(restorations.id));
}

/** The number of event positions that restores skipped, and the last of them, as one row `numbers, last`. */
export const gapsOfEvents = template`(
  select coalesce(sum(${restoration_gaps.last} - ${restoration_gaps.first} + 1), 0) as numbers,
    coalesce(max(${restoration_gaps.last}), 0) as last
  from ${restoration_gaps} where ${restoration_gaps.subscription_id} is null
)`;

/** The same for the delivery numbers of each subscription, as rows `id, numbers, last`. */
export const gapsOfSubscriptions = template`(
  select ${restoration_gaps.subscription_id} as id,
    sum(${restoration_gaps.last} - ${restoration_gaps.first} + 1) as numbers, max(${restoration_gaps.last}) as last
  from ${restoration_gaps} where ${restoration_gaps.subscription_id} is not null
  group by ${restoration_gaps.subscription_id}
)`;

/** Records that this database was just restored. */
export async function insertRestoration(tx: Tx, restoration: Omit<Restoration, "id">): Promise<Restoration> {
  const [row] = await tx.sql.insert(restorations).values(restoration).returning();
  assert(row, "the stored restoration must be returned");
  return row;
}

/** Stores how much was pending when this database was restored. If nothing was, there is nothing to decide. */
export async function savePendingCounts(tx: Tx, id: number, facts: PendingAtRestore): Promise<void> {
  const { waiting_deliveries, waiting_reports, waiting_purchases } = facts;
  const settled = waiting_deliveries + waiting_reports + waiting_purchases === 0;
  await tx.sql
    .update(restorations)
    .set(settled ? { ...facts, settled_at: tx.now } : facts)
    .where(eq(restorations.id, id));
}

const isUnsettled = isNull(restorations.settled_at);

/** Stores the operator's decision for every undecided restore. */
export async function saveDecision(
  tx: Tx,
  facts: Pick<Restoration, "decision" | "decided_at" | "decided_by">,
): Promise<void> {
  await tx.sql
    .update(restorations)
    .set(facts)
    .where(and(isUnsettled, isNull(restorations.decision)));
}

/** Stores that the decision has been carried out: nothing is held any more. */
export async function saveSettled(tx: Tx): Promise<void> {
  await tx.sql.update(restorations).set({ settled_at: tx.now }).where(isUnsettled);
}

/** Locks the latest restore that is undecided or not carried out; null when there is none. */
export async function lockUnsettled(tx: Tx): Promise<Restoration | null> {
  const last = tx.sql.select().from(restorations).where(isUnsettled).orderBy(desc(restorations.id));
  const [row] = await forUpdate(last.limit(1));
  return row ?? null;
}

const decided = prepared((sql, _: StatementArgs<Record<never, never>>) =>
  sql
    .select({ id: restorations.id })
    .from(restorations)
    .where(and(isUnsettled, isNotNull(restorations.decision))),
);

/** Whether a decision has not been carried out yet. */
export async function awaitsSettling(db: Db): Promise<boolean> {
  return (await decided(db, {})).length > 0;
}

/** Stores sequence numbers that a restore skipped. */
export async function insertGaps(
  tx: Tx,
  gaps: readonly Omit<typeof restoration_gaps.$inferSelect, "id">[],
): Promise<void> {
  await insert(tx, restoration_gaps, gaps);
}

// Id sequences.

/** SQLite's own table of the last id of each table. It has a row for each table from its first migration on. */
const sqlite_sequence = table("sqlite_sequence", { name: text().notNull(), seq: int().notNull() });

/** Advances all id sequences by this many numbers. */
export async function advanceSequences(tx: Tx, by: number): Promise<void> {
  if (engine === "sqlite") {
    await tx.sql.update(sqlite_sequence).set({ seq: template`${sqlite_sequence.seq} + ${by}` });
    return;
  }
  const sequence = template`pg_class sequence join pg_namespace on pg_namespace.oid = sequence.relnamespace`;
  await tx.sql
    .select({
      at: template`setval(sequence.oid, coalesce(pg_sequence_last_value(sequence.oid), 0) + cast(${by} as bigint))`,
    })
    .from(sequence)
    .where(template`sequence.relkind = 'S' and nspname = current_schema()`);
}
