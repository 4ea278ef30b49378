import type { Actor } from "../core/actor.ts";
import type { Db, Store, Tx } from "../storage/database.ts";
import type { GrantedPermissions } from "./auth/permissions.ts";
import type { Expandable, Expansion } from "./expansion.ts";
import type { Route } from "./route.ts";

/** The audit trail entry of a request, written in its transactions. */
export interface AuditRecording {
  /** A transaction starts or is retried: entries of an earlier run are dropped. */
  readonly begin: () => void;
  /** Records, in the act's transaction, that the request succeeded. */
  readonly note: (tx: Tx, call: Call, status: number, data: unknown) => Promise<void>;
  /** The transaction is committed. */
  readonly settle: () => Promise<void>;
}

/** A request on its way through the service: its caller, its store, and its response headers. */
export interface Call {
  readonly request: Request;
  readonly request_id: string;
  /** The path after the version, without the query: the same for `/v1` and `/api/v1`. */
  readonly path: string;
  readonly route: Route;
  /** Whether it may change something, so that its `Idempotency-Key` applies. */
  readonly writes: boolean;
  /** The live environment, which also stores the users. It is not narrowed to a merchant. */
  readonly live: Store;
  /** The store of the request's environment, narrowed to what the caller may see and the request is about. */
  store: Store;
  /** The store once the body has named a merchant, too; null on public routes. */
  readonly scopeOf: ((merchant: unknown) => Store) | null;
  /** The merchant of the key or user; null for the operator. */
  readonly merchant_id: number | null;
  /** The caller: an API key or a user, or the system on public routes. */
  readonly actor: Actor;
  /** The caller's permissions. */
  readonly granted: GrantedPermissions;
  /**
   * Called before each transaction of a write when the key or user is stored in another store than the one being
   * written; else null.
   */
  readonly renew: (() => Promise<void>) | null;
  /**
   * Refuses a write whose key or user has lost the permission since the request was admitted. Each transaction of a
   * write calls this first.
   */
  readonly confirm: (db: Db) => Promise<void>;
  /** The request's entry in the audit trail; null when it is not audited. */
  readonly recording: AuditRecording | null;
  /** How other records are included in responses. */
  readonly expansions: ReadonlyMap<Expandable, Expansion>;
  /** The secret that signs list cursors. */
  readonly cursor_secret: Uint8Array;
  /** The service's URL for links; empty to use the host of the request. */
  readonly base_url: string;
  /** Host names of this machine. Links repeat the host of a request only if it is one of these. */
  readonly known_hosts: ReadonlySet<string>;
  /** The body as received, as text; empty when there is none. */
  raw_body: string;
  /** Headers of the response. */
  readonly headers: Record<string, string>;
}
