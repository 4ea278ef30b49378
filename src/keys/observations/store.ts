import { eq, inArray } from "drizzle-orm";
import { key_observations } from "../../../db/schema/requests.ts";
import type { Db, Tx } from "../../database/store.ts";

/** What the address list of a key would have refused since it was set. */
export type Observation = Omit<typeof key_observations.$inferSelect, "key_id">;

/** What was observed of some keys, by their ids. */
export async function findObservations(db: Db, key_ids: readonly number[]): Promise<ReadonlyMap<number, Observation>> {
  if (key_ids.length === 0) return new Map();
  const rows = await db.sql
    .select()
    .from(key_observations)
    .where(inArray(key_observations.key_id, [...key_ids]));
  return new Map(rows.map(({ key_id, ...observation }) => [key_id, observation]));
}

/** Stores what was observed of a key. */
export async function saveObservation(tx: Tx, key_id: number, observation: Observation): Promise<void> {
  await tx.sql
    .insert(key_observations)
    .values({ key_id, ...observation })
    .onConflictDoUpdate({ target: key_observations.key_id, set: observation });
}

/** Forgets what was observed of a key, because its list changes. */
export async function forgetObservation(tx: Tx, key_id: number): Promise<void> {
  await tx.sql.delete(key_observations).where(eq(key_observations.key_id, key_id));
}
