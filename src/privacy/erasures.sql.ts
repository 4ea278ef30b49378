// Queries for erasures and their progress, for the customers behind an email address, and for the receivers of events.
import { and, asc, desc, eq, gte, inArray, isNotNull, isNull, lt, lte, or, sql as template } from "drizzle-orm";
import { eachOf, forUpdate, hasText, opaque, skipLocked } from "../../db/kit.ts";
import { customer_words, customers } from "../../db/schema/customers.ts";
import { orders } from "../../db/schema/orders.ts";
import { events } from "../../db/schema/outbox.ts";
import { erasures } from "../../db/schema/privacy.ts";
import { subscriptions } from "../../db/schema/webhooks.ts";
import { readId } from "../core/ids.ts";
import { idField } from "../core/schema.ts";
import { emailsAmong } from "../customers/customer.ts";
import type { Db, Tx } from "../storage/database.ts";
import { dueRecords } from "../storage/queue.ts";
import { anyOf, recordList } from "../storage/record_list.ts";
import { recordLookup } from "../storage/record_lookup.ts";
import type { Erasure } from "./erasure.ts";

/** The erasure with a wire id. Refuses: resource_missing. */
export const { get: getErasure } = recordLookup(erasures, "erasure");

const isOf = (customer: number) =>
  template`exists (select 1 from ${eachOf(erasures.customers)} where cast(part.value as text) = ${`${customer}`})`;

/** Erasures, newest first. */
export const erasureList = recordList(erasures, {
  // No customer has the id 0.
  filters: { customer_id: anyOf(idField("customer"), (id) => isOf(readId("customer", id) ?? 0)) },
});

/** Stores a new erasure. */
export async function insertErasure(tx: Tx, fields: Omit<Erasure, "id">): Promise<Erasure> {
  const [row] = await tx.sql.insert(erasures).values(fields).returning({ id: erasures.id });
  return { id: row?.id ?? 0, ...fields };
}

/** Saves the progress of an erasure. */
export async function saveErasure(tx: Tx, { id, merchant_id: _, ...fields }: Erasure): Promise<void> {
  await tx.sql.update(erasures).set(fields).where(eq(erasures.id, id));
}

const isDue = (db: Db) => and(isNotNull(erasures.next_at), lte(erasures.next_at, opaque(template`${db.now}`)));

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

/** Locks an erasure if it is still due and no other server works on it; otherwise returns null. */
export async function claimErasure(tx: Tx, id: number): Promise<Erasure | null> {
  const due = tx.sql
    .select()
    .from(erasures)
    .where(and(eq(erasures.id, id), isDue(tx)));
  const [row] = await skipLocked(due);
  return row ?? null;
}

/** The unfinished erasures. Each step is one transaction, so nothing is claimed for longer. */
export const pendingErasures = dueRecords<Erasure>(erasures, {
  due: erasures.next_at,
  waiting: isNotNull(erasures.next_at),
});

/** When the last erasure finished (ms); null before the first. */
export async function lastErased(db: Db): Promise<number | null> {
  const [row] = await db.sql.select({ last: template<number | null>`max(${erasures.finished_at})` }).from(erasures);
  return row?.last == null ? null : Number(row.last);
}

/** The unfinished erasures, oldest first. */
export async function listUnfinished(db: Db): Promise<Erasure[]> {
  return db.sql.select().from(erasures).where(isNotNull(erasures.next_at)).orderBy(asc(erasures.id));
}

/** The newest erasure of a customer, or null. */
export async function findErasureOf(db: Db, customer_id: number): Promise<Erasure | null> {
  const [row] = await db.sql.select().from(erasures).where(isOf(customer_id)).orderBy(desc(erasures.id)).limit(1);
  return row ?? null;
}

/** Locks and rereads an erasure; null if it does not exist. */
export async function lockErasure(tx: Tx, id: number): Promise<Erasure | null> {
  const [row] = await forUpdate(tx.sql.select().from(erasures).where(eq(erasures.id, id)));
  return row ?? null;
}

