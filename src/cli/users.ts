// `packhouse users …`: manages users. A running server applies a change within a second.

import { randomBytes } from "node:crypto";
import { isoOrNull } from "../core/clock.ts";
import { variable } from "../core/config.ts";
import { missing } from "../core/faults.ts";
import { choice, type FlagValues, flag, text } from "../core/flags.ts";
import { readId, wireId } from "../core/ids.ts";
import { checkOf, closed, emailField } from "../core/schema.ts";
import type { AuditFacts } from "../identity/audit_log/audit_entry.ts";
import { recordCommand } from "../identity/audit_log/audit_log.sql.ts";
import { maySignIn, type UserStatus } from "../identity/identity.transitions.ts";
import { turnOffSecondFactor } from "../identity/sessions/set_up_second_factor.ts";
import { type Role, roles } from "../identity/users/roles.ts";
import { personName } from "../identity/users/user.schema.ts";
import type { User } from "../identity/users/user.ts";
import { refuseRoleAt } from "../identity/users/user.ts";
import { findUserByEmail, getUser, listUsers } from "../identity/users/users.sql.ts";
import { createUser, makeLink, updateUser } from "../identity/users/users.ts";
import { refuseClosed } from "../merchants/merchant.ts";
import { getMerchant, listMerchants } from "../merchants/merchants.sql.ts";
import type { Tx } from "../storage/database.ts";
import type { Stores } from "../storage/open_stores.ts";
import { type Command, type CommandOutput, type Commands, dataCommand, jsonFlag } from "./command.ts";

const named = {
  user: text({
    value: "usr_N|EMAIL",
    help: "the user's id or email address from `users list`",
    required: "the user's id or email address from `users list`",
  }),
};
const creation = {
  email: text({ value: "EMAIL", help: "the address to sign in with", required: "the address to sign in with" }),
  name: text({ value: "NAME", help: "full name", required: "the user's full name" }),
  role: choice(roles, { default: "office", help: "role" }),
  merchant: text({
    value: "CODE",
    help: "add the user to this merchant, with any role except floor, instead of to the operator",
  }),
  ...jsonFlag,
};
const resetting = {
  ...named,
  "second-factor": flag("also turn off two-factor authentication, if the phone and the recovery codes are lost"),
  ...jsonFlag,
};

/** The `users` commands. */
export const userCommands: Commands = {
  "users create": dataCommand({
    summary: "create a user and print a one-time link for setting a password",
    flags: creation,
    run: create,
  }),
  "users list": dataCommand({ summary: "list users", flags: jsonFlag, run: list }),
  "users reset": dataCommand({
    summary: "print a one-time link for setting a new password",
    flags: resetting,
    run: reset,
  }),
  "users disable": setting("disabled", "disable a user and end all of their sessions"),
  "users enable": setting("active", "enable a disabled user"),
};

/** Records a change of a user in the audit log. */
function recordUserCommand(tx: Tx, action: string, { id }: User, facts: AuditFacts): Promise<void> {
  return recordCommand(tx, { mode: "live", action, targets: [wireId("user", id)], facts });
}

const checkPerson = checkOf(closed({ email: emailField(), name: personName("The person's full name.") }));

async function create(options: FlagValues<typeof creation>, { live }: Stores, { print }: CommandOutput): Promise<void> {
  const { email, name, role } = options;
  const person = checkPerson({ email, name });
  const random = randomBytes(32);
  const { user, token } = await live.write(async (tx) => {
    const merchant = options.merchant === undefined ? null : await getMerchant(tx, options.merchant);
    if (merchant !== null) refuseClosed(merchant);
    const merchant_id = merchant?.id ?? null;
    refuseRoleAt(role, merchant_id);
    const user = await createUser(tx, { ...person, role, merchant_id, password_hash: null });
    await recordUserCommand(tx, "createUser", user, { role, ...(merchant !== null && { merchant_id: merchant.code }) });
    return { user, token: await makeLink(tx, "reset", user.id, random) };
  });
  printLink(user, token, options.json, print);
}

