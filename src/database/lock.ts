// The lock that lets one server at a time use a data directory. It is a file of its own, so that short commands can
// work on the databases beside a running server.
import { Database } from "bun:sqlite";
import { databaseCode } from "./conflict.ts";
import { startRefused } from "./exit.ts";

/** How long a server waits for the one before it to end. */
const server_wait_ms = 1000;

export interface InstanceLock {
  release(): void;
}

/**
 * Takes the lock of a data directory, or answers null when another process has it for longer than `wait_ms`. A killed
 * process has it no more.
 */
export function tryLock(path: string, wait_ms: number): InstanceLock | null {
  const raw = new Database(path, { create: true, readwrite: true });
  try {
    raw.run(`pragma busy_timeout=${wait_ms}`);
    // The locks of SQLite end with their process. The transaction stays open and writes nothing.
    raw.run("begin exclusive");
  } catch (error) {
    raw.close();
    if (databaseCode(error)?.startsWith("SQLITE_BUSY")) return null;
    throw error;
  }
  return { release: () => raw.close() };
}

/** Takes the lock of a data directory, or refuses because a server has it. */
export function lock(path: string): InstanceLock {
  const taken = tryLock(path, server_wait_ms);
  if (taken === null) throw startRefused("in_use", `Another Packhouse is running on this data (${path} is locked).`);
  return taken;
}
