import { environments } from "../core/environment.ts";
import { counter, histogram } from "../core/metrics.ts";

// What a commit can set off in this process, by name: jobs to be run, and news for those who follow records.

/** The names of the jobs that a commit can wake. `src/server/scheduler.ts` has the job of each. */
export const jobNames = [
  "inventory.expire_reservations",
  "inventory.expire_lots",
  "inventory.fill_backorders",
  "orders.release_holds",
  "orders.hold_recalled",
  "orders.hold_suspended",
  "orders.note_claims",
  "orders.recheck_goods",
  "orders.recheck_addresses",
  "addresses.ask",
  "platforms.import",
  "platforms.report",
  "shipping.finish_purchases",
  "tracking.poll",
  "webhooks.fan_out",
  "webhooks.deliver",
  "webhooks.end_waiting",
  "webhooks.recover",
  "users.mail_invitations",
  "privacy.erase",
  "webhooks.mail",
  "backups.settle_restored",
  "backups.run",
] as const;

export type JobName = (typeof jobNames)[number];

/**
 * Records that a part of this process follows: it is told after each commit that changed them (`tx.changed`). Events
 * count once they have their place in the order of `GET /events`, users with their sessions and second factors.
 */
export type FollowedRecords = "attempts" | "events" | "keys" | "merchants" | "users";

// What a transaction sets off in this process once it is committed.

/** Jobs to be woken and changes to be told after a commit. */
export class CommitEffects {
  readonly #wakes = new Map<JobName, number>();
  readonly #changes = new Set<FollowedRecords>();

  /** Notes a job to be woken; of several moments the earliest counts. */
  wake(job: JobName, at: number): void {
    const before = this.#wakes.get(job);
    if (before === undefined || at < before) this.#wakes.set(job, at);
  }

  /** Notes that records have changed which somebody follows. */
  change(followed: FollowedRecords): void {
    this.#changes.add(followed);
  }

  /** Takes over what another transaction, or a part of this one, will set off. */
  add(others: CommitEffects | null): void {
    if (others === null) return;
    for (const [job, at] of others.#wakes) this.wake(job, at);
    for (const followed of others.#changes) this.change(followed);
  }

  /** Tells those who listen, after the commit. */
  tell({ wakes, changes }: CommitListeners): void {
    for (const [job, at] of this.#wakes) for (const listener of wakes) listener(job, at);
    for (const followed of this.#changes) for (const listener of changes) listener(followed);
  }
}

/** Who is told of what commits set off. */
export interface CommitListeners {
  readonly wakes: ((job: JobName, at: number) => void)[];
  readonly changes: ((followed: FollowedRecords) => void)[];
}

// What both engines count of their work.

/** Transactions that were committed. Those that changed nothing count as well. */
export const commits = counter("packhouse_commits_total", "Transactions that were committed.", ["mode"]);

/** How many writes shared each commit; always one on PostgreSQL. */
export const commit_writes = histogram(
  "packhouse_commit_writes",
  "How many writes shared a commit.",
  [1, 2, 4, 8, 16, 32, 64],
  ["mode"],
);

/** How long a transaction took, from its beginning until it was durable. */
export const commit_seconds = histogram(
  "packhouse_commit_seconds",
  "How long a transaction took until it was durable.",
  [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  ["mode"],
);

/** Writes that ran again, because others had changed the same records. */
export const retries = counter("packhouse_write_retries_total", "Writes that ran again after a conflict.", ["mode"]);

/** Transactions that the storage could not commit. */
export const failures = counter("packhouse_commit_failures_total", "Transactions that the storage refused.", ["mode"]);
// A counter that begins with its first failure shows no growth.
for (const mode of environments) failures.add(0, mode);
