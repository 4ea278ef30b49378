// Users, their roles and sessions. Only the live store has rows.
import type { Permission } from "../../src/http/auth/permissions.ts";
import { type covers, userStatuses } from "../../src/identity/identity.transitions.ts";
import type { roles as role_words } from "../../src/identity/users/roles.ts";
import { check, id, index, int, json, oneOf, table, text, time, unique, where } from "../kit.ts";
import { floor_devices } from "./floor_devices.ts";
import { merchants, ownerOrOperator } from "./merchants.ts";

export const users = table(
  "users",
  {
    id: id(),
    email: text().notNull(),
    /** The email address in lower case, which is unique. */
    email_key: text().notNull(),
    name: text().notNull(),
    /** An argon2id hash; null until a password is set. */
    password_hash: text(),
    status: text().$type<(typeof userStatuses)[number]>().notNull(),
    revision: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
    last_sign_in_at: time(),
  },
  (t) => [unique("users_email").on(t.email_key), oneOf("users", "status", userStatuses)],
);

/** Roles: sets of permissions. Built-in roles are rewritten at each start. */
export const roles = table("roles", {
  name: text().$type<(typeof role_words)[number]>().primaryKey(),
  permissions: json<Permission[]>().notNull(),
});

/** A user's role for the operator or for one merchant. */
export const memberships = table(
  "memberships",
  {
    user_id: int()
      .notNull()
      .references(() => users.id),
    covers: text().$type<(typeof covers)[number]>().notNull(),
    /** Null for the operator. */
    merchant_id: ownerOrOperator(),
    role: text()
      .$type<(typeof role_words)[number]>()
      .notNull()
      .references(() => roles.name),
    /** Whether the user may use this membership. */
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
    /** SHA-256 of the cookie's value. */
    hash: text().notNull(),
    created_at: time().notNull(),
    last_seen_at: time().notNull(),
    expires_at: time().notNull(),
    ip: text(),
    user_agent: text(),
    /** The merchant whose membership the user has selected; null for the user's first membership. */
    acts_for: int().references(() => merchants.id),
    /** The merchant that an operator's user is viewing as. */
    views_as: int().references(() => merchants.id),
    /** The device on which the user signed in by badge; null for sessions with a password. */
    device_id: int().references(() => floor_devices.id),
  },
  (t) => [
    unique("sessions_hash").on(t.hash),
    index("sessions_user").on(t.user_id, t.id),
    unique("sessions_device").on(t.device_id).where(where("device_id is not null")),
  ],
);

/** One-time links: to create the first user, or to set a new password. */
export const one_time_links = table("one_time_links", {
  /** SHA-256 of the link's token. */
  hash: text().primaryKey(),
  purpose: text().$type<"setup" | "reset">().notNull(),
  /** The user who sets a password; null for the first user, who does not exist yet. */
  user_id: int().references(() => users.id),
  created_at: time().notNull(),
  expires_at: time().notNull(),
});
