// Copies a write-ahead log into its database and restarts it. Each call waits for the disk.
import { Database } from "bun:sqlite";
import { applicationId, checkpointPragmas } from "./sqlite_connection.ts";

/** The number of frames (pages with a header) in the log, and of those copied into the database. */
export interface LogFrameCounts {
  readonly held: number;
  readonly copied: number;
  /** Whether the log file was truncated, which is impossible while another process reads. */
  readonly is_cut?: boolean;
}

export interface LogCheckpoint {
  /** Copies all frames that every open view includes. Writes and reads may continue. */
  copy(): LogFrameCounts;
  /**
   * Restarts a completely copied log with a write that changes nothing, so that SQLite syncs the new header. While a
   * reader or another writer uses the log, it continues at its end instead.
   */
  restart(): LogFrameCounts;
  /** As `restart`, and truncates the log file, so that its contents are gone. */
  cut(): LogFrameCounts;
  close(): void;
}

/** Opens its own connection to an existing database, in this thread. */
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

/** Copies the whole log and truncates its file. Returns false if another process reads. */
export function cutLog(raw: Database): boolean {
  const asked = raw.prepare("pragma wal_checkpoint(truncate)");
  try {
    return asked.values()[0]?.[0] === 0;
  } finally {
    asked.finalize();
  }
}

/** Counts the frames of the log; `passive` first copies all that can be copied. */
function framesOf(raw: Database, kind: "passive" | "noop"): LogFrameCounts {
  // A cached statement would keep the connection open.
  const asked = raw.prepare(`pragma wal_checkpoint(${kind})`);
  try {
    const row = asked.values()[0] as [number, number, number] | undefined;
    return { held: Math.max(row?.[1] ?? 0, 0), copied: Math.max(row?.[2] ?? 0, 0) };
  } finally {
    asked.finalize();
  }
}

/** Restarts a completely copied log durably, with a write that changes nothing. */
export function restartLog(raw: Database): void {
  // SQLite does not write an unchanged row, but it does write the unchanged application id in the header.
  raw.run(`pragma application_id=${applicationId}`);
}
