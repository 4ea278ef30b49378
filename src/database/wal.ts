// Reads a write-ahead log before SQLite does. SQLite takes a damaged frame for the log's end and silently drops every
// commit behind it; here damage in the middle is told from the torn tail that a power cut leaves.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** `absent`: no frame. `whole`: each frame is good. `torn`: an unfinished last commit is cut. Else data is lost. */
type WalState = "absent" | "whole" | "torn" | "bad_header" | "damaged";

const header_bytes = 32;
const frame_header_bytes = 24;
const format = 3_007_000;

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
  // A log that holds no frame has nothing to lose: SQLite writes and syncs the header before the first frame.
  if (size <= header_bytes) return "absent";
  const head = view(file, 0, header_bytes);
  const magic = head.getUint32(0);
  const big_endian = magic === 0x377f0683;
  const page_bytes = head.getUint32(8);
  if ((!big_endian && magic !== 0x377f0682) || head.getUint32(4) !== format) return "bad_header";
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
    // Frames of an earlier round of the log lie behind its end; they were copied into the database long ago.
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
  // At most one commit was being written when the power went: its frames may have reached the disk in any order.
  if (lost_commits > 1) return "damaged";
  return cut ? "torn" : "whole";
}

function view(file: number, at: number, bytes: number): DataView {
  const buffer = Buffer.allocUnsafe(bytes);
  if (readSync(file, buffer, 0, bytes, at) !== bytes) throw new Error("the write-ahead log changed while it was read");
  return new DataView(buffer.buffer, buffer.byteOffset, bytes);
}

type Sum = readonly [number, number];

/** SQLite's checksum of 32-bit words, two at a time, in the byte order that the log's magic number tells. */
function checksum([first, second]: Sum, data: DataView, from: number, to: number, big_endian: boolean): Sum {
  let a = first;
  let b = second;
  for (let at = from; at < to; at += 8) {
    a = (a + data.getUint32(at, !big_endian) + b) >>> 0;
    b = (b + data.getUint32(at + 4, !big_endian) + a) >>> 0;
  }
  return [a, b];
}

function sumsAt(data: DataView, at: number, [first, second]: Sum): boolean {
  return data.getUint32(at) === first && data.getUint32(at + 4) === second;
}
