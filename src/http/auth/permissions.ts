import type { Environment } from "../../core/environment.ts";
import { Fault } from "../../core/faults.ts";

/** All permissions, with their descriptions. A route needs one of them; keys and roles are sets of them. */
export const permissions = {
  "orders.read": "View orders, their history and documents",
  "orders.write": "Create, edit, hold, release and cancel orders",
  "orders.fulfill": "Process, pick, pack, ship and deliver orders",
  "stock.read": "View stock, lots, reservations and the ledger",
  "stock.write": "Add, adjust and reserve stock, plan counts, receipts and transfers",
  "stock.floor": "Scan receipts, transfers, counts, moves and restock tasks",
  "floor.read": "View waves, totes, tasks, stations, cartons and printers",
  "floor.work": "Take tasks, pick waves, pack with scans and print",
  "floor.lead": "Plan, release and cancel waves, and take over tasks",
  "floor.manage": "Set up totes, stations, cartons and printers",
  "catalog.read": "View products",
  "catalog.write": "Create, edit and import products",
  "customers.read": "View customers and their addresses",
  "customers.write": "Create and edit customers and their addresses",
  "privacy.manage": "Handle data requests and erasure",
  "returns.read": "View returns",
  "returns.write": "Create, edit, close and cancel returns",
  "returns.receive": "Receive and inspect returns",
  "returns.refund": "Refund returns",
  "shipping.read": "View labels, manifests, rates and zones",
  "shipping.buy": "Buy and void labels, close manifests",
  "shipping.manage": "Set up carriers, rate cards, zones and holidays",
  "tracking.read": "View parcel tracking",
  "tracking.write": "Track parcels and record scans",
  "events.read": "View events",
  "requests.read": "View the request log",
  "webhooks.read": "View webhooks, deliveries and notices",
  "webhooks.manage": "Set up webhooks and resend deliveries",
  "platforms.manage": "Connect stores and carriers of other platforms",
  "keys.manage": "Create, edit and revoke API keys",
  "users.manage": "Invite, edit and disable users",
  "audit.read": "View the audit trail",
  "reports.read": "View reports",
  "billing.read": "View billable activity",
  "billing.write": "Record billable time",
  "files.read": "View uploaded files and branding",
  "files.write": "Upload and delete files",
  "branding.manage": "Edit the logo, color and contact that buyers see",
  "metrics.read": "View the metrics of the service",
  "operator.manage": "Set up warehouses, zones and bins",
  "merchants.read": "View merchants",
  "merchants.manage": "Create, edit, suspend and close merchants",
} as const;

export type Permission = keyof typeof permissions;

export const allPermissions = Object.keys(permissions) as readonly Permission[];

/** The levels of API keys. Each includes the previous one. */
export const levels = ["read", "read_write", "full"] as const;
export type KeyLevel = (typeof levels)[number];

const readable: readonly Permission[] = [
  "orders.read",
  "stock.read",
  "floor.read",
  "catalog.read",
  "customers.read",
  "returns.read",
  "shipping.read",
  "tracking.read",
  "events.read",
  "webhooks.read",
  "reports.read",
  "billing.read",
  "files.read",
  "metrics.read",
  "merchants.read",
];

const writable: readonly Permission[] = [
  ...readable,
  "orders.write",
  "orders.fulfill",
  "stock.write",
  "stock.floor",
  "floor.work",
  "floor.lead",
  "catalog.write",
  "customers.write",
  "returns.write",
  "returns.receive",
  "returns.refund",
  "shipping.buy",
  "tracking.write",
  "files.write",
];

/** The permissions for work on the floor. Users who sign in by badge have no others. */
export const floorPermissions: ReadonlySet<Permission> = new Set([
  ...(["orders.read", "orders.fulfill", "stock.read", "stock.write", "stock.floor"] as const),
  ...(["floor.read", "floor.work", "floor.lead", "catalog.read", "returns.read", "returns.receive"] as const),
  ...(["shipping.read", "shipping.buy", "tracking.read", "files.read", "merchants.read"] as const),
]);

