import { version } from "../../core/config.ts";
import { environments } from "../../core/environment.ts";
import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { fullBucket, type RateLimit, secondsToFull, type TokenBucket, takeToken } from "../../http/auth/rate_limits.ts";
import type { Tx } from "../../storage/database.ts";
import { recordAct } from "../audit_log/audit_log.sql.ts";
import { type FloorDevice, ownDeviceView } from "../badges/floor_device.ts";
import { maySignIn } from "../identity.transitions.ts";
import { membershipView, type User } from "../users/user.ts";
import { getUser } from "../users/users.sql.ts";
import { actingView, shownPermissions } from "./session.ts";
import { type ActiveSession, refuseWithoutMembership } from "./sessions.ts";

const names_max = 10_000;

/** Limits the failed attempts for a name. Successes are not counted. */
export interface AttemptLimiter {
  /** Counts an attempt. Returns 0 if it is allowed, otherwise the seconds to wait. */
  readonly begin: (name: string, now: number) => number;
  /** Removes the last attempt from the count. */
  readonly succeeded: (name: string) => void;
}

/** Counts attempts in the memory of this process, for the `max` names that were counted last. */
export function attempts(rate: RateLimit, max = names_max): AttemptLimiter {
  const buckets = new Map<string, TokenBucket>();
  const begin = (name: string, now: number) => {
    const bucket = buckets.get(name) ?? fullBucket(rate, now);
    buckets.delete(name);
    for (const oldest of buckets.keys()) {
      if (buckets.size < max) break;
      buckets.delete(oldest);
    }
    buckets.set(name, bucket);
    return takeToken(bucket, rate, now) ? 0 : secondsToFull(bucket, { ...rate, burst: 1 });
  };
  const succeeded = (name: string) => {
    const bucket = buckets.get(name);
    if (bucket !== undefined) bucket.tokens = Math.min(rate.burst, bucket.tokens + 1);
  };
  return { begin, succeeded };
}

/** The check of second factors at sign-in. */
export interface SecondFactorCheck {
  /** Whether this user must set one up. */
  readonly isNeeded: (user: User) => boolean;
  /** Whether this user has one and must send a code at each sign-in. */
  readonly isRequired: (user: User) => boolean;
  /** Whether a code is valid. Each code is valid once: this uses it up. */
  readonly verify: (tx: Tx, user: User, code: string) => Promise<boolean>;
}

/** The signed-in user with permissions and active membership, for the dashboard. */
export function signedIn({ user, acting, merchants, device }: ActiveSession, second: SecondFactorCheck) {
  const { name, email, memberships } = user;
  const { role } = acting.membership;
  const { merchant, view_as } = actingView(acting, merchants);
  const second_factor = second.isRequired(user);
  const second_factor_required = device === null && !second_factor && second.isNeeded(user);
  return {
    user: { id: wireId("user", user.id), name, email, role, second_factor, second_factor_required },
    permissions: second_factor_required ? [] : shownPermissions(acting),
    memberships: memberships.map((membership) => membershipView(membership, merchants)),
    merchant,
    view_as,
    device: device === null ? null : ownDeviceView(device),
    modes: environments,
    version,
  };
}

/** The refusal of a sign-in, the same whether the address or the password is wrong. */
export const wrongCredentials = () => new Fault("invalid_credentials", "The email address or the password is wrong.");

/**
 * Admits a user whose password matched the record `seen`, unless the user was changed since. `code` must be valid if
 * the user has a second factor.
 * Refuses: invalid_credentials, second_factor_invalid, merchant_closed, resource_missing.
 */
export async function admitUser(tx: Tx, seen: User, code: string | null, second: SecondFactorCheck): Promise<User> {
  const user = await getUser(tx, seen.id);
  if (!maySignIn(user.status) || user.password_hash !== seen.password_hash) throw wrongCredentials();
  if (!second.isRequired(user) || (code !== null && (await second.verify(tx, user, code)))) {
    await refuseWithoutMembership(tx, user, wrongCredentials);
    return user;
  }
  throw new Fault("second_factor_invalid", "This code is wrong or was already used.");
}

/** The client of a sign-in, a sign-out or an attempt. */
export interface SignInClient {
  readonly ip: string | null;
  readonly request_id: string;
  /** The device of a sign-in by badge. */
  readonly device_id?: number;
}

/** Records in the audit log that a user has signed in or out, or chosen a password. */
export async function recordVisit(
  tx: Tx,
  action: "signIn" | "signOut" | "setUp" | "acceptInvitation" | "resetPassword",
  { id, name }: Pick<User, "id" | "name">,
  { ip, request_id, device_id }: SignInClient,
): Promise<void> {
  const actor = { type: "user", id: wireId("user", id), name, request_id } as const;
  const targets = [actor.id, ...(device_id === undefined ? [] : [wireId("floor_device", device_id)])];
  await recordAct(tx, { actor, mode: "live", action, targets, ip, status: 200, facts: {} });
}

/** Records in the audit log that a browser has opened the link of a floor device. */
export async function recordOpenedLink(
  tx: Tx,
  { id, name }: Pick<FloorDevice, "id" | "name">,
  { ip, request_id }: SignInClient,
): Promise<void> {
  const device = wireId("floor_device", id);
  const actor = { type: "system", id: device, name, request_id } as const;
  await recordAct(tx, { actor, mode: "live", action: "openDeviceLink", targets: [device], ip, status: 200, facts: {} });
}

/** A failed sign-in: with an email address, or by badge. */
interface FailedSignIn {
  readonly email?: string;
  readonly user: Pick<User, "id"> | null;
  readonly code: string;
}

/** Records a failed sign-in in the audit log. */
export async function recordFailedSignIn(
  tx: Tx,
  { email, user, code }: FailedSignIn,
  { ip, request_id, device_id }: SignInClient,
): Promise<void> {
  const actor = { type: "system", id: "anonymous", name: "Somebody", request_id } as const;
  const targets = [
    ...(user === null ? [] : [wireId("user", user.id)]),
    ...(device_id === undefined ? [] : [wireId("floor_device", device_id)]),
  ];
  const facts = { ...(email !== undefined && { email }), code };
  await recordAct(tx, { actor, mode: "live", action: "signInFailed", targets, ip, status: 401, facts });
}
