// A segment: the compressed frames of consecutive commits with a checksum, as they are archived.
import { createHash } from "node:crypto";
import type { Environment } from "../../core/environment.ts";
import type { LogPosition } from "../../storage/sqlite/log_frames.ts";

/** The end of a chain of segments. The head of each segment records the end after it. */
export interface ChainEnd {
  /** The chain's name. Names sort by the time the chain began. */
  readonly chain: string;
  /** The index of the last segment, from 0; -1 if there is none. */
  readonly index: number;
  /** The checksum of that segment, which the next one repeats; null if there is none. */
  readonly digest: string | null;
  /** The last commit of the chain, or the one before its start, and its time (ms). */
  readonly number: number;
  readonly at: number;
  /** The page of the row that counts the commits, and SQLite's schema version. */
  readonly sequence_page: number;
  readonly schema_version: number;
  readonly position: LogPosition;
}

/** The head of a segment. */
interface SegmentHead extends Omit<ChainEnd, "digest"> {
  readonly format: 1;
  readonly mode: Environment;
  /** The checksum of the previous segment; null for the first of a chain. */
  readonly previous: string | null;
  /** The commit before its first one, and its time (ms). */
  readonly after: { readonly number: number; readonly at: number };
  /** The times (ms) of its earliest and latest commit. */
  readonly least_at: number;
  readonly most_at: number;
  readonly page_bytes: number;
  readonly packed_bytes: number;
}

export interface Segment {
  readonly head: SegmentHead;
  /** The segment's checksum as hex. */
  readonly digest: string;
  /** The compressed frames. */
  readonly packed: Uint8Array;
}

const magic = "PHFRAMES";
const prefix_bytes = magic.length + 4;
const digest_bytes = 32;
/** A head has a few hundred bytes. Anything longer is invalid. */
const head_max_bytes = 65_536;
/** The fastest level, because a serving process compresses them. */
const level = 1;

/** Builds a segment. Returns its bytes and its checksum as hex. */
export function makeSegment(
  facts: Omit<SegmentHead, "format" | "packed_bytes">,
  frames: Uint8Array,
): { readonly bytes: Uint8Array; readonly digest: string } {
  const packed = Bun.zstdCompressSync(frames, { level });
  const head: SegmentHead = { format: 1, ...facts, packed_bytes: packed.length };
  const text = Buffer.from(JSON.stringify(head));
  const bytes = Buffer.alloc(prefix_bytes + text.length + packed.length + digest_bytes);
  bytes.write(magic, "latin1");
  bytes.writeUInt32BE(text.length, magic.length);
  text.copy(bytes, prefix_bytes);
  bytes.set(packed, prefix_bytes + text.length);
  const end = bytes.length - digest_bytes;
  const digest = createHash("sha256").update(bytes.subarray(0, end)).digest();
  digest.copy(bytes, end);
  return { bytes, digest: digest.toString("hex") };
}

/** Reads and checks a segment. Returns null if it is invalid or damaged. */
export function readSegment(bytes: Uint8Array): Segment | null {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (all.length < prefix_bytes + digest_bytes || all.toString("latin1", 0, magic.length) !== magic) return null;
  const end = all.length - digest_bytes;
  const digest = createHash("sha256").update(all.subarray(0, end)).digest();
  const head_end = prefix_bytes + all.readUInt32BE(magic.length);
  if (!digest.equals(all.subarray(end)) || head_end > Math.min(end, prefix_bytes + head_max_bytes)) return null;
  const head = JSON.parse(all.toString("utf8", prefix_bytes, head_end)) as SegmentHead;
  if (head.format !== 1 || head.packed_bytes !== end - head_end) return null;
  return { head, digest: digest.toString("hex"), packed: all.subarray(head_end, end) };
}

/** Decompresses the frames of a segment. */
export function unpackFrames({ packed }: Segment): Uint8Array {
  return Bun.zstdDecompressSync(packed);
}

/** Returns the end of a chain after a segment. */
export function endOf({ head, digest }: Segment): ChainEnd {
  const { chain, index, number, at, sequence_page, schema_version, position } = head;
  return { chain, index, digest, number, at, sequence_page, schema_version, position };
}

/** The parts of a segment's name. A list of names is enough to find the segments that are needed. */
export interface SegmentName {
  readonly mode: Environment;
  readonly chain: string;
  readonly index: number;
  /** The number of its last commit. */
  readonly number: number;
  /** The times (ms) of its earliest and latest commit. */
  readonly least_at: number;
  readonly most_at: number;
  /** The complete name, relative to the folder of all segments. */
  readonly name: string;
}

/** Builds the name of a segment. Names of one chain sort in the order of their segments. */
export function nameOf({ mode, chain, index, number, least_at, most_at }: Omit<SegmentName, "name">): string {
  const [place, last, from, to] = [index, number, least_at, most_at].map((it) => String(it).padStart(10, "0"));
  return `${mode}/${chain}/${place}-${last}-${from}-${to}.frames`;
}

const form = /^(live|test)\/(\d{8}T\d{9}Z-[0-9a-f]{8})\/(\d{10})-(\d{10,16})-(\d{10,16})-(\d{10,16})\.frames$/;

/** Parses the name of a segment. Returns null for other names. */
export function readName(name: string): SegmentName | null {
  const [, mode, chain = "", index, number, least_at, most_at] = form.exec(name) ?? [];
  if (mode === undefined) return null;
  return {
    mode: mode as Environment,
    chain,
    index: Number(index),
    number: Number(number),
    least_at: Number(least_at),
    most_at: Number(most_at),
    name,
  };
}

/** Builds a name for a chain that starts at `now` (ms), with random bytes. */
export function newChain(now: number, random: Uint8Array): string {
  const moment = new Date(now).toISOString().replace(/[-:.]/g, "");
  return `${moment}-${Buffer.from(random.subarray(0, 4)).toString("hex")}`;
}

/** Returns when (ms) a chain began, by its name. */
export function beginningOf(chain: string): number {
  const [, date = "", hour, minute, second, ms] = /^(\d{8})T(\d\d)(\d\d)(\d\d)(\d{3})Z/.exec(chain) ?? [];
  return Date.parse(`${date.replace(/(\d{4})(\d\d)/, "$1-$2-")}T${hour}:${minute}:${second}.${ms}Z`);
}

/**
 * Returns the time (ms) before which no segment is needed to restore any time of the last `keep_ms`. Segments continue
 * a backup: those after the newest backup older than that are needed, or those after the oldest backup. Null if there
 * is no backup, so that all are needed.
 */
export function neededFrom(backups: readonly number[], now: number, keep_ms: number): number | null {
  if (backups.length === 0) return null;
  const older = backups.filter((at) => at <= now - keep_ms);
  return older.length > 0 ? Math.max(...older) : Math.min(...backups);
}

/** Returns the segments whose commits are all older than a time (ms). */
export function outlived(names: readonly SegmentName[], needed_from: number): SegmentName[] {
  return names.filter(({ most_at }) => most_at < needed_from);
}
