import { and, eq, gt, lt, lte, or, sql as template } from "drizzle-orm";
import { badges } from "../../../db/schema/people.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import { attempts_max, lock_ms, type UserBadge } from "./badge.ts";

const ofUser = prepared((sql, a: StatementArgs<{ user_id: number }>) =>
  sql.select().from(badges).where(eq(badges.user_id, a.user_id)),
);

/** The badge and PIN of a user, or null. */
export async function findBadge(db: Db, user_id: number): Promise<UserBadge | null> {
  const [row] = await ofUser(db, { user_id });
  return row ?? null;
}

/** The badge with this hash, or null. */
export async function findBadgeByHash(db: Db, hash: string): Promise<UserBadge | null> {
  const [row] = await db.sql.select().from(badges).where(eq(badges.hash, hash));
  return row ?? null;
}

/** Stores the badge, the PIN or both of a user, with no attempts counted. */
export async function saveBadge(
  tx: Tx,
  user_id: number,
  change: Partial<Pick<UserBadge, "hash" | "made_at" | "pin_hash" | "pin_is_temporary">>,
): Promise<void> {
  const fresh = { ...change, attempts: 0, last_attempt_at: null };
  await tx.sql
    .insert(badges)
    .values({ user_id, pin_is_temporary: false, ...fresh })
    .onConflictDoUpdate({ target: badges.user_id, set: fresh });
}

/** Counts an attempt with a badge; false if it is locked. Attempts longer ago than a lock lasts are forgotten. */
export async function countAttempt(tx: Tx, user_id: number): Promise<boolean> {
  const longAgo = tx.now - lock_ms;
  const counted = await tx.sql
    .update(badges)
    .set({
      attempts: template`case when ${badges.last_attempt_at} > ${longAgo} then ${badges.attempts} + 1 else 1 end`,
      last_attempt_at: tx.now,
    })
    .where(
      and(eq(badges.user_id, user_id), or(lt(badges.attempts, attempts_max), lte(badges.last_attempt_at, longAgo))),
    )
    .returning({ user_id: badges.user_id });
  return counted.length > 0;
}

/** Takes back an attempt that failed for another reason than a wrong PIN. */
export async function takeBackAttempt(tx: Tx, user_id: number): Promise<void> {
  await tx.sql
    .update(badges)
    .set({ attempts: template`${badges.attempts} - 1` })
    .where(and(eq(badges.user_id, user_id), gt(badges.attempts, 0)));
}
