// The tags of orders, and their search words.
import { and, asc, count, desc, eq, min } from "drizzle-orm";
import { opaque } from "../../../db/kit.ts";
import { order_tags, order_words } from "../../../db/schema/orders.ts";
import { searchWords } from "../../customers/customer.ts";
import type { Db, Tx, WriteStatements } from "../../storage/database.ts";
import { insert, prepared, type StatementArgs } from "../../storage/statements.ts";
import { tagKey } from "../changes/order_tags.ts";

/** What is stored of an order's tags. */
interface TaggedOrder {
  /** Null for an order that was not stored, since its number is taken. */
  readonly id: number | null;
  readonly merchant_id: number;
  readonly tags: readonly string[];
}

/** The note that words of tags name. */
const of_tags = 0;

/** Stores the tags of a new order. */
export async function insertTags(tx: Tx, { id: order_id, merchant_id, tags }: TaggedOrder): Promise<void> {
  if (order_id === null || tags.length === 0) return;
  const rows = tags.map((tag) => ({ merchant_id, order_id, key: tagKey(tag), tag }));
  await insert(tx, order_tags, rows);
  await insertWords(tx, { order_id, note_id: of_tags, internal: false }, tags.join(" "));
}

const deleteTags = prepared((sql: WriteStatements, a: StatementArgs<{ order_id: number }>) =>
  sql.delete(order_tags).where(eq(order_tags.order_id, a.order_id)),
);
/** Deletes the words of the tags of an order, or of one of its notes. */
export const deleteWords = prepared((sql: WriteStatements, a: StatementArgs<Omit<WordSource, "internal">>) =>
  sql.delete(order_words).where(and(eq(order_words.order_id, a.order_id), eq(order_words.note_id, a.note_id))),
);

/** Stores the tags of an order instead of its former ones. */
export async function replaceTags(tx: Tx, order: TaggedOrder & { readonly id: number }): Promise<void> {
  await deleteTags(tx, { order_id: order.id });
  await deleteWords(tx, { order_id: order.id, note_id: of_tags });
  await insertTags(tx, order);
}

/** Where words stand: in the tags of an order or in one of its notes. */
type WordSource = Pick<typeof order_words.$inferSelect, "order_id" | "note_id" | "internal">;

// Longer words are cut: a search has at most 200 characters.
const word_max = 200;
const inner = /(?<=[^\p{L}\p{N}\p{M}])[\p{L}\p{N}]/gu;

/** The words of a text as they are found: each from its beginning, and from behind a punctuation mark in it. */
function wordsIn(text: string): string[] {
  const words = searchWords(text).map((word) => word.slice(0, word_max));
  return [
    ...new Set(words.flatMap((word) => [word, ...[...word.matchAll(inner)].map(({ index }) => word.slice(index))])),
  ];
}

/** Stores the words of a text. */
export async function insertWords(tx: Tx, source: WordSource, text: string): Promise<void> {
  await insert(
    tx,
    order_words,
    wordsIn(text).map((word) => ({ ...source, word })),
  );
}

/** A tag in use: how many orders of a merchant have it, and one of its spellings. */
interface UsedTag {
  readonly merchant_id: number;
  readonly tag: string;
  readonly count: number;
}

const used = prepared((sql, a: StatementArgs<{ limit: number }>) =>
  sql
    .select({ merchant_id: order_tags.merchant_id, tag: min(order_tags.tag), count: count() })
    .from(order_tags)
    .groupBy(order_tags.key, order_tags.merchant_id)
    .orderBy(desc(count()), asc(order_tags.key), asc(order_tags.merchant_id))
    .limit(opaque(a.limit)),
);

/** The most tags that are listed. */
const used_max = 1000;

/** The tags in use, most used first, with the number of orders of each merchant. */
export async function listUsedTags(db: Db): Promise<UsedTag[]> {
  return (await used(db, { limit: used_max })).map((row) => ({ ...row, tag: row.tag ?? "" }));
}
