// What a database says of itself, beyond the records: whether it belongs to this secret key.

import { type AnyColumn, and, desc, eq, isNotNull, isNull, type SQL, sql as template } from "drizzle-orm";
import { forUpdate, int, table, text } from "../../db/kit.ts";
import { restoration_gaps, restorations } from "../../db/schema/restorations.ts";
import { installation } from "../../db/schema/service.ts";
import { engine } from "../core/config.ts";
import { assert } from "../core/faults.ts";
import type { Db, Tx } from "./database.ts";
import { insert, prepared, type StatementArgs } from "./statements.ts";

/** What was sealed under the secret key at the first start; null before it. */
export async function findSeal(db: Db): Promise<string | null> {
  const [row] = await db.sql.select({ seal: installation.seal }).from(installation);
  return row?.seal ?? null;
}

/** As `findSeal`, and nobody else sets it until this transaction ends. */
export async function lockSeal(tx: Tx): Promise<string | null> {
  const [row] = await forUpdate(tx.sql.select({ seal: installation.seal }).from(installation));
  return row?.seal ?? null;
}

/** Keeps what was sealed under the secret key from now on. */
export async function saveSeal(tx: Tx, seal: string): Promise<void> {
  await tx.sql.update(installation).set({ seal });
}

// Whether a database came from a backup, the numbers that this left out, and what waits until somebody has decided.

/** One restore of this database from a backup. */
export type Restoration = typeof restorations.$inferSelect;

/** How much waited to go out as of the backup, or was taken back. */
export type PendingAtRestore = Pick<
  Restoration,
  "waiting_deliveries" | "waiting_reports" | "waiting_purchases" | "withdrawn_mails"
>;

/**
 * Whether a record may go out by itself, by the column that tells when it was made: not while it was made before a
 * restore and nobody's decision about what waited then has been carried out.
 */
export const isFree = (made_at: AnyColumn): SQL =>
  template`${made_at} > coalesce((select max(restored_at) from restorations where settled_at is null), 0)`;

/** Every restore of this database, the last one first. */
export async function listRestorations(db: Db): Promise<Restoration[]> {
  return db.sql.select().from(restorations).orderBy(desc(restorations.id));
}

/** How many places in the order of events restores have left out, and the last of them, as one row `left, last`. */
export const gapsOfEvents = template`(
  select coalesce(sum(${restoration_gaps.last} - ${restoration_gaps.first} + 1), 0) as numbers,
    coalesce(max(${restoration_gaps.last}), 0) as last
  from ${restoration_gaps} where ${restoration_gaps.subscription_id} is null
)`;

/** The same of the numbers of each subscription's deliveries, as rows `id, numbers, last`. */
export const gapsOfSubscriptions = template`(
  select ${restoration_gaps.subscription_id} as id,
    sum(${restoration_gaps.last} - ${restoration_gaps.first} + 1) as numbers, max(${restoration_gaps.last}) as last
  from ${restoration_gaps} where ${restoration_gaps.subscription_id} is not null
  group by ${restoration_gaps.subscription_id}
)`;

/** Stores that this database was just restored. */
export async function insertRestoration(tx: Tx, restoration: Omit<Restoration, "id">): Promise<Restoration> {
  const [row] = await tx.sql.insert(restorations).values(restoration).returning();
  assert(row, "a stored restoration is returned");
  return row;
}

/** Stores how much waited when this database was restored; where nothing did, there is nothing to decide. */
export async function savePendingCounts(tx: Tx, id: number, facts: PendingAtRestore): Promise<void> {
  const { waiting_deliveries, waiting_reports, waiting_purchases } = facts;
  const settled = waiting_deliveries + waiting_reports + waiting_purchases === 0;
  await tx.sql
    .update(restorations)
    .set(settled ? { ...facts, settled_at: tx.now } : facts)
    .where(eq(restorations.id, id));
}

const isUnsettled = isNull(restorations.settled_at);

/** Stores what somebody has decided for every restore about which nobody had. */
export async function saveDecision(
  tx: Tx,
  facts: Pick<Restoration, "decision" | "decided_at" | "decided_by">,
): Promise<void> {
  await tx.sql
    .update(restorations)
    .set(facts)
    .where(and(isUnsettled, isNull(restorations.decision)));
}

/** Stores that what was decided has been carried out: nothing is held any more. */
export async function saveSettled(tx: Tx): Promise<void> {
  await tx.sql.update(restorations).set({ settled_at: tx.now }).where(isUnsettled);
}

/** The restore whose decision is to be made or carried out, locked; null when there is none. */
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

/** Whether something was decided that has not been carried out. */
export async function awaitsSettling(db: Db): Promise<boolean> {
  return (await decided(db, {})).length > 0;
}

/** Stores numbers that a restore has left out. */
export async function insertGaps(
  tx: Tx,
  gaps: readonly Omit<typeof restoration_gaps.$inferSelect, "id">[],
): Promise<void> {
  await insert(tx, restoration_gaps, gaps);
}

// The numbers that records are given, as the database keeps them.

/** SQLite's own table of how far each table's ids have come; it holds a row for each table from its first migration. */
const sqlite_sequence = table("sqlite_sequence", { name: text().notNull(), seq: int().notNull() });

/** Lets every record that is made from now on have a number that is greater by so much than it would have been. */
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
