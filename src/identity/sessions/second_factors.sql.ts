import { and, asc, eq, isNull, lt } from "drizzle-orm";
import { recovery_codes, second_factors } from "../../../db/schema/people.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { insert, prepared, type StatementArgs } from "../../storage/statements.ts";
import type { SecondFactor } from "./second_factor.ts";

const ofUser = prepared((sql, a: StatementArgs<{ user_id: number }>) =>
  sql.select().from(second_factors).where(eq(second_factors.user_id, a.user_id)),
);

/** The second factor of a user, set up or being set up, or null. */
export async function findSecondFactor(db: Db, user_id: number): Promise<SecondFactor | null> {
  const [row] = await ofUser(db, { user_id });
  return row ?? null;
}

/** All second factors, by user. */
export async function listSecondFactors(db: Db): Promise<SecondFactor[]> {
  return db.sql.select().from(second_factors).orderBy(asc(second_factors.user_id));
}

/** Stores an unconfirmed second factor in place of another unconfirmed one. False if one is already confirmed. */
export async function insertPending(tx: Tx, user_id: number, secret: string): Promise<boolean> {
  const fresh = { secret, confirmed_at: null, last_period: 0, created_at: tx.now };
  const rows = await tx.sql
    .insert(second_factors)
    .values({ user_id, ...fresh })
    .onConflictDoUpdate({ target: second_factors.user_id, set: fresh, setWhere: isNull(second_factors.confirmed_at) })
    .returning({ user_id: second_factors.user_id });
  return rows.length === 1;
}

/** Stores the period of a used code. False if a code of that period or a later one was already used. */
export async function takePeriod(tx: Tx, user_id: number, last_period: number): Promise<boolean> {
  const rows = await tx.sql
    .update(second_factors)
    .set({ last_period })
    .where(and(eq(second_factors.user_id, user_id), lt(second_factors.last_period, last_period)))
    .returning({ user_id: second_factors.user_id });
  return rows.length === 1;
}

/** Stores that the second factor was confirmed. */
export async function saveConfirmed(tx: Tx, user_id: number): Promise<void> {
  await tx.sql.update(second_factors).set({ confirmed_at: tx.now }).where(eq(second_factors.user_id, user_id));
}

/** Deletes the second factor and the recovery codes of a user. */
export async function deleteSecondFactor(tx: Tx, user_id: number): Promise<void> {
  await tx.sql.delete(recovery_codes).where(eq(recovery_codes.user_id, user_id));
  await tx.sql.delete(second_factors).where(eq(second_factors.user_id, user_id));
}

/** Replaces all recovery codes of a user. */
export async function replaceCodes(tx: Tx, user_id: number, hashes: readonly string[]): Promise<void> {
  await tx.sql.delete(recovery_codes).where(eq(recovery_codes.user_id, user_id));
  await insert(
    tx,
    recovery_codes,
    hashes.map((hash) => ({ user_id, hash, used_at: null })),
  );
}

const unused = (user_id: number) => and(eq(recovery_codes.user_id, user_id), isNull(recovery_codes.used_at));

/** Uses up a recovery code. False if the user has no unused one with this hash. */
export async function takeCode(tx: Tx, user_id: number, hash: string): Promise<boolean> {
  const rows = await tx.sql
    .update(recovery_codes)
    .set({ used_at: tx.now })
    .where(and(unused(user_id), eq(recovery_codes.hash, hash)))
    .returning({ id: recovery_codes.id });
  return rows.length === 1;
}

/** The number of unused recovery codes of a user. */
export async function countCodes(db: Db, user_id: number): Promise<number> {
  return db.sql.$count(recovery_codes, unused(user_id));
}
