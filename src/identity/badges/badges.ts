import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { Tx } from "../../storage/database.ts";
import { maySignIn } from "../identity.transitions.ts";
import { tokenHashOf } from "../sessions/session.ts";
import { endBadgeSessions } from "../sessions/sessions.sql.ts";
import { membershipAt, type User } from "../users/user.ts";
import { getUser } from "../users/users.sql.ts";
import { badgeCode, lock_ms, lockedUntil, type UserBadge } from "./badge.ts";
import { countAttempt, findBadge, findBadgeByHash, saveBadge } from "./badges.sql.ts";

/** Refuses users of merchants only, who do not work on the floor. Refuses: not_for_merchants. */
function refuseMerchantUser({ memberships }: Pick<User, "memberships">): void {
  if (membershipAt(memberships, null) !== null) return;
  throw new Fault("not_for_merchants", "Only users of the operator have a badge and a PIN.");
}

/**
 * Makes a new badge of a user, in place of the old one, and ends the sessions that began with it. Returns its code, of
 * which only the hash is stored. `random` has `badge_bytes` random bytes. Refuses: not_for_merchants.
 */
export async function makeBadge(tx: Tx, user: User, random: Uint8Array): Promise<string> {
  refuseMerchantUser(user);
  const code = badgeCode(random);
  await saveBadge(tx, user.id, { hash: tokenHashOf(code), made_at: tx.now });
  await endBadgeSessions(tx, user.id);
  return code;
}

/** Removes the badge of a user, if there is one, and ends the sessions that began with it. */
export async function removeBadge(tx: Tx, user: User): Promise<void> {
  await saveBadge(tx, user.id, { hash: null, made_at: null });
  await endBadgeSessions(tx, user.id);
}

/** Sets the PIN of a user, the user's own or a temporary one. Unlocks the badge. Refuses: not_for_merchants. */
export async function setPin(tx: Tx, user: User, pin_hash: string, pin_is_temporary: boolean): Promise<void> {
  refuseMerchantUser(user);
  await saveBadge(tx, user.id, { pin_hash, pin_is_temporary });
}

/** A refusal that is the same for an unknown badge and for a wrong PIN. */
export const wrongBadge = () => new Fault("invalid_credentials", "The badge or the PIN is wrong.");

/** The refusal of a badge that is locked for some time (ms). */
export const badgeLocked = (remaining_ms: number) =>
  new Fault("rate_limited", "Too many wrong PINs. This badge is locked for a while.", {
    retry_after_seconds: Math.ceil(remaining_ms / 1000),
  });

/**
 * Counts an attempt with a badge and returns it; null for an unknown badge. The attempt is counted before its PIN is
 * checked, so that simultaneous attempts are limited as well. Refuses: rate_limited (the badge is locked).
 */
export async function beginAttempt(tx: Tx, code: string): Promise<UserBadge | null> {
  const badge = await findBadgeByHash(tx, tokenHashOf(code));
  if (badge === null || (await countAttempt(tx, badge.user_id))) return badge;
  const until = lockedUntil(badge, tx.now);
  throw badgeLocked(until === null ? lock_ms : until - tx.now);
}

/**
 * Admits the user of a badge whose PIN was right, unless the badge, the PIN or the user were changed since.
 * `new_pin_hash` replaces a temporary PIN. Refuses: invalid_credentials, resource_missing.
 */
export async function admitByBadge(tx: Tx, seen: UserBadge, new_pin_hash: string | null): Promise<User> {
  const user = await getUser(tx, seen.user_id);
  const badge = await findBadge(tx, seen.user_id);
  const own = membershipAt(user.memberships, null);
  const is_same = badge !== null && badge.hash === seen.hash && badge.pin_hash === seen.pin_hash;
  if (!is_same || !maySignIn(user.status) || own === null || !maySignIn(own.status)) throw wrongBadge();
  await saveBadge(tx, user.id, new_pin_hash === null ? {} : { pin_hash: new_pin_hash, pin_is_temporary: false });
  return user;
}

/** The refusal of a temporary PIN without the PIN that replaces it. */
export const newPinRequired = ({ user_id }: UserBadge) =>
  new Fault("new_pin_required", "This PIN is temporary. Choose a PIN of your own.", { user: wireId("user", user_id) });
