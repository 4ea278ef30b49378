// `packhouse users …`: users on the command line. A running server applies a change within a second.

import { randomBytes } from "node:crypto";
import { isoOrNull } from "../core/clock.ts";
import { type Flags, type FlagValues, UsageError, variable } from "../core/config.ts";
import { missing } from "../core/faults.ts";
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
import type { CommandOutput, DataCommand } from "./keys.ts";

const command = <F extends Flags>(it: DataCommand<F>): DataCommand => it as unknown as DataCommand;

const json = { json: { type: "boolean", help: "print JSON for scripts" } } as const satisfies Flags;
const named = {
  user: { type: "string", value: "usr_N|EMAIL", help: "the user, as `users list` names him" },
} as const satisfies Flags;

const lost = {
  "second-factor": {
    type: "boolean",
    help: "turn off the second factor, too: the phone and the recovery codes are lost",
  },
} as const satisfies Flags;

export const userCommands: Readonly<Record<string, DataCommand>> = {
  create: command({
    summary: "make a user, and print a one-time link by which he chooses his password",
    flags: {
      email: { type: "string", value: "EMAIL", help: "by what he signs in" },
      name: { type: "string", value: "NAME", help: "what he is called" },
      role: { type: "string", value: roles.join("|"), default: "office", help: "what he may do" },
      merchant: {
        type: "string",
        value: "CODE",
        help: "the merchant of which he is a member, with any role but floor; without it, of the house",
      },
      ...json,
    },
    run: create,
  }),
  list: command({ summary: "list users", flags: json, run: list }),
  reset: command({
    summary: "print a one-time link by which a user chooses another password",
    flags: { ...named, ...lost, ...json },
    run: reset,
  }),
  disable: command({
    summary: "sign a user out everywhere, and let him in no more",
    flags: { ...named, ...json },
    run: (stores, given, voice) => setStatus(stores, given, voice, "disabled"),
  }),
  enable: command({
    summary: "let a user in again who was disabled",
    flags: { ...named, ...json },
    run: (stores, given, voice) => setStatus(stores, given, voice, "active"),
  }),
};

/** Keeps in the audit trail what was done to a user. */
function recordUserCommand(tx: Tx, action: string, { id }: User, facts: AuditFacts): Promise<void> {
  return recordCommand(tx, { world: "live", action, targets: [wireId("user", id)], facts });
}

type NamedUserFlags = FlagValues<typeof named & typeof json>;

const checkPerson = checkOf(closed({ email: emailField(), name: personName() }));

interface CreateUserFlags {
  readonly email: string | undefined;
  readonly name: string | undefined;
  readonly role: string | undefined;
  readonly merchant: string | undefined;
  readonly json: boolean;
}

async function create({ live }: Stores, given: CreateUserFlags, { print }: CommandOutput): Promise<void> {
  const { email, name } = given;
  if (!email) throw new UsageError("--email is required: by what the user signs in.");
  if (!name) throw new UsageError("--name is required: what the user is called.");
  const role = roles.find((word) => word === given.role);
  if (role === undefined) throw new UsageError(`--role must be one of ${roles.join(", ")}.`);
  const person = checkPerson({ email, name });
  const random = randomBytes(32);
  const { user, token } = await live.write(async (tx) => {
    const merchant = given.merchant === undefined ? null : await getMerchant(tx, given.merchant);
    if (merchant !== null) refuseClosed(merchant);
    const merchant_id = merchant?.id ?? null;
    refuseRoleAt(role, merchant_id);
    const made = await createUser(tx, { ...person, role, merchant_id, password_hash: null });
    await recordUserCommand(tx, "createUser", made, { role, ...(merchant !== null && { merchant_id: merchant.code }) });
    return { user: made, token: await makeLink(tx, "reset", made.id, random) };
  });
  tellLink(user, token, given.json, print);
}

