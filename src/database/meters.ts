// What both engines count of their work.
import { counter, histogram } from "../kit/meter.ts";
import { modes } from "../kit/mode.ts";

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
for (const mode of modes) failures.add(0, mode);
