import { allPermissions, floorPermissions, levelPermissions, type Permission } from "../../http/auth/permissions.ts";

/** The roles of users, the one with the most permissions first. */
export const roles = ["owner", "manager", "office", "lead", "floor", "viewer"] as const;
export type Role = (typeof roles)[number];

/** The description and permissions of a role. */
interface RoleFacts {
  readonly description: string;
  /** Its description at a merchant; null for a role that exists only with the operator. */
  readonly at_merchant: string | null;
  readonly permissions: readonly Permission[];
}

const without = (words: Iterable<Permission>, ...less: readonly Permission[]) =>
  [...words].filter((word) => !less.includes(word));

/** The roles' descriptions and permissions. */
export const roleFacts: Readonly<Record<Role, RoleFacts>> = {
  owner: {
    description: "Full access, including API keys, webhooks and store connections.",
    at_merchant: "Full access to the merchant, including its users, API keys, webhooks and store connections.",
    permissions: allPermissions,
  },
  manager: {
    description: "Everything except API keys, webhooks and store connections.",
    at_merchant: "Everything of the merchant except API keys, webhooks and store connections.",
    permissions: without(allPermissions, "keys.manage", "webhooks.manage", "platforms.manage"),
  },
  office: {
    description: "Daily work: orders, stock, products, customers, labels, returns and reports.",
    at_merchant: "Daily work: orders, products, customers, inbound shipments, returns and reports.",
    permissions: without(levelPermissions.read_write, "metrics.read"),
  },
  lead: {
    description:
      "Shift lead: everything on the warehouse floor, with waves, taking over tasks, adjustments and counts.",
    at_merchant: null,
    permissions: [...floorPermissions],
  },
  floor: {
    description: "Warehouse floor: pick, pack, ship, receive, count and restock. No customer list, no reports.",
    at_merchant: null,
    permissions: without(floorPermissions, "floor.lead", "stock.write", "files.read"),
  },
  viewer: {
    description: "Read-only access.",
    at_merchant: "Read-only access to the merchant's orders, stock and reports.",
    permissions: without(levelPermissions.read, "metrics.read", "billing.read", "webhooks.read", "events.read"),
  },
};
