// Copies a write-ahead log into its database and lets it begin anew. Each call waits for the disk.
import { Database } from "bun:sqlite";
import { applicationId, checkpointPragmas } from "./sqlite_connection.ts";

/** How many frames (pages with a header) the log holds, and how many of them the database has as well. */
export interface LogFrameCounts {
  readonly held: number;
  readonly copied: number;
  /** Whether the file of the log was cut; it is not while another process reads. */
  readonly is_cut?: boolean;
}

export interface LogCheckpoint {
  /** Copies all frames that no reader's view of the data ends before. Writes and reads may go on. */
  copy(): LogFrameCounts;
  /**
   * Begins a log that is copied as a whole from its front again, by a write that changes nothing: SQLite waits for the
   * disk when it writes the new head. The log goes on at its end while a reader or another writer uses it.
   */
  restart(): LogFrameCounts;
  /** As `restart`, and cuts the file of the log, so that nothing of what it held is left in it. */
  cut(): LogFrameCounts;
  close(): void;
}

/** Opens a connection of its own to a database that is there, in this thread. */
export function openCheckpoint(path: string): LogCheckpoint {
  const raw = new Database(path, { create: false, readwrite: true, strict: true });
  for (const pragma of checkpointPragmas) raw.run(`pragma ${pragma}`);
  return {
    copy: () => framesOf(raw, "passive"),
    restart: () => {
      restartLog(raw);
      return framesOf(raw, "noop");
    },
    cut: () => {
      const is_cut = cutLog(raw);
      restartLog(raw);
      return { ...framesOf(raw, "noop"), is_cut };
    },
    close: () => raw.close(),
  };
}

/** Copies the whole log and cuts its file. Answers whether it did: it does not while another process reads. */
export function cutLog(raw: Database): boolean {
  const asked = raw.prepare("pragma wal_checkpoint(truncate)");
  try {
    return asked.values()[0]?.[0] === 0;
  } finally {
    asked.finalize();
  }
}

/** What the log holds: by `passive` after having copied what can be copied. */
function framesOf(raw: Database, kind: "passive" | "noop"): LogFrameCounts {
  // A statement that is kept would keep the connection open.
  const asked = raw.prepare(`pragma wal_checkpoint(${kind})`);
  try {
    const row = asked.values()[0] as [number, number, number] | undefined;
    return { held: Math.max(row?.[1] ?? 0, 0), copied: Math.max(row?.[2] ?? 0, 0) };
  } finally {
    asked.finalize();
  }
}

/** Writes what changes nothing, so that a log with nothing left to copy begins anew, durably. */
export function restartLog(raw: Database): void {
  // SQLite writes no row anew that stays as it was, but it does so with the number in the file's head.
  raw.run(`pragma application_id=${applicationId}`);
}
