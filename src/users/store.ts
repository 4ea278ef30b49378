import { isDeepStrictEqual } from "node:util";
import { and, asc, count, desc, eq, or, type SQL, sql as template } from "drizzle-orm";
import { contains } from "../../db/kit.ts";
import { second_factors } from "../../db/schema/people.ts";
import { memberships, roles, sessions, users } from "../../db/schema/users.ts";
import type { Permission } from "../access/permission.ts";
import { type Role, roleFacts, roles as roleNames } from "../access/role.ts";
import { type Args, prepared } from "../database/statements.ts";
import type { Db, Tx } from "../database/store.ts";
import { missing } from "../kit/fault.ts";
import { readId } from "../kit/ids.ts";
import type { Window } from "../kit/page.ts";
import { type UserStatus, userStarts } from "./status.ts";
import { emailKey, type User } from "./user.ts";

/** The columns of a user with his role. */
export const userColumns = {
  id: users.id,
  email: users.email,
  name: users.name,
  password_hash: users.password_hash,
  status: users.status,
  role: memberships.role,
  permissions: roles.permissions,
  created_at: users.created_at,
  updated_at: users.updated_at,
  last_sign_in_at: users.last_sign_in_at,
  version: users.version,
  last_seen_at: template<number | null>`(
    select max(${sessions.last_seen_at}) from ${sessions} where ${sessions.user_id} = ${users.id}
  )`.mapWith(Number),
  has_factor: template<boolean>`exists (
    select 1 from ${second_factors}
    where ${second_factors.user_id} = ${users.id} and ${second_factors.confirmed_at} is not null
  )`.mapWith(Boolean),
};

const ofHouse = and(eq(memberships.user_id, users.id), eq(memberships.covers, "house"));

const byId = prepared((sql, a: Args<{ id: number }>) =>
  sql
    .select(userColumns)
    .from(users)
    .innerJoin(memberships, ofHouse)
    .innerJoin(roles, eq(roles.name, memberships.role))
    .where(eq(users.id, a.id)),
);
const byEmail = prepared((sql, a: Args<{ email_key: string }>) =>
  sql
    .select(userColumns)
    .from(users)
    .innerJoin(memberships, ofHouse)
    .innerJoin(roles, eq(roles.name, memberships.role))
    .where(eq(users.email_key, a.email_key)),
);

/** The user that an identifier names: `usr_1001` or `1001`. Refuses: resource_missing. */
export async function getUser(db: Db, id: string | number): Promise<User> {
  const [user] = await byId(db, { id: readId("user", id) ?? 0 });
  if (user === undefined) throw missing("user", id);
  return user;
}

/** The user of an e-mail address, whatever its case, or null. */
export async function findUserByEmail(db: Db, email: string): Promise<User | null> {
  const [user] = await byEmail(db, { email_key: emailKey(email) });
  return user ?? null;
}

/** All users, oldest first. */
export async function listUsers(db: Db): Promise<User[]> {
  return db.sql
    .select(userColumns)
    .from(users)
    .innerJoin(memberships, ofHouse)
    .innerJoin(roles, eq(roles.name, memberships.role))
    .orderBy(asc(users.id));
}

/** Whether there is any user. */
export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.sql.select({ id: users.id }).from(users).limit(1)).length > 0;
}

/** The filters of a list of users. */
interface UserFilters {
  readonly status: UserStatus | null;
  readonly role: Role | null;
  /** A piece of the name or the e-mail address. */
  readonly q: string | null;
}

/** A page of users, newest first. */
export async function listUserPage(db: Db, filters: UserFilters, { limit, offset, after }: Window): Promise<User[]> {
  const { created_at, id } = users;
  const further = after ? template`(${created_at}, ${id}) < (${after[0]}, ${after[1]})` : undefined;
  return db.sql
    .select(userColumns)
    .from(users)
    .innerJoin(memberships, ofHouse)
    .innerJoin(roles, eq(roles.name, memberships.role))
    .where(and(narrowed(filters), further))
    .orderBy(desc(created_at), desc(id))
    .limit(limit)
    .offset(offset);
}

/** How many users a list holds. */
export async function countUsers(db: Db, filters: UserFilters): Promise<number> {
  const [row] = await db.sql
    .select({ n: count() })
    .from(users)
    .innerJoin(memberships, ofHouse)
    .where(narrowed(filters));
  return row?.n ?? 0;
}

function narrowed({ status, role, q }: UserFilters): SQL | undefined {
  return and(
    status === null ? undefined : eq(users.status, status),
    role === null ? undefined : eq(memberships.role, role),
    q === null ? undefined : or(contains(users.name, q), contains(users.email, q)),
  );
}

/** What a new user is. */
export type NewUser = Pick<User, "email" | "name" | "password_hash" | "role">;

/** Stores a new user; null when another one has that e-mail address. */
export async function insertUser(tx: Tx, { role, ...fields }: NewUser): Promise<number | null> {
  const [row] = await tx.sql
    .insert(users)
    .values({
      ...fields,
      email_key: emailKey(fields.email),
      status: userStarts,
      version: 1,
      created_at: tx.now,
      updated_at: tx.now,
      last_sign_in_at: null,
    })
    .onConflictDoNothing()
    .returning({ id: users.id });
  if (row === undefined) return null;
  await tx.sql.insert(memberships).values({ user_id: row.id, covers: "house", role });
  return row.id;
}

/** Stores a changed user and answers it; its version moves by one. */
export async function saveUser(tx: Tx, user: User): Promise<User> {
  const { name, password_hash, status, role } = user;
  const after = { ...user, version: user.version + 1, updated_at: tx.now };
  const { version, updated_at } = after;
  await tx.sql.update(users).set({ name, password_hash, status, version, updated_at }).where(eq(users.id, user.id));
  await tx.sql.update(memberships).set({ role }).where(eq(memberships.user_id, user.id));
  tx.changed("users");
  return after;
}

/** Notes that a user has signed in. */
export async function noteSignIn(tx: Tx, id: number): Promise<void> {
  await tx.sql.update(users).set({ last_sign_in_at: tx.now }).where(eq(users.id, id));
}

/** The roles, with what each may do. */
export async function listRoles(db: Db): Promise<{ name: Role; permissions: Permission[] }[]> {
  const rows = await db.sql.select().from(roles);
  return rows.toSorted((a, b) => roleNames.indexOf(a.name) - roleNames.indexOf(b.name));
}

/** Whether the stored roles are those that this version of the program defines. */
export async function hasTheseRoles(db: Db): Promise<boolean> {
  const stored = await listRoles(db);
  const own = roleNames.map((name) => ({ name, permissions: [...roleFacts[name].permissions] }));
  return isDeepStrictEqual(stored, own);
}

/** Stores the roles as this version of the program defines them. */
export async function saveRoles(tx: Tx): Promise<void> {
  for (const name of roleNames) {
    const permissions = [...roleFacts[name].permissions];
    await tx.sql
      .insert(roles)
      .values({ name, permissions })
      .onConflictDoUpdate({ target: roles.name, set: { permissions } });
  }
  tx.changed("users");
}
