import type { ContactAddress } from "../../src/core/postal_address.ts";
import { type MerchantStatus, merchantStatuses } from "../../src/merchants/merchant.transitions.ts";
import { bool, id, int, json, oneOf, table, text, time, unique } from "../kit.ts";

/**
 * The merchants that the operator ships for. A merchant has the same id in both environments; it is created in the live
 * store first.
 */
export const merchants = table(
  "merchants",
  {
    id: id(),
    /** Its short code, in upper case. */
    code: text().notNull(),
    name: text().notNull(),
    legal_name: text(),
    status: text().$type<MerchantStatus>().notNull(),
    currency: text().notNull(),
    /** IANA time zone. */
    timezone: text().notNull(),
    contact: json<{ name: string | null; email: string | null; phone: string | null }>(),
    return_address: json<ContactAddress>(),
    /** The sender name on its parcels. */
    ship_from_name: text(),
    /** Whether it may buy labels itself, at the operator's cost. */
    may_buy_labels: bool().notNull().default(false),
    /** Whether its orders may be picked in one walk with those of other merchants. */
    shared_waves: bool().notNull().default(true),
    /** Its color in the dashboard. */
    color: text(),
    metadata: json<Record<string, unknown>>().notNull().default({}),
    revision: int().notNull().default(1),
    created_at: time().notNull(),
    updated_at: time().notNull(),
    suspended_at: time(),
    closed_at: time(),
  },
  (t) => [unique("merchants_code").on(t.code), oneOf("merchants", "status", merchantStatuses)],
);

/** The merchant that owns a record. Scopes apply to every table with a column `merchant_id`. */
export const owner = () =>
  int()
    .notNull()
    .references(() => merchants.id);

/** As `owner`, if another foreign key of the table ensures that the merchant exists. */
export const sameOwner = () => int().notNull();

/** The merchant that owns a record; null for the operator. */
export const ownerOrOperator = () => int().references(() => merchants.id);
