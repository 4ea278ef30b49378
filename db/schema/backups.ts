// Runs of the backups, and of their proofs; the rows lie in the live store alone.
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
    /** Where it goes; once it is there, the file itself. */
    place: text().notNull(),
    created_at: time().notNull(),
    begun_at: time(),
    ended_at: time(),
    /** Until then its server says that it goes on; after that it was cut off. */
    held_until: time(),
    size_bytes: int(),
    /** How much was read for it. */
    read_bytes: int(),
    sha256: text(),
    /** The moments of both worlds in it, and the numbers of their last commits where there are such. */
    live_at: time(),
    live_commit: int(),
    test_at: time(),
    test_commit: int(),
    /** Why it failed. */
    error: text(),
  },
  (t) => [
    index("backup_runs_created").on(t.created_at, t.id),
    oneOf("backup_runs", "kind", runKinds),
    oneOf("backup_runs", "status", runStatuses),
    oneOf("backup_runs", "cause", runCauses),
  ],
);
