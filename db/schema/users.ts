// People: who they are, what they may do, and where they are signed in. All of it is in the live store alone.
import type { Permission } from "../../src/access/permission.ts";
import type { roles as role_words } from "../../src/access/role.ts";
import { userStatuses } from "../../src/users/status.ts";
import { id, index, int, json, oneOf, primaryKey, table, text, time, unique } from "../kit.ts";

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

/** What a user may do, and with what: the whole house, as long as there is nothing smaller. */
export const memberships = table(
  "memberships",
  {
    user_id: int()
      .notNull()
      .references(() => users.id),
    covers: text().$type<"house">().notNull(),
    role: text()
      .$type<(typeof role_words)[number]>()
      .notNull()
      .references(() => roles.name),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.covers] })],
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
