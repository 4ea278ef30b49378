// Who asks: an API key or a user with a session, found by whichever authenticator knows what the request shows.

import { failureCounter, type Rate } from "../../access/limits.ts";
import type { Granted } from "../../access/permission.ts";
import type { Db, Store } from "../../database/store.ts";
import { networkOf } from "../../kit/address.ts";
import { Fault, type FaultCode } from "../../kit/fault.ts";
import { clientOf, type Service } from "../service.ts";
import type { AddressRule } from "./address.ts";

/** Who was found to ask, and what follows from it for each of his requests. */
export interface Identity {
  readonly type: "api_key" | "user";
  /** `key_7` or `usr_7`. */
  readonly id: string;
  readonly name: string;
  /** The world that the request is about. */
  readonly store: Store;
  readonly granted: Granted;
  /** Null where he may ask as often as he likes. */
  readonly rate: Rate | null;
  /** Null where every address will do. */
  readonly addresses: AddressRule | null;
  /** How it is asked anew what became of him since. */
  readonly again: Again;
}

/** How it is asked anew what became of who asks. What is refused then is what `find` of his authenticator refuses. */
export interface Again {
  /** Looks up in a view of the request's store, where it may have changed: the same identity, or what it is by now. */
  readonly confirm: (found: Identity, db: Db) => Promise<Identity>;
  /** Looks up before such a view begins, for those who are kept in another store than the request's; else null. */
  readonly renew: ((found: Identity) => Promise<void>) | null;
}

/** What knows one way in which requests show who asks. */
export interface Authenticator {
  /** Who asks; null for a request that does not show it in this way. */
  readonly find: (request: Request) => Promise<Identity> | null;
}

/** The ways in which a request may show who asks, the first that it shows counts. */
export interface Authenticators {
  readonly ways: readonly Authenticator[];
  /** What is said of a request that shows none of them. */
  readonly nobody: (request: Request) => Fault;
}

/**
 * Finds who asks. An address that failed too often is told to wait, whatever it shows next, unless that is good.
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
 * What a request is told that failed to authenticate: why, or, when its address has failed too often, to wait. Who
 * shows nothing tries nothing, so that is not counted; nor is a session that has ended, which nobody can guess.
 */
function refusalOf(error: unknown, secondsToWait: () => number): unknown {
  if (!(error instanceof Fault) || !failures.includes(error.code)) return error;
  const retry_after_seconds = secondsToWait();
  if (retry_after_seconds === 0) return error;
  return new Fault("rate_limited", "Too many requests with keys that are not valid.", { retry_after_seconds });
}
