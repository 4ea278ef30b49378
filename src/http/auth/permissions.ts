import type { Environment } from "../../core/environment.ts";
import { Fault } from "../../core/faults.ts";

/** All permissions. A route needs one of them; keys and roles are sets of them. */
export const permissions = {
  "orders.read": "See orders, their history and their papers",
  "orders.write": "Create, change, hold, release and cancel orders",
  "orders.fulfil": "Process, pick, pack, ship and deliver orders",
  "stock.read": "See stock, lots, reservations and the ledger",
  "stock.write": "Add, adjust and reserve stock, plan counts, receipts and transfers",
  "stock.floor": "Scan receipts, transfers, counts, moves and put-backs",
  "catalog.read": "See products",
  "catalog.write": "Create, change and import products",
  "customers.read": "See customers and their addresses",
  "customers.write": "Create and change customers and their addresses",
  "privacy.manage": "Tell people what is known of them, and erase it",
  "returns.read": "See returns",
  "returns.write": "Create, change, close and cancel returns",
  "returns.receive": "Receive and inspect returns",
  "returns.refund": "Refund returns",
  "shipping.read": "See labels, manifests, rates and zones",
  "shipping.buy": "Buy and void labels, close manifests",
  "shipping.manage": "Set up carriers, rate cards, zones and holidays",
  "tracking.read": "See where parcels are",
  "tracking.write": "Follow parcels and record scans",
  "events.read": "Read the events",
  "requests.read": "Read the log of requests",
  "webhooks.read": "See webhooks, their deliveries and the notices",
  "webhooks.manage": "Set up webhooks, send deliveries again",
  "platforms.manage": "Connect shops and carriers of other platforms",
  "keys.manage": "Create, change and revoke API keys",
  "users.manage": "Invite, change and disable users",
  "audit.read": "Read who did what",
  "reports.read": "See reports",
  "billing.read": "See what was done for merchants, to be billed",
  "billing.write": "Tell the time that was spent for a merchant",
  "metrics.read": "See the metrics of the service",
  "house.manage": "Set up warehouses, zones and bins",
  "merchants.read": "See the merchants whose goods lie in the house",
  "merchants.manage": "Create, change, suspend and close merchants",
} as const;

export type Permission = keyof typeof permissions;

export const allPermissions = Object.keys(permissions) as readonly Permission[];

/** The levels of API keys, each of which contains those before it. */
export const levels = ["read", "read_write", "full"] as const;
export type KeyLevel = (typeof levels)[number];

const readable: readonly Permission[] = [
  "orders.read",
  "stock.read",
  "catalog.read",
  "customers.read",
  "returns.read",
  "shipping.read",
  "tracking.read",
  "events.read",
  "webhooks.read",
  "reports.read",
  "billing.read",
  "metrics.read",
  "merchants.read",
];

const daily: readonly Permission[] = [
  ...readable,
  "orders.write",
  "orders.fulfil",
  "stock.write",
  "stock.floor",
  "catalog.write",
  "customers.write",
  "returns.write",
  "returns.receive",
  "returns.refund",
  "shipping.buy",
  "tracking.write",
];

/** What a key of each level may do. */
export const levelPermissions: Readonly<Record<KeyLevel, ReadonlySet<Permission>>> = {
  read: new Set(readable),
  read_write: new Set(daily),
  full: new Set(allPermissions),
};

/** Permissions for data that both worlds share. It lies with the live data, and no key of the test world reaches it. */
const liveOnly: ReadonlySet<Permission> = new Set(["users.manage", "audit.read", "merchants.manage"]);

/** Permissions for settings, and for what is known of people: the audit trail has every act with these, by keys too. */
export const ofSettings: ReadonlySet<Permission> = new Set([
  ...(["keys.manage", "users.manage", "webhooks.manage", "platforms.manage", "shipping.manage"] as const),
  ...(["house.manage", "merchants.manage", "privacy.manage"] as const),
]);

const of_test: Readonly<Record<KeyLevel, ReadonlySet<Permission>>> = {
  ...levelPermissions,
  full: new Set(allPermissions.filter((word) => !liveOnly.has(word))),
};

/** The permissions of an API key by its level, or of a user by role. */
export interface GrantedPermissions {
  readonly permissions: ReadonlySet<Permission>;
  readonly by: "level" | "role";
  /** The level or the role, by name. */
  readonly name: string;
  /** Nothing else is allowed before a second factor is set up. */
  readonly lacks_factor?: true;
}

const grantsOf = (
  sets: Readonly<Record<KeyLevel, ReadonlySet<Permission>>>,
): Readonly<Record<KeyLevel, GrantedPermissions>> => ({
  read: { permissions: sets.read, by: "level", name: "read" },
  read_write: { permissions: sets.read_write, by: "level", name: "read_write" },
  full: { permissions: sets.full, by: "level", name: "full" },
});
const grants: Readonly<Record<Environment, Readonly<Record<KeyLevel, GrantedPermissions>>>> = {
  live: grantsOf(levelPermissions),
  test: grantsOf(of_test),
};

/** What a key of a level may do in a world. */
export const grantOf = (level: KeyLevel, mode: Environment): GrantedPermissions => grants[mode][level];

/** The lowest level of a key with this permission. */
export function levelFor(permission: Permission): KeyLevel {
  return levels.find((level) => levelPermissions[level].has(permission)) ?? "full";
}

/** The permissions of a set that someone lacks: nobody can grant permissions without having them. */
export function missingPermissions(granted: GrantedPermissions, wanted: Iterable<Permission>): Permission[] {
  return [...wanted].filter((permission) => !granted.permissions.has(permission));
}

/**
 * What a route needs: a permission; `any` for any key or user; `user` for a signed-in user, about that user; `none` for
 * public routes and for routes that check a signature or a token themselves.
 */
export type RouteNeed = Permission | "any" | "user" | "none";

/** Whether a request only reads, although its method is one that may change things. */
export const onlyReads = (need: RouteNeed): boolean => need === "any" || need.endsWith(".read");

/** Whether a need is about data that both worlds share, which no key of the test world reaches. */
export const isOfLive = (need: RouteNeed): boolean => need === "user" || liveOnly.has(need as Permission);

/** Refuses to grant or take away a permission that the actor does not have. */
export function refuseBeyond(granted: GrantedPermissions, wanted: Iterable<Permission>): void {
  const [permission] = missingPermissions(granted, wanted);
  if (permission === undefined) return;
  const message = `You cannot grant or take away a permission that you do not have: ${permission}.`;
  const { name, by } = granted;
  const facts = by === "role" ? { permission, role: name } : { required: levelFor(permission), granted: name };
  throw new Fault("insufficient_permission", message, facts);
}
