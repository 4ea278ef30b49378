// `bun scripts/faults/unsynced.ts PROGRAM [WORD ...]`: executes that program on a machine whose disk only claims to
// have synced. The kernel reports success for each sync call and does nothing, in every thread.
import { dlopen, FFIType, ptr } from "bun:ffi";

/** The numbers of fsync, fdatasync, sync, syncfs, sync_file_range and msync. */
const numbers: Readonly<Record<string, readonly number[]>> = {
  x64: [74, 75, 162, 306, 277, 26],
  arm64: [82, 83, 81, 267, 84, 227],
};
const syncing = numbers[process.arch] ?? [];

// From the kernel's <linux/filter.h>, <linux/seccomp.h> and <linux/prctl.h>.
const load_word = 0x20;
const jump_if_equal = 0x15;
const answer = 0x06;
const allowed = 0x7fff0000;
/** The call is skipped and returns the error in the lower half: 0, so success. */
const left_out = 0x00050000;
const no_new_privileges = 38;
const set_filter = 22;
const filter_mode = 2n;

function filter(): Uint8Array {
  const program = new DataView(new ArrayBuffer(8 * (syncing.length + 3)));
  let at = 0;
  const add = (code: number, if_true: number, if_false: number, value: number) => {
    program.setUint16(at, code, true);
    program.setUint8(at + 2, if_true);
    program.setUint8(at + 3, if_false);
    program.setUint32(at + 4, value, true);
    at += 8;
  };
  add(load_word, 0, 0, 0);
  for (const [index, number] of syncing.entries()) add(jump_if_equal, syncing.length - index, 0, number);
  add(answer, 0, 0, allowed);
  add(answer, 0, 0, left_out);
  return new Uint8Array(program.buffer);
}

const { symbols } = dlopen("libc.so.6", {
  prctl: {
    args: [FFIType.i32, FFIType.u64, FFIType.u64, FFIType.u64, FFIType.u64],
    returns: FFIType.i32,
  },
  execvp: { args: [FFIType.ptr, FFIType.ptr], returns: FFIType.i32 },
});

const instructions = filter();
const header = new DataView(new ArrayBuffer(16));
header.setUint16(0, instructions.length / 8, true);
header.setBigUint64(8, BigInt(ptr(instructions)), true);
const refused =
  syncing.length === 0 ||
  symbols.prctl(no_new_privileges, 1n, 0n, 0n, 0n) !== 0 ||
  symbols.prctl(set_filter, filter_mode, BigInt(ptr(new Uint8Array(header.buffer))), 0n, 0n) !== 0;

const words = process.argv.slice(2).map((word) => Buffer.from(`${word}\0`));
const list = new BigUint64Array([...words.map((word) => BigInt(ptr(word))), 0n]);
if (!refused && words[0] !== undefined) symbols.execvp(ptr(words[0]), ptr(list));
console.error("The machine does not permit system calls to be filtered.");
process.exit(1);