async function list({ live }: Stores, given: { json: boolean }, { print }: CommandOutput): Promise<void> {
  const { users, merchants } = await live.read(async (db) => {
    return { users: await listUsers(db), merchants: await listMerchants(db) };
  });
  const codes = new Map(merchants.map(({ id, code }) => [id, code]));
  for (const user of users) {
    const { email, name, role, status } = user;
    const facts = { id: wireId("user", user.id), email, name, role, status };
    const told = user.memberships.map((one) => {
      const merchant = one.merchant_id === null ? null : (codes.get(one.merchant_id) ?? null);
      return { merchant, role: one.role, status: one.status };
    });
    const last_sign_in_at = isoOrNull(user.last_sign_in_at);
    if (given.json) print(JSON.stringify({ ...facts, memberships: told, last_sign_in_at }));
    else print(lineOf(facts, told));
  }
}

function lineOf(
  { id, email, name, role, status }: Record<"id" | "email" | "name", string> & RoleAndStatus,
  memberships: readonly ({ readonly merchant: string | null } & RoleAndStatus)[],
): string {
  const at = memberships.flatMap((one) => (one.merchant === null ? [] : [`${one.role} at ${one.merchant}`]));
  const whose = at.length === 0 ? "" : `  (${at.join(", ")})`;
  return `${id.padEnd(10)} ${role.padEnd(8)} ${email}  ${name}${whose}${maySignIn(status) ? "" : `  ${status}`}`;
}

interface RoleAndStatus {
  readonly role: Role;
  readonly status: UserStatus;
}

async function reset(
  { live }: Stores,
  given: NamedUserFlags & FlagValues<typeof lost>,
  { print }: CommandOutput,
): Promise<void> {
  const random = randomBytes(32);
  const { user, token } = await live.write(async (tx) => {
    const found = await userNamed(tx, given.user);
    await recordUserCommand(tx, "makeResetLink", found, {
      second_factor: given["second-factor"] ? "turned off" : "kept",
    });
    if (given["second-factor"]) await turnOffSecondFactor(tx, found.id);
    return { user: found, token: await makeLink(tx, "reset", found.id, random) };
  });
  tellLink(user, token, given.json, print);
}

async function setStatus(
  { live }: Stores,
  given: NamedUserFlags,
  { print }: CommandOutput,
  status: UserStatus,
): Promise<void> {
  const user = await live.write(async (tx) => {
    const found = await userNamed(tx, given.user);
    await recordUserCommand(tx, "updateUser", found, { status });
    return updateUser(tx, wireId("user", found.id), { status }, { granted: null, of_merchant: null });
  });
  const id = wireId("user", user.id);
  if (given.json) print(JSON.stringify({ id, status: user.status }));
  else print(`${id} (${user.email}) ${maySignIn(status) ? "may sign in." : "is signed out, and may sign in no more."}`);
}

/** The user that the command line names, by his id or e-mail address. */
async function userNamed(tx: Tx, given: string | undefined): Promise<User> {
  if (!given) throw new UsageError("--user is required: the user as `users list` names him, or his e-mail address.");
  if (readId("user", given) !== null) return getUser(tx, given);
  const user = await findUserByEmail(tx, given);
  if (user === null) throw missing("user", given);
  return user;
}

function tellLink(user: User, token: string, as_json: boolean, print: (line: string) => void): void {
  const origin = (variable("PACKHOUSE_BASE_URL") ?? "http://127.0.0.1:3000").replace(/\/+$/, "");
  const link = `${origin}/dashboard/reset#${token}`;
  const id = wireId("user", user.id);
  if (as_json) {
    print(JSON.stringify({ id, email: user.email, role: user.role, link }));
    return;
  }
  print(`${id} (${user.email}, ${user.role}) chooses a password by this link, which is good once, for a day:`);
  print(link);
  if (variable("PACKHOUSE_BASE_URL") === null)
    print("Put the address of your service in place of http://127.0.0.1:3000.");
}
