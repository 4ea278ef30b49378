// The interface of platform connectors.
import type { Api } from "../../outbound/api.ts";
import type { IssuedToken } from "../connection_state.ts";
import type {
  PlatformChange,
  PlatformCredentials,
  PlatformInbound,
  PlatformNotification,
  PlatformOrder,
  ShipmentReport,
  StoreConnection,
} from "../platform.ts";
import type { Platform } from "../platforms.transitions.ts";

/**
 * Returns the access token of a connection whose platform issues tokens for a limited time. `request` gets a new one
 * when it is due for renewal, or when `refused` is the stored one. Refuses: platform_error.
 */
export type TokenSource = (refused: string | null, request: () => Promise<IssuedToken>) => Promise<string>;

/** The context in which a connector calls the API of one store. */
export interface PlatformAccess {
  readonly connection: Pick<StoreConnection, "id" | "store_id" | "api_url">;
  readonly credentials: PlatformCredentials;
  readonly tokenFor: TokenSource;
  /** Calls the API at a checked address. Refuses: platform_error. */
  readonly api: Api;
  /** The time of the call, in milliseconds. */
  readonly now: number;
}

/** A product or variant of a shop whose stock is one number. */
export interface PlatformListing {
  /** Shopify: the inventory item. Elsewhere the product (`12`) or a variant with a number of its own (`12/34`). */
  readonly external_id: string;
  /** The variants that share the number, named as in `PlatformLine`. */
  readonly variant_ids: readonly string[];
  readonly sku: string | null;
  readonly barcode: string | null;
  readonly name: string;
  /** Why its quantity cannot be set: its parts are counted, or the shop does not count it; null if it can. */
  readonly unsettable: "bundle" | "untracked" | null;
  /** The number at the location, below zero if the shop oversold; null if it is not stocked there or not known. */
  readonly quantity: number | null;
}

/** A place of a shop where stock is counted. */
export interface PlatformLocation {
  readonly external_id: string;
  readonly name: string;
  readonly is_active: boolean;
}

/** A page of a shop's listings. Without a location, their quantities are those of the default one, or null. */
export interface PlatformListingPage {
  /** Where the previous page ended; null for the first page. */
  readonly cursor: string | null;
  readonly location_id: string | null;
}

/** An absolute quantity to set at a location if the shop still shows `expected`. */
export interface StockChange {
  readonly external_id: string;
  /** Required by Shopify. */
  readonly location_id: string | null;
  readonly quantity: number;
  readonly expected: number;
  /** Identifies the attempt: the same change again has the same key only if it is a retry. */
  readonly key: string;
}

/** The result of a change: set (with the number read back), stale (with the number found) or refused. */
export type StockResult =
  | { readonly external_id: string; readonly outcome: "set" | "stale"; readonly quantity: number }
  | {
      readonly external_id: string;
      readonly outcome: "refused";
      readonly code: string;
      readonly message: string;
      readonly permanent: boolean;
    };

/** How a platform's stock is read and set. */
export interface PlatformStock {
  /** The most changes in one call of `set`. */
  readonly batch_max: number;
  /** The shop's locations; none where the platform has none. Refuses: platform_error. */
  locations(access: PlatformAccess): Promise<readonly PlatformLocation[]>;
  /** A page of the shop's listings, and the cursor of the next. Refuses: platform_error. */
  listings(
    access: PlatformAccess,
    page: PlatformListingPage,
  ): Promise<{ listings: readonly PlatformListing[]; next: string | null }>;
  /**
   * The numbers that the shop shows, by listing; 0 where it is not stocked yet. Listings that the shop does not have or
   * does not count are left out. Refuses: platform_error.
   */
  quantities(
    access: PlatformAccess,
    external_ids: readonly string[],
    location_id: string | null,
  ): Promise<ReadonlyMap<string, number>>;
  /** Sets quantities. Returns one result for each change, in their order. Refuses: platform_error. */
  set(access: PlatformAccess, changes: readonly StockChange[]): Promise<readonly StockResult[]>;
}

/** A permission of a connection's credentials at its platform. */
export interface PlatformPermission {
  readonly name: string;
  /** What it is used for, after "to". */
  readonly use: string;
  readonly is_granted: boolean;
  /** Whether importing orders and reporting parcels needs it. */
  readonly is_needed: boolean;
}

/** A webhook of a store. */
export interface PlatformWebhook {
  readonly topic: string;
  readonly url: string;
  readonly is_active: boolean;
}

/** What a test of a connection reads from its platform. */
export interface PlatformChecks {
  /** Lists what the credentials allow, of what this service uses. Refuses: platform_error (invalid credentials). */
  permissions(access: PlatformAccess): Promise<readonly PlatformPermission[]>;
  /** Lists webhooks of the store. Refuses: platform_error. */
  webhooks(access: PlatformAccess): Promise<readonly PlatformWebhook[]>;
  /** Creates a webhook; null if that needs more than the credentials. Refuses: platform_error. */
  readonly createWebhook: ((access: PlatformAccess, topic: string, url: string) => Promise<void>) | null;
  /** Whether these are all webhooks that may send orders. */
  readonly are_webhooks_complete: boolean;
  /** The topics of the webhooks that announce every order and change. */
  readonly order_topics: readonly string[];
}

/**
 * Reads one platform's notifications and calls its API. Refusals and timeouts are Faults `platform_error` with the
 * facts `permanent` (a retry cannot help, as with a bad token) and `retry_after_seconds` (the platform's own delay).
 * An unreadable notification is a Fault `validation_failed`.
 */
export interface PlatformConnector {
  /** Whether a request is signed with one of the secrets; true without a secret if the API key is the proof. */
  verify(inbound: PlatformInbound, credentials: PlatformCredentials, now: number): boolean;
  /** Reads a notification, verified or not. Refuses: validation_failed. */
  read(inbound: PlatformInbound): PlatformNotification;
  /** Fetches an order in its present state; null if the platform does not have it. Refuses: platform_error. */
  fetchOrder(access: PlatformAccess, external_id: string): Promise<PlatformOrder | null>;
  /** Lists the orders that changed at the platform since a time (ms), oldest change first. Refuses: platform_error. */
  changedSince(access: PlatformAccess, since: number): Promise<readonly PlatformChange[]>;
  /**
   * Reports a parcel unless the platform already has it. Returns the platform's id of it, if any. Refuses:
   * platform_error.
   */
  report(access: PlatformAccess, report: ShipmentReport): Promise<string | null>;
  readonly stock: PlatformStock;
  readonly checks: PlatformChecks;
}

/** The connector of each platform. */
export type PlatformConnectors = Readonly<Record<Platform, PlatformConnector>>;
