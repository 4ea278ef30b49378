// Runs of backups and restore tests. Only the live store has rows.
import {
  type RunCause,
  type RunKind,
  type RunStatus,
  runCauses,
  runKinds,
  runStatuses,
} from "../../src/operations/backups/backup_run.transitions.ts";
import { id, index, int, oneOf, table, text, time } from "../kit.ts";

export const backup_runs = table(
  "backup_runs",
  {
    id: id(),
    kind: text().$type<RunKind>().notNull(),
    status: text().$type<RunStatus>().notNull(),
    cause: text().$type<RunCause>().notNull(),
    /** The destination; after the upload, the file. */
    place: text().notNull(),
    created_at: time().notNull(),
    begun_at: time(),
    ended_at: time(),
    /** When its lease ends. A run whose lease has ended was interrupted. */
    held_until: time(),
    size_bytes: int(),
    /** The number of bytes read. */
    read_bytes: int(),
    sha256: text(),
    /** The times of both environments in it, and the numbers of their last commits, if any. */
    live_at: time(),
    live_commit: int(),
    test_at: time(),
    test_commit: int(),
    /** The reason for a failure. */
    error: text(),
  },
  (t) => [
    index("backup_runs_created").on(t.created_at, t.id),
    oneOf("backup_runs", "kind", runKinds),
    oneOf("backup_runs", "status", runStatuses),
    oneOf("backup_runs", "cause", runCauses),
  ],
);
