import { isDeepStrictEqual } from "node:util";
import { and, asc, eq, inArray, isNull, lte, not, type SQL, sql as template } from "drizzle-orm";
import { columnsOf } from "../../../db/kit.ts";
import { second_factors } from "../../../db/schema/people.ts";
import { memberships, one_time_links, roles, sessions, users } from "../../../db/schema/users.ts";
import { assert, missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import { choice } from "../../core/schema.ts";
import type { Permission } from "../../http/auth/permissions.ts";
import type { Db, ReadStatements, Tx } from "../../storage/database.ts";
import { anyOf, recordList, search } from "../../storage/record_list.ts";
import { unscoped } from "../../storage/scope.ts";
import { prepared, preparedOf, type StatementArgs } from "../../storage/statements.ts";
import { maySignIn, type UserStatus, userStarts, userStatuses } from "../identity.transitions.ts";
import { type Role, roleFacts, roles as roleNames } from "./roles.ts";
import { coverOf, emailKey, inOrder, type Membership, type User } from "./user.ts";

/** A link that can be used once. */
export interface OneTimeLink {
  readonly hash: string;
  readonly purpose: "setup" | "reset";
  readonly user_id: number | null;
  readonly created_at: number;
  readonly expires_at: number;
}

/** The links for a purpose that have not expired. */
export async function listLinks(db: Db, purpose: OneTimeLink["purpose"]): Promise<OneTimeLink[]> {
  const rows = await db.sql.select().from(one_time_links).where(eq(one_time_links.purpose, purpose));
  return rows.filter(({ expires_at }) => expires_at > db.now);
}

/** Stores a new link, and deletes those that have expired. */
export async function insertLink(tx: Tx, link: OneTimeLink): Promise<void> {
  await tx.sql.delete(one_time_links).where(lte(one_time_links.expires_at, tx.now));
  await tx.sql.insert(one_time_links).values(link);
}

/** Deletes the links for a purpose, of one user or (null) of all. */
export async function deleteLinks(tx: Tx, purpose: OneTimeLink["purpose"], user_id: number | null): Promise<void> {
  const whose = user_id === null ? undefined : eq(one_time_links.user_id, user_id);
  await tx.sql.delete(one_time_links).where(and(eq(one_time_links.purpose, purpose), whose));
}

/** The columns of a user. */
const userColumns = {
  ...columnsOf(users, "id", "email", "name", "password_hash", "status", "created_at", "updated_at"),
  ...columnsOf(users, "last_sign_in_at", "revision"),
  last_seen_at: template<number | null>`(
    select max(${sessions.last_seen_at}) from ${sessions} where ${sessions.user_id} = ${users.id}
  )`.mapWith(Number),
  has_factor: template<boolean>`exists (
    select 1 from ${second_factors}
    where ${second_factors.user_id} = ${users.id} and ${second_factors.confirmed_at} is not null
  )`.mapWith(Boolean),
};

const membershipColumns = {
  ...columnsOf(memberships, "merchant_id", "role", "status"),
  permissions: roles.permissions,
};

/** The columns of users joined with their memberships and roles. */
export const memberColumns = { user: userColumns, membership: membershipColumns };

/** A row of a user for each membership. */
interface MemberRow {
  readonly user: Omit<User, "memberships" | "permissions" | "role">;
  readonly membership: Membership;
}

/** The users of these rows, each once, in the order of the rows. */
export function usersOf({ scope }: Pick<Db, "scope">, rows: readonly MemberRow[]): User[] {
  const all = Map.groupBy(rows, ({ user }) => user.id);
  return [...all.values()].map(([first, ...others]) => {
    assert(first, "a group has a row");
    const own = [first, ...others].map(({ membership }) => membership);
    return userWith(first.user, own, scope.visible !== null);
  });
}

function userWith(user: MemberRow["user"], own: readonly Membership[], of_one: boolean): User {
  const seen = inOrder(own);
  const [first] = seen;
  assert(first, "a user has a membership");
  const { role, permissions } = first;
  const status = of_one && maySignIn(user.status) ? first.status : user.status;
  return { ...user, status, role, permissions, memberships: seen };
}

const usersByMembership = (sql: ReadStatements) =>
  sql
    .select(memberColumns)
    .from(users)
    .innerJoin(memberships, eq(memberships.user_id, users.id))
    .innerJoin(roles, eq(roles.name, memberships.role));
const byId = prepared((sql, a: StatementArgs<{ id: number }>) => usersByMembership(sql).where(eq(users.id, a.id)));
const byEmail = prepared((sql, a: StatementArgs<{ email_key: string }>) =>
  usersByMembership(sql).where(eq(users.email_key, a.email_key)),
);

/**
 * The user that an identifier names: `usr_1001` or `1001`. In the scope of a merchant, one of its own people.
 * Refuses: resource_missing.
 */
export async function getUser(db: Db, id: string | number): Promise<User> {
  const [user] = usersOf(db, await byId(db, { id: readId("user", id) ?? 0 }));
  if (user === undefined) throw missing("user", id);
  return user;
}

/** The caller's own user with all memberships, whatever the scope. Refuses: resource_missing. */
export function getSelf(db: Db, id: string | number): Promise<User> {
  return getUser(db.scoped(unscoped), id);
}

/** The user with an email address, whatever its case, or null. */
export async function findUserByEmail(db: Db, email: string): Promise<User | null> {
  const [user] = usersOf(db, await byEmail(db, { email_key: emailKey(email) }));
  return user ?? null;
}

/** All users, oldest first. */
export async function listUsers(db: Db): Promise<User[]> {
  const rows = await db.sql
    .select(memberColumns)
    .from(users)
    .innerJoin(memberships, eq(memberships.user_id, users.id))
    .innerJoin(roles, eq(roles.name, memberships.role))
    .orderBy(asc(users.id));
  return usersOf(db, rows);
}

/** Whether there is any user. */
export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.sql.select({ id: users.id }).from(users).limit(1)).length > 0;
}

