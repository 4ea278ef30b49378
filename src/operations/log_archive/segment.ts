// A segment: the frames of some commits that follow each other, packed and sealed by a checksum, as they are shipped.
import { createHash } from "node:crypto";
import type { Environment } from "../../core/environment.ts";
import type { LogPosition } from "../../storage/sqlite/log_frames.ts";

/** How far a chain of segments has come. The head of each segment tells it of the moment behind the segment. */
export interface ChainEnd {
  /** The chain's name, which sorts by the moment it was begun. */
  readonly chain: string;
  /** The number of the last segment, from 0; -1 while there is none. */
  readonly index: number;
  /** The checksum of that segment, which the next one names; null while there is none. */
  readonly digest: string | null;
  /** The last commit that the chain holds, or that it begins behind, and its moment (ms). */
  readonly number: number;
  readonly at: number;
  /** Where the row that counts the commits lies, and SQLite's count of the changes of the schema. */
  readonly sequence_page: number;
  readonly schema_version: number;
  readonly position: LogPosition;
}

/** What a segment says of itself. */
interface SegmentHead extends Omit<ChainEnd, "digest"> {
  readonly format: 1;
  readonly world: Environment;
  /** The checksum of the segment before it; null for the first of a chain. */
  readonly previous: string | null;
  /** The commit that it begins behind, and its moment (ms). */
  readonly after: { readonly number: number; readonly at: number };
  /** The earliest and the latest moment of its commits (ms). */
  readonly least_at: number;
  readonly most_at: number;
  readonly page_bytes: number;
  readonly packed_bytes: number;
}

export interface Segment {
  readonly head: SegmentHead;
  /** The segment's own checksum, in hex. */
  readonly digest: string;
  /** The frames, still packed. */
  readonly packed: Uint8Array;
}

const magic = "PHFRAMES";
const prefix_bytes = magic.length + 4;
const digest_bytes = 32;
/** A head is a few hundred bytes; a longer one is none. */
const head_max_bytes = 65_536;
/** As fast as it goes: a server that serves packs them. */
const level = 1;

/** Builds a segment, and its checksum in hex. */
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

/** Reads a segment and checks it; null when it is none, or not as it was written. */
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

/** The frames of a segment. */
export function unpackFrames({ packed }: Segment): Uint8Array {
  return Bun.zstdDecompressSync(packed);
}

/** Where a chain stands behind a segment. */
export function endOf({ head, digest }: Segment): ChainEnd {
  const { chain, index, number, at, sequence_page, schema_version, position } = head;
  return { chain, index, digest, number, at, sequence_page, schema_version, position };
}

/** What the name of a segment tells, so that a list of names is enough to find those that are needed. */
export interface SegmentName {
  readonly world: Environment;
  readonly chain: string;
  readonly index: number;
  /** The last commit that it holds. */
  readonly number: number;
  /** The earliest and the latest moment of its commits (ms). */
  readonly least_at: number;
  readonly most_at: number;
  /** The name as a whole, below the folder of all segments. */
  readonly name: string;
}

/** The name of a segment: names of one chain sort in the order of their segments. */
export function nameOf({ world, chain, index, number, least_at, most_at }: Omit<SegmentName, "name">): string {
  const [place, last, from, to] = [index, number, least_at, most_at].map((it) => String(it).padStart(10, "0"));
  return `${world}/${chain}/${place}-${last}-${from}-${to}.frames`;
}

const form = /^(live|test)\/(\d{8}T\d{9}Z-[0-9a-f]{8})\/(\d{10})-(\d{10,16})-(\d{10,16})-(\d{10,16})\.frames$/;

/** What the name of a segment tells; null when it is the name of something else. */
export function readName(name: string): SegmentName | null {
  const [, world, chain = "", index, number, least_at, most_at] = form.exec(name) ?? [];
  if (world === undefined) return null;
  return {
    ...{ world: world as Environment, chain, index: Number(index), number: Number(number) },
    ...{ least_at: Number(least_at), most_at: Number(most_at), name },
  };
}

/** A new name for a chain that begins now (ms), with random bytes. */
export function newChain(now: number, random: Uint8Array): string {
  const moment = new Date(now).toISOString().replace(/[-:.]/g, "");
  return `${moment}-${Buffer.from(random.subarray(0, 4)).toString("hex")}`;
}

/** When a chain was begun (ms), by its name. */
export function beginningOf(chain: string): number {
  const [, date = "", hour, minute, second, ms] = /^(\d{8})T(\d\d)(\d\d)(\d\d)(\d{3})Z/.exec(chain) ?? [];
  return Date.parse(`${date.replace(/(\d{4})(\d\d)/, "$1-$2-")}T${hour}:${minute}:${second}.${ms}Z`);
}

// Which segments are of no use any more.

/**
 * Before which moment (ms) no segment is needed, so that every moment of the last `keep_ms` can be restored: segments
 * lead on from a backup, so those behind the newest backup that is older than that are kept, or those behind the
 * oldest. Null when all are kept, since there is no backup.
 */
export function neededFrom(backups: readonly number[], now: number, keep_ms: number): number | null {
  if (backups.length === 0) return null;
  const older = backups.filter((at) => at <= now - keep_ms);
  return older.length > 0 ? Math.max(...older) : Math.min(...backups);
}

/** The segments of which all commits are older than a moment. */
export function outlived(names: readonly SegmentName[], needed_from: number): SegmentName[] {
  return names.filter(({ most_at }) => most_at < needed_from);
}
