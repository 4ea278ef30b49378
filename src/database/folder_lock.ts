// A lock on a folder itself, which nobody can take away by removing a file. SQLite's locks are of another kind.
import { dlopen, FFIType, read } from "bun:ffi";
import { closeSync, openSync } from "node:fs";

const exclusive_at_once = 2 | 4;
const flock = { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 } as const;
const errno = { args: [], returns: FFIType.ptr } as const;

/** Locks a folder until released; null when another has it. Where no lock is to be had, nothing is locked. */
export function lockFolder(path: string): { release(): void } | null {
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
      return { lock: (file: number) => tried(symbols.flock(file, exclusive_at_once), symbols.__errno_location(), 11) };
    }
    if (platform !== "darwin") return null;
    const { symbols } = dlopen("libSystem.B.dylib", { flock, __error: errno });
    return { lock: (file: number) => tried(symbols.flock(file, exclusive_at_once), symbols.__error(), 35) };
  } catch {
    return null;
  }
}

/** A file system without such locks answers otherwise than that another has it. */
function tried(result: number, place: Parameters<typeof read.i32>[0] | null, busy: number): "free" | "busy" {
  return result !== 0 && place !== null && read.i32(place) === busy ? "busy" : "free";
}
