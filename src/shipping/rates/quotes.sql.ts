import { asc, eq, lte } from "drizzle-orm";
import { amongThose } from "../../../db/kit.ts";
import { rate_quotes } from "../../../db/schema/rates.ts";
import type { Db, Store, Tx } from "../../storage/database.ts";
import { insert, prepared, type StatementArgs } from "../../storage/statements.ts";
import { quote_lifetime_ms, quote_prefix, type RateQuote, type ResponseQuotes, readQuoteId } from "./quote.ts";

/**
 * The store with the quotes that a caller can use: a merchant its own, the operator all, whichever merchant the request
 * names.
 */
export function usableQuotes(caller: { readonly store: Store; readonly merchant_id: number | null }): Store {
  return caller.merchant_id === null ? caller.store.base : caller.store;
}

/** Stores the quotes of a response. Returns the id of the response, and the times (ms) of its quotes. */
export async function insertQuotes(tx: Tx, content: ResponseQuotes) {
  const { now } = tx;
  const [id, expires_at] = [tx.newId(quote_prefix), now + quote_lifetime_ms];
  await insert(tx, rate_quotes, [{ id, merchant_id: tx.scope.visible, content, expires_at }]);
  return { id, expires_at, now };
}

const byId = prepared((sql, a: StatementArgs<{ id: string }>) =>
  sql
    .select({ content: rate_quotes.content, expires_at: rate_quotes.expires_at })
    .from(rate_quotes)
    .where(eq(rate_quotes.id, a.id)),
);

/** Finds a quote; null if it was deleted or never existed for the caller. Refuses: validation_failed. */
export async function findQuote(db: Db, id: string): Promise<RateQuote | null> {
  const { response_id, position } = readQuoteId(id);
  const [row] = await byId(db, { id: response_id });
  if (row === undefined) return null;
  const { offers, ...inputs } = row.content;
  const quoted = offers[position];
  return quoted === undefined ? null : { id, expires_at: row.expires_at, ...inputs, ...quoted };
}

/** Deletes up to `limit` responses' expired quotes. Returns whether more may be left. */
export async function deleteExpiredQuotes(tx: Tx, limit: number): Promise<boolean> {
  const { id, expires_at } = rate_quotes;
  const expired = tx.sql
    .select({ id })
    .from(rate_quotes)
    .where(lte(expires_at, tx.now))
    .orderBy(asc(expires_at))
    .limit(limit);
  return (await tx.sql.delete(rate_quotes).where(amongThose(id, expired)).returning({ id })).length === limit;
}
