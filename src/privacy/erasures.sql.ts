// The SQL of erasures: what was asked for, what is due, and how far each has come.
import { and, asc, desc, eq, gte, inArray, isNotNull, isNull, lt, lte, or, sql as template } from "drizzle-orm";
import { eachOf, forUpdate, given, hasText, skipLocked } from "../../db/kit.ts";
import { customer_words, customers } from "../../db/schema/customers.ts";
import { orders } from "../../db/schema/orders.ts";
import { events } from "../../db/schema/outbox.ts";
import { erasures } from "../../db/schema/privacy.ts";
import { subscriptions } from "../../db/schema/webhooks.ts";
import { missing } from "../core/faults.ts";
import { readId } from "../core/ids.ts";
import type { PageWindow } from "../core/schema.ts";
import { emailsAmong } from "../customers/customer.ts";
import type { Db, Tx } from "../storage/database.ts";
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
  { limit, offset, after }: PageWindow,
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
export async function shiftErasures(tx: Tx, by_ms: number): Promise<void> {
  await tx.sql
    .update(erasures)
    .set({ next_at: template`${erasures.next_at} + ${by_ms}` })
    .where(isNotNull(erasures.next_at));
}

// Who is known by an e-mail address, by which addresses somebody is known, and who was sent events of a time.

/** The customers who have this e-mail address, and those who had it before. */
export async function findPeople(db: Db, email_key: string): Promise<number[]> {
  const named = await db.sql
    .select({ id: customers.id, email_key: customers.email_key })
    .from(customers)
    .innerJoin(customer_words, eq(customer_words.customer_id, customers.id))
    .where(eq(customer_words.word, email_key));
  const now = named.filter((one) => one.email_key === email_key).map(({ id }) => id);
  const others = named.filter((one) => one.email_key !== email_key).map(({ id }) => id);
  if (others.length === 0) return now;
  // For some of them it is but a part of another word.
  const words = await wordsKept(db, others);
  const had = others.filter((id) => emailsAmong(words.get(id) ?? []).includes(email_key));
  const ordered = await db.sql
    .selectDistinct({ id: orders.customer_id })
    .from(orders)
    .where(and(inArray(orders.customer_id, others), eq(template`lower(${orders.customer_email})`, email_key)));
  return [...new Set([...now, ...had, ...ordered.map(({ id }) => id)])];
}

async function wordsKept(db: Db, ids: readonly number[]): Promise<Map<number, string[]>> {
  const rows = await db.sql
    .select({ id: customer_words.customer_id, word: customer_words.word })
    .from(customer_words)
    .where(inArray(customer_words.customer_id, [...ids]));
  const words = new Map<number, string[]>();
  for (const { id, word } of rows) words.set(id, [...(words.get(id) ?? []), word]);
  return words;
}

/** The e-mail addresses that these customers have and had, in small letters. */
export async function emailsOf(db: Db, ids: readonly number[]): Promise<string[]> {
  if (ids.length === 0) return [];
  return [...(await wordsKept(db, ids)).values()].flatMap(emailsAmong);
}

/** The number before that of the first event of a moment or later that still says something. */
export async function eventsBefore(db: Db, moment: number): Promise<number> {
  const [row] = await db.sql
    .select({ seq: events.seq })
    .from(events)
    .where(and(hasText(events.body), gte(events.created_at, moment)))
    .orderBy(asc(events.created_at), asc(events.seq))
    .limit(1);
  return row === undefined ? Number.MAX_SAFE_INTEGER : row.seq - 1;
}

/**
 * The webhooks that may have been sent events of a moment or later that say nothing any more, so that nobody can tell
 * whether they were about a person: those of that time which are told of a merchant, or of any where it is null.
 */
export async function mayHaveBeenTold(db: Db, moment: number, merchant_id: number | null): Promise<number[]> {
  const [kept] = await db.sql
    .select({ since: events.created_at })
    .from(events)
    .where(hasText(events.body))
    .orderBy(asc(events.created_at))
    .limit(1);
  const until = kept?.since ?? db.now;
  if (until <= moment) return [];
  const { id, merchants, created_at, deleted_at } = subscriptions;
  const rows = await db.sql
    .select({ id, merchant_id: subscriptions.merchant_id, merchants })
    .from(subscriptions)
    .where(and(lt(created_at, until), or(isNull(deleted_at), gte(deleted_at, moment))))
    .orderBy(asc(id));
  const isTold = (one: (typeof rows)[number]) =>
    merchant_id === null ||
    (one.merchant_id === null ? (one.merchants?.includes(merchant_id) ?? true) : one.merchant_id === merchant_id);
  return rows.filter(isTold).map((one) => one.id);
}
