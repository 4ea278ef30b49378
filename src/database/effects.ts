// What a transaction sets off in this process once it is committed.
import type { Followed, JobName } from "./job_names.ts";

/** Jobs to be woken and changes to be told after a commit. */
export class Effects {
  readonly #wakes = new Map<JobName, number>();
  readonly #changes = new Set<Followed>();

  /** Notes a job to be woken; of several moments the earliest counts. */
  wake(job: JobName, at: number): void {
    const before = this.#wakes.get(job);
    if (before === undefined || at < before) this.#wakes.set(job, at);
  }

  /** Notes that records have changed which somebody follows. */
  change(followed: Followed): void {
    this.#changes.add(followed);
  }

  /** Takes over what another transaction, or a part of this one, will set off. */
  add(others: Effects | null): void {
    if (others === null) return;
    for (const [job, at] of others.#wakes) this.wake(job, at);
    for (const followed of others.#changes) this.change(followed);
  }

  /** Tells those who listen, after the commit. */
  tell({ wakes, changes }: Listeners): void {
    for (const [job, at] of this.#wakes) for (const listener of wakes) listener(job, at);
    for (const followed of this.#changes) for (const listener of changes) listener(followed);
  }
}

/** Who is told of what commits set off. */
export interface Listeners {
  readonly wakes: ((job: JobName, at: number) => void)[];
  readonly changes: ((followed: Followed) => void)[];
}
