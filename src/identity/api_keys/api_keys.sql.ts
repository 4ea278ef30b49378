import { and, asc, eq, gt, inArray, isNull, lte, or, type SQL } from "drizzle-orm";
import { api_keys } from "../../../db/schema/keys.ts";
import { key_observations } from "../../../db/schema/requests.ts";
import { assert } from "../../core/faults.ts";
import { choice } from "../../core/schema.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { anyOf, recordList, search } from "../../storage/record_list.ts";
import { recordLookup } from "../../storage/record_lookup.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import { type KeyStatus, keyStatuses } from "../identity.transitions.ts";
import type { ApiKey } from "./api_key.ts";

/** The requests that a key's IP list would have refused since it was set. */
export type IpObservation = Omit<typeof key_observations.$inferSelect, "key_id">;

/** The observations of these keys, by key id. */
export async function findObservations(
  db: Db,
  key_ids: readonly number[],
): Promise<ReadonlyMap<number, IpObservation>> {
  if (key_ids.length === 0) return new Map();
  const rows = await db.sql
    .select()
    .from(key_observations)
    .where(inArray(key_observations.key_id, [...key_ids]));
  return new Map(rows.map(({ key_id, ...observation }) => [key_id, observation]));
}

/** Stores the observation of a key. */
export async function saveObservation(tx: Tx, key_id: number, observation: IpObservation): Promise<void> {
  await tx.sql
    .insert(key_observations)
    .values({ key_id, ...observation })
    .onConflictDoUpdate({ target: key_observations.key_id, set: observation });
}

/** Deletes the observation of a key, because its list changes. */
export async function forgetObservation(tx: Tx, key_id: number): Promise<void> {
  await tx.sql.delete(key_observations).where(eq(key_observations.key_id, key_id));
}

const byHash = prepared((sql, a: StatementArgs<{ hash: string }>) =>
  sql.select().from(api_keys).where(eq(api_keys.hash, a.hash)),
);

/** The key with this hash, revoked or not, or null. */
export async function findKeyByHash(db: Db, hash: string): Promise<ApiKey | null> {
  const [row] = await byHash(db, { hash });
  return row ?? null;
}

/** The key that an identifier names: `key_1001` or `1001`. Refuses: resource_missing. */
export const { get: getKey } = recordLookup(api_keys, "key", { called: "API key" });

/** All keys, oldest first. */
export async function listKeys(db: Db): Promise<ApiKey[]> {
  return db.sql.select().from(api_keys).orderBy(asc(api_keys.id));
}

const { revoked_at, expires_at } = api_keys;
const isNotRevoked = (now: number) => or(isNull(revoked_at), gt(revoked_at, now));
const statusAt: Readonly<Record<KeyStatus, (now: number) => SQL | undefined>> = {
  active: (now) => and(isNotRevoked(now), or(isNull(expires_at), gt(expires_at, now))),
  expired: (now) => and(isNotRevoked(now), lte(expires_at, now)),
  revoked: (now) => lte(revoked_at, now),
};

/** Keys, newest first. */
export const keyList = recordList(api_keys, {
  filters: {
    status: anyOf(choice(keyStatuses), (status, { now }) => statusAt[status](now)),
    q: search("Part of the name.", [api_keys.name]),
  },
});

/** Stores a new key. */
export async function insertKey(tx: Tx, key: Omit<ApiKey, "id">): Promise<ApiKey> {
  const [row] = await tx.sql.insert(api_keys).values(key).returning();
  assert(row, "a stored key is returned");
  return row;
}

/** Stores the changed settings of a key and returns it with its revision incremented. */
export async function saveKey(tx: Tx, key: ApiKey): Promise<ApiKey> {
  const { name, ip_mode, ip_list, rate_limit_per_minute, expires_at, revoked_at, replaced_by } = key;
  const revision = key.revision + 1;
  await tx.sql
    .update(api_keys)
    .set({ name, ip_mode, ip_list, rate_limit_per_minute, expires_at, revoked_at, replaced_by, revision })
    .where(eq(api_keys.id, key.id));
  tx.changed("keys");
  return { ...key, revision };
}

/** Stores that a key was used now. */
export async function touchKey(tx: Tx, id: number): Promise<void> {
  await tx.sql.update(api_keys).set({ last_used_at: tx.now }).where(eq(api_keys.id, id));
}
