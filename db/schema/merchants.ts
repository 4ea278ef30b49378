import type { NamedAddress } from "../../src/core/postal_address.ts";
import { type MerchantStatus, merchantStatuses } from "../../src/merchants/merchant.transitions.ts";
import { bool, id, int, json, oneOf, table, text, time, unique } from "../kit.ts";

/**
 * Whose goods lie in the house and whose orders leave it. A merchant has the same id in both worlds: it is made in the
 * live store first.
 */
export const merchants = table(
  "merchants",
  {
    id: id(),
    /** What people call it by, in capital letters. */
    code: text().notNull(),
    name: text().notNull(),
    legal_name: text(),
    status: text().$type<MerchantStatus>().notNull(),
    currency: text().notNull(),
    /** IANA time zone. */
    timezone: text().notNull(),
    contact: json<{ name: string | null; email: string | null; phone: string | null }>(),
    return_address: json<NamedAddress>(),
    /** Who its parcels say they come from. */
    ship_from_name: text(),
    /** True when it may buy labels by itself, at the house's cost. */
    may_buy_labels: bool().notNull().default(false),
    /** What it is shown in, so that it is told from others at a glance. */
    colour: text(),
    metadata: json<Record<string, unknown>>().notNull().default({}),
    version: int().notNull().default(1),
    created_at: time().notNull(),
    updated_at: time().notNull(),
    suspended_at: time(),
    closed_at: time(),
  },
  (t) => [unique("merchants_code").on(t.code), oneOf("merchants", "status", merchantStatuses)],
);

/** The merchant to whom a record belongs. A table that has it as `merchant_id` is owned. */
export const owner = () =>
  int()
    .notNull()
    .references(() => merchants.id);

/** As `owner`, where another key of the table sees to it that there is such a merchant. */
export const sameOwner = () => int().notNull();

/** The merchant to whom a record belongs; null for one of the house. */
export const ownerOrHouse = () => int().references(() => merchants.id);
