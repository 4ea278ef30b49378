import { Fault, missing } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { type CachedMerchant, Merchants } from "../../merchants/directory.sql.ts";
import { isClosed } from "../../merchants/merchant.transitions.ts";
import { refuseClosed } from "../../merchants/merchant.ts";
import { listMerchants } from "../../merchants/merchants.sql.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { maySignIn } from "../identity.transitions.ts";
import type { User } from "../users/user.ts";
import { membershipAt, openMemberships } from "../users/user.ts";
import { noteSignIn } from "../users/users.sql.ts";
import {
  type ActiveMembership,
  activeMembershipOf,
  badge_session_ms,
  badgeTokenOf,
  type Session,
  session_ms,
  tokenHashOf,
  tokenOf,
} from "./session.ts";
import {
  deleteExpiredSessions,
  endSessionCalled,
  endSessionsOn,
  findSession,
  insertSession,
  type SessionWithUser,
  saveActing,
} from "./sessions.sql.ts";

/** The client that signs in. */
interface SignInOrigin {
  readonly ip: string | null;
  readonly user_agent: string | null;
  /** The token of the browser's session until now, which ends. */
  readonly previous: string | null;
  /** The device on which the user signs in by badge. The session on it until now ends. */
  readonly device_id?: number;
}

/**
 * Begins a session. Its token is always new, whatever the browser sent. `random` is 32 random bytes.
 */
export async function beginSession(
  tx: Tx,
  user_id: number,
  { ip, user_agent, previous, device_id }: SignInOrigin,
  random: Uint8Array,
): Promise<{ session: Session; token: string }> {
  const token = device_id === undefined ? tokenOf(random) : badgeTokenOf(random);
  if (previous !== null) await endSessionCalled(tx, tokenHashOf(previous));
  if (device_id !== undefined) await endSessionsOn(tx, device_id);
  await deleteExpiredSessions(tx);
  await noteSignIn(tx, user_id);
  const lasts_ms = device_id === undefined ? session_ms : badge_session_ms;
  const times = { created_at: tx.now, last_seen_at: tx.now, expires_at: tx.now + lasts_ms };
  const acting = { acts_for: null, views_as: null, device_id: device_id ?? null };
  const session = { user_id, hash: tokenHashOf(token), ip, user_agent, ...acting, ...times };
  return { token, session: await insertSession(tx, session) };
}

class SessionMerchants extends Merchants {
  readonly isClosed = (id: number): boolean => {
    const merchant = this.byId(id);
    return merchant === null || isClosed(merchant.status);
  };
}

/** All merchants, for sessions. */
export async function sessionMerchants(db: Db): Promise<SessionMerchants> {
  return new SessionMerchants(await listMerchants(db));
}

/** A valid session with its user and the membership that the user acts as. */
export interface ActiveSession extends SessionWithUser {
  readonly acting: ActiveMembership;
  readonly merchants: SessionMerchants;
}

const ended = (message = "Your session has ended. Sign in again.") => new Fault("authentication_required", message);

/**
 * The session with this hash, expired or not. `named` is the merchant that the user acts for in this request only, or
 * null. `unknown` is the refusal if the user is not a member of it.
 * Refuses: authentication_required, and `unknown`.
 */
export async function resumeSession(
  db: Db,
  hash: string,
  named: string | null,
  unknown: () => Fault,
): Promise<ActiveSession> {
  const opened = await findSession(db, hash);
  if (opened === null || !maySignIn(opened.user.status)) throw ended();
  const { user, session } = opened;
  const merchants = await sessionMerchants(db);
  const chosen = activeMembershipOf(user, session, merchants, null);
  if (chosen === null) throw ended(closedTo(user, merchants) ?? undefined);
  // The operator's users narrow a request to a merchant without acting as its member.
  if (named === null || chosen.membership.merchant_id === null) return { ...opened, merchants, acting: chosen };
  const merchant = merchants.named(named);
  const acting = merchant === null ? null : activeMembershipOf(user, session, merchants, merchant.id);
  if (acting === null) throw unknown();
  return { ...opened, merchants, acting };
}

/** The message for a user whose only merchants are closed, otherwise null. */
function closedTo({ memberships }: User, merchants: SessionMerchants): string | null {
  if (openMemberships(memberships, merchants.isClosed).length > 0) return null;
  const left = memberships.find(({ status, merchant_id }) => maySignIn(status) && merchant_id !== null);
  const merchant = left?.merchant_id == null ? null : merchants.byId(left.merchant_id);
  return merchant === null ? null : `${merchant.name} is closed. Its users can no longer sign in.`;
}

/** Refuses a user without an open membership. Refuses: merchant_closed, and `wrong`. */
export async function refuseWithoutMembership(db: Db, user: User, wrong: () => Fault): Promise<void> {
  const merchants = await sessionMerchants(db);
  if (openMemberships(user.memberships, merchants.isClosed).length > 0) return;
  const closed = closedTo(user, merchants);
  throw closed === null ? wrong() : new Fault("merchant_closed", closed);
}

/**
 * Switches a session to another of its user's memberships: at a merchant, or with the operator (null). `unknown` is the
 * refusal if there is none.
 */
export async function chooseMembership(
  tx: Tx,
  { user, session, merchants }: ActiveSession,
  merchant_id: number | null,
  unknown: () => Fault,
): Promise<void> {
  const open = openMemberships(user.memberships, merchants.isClosed);
  if (membershipAt(open, merchant_id) === null) throw unknown();
  await saveActing(tx, { ...session, acts_for: merchant_id, views_as: null });
}

/**
 * Starts viewing as a merchant, for a session of the operator.
 * Refuses: not_for_merchants, view_only (it already does), merchant_closed.
 */
export async function beginViewAs(tx: Tx, { session, acting }: ActiveSession, merchant: CachedMerchant): Promise<void> {
  if (acting.membership.merchant_id !== null) {
    throw new Fault("not_for_merchants", "Only warehouse staff can view as a merchant.");
  }
  if (session.views_as !== null) {
    throw new Fault("view_only", "You are already viewing as a merchant. Exit that view first.");
  }
  refuseClosed(merchant);
  await saveActing(tx, { ...session, views_as: merchant.id });
}

/** Stops viewing as a merchant. Refuses: resource_missing (the session does not view as one). */
export async function endViewAs(tx: Tx, { session }: ActiveSession): Promise<void> {
  if (session.views_as === null) throw missing("view_as", wireId("session", session.id));
  await saveActing(tx, { ...session, views_as: null });
}
