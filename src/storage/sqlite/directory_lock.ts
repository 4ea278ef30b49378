// The lock that lets one server at a time use a data directory. It is a file of its own, so that commands can use the
// databases alongside a running server. The folder is locked as well, since a file can be removed.
import { dlopen, FFIType, read } from "bun:ffi";
import { Database } from "bun:sqlite";
import { closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { startRefused } from "../start_refused.ts";
import { databaseCode } from "../storage_errors.ts";

const exclusive_at_once = 2 | 4;
const flock = { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 } as const;
const errno = { args: [], returns: FFIType.ptr } as const;

/** Locks a folder; null if another process has locked it. On file systems without such locks, does nothing. */
function lockFolder(path: string): { release(): void } | null {
  const library = libraryOf(process.platform);
  if (library === null) return { release: () => {} };
  const folder = openSync(path, "r");
  if (library.lock(folder) === "busy") {
    closeSync(folder);
    return null;
  }
  return { release: () => closeSync(folder) };
}

function libraryOf(platform: string) {
  try {
    if (platform === "linux") {
      const { symbols } = dlopen("libc.so.6", { flock, __errno_location: errno });
      return {
        lock: (file: number) => lockResult(symbols.flock(file, exclusive_at_once), symbols.__errno_location(), 11),
      };
    }
    if (platform !== "darwin") return null;
    const { symbols } = dlopen("libSystem.B.dylib", { flock, __error: errno });
    return { lock: (file: number) => lockResult(symbols.flock(file, exclusive_at_once), symbols.__error(), 35) };
  } catch {
    return null;
  }
}

/** Distinguishes a busy lock from a file system without locks. */
function lockResult(result: number, place: Parameters<typeof read.i32>[0] | null, busy: number): "free" | "busy" {
  return result !== 0 && place !== null && read.i32(place) === busy ? "busy" : "free";
}

/** How long a server waits for the previous one to end. */
const server_wait_ms = 1000;

export interface InstanceLock {
  /** Releases the lock; may be called twice. */
  release(): void;
}

/**
 * Takes the lock of a data directory. Returns null if another process holds it for longer than `wait_ms`. A killed
 * process holds it no longer.
 */
export function tryLock(path: string, wait_ms: number): InstanceLock | null {
  const folder = waitFor(() => lockFolder(dirname(path)), wait_ms);
  if (folder === null) return null;
  const raw = new Database(path, { create: true, readwrite: true });
  try {
    raw.run(`pragma busy_timeout=${wait_ms}`);
    // SQLite's locks end with their process. The transaction stays open and writes nothing.
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

/** Takes the lock of a data directory. Refuses if a server has it. */
export function lock(path: string): InstanceLock {
  const taken = tryLock(path, server_wait_ms);
  if (taken === null) throw startRefused("in_use", `Another Packhouse is running on this data (${path} is locked).`);
  return taken;
}
