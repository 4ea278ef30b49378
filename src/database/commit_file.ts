// The number of the last commit, kept beside the database: a database behind it has lost commits, even when it looks
// whole (a log cut between two frames, a log that was deleted, an old copy). Written after each commit and never
// synced, so it can be behind the database but not ahead.
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

const digits = 16;

export interface CommitFile {
  write(number: number): unknown;
  close(): void;
}

/** Opens the file for writing, making it when it is not there. */
export function openCommitFile(path: string): CommitFile {
  closeSync(openSync(path, "a"));
  const file = openSync(path, "r+");
  return {
    write: (number) => writeSync(file, commitText(number), 0),
    close: () => closeSync(file),
  };
}

/** What the file says of a commit. */
export function commitText(number: number): string {
  return `${String(number).padStart(digits, "0")}\n`;
}

/** The number in the file, or null when there is none that can be read: after a power cut it may be empty. */
export function readCommitFile(path: string): number | null {
  try {
    const text = readFileSync(path, "latin1");
    return new RegExp(`^[0-9]{${digits}}\n$`).test(text) ? Number(text) : null;
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return null;
    throw error;
  }
}
