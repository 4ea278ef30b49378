import { and, desc, eq, getTableColumns, gt, isNotNull, isNull, lte, ne, or } from "drizzle-orm";
import { floor_devices } from "../../../db/schema/floor_devices.ts";
import { memberships, roles, sessions, users } from "../../../db/schema/users.ts";
import { assert } from "../../core/faults.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { unscoped } from "../../storage/scope.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import type { FloorDevice } from "../badges/floor_device.ts";
import type { User } from "../users/user.ts";
import { memberColumns, usersOf } from "../users/users.sql.ts";
import type { ListedSession, Session } from "./session.ts";

const byHash = prepared((sql, a: StatementArgs<{ hash: string }>) =>
  sql
    .select({ session: sessions, device: floor_devices, ...memberColumns })
    .from(sessions)
    .leftJoin(floor_devices, eq(floor_devices.id, sessions.device_id))
    .innerJoin(users, eq(users.id, sessions.user_id))
    .innerJoin(memberships, eq(memberships.user_id, users.id))
    .innerJoin(roles, eq(roles.name, memberships.role))
    .where(eq(sessions.hash, a.hash)),
);

/** A session with its user. */
export interface SessionWithUser {
  readonly session: Session;
  readonly user: User;
  /** The device on which the user signed in by badge, or null. */
  readonly device: FloorDevice | null;
}

/** The session with this hash, expired or not, or null. Its user has all memberships, in any scope. */
export async function findSession(db: Db, hash: string): Promise<SessionWithUser | null> {
  const whole = db.scoped(unscoped);
  const rows = await byHash(whole, { hash });
  const [user] = usersOf(whole, rows);
  return rows[0] === undefined || user === undefined ? null : { ...rows[0], user };
}

/** The sessions of a user that have not expired, newest first. */
export async function listSessions(db: Db, user_id: number): Promise<ListedSession[]> {
  return db.sql
    .select({ ...getTableColumns(sessions), device_name: floor_devices.name })
    .from(sessions)
    .leftJoin(floor_devices, eq(floor_devices.id, sessions.device_id))
    .where(and(eq(sessions.user_id, user_id), gt(sessions.expires_at, db.now)))
    .orderBy(desc(sessions.id));
}

/** Stores a new session. */
export async function insertSession(tx: Tx, session: Omit<Session, "id">): Promise<Session> {
  const [row] = await tx.sql.insert(sessions).values(session).returning();
  assert(row, "a stored session is returned");
  return row;
}

/** Stores that a session was used now. */
export async function touchSession(tx: Tx, id: number): Promise<void> {
  await tx.sql.update(sessions).set({ last_seen_at: tx.now }).where(eq(sessions.id, id));
}

/** Stores which merchant the user of a session acts for or views as. */
export async function saveActing(
  tx: Tx,
  { id, acts_for, views_as }: Pick<Session, "id" | "acts_for" | "views_as">,
): Promise<void> {
  await tx.sql.update(sessions).set({ acts_for, views_as }).where(eq(sessions.id, id));
  tx.changed("users");
}

/** Fixes sessions of a user without a chosen membership to `acts_for`; null (the operator) changes nothing. */
export async function settleSessions(tx: Tx, user_id: number, acts_for: number | null): Promise<void> {
  if (acts_for === null) return;
  await tx.sql
    .update(sessions)
    .set({ acts_for })
    .where(and(eq(sessions.user_id, user_id), isNull(sessions.acts_for)));
}

/** Ends the sessions of a user that act for a merchant, and with `of_first` those without a chosen membership. */
export async function endSessionsFor(
  tx: Tx,
  user_id: number,
  merchant_id: number | null,
  of_first: boolean,
): Promise<void> {
  const chosen = merchant_id === null ? undefined : eq(sessions.acts_for, merchant_id);
  const which = or(chosen, of_first ? isNull(sessions.acts_for) : undefined);
  if (which === undefined) return;
  await tx.sql.delete(sessions).where(and(eq(sessions.user_id, user_id), which));
  tx.changed("users");
}

/** Ends a session of a user; false when the user has no such session. */
export async function endSession(tx: Tx, user_id: number, id: number): Promise<boolean> {
  const ended = await tx.sql
    .delete(sessions)
    .where(and(eq(sessions.id, id), eq(sessions.user_id, user_id)))
    .returning({ id: sessions.id });
  tx.changed("users");
  return ended.length > 0;
}

/** Ends the session with this hash, if there is one. */
export async function endSessionCalled(tx: Tx, hash: string): Promise<void> {
  await tx.sql.delete(sessions).where(eq(sessions.hash, hash));
  tx.changed("users");
}

/** Ends all sessions of a user except `kept`, and returns how many. */
export async function endSessionsOf(tx: Tx, user_id: number, kept: number | null): Promise<number> {
  const ended = await tx.sql
    .delete(sessions)
    .where(and(eq(sessions.user_id, user_id), kept === null ? undefined : ne(sessions.id, kept)))
    .returning({ id: sessions.id });
  tx.changed("users");
  return ended.length;
}

/** Ends the session on a device, if there is one. */
export async function endSessionsOn(tx: Tx, device_id: number): Promise<void> {
  await tx.sql.delete(sessions).where(eq(sessions.device_id, device_id));
  tx.changed("users");
}

/** Ends the sessions of a user that began with a badge. */
export async function endBadgeSessions(tx: Tx, user_id: number): Promise<void> {
  await tx.sql.delete(sessions).where(and(eq(sessions.user_id, user_id), isNotNull(sessions.device_id)));
  tx.changed("users");
}

/** Ends every session of all users, and returns how many. */
export async function endAllSessions(tx: Tx): Promise<number> {
  const ended = await tx.sql.delete(sessions).returning({ id: sessions.id });
  tx.changed("users");
  return ended.length;
}

/** Deletes the sessions that have expired. */
export async function deleteExpiredSessions(tx: Tx): Promise<void> {
  await tx.sql.delete(sessions).where(lte(sessions.expires_at, tx.now));
}
