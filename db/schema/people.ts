// How people come in and prove who they are. The rows lie in the live store alone.
import { type MailStatus, mailStatuses } from "../../src/core/email.ts";
import { bool, check, id, index, int, oneOf, table, text, time, unique, where } from "../kit.ts";
import { ownerOrHouse } from "./merchants.ts";
import { roles, users } from "./users.ts";

/** The second factor of a user: a secret that his authenticator app has, too. */
export const second_factors = table("second_factors", {
  user_id: int()
    .primaryKey()
    .references(() => users.id),
  /** Sealed. */
  secret: text().notNull(),
  /** When its first code was shown; null while it is being set up. */
  confirmed_at: time(),
  /** The last period of which a code was taken: none of that period or an earlier one is taken again. */
  last_period: int().notNull(),
  created_at: time().notNull(),
});

/** Codes for a user who has lost his authenticator app. */
export const recovery_codes = table(
  "recovery_codes",
  {
    id: id(),
    user_id: int()
      .notNull()
      .references(() => users.id),
    hash: text().notNull(),
    /** When it was shown; it is not taken again. */
    used_at: time(),
  },
  (t) => [unique("recovery_codes_hash").on(t.user_id, t.hash)],
);

/** Who was asked to become a user. */
export const invitations = table(
  "invitations",
  {
    id: id(),
    email: text().notNull(),
    email_key: text().notNull(),
    name: text(),
    /** The merchant whose member is asked for; null for the house. */
    merchant_id: ownerOrHouse(),
    role: text()
      .notNull()
      .references(() => roles.name),
    /** Of the link that accepts it. */
    hash: text().notNull(),
    /** Whether a new user has to prove the address, and the hash of the code in the e-mail that proves it. */
    needs_proof: bool().notNull().default(false),
    proof_hash: text(),
    invited_by_id: text().notNull(),
    invited_by_name: text().notNull(),
    created_at: time().notNull(),
    expires_at: time().notNull(),
    /** When it was accepted, or was revoked, and so is neither any more. */
    accepted_at: time(),
    revoked_at: time(),
    /** Who it made. */
    user_id: int().references(() => users.id),
    /** The link, sealed, for as long as an e-mail with it is on its way. */
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
