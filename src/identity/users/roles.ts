import { allPermissions, levelPermissions, type Permission } from "../../http/auth/permissions.ts";

/** The roles of users, the one with the most permissions first. */
export const roles = ["owner", "manager", "office", "floor", "viewer"] as const;
export type Role = (typeof roles)[number];

/** What a role is. */
interface RoleFacts {
  readonly description: string;
  /** What it is at a merchant; null for a role of the house alone. */
  readonly at_merchant: string | null;
  readonly permissions: readonly Permission[];
}

const without = (words: Iterable<Permission>, ...less: readonly Permission[]) =>
  [...words].filter((word) => !less.includes(word));

/** What each role may do. */
export const roleFacts: Readonly<Record<Role, RoleFacts>> = {
  owner: {
    description: "Everything, also API keys, webhooks and the connections to platforms.",
    at_merchant: "Everything of the merchant, also its people, API keys, webhooks and connections to platforms.",
    permissions: allPermissions,
  },
  manager: {
    description: "The whole house and its users, but no API keys, no webhooks and no connections to platforms.",
    at_merchant:
      "The merchant's business and its people, but no API keys, no webhooks and no connections to platforms.",
    permissions: without(allPermissions, "keys.manage", "webhooks.manage", "platforms.manage"),
  },
  office: {
    description: "The daily work: orders, stock, products, customers, labels, returns and reports.",
    at_merchant: "The daily work: orders, products, customers, expected receipts, returns and reports.",
    permissions: without(levelPermissions.read_write, "metrics.read"),
  },
  floor: {
    description: "Goods in hand: pick, pack, ship, receive, count and put back. No list of customers, no reports.",
    at_merchant: null,
    permissions: [
      "orders.read",
      "orders.fulfil",
      "stock.read",
      "stock.floor",
      "catalog.read",
      "returns.read",
      "returns.receive",
      "shipping.read",
      "shipping.buy",
      "tracking.read",
      "merchants.read",
    ],
  },
  viewer: {
    description: "Sees the daily work and changes nothing.",
    at_merchant: "Sees the merchant's orders, stock and reports, and changes nothing.",
    permissions: without(levelPermissions.read, "metrics.read", "billing.read", "webhooks.read", "events.read"),
  },
};
