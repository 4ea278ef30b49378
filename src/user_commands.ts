// `packhouse users …`: users on the command line. A running server applies a change within a second.

import { randomBytes } from "node:crypto";
import { type Role, roles } from "./access/role.ts";
import { recordCommand } from "./audit/commands.ts";
import type { Facts } from "./audit/entry.ts";
import { type Flags, type Given, variable, WrongUse } from "./config.ts";
import type { Stores } from "./database/open.ts";
import type { Tx } from "./database/store.ts";
import type { KeyCommand, Voice } from "./keyring.ts";
import { isoOrNull } from "./kit/clock.ts";
import { missing } from "./kit/fault.ts";
import { readId, wireId } from "./kit/ids.ts";
import { checkOf, closed, emailField } from "./kit/schema.ts";
import { refuseClosed } from "./merchants/rules.ts";
import { getMerchant, listMerchants } from "./merchants/store.ts";
import { updateUser } from "./users/changes/commands.ts";
import { createUser } from "./users/commands.ts";
import { makeLink } from "./users/links/commands.ts";
import { refuseRoleAt } from "./users/rules.ts";
import { personName } from "./users/schemas.ts";
import { turnOffSecondFactor } from "./users/second_factor/commands.ts";
import { maySignIn, type UserStatus } from "./users/status.ts";
import { findUserByEmail, getUser, listUsers } from "./users/store.ts";
import type { User } from "./users/user.ts";

const command = <F extends Flags>(it: KeyCommand<F>): KeyCommand => it as unknown as KeyCommand;

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

export const userCommands: Readonly<Record<string, KeyCommand>> = {
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
function keep(tx: Tx, action: string, { id }: User, facts: Facts): Promise<void> {
  return recordCommand(tx, { world: "live", action, targets: [wireId("user", id)], facts });
}

type Named = Given<typeof named & typeof json>;

const checkPerson = checkOf(closed({ email: emailField(), name: personName() }));

interface CreateFlags {
  readonly email: string | undefined;
  readonly name: string | undefined;
  readonly role: string | undefined;
  readonly merchant: string | undefined;
  readonly json: boolean;
}

async function create({ live }: Stores, given: CreateFlags, { print }: Voice): Promise<void> {
  const { email, name } = given;
  if (!email) throw new WrongUse("--email is required: by what the user signs in.");
  if (!name) throw new WrongUse("--name is required: what the user is called.");
  const role = roles.find((word) => word === given.role);
  if (role === undefined) throw new WrongUse(`--role must be one of ${roles.join(", ")}.`);
  const person = checkPerson({ email, name });
  const random = randomBytes(32);
  const { user, token } = await live.write(async (tx) => {
    const merchant = given.merchant === undefined ? null : await getMerchant(tx, given.merchant);
    if (merchant !== null) refuseClosed(merchant);
    const merchant_id = merchant?.id ?? null;
    refuseRoleAt(role, merchant_id);
    const made = await createUser(tx, { ...person, role, merchant_id, password_hash: null });
    await keep(tx, "createUser", made, { role, ...(merchant !== null && { merchant_id: merchant.code }) });
    return { user: made, token: await makeLink(tx, "reset", made.id, random) };
  });
  tellLink(user, token, given.json, print);
}

async function list({ live }: Stores, given: { json: boolean }, { print }: Voice): Promise<void> {
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

async function reset({ live }: Stores, given: Named & Given<typeof lost>, { print }: Voice): Promise<void> {
  const random = randomBytes(32);
  const { user, token } = await live.write(async (tx) => {
    const found = await userNamed(tx, given.user);
    await keep(tx, "makeResetLink", found, { second_factor: given["second-factor"] ? "turned off" : "kept" });
    if (given["second-factor"]) await turnOffSecondFactor(tx, found.id);
    return { user: found, token: await makeLink(tx, "reset", found.id, random) };
  });
  tellLink(user, token, given.json, print);
}

async function setStatus({ live }: Stores, given: Named, { print }: Voice, status: UserStatus): Promise<void> {
  const user = await live.write(async (tx) => {
    const found = await userNamed(tx, given.user);
    await keep(tx, "updateUser", found, { status });
    return updateUser(tx, wireId("user", found.id), { status }, { granted: null, of_merchant: null });
  });
  const id = wireId("user", user.id);
  if (given.json) print(JSON.stringify({ id, status: user.status }));
  else print(`${id} (${user.email}) ${maySignIn(status) ? "may sign in." : "is signed out, and may sign in no more."}`);
}

/** The user that the command line names, by his id or e-mail address. */
async function userNamed(tx: Tx, given: string | undefined): Promise<User> {
  if (!given) throw new WrongUse("--user is required: the user as `users list` names him, or his e-mail address.");
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