async function list({ json }: { json: boolean }, { live }: Stores, { print }: CommandOutput): Promise<void> {
  const { users, merchants } = await live.read(async (db) => {
    return { users: await listUsers(db), merchants: await listMerchants(db) };
  });
  const codes = new Map(merchants.map(({ id, code }) => [id, code]));
  for (const user of users) {
    const { email, name, role, status } = user;
    const facts = { id: wireId("user", user.id), email, name, role, status };
    const memberships = user.memberships.map(({ merchant_id, role, status }) => {
      const merchant = merchant_id === null ? null : (codes.get(merchant_id) ?? null);
      return { merchant, role, status };
    });
    const last_sign_in_at = isoOrNull(user.last_sign_in_at);
    if (json) print(JSON.stringify({ ...facts, memberships, last_sign_in_at }));
    else print(lineOf(facts, memberships));
  }
}

function lineOf(
  { id, email, name, role, status }: Record<"id" | "email" | "name", string> & RoleAndStatus,
  memberships: readonly ({ readonly merchant: string | null } & RoleAndStatus)[],
): string {
  const at = memberships.flatMap(({ merchant, role }) => (merchant === null ? [] : [`${role} at ${merchant}`]));
  const merchants = at.length === 0 ? "" : `  (${at.join(", ")})`;
  return `${id.padEnd(10)} ${role.padEnd(8)} ${email}  ${name}${merchants}${maySignIn(status) ? "" : `  ${status}`}`;
}

interface RoleAndStatus {
  readonly role: Role;
  readonly status: UserStatus;
}

async function reset(options: FlagValues<typeof resetting>, { live }: Stores, { print }: CommandOutput): Promise<void> {
  const random = randomBytes(32);
  const { user, token } = await live.write(async (tx) => {
    const user = await userNamed(tx, options.user);
    await recordUserCommand(tx, "makeResetLink", user, {
      second_factor: options["second-factor"] ? "turned off" : "kept",
    });
    if (options["second-factor"]) await turnOffSecondFactor(tx, user.id);
    return { user, token: await makeLink(tx, "reset", user.id, random) };
  });
  printLink(user, token, options.json, print);
}

/** Declares a command that sets the status of a user. */
function setting(status: UserStatus, summary: string): Command {
  return dataCommand({
    summary,
    flags: { ...named, ...jsonFlag },
    run: async ({ user: name, json }, { live }, { print }) => {
      const user = await live.write(async (tx) => {
        const user = await userNamed(tx, name);
        await recordUserCommand(tx, "updateUser", user, { status });
        return updateUser(tx, wireId("user", user.id), { status }, { granted: null, of_merchant: null });
      });
      const id = wireId("user", user.id);
      const effect = maySignIn(status) ? "can sign in." : "is signed out and can no longer sign in.";
      print(json ? JSON.stringify({ id, status: user.status }) : `${id} (${user.email}) ${effect}`);
    },
  });
}

/** Finds a user by id or email address. */
async function userNamed(tx: Tx, name: string): Promise<User> {
  if (readId("user", name) !== null) return getUser(tx, name);
  const user = await findUserByEmail(tx, name);
  if (user === null) throw missing("user", name);
  return user;
}

function printLink(user: User, token: string, as_json: boolean, print: (line: string) => void): void {
  const origin = (variable("PACKHOUSE_BASE_URL") ?? "http://127.0.0.1:3000").replace(/\/+$/, "");
  const link = `${origin}/dashboard/reset#${token}`;
  const id = wireId("user", user.id);
  if (as_json) {
    print(JSON.stringify({ id, email: user.email, role: user.role, link }));
    return;
  }
  print(`Link for ${id} (${user.email}, ${user.role}) to set a password. It works once, within 24 hours:`);
  print(link);
  if (variable("PACKHOUSE_BASE_URL") === null) print("Replace http://127.0.0.1:3000 with your server's address.");
}
