import { takeTurn } from "../database/lease.ts";
import { unscoped } from "../database/scope.ts";
import type { Tx } from "../database/store.ts";
import { Fault, missing } from "../kit/fault.ts";
import { readId } from "../kit/ids.ts";
import { findUserByEmail, getUser, insertUser, listUsers, type NewUser, saveRoles } from "./store.ts";
import type { User } from "./user.ts";

/** Stores the roles of this version of the program. */
export async function ensureRoles(tx: Tx): Promise<void> {
  await saveRoles(tx);
}

/** Creates a user. Without a password, the user has to choose one through a link. Refuses: duplicate_email. */
export async function createUser(tx: Tx, input: NewUser): Promise<User> {
  await takeTurn(tx, "users.change");
  await saveRoles(tx);
  const id = await insertUser(tx, input);
  if (id !== null) return getUser(tx, id);
  const existing = await findUserByEmail(tx, input.email);
  throw new Fault("duplicate_email", `There is a user with the e-mail address ${input.email} already.`, {
    existing_id: existing === null ? null : `usr_${existing.id}`,
  });
}

/** The user that an identifier names, locked until this transaction ends. Refuses: resource_missing. */
export async function lockUser(tx: Tx, id: string): Promise<User> {
  await takeTurn(tx, "users.change");
  return getUser(tx, id);
}

/** Every user, whatever the scope sees, locked until this transaction ends. */
export async function lockUsers(tx: Tx): Promise<User[]> {
  await takeTurn(tx, "users.change");
  return listUsers(tx.scoped(unscoped));
}

/** The one of these users that an identifier names. Refuses: resource_missing. */
export function userNamed(users: readonly User[], id: string): User {
  const user = users.find((one) => one.id === readId("user", id));
  if (user === undefined) throw missing("user", id);
  return user;
}
