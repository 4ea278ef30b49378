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
    /** The e-mail address in lower case: it is unique whatever its case. */
    email_key: text().notNull(),
    first_name: text(),
    last_name: text(),
    phone: text(),
    company: text(),
    metadata: json<Record<string, unknown>>().notNull(),
    version: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
    /** When all that told who it was has been erased; orders still name the customer by its id. */
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
 * The words by which a customer is found: those of every name and e-mail address that it has had, in small letters, so
 * that orders that carry an old name are found by it still.
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
    /** What the last check of it found; null for one of before there were checks. */
    verification: json<AddressVerification>(),
    is_verified: bool().notNull(),
    /** When a carrier is to be asked about it; null when nobody is. */
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