/** The permissions of a key of each level. */
export const levelPermissions: Readonly<Record<KeyLevel, ReadonlySet<Permission>>> = {
  read: new Set(readable),
  read_write: new Set(writable),
  full: new Set(allPermissions),
};

/** Permissions for data that live and test share. It is stored with the live data, and test keys cannot reach it. */
const liveOnly: ReadonlySet<Permission> = new Set(["users.manage", "audit.read", "merchants.manage"]);

/** Permissions for settings and personal data. The audit trail records every act that needs one, also by API keys. */
export const ofSettings: ReadonlySet<Permission> = new Set([
  ...(["keys.manage", "users.manage", "webhooks.manage", "platforms.manage", "shipping.manage"] as const),
  ...(["operator.manage", "merchants.manage", "privacy.manage", "branding.manage", "floor.manage"] as const),
]);

const of_test: Readonly<Record<KeyLevel, ReadonlySet<Permission>>> = {
  ...levelPermissions,
  full: new Set(allPermissions.filter((word) => !liveOnly.has(word))),
};

/** The permissions of an API key by its level, or of a user by role. */
export interface GrantedPermissions {
  readonly permissions: ReadonlySet<Permission>;
  readonly by: "level" | "role";
  /** The name of the level or role. */
  readonly name: string;
  /** Set until the user sets up two-factor authentication; until then nothing else is allowed. */
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

/** The permissions of a key of a level in an environment. */
export const grantOf = (level: KeyLevel, mode: Environment): GrantedPermissions => grants[mode][level];

/** The lowest level of a key with this permission. */
export function levelFor(permission: Permission): KeyLevel {
  return levels.find((level) => levelPermissions[level].has(permission)) ?? "full";
}

/** Which of these permissions a caller lacks. Nobody can grant permissions without having them. */
export function missingPermissions(granted: GrantedPermissions, wanted: Iterable<Permission>): Permission[] {
  return [...wanted].filter((permission) => !granted.permissions.has(permission));
}

/** The permissions to import records, by kind. */
export const importNeeds = {
  orders: "orders.write",
  customers: "customers.write",
  products: "catalog.write",
  stock: "stock.write",
} as const satisfies Readonly<Record<string, Permission>>;

/** Needs of one of several permissions: the act requires that of its kind of record or action. */
const alternatives = {
  imports: ["orders.write", "customers.write", "catalog.write", "stock.write"],
  order_actions: ["orders.write", "orders.fulfill", "shipping.buy"],
  uploads: ["files.write", "shipping.buy"],
} as const satisfies Readonly<Record<string, readonly [Permission, ...Permission[]]>>;

/**
 * What a route needs: a permission; `any` for any key or user; a name in `alternatives` for one of its permissions;
 * `user` for a signed-in user, on routes about that user; `none` for public routes and for routes that check a
 * signature or a token themselves.
 */
export type RouteNeed = Permission | "any" | keyof typeof alternatives | "user" | "none";

/** Whether a route needs one of several permissions. */
export const isAlternative = (need: RouteNeed): need is keyof typeof alternatives => need in alternatives;

/** A route needs one of these permissions. The most general comes first. */
export const permissionsIn = (need: Permission | keyof typeof alternatives): readonly [Permission, ...Permission[]] =>
  isAlternative(need) ? alternatives[need] : [need];

/** Whether a route only reads, even though its method could change things. */
export const onlyReads = (need: RouteNeed): boolean => need === "any" || need.endsWith(".read");

/** Whether a need is about data that live and test share, which test keys cannot reach. */
export const isOfLive = (need: RouteNeed): boolean => need === "user" || liveOnly.has(need as Permission);

/** Refuses to grant or revoke a permission that the caller does not have. Refuses: insufficient_permission. */
export function refuseBeyond(granted: GrantedPermissions, wanted: Iterable<Permission>): void {
  const [permission] = missingPermissions(granted, wanted);
  if (permission === undefined) return;
  const message = `You cannot grant or revoke a permission that you do not have: ${permission}.`;
  const { name, by } = granted;
  const facts = by === "role" ? { permission, role: name } : { required: levelFor(permission), granted: name };
  throw new Fault("insufficient_permission", message, facts);
}
