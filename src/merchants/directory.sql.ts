// The merchants of a store in memory: what every request has to know of them.

import { assert } from "../core/faults.ts";
import { readId } from "../core/ids.ts";
import type { Db, Store, Tx } from "../storage/database.ts";
import type { MerchantCodes } from "../storage/tenant.ts";
import { hasOneMerchant, merchant_header } from "../storage/tenant.ts";
import { isClosed } from "./merchant.transitions.ts";
import type { Merchant } from "./merchant.ts";
import { type ForMerchant, refuseClosed } from "./merchant.ts";
import { keepMerchant, listMerchants } from "./merchants.sql.ts";

// For so long a change by another process may stay unknown.
const cached_ms = 500;

/** What is known of a merchant without a query. */
export type CachedMerchant = Pick<
  Merchant,
  "id" | "code" | "name" | "status" | "colour" | "may_buy_labels" | "ship_from_name" | "return_address"
>;

/** All merchants of a store at one time. */
export class Merchants {
  /** In the order of their ids, closed ones too. */
  readonly all: readonly CachedMerchant[];
  /** The one for whom everything is, while there is no other: closed ones do not count. */
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

  /** The merchant with this id, whose records there are. */
  ownerOf(id: number): CachedMerchant {
    const owner = this.byId(id);
    assert(owner !== null, "a record is of a merchant that there is");
    return owner;
  }

  /** The merchant that a request names: `mer_1`, `1` or its code; null when there is none. */
  named(name: string | number): CachedMerchant | null {
    const id = readId("merchant", name);
    return (id === null ? this.#by_code.get(String(name)) : this.#by_id.get(id)) ?? null;
  }
}

/** The merchants of one store, renewed when a commit of this process changes them, and every half second. */
class MerchantDirectory {
  readonly #store: Store;
  #known: Merchants | null = null;
  /** Monotonic ms until which it is cached. */
  #until = 0;
  /** How many changes of merchants this process knows of. */
  #changes = 0;
  #asking: Promise<Merchants> | null = null;

  constructor(store: Store) {
    this.#store = store;
    store.onChange((followed) => {
      if (followed !== "merchants") return;
      this.#changes += 1;
      this.#known = null;
      this.#asking = null;
    });
  }

  /** The merchants, if they are known well enough without a query; else null. */
  fresh(): Merchants | null {
    return performance.now() < this.#until ? this.#known : null;
  }

  /** The merchants, by a query where that is needed. */
  async now(): Promise<Merchants> {
    return this.fresh() ?? (await this.#ask());
  }

  #ask(): Promise<Merchants> {
    this.#asking ??= this.#look(this.#changes, performance.now() + cached_ms);
    return this.#asking;
  }

  /** Looks them up. A change that happens meanwhile may be missed, so the answer is not kept then. */
  async #look(changes: number, until: number): Promise<Merchants> {
    try {
      const found = await this.#store.read(async (db) => {
        homes.set(db.home, this);
        return new Merchants(await listMerchants(db));
      });
      if (changes === this.#changes) {
        this.#known = found;
        this.#until = until;
      }
      return found;
    } finally {
      if (changes === this.#changes) this.#asking = null;
    }
  }
}

const directories = new WeakMap<Store, MerchantDirectory>();
/** The same by what their views say they are of. */
const homes = new WeakMap<object, MerchantDirectory>();

/** The directory of a store: there is one for each, whatever of it is seen. */
export function directoryOf({ base }: Store): MerchantDirectory {
  let directory = directories.get(base);
  if (directory === undefined) {
    directory = new MerchantDirectory(base);
    directories.set(base, directory);
  }
  return directory;
}

/**
 * The merchants as a view or a transaction knows them, whose records it has read: from memory, where each of these is
 * known and nothing is older than half a second; else by a query.
 */
export async function merchantsIn(db: Db, ids: readonly number[]): Promise<Merchants> {
  const known = homes.get(db.home)?.fresh() ?? null;
  if (known !== null && ids.every((id) => known.byId(id) !== null)) return known;
  return new Merchants(await listMerchants(db));
}

/** As `merchantsIn`, of the one to whom a record belongs. */
export async function ownerIn(db: Db, { merchant_id }: { readonly merchant_id: number }): Promise<CachedMerchant> {
  return (await merchantsIn(db, [merchant_id])).ownerOf(merchant_id);
}

/** The codes of the merchants to whom records belong; none where the house has but one. */
export async function codesIn(db: Db, records: readonly { readonly merchant_id: number }[]): Promise<MerchantCodes> {
  const ids = [...new Set(records.map(({ merchant_id }) => merchant_id))];
  const merchants = await merchantsIn(db, ids);
  return new Map(merchants.only === null ? ids.map((id) => [id, merchants.ownerOf(id).code]) : []);
}

/**
 * Refuses what is made for a merchant that is closed, or units that would come into its stock. In the live world it
 * keeps the merchant from being closed until this transaction ends, so that nothing is made there that its closing has
 * not counted; the test world is counted before, and learns of the closing after it. It is asked once for each
 * merchant. The only one of a house cannot be closed, and is not asked where it is known to be that. Refuses:
 * merchant_closed.
 */
export async function refuseForClosed(tx: Tx, merchant_id: number, what: ForMerchant = "made"): Promise<void> {
  if (hasOneMerchant(tx) || homes.get(tx.home)?.fresh()?.all.length === 1) return;
  refuseClosed(await keepMerchant(tx, merchant_id), what);
}

/** What of a request decides about whom it is. */
interface MerchantContext {
  /** The merchant who asks; null for the house. */
  readonly merchant_id: number | null;
  readonly store: Store;
  readonly request: Request;
}

/**
 * The merchant to whom belongs what a request makes that may be the house's as well, or whose people it is about: the
 * one who asks, or the one whom the house names in the body (`named`), by the header or in the query. Null for the
 * house, and undefined where nothing is said. That it names one that there is was checked at admission.
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
