import { type AccountStatus, accountStatuses } from "../../src/shipping/carriers/account.transitions.ts";
import type { ListedCarrier } from "../../src/shipping/offer.ts";
import { id, index, int, json, oneOf, table, text, time, unique } from "../kit.ts";

/** Accounts at a carrier, or at a service that sells labels of many. Credentials are encrypted. */
export const carrier_accounts = table(
  "carrier_accounts",
  {
    id: id(),
    /** Random text that identifies the account in its callback URL. */
    key: text().notNull(),
    connector: text().notNull(),
    name: text().notNull(),
    /** All credentials, as one encrypted text. */
    credentials: text(),
    /** Equal for equal credentials, so that no account exists twice. */
    credentials_digest: text(),
    callback_secret: text(),
    previous_callback_secret: text(),
    previous_callback_secret_expires_at: time(),
    status: text().$type<AccountStatus>().notNull(),
    carriers: json<ListedCarrier[]>().notNull(),
    checked_at: time(),
    check_code: text(),
    check_message: text(),
    revision: int().notNull(),
    /** A deleted account stays for its labels, without secrets. */
    deleted_at: time(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [
    unique("carrier_accounts_key").on(t.key),
    unique("carrier_accounts_credentials").on(t.credentials_digest),
    index("carrier_accounts_created").on(t.created_at, t.id),
    oneOf("carrier_accounts", "status", accountStatuses),
  ],
);
