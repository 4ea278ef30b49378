// Reads write-ahead logs: complete commits of a log in use, and the state of a log before SQLite opens it. SQLite has
// no locks on this file, so it can be read with a descriptor of its own.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** SQLite's running checksum of a log. */
type LogChecksum = readonly [number, number];

/** The header of a log. */
export interface LogHead {
  /** They change when the log restarts: the first is incremented, the second is random. */
  readonly salts: readonly [number, number];
  /** How often it has restarted. */
  readonly round: number;
  readonly page_bytes: number;
  readonly sums: LogChecksum;
}

/** A position in a log, which also identifies the log. */
export interface LogPosition {
  readonly salts: readonly [number, number];
  readonly round: number;
  readonly frames: number;
  /** The checksum of the frames up to here, which differs for other contents. */
  readonly sums: LogChecksum;
}

/** The frames of one commit. */
export interface CommitFrames {
  /** Frames: a header of 24 bytes and a page each. */
  readonly bytes: Uint8Array;
  readonly frames: number;
  /** The number of pages of the database after it. */
  readonly pages: number;
}

const head_bytes = 32;
/** The bytes before each page. */
export const frame_head_bytes = 24;
const format = 3_007_000;
/** The magic number of checksums in this machine's byte order. Logs in another byte order are not read. */
const magic = 0x377f0682;

/** The header of a log; null if it is empty or being rewritten. */
export function readLogHead(file: number): LogHead | null {
  const bytes = new Uint8Array(head_bytes);
  if (readSync(file, bytes, 0, head_bytes, 0) !== head_bytes) return null;
  const head = new DataView(bytes.buffer);
  const at = (offset: number) => head.getUint32(offset);
  const sums = added([0, 0], new Uint32Array(bytes.buffer), 0, 6);
  if (at(0) !== magic || at(4) !== format || at(24) !== sums[0] || at(28) !== sums[1]) return null;
  return { salts: [at(16), at(20)], round: at(12), page_bytes: at(8), sums };
}

/** The position at the start of a log. */
export function startOf({ salts, round, sums }: LogHead): LogPosition {
  return { salts, round, frames: 0, sums };
}

/** Whether the log still contains the frames up to a position. */
export function holdsPosition(file: number, head: LogHead, position: LogPosition): boolean {
  if (!same(head.salts, position.salts)) return false;
  if (position.frames === 0) return same(head.sums, position.sums);
  const bytes = new Uint8Array(frame_head_bytes);
  const at = head_bytes + (position.frames - 1) * (frame_head_bytes + head.page_bytes);
  if (readSync(file, bytes, 0, frame_head_bytes, at) !== frame_head_bytes) return false;
  const frame = new DataView(bytes.buffer);
  return same([frame.getUint32(8), frame.getUint32(12)], head.salts) && same(sumsOf(frame, 0), position.sums);
}

/** The complete commits after a position, up to about `most_bytes`, but at least one if there is one. */
export function readCommits(file: number, head: LogHead, from: LogPosition, most_bytes: number): CommitFrames[] {
  const frame_bytes = frame_head_bytes + head.page_bytes;
  const begin = head_bytes + from.frames * frame_bytes;
  const there = Math.floor((fstatSync(file).size - begin) / frame_bytes);
  for (let wanted = Math.ceil(most_bytes / frame_bytes); ; wanted *= 2) {
    const count = Math.min(wanted, there);
    const bytes = new Uint8Array(Math.max(count, 0) * frame_bytes);
    const read = bytes.length === 0 ? 0 : readSync(file, bytes, 0, bytes.length, begin);
    const found = commitsIn(bytes, Math.floor(read / frame_bytes), head, from);
    // One commit may be longer than `most_bytes`.
    if (found.commits.length > 0 || !found.unfinished || count === there) return found.commits;
  }
}

/** The complete commits at the start of some frames, and whether valid frames of an incomplete one follow. */
function commitsIn(bytes: Uint8Array, count: number, head: LogHead, from: LogPosition) {
  const frame_bytes = frame_head_bytes + head.page_bytes;
  const view = new DataView(bytes.buffer);
  const words = new Uint32Array(bytes.buffer);
  const commits: CommitFrames[] = [];
  let [sums, begun] = [from.sums, 0];
  let at = 0;
  for (; at < count; at++) {
    const offset = at * frame_bytes;
    if (!same([view.getUint32(offset + 8), view.getUint32(offset + 12)], head.salts)) break;
    const word = offset / 4;
    sums = added(added(sums, words, word, word + 2), words, word + frame_head_bytes / 4, word + frame_bytes / 4);
    if (!same(sumsOf(view, offset), sums)) break;
    const pages = view.getUint32(offset + 4);
    if (pages === 0) continue;
    const whole = bytes.subarray(begun * frame_bytes, (at + 1) * frame_bytes);
    commits.push({ bytes: whole, frames: at + 1 - begun, pages });
    begun = at + 1;
  }
  return { commits, unfinished: at === count && begun < count };
}

