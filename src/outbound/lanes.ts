// Work in progress: tasks for many connections, one at a time each, and work that outlasts the request that started it.

import type { Service } from "../http/service.ts";
import type { JobName } from "../storage/commit_effects.ts";
import type { Store, Tx } from "../storage/database.ts";
import type { ClaimedWork } from "../storage/queue.ts";

/** A task for a connection. */
interface LaneTask {
  readonly connection: { readonly id: number };
}

/** How tasks are claimed and done. */
interface LaneWork<T extends LaneTask> {
  /** Claims tasks of connections that are not busy. `next_at` is when more are due (ms), or null. */
  readonly claim: (busy: ReadonlySet<number>) => Promise<ClaimedWork<T>>;
  /** Does one task. An error goes to `failed`, and the connection's other claimed tasks are skipped. */
  readonly work: (task: T) => Promise<void>;
  readonly failed: (error: unknown) => void;
  /** Called when a connection is idle again, because tasks that became due while it was busy were skipped. */
  readonly idle: () => Promise<void>;
}

/** Work for many connections: one task of each at a time, so that a slow platform delays no other. */
class Lanes<T extends LaneTask> {
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

/** A job whose tasks are done in lanes. */
interface LaneJob {
  /** Starts the due tasks of a store. Returns the next due time (ms), or null. */
  readonly round: (store: Store, service: Service) => Promise<number | null>;
  /** Waits until all tasks of a store have ended and are recorded. */
  readonly settled: (store: Store) => Promise<void>;
}

/**
 * Creates a job that claims tasks in one transaction and does them in lanes. `failure` is logged for an error of
 * `work`: the claim expires, and the job tries again.
 */
export function laneJob<T extends LaneTask>(
  job: JobName,
  failure: string,
  {
    claim,
    work,
  }: {
    readonly claim: (tx: Tx, busy: ReadonlySet<number>, service: Service) => Promise<ClaimedWork<T>>;
    readonly work: (task: T, store: Store, service: Service) => Promise<void>;
  },
): LaneJob {
  const started = new WeakMap<Store, Lanes<T>>();
  const start = (store: Store, service: Service) => {
    const lanes = new Lanes<T>({
      claim: (busy) => store.write((tx) => claim(tx, busy, service)),
      work: (task) => work(task, store, service),
      failed: (error) => service.log.error(failure, { mode: store.mode, error: String(error) }),
      idle: () => store.write(async (tx) => tx.wake(job, tx.now)),
    });
    started.set(store, lanes);
    return lanes;
  };
  return {
    round: (store, service) => (started.get(store) ?? start(store, service)).round(),
    settled: async (store) => started.get(store)?.settled(),
  };
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
