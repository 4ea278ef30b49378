// Signed-in users of each role for tests.

import { readId, wireId } from "../../src/core/ids.ts";
import type { Service } from "../../src/http/service.ts";
import { beginSession } from "../../src/identity/sessions/sessions.ts";
import { hashPassword } from "../../src/identity/users/passwords.ts";
import type { Role } from "../../src/identity/users/roles.ts";
import { getUser, saveUser } from "../../src/identity/users/users.sql.ts";
import { createUser } from "../../src/identity/users/users.ts";

let made = 0;

/** A signed-in user: the id, and the headers that authenticate requests. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly headers: { readonly cookie: string };
}

/** Creates and signs in a user of the operator or a merchant, without a password, since hashing is slow. */
export async function signedInAs(
  { stores }: Service,
  role: Role,
  called?: string,
  merchant_id: number | null = null,
): Promise<Person> {
  made += 1;
  const name = called ?? `${role} ${made}`;
  const email = `${name.toLowerCase().replaceAll(" ", ".")}@packhouse.test`;
  const random = crypto.getRandomValues(new Uint8Array(32));
  const origin = { ip: "127.0.0.1", user_agent: "test", previous: null };
  return await stores.live.write(async (tx) => {
    const user = await createUser(tx, { email, name, role, merchant_id, password_hash: null });
    const { token } = await beginSession(tx, user.id, origin, random);
    return { id: wireId("user", user.id), email, headers: { cookie: `sid=${token}` } };
  });
}

/** Signs a user in on another device. */
export async function signInAgain({ stores }: Service, id: string): Promise<{ readonly cookie: string }> {
  const random = crypto.getRandomValues(new Uint8Array(32));
  const origin = { ip: "127.0.0.2", user_agent: "another", previous: null };
  const { token } = await stores.live.write((tx) => beginSession(tx, readId("user", id) ?? 0, origin, random));
  return { cookie: `sid=${token}` };
}

/** As `signedInAs`, with a password. */
export async function personWithPassword(
  service: Service,
  role: Role,
  password: string,
  called?: string,
  merchant_id: number | null = null,
): Promise<Person> {
  const person = await signedInAs(service, role, called, merchant_id);
  const password_hash = await hashPassword(password);
  await service.stores.live.write(async (tx) => saveUser(tx, { ...(await getUser(tx, person.id)), password_hash }));
  return person;
}
