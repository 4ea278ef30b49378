import { Fault, type FaultCode } from "../../core/faults.ts";
import { type AddressList, networkOf } from "../../core/ip_addresses.ts";
import type { Db, Store } from "../../storage/database.ts";
import type { Route } from "../route.ts";
import { clientOf, type Service } from "../service.ts";
import { traceOf } from "../trace.ts";
import type { GrantedPermissions } from "./permissions.ts";
import { failureCounter, type RateLimit } from "./rate_limits.ts";

/** The addresses from which a key may be used; `observe` only reports what would be refused. */
interface AddressRule {
  readonly list: AddressList;
  readonly mode: "observe" | "enforce";
}

/** Refuses a client whose address is not in the list of its key; while the list is observed, only a header says so. */
export function checkAddress(
  service: Service,
  request: Request,
  { list, mode }: AddressRule,
  headers: Record<string, string>,
): void {
  const address = clientOf(service, request);
  const allowed = address !== null && list.includes(address);
  if (mode === "observe") {
    headers["x-ip-allowlist"] = allowed ? "allowed" : "denied";
    traceOf(request).outside = !allowed;
  } else if (!allowed) throw new Fault("ip_not_allowed", "This API key may not be used from your address.");
}

// Finds the API key or the session of a request. Each authenticator knows one kind of credential.

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
  readonly granted: GrantedPermissions;
  /** Null for no limit. */
  readonly rate: RateLimit | null;
  /** Null when every address is allowed. */
  readonly addresses: AddressRule | null;
  /** How the key or user is looked up again later. */
  readonly again: IdentityRenewal;
}

/** How a key or user is looked up again. Refuses as `find` of its authenticator does. */
export interface IdentityRenewal {
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

/** What of a request decides whose records it sees. */
export interface ScopeRequest {
  readonly request: Request;
  /** Below the version. */
  readonly path: string;
  /** Whether it may change something. */
  readonly makes: boolean;
  /** The merchant that its query names; null for none. */
  readonly named: string | null;
}

type ScopeIdentity = Pick<Identity, "merchant_id" | "store">;
type AdmittedIdentity = Pick<Identity, "merchant_id" | "store" | "type" | "views_only">;

/** What a request sees of a store. */
interface RequestScope {
  readonly store: Store;
  /** The store once the body has named a merchant, too. Refuses: validation_failed, merchant_closed. */
  readonly scopeOf: (merchant: unknown) => Store;
}

/** Decides whose records requests see and make. */
export interface RequestScopes {
  /**
   * Lets a merchant's key or user use a route, or who looks on as the merchant.
   * Refuses: not_for_merchants (or the merchant is closed), merchant_suspended, view_only.
   */
  readonly admit: (asker: AdmittedIdentity, route: Pick<Route, "id" | "need" | "writes">) => Promise<void>;
  /** What a request sees. Refuses: malformed_header, validation_failed, merchant_closed. */
  readonly of: (asker: ScopeIdentity, asked: ScopeRequest) => Promise<RequestScope>;
}
