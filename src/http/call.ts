import type { Granted } from "../access/permission.ts";
import type { Db, Store, Tx } from "../database/store.ts";
import type { Actor } from "../kit/actor.ts";
import type { Route } from "./route.ts";

/** What a request leaves in the audit trail, by the transactions in which it writes. */
export interface Recording {
  /** A transaction begins, perhaps once more: what an earlier run noted has not happened. */
  readonly begin: () => void;
  /** Notes that a request has done what it asks for, in the transaction that does it. */
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
  readonly store: Store;
  /** Who asks: an API key or a user; the system where anyone may. */
  readonly actor: Actor;
  /** What he may do. */
  readonly granted: Granted;
  /**
   * Asked before a transaction in which the request changes something, where who asks is kept in another store than
   * its own; else null.
   */
  readonly renew: (() => Promise<void>) | null;
  /**
   * Refuses what may be done no more, by what became of who asks since the request was let in. Each transaction in
   * which the request changes something asks this first.
   */
  readonly confirm: (db: Db) => Promise<void>;
  /** What it leaves in the audit trail; null for what the trail does not keep. */
  readonly recording: Recording | null;
  /** Secret under which the cursors of lists are signed. */
  readonly cursor_secret: Uint8Array;
  /** Address of the service as links name it; empty for the one that the request was sent to. */
  readonly base_url: string;
  /** Hosts that a request may name and that are this machine: only these are repeated in links. */
  readonly known_hosts: ReadonlySet<string>;
  /** Text of the body as received; empty when there is none. */
  raw_body: string;
  /** Headers of the answer. */
  readonly headers: Record<string, string>;
}
