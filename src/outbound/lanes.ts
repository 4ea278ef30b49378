/** A task for a connection. */
interface LaneTask {
  readonly connection: { readonly id: number };
}

/** How tasks are claimed and done. */
interface LaneWork<T extends LaneTask> {
  /** Claims tasks of connections that are not busy; answers when there will be more (ms), or null. */
  readonly claim: (busy: ReadonlySet<number>) => Promise<{ claims: readonly T[]; next_at: number | null }>;
  /** Does one task. Its errors go to `failed`, and the connection's other claims are left alone. */
  readonly work: (task: T) => Promise<void>;
  readonly failed: (error: unknown) => void;
  /** Called when a connection is idle again: tasks that came meanwhile were skipped. */
  readonly idle: () => Promise<void>;
}

/** Work for many connections: one task of each at a time, so that a slow platform delays no other. */
export class Lanes<T extends LaneTask> {
  readonly #how: LaneWork<T>;
  /** What is in progress, by connection. */
  readonly #busy = new Map<number, Promise<void>>();

  constructor(how: LaneWork<T>) {
    this.#how = how;
  }

  /** Begins what is due and answers when there will be more, in milliseconds, or null. */
  async round(): Promise<number | null> {
    const { claims, next_at } = await this.#how.claim(new Set(this.#busy.keys()));
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
      for (const task of tasks) await this.#how.work(task);
    } catch (error) {
      this.#how.failed(error);
    } finally {
      this.#busy.delete(connection_id);
    }
    await this.#how.idle().catch(this.#how.failed);
  }
}

/** Work at carriers that requests have begun and that may outlast them, by store. */
const under_way = new WeakMap<object, Set<Promise<unknown>>>();

/** Counts work in progress until it is over. */
export function goesOn<Done>(store: object, work: Promise<Done>): Promise<Done> {
  const all = under_way.get(store) ?? new Set();
  under_way.set(store, all);
  const counted: Promise<unknown> = work.catch(() => {}).finally(() => all.delete(counted));
  all.add(counted);
  return work;
}

/** Waits until all work that requests have begun is over. */
export async function purchasesUnderWay(store: object): Promise<void> {
  const all = under_way.get(store);
  while (all !== undefined && all.size > 0) await Promise.all(all);
}
