// What keys and users of merchants may do, in addition to the permission that a route needs. Merchants order shipments
// and see their records; the operator does the work and keeps its own settings.
import { isAlternative, type Permission, type RouteNeed } from "./permissions.ts";

/** Whether merchants may use the routes that need a permission, unless `by_route` overrides it. */
const by_permission: Readonly<Record<Permission, boolean>> = {
  "orders.read": true,
  "orders.write": true,
  "orders.fulfill": false,
  "stock.read": true,
  "stock.write": false,
  "stock.floor": false,
  "floor.read": false,
  "floor.work": false,
  "floor.lead": false,
  "floor.manage": false,
  "catalog.read": true,
  "catalog.write": true,
  "customers.read": true,
  "customers.write": true,
  "privacy.manage": true,
  "returns.read": true,
  "returns.write": true,
  "returns.receive": false,
  "returns.refund": false,
  "shipping.read": true,
  "shipping.buy": false,
  "shipping.manage": false,
  "tracking.read": true,
  "tracking.write": true,
  "events.read": true,
  "requests.read": false,
  "webhooks.read": true,
  "webhooks.manage": true,
  "platforms.manage": true,
  "keys.manage": true,
  "users.manage": false,
  "audit.read": false,
  "reports.read": true,
  "billing.read": true,
  "billing.write": false,
  "files.read": true,
  "files.write": true,
  "branding.manage": true,
  "metrics.read": false,
  "operator.manage": false,
  "merchants.read": false,
  "merchants.manage": false,
};

/**
 * What a route allows a merchant: nothing, everything, or only if the merchant may buy labels at the operator's cost.
 */
type MerchantAccess = "yes" | "no" | "with_labels";

/** The routes that differ from their permission's default, by operation id. */
const by_route: Readonly<Record<string, MerchantAccess>> = {
  // Merchants create their own reservations and expected receipts.
  reserveInventory: "yes",
  releaseInventory: "yes",
  extendReservation: "yes",
  createReceipt: "yes",
  updateReceipt: "yes",
  cancelReceipt: "yes",
  // Merchants see and manage their own users only.
  listUsers: "yes",
  getUser: "yes",
  updateUser: "yes",
  createInvitation: "yes",
  listInvitations: "yes",
  getInvitation: "yes",
  resendInvitation: "yes",
  revokeInvitation: "yes",
  // Only the operator views as a merchant.
  beginViewAs: "no",
  // Bins, counts and stock locations belong to the operator.
  listBins: "no",
  listStockItems: "no",
  listPutBacks: "no",
  listCounts: "no",
  getCount: "no",
  getPickList: "no",
  getWavePickList: "no",
  listDocuments: "no",
  getDocument: "no",
  getOrderPlan: "no",
  allocateOrder: "no",
  // Labels are at the operator's cost.
  createLabel: "with_labels",
  createExternalLabel: "with_labels",
  voidLabel: "with_labels",
  createReturnLabel: "with_labels",
  // Carrier costs and carrier settings belong to the operator.
  getLabelCosts: "no",
  exportLabelCosts: "no",
  listRateCards: "no",
  getRateCard: "no",
  listRateCardHistory: "no",
  exportRateCardPrices: "no",
  listZoneOverrides: "no",
  listZoneCharts: "no",
  exportZoneCharts: "no",
  listShippingRules: "no",
  getShippingRule: "no",
  listShippingRuleHistory: "no",
  evaluateShippingRules: "no",
  tryShippingRules: "no",
  listConnectors: "no",
  listManifests: "no",
  getManifest: "no",
  getManifestDocument: "no",
  // A scan ships and delivers orders.
  recordScan: "no",
  // Work done by the operator's staff, and carrier costs.
  getUnitsPickedReport: "no",
  exportUnitsPickedReport: "no",
  getCarrierCostReport: "no",
  exportCarrierCostReport: "no",
};

/** Whether a merchant may use a route. */
export function mayMerchant(
  { id, need }: { readonly id: string; readonly need: RouteNeed },
  { may_buy_labels }: { readonly may_buy_labels: boolean },
): boolean {
  const access = by_route[id];
  if (access !== undefined) return access === "yes" || (access === "with_labels" && may_buy_labels);
  if (need === "any" || isAlternative(need) || need === "user" || need === "none") return true;
  return by_permission[need];
}

/** Permissions that are the operator's, but of which routes in `by_route` open a part. Screens show them. */
const also_shown: Partial<Readonly<Record<Permission, MerchantAccess>>> = {
  "users.manage": "yes",
  "shipping.buy": "with_labels",
};

/** The permissions of a role that open anything to a merchant's users, for screens that go by permissions. */
export function shownToMerchant(
  words: Iterable<Permission>,
  { may_buy_labels }: { readonly may_buy_labels: boolean },
): Permission[] {
  const opens = (access: MerchantAccess | undefined) =>
    access === "yes" || (access === "with_labels" && may_buy_labels);
  return [...words].filter((word) => by_permission[word] || opens(also_shown[word]));
}

const of_new_orders: ReadonlySet<string> = new Set(["createOrder", "createOrders", "importOrders"]);

/**
 * Whether a suspended merchant's users may use a route: they may read, create orders and edit their own profile. Routes
 * for imports of any kind refuse those of other records themselves.
 */
export function maySuspended({ id, need, writes }: RequestedRoute): boolean {
  return !writes || need === "user" || need === "imports" || of_new_orders.has(id);
}

interface RequestedRoute {
  readonly id: string;
  readonly need: RouteNeed;
  readonly writes: boolean;
}

/** Whether a route starts or ends viewing as a merchant. A user who is already viewing may use both. */
export const isOfViews = ({ id }: Pick<RequestedRoute, "id">): boolean => id === "beginViewAs" || id === "endViewAs";

/** Whether a user who views as a merchant may use a route: reading, and starting or ending a view. */
export const mayViewing = (route: RequestedRoute): boolean => !route.writes || isOfViews(route);

const of_operator: ReadonlySet<RouteNeed> = new Set<RouteNeed>([
  ...(["none", "any", "user", "shipping.manage", "users.manage", "audit.read", "metrics.read"] as const),
  ...(["floor.manage", "requests.read", "operator.manage", "merchants.read", "merchants.manage"] as const),
]);

/** Routes of work for several merchants at once: a part of a wave would be no whole walk. */
const of_whole_floor: ReadonlySet<string> = new Set([
  ...["listTotes", "getTote", "releaseTote", "listWaves", "getWave", "getWaveWalk", "planWave", "releaseWave"],
  ...["closeWave", "cancelWave", "removeWaveOrder", "assignTote", "pickInWave", "unpickInWave"],
  ...["listWork", "takeNextTask", "claimTask", "takeOverTask", "releaseTask"],
]);

/** Routes that check the permission for each kind of record themselves. */
const of_several_kinds: ReadonlySet<string> = new Set(["searchAll", "listExceptions", "countExceptions"]);

/** Whether a route is about records that belong to merchants, so that its query may name one. */
export const isOfMerchants = (need: RouteNeed, id: string): boolean =>
  of_several_kinds.has(id) || !(of_operator.has(need) || of_whole_floor.has(id));
