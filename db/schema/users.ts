// People: who they are, what they may do, and where they are signed in. All of it is in the live store alone.
import type { Permission } from "../../src/http/auth/permissions.ts";
import { type covers, userStatuses } from "../../src/identity/identity.transitions.ts";
import type { roles as role_words } from "../../src/identity/users/roles.ts";
import { check, id, index, int, json, oneOf, table, text, time, unique, where } from "../kit.ts";
import { merchants, ownerOrHouse } from "./merchants.ts";

export const users = table(
  "users",
  {
    id: id(),
    email: text().notNull(),
    /** The e-mail address in small letters: it is unique whatever its case. */
    email_key: text().notNull(),
    name: text().notNull(),
    /** By argon2id; null until a password was chosen. */
    password_hash: text(),
    status: text().$type<(typeof userStatuses)[number]>().notNull(),
    version: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
    last_sign_in_at: time(),
  },
  (t) => [unique("users_email").on(t.email_key), oneOf("users", "status", userStatuses)],
);

/** A role is a set of permissions. Those of the program are written anew at each start. */
export const roles = table("roles", {
  name: text().$type<(typeof role_words)[number]>().primaryKey(),
  permissions: json<Permission[]>().notNull(),
});

/** What a user may do, and with what: with the whole house, or with what belongs to one merchant. */
export const memberships = table(
  "memberships",
  {
    user_id: int()
      .notNull()
      .references(() => users.id),
    covers: text().$type<(typeof covers)[number]>().notNull(),
    /** Null for the house. */
    merchant_id: ownerOrHouse(),
    role: text()
      .$type<(typeof role_words)[number]>()
      .notNull()
      .references(() => roles.name),
    /** Whether the user may sign in as this member. */
    status: text().$type<(typeof userStatuses)[number]>().notNull(),
  },
  (t) => [
    unique("memberships_house").on(t.user_id).where(where("merchant_id is null")),
    unique("memberships_merchant").on(t.user_id, t.merchant_id).where(where("merchant_id is not null")),
    index("memberships_of_merchant").on(t.merchant_id),
    check("memberships_whole", "(covers = 'house') = (merchant_id is null)"),
    oneOf("memberships", "status", userStatuses),
  ],
);

export const sessions = table(
  "sessions",
  {
    id: id(),
    user_id: int()
      .notNull()
      .references(() => users.id),
    /** SHA-256 of what the cookie holds. */
    hash: text().notNull(),
    created_at: time().notNull(),
    last_seen_at: time().notNull(),
    expires_at: time().notNull(),
    ip: text(),
    user_agent: text(),
    /** The merchant as whose member its user has chosen to act; null for the first of what the user is a member of. */
    acts_for: int().references(() => merchants.id),
    /** The merchant as whom a member of the house looks on. */
    views_as: int().references(() => merchants.id),
  },
  (t) => [unique("sessions_hash").on(t.hash), index("sessions_user").on(t.user_id, t.id)],
);

/** Links that are good once: to make the first user, or to choose another password. */
export const one_time_links = table("one_time_links", {
  /** SHA-256 of what the link holds. */
  hash: text().primaryKey(),
  purpose: text().$type<"setup" | "reset">().notNull(),
  /** Whose password it is to choose; null for the first user, whom there is not yet. */
  user_id: int().references(() => users.id),
  created_at: time().notNull(),
  expires_at: time().notNull(),
});
