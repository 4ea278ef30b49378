// What a service says to the service manager that started it (sd_notify(3)): datagrams to a socket, which has a path or
// an abstract name. The runtime has no datagrams of that kind, so the C library is called. Linux alone.
import { dlopen, FFIType, ptr } from "bun:ffi";

/** Says lines of `NAME=value` to the manager. Whether they were taken; they are never waited for. */
export type Notify = (lines: readonly string[]) => boolean;

const { i32, u32, u64, ptr: pointer } = FFIType;
const declared = {
  socket: { args: [i32, i32, i32], returns: i32 },
  sendto: { args: [i32, pointer, u64, i32, pointer, u32], returns: i32 },
  close: { args: [i32], returns: i32 },
  clock_gettime: { args: [i32, pointer], returns: i32 },
} as const;

const unix_family = 1;
const datagram_closed_in_children = 2 | 0x80000;
// Neither a signal where nobody listens any more, nor a wait where the manager does not read.
const quietly_at_once = 0x4000 | 0x40;
const monotonic_clock = 1;
const path_bytes_max = 107;

/**
 * Opens the way to the manager's socket, as `NOTIFY_SOCKET` names it: a path from the root, or `@` and an abstract
 * name. Null where it is neither, or where the C library cannot be called.
 */
export function openNotify(address: string): { notify: Notify; monotonicUs: () => bigint } | null {
  const name = Buffer.from(address);
  if (process.platform !== "linux" || !/^[/@]./.test(address) || name.length > path_bytes_max) return null;
  const library = libraryOfC();
  if (library === null) return null;
  const { socket, sendto, close, clock_gettime } = library;
  const where = Buffer.concat([new Uint8Array(new Uint16Array([unix_family]).buffer), name]);
  // An abstract name begins with a zero byte.
  if (address.startsWith("@")) where[2] = 0;
  const notify = (lines: readonly string[]) => {
    const said = Buffer.from(lines.join("\n"));
    const descriptor = socket(unix_family, datagram_closed_in_children, 0);
    if (descriptor < 0) return false;
    const taken = sendto(descriptor, ptr(said), said.length, quietly_at_once, ptr(where), where.length);
    close(descriptor);
    return taken === said.length;
  };
  const monotonicUs = () => {
    const time = new BigInt64Array(2);
    clock_gettime(monotonic_clock, ptr(time));
    return (time[0] ?? 0n) * 1_000_000n + (time[1] ?? 0n) / 1000n;
  };
  return { notify, monotonicUs };
}

function libraryOfC() {
  try {
    return dlopen("libc.so.6", declared).symbols;
  } catch {
    return null;
  }
}
