// Finds the API key or the session of a request. Each authenticator knows one kind of credential.

import { failureCounter, type Rate } from "../../access/limits.ts";
import type { Granted } from "../../access/permission.ts";
import type { Db, Store } from "../../database/store.ts";
import { networkOf } from "../../kit/address.ts";
import { Fault, type FaultCode } from "../../kit/fault.ts";
import { clientOf, type Service } from "../service.ts";
import type { AddressRule } from "./address.ts";

/** The key or user of a request, and its limits. */
export interface Identity {
  readonly type: "api_key" | "user";
  /** `key_7` or `usr_7`. */
  readonly id: string;
  readonly name: string;
  /** The world that the request is about. */
  readonly store: Store;
  /** The merchant whose key or user it is; null for the house. */
  readonly merchant_id: number | null;
  /** Set for someone of the house who looks on as the merchant, and changes nothing meanwhile. */
  readonly views_only?: true;
  readonly granted: Granted;
  /** Null for no limit. */
  readonly rate: Rate | null;
  /** Null when every address is allowed. */
  readonly addresses: AddressRule | null;
  /** How the key or user is looked up again later. */
  readonly again: Again;
}

/** How a key or user is looked up again. Refuses as `find` of its authenticator does. */
export interface Again {
  /** Looks it up in a view of the request's store: the same identity, or the one that it has become. */
  readonly confirm: (found: Identity, db: Db) => Promise<Identity>;
  /** Looks it up before such a view begins, when it lies in another store than the request's; else null. */
  readonly renew: ((found: Identity) => Promise<void>) | null;
}

/** Reads one kind of credential. */
export interface Authenticator {
  /** The key or user; null for a request without this kind of credential. */
  readonly find: (request: Request) => Promise<Identity> | null;
}

/** The kinds of credentials; the first that a request has counts. */
export interface Authenticators {
  readonly ways: readonly Authenticator[];
  /** The refusal of a request without credentials. */
  readonly nobody: (request: Request) => Fault;
}

/**
 * Finds the key or user of a request. An address that failed too often has to wait, unless it sends a valid credential.
 * Refuses: authentication_required, and what the authenticators refuse, rate_limited.
 */
export function authentication(service: Service, { ways, nobody }: Authenticators) {
  const failed = failureCounter();
  const { clock } = service.stores.live;
  const secondsToWait = (request: Request) => failed(networkOf(clientOf(service, request) ?? "unknown"), clock.now());
  return async (request: Request): Promise<Identity> => {
    for (const way of ways) {
      const found = way.find(request);
      if (found === null) continue;
      return found.catch((error) => {
        throw refusalOf(error, () => secondsToWait(request));
      });
    }
    throw nobody(request);
  };
}

const failures: readonly FaultCode[] = ["invalid_api_key", "api_key_revoked", "api_key_expired"];

/**
 * The refusal of a request that failed to authenticate: the reason, or rate_limited when its address has failed too
 * often. A request without credentials is not counted as a failure; nor is an ended session, which nobody can guess.
 */
function refusalOf(error: unknown, secondsToWait: () => number): unknown {
  if (!(error instanceof Fault) || !failures.includes(error.code)) return error;
  const retry_after_seconds = secondsToWait();
  if (retry_after_seconds === 0) return error;
  return new Fault("rate_limited", "Too many requests with keys that are not valid.", { retry_after_seconds });
}
