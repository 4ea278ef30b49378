import type { Environment } from "../core/environment.ts";
import { type AddressList, clientAddress } from "../core/ip_addresses.ts";
import type { Log } from "../core/log.ts";
import type { BackupPlan, LogArchiveState } from "../core/operator_settings.ts";
import type { Store } from "../storage/database.ts";
import type { FileContents } from "../storage/file_contents.ts";
import type { Registry } from "../storage/postgres/server_registry.ts";
import type { RequestTrace } from "./trace.ts";

/** Called for each response as it is sent, with its duration in milliseconds. It must be fast and never throw. */
export type RequestObserver = (request: Request, trace: RequestTrace, status: number, took_ms: number) => void;

/** How the operator is notified by email. */
export interface MailSettings {
  /** `smtp://user:password@host:587`, or `smtps:` for TLS from the start of the connection. */
  readonly url: string;
  readonly from: string;
  /** One address, or several separated by commas. */
  readonly to: string;
}

/** What the routes and jobs of one process share. */
export interface Service {
  readonly stores: Readonly<Record<Environment, Store>>;
  /** This server among those on the same PostgreSQL database; null on SQLite. */
  readonly registry: Registry | null;
  readonly log: Log;
  /** 32 bytes. Encrypts stored secrets and signs links and cursors, each with a key derived from it. */
  readonly secret_key: Uint8Array;
  /** The service's URL for links, without a trailing slash; empty for links relative to the host. */
  readonly base_url: string;
  /** The company's GS1 prefix, with which its parcel numbers (SSCC) start; null without one. */
  readonly gs1_prefix: string | null;
  /** The host names of this machine as they appear in URLs. Without `base_url`, links use one of these. */
  readonly known_hosts: ReadonlySet<string>;
  readonly trusted_proxies: AddressList;
  /** Whether the service itself terminates TLS. */
  readonly tls: boolean;
  /** The certificate (PEM) of its own authority, which devices can be made to trust; null without one. */
  readonly authority: string | null;
  /** Whether users may sign in over plain HTTP from other machines. */
  readonly allow_insecure_lan: boolean;
  /** Whether the server listens on loopback only. */
  readonly loopback_only: boolean;
  /** Whether the operator's test webhooks may use loopback addresses. */
  readonly loopback_receivers: boolean;
  /** Private address ranges that the operator's own webhooks, platforms and carriers may use. */
  readonly webhook_allow_cidrs: readonly string[];
  /** Private address ranges that merchants may use: none, except in tests. */
  readonly merchant_allow_cidrs: readonly string[];
  /** How many days event payloads and the delivery log are kept. */
  readonly event_retention_days: number;
  /** How many days the request log is kept. */
  readonly request_log_days: number;
  /** The file that lists erased persons, so that a restore can erase them again; null without one. */
  readonly erasures_path: string | null;
  /** How long a label purchase waits for the carrier before the response is 202. */
  readonly carrier_timeout_ms: number;
  /** The data directory, and the URL of the PostgreSQL database that replaces it, if any. */
  readonly data: string;
  readonly database_url: string | null;
  /** The contents of uploaded files. */
  readonly files: FileContents;
  /** The scheduled backups; null when there are none. */
  readonly backups: BackupPlan | null;
  /** Returns the state of log archiving; absent when it is off. */
  readonly shipped?: (() => LogArchiveState) | undefined;
  /** The mail server and the operator's addresses for notices; null without email. */
  readonly mail: MailSettings | null;
  /** The port that the server listens on; null before. */
  readonly ownPort: () => number | null;
  /** The peer address of a request's socket; null when there is none. */
  readonly peerOf: (request: Request) => string | null;
  /** Sets how many seconds a request may take to arrive and to be answered; 0 for no limit. */
  readonly waitFor: (request: Request, seconds: number) => void;
  /** Called for each response; features add theirs when the app is created. */
  readonly observers: RequestObserver[];
  /**
   * Aborted when the service is about to shut down: health checks then fail, so that load balancers send no more
   * requests.
   */
  readonly draining: AbortSignal;
  /** Aborted when the service shuts down, which ends responses that have no end of their own. */
  readonly ending: AbortSignal;
}

/** The client's address, behind any trusted proxies; null when it cannot be read. */
export function clientOf({ peerOf, trusted_proxies }: Service, request: Request): string | null {
  return clientAddress(peerOf(request), request.headers.get("x-forwarded-for"), trusted_proxies);
}