/** The position after a commit that starts at a position. */
export function positionBehind(position: LogPosition, { bytes, frames }: CommitFrames): LogPosition {
  const last = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - bytes.length / frames);
  return { ...position, frames: position.frames + frames, sums: sumsOf(last, 0) };
}

/** The pages in frames, with their numbers. */
export function* framesOf(bytes: Uint8Array, page_bytes: number): Generator<{ page: number; content: Uint8Array }> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at += frame_head_bytes + page_bytes) {
    const begin = at + frame_head_bytes;
    yield { page: view.getUint32(at), content: bytes.subarray(begin, begin + page_bytes) };
  }
}

/** For an archived frame that ends a commit: the number of pages of the database then; otherwise 0. */
export function endOfCommit(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + at, frame_head_bytes).getUint32(4);
}

/** SQLite's checksum of 32-bit words in this machine's byte order, two at a time. */
function added([first, second]: LogChecksum, words: Uint32Array, from: number, to: number): LogChecksum {
  let [a, b] = [first | 0, second | 0];
  for (let at = from; at < to; at += 2) {
    a = (a + (words[at] as number) + b) | 0;
    b = (b + (words[at + 1] as number) + a) | 0;
  }
  return [a >>> 0, b >>> 0];
}

const sumsOf = (frame: DataView, at: number): LogChecksum => [frame.getUint32(at + 16), frame.getUint32(at + 20)];
const same = (one: readonly [number, number], other: readonly [number, number]) =>
  one[0] === other[0] && one[1] === other[1];

/**
 * The state of a log. `absent`: no frames. `whole`: all frames are valid. `torn`: the last commit is incomplete, as
 * after a power cut. Otherwise data is lost: SQLite would take a damaged frame for the end and silently drop later
 * commits.
 */
type WalState = "absent" | "whole" | "torn" | "bad_header" | "damaged";

const header_bytes = 32;
const frame_header_bytes = 24;
const wal_format = 3_007_000;

/** Classifies the write-ahead log at a path. Nothing may write to it meanwhile. */
export function walState(path: string): WalState {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return "absent";
    throw error;
  }
  try {
    return classify(file, fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}

function classify(file: number, size: number): WalState {
  // A log without frames has nothing to lose. SQLite syncs the header before it writes the first frame.
  if (size <= header_bytes) return "absent";
  const head = view(file, 0, header_bytes);
  const magic = head.getUint32(0);
  const big_endian = magic === 0x377f0683;
  const page_bytes = head.getUint32(8);
  if ((!big_endian && magic !== 0x377f0682) || head.getUint32(4) !== wal_format) return "bad_header";
  if (page_bytes < 512 || page_bytes > 65_536 || (page_bytes & (page_bytes - 1)) !== 0) return "bad_header";
  let sum = checksum([0, 0], head, 0, 24, big_endian);
  if (!sumsAt(head, 24, sum)) return "bad_header";
  const salts = [head.getUint32(16), head.getUint32(20)];
  const frame_bytes = frame_header_bytes + page_bytes;
  let bad = false;
  let cut = (size - header_bytes) % frame_bytes !== 0;
  let lost_commits = 0;
  for (let at = header_bytes; at + frame_bytes <= size; at += frame_bytes) {
    const frame = view(file, at, frame_bytes);
    const current = frame.getUint32(8) === salts[0] && frame.getUint32(12) === salts[1];
    // Frames after the end are from before the last restart and were copied into the database.
    if (!current) bad = true;
    if (!bad) {
      const next = checksum(checksum(sum, frame, 0, 8, big_endian), frame, frame_header_bytes, frame_bytes, big_endian);
      if (sumsAt(frame, 16, next)) sum = next;
      else bad = true;
    }
    if (bad && current) {
      cut = true;
      if (frame.getUint32(4) !== 0) lost_commits++;
    }
  }
  // At most one commit was being written during a power cut. Its frames may have reached the disk in any order.
  if (lost_commits > 1) return "damaged";
  return cut ? "torn" : "whole";
}

function view(file: number, at: number, bytes: number): DataView {
  const buffer = Buffer.allocUnsafe(bytes);
  if (readSync(file, buffer, 0, bytes, at) !== bytes) throw new Error("the write-ahead log changed while it was read");
  return new DataView(buffer.buffer, buffer.byteOffset, bytes);
}

type FrameChecksum = readonly [number, number];

/** SQLite's checksum of 32-bit words, two at a time, in the byte order of the log's magic number. */
function checksum(
  [first, second]: FrameChecksum,
  data: DataView,
  from: number,
  to: number,
  big_endian: boolean,
): FrameChecksum {
  let a = first;
  let b = second;
  for (let at = from; at < to; at += 8) {
    a = (a + data.getUint32(at, !big_endian) + b) >>> 0;
    b = (b + data.getUint32(at + 4, !big_endian) + a) >>> 0;
  }
  return [a, b];
}

function sumsAt(data: DataView, at: number, [first, second]: FrameChecksum): boolean {
  return data.getUint32(at) === first && data.getUint32(at + 4) === second;
}
