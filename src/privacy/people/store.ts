// Who is known by an e-mail address, and by which addresses somebody is known.
import { and, eq, inArray, sql as template } from "drizzle-orm";
import { customer_words, customers } from "../../../db/schema/customers.ts";
import { orders } from "../../../db/schema/orders.ts";
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