const membershipsOf = preparedOf((sql, isOf) =>
  sql
    .select({ user_id: memberships.user_id, ...membershipColumns })
    .from(memberships)
    .innerJoin(roles, eq(roles.name, memberships.role))
    .where(isOf(memberships.user_id)),
);

const members = (db: Db, which?: SQL) =>
  inArray(users.id, db.sql.select({ id: memberships.user_id }).from(memberships).where(which));

/** In a merchant's scope, users without an open membership there cannot sign in. */
function hasStatus(db: Db, status: UserStatus): SQL {
  if (db.scope.visible === null) return eq(users.status, status);
  const signsIn = template`(${eq(users.status, userStarts)} and ${members(db, eq(memberships.status, userStarts))})`;
  return maySignIn(status) ? signsIn : not(signsIn);
}

/** Users, newest first; in a merchant's scope, those with a membership at that merchant. */
export const userList = recordList(users, {
  select: (sql) => sql.select(userColumns).from(users),
  filters: {
    status: anyOf(choice(userStatuses), (status, db) => hasStatus(db, status)),
    role: anyOf(choice(roleNames, { description: "Only users with one of these roles." }), (role, db) =>
      members(db, eq(memberships.role, role)),
    ),
    q: search("Part of the name or the email address.", [users.name, users.email], 200),
  },
  within: (db, { role }) => (role === undefined ? members(db) : undefined),
  records: async (page, db) => {
    const all = await membershipsOf(db, { ids: page.map((user) => user.id) });
    const own = Map.groupBy(all, ({ user_id }) => user_id);
    return page.map((user) => userWith(user, own.get(user.id) ?? [], db.scope.visible !== null));
  },
});

/** A new user and their first membership, with the operator or at a merchant. */
export type NewUser = Pick<User, "email" | "name" | "password_hash" | "role"> & {
  readonly merchant_id?: number | null;
};

/** Stores a new user; null if another one has that email address. */
export async function insertUser(tx: Tx, { role, merchant_id = null, ...fields }: NewUser): Promise<number | null> {
  const [row] = await tx.sql
    .insert(users)
    .values({
      ...fields,
      email_key: emailKey(fields.email),
      status: userStarts,
      revision: 1,
      created_at: tx.now,
      updated_at: tx.now,
      last_sign_in_at: null,
    })
    .onConflictDoNothing()
    .returning({ id: users.id });
  if (row === undefined) return null;
  await insertMembership(tx, row.id, { merchant_id, role, status: userStarts });
  return row.id;
}

/** Stores a new membership of a user. */
export async function insertMembership(
  tx: Tx,
  user_id: number,
  { merchant_id, role, status }: Omit<Membership, "permissions">,
): Promise<void> {
  await tx.sql.insert(memberships).values({ user_id, covers: coverOf(merchant_id), merchant_id, role, status });
  tx.changed("users");
}

/** Stores a changed membership of a user. */
export async function saveMembership(
  tx: Tx,
  user_id: number,
  { merchant_id, role, status }: Omit<Membership, "permissions">,
): Promise<void> {
  const at = merchant_id === null ? isNull(memberships.merchant_id) : eq(memberships.merchant_id, merchant_id);
  await tx.sql
    .update(memberships)
    .set({ role, status })
    .where(and(eq(memberships.user_id, user_id), at));
  tx.changed("users");
}

/** Stores a changed user, without memberships, and returns it with its revision incremented. */
export async function saveUser(tx: Tx, user: User): Promise<User> {
  const { name, password_hash, status } = user;
  const after = { ...user, revision: user.revision + 1, updated_at: tx.now };
  const { revision, updated_at } = after;
  await tx.sql.update(users).set({ name, password_hash, status, revision, updated_at }).where(eq(users.id, user.id));
  tx.changed("users");
  return after;
}

/** Stores that a user signed in now. */
export async function noteSignIn(tx: Tx, id: number): Promise<void> {
  await tx.sql.update(users).set({ last_sign_in_at: tx.now }).where(eq(users.id, id));
}

/** The stored roles with their permissions. */
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
