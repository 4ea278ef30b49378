// Work in progress: tasks for many connections, one at a time each, and work that outlasts the request that started it.

/** A task for a connection. */
interface LaneTask {
  readonly connection: { readonly id: number };
}

/** How tasks are claimed and done. */
interface LaneWork<T extends LaneTask> {
  /** Claims tasks of connections that are not busy. `next_at` is when more are due (ms), or null. */
  readonly claim: (busy: ReadonlySet<number>) => Promise<{ claims: readonly T[]; next_at: number | null }>;
  /** Does one task. An error goes to `failed`, and the connection's other claimed tasks are skipped. */
  readonly work: (task: T) => Promise<void>;
  readonly failed: (error: unknown) => void;
  /** Called when a connection is idle again, because tasks that became due while it was busy were skipped. */
  readonly idle: () => Promise<void>;
}

/** Work for many connections: one task of each at a time, so that a slow platform delays no other. */
export class Lanes<T extends LaneTask> {
  readonly #work: LaneWork<T>;
  /** Work in progress by connection. */
  readonly #busy = new Map<number, Promise<void>>();

  constructor(work: LaneWork<T>) {
    this.#work = work;
  }

  /** Starts due tasks and returns when more are due (ms), or null. */
  async round(): Promise<number | null> {
    const { claims, next_at } = await this.#work.claim(new Set(this.#busy.keys()));
    for (const [id, own] of Map.groupBy(claims, ({ connection }) => connection.id)) {
      this.#busy.set(id, this.#workOff(id, own));
    }
    return next_at;
  }

  /** Waits until nothing is in progress. */
  async settled(): Promise<void> {
    while (this.#busy.size > 0) await Promise.all(this.#busy.values());
  }

  async #workOff(connection_id: number, tasks: readonly T[]): Promise<void> {
    try {
      for (const task of tasks) await this.#work.work(task);
    } catch (error) {
      this.#work.failed(error);
    } finally {
      this.#busy.delete(connection_id);
    }
    await this.#work.idle().catch(this.#work.failed);
  }
}

/** Purchases from carriers that may outlast the request that started them, by store. */
const under_way = new WeakMap<object, Set<Promise<unknown>>>();

/** Registers a purchase of a store as in progress until it settles, and returns it. */
export function trackPurchase<Done>(store: object, work: Promise<Done>): Promise<Done> {
  const all = under_way.get(store) ?? new Set();
  under_way.set(store, all);
  const tracked: Promise<unknown> = work.catch(() => {}).finally(() => all.delete(tracked));
  all.add(tracked);
  return work;
}

/** Waits until no purchase of a store is in progress. */
export async function purchasesUnderWay(store: object): Promise<void> {
  const all = under_way.get(store);
  while (all !== undefined && all.size > 0) await Promise.all(all);
}
