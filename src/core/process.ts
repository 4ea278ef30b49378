// The end of this process without what the runtime does before it.
import { dlopen, FFIType } from "bun:ffi";
import { readdirSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { constants, setPriority } from "node:os";

const libraries = ["libc.so.6", "libc.so", "libSystem.B.dylib"];

/**
 * Ends the process with a code. The runtime would close each SQLite database first, which copies the log and waits
 * for the disk: who ends because it does not answer cannot. Where the C library cannot be called, the runtime ends it.
 */
export function exitImmediately(code: number): never {
  for (const name of libraries) {
    try {
      dlopen(name, { _exit: { args: [FFIType.i32], returns: FFIType.void } }).symbols._exit(code);
    } catch {
      // Another system has another library.
    }
  }
  return process.exit(code);
}

// How many files and connections this process has open, and may have.

/** How many there may be; null where the system does not tell. */
export function openFilesLimit(): number | null {
  if (process.platform !== "linux") return null;
  const limit = Number(/^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
  return Number.isNaN(limit) ? null : limit;
}

/** How many there are; null where the system does not tell, and while too many are open even to look. */
export function countOpenFiles(): Promise<number | null> {
  return readdir("/proc/self/fd").then(
    (all) => all.length,
    () => null,
  );
}

// How this process shares the machine.

/** Lets every other process go first, with all threads of this one. Where that cannot be had, nothing changes. */
export function lowerPriority(): void {
  for (const thread of threads()) {
    try {
      setPriority(thread, constants.priority.PRIORITY_LOW);
    } catch {
      // It has ended, or the system does not let us: then the work is done all the same.
    }
  }
}

/** On Linux a priority is that of a thread; those begun later have that of the one that begins them. */
function threads(): number[] {
  try {
    return readdirSync("/proc/self/task").map(Number);
  } catch {
    return [0];
  }
}

// Other processes of this machine.

/** Whether a process of this number is there. One that is this process itself is not another. */
export function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there, and not ours.
    return (error as { code?: string }).code === "EPERM";
  }
}
