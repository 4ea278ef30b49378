// The interface of platforms.
import type { Api } from "../../outbound/api.ts";
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

/** All that a connector needs to call the API of one store. */
export interface PlatformAccess {
  readonly connection: Pick<StoreConnection, "id" | "store_id" | "api_url">;
  readonly credentials: PlatformCredentials;
  /** Calls the API at a checked address. Refuses: platform_error, when there is no answer. */
  readonly api: Api;
  /** The moment of the call, in milliseconds. */
  readonly now: number;
}

/**
 * How one platform's notifications are read and its API called. What a platform refuses or does not answer is a Fault
 * `platform_error` with the facts `permanent` (true when asking again cannot help, as with a bad token) and
 * `retry_after_seconds` (where the platform gave it). A notification that cannot be read is a Fault
 * `validation_failed`.
 */
export interface PlatformConnector {
  /** Whether a request is signed with one of the secrets; true without a secret if the API key is the proof. */
  verify(inbound: PlatformInbound, credentials: PlatformCredentials, now: number): boolean;
  /** Reads a notification, verified or not. Refuses: validation_failed. */
  read(inbound: PlatformInbound): PlatformNotification;
  /** The order as it is now at the platform, or null when there is none. Refuses: platform_error. */
  fetchOrder(access: PlatformAccess, external_id: string): Promise<PlatformOrder | null>;
  /** The orders that changed at the platform since a moment, the oldest change first. Refuses: platform_error. */
  changedSince(access: PlatformAccess, since: number): Promise<readonly PlatformChange[]>;
  /**
   * Reports a parcel, unless the platform has it already, and answers the platform's id of it, if any. Refuses:
   * platform_error.
   */
  report(access: PlatformAccess, report: ShipmentReport): Promise<string | null>;
}

/** The connector of each platform. */
export type PlatformConnectors = Readonly<Record<Platform, PlatformConnector>>;
