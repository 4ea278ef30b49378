// This process: its exit, its open files and its priority.
import { dlopen, FFIType } from "bun:ffi";
import { readdirSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { constants, setPriority } from "node:os";

const libraries = ["libc.so.6", "libc.so", "libSystem.B.dylib"];

/**
 * Exits at once, without closing SQLite databases. The runtime would close each of them first, which copies the log and
 * waits for the disk: a process that exits because it hangs cannot wait. Falls back to a normal exit where the C
 * library cannot be called.
 */
export function exitImmediately(code: number): never {
  for (const name of libraries) {
    try {
      dlopen(name, { _exit: { args: [FFIType.i32], returns: FFIType.void } }).symbols._exit(code);
    } catch {
      // Other systems have other libraries.
    }
  }
  return process.exit(code);
}

/** The maximum number of open files and connections; null where the system does not report it. */
export function openFilesLimit(): number | null {
  if (process.platform !== "linux") return null;
  const limit = Number(/^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
  return Number.isNaN(limit) ? null : limit;
}

/**
 * The number of open files and connections; null where the system does not report it, or when too many are open to
 * check.
 */
export function countOpenFiles(): Promise<number | null> {
  return readdir("/proc/self/fd").then(
    (all) => all.length,
    () => null,
  );
}

/** Gives all other processes precedence over every thread of this one. Does nothing where that is not possible. */
export function lowerPriority(): void {
  for (const thread of threads()) {
    try {
      setPriority(thread, constants.priority.PRIORITY_LOW);
    } catch {
      // The thread has ended, or the system forbids it. The work goes on at normal priority.
    }
  }
}

/** On Linux each thread has its own priority. Later threads inherit that of the thread that starts them. */
function threads(): number[] {
  try {
    return readdirSync("/proc/self/task").map(Number);
  } catch {
    return [0];
  }
}

/** Whether another process with this id is running. False for this process itself. */
export function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is running under another user.
    return (error as { code?: string }).code === "EPERM";
  }
}
