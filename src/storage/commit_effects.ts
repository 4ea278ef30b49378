import { environments } from "../core/environment.ts";
import { counter, histogram } from "../core/metrics.ts";

// What a commit triggers in this process: jobs to wake, notifications of changed records, and metrics.

/** The names of the jobs that a commit can wake. `src/server/scheduler.ts` runs them. */
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
  "files.remove",
  "floor.settle",
  "platforms.import",
  "platforms.report",
  "platforms.stock",
  "shipping.finish_purchases",
  "shipping.print",
  "floor.print",
  "tracking.poll",
  "webhooks.fan_out",
  "webhooks.deliver",
  "webhooks.end_waiting",
  "webhooks.recover",
  "users.mail_invitations",
  "floor.buy_labels",
  "imports.run",
  "privacy.erase",
  "webhooks.mail",
  "backups.settle_restored",
  "backups.run",
] as const;

export type JobName = (typeof jobNames)[number];

/**
 * Kinds of records whose changes are reported after each commit (`tx.changed`). Events count once they have their
 * position in the order of `GET /events`; users include their sessions and second factors.
 */
export type FollowedRecords = "attempts" | "events" | "keys" | "merchants" | "users";

/** The jobs to wake and the changes to report after a commit. */
export class CommitEffects {
  readonly #wakes = new Map<JobName, number>();
  readonly #changes = new Set<FollowedRecords>();

  /** Records a job to wake; the earliest time (ms) wins. */
  wake(job: JobName, at: number): void {
    const before = this.#wakes.get(job);
    if (before === undefined || at < before) this.#wakes.set(job, at);
  }

  /** Records that this kind of record has changed. */
  change(followed: FollowedRecords): void {
    this.#changes.add(followed);
  }

  /** Adds the effects of another transaction, or of a nested one. */
  add(others: CommitEffects | null): void {
    if (others === null) return;
    for (const [job, at] of others.#wakes) this.wake(job, at);
    for (const followed of others.#changes) this.change(followed);
  }

  /** Notifies the listeners, after the commit. */
  notify({ wakes, changes }: CommitListeners): void {
    for (const [job, at] of this.#wakes) for (const listener of wakes) listener(job, at);
    for (const followed of this.#changes) for (const listener of changes) listener(followed);
  }
}

/** The listeners for effects of commits. */
export interface CommitListeners {
  readonly wakes: ((job: JobName, at: number) => void)[];
  readonly changes: ((followed: FollowedRecords) => void)[];
}

/** Committed transactions, including those that changed nothing. */
export const commits = counter("packhouse_commits_total", "Transactions that were committed.", ["mode"]);

/** How many writes shared each commit; always one on PostgreSQL. */
export const commit_writes = histogram(
  "packhouse_commit_writes",
  "How many writes shared a commit.",
  [1, 2, 4, 8, 16, 32, 64],
  ["mode"],
);

/** The duration of a transaction, from its start until it was durable. */
export const commit_seconds = histogram(
  "packhouse_commit_seconds",
  "Time until a transaction was durable.",
  [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  ["mode"],
);

/** Writes that ran again because of a conflict. */
export const retries = counter("packhouse_write_retries_total", "Writes that ran again after a conflict.", ["mode"]);

/** Transactions that the storage could not commit. */
export const failures = counter("packhouse_commit_failures_total", "Transactions that the storage refused.", ["mode"]);
// Starts at zero: a counter that first appears with a failure shows no increase.
for (const mode of environments) failures.add(0, mode);
