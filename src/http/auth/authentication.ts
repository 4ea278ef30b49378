import { Fault, type FaultCode } from "../../core/faults.ts";
import { type AddressList, networkOf } from "../../core/ip_addresses.ts";
import type { Db, Store } from "../../storage/database.ts";
import type { Route } from "../route.ts";
import { clientOf, type Service } from "../service.ts";
import { traceOf } from "../trace.ts";
import type { GrantedPermissions } from "./permissions.ts";
import { failureCounter, type RateLimit } from "./rate_limits.ts";

/** The addresses from which a key may be used. `observe` only reports requests from others. */
interface AddressRule {
  readonly list: AddressList;
  readonly mode: "observe" | "enforce";
}

/** Refuses a client whose address is not in its key's list. In `observe` mode, only a header reports it. */
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
  } else if (!allowed) throw new Fault("ip_not_allowed", "This API key cannot be used from your IP address.");
}

// Identifies the API key or session of a request. Each authenticator handles one kind of credential.

/** The key or user of a request, and its limits. */
export interface Identity {
  readonly type: "api_key" | "user";
  /** `key_7` or `usr_7`. */
  readonly id: string;
  readonly name: string;
  /** The store of the request's environment. */
  readonly store: Store;
  /** The merchant of the key or user; null for the operator's. */
  readonly merchant_id: number | null;
  /** Set for an operator's user who views as the merchant and therefore cannot change anything. */
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
  /** Looks it up in a view of the request's store. Returns the identity, possibly changed. */
  readonly confirm: (identity: Identity, db: Db) => Promise<Identity>;
  /** Looks it up before such a view starts, when it is stored in another store than the request's; else null. */
  readonly renew: ((identity: Identity) => Promise<void>) | null;
}

/** Reads one kind of credential. */
export interface Authenticator {
  /** The key or user; null for a request without this kind of credential. */
  readonly find: (request: Request) => Promise<Identity> | null;
}

/** The kinds of credentials. The first one that a request has is used. */
export interface Authenticators {
  readonly ways: readonly Authenticator[];
  /** The refusal of a request without credentials. */
  readonly nobody: (request: Request) => Fault;
}

/**
 * Identifies the key or user of a request. After too many failures, requests with invalid credentials from the same
 * address are refused for a while.
 * Refuses: authentication_required, rate_limited, and what the authenticators refuse.
 */
export function authentication(service: Service, { ways, nobody }: Authenticators) {
  const failed = failureCounter();
  const { clock } = service.stores.live;
  const secondsToWait = (request: Request) => failed(networkOf(clientOf(service, request) ?? "unknown"), clock.now());
  return async (request: Request): Promise<Identity> => {
    for (const authenticator of ways) {
      const identity = authenticator.find(request);
      if (identity === null) continue;
      return identity.catch((error) => {
        throw refusalOf(error, () => secondsToWait(request));
      });
    }
    throw nobody(request);
  };
}

const failures: readonly FaultCode[] = ["invalid_api_key", "api_key_revoked", "api_key_expired"];

/**
 * The fault of a request that failed to authenticate: the reason, or rate_limited when its address has failed too
 * often. Missing credentials and ended sessions, which cannot be guessed, do not count as failures.
 */
function refusalOf(error: unknown, secondsToWait: () => number): unknown {
  if (!(error instanceof Fault) || !failures.includes(error.code)) return error;
  const retry_after_seconds = secondsToWait();
  if (retry_after_seconds === 0) return error;
  return new Fault("rate_limited", "Too many requests with invalid API keys.", { retry_after_seconds });
}

/** The parts of a request that decide whose records it sees. */
export interface ScopeRequest {
  readonly request: Request;
  /** After the version. */
  readonly path: string;
  /** Whether it may change something. */
  readonly creates: boolean;
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

/** Decides whose records a request sees, and whose it creates. */
export interface RequestScopes {
  /**
   * Checks that a merchant's key or user, or a user who views as the merchant, may use a route.
   * Refuses: not_for_merchants (also when the merchant is closed), merchant_suspended, view_only.
   */
  readonly admit: (caller: AdmittedIdentity, route: Pick<Route, "id" | "need" | "writes">) => Promise<void>;
  /** The scope of a request. Refuses: malformed_header, validation_failed, merchant_closed. */
  readonly of: (caller: ScopeIdentity, request: ScopeRequest) => Promise<RequestScope>;
}
