// Who is known by an e-mail address, by which addresses somebody is known, and who was sent events of a time.
import { and, asc, eq, gte, inArray, isNull, lt, or, sql as template } from "drizzle-orm";
import { hasText } from "../../../db/kit.ts";
import { customer_words, customers } from "../../../db/schema/customers.ts";
import { orders } from "../../../db/schema/orders.ts";
import { events } from "../../../db/schema/outbox.ts";
import { subscriptions } from "../../../db/schema/webhooks.ts";
import { emailsAmong } from "../../customers/rules.ts";
import type { Db } from "../../database/store.ts";

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
