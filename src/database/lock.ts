// The lock that lets one server at a time use a data directory. It is a file of its own, so that short commands can
// work on the databases beside a running server; the folder is locked as well, since a file can be removed.
import { Database } from "bun:sqlite";
import { dirname } from "node:path";
import { databaseCode } from "./conflict.ts";
import { startRefused } from "./exit.ts";
import { lockFolder } from "./folder_lock.ts";

/** How long a server waits for the one before it to end. */
const server_wait_ms = 1000;

export interface InstanceLock {
  /** Lets go of it; nothing to do once that was done. */
  release(): void;
}

/**
 * Takes the lock of a data directory, or answers null when another process has it for longer than `wait_ms`. A killed
 * process has it no more.
 */
export function tryLock(path: string, wait_ms: number): InstanceLock | null {
  const folder = waitFor(() => lockFolder(dirname(path)), wait_ms);
  if (folder === null) return null;
  const raw = new Database(path, { create: true, readwrite: true });
  try {
    raw.run(`pragma busy_timeout=${wait_ms}`);
    // The locks of SQLite end with their process. The transaction stays open and writes nothing.
    raw.run("begin exclusive");
  } catch (error) {
    raw.close();
    folder.release();
    if (databaseCode(error)?.startsWith("SQLITE_BUSY")) return null;
    throw error;
  }
  let held = true;
  const release = () => {
    if (!held) return;
    held = false;
    raw.close();
    folder.release();
  };
  return { release };
}

function waitFor<T>(take: () => T | null, wait_ms: number): T | null {
  for (const until = performance.now() + wait_ms; ; Bun.sleepSync(10)) {
    const taken = take();
    if (taken !== null || performance.now() >= until) return taken;
  }
}

/** Takes the lock of a data directory, or refuses because a server has it. */
export function lock(path: string): InstanceLock {
  const taken = tryLock(path, server_wait_ms);
  if (taken === null) throw startRefused("in_use", `Another Packhouse is running on this data (${path} is locked).`);
  return taken;
}
