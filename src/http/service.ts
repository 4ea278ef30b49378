import type { Store } from "../database/store.ts";
import { type AddressList, clientAddress } from "../kit/address.ts";
import type { Log } from "../kit/log.ts";
import type { Mode } from "../kit/mode.ts";
import type { Trace } from "./trace.ts";

/** Who is told of each answer as it goes out, and how long it took in milliseconds. It is quick and never throws. */
export type Witness = (request: Request, trace: Trace, status: number, took_ms: number) => void;

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
  readonly stores: Readonly<Record<Mode, Store>>;
  readonly log: Log;
  /** 32 bytes: seals secrets at rest and signs links and cursors, each under a key derived from it. */
  readonly secret_key: Uint8Array;
  /** Address of the service as links name it, without a slash at the end; empty for links relative to the host. */
  readonly base_url: string;
  /** The prefix that GS1 gave the company, of which its parcels have their numbers; null without one. */
  readonly gs1_prefix: string | null;
  /** What this machine is called, as URLs write a host: without `base_url`, links begin with these alone. */
  readonly known_hosts: ReadonlySet<string>;
  readonly trusted_proxies: AddressList;
  /** Whether the service itself speaks TLS. */
  readonly tls: boolean;
  /** The certificate (PEM) of its own authority, which devices may come to trust; null without one. */
  readonly authority: string | null;
  /** Whether people may sign in over plain http from other machines, where others can read along. */
  readonly allow_insecure_lan: boolean;
  /** True while the server listens on loopback only: test mode then reaches receivers on loopback. */
  readonly loopback_only: boolean;
  /** Address ranges where webhooks and the APIs of platforms and carriers may be reached though they are not public. */
  readonly webhook_allow_cidrs: readonly string[];
  /** For how many days payloads of events and the log of deliveries are kept. */
  readonly event_retention_days: number;
  /** For how many days requests are kept in their log. */
  readonly request_log_days: number;
  /** For how long a client who buys a label waits for its carrier, before it is told to look again later. */
  readonly carrier_patience_ms: number;
  /** The mail server and addresses by which the operator is told of what goes wrong; null without e-mail. */
  readonly mail: MailSettings | null;
  /** The socket's peer of a request, or null when there is none. */
  readonly peerOf: (request: Request) => string | null;
  /** For how many seconds a request may take to arrive and to be answered; 0 for as long as it takes. */
  readonly waitFor: (request: Request, seconds: number) => void;
  /** Who is told of each answer; features add themselves when the app is made. */
  readonly witnesses: Witness[];
  /** Aborted once the service is to stop: answers without an end come to it. */
  readonly ending: AbortSignal;
}

/** The address that a request comes from, past the proxies that are trusted; null when it cannot be read. */
export function clientOf({ peerOf, trusted_proxies }: Service, request: Request): string | null {
  return clientAddress(peerOf(request), request.headers.get("x-forwarded-for"), trusted_proxies);
}
