// The end of this process without what the runtime does before it.
import { dlopen, FFIType } from "bun:ffi";

const libraries = ["libc.so.6", "libc.so", "libSystem.B.dylib"];

/**
 * Ends the process with a code. The runtime would close each SQLite database first, which copies the log and waits
 * for the disk: who ends because it does not answer cannot. Where the C library cannot be called, the runtime ends it.
 */
export function endAtOnce(code: number): never {
  for (const name of libraries) {
    try {
      dlopen(name, { _exit: { args: [FFIType.i32], returns: FFIType.void } }).symbols._exit(code);
    } catch {
      // Another system has another library.
    }
  }
  return process.exit(code);
}
