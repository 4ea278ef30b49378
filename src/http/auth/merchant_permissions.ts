// What a merchant's keys and people may do, beside the permission that a route needs. A third-party warehouse works for
// its merchants: they say what is to be sent and see what there is, the house does the work and keeps its own settings.
import type { Permission, RouteNeed } from "./permissions.ts";

/** Whether merchants may use the routes that need a permission, unless a route below says otherwise. */
const by_permission: Readonly<Record<Permission, boolean>> = {
  "orders.read": true,
  "orders.write": true,
  "orders.fulfil": false,
  "stock.read": true,
  "stock.write": false,
  "stock.floor": false,
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
  "metrics.read": false,
  "house.manage": false,
  "merchants.read": false,
  "merchants.manage": false,
};

/** What a merchant may do by a route: nothing, anything, or only with labels at the house's cost allowed. */
type MerchantAccess = "yes" | "no" | "with_labels";

/** The routes that differ from what their permission says, by the names of their operations. */
const by_route: Readonly<Record<string, MerchantAccess>> = {
  // Reservations and expected receipts are theirs to make.
  reserveInventory: "yes",
  releaseInventory: "yes",
  extendReservation: "yes",
  createReceipt: "yes",
  cancelReceipt: "yes",
  // Their own people, of whom alone these tell them.
  listUsers: "yes",
  getUser: "yes",
  updateUser: "yes",
  createInvitation: "yes",
  listInvitations: "yes",
  getInvitation: "yes",
  resendInvitation: "yes",
  revokeInvitation: "yes",
  // The house looks on as a merchant.
  beginViewAs: "no",
  // Bins, counts and what lies where are the house's.
  listBins: "no",
  listStockItems: "no",
  listPutBacks: "no",
  listCounts: "no",
  getCount: "no",
  getPickList: "no",
  getWavePickList: "no",
  getOrderPlan: "no",
  allocateOrder: "no",
  // Labels are at the house's cost.
  createLabel: "with_labels",
  voidLabel: "with_labels",
  createReturnLabel: "with_labels",
  // What carriers take from the house, and what it has set up with them.
  getLabelCosts: "no",
  exportLabelCosts: "no",
  listRateCards: "no",
  getRateCard: "no",
  listRateCardHistory: "no",
  exportRateCardPrices: "no",
  listZoneOverrides: "no",
  listZoneCharts: "no",
  exportZoneCharts: "no",
  listConnectors: "no",
  listManifests: "no",
  getManifest: "no",
  getManifestDocument: "no",
  // A scan ships and delivers orders.
  recordScan: "no",
  // Who of the house worked how much, and what carriers cost it.
  getUnitsPickedReport: "no",
  exportUnitsPickedReport: "no",
  getCarrierCostReport: "no",
  exportCarrierCostReport: "no",
};

/** Whether a merchant may use a route, by the name of its operation and what it needs. */
export function mayMerchant(
  { id, need }: { readonly id: string; readonly need: RouteNeed },
  { may_buy_labels }: { readonly may_buy_labels: boolean },
): boolean {
  const said = by_route[id];
  if (said !== undefined) return said === "yes" || (said === "with_labels" && may_buy_labels);
  return need === "any" || need === "user" || need === "none" || by_permission[need];
}

/** What routes named above open of a permission that is the house's otherwise, as far as screens go by it. */
const also_shown: Partial<Readonly<Record<Permission, MerchantAccess>>> = {
  "users.manage": "yes",
  "shipping.buy": "with_labels",
};

/** What of a role's permissions opens anything to a merchant's people, for the screens that go by permissions. */
export function shownToMerchant(
  words: Iterable<Permission>,
  { may_buy_labels }: { readonly may_buy_labels: boolean },
): Permission[] {
  const opens = (said: MerchantAccess | undefined) => said === "yes" || (said === "with_labels" && may_buy_labels);
  return [...words].filter((word) => by_permission[word] || opens(also_shown[word]));
}

const of_new_orders: ReadonlySet<string> = new Set(["createOrder", "createOrders", "importOrders"]);

/** Whether a suspended merchant's people may use a route: they read, make orders, and change their own profile. */
export function maySuspended({ id, need, writes }: RequestedRoute): boolean {
  return !writes || need === "user" || of_new_orders.has(id);
}

/** What of a route says whether someone may use it now. */
interface RequestedRoute {
  readonly id: string;
  readonly need: RouteNeed;
  readonly writes: boolean;
}

/** Whether a route begins or ends to look on as a merchant: both may be asked again by who looks on already. */
export const isOfViews = ({ id }: Pick<RequestedRoute, "id">): boolean => id === "beginViewAs" || id === "endViewAs";

/** Whether who looks on as a merchant may use a route: nothing is changed meanwhile, but that it ends. */
export const mayViewing = (route: RequestedRoute): boolean => !route.writes || isOfViews(route);

const of_house: ReadonlySet<RouteNeed> = new Set<RouteNeed>([
  ...(["none", "any", "user", "shipping.manage", "users.manage", "audit.read", "metrics.read"] as const),
  ...(["requests.read", "house.manage", "merchants.read", "merchants.manage"] as const),
]);

/** Whether a route is about records that belong to merchants, so that its query may name one. */
export const isOfMerchants = (need: RouteNeed, id: string): boolean => id === "searchAll" || !of_house.has(need);
