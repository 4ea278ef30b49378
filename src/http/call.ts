import type { Actor } from "../core/actor.ts";
import type { Db, Store, Tx } from "../storage/database.ts";
import type { GrantedPermissions } from "./auth/permissions.ts";
import type { Route } from "./route.ts";

/** What a request leaves in the audit trail, by the transactions in which it writes. */
export interface AuditRecording {
  /** A transaction begins or is retried: notes of an earlier run are dropped. */
  readonly begin: () => void;
  /** Notes, in the transaction that does it, that the request has succeeded. */
  readonly note: (tx: Tx, call: Call, status: number, data: unknown) => Promise<void>;
  /** A transaction is committed. */
  readonly settle: () => Promise<void>;
}

/** One request on its way: who asks, of which store, and what its answer will carry. */
export interface Call {
  readonly request: Request;
  readonly request_id: string;
  /** Path below the version, without query: the same for `/v1` and `/api/v1`. */
  readonly path: string;
  /** The route that it names. */
  readonly route: Route;
  /** Whether it may change something, so that its `Idempotency-Key` counts. */
  readonly writes: boolean;
  /** The live world, which alone knows people; nothing narrows it. */
  readonly live: Store;
  /** The data of its world, as far as who asks may see them and the request is about them. */
  store: Store;
  /** The same once the body has named a merchant, too; null where anyone may ask. */
  readonly scopeOf: ((merchant: unknown) => Store) | null;
  /** The merchant whose key or user asks; null for the house. */
  readonly merchant_id: number | null;
  /** Who asks: an API key or a user; the system where anyone may. */
  readonly actor: Actor;
  /** His permissions. */
  readonly granted: GrantedPermissions;
  /**
   * Called before each transaction of a write when the key or user lies in another store than the one that is written;
   * else null.
   */
  readonly renew: (() => Promise<void>) | null;
  /**
   * Refuses a write whose key or user has lost the right to it since the request was admitted. Each transaction of a
   * write calls this first.
   */
  readonly confirm: (db: Db) => Promise<void>;
  /** Its entry in the audit trail; null when the trail keeps none. */
  readonly recording: AuditRecording | null;
  /** Secret under which the cursors of lists are signed. */
  readonly cursor_secret: Uint8Array;
  /** Address of the service in links; empty for the address that the request was sent to. */
  readonly base_url: string;
  /** Hosts that name this machine. Links repeat the host of a request only if it is one of these. */
  readonly known_hosts: ReadonlySet<string>;
  /** Text of the body as received; empty when there is none. */
  raw_body: string;
  /** Headers of the answer. */
  readonly headers: Record<string, string>;
}
