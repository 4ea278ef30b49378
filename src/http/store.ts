import { and, asc, eq, gt, inArray, lte } from "drizzle-orm";
import { idempotency_keys } from "../../db/schema/service.ts";
import { type Args, prepared } from "../database/statements.ts";
import type { Db, Tx } from "../database/store.ts";

/** An answer as it went out, byte for byte. */
export interface KeptAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const byKey = prepared((sql, a: Args<{ key: string; now: number }>) =>
  sql
    .select()
    .from(idempotency_keys)
    .where(and(eq(idempotency_keys.key, a.key), gt(idempotency_keys.expires_at, a.now))),
);

/** The answer kept for a key and the fingerprint of its request, or null when there is none or its time is over. */
export async function findKeptAnswer(db: Db, key: string) {
  const [row] = await byKey(db, { key, now: db.now });
  if (row === undefined) return null;
  const { fingerprint, status, body, headers } = row;
  const answer: KeptAnswer = { status, body, headers: JSON.parse(headers) as Record<string, string> };
  return { fingerprint, answer };
}

/**
 * Takes a key for this transaction; false when it is taken and its time is not over. Of two equal keys at once the
 * second waits here until the first has committed or failed.
 */
export async function claimKey(tx: Tx, key: string, fingerprint: string, expires_at: number): Promise<boolean> {
  const values = { fingerprint, status: 0, headers: "{}", body: "", created_at: tx.now, expires_at };
  const claimed = await tx.sql
    .insert(idempotency_keys)
    .values({ key, ...values })
    .onConflictDoUpdate({
      target: idempotency_keys.key,
      set: values,
      setWhere: lte(idempotency_keys.expires_at, tx.now),
    })
    .returning({ key: idempotency_keys.key });
  return claimed.length === 1;
}

/** Keeps the answer under a key that this transaction has claimed. */
export async function keepAnswer(tx: Tx, key: string, { status, headers, body }: KeptAnswer): Promise<void> {
  const kept = { status, headers: JSON.stringify(headers), body };
  await tx.sql.update(idempotency_keys).set(kept).where(eq(idempotency_keys.key, key));
}

/** Forgets up to `limit` answers whose time is over, and says whether more may be left. */
export async function deleteExpiredAnswers(tx: Tx, limit: number): Promise<boolean> {
  const over = tx.sql
    .select({ key: idempotency_keys.key })
    .from(idempotency_keys)
    .where(lte(idempotency_keys.expires_at, tx.now))
    .orderBy(asc(idempotency_keys.expires_at))
    .limit(limit);
  const deleted = await tx.sql
    .delete(idempotency_keys)
    .where(and(inArray(idempotency_keys.key, over), lte(idempotency_keys.expires_at, tx.now)))
    .returning({ key: idempotency_keys.key });
  return deleted.length === limit;
}
