import { asc, lt } from "drizzle-orm";
import { amongThose } from "../../../db/kit.ts";
import { carrier_callbacks } from "../../../db/schema/tracking.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Tx, Writing } from "../../database/store.ts";

const insertNew = prepared((sql: Writing, a: Args<{ account_id: number; event_id: string; received_at: number }>) =>
  sql
    .insert(carrier_callbacks)
    .values({ account_id: a.account_id, event_id: a.event_id, received_at: a.received_at })
    .onConflictDoNothing()
    .returning({ id: carrier_callbacks.id }),
);

/** Stores that a callback of an account was received; false when it was received before. */
export async function insertCallback(tx: Tx, account_id: number, event_id: string): Promise<boolean> {
  return (await insertNew(tx, { account_id, event_id, received_at: tx.now })).length === 1;
}

/** Deletes up to `limit` callbacks received before a moment, and answers how many. */
export async function deleteCallbacks(tx: Tx, before: number, limit: number): Promise<number> {
  const { id, received_at } = carrier_callbacks;
  const old = tx.sql
    .select({ id })
    .from(carrier_callbacks)
    .where(lt(received_at, before))
    .orderBy(asc(received_at))
    .limit(limit);
  return (await tx.sql.delete(carrier_callbacks).where(amongThose(id, old)).returning({ id })).length;
}
