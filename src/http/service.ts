import type { Environment } from "../core/environment.ts";
import { type AddressList, clientAddress } from "../core/ip_addresses.ts";
import type { Log } from "../core/log.ts";
import type { BackupPlan, LogArchiveState } from "../core/operator_settings.ts";
import type { Store } from "../storage/database.ts";
import type { Registry } from "../storage/postgres/server_registry.ts";
import type { RequestTrace } from "./trace.ts";

/** Called for each answer as it is sent, with how long it took in milliseconds. It is quick and never throws. */
export type RequestObserver = (request: Request, trace: RequestTrace, status: number, took_ms: number) => void;

/** How the operator is reached by e-mail. */
export interface MailSettings {
  /** `smtp://user:password@host:587`, or `smtps:` for a connection under TLS from the start. */
  readonly url: string;
  readonly from: string;
  /** One address, or several between commas. */
  readonly to: string;
}

/** What the routes and jobs of one process share. */
export interface Service {
  readonly stores: Readonly<Record<Environment, Store>>;
  /** This server among those on the same PostgreSQL database; null on SQLite. */
  readonly registry: Registry | null;
  readonly log: Log;
  /** 32 bytes: seals secrets at rest and signs links and cursors, each under a key derived from it. */
  readonly secret_key: Uint8Array;
  /** Address of the service as links name it, without a slash at the end; empty for links relative to the host. */
  readonly base_url: string;
  /** The company's GS1 prefix, with which the numbers of its parcels begin; null without one. */
  readonly gs1_prefix: string | null;
  /** The names of this machine, as URLs write a host. Without `base_url`, links begin with one of these. */
  readonly known_hosts: ReadonlySet<string>;
  readonly trusted_proxies: AddressList;
  /** Whether the service itself speaks TLS. */
  readonly tls: boolean;
  /** The certificate (PEM) of its own authority, which devices can be made to trust; null without one. */
  readonly authority: string | null;
  /** Whether people may sign in over unencrypted http from other machines. */
  readonly allow_insecure_lan: boolean;
  /** True while the server listens on loopback only. */
  readonly loopback_only: boolean;
  /** Whether the operator's test data may be sent to receivers on loopback. */
  readonly loopback_receivers: boolean;
  /** Address ranges that the operator's own webhooks, platforms and carriers may name though they are not public. */
  readonly webhook_allow_cidrs: readonly string[];
  /** Address ranges that merchants may name though they are not public: none, but in tests. */
  readonly merchant_allow_cidrs: readonly string[];
  /** For how many days payloads of events and the log of deliveries are kept. */
  readonly event_retention_days: number;
  /** For how many days requests are kept in their log. */
  readonly request_log_days: number;
  /** The file in which it stands who was erased, for a restore to erase them again; null without one. */
  readonly erasures_path: string | null;
  /** How long the purchase of a label waits for the carrier before it answers 202. */
  readonly carrier_patience_ms: number;
  /** The data directory, and the address of the PostgreSQL database that is used in its place, if one is. */
  readonly data: string;
  readonly database_url: string | null;
  /** The backups that the service makes by itself; null when it makes none. */
  readonly backups: BackupPlan | null;
  /** Answers how it stands with what is shipped of the commits; absent when nothing is. */
  readonly shipped?: (() => LogArchiveState) | undefined;
  /** The mail server and the operator's addresses for notices; null without e-mail. */
  readonly mail: MailSettings | null;
  /** The socket's peer of a request, or null when there is none. */
  readonly peerOf: (request: Request) => string | null;
  /** For how many seconds a request may take to arrive and to be answered; 0 for as long as it takes. */
  readonly waitFor: (request: Request, seconds: number) => void;
  /** Called for each answer; features add themselves when the app is created. */
  readonly witnesses: RequestObserver[];
  /** Aborted when the service is about to stop: who asks for its health is to send no more requests. */
  readonly draining: AbortSignal;
  /** Aborted when the service stops, which ends the answers that have no end of their own. */
  readonly ending: AbortSignal;
}

/** The address that a request comes from, past the proxies that are trusted; null when it cannot be read. */
export function clientOf({ peerOf, trusted_proxies }: Service, request: Request): string | null {
  return clientAddress(peerOf(request), request.headers.get("x-forwarded-for"), trusted_proxies);
}
