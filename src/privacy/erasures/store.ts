// The SQL of erasures: what was asked for, what is due, and how far each has come.
import { and, asc, desc, eq, isNotNull, lte, sql as template } from "drizzle-orm";
import { eachOf, forUpdate, given, skipLocked } from "../../../db/kit.ts";
import { erasures } from "../../../db/schema/privacy.ts";
import type { Db, Tx } from "../../database/store.ts";
import { missing } from "../../kit/fault.ts";
import { readId } from "../../kit/ids.ts";
import type { Window } from "../../kit/page.ts";
import type { Erasure } from "./erasure.ts";

/** The erasure that an identifier names. Refuses: resource_missing. */
export async function getErasure(db: Db, id: string): Promise<Erasure> {
  const [row] = await db.sql
    .select()
    .from(erasures)
    .where(eq(erasures.id, readId("erasure", id) ?? 0));
  if (row === undefined) throw missing("erasure", id);
  return row;
}

/** Erasures of one customer; of all for null. */
const isOf = (customer: number | null) =>
  customer === null
    ? undefined
    : template`exists (select 1 from ${eachOf(erasures.customers)} where cast(part.value as text) = ${`${customer}`})`;

/** A page of erasures, of one customer or of all for null, newest first. */
export async function listErasures(
  db: Db,
  customer: number | null,
  { limit, offset, after }: Window,
): Promise<Erasure[]> {
  const { created_at, id } = erasures;
  const behind = after ? template`(${created_at}, ${id}) < (${after[0]}, ${after[1]})` : undefined;
  return db.sql
    .select()
    .from(erasures)
    .where(and(isOf(customer), behind))
    .orderBy(desc(created_at), desc(id))
    .limit(limit)
    .offset(offset);
}

/** How many erasures there are, of one customer or of all for null. */
export async function countErasures(db: Db, customer: number | null): Promise<number> {
  return db.sql.$count(erasures, isOf(customer));
}

/** Stores a new erasure. */
export async function insertErasure(tx: Tx, fields: Omit<Erasure, "id">): Promise<Erasure> {
  const [row] = await tx.sql.insert(erasures).values(fields).returning({ id: erasures.id });
  return { id: row?.id ?? 0, ...fields };
}

/** Stores how far an erasure has come. */
export async function saveErasure(tx: Tx, { id, merchant_id: _, ...fields }: Erasure): Promise<void> {
  await tx.sql.update(erasures).set(fields).where(eq(erasures.id, id));
}

const isDue = (db: Db) => and(isNotNull(erasures.next_at), lte(erasures.next_at, given(template`${db.now}`)));

/** The oldest erasure that is due, or null. */
export async function dueErasure(db: Db): Promise<Erasure | null> {
  const [row] = await db.sql
    .select()
    .from(erasures)
    .where(isDue(db))
    .orderBy(asc(erasures.next_at), asc(erasures.id))
    .limit(1);
  return row ?? null;
}

/** An erasure that is due, locked; null when it is not any more, or when another server is at it. */
export async function claimErasure(tx: Tx, id: number): Promise<Erasure | null> {
  const due = tx.sql
    .select()
    .from(erasures)
    .where(and(eq(erasures.id, id), isDue(tx)));
  const [row] = await skipLocked(due);
  return row ?? null;
}

/** When the next erasure is due, in milliseconds; null when none waits. */
export async function nextErasure(db: Db): Promise<number | null> {
  const [row] = await db.sql
    .select({ next_at: erasures.next_at })
    .from(erasures)
    .where(isNotNull(erasures.next_at))
    .orderBy(asc(erasures.next_at))
    .limit(1);
  return row?.next_at ?? null;
}

/** When the last erasure ended, in milliseconds; null before the first. */
export async function lastErased(db: Db): Promise<number | null> {
  const [row] = await db.sql.select({ last: template<number | null>`max(${erasures.finished_at})` }).from(erasures);
  return row?.last == null ? null : Number(row.last);
}

/** The erasures that are not done yet, oldest first. */
export async function listUnfinished(db: Db): Promise<Erasure[]> {
  return db.sql.select().from(erasures).where(isNotNull(erasures.next_at)).orderBy(asc(erasures.id));
}

/** The newest erasure of a customer, or null. */
export async function findErasureOf(db: Db, customer_id: number): Promise<Erasure | null> {
  const [row] = await db.sql.select().from(erasures).where(isOf(customer_id)).orderBy(desc(erasures.id)).limit(1);
  return row ?? null;
}

/** An erasure that is not done, locked as it is now; null where it is gone. */
export async function lockErasure(tx: Tx, id: number): Promise<Erasure | null> {
  const [row] = await forUpdate(tx.sql.select().from(erasures).where(eq(erasures.id, id)));
  return row ?? null;
}

/** Deletes an erasure that has not begun. */
export async function deleteErasure(tx: Tx, id: number): Promise<void> {
  await tx.sql.delete(erasures).where(eq(erasures.id, id));
}

/** Puts an erasure off that could not go on, until a moment in milliseconds. */
export async function postponeErasure(tx: Tx, id: number, until: number): Promise<void> {
  await tx.sql
    .update(erasures)
    .set({ next_at: until })
    .where(and(eq(erasures.id, id), isNotNull(erasures.next_at)));
}

/** Moves the times of erasures that wait by as much as the clock was set. */
export async function moveErasures(tx: Tx, by_ms: number): Promise<void> {
  await tx.sql
    .update(erasures)
    .set({ next_at: template`${erasures.next_at} + ${by_ms}` })
    .where(isNotNull(erasures.next_at));
}
