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
}

/** The connector of each platform. */
export type PlatformConnectors = Readonly<Record<Platform, PlatformConnector>>;
