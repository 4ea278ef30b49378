// Sends messages to the service manager (sd_notify(3)): datagrams to a Unix socket with a path or an abstract name.
// The runtime does not support such datagrams, so this calls the C library. Linux only.
import { dlopen, FFIType, ptr } from "bun:ffi";

/** Sends lines of `NAME=value` without waiting. Returns whether they were accepted. */
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
// No signal if nobody listens any more, and no wait if the manager does not read.
const quietly_at_once = 0x4000 | 0x40;
const monotonic_clock = 1;
const path_bytes_max = 107;

/**
 * Prepares messages to the manager's socket. `address` is the value of `NOTIFY_SOCKET`: an absolute path, or `@` and an
 * abstract name. Returns null if it is neither, or if the C library cannot be loaded.
 */
export function openNotify(address: string): { notify: Notify; monotonicUs: () => bigint } | null {
  const name = Buffer.from(address);
  if (process.platform !== "linux" || !/^[/@]./.test(address) || name.length > path_bytes_max) return null;
  const library = loadLibc();
  if (library === null) return null;
  const { socket, sendto, close, clock_gettime } = library;
  const socket_address = Buffer.concat([new Uint8Array(new Uint16Array([unix_family]).buffer), name]);
  // An abstract name starts with a zero byte.
  if (address.startsWith("@")) socket_address[2] = 0;
  const notify = (lines: readonly string[]) => {
    const message = Buffer.from(lines.join("\n"));
    const descriptor = socket(unix_family, datagram_closed_in_children, 0);
    if (descriptor < 0) return false;
    const { length } = socket_address;
    const sent = sendto(descriptor, ptr(message), message.length, quietly_at_once, ptr(socket_address), length);
    close(descriptor);
    return sent === message.length;
  };
  const monotonicUs = () => {
    const time = new BigInt64Array(2);
    clock_gettime(monotonic_clock, ptr(time));
    return (time[0] ?? 0n) * 1_000_000n + (time[1] ?? 0n) / 1000n;
  };
  return { notify, monotonicUs };
}

function loadLibc() {
  try {
    return dlopen("libc.so.6", declared).symbols;
  } catch {
    return null;
  }
}
