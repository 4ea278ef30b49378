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
  /** Claims tasks of connections that are not busy. */
  readonly claim: (tx: Tx, busy: ReadonlySet<number>, service: Service) => Promise<ClaimedWork<T>>;
  /** Does one task. After an error, the connection's other claimed tasks are skipped. */
  readonly work: (task: T, store: Store, service: Service) => Promise<void>;
}

/** A job that works for many connections. */
interface LaneJob {
  /** Starts the due tasks of a store. Returns the next due time (ms), or null. */
  readonly round: (store: Store, service: Service) => Promise<number | null>;
  /** Waits until all tasks of a store have ended and are recorded. */
  readonly settled: (store: Store) => Promise<void>;
}

/**
 * Creates a job that does one task of each connection at a time, so that a slow platform delays no other. `failure` is
 * logged for an error of `work`: the claim expires, and the job tries again.
 */
export function laneJob<T extends LaneTask>(job: JobName, failure: string, { claim, work }: LaneWork<T>): LaneJob {
  /** The work in progress of each store, by connection. */
  const in_progress = new WeakMap<Store, Map<number, Promise<void>>>();
  const workOff = async (store: Store, service: Service, tasks: readonly T[], over: () => void) => {
    const failed = (error: unknown) => service.log.error(failure, { mode: store.mode, error: String(error) });
    try {
      for (const task of tasks) await work(task, store, service);
    } catch (error) {
      failed(error);
    } finally {
      over();
    }
    // Tasks that became due while the connection was busy were skipped.
    await store.write(async (tx) => tx.wake(job, tx.now)).catch(failed);
  };
  return {
    async round(store, service) {
      const busy = in_progress.getOrInsertComputed(store, () => new Map());
      const { claims, next_at } = await store.write((tx) => claim(tx, new Set(busy.keys()), service));
      for (const [id, tasks] of Map.groupBy(claims, ({ connection }) => connection.id)) {
        busy.set(
          id,
          workOff(store, service, tasks, () => busy.delete(id)),
        );
      }
      return next_at;
    },
    async settled(store) {
      const busy = in_progress.get(store);
      while (busy !== undefined && busy.size > 0) await Promise.all(busy.values());
    },
  };
}

/** Purchases from carriers that may outlast the request that started them, by store. */
const under_way = new WeakMap<object, Set<Promise<unknown>>>();

/** Registers a purchase of a store as in progress until it settles, and returns it. */
export function trackPurchase<Done>(store: object, work: Promise<Done>): Promise<Done> {
  const all = under_way.getOrInsertComputed(store, () => new Set());
  const tracked: Promise<unknown> = work.catch(() => {}).finally(() => all.delete(tracked));
  all.add(tracked);
  return work;
}

/** Waits until no purchase of a store is in progress. */
export async function purchasesUnderWay(store: object): Promise<void> {
  const all = under_way.get(store);
  while (all !== undefined && all.size > 0) await Promise.all(all);
}
