import { and, asc, count, eq, isNull } from "drizzle-orm";
import { api_keys } from "../../db/schema/keys.ts";
import { type Args, prepared } from "../database/statements.ts";
import type { Db, Tx } from "../database/store.ts";
import { assert } from "../kit/assert.ts";
import type { ApiKey } from "./key.ts";

const byHash = prepared((sql, a: Args<{ hash: string }>) =>
  sql.select().from(api_keys).where(eq(api_keys.hash, a.hash)),
);

/** The key with this hash, revoked or not, or null. */
export async function findKeyByHash(db: Db, hash: string): Promise<ApiKey | null> {
  const [row] = await byHash(db, { hash });
  return row ?? null;
}

/** All keys, oldest first. */
export async function listKeys(db: Db): Promise<ApiKey[]> {
  return db.sql.select().from(api_keys).orderBy(asc(api_keys.id));
}

/** The number of keys that are not revoked. */
export async function countKeys(db: Db): Promise<number> {
  const [row] = await db.sql.select({ n: count() }).from(api_keys).where(isNull(api_keys.revoked_at));
  return row?.n ?? 0;
}

/** Stores a new key. */
export async function insertKey(tx: Tx, key: Omit<ApiKey, "id">): Promise<ApiKey> {
  const [row] = await tx.sql.insert(api_keys).values(key).returning();
  assert(row, "a stored key is returned");
  return row;
}

/** Marks a key as revoked; null when there is none with this id. One revoked before keeps its moment. */
export async function revokeKeyRow(tx: Tx, id: number, at: number): Promise<ApiKey | null> {
  const [changed] = await tx.sql
    .update(api_keys)
    .set({ revoked_at: at })
    .where(and(eq(api_keys.id, id), isNull(api_keys.revoked_at)))
    .returning();
  if (changed) return changed;
  const [row] = await tx.sql.select().from(api_keys).where(eq(api_keys.id, id));
  return row ?? null;
}

/** Notes that a key was used. */
export async function touchKey(tx: Tx, id: number): Promise<void> {
  await tx.sql.update(api_keys).set({ last_used_at: tx.now }).where(eq(api_keys.id, id));
}
