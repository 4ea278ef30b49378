// The merchants of a store in memory, because every request needs them.

import { assert } from "../core/faults.ts";
import { readId } from "../core/ids.ts";
import type { Db, Store, Tx } from "../storage/database.ts";
import type { MerchantCodes } from "../storage/tenant.ts";
import { hasOneMerchant, merchant_header } from "../storage/tenant.ts";
import { isClosed } from "./merchant.transitions.ts";
import type { Merchant } from "./merchant.ts";
import { type ForMerchant, refuseClosed } from "./merchant.ts";
import { keepMerchant, listMerchants } from "./merchants.sql.ts";

// How long a change by another process may go unnoticed.
const cached_ms = 500;

/** The cached fields of a merchant. */
export type CachedMerchant = Pick<
  Merchant,
  "id" | "code" | "name" | "status" | "color" | "may_buy_labels" | "ship_from_name" | "return_address"
>;

/** All merchants of a store at one time. */
export class Merchants {
  /** By id, including closed ones. */
  readonly all: readonly CachedMerchant[];
  /** The only merchant that is not closed, or null if there are several. */
  readonly only: CachedMerchant | null;
  readonly #by_id: ReadonlyMap<number, CachedMerchant>;
  readonly #by_code: ReadonlyMap<string, CachedMerchant>;

  constructor(all: readonly CachedMerchant[]) {
    this.all = all;
    const [first, second] = all.filter(({ status }) => !isClosed(status));
    this.only = first !== undefined && second === undefined ? first : null;
    this.#by_id = new Map(all.map((one) => [one.id, one]));
    this.#by_code = new Map(all.map((one) => [one.code, one]));
  }

  /** The merchant with this id, or null. */
  byId(id: number): CachedMerchant | null {
    return this.#by_id.get(id) ?? null;
  }

  /** The merchant with this id, which must exist. */
  ownerOf(id: number): CachedMerchant {
    const owner = this.byId(id);
    assert(owner !== null, "the merchant of a record exists");
    return owner;
  }

  /** The merchant named `mer_1`, `1` or by its code, or null. */
  named(name: string | number): CachedMerchant | null {
    const id = readId("merchant", name);
    return (id === null ? this.#by_code.get(String(name)) : this.#by_id.get(id)) ?? null;
  }
}

/** The merchants of one store, reloaded when a commit of this process changes them, and every half second. */
class MerchantDirectory {
  readonly #store: Store;
  #cached: Merchants | null = null;
  /** Monotonic ms until which it is cached. */
  #until = 0;
  /** The number of changes of merchants by this process. */
  #changes = 0;
  #loading: Promise<Merchants> | null = null;

  constructor(store: Store) {
    this.#store = store;
    store.onChange((followed) => {
      if (followed !== "merchants") return;
      this.#changes += 1;
      this.#cached = null;
      this.#loading = null;
    });
  }

  /** The merchants if the cache is fresh, otherwise null. */
  fresh(): Merchants | null {
    return performance.now() < this.#until ? this.#cached : null;
  }

  /** The merchants, with a query if the cache is stale. */
  async now(): Promise<Merchants> {
    return this.fresh() ?? (await this.#refresh());
  }

  #refresh(): Promise<Merchants> {
    this.#loading ??= this.#load(this.#changes, performance.now() + cached_ms);
    return this.#loading;
  }

  /** Loads them. If they change during the query, the result is not cached. */
  async #load(changes: number, until: number): Promise<Merchants> {
    try {
      const found = await this.#store.read(async (db) => {
        homes.set(db.home, this);
        return new Merchants(await listMerchants(db));
      });
      if (changes === this.#changes) {
        this.#cached = found;
        this.#until = until;
      }
      return found;
    } finally {
      if (changes === this.#changes) this.#loading = null;
    }
  }
}

const directories = new WeakMap<Store, MerchantDirectory>();
/** The directories by the `home` of database handles. */
const homes = new WeakMap<object, MerchantDirectory>();

/** The directory of a store; all scopes of a store share one. */
export function directoryOf({ base }: Store): MerchantDirectory {
  return directories.getOrInsertComputed(base, () => new MerchantDirectory(base));
}

/**
 * The merchants for records that a view or transaction has read: from memory if all of their owners are known and the
 * cache is fresh, otherwise by a query.
 */
export async function merchantsIn(db: Db, ids: readonly number[]): Promise<Merchants> {
  const known = homes.get(db.home)?.fresh() ?? null;
  if (known !== null && ids.every((id) => known.byId(id) !== null)) return known;
  return new Merchants(await listMerchants(db));
}

/** The owner of a record, as `merchantsIn`. */
export async function ownerIn(db: Db, { merchant_id }: { readonly merchant_id: number }): Promise<CachedMerchant> {
  return (await merchantsIn(db, [merchant_id])).ownerOf(merchant_id);
}

/** The codes of the owners of records; empty if there is only one merchant. */
export async function codesIn(db: Db, records: readonly { readonly merchant_id: number }[]): Promise<MerchantCodes> {
  const ids = [...new Set(records.map(({ merchant_id }) => merchant_id))];
  const merchants = await merchantsIn(db, ids);
  return new Map(merchants.only === null ? ids.map((id) => [id, merchants.ownerOf(id).code]) : []);
}

/**
 * Refuses new records and incoming stock for a closed merchant. In live it also prevents closing it until this
 * transaction ends, so that closing counts everything; test is counted before and notified after. It queries once for
 * each merchant and transaction, and not for an only merchant, which cannot be closed.
 * Refuses: merchant_closed.
 */
export async function refuseForClosed(tx: Tx, merchant_id: number, what: ForMerchant = "made"): Promise<void> {
  if (hasOneMerchant(tx) || homes.get(tx.home)?.fresh()?.all.length === 1) return;
  refuseClosed(await keepMerchant(tx, merchant_id), what);
}

/** The parts of a request that determine its merchant. */
interface MerchantContext {
  /** The merchant of the caller; null for the operator. */
  readonly merchant_id: number | null;
  readonly store: Store;
  readonly request: Request;
}

/**
 * The owner of a new record that may also belong to the operator: the caller's merchant, or the one that the operator
 * names in the body (`named`), the header or the query. Null for the operator, and undefined if none is named. Names in
 * the header and the query were checked at admission.
 */
export async function merchantForRequest(
  { merchant_id, store, request }: MerchantContext,
  named: string | number | null | undefined,
): Promise<number | null | undefined> {
  if (merchant_id !== null) return merchant_id;
  if (named === null) return null;
  const name = named ?? request.headers.get(merchant_header) ?? new URL(request.url).searchParams.get("merchant");
  return name === null ? undefined : (await directoryOf(store).now()).named(name)?.id;
}
