import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { addressList } from "../../core/ip_addresses.ts";
import type { Authenticator, Identity, IdentityRenewal } from "../../http/auth/identity.ts";
import { grantOf } from "../../http/auth/permissions.ts";
import { rateOf } from "../../http/auth/rate_limits.ts";
import type { Service } from "../../http/service.ts";
import type { Db, Store } from "../../storage/database.ts";
import { endedCode } from "../identity.transitions.ts";
import { type ApiKey, environmentOfKey, keyHashOf, misplacedKey, statusOf } from "./api_key.ts";
import { findKeyByHash, touchKey } from "./api_keys.sql.ts";

const cached_ms = 500;
const cached_max = 1000;
const touch_every_ms = 600_000;

/** A cached key. */
interface CachedKey extends Identity {
  readonly key: ApiKey;
  /** Monotonic ms until which it is cached, unless this process changes a key. */
  readonly until: number;
  /** How many changes of keys this process knew of when the key was looked up. */
  readonly changes: number;
}

/**
 * Authenticates by API keys. A key is cached for half a second under its header, unless a commit of this process
 * changes keys.
 * Refuses: authentication_required, invalid_api_key, api_key_revoked, api_key_expired, malformed_header.
 */
export function keyAuthenticator({ stores, log }: Service): Authenticator {
  const remembered = new Map<string, CachedKey>();
  let changes = 0;
  for (const store of Object.values(stores)) {
    store.onChange((followed) => {
      if (followed !== "keys") return;
      changes += 1;
      remembered.clear();
    });
  }
  const isFresh = (found: CachedKey) => found.changes === changes && performance.now() < found.until;
  // Taken before the lookup, which may miss a change in between.
  const asOfNow = () => ({ until: performance.now() + cached_ms, changes });
  const again: IdentityRenewal = {
    confirm: async (identity, db) => {
      const found = identity as CachedKey;
      if (isFresh(found)) return alive(found, db.now);
      const as_of = asOfNow();
      return alive(foundAs(await findKeyByHash(db, found.key.hash), found.store, as_of), db.now);
    },
    renew: null,
  };
  const foundAs = (key: ApiKey | null, store: Store, as_of: ReturnType<typeof asOfNow>): CachedKey => {
    if (key === null) throw new Fault("invalid_api_key", "Unknown API key.");
    return { ...identityOf(key, store), again, key, ...as_of };
  };
  const find = async (request: Request, header: string) => {
    const known = remembered.get(header);
    if (known !== undefined && isFresh(known)) return inItsEnvironment(request, alive(known, known.store.clock.now()));
    const text = bearerOf(request, header);
    const mode = environmentOfKey(text);
    if (mode === null)
      throw new Fault("invalid_api_key", "This is not a valid API key. Check that you copied the whole key.");
    const store = stores[mode];
    const now = store.clock.now();
    const as_of = asOfNow();
    const hash = keyHashOf(text);
    const look = (db: Db) => findKeyByHash(db, hash);
    // A command may create keys while a server runs. Its reads show older data until its own commits are on disk.
    const key = (await store.read(look)) ?? (await store.readLatest(look));
    const found = foundAs(key, store, as_of);
    if (remembered.size >= cached_max) remembered.clear();
    remembered.set(header, found);
    alive(found, now);
    const { id, last_used_at } = found.key;
    if (now - (last_used_at ?? 0) > touch_every_ms) {
      store.write((tx) => touchKey(tx, id)).catch(() => log.warn("the last use of a key could not be stored"));
    }
    return inItsEnvironment(request, found);
  };
  return {
    find: (request) => {
      const header = request.headers.get("authorization");
      // The API reference sends the header without a key. A signed-in user has a session instead.
      return header === null || /^\s*(?:bearer)?\s*$/i.test(header) ? null : find(request, header);
    },
  };
}

/** The identity of a key, as the guard needs it. */
function identityOf(key: ApiKey, store: Store): Omit<Identity, "again"> {
  const { ip_mode, ip_list } = key;
  return {
    type: "api_key",
    id: wireId("key", key.id),
    name: key.name,
    store,
    merchant_id: key.merchant_id,
    granted: grantOf(key.permission, store.mode),
    rate: rateOf(key.rate_limit_per_minute),
    addresses: ip_mode === "off" ? null : { list: addressList(ip_list), mode: ip_mode },
  };
}

/** Refuses a request whose header names another environment than its key's. */
function inItsEnvironment({ headers }: Request, found: CachedKey): CachedKey {
  const mode = headers.get("packhouse-mode");
  if (mode === null || mode === found.store.mode) return found;
  const message = `This is a ${found.store.mode} key. Leave out the header Packhouse-Mode, or use a ${mode} key.`;
  throw new Fault("malformed_header", message);
}

const ended = {
  api_key_revoked: "This API key was revoked.",
  api_key_expired: "This API key has expired.",
} as const;

function alive(found: CachedKey, now: number): CachedKey {
  const status = statusOf(found.key, now);
  const code = endedCode[status];
  if (code !== null) throw new Fault(code, ended[code]);
  return found;
}

function bearerOf(request: Request, header: string): string {
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1];
  if (token !== undefined) return token;
  throw withoutKey(request);
}

/** The refusal of a request without a key in its `Authorization` header. */
export function withoutKey({ headers, url }: Request): Fault {
  const at = url.indexOf("?");
  const misplaced = misplacedKey(headers, at < 0 ? "" : url.slice(at + 1));
  return new Fault("authentication_required", `${misplaced}Send your API key as Authorization: Bearer ph_….`);
}
