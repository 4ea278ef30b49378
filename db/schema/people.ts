// Invitations, second factors and badges of users. Only the live store has rows.
import { type MailStatus, mailStatuses } from "../../src/core/email.ts";
import { bool, check, id, index, int, oneOf, table, text, time, unique, where } from "../kit.ts";
import { ownerOrOperator } from "./merchants.ts";
import { roles, users } from "./users.ts";

/** Second factors of users: secrets shared with their authenticator apps. */
export const second_factors = table("second_factors", {
  user_id: int()
    .primaryKey()
    .references(() => users.id),
  /** Encrypted. */
  secret: text().notNull(),
  /** When its first code was entered; null while it is being set up. */
  confirmed_at: time(),
  /** The last period whose code was accepted. Codes of this and earlier periods are refused. */
  last_period: int().notNull(),
  created_at: time().notNull(),
});

/** Recovery codes for users who have lost their authenticator app. */
export const recovery_codes = table(
  "recovery_codes",
  {
    id: id(),
    user_id: int()
      .notNull()
      .references(() => users.id),
    hash: text().notNull(),
    /** When it was used; it works once. */
    used_at: time(),
  },
  (t) => [unique("recovery_codes_hash").on(t.user_id, t.hash)],
);

/** Badges of users, with the PINs that are asked with them. */
export const badges = table(
  "badges",
  {
    user_id: int()
      .primaryKey()
      .references(() => users.id),
    /** SHA-256 of the code on the badge; null without a badge. */
    hash: text(),
    /** When the badge was made. */
    made_at: time(),
    /** An argon2id hash; null without a PIN. */
    pin_hash: text(),
    /** Whether an administrator chose the PIN, so that the user has to choose another one. */
    pin_is_temporary: bool().notNull(),
    /** PINs that were tried since the last sign-in, and when the last one was. */
    attempts: int().notNull(),
    last_attempt_at: time(),
  },
  (t) => [
    unique("badges_hash").on(t.hash).where(where("hash is not null")),
    check("badges_made", "(hash is null) = (made_at is null)"),
  ],
);

/** Invitations of users. */
export const invitations = table(
  "invitations",
  {
    id: id(),
    email: text().notNull(),
    email_key: text().notNull(),
    name: text(),
    /** The merchant that the user joins; null for the operator. */
    merchant_id: ownerOrOperator(),
    role: text()
      .notNull()
      .references(() => roles.name),
    /** The hash of its link. */
    hash: text().notNull(),
    /** Whether a new user must verify the address, and the hash of the emailed code. */
    needs_proof: bool().notNull().default(false),
    proof_hash: text(),
    invited_by_id: text().notNull(),
    invited_by_name: text().notNull(),
    created_at: time().notNull(),
    expires_at: time().notNull(),
    /** When it was accepted or withdrawn. */
    accepted_at: time(),
    revoked_at: time(),
    /** The user who accepted it. */
    user_id: int().references(() => users.id),
    /** The encrypted link, until its email is sent. */
    mail_link: text(),
    mail_status: text().$type<MailStatus>().notNull(),
    mail_attempts: int().notNull(),
    mail_next_at: time(),
  },
  (t) => [
    unique("invitations_hash").on(t.hash),
    unique("invitations_open")
      .on(t.email_key)
      .where(where("accepted_at is null and revoked_at is null and merchant_id is null")),
    unique("invitations_open_merchant")
      .on(t.email_key, t.merchant_id)
      .where(where("accepted_at is null and revoked_at is null and merchant_id is not null")),
    index("invitations_time").on(t.created_at, t.id),
    index("invitations_mail").on(t.mail_next_at).where(where("mail_status = 'waiting'")),
    oneOf("invitations", "mail_status", mailStatuses),
    check("invitations_ended", "accepted_at is null or revoked_at is null"),
    check("invitations_accepted", "(accepted_at is null) = (user_id is null)"),
    check("invitations_mailed", "(mail_status = 'waiting') = (mail_next_at is not null)"),
  ],
);
