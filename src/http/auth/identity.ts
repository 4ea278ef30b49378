// Who sends a request: an API key or a user. Each authenticator handles one kind of credential.
import type { AddressList } from "../../core/ip_addresses.ts";
import type { Db, Store } from "../../storage/database.ts";
import type { GrantedPermissions } from "./permissions.ts";
import type { RateLimit } from "./rate_limits.ts";

/** The addresses from which a key may be used. `observe` only reports requests from others. */
export interface AddressRule {
  readonly list: AddressList;
  readonly mode: "observe" | "enforce";
}

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
  /** Set for a user who signed in by badge and therefore cannot change their own account. */
  readonly by_badge?: true;
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
