import { recordAct } from "../../audit/commands.ts";
import { version } from "../../config.ts";
import type { Tx } from "../../database/store.ts";
import { Fault } from "../../kit/fault.ts";
import { wireId } from "../../kit/ids.ts";
import { modes } from "../../kit/mode.ts";
import { membershipView } from "../membership.ts";
import { actingView, shownPermissions } from "../sessions/acting.ts";
import { type Going, refuseWithoutMembership } from "../sessions/commands.ts";
import { maySignIn } from "../status.ts";
import { getUser } from "../store.ts";
import type { User } from "../user.ts";

/** The second factor that a user may have to show. */
export interface SecondFactor {
  /** Whether this user has to have one. */
  readonly isNeeded: (user: User) => boolean;
  /** Whether this user has one, and has to show a code at each sign-in. */
  readonly isRequired: (user: User) => boolean;
  /** Whether a code is valid. Each code is valid once: this uses it up. */
  readonly verify: (tx: Tx, user: User, code: string) => Promise<boolean>;
}

/** The signed-in user with permissions, as whom the session acts, as the dashboard gets it. */
export function signedIn({ user, acting, merchants }: Going, second: SecondFactor) {
  const { name, email, memberships } = user;
  const { role } = acting.membership;
  const { merchant, view_as } = actingView(acting, merchants);
  const second_factor = second.isRequired(user);
  const second_factor_required = !second_factor && second.isNeeded(user);
  return {
    user: { id: wireId("user", user.id), name, email, role, second_factor, second_factor_required },
    permissions: second_factor_required ? [] : shownPermissions(acting),
    memberships: memberships.map((one) => membershipView(one, merchants)),
    merchant,
    view_as,
    worlds: modes,
    version,
  };
}

/** The refusal of a sign-in, the same whether the address or the password is wrong. */
export const wrongCredentials = () => new Fault("invalid_credentials", "The e-mail address or the password is wrong.");

/**
 * Signs in a user whose password was right when the record was `seen`, unless the user was changed since. The code has
 * to be valid if the user needs one.
 * Refuses: invalid_credentials, second_factor_invalid, merchant_closed, resource_missing.
 */
export async function admitUser(tx: Tx, seen: User, code: string | null, second: SecondFactor): Promise<User> {
  const user = await getUser(tx, seen.id);
  if (!maySignIn(user.status) || user.password_hash !== seen.password_hash) throw wrongCredentials();
  if (!second.isRequired(user) || (code !== null && (await second.verify(tx, user, code)))) {
    await refuseWithoutMembership(tx, user, wrongCredentials);
    return user;
  }
  throw new Fault("second_factor_invalid", "This code is wrong or was used before.");
}

/** The client of a sign-in, a sign-out or an attempt. */
export interface Visit {
  readonly ip: string | null;
  readonly request_id: string;
}

/** Adds to the audit trail that a user has signed in or out, or chosen a password. */
export async function keepVisit(
  tx: Tx,
  action: "signIn" | "signOut" | "setUp" | "acceptInvitation" | "resetPassword",
  { id, name }: Pick<User, "id" | "name">,
  { ip, request_id }: Visit,
): Promise<void> {
  const actor = { type: "user", id: wireId("user", id), name, request_id } as const;
  await recordAct(tx, { actor, world: "live", action, targets: [actor.id], ip, status: 200, facts: {} });
}

/** Adds a failed sign-in to the audit trail. */
export async function keepFailure(
  tx: Tx,
  { email, user, code }: { readonly email: string; readonly user: User | null; readonly code: string },
  { ip, request_id }: Visit,
): Promise<void> {
  const actor = { type: "system", id: "stranger", name: "Somebody", request_id } as const;
  const targets = user === null ? [] : [wireId("user", user.id)];
  const facts = { email, code };
  await recordAct(tx, { actor, world: "live", action: "signInFailed", targets, ip, status: 401, facts });
}
