import type { AddressVerification } from "../../src/addresses/address.ts";
import {
  bool,
  id,
  index,
  int,
  json,
  phoneDigits,
  phoneEnd,
  primaryKey,
  table,
  text,
  time,
  unique,
  where,
} from "../kit.ts";
import { owner } from "./merchants.ts";

export const customers = table(
  "customers",
  {
    id: id(),
    merchant_id: owner(),
    email: text().notNull(),
    /** The email address in lower case, which is unique. */
    email_key: text().notNull(),
    first_name: text(),
    last_name: text(),
    phone: text(),
    company: text(),
    metadata: json<Record<string, unknown>>().notNull(),
    revision: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
    /** When the personal data was erased. Orders still refer to the id. */
    erased_at: time(),
  },
  (t) => [
    unique("customers_email").on(t.email_key, t.merchant_id),
    unique("customers_owned").on(t.merchant_id, t.id),
    index("customers_created").on(t.created_at, t.id),
    index("customers_merchant").on(t.merchant_id, t.created_at, t.id),
    index("customers_phone").on(phoneDigits(t.phone)).where(where("phone is not null")),
    index("customers_phone_end").on(phoneEnd(t.phone)).where(where("phone is not null")),
  ],
);

/**
 * Search words of customers: the words of all current and former names and email addresses, in lower case, so that
 * orders with an old name are still found.
 */
export const customer_words = table(
  "customer_words",
  {
    customer_id: int()
      .notNull()
      .references(() => customers.id),
    word: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.customer_id, t.word] }), index("customer_words_word").on(t.word, t.customer_id)],
);

export const addresses = table(
  "addresses",
  {
    id: id(),
    merchant_id: owner(),
    customer_id: int()
      .notNull()
      .references(() => customers.id),
    name: text().notNull(),
    company: text(),
    address_line1: text().notNull(),
    address_line2: text(),
    city: text().notNull(),
    state: text(),
    postal_code: text(),
    country: text().notNull(),
    phone: text(),
    is_default: bool().notNull(),
    /** The result of the last address check; null for addresses older than checks. */
    verification: json<AddressVerification>(),
    is_verified: bool().notNull(),
    /** When a carrier verifies it; null if none does. */
    ask_at: time(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [
    index("addresses_customer").on(t.customer_id, t.id),
    unique("addresses_default").on(t.customer_id).where(where("is_default")),
    index("addresses_to_ask").on(t.ask_at).where(where("ask_at is not null")),
  ],
);
