import type { Transitions } from "../core/transitions.ts";

export const shipmentUpdateStatuses = ["queued", "reported", "skipped", "failed"] as const;
export type ShipmentUpdateStatus = (typeof shipmentUpdateStatuses)[number];

// The report of a shipped parcel. It is skipped if the platform's order has none of its units, or without API access.
// biome-ignore format: a table is read by its columns.
export const shipmentUpdateTransitions = {
  report:  { from: ["queued"],            to: "reported", held: false, emits: null },
  skip:    { from: ["queued"],            to: "skipped",  held: false, emits: null },
  give_up: { from: ["queued"],            to: "failed",   held: false, emits: null },
  retry:   { from: ["skipped", "failed"], to: "queued",   held: false, emits: null },
  // The connection got another URL or other secrets.
  reconnect: { from: ["skipped", "failed"], to: "queued", held: false, emits: null },
} as const satisfies Transitions<ShipmentUpdateStatus>;

/** The first status of a report, unless it is skipped. */
export const shipmentUpdateStarts: ShipmentUpdateStatus = "queued";

/** The statuses of queued reports. */
export const queuedShipmentUpdates: readonly ShipmentUpdateStatus[] = shipmentUpdateTransitions.report.from;

/** Whether a report is queued. */
export const isUpdateQueued = (status: ShipmentUpdateStatus): boolean => queuedShipmentUpdates.includes(status);

/** Whether a report failed permanently. */
export const isUpdateGivenUp = (status: ShipmentUpdateStatus): boolean => status === "failed";

// The platforms, and all statuses of their records. The SQL CHECKs, the schemas and the rules all read these tuples.

export const platforms = ["bigcommerce", "shopify", "woocommerce"] as const;
export type Platform = (typeof platforms)[number];

/** What happens to orders whose payment is expected later: cash on delivery and net terms. */
export const pendingOrders = ["wait", "import"] as const;
export type PendingOrders = (typeof pendingOrders)[number];

/** What happens to test orders of a store that is connected to live data. */
export const testOrders = ["ignore", "import"] as const;
export type TestOrders = (typeof testOrders)[number];

/** Whether orders that their buyers collect are imported. */
export const pickupChoices = ["import", "ignore"] as const;
export type PickupChoice = (typeof pickupChoices)[number];

export const connectionStatuses = ["active", "paused"] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];

// A paused connection stores its notifications. Their orders are imported once it is active again.
// biome-ignore format: a table is read by its columns.
export const connectionTransitions = {
  pause:  { from: connectionStatuses, to: "paused", held: false, emits: null },
  resume: { from: connectionStatuses, to: "active", held: false, emits: null },
} as const satisfies Transitions<ConnectionStatus>;

/** The first status of a connection unless the request sets one. */
export const connectionStarts: ConnectionStatus = "active";

/** The action that leads to a connection status. */
export const connectionActions = {
  active: "resume",
  paused: "pause",
} as const satisfies Record<ConnectionStatus, keyof typeof connectionTransitions>;

/** The statuses of connections whose orders are imported and whose parcels are reported. */
export const workingConnections: readonly ConnectionStatus[] = [connectionTransitions.resume.to];

/** Whether the orders of a connection are imported now. */
export const isWorking = (status: ConnectionStatus): boolean => workingConnections.includes(status);

export const importStatuses = ["queued", "imported", "waiting", "ignored", "failed"] as const;
export type ImportStatus = (typeof importStatuses)[number];

// An import links a platform's order to an order here. Every notification of the order queues it again.
// biome-ignore format: a table is read by its columns.
export const importTransitions = {
  queue:   { from: importStatuses, to: "queued",   held: false, emits: null },
  import:  { from: ["queued"],     to: "imported", held: false, emits: null },
  wait:    { from: ["queued"],     to: "waiting",  held: false, emits: null },
  ignore:  { from: ["queued"],     to: "ignored",  held: false, emits: null },
  give_up: { from: ["queued"],     to: "failed",   held: false, emits: null },
  retry:   { from: ["waiting", "ignored", "failed"], to: "queued", held: false, emits: null },
  // The connection got another URL or other secrets.
  reconnect: { from: ["failed"],   to: "queued",   held: false, emits: null },
  // The connection treats such orders differently now.
  reconsider: { from: ["waiting", "ignored"], to: "queued", held: false, emits: null },
} as const satisfies Transitions<ImportStatus>;
export type ImportAction = keyof typeof importTransitions;

/** The first status of an import. */
export const importStarts: ImportStatus = "queued";

/** The statuses of queued imports. */
export const queuedImports: readonly ImportStatus[] = importTransitions.import.from;

/** Whether an import is queued. */
export const isQueued = (status: ImportStatus): boolean => queuedImports.includes(status);

/** Whether an import has created its order here. */
export const isImported = (status: ImportStatus): boolean => status === importTransitions.import.to;

/** Whether the order of an import is not paid yet. */
export const awaitsPayment = (status: ImportStatus): boolean => status === "waiting";

/** Whether an import failed permanently. */
export const isGivenUp = (status: ImportStatus): boolean => status === "failed";

/** The statuses of imports without an order here, or with an outdated one. */
export const unfinishedImports: readonly ImportStatus[] = importTransitions.retry.from;

/** The statuses of imports whose units the shop has subtracted, and no order here reserves yet. */
export const unreservedImports: readonly ImportStatus[] = ["queued", "waiting", "failed"];

/** The states of an order at its platform: to ship, unpaid, cancelled, or shipped. */
export const platformOrderStates = ["open", "unpaid", "cancelled", "done"] as const;
export type PlatformOrderState = (typeof platformOrderStates)[number];

export type NotificationKind = "order" | "ping" | "unknown";

export const stockStatuses = ["idle", "queued", "failed"] as const;
export type StockStatus = (typeof stockStatuses)[number];

// A listing's number. It is queued by every change of stock, settings or the listing, and done when the shop shows it.
// biome-ignore format: a table is read by its columns.
export const stockTransitions = {
  queue:   { from: stockStatuses, to: "queued", held: false, emits: null },
  confirm: { from: stockStatuses, to: "idle",   held: false, emits: null },
  give_up: { from: ["queued"],    to: "failed", held: false, emits: null },
  // It is paused, no longer matched, or cannot be set.
  leave:   { from: stockStatuses, to: "idle",   held: false, emits: null },
} as const satisfies Transitions<StockStatus>;

/** The status of listings whose number is compared with the shop's. */
export const queuedListings: readonly StockStatus[] = stockTransitions.give_up.from;

/** Whether a listing's number is to be compared with the shop's. */
export const isListingQueued = (status: StockStatus): boolean => queuedListings.includes(status);

/** Whether the shop refused a listing's number. */
export const isListingRefused = (status: StockStatus): boolean => status === stockTransitions.give_up.to;

/** The status of a listing until it is queued. */
export const initialStockStatus: StockStatus = stockTransitions.leave.to;

/** How a listing's product was found. */
export const listingMatches = ["sku", "barcode", "hand"] as const;
export type ListingMatch = (typeof listingMatches)[number];

/** Why the shop's number of a listing cannot be set. */
export const unsettableReasons = ["bundle", "untracked"] as const;

/** Results of a push. */
export const stockPushResults = ["set", "stale", "refused", "failed"] as const;
export type StockPushResult = (typeof stockPushResults)[number];

/** Likely causes of a difference between a shop's number and ours. */
export const stockCauses = ["changed_at_shop", "order_not_imported", "push_failed", "not_tracked"] as const;
export type StockCause = (typeof stockCauses)[number];