/** Deletes an erasure that has not started. */
export async function deleteErasure(tx: Tx, id: number): Promise<void> {
  await tx.sql.delete(erasures).where(eq(erasures.id, id));
}

/** Postpones an erasure that failed, until a time (ms). */
export async function postponeErasure(tx: Tx, id: number, until: number): Promise<void> {
  await tx.sql
    .update(erasures)
    .set({ next_at: until })
    .where(and(eq(erasures.id, id), isNotNull(erasures.next_at)));
}

/** The customers who have or had this email address. */
export async function findPeople(db: Db, email_key: string): Promise<number[]> {
  const named = await db.sql
    .select({ id: customers.id, email_key: customers.email_key })
    .from(customers)
    .innerJoin(customer_words, eq(customer_words.customer_id, customers.id))
    .where(eq(customer_words.word, email_key));
  const now = named.filter((one) => one.email_key === email_key).map(({ id }) => id);
  const others = named.filter((one) => one.email_key !== email_key).map(({ id }) => id);
  if (others.length === 0) return now;
  // For some of them it is only part of another word.
  const words = await searchWordsOf(db, others);
  const had = others.filter((id) => emailsAmong(words.get(id) ?? []).includes(email_key));
  const ordered = await db.sql
    .selectDistinct({ id: orders.customer_id })
    .from(orders)
    .where(and(inArray(orders.customer_id, others), eq(template`lower(${orders.customer_email})`, email_key)));
  return [...new Set([...now, ...had, ...ordered.map(({ id }) => id)])];
}

async function searchWordsOf(db: Db, ids: readonly number[]): Promise<Map<number, string[]>> {
  const rows = await db.sql
    .select({ id: customer_words.customer_id, word: customer_words.word })
    .from(customer_words)
    .where(inArray(customer_words.customer_id, [...ids]));
  const words = new Map<number, string[]>();
  for (const { id, word } of rows) words.set(id, [...(words.get(id) ?? []), word]);
  return words;
}

/** The current and former email addresses of these customers, in lower case. */
export async function emailsOf(db: Db, ids: readonly number[]): Promise<string[]> {
  if (ids.length === 0) return [];
  return [...(await searchWordsOf(db, ids)).values()].flatMap(emailsAmong);
}

/** The sequence number before the first event since a time (ms) that still has a payload. */
export async function seqBefore(db: Db, moment: number): Promise<number> {
  const [row] = await db.sql
    .select({ seq: events.seq })
    .from(events)
    .where(and(hasText(events.body), gte(events.created_at, moment)))
    .orderBy(asc(events.created_at), asc(events.seq))
    .limit(1);
  return row === undefined ? Number.MAX_SAFE_INTEGER : row.seq - 1;
}

/**
 * The webhooks that may have received events since a time (ms) whose payloads are deleted, so that it is unknown
 * whether they were about the person: the webhooks of that period that cover the merchant, or all of them for null.
 */
export async function possibleReceivers(db: Db, moment: number, merchant_id: number | null): Promise<number[]> {
  const [oldest] = await db.sql
    .select({ since: events.created_at })
    .from(events)
    .where(hasText(events.body))
    .orderBy(asc(events.created_at))
    .limit(1);
  const until = oldest?.since ?? db.now;
  if (until <= moment) return [];
  const { id, merchants, created_at, deleted_at } = subscriptions;
  const rows = await db.sql
    .select({ id, merchant_id: subscriptions.merchant_id, merchants })
    .from(subscriptions)
    .where(and(lt(created_at, until), or(isNull(deleted_at), gte(deleted_at, moment))))
    .orderBy(asc(id));
  const coversMerchant = (one: (typeof rows)[number]) =>
    merchant_id === null ||
    (one.merchant_id === null ? (one.merchants?.includes(merchant_id) ?? true) : one.merchant_id === merchant_id);
  return rows.filter(coversMerchant).map((one) => one.id);
}
