import { version } from "../../config.ts";
import type { Db, Tx } from "../../database/store.ts";
import { Fault } from "../../kit/fault.ts";
import { wireId } from "../../kit/ids.ts";
import { modes } from "../../kit/mode.ts";
import { getUser } from "../store.ts";
import type { User } from "../user.ts";

/** What a user may have to show beside his password. */
export interface SecondFactor {
  /** Whether this user has to show a code when he signs in. */
  readonly isRequired: (db: Db, user: User) => Promise<boolean>;
  /** Whether a code is good. It is taken up by this, so that it is good once. */
  readonly verify: (tx: Tx, user: User, code: string) => Promise<boolean>;
}

/** Who is signed in and what he may do, as the dashboard is told. */
export async function signedIn(db: Db, user: User, second: SecondFactor | null) {
  const { name, email, role, permissions } = user;
  const second_factor = (await second?.isRequired(db, user)) ?? false;
  return {
    user: { id: wireId("user", user.id), name, email, role, second_factor },
    permissions,
    worlds: modes,
    version,
  };
}

/** What is said to who may not come in, whatever it is that is wrong. */
export const wrongCredentials = () => new Fault("invalid_credentials", "The e-mail address or the password is wrong.");

/**
 * Lets a user in whose password was right when he was `seen`, if nothing has become of him since, and if his code is
 * good where he needs one.
 * Refuses: invalid_credentials, second_factor_invalid, resource_missing.
 */
export async function admitUser(tx: Tx, seen: User, code: string | null, second: SecondFactor | null): Promise<User> {
  const user = await getUser(tx, seen.id);
  if (user.status !== "active" || user.password_hash !== seen.password_hash) throw wrongCredentials();
  if (second === null || !(await second.isRequired(tx, user))) return user;
  if (code !== null && (await second.verify(tx, user, code))) return user;
  throw new Fault("second_factor_invalid", "This code is wrong, or was used before.");
}
