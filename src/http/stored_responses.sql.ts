import { and, asc, eq, gt, isNotNull, lte, sql as template } from "drizzle-orm";
import { amongTexts, amongThose, eachIn, list, tryLock } from "../../db/kit.ts";
import { idempotency_keys } from "../../db/schema/service.ts";
import { engine } from "../core/config.ts";
import type { Db, Tx, WriteStatements } from "../storage/database.ts";
import { prepared, type StatementArgs } from "../storage/statements.ts";

/** A response as it was sent, byte for byte. */
export interface StoredResponse {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const byKey = prepared((sql, a: StatementArgs<{ key: string; now: number }>) =>
  sql
    .select()
    .from(idempotency_keys)
    .where(and(eq(idempotency_keys.key, a.key), gt(idempotency_keys.expires_at, a.now))),
);

/** The response stored for a key and the fingerprint of its request; null when there is none or it has expired. */
export async function findStoredResponse(db: Db, key: string) {
  const [row] = await byKey(db, { key, now: db.now });
  if (row === undefined) return null;
  const { fingerprint, status, body, headers, open_until } = row;
  const answer: StoredResponse = { status, body, headers: JSON.parse(headers) as Record<string, string> };
  return { fingerprint, answer, open_until };
}

/** A request's claim on an idempotency key. */
interface KeyClaim {
  readonly key: string;
  readonly fingerprint: string;
  readonly expires_at: number;
}

// An expired key is claimed as if it had never been used.
const taking = {
  target: idempotency_keys.key,
  set: {
    fingerprint: template`excluded.fingerprint`,
    status: template`excluded.status`,
    headers: template`excluded.headers`,
    body: template`excluded.body`,
    created_at: template`excluded.created_at`,
    expires_at: template`excluded.expires_at`,
    open_until: template`excluded.open_until`,
  },
  setWhere: template`${idempotency_keys.expires_at} <= excluded.created_at`,
};

const claim = prepared((sql: WriteStatements, a: StatementArgs<KeyClaim & { now: number }>) =>
  sql
    .insert(idempotency_keys)
    .select(
      template`select ${a.key}, ${a.fingerprint}, 0, '{}', '', ${a.now}, ${a.expires_at}, null where ${tryLock(a.key)}`,
    )
    .onConflictDoUpdate(taking)
    .returning({ key: idempotency_keys.key }),
);

/**
 * Claims a key for this transaction. False when it is taken and has not expired, or while another server's transaction
 * is about to take it; the latter returns at once.
 */
export async function claimKey(tx: Tx, claimed: KeyClaim): Promise<boolean> {
  return (await claim(tx, { ...claimed, now: tx.now })).length === 1;
}

const claimText = (name: string) => template.raw(`(input.value->>'${name}')`);
const claimNumber = (name: string) => template.raw(`cast(input.value->>'${name}' as bigint)`);

const claimSome = prepared((sql: WriteStatements, a: StatementArgs<{ claims: string; now: number }>) =>
  sql
    .insert(idempotency_keys)
    .select(
      template`select ${claimText("key")}, ${claimText("fingerprint")}, 0, '{}', '', ${a.now},
          ${claimNumber("expires_at")}, null
        from ${eachIn(a.claims)} as input where ${tryLock(claimText("key"))}`,
    )
    .onConflictDoUpdate(taking)
    .returning({ key: idempotency_keys.key }),
);

/** As `claimKey`, for several different keys. Returns the keys that were claimed. */
export async function claimKeys(tx: Tx, claims: readonly KeyClaim[]): Promise<Set<string>> {
  const [only] = claims;
  if (only !== undefined && claims.length === 1) return new Set((await claimKey(tx, only)) ? [only.key] : []);
  const taken = await claimSome(tx, { claims: JSON.stringify(claims), now: tx.now });
  return new Set(taken.map(({ key }) => key));
}

const keep = prepared(
  (sql: WriteStatements, a: StatementArgs<{ key: string; status: number; headers: string; body: string }>) =>
    sql
      .update(idempotency_keys)
      .set({ status: template`${a.status}`, headers: template`${a.headers}`, body: template`${a.body}` })
      .where(eq(idempotency_keys.key, a.key)),
);

/** Stores the response under a key that this transaction has claimed. */
export async function storeResponse(tx: Tx, key: string, { status, headers, body }: StoredResponse): Promise<void> {
  await keep(tx, { key, status, headers: JSON.stringify(headers), body });
}

const keepSome = prepared((sql: WriteStatements, a: StatementArgs<{ answers: string }>) =>
  sql
    .update(idempotency_keys)
    .set({ status: claimNumber("status"), headers: claimText("headers"), body: claimText("body") })
    .from(template`${eachIn(a.answers)} as input`)
    .where(eq(idempotency_keys.key, claimText("key"))),
);

/** Stores responses under keys that this transaction has claimed. */
export async function storeResponses(
  tx: Tx,
  kept: readonly { readonly key: string; readonly answer: StoredResponse }[],
): Promise<void> {
  // On SQLite, one statement per response is several times cheaper than one for all of them.
  if (engine === "sqlite" || kept.length === 1) {
    for (const { key, answer } of kept) await storeResponse(tx, key, answer);
    return;
  }
  const answers = kept.map(({ key, answer: { status, headers, body } }) => {
    return { key, status, headers: JSON.stringify(headers), body };
  });
  await keepSome(tx, { answers: JSON.stringify(answers) });
}

const release = prepared((sql: WriteStatements, a: StatementArgs<{ keys: string }>) =>
  sql.delete(idempotency_keys).where(amongTexts(idempotency_keys.key, a.keys)),
);

/** Frees keys that this transaction has claimed. */
export async function releaseKeys(tx: Tx, keys: readonly string[]): Promise<void> {
  await release(tx, { keys: list(keys) });
}

const open = prepared((sql: WriteStatements, a: StatementArgs<{ key: string; until: number }>) =>
  sql
    .update(idempotency_keys)
    .set({ open_until: template`${a.until}` })
    .where(eq(idempotency_keys.key, a.key)),
);

/** Allows the response stored under a key to be replaced until a timestamp (ms). */
export async function openAnswer(tx: Tx, key: string, until: number): Promise<void> {
  await open(tx, { key, until });
}

const isOpen = (key: string) => and(eq(idempotency_keys.key, key), isNotNull(idempotency_keys.open_until));

/** Makes the response under a key final; false when it was already replaced. */
export async function closeAnswer(tx: Tx, key: string): Promise<boolean> {
  const closed = tx.sql.update(idempotency_keys).set({ open_until: null }).where(isOpen(key));
  return (await closed.returning({ key: idempotency_keys.key })).length === 1;
}

/** Replaces the response under a key with the final one; false when the previous one can no longer be replaced. */
export async function replaceAnswer(tx: Tx, key: string, { status, body, headers }: StoredResponse): Promise<boolean> {
  const replaced = tx.sql
    .update(idempotency_keys)
    .set({ status, body, headers: JSON.stringify(headers), open_until: null })
    .where(and(isOpen(key), gt(idempotency_keys.open_until, tx.now)));
  return (await replaced.returning({ key: idempotency_keys.key })).length === 1;
}

/** Frees a key, so that its request may be sent again; false when its response can no longer be replaced. */
export async function forgetAnswer(tx: Tx, key: string): Promise<boolean> {
  const deleted = tx.sql.delete(idempotency_keys).where(and(isOpen(key), gt(idempotency_keys.open_until, tx.now)));
  return (await deleted.returning({ key: idempotency_keys.key })).length === 1;
}

/** Deletes up to `limit` expired responses. Returns whether more may be left. */
export async function deleteExpiredAnswers(tx: Tx, limit: number): Promise<boolean> {
  const over = tx.sql
    .select({ key: idempotency_keys.key })
    .from(idempotency_keys)
    .where(lte(idempotency_keys.expires_at, tx.now))
    .orderBy(asc(idempotency_keys.expires_at))
    .limit(limit);
  const deleted = await tx.sql
    .delete(idempotency_keys)
    .where(and(amongThose(idempotency_keys.key, over), lte(idempotency_keys.expires_at, tx.now)))
    .returning({ key: idempotency_keys.key });
  return deleted.length === limit;
}

/** Whether a response was dropped by an erasure. Its key stays, so that the request is not executed again. */
export const isDropped = ({ status, body }: Pick<StoredResponse, "status" | "body">): boolean =>
  status === 410 && body === "";
