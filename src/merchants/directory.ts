// The merchants of a store in memory: what every request has to know of them.
import type { Store } from "../database/store.ts";
import { readId } from "../kit/ids.ts";
import type { Merchant } from "./merchant.ts";
import { isClosed } from "./status.ts";
import { listMerchants } from "./store.ts";

// For so long a change by another process may stay unknown.
const remembered_ms = 500;

/** What is known of a merchant without a query. */
export type Known = Pick<Merchant, "id" | "code" | "name" | "status" | "colour" | "may_buy_labels">;

/** All merchants of a store at one time. */
export class Merchants {
  /** In the order of their ids, closed ones too. */
  readonly all: readonly Known[];
  /** The one for whom everything is, while there is no other: closed ones do not count. */
  readonly only: Known | null;
  readonly #by_id: ReadonlyMap<number, Known>;
  readonly #by_code: ReadonlyMap<string, Known>;

  constructor(all: readonly Known[]) {
    this.all = all;
    const [first, second] = all.filter(({ status }) => !isClosed(status));
    this.only = first !== undefined && second === undefined ? first : null;
    this.#by_id = new Map(all.map((one) => [one.id, one]));
    this.#by_code = new Map(all.map((one) => [one.code, one]));
  }

  /** The merchant with this id, or null. */
  byId(id: number): Known | null {
    return this.#by_id.get(id) ?? null;
  }

  /** The merchant that a request names: `mer_1`, `1` or its code; null when there is none. */
  named(name: string | number): Known | null {
    const id = readId("merchant", name);
    return (id === null ? this.#by_code.get(String(name)) : this.#by_id.get(id)) ?? null;
  }
}

/** The merchants of one store, renewed when a commit of this process changes them, and every half second. */
class Directory {
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
    this.#asking ??= this.#look(this.#changes, performance.now() + remembered_ms);
    return this.#asking;
  }

  /** Looks them up. A change that happens meanwhile may be missed, so the answer is not kept then. */
  async #look(changes: number, until: number): Promise<Merchants> {
    try {
      const found = new Merchants(await this.#store.read(listMerchants));
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

const directories = new WeakMap<Store, Directory>();

/** The directory of a store: there is one for each, whatever of it is seen. */
export function directoryOf({ base }: Store): Directory {
  let directory = directories.get(base);
  if (directory === undefined) {
    directory = new Directory(base);
    directories.set(base, directory);
  }
  return directory;
}
