// Applies archived commits to databases that were restored from a backup, up to a point in time.
import { join } from "node:path";
import { type Environment, environments } from "../../core/environment.ts";
import { type CommitRow, commitRowIn } from "../../storage/sqlite/commit_number.ts";
import { type FrameWriter, openFrameWriter, settle } from "../../storage/sqlite/frame_writer.ts";
import { endOfCommit, frame_head_bytes, framesOf } from "../../storage/sqlite/log_frames.ts";
import type { ArchiveDestination } from "./archive_destination.ts";
import { beginningOf, readName, readSegment, type Segment, type SegmentName, unpackFrames } from "./segment.ts";

/** How far an environment's data was advanced. */
interface AppliedTo extends CommitRow {
  /** The number of commits applied, and of the segments they came from. */
  readonly commits: number;
  readonly segments: number;
  /** Whether the archive covers that time; otherwise there may have been later commits. */
  readonly is_covered: boolean;
}

/** Segments are missing or damaged. The data can be restored up to `good_at` (ms). */
export class ArchivedLogDamaged extends Error {
  readonly good_at: number;

  constructor(mode: Environment, good_at: number, problem: string) {
    const moment = new Date(good_at).toISOString();
    super(`${problem} The ${mode} data can be restored up to ${moment}: use --to ${moment}.`);
    this.good_at = good_at;
  }
}

/** The backup is newer than the requested time. */
export class TooEarly extends Error {
  constructor(mode: Environment, { number, at }: CommitRow) {
    const moment = new Date(at).toISOString();
    super(`The ${mode} data in the backup is from ${moment} (commit ${number}). Use an earlier backup.`);
  }
}

/**
 * Advances both restored databases of a private folder to their last commits at or before a time (ms), or to the end
 * of the archive if it is null. Throws `ArchivedLogDamaged` if a needed segment is missing or damaged, and `TooEarly`
 * if the backup is newer; the folder is unusable then.
 */
export async function applyArchived(
  place: ArchiveDestination,
  folder: string,
  moment: number | null,
): Promise<Readonly<Record<Environment, AppliedTo>>> {
  const reached: Partial<Record<Environment, AppliedTo>> = {};
  for (const mode of environments) reached[mode] = await applyTo(place, mode, join(folder, `${mode}.db`), moment);
  return reached as Record<Environment, AppliedTo>;
}

async function applyTo(
  place: ArchiveDestination,
  mode: Environment,
  path: string,
  moment: number | null,
): Promise<AppliedTo> {
  const base = settle(path);
  if (moment !== null && moment < base.at) throw new TooEarly(mode, base);
  const names = (await place.list(mode)).flatMap((name) => readName(name) ?? []);
  const found = await chainBehind({ place, mode, base, moment }, names);
  if (found === null) {
    return {
      number: base.number,
      at: base.at,
      commits: 0,
      segments: 0,
      is_covered: moment !== null && moment <= base.at,
    };
  }
  // All segments before the last one that starts by that time are needed completely.
  const last = found.findLastIndex(({ number, least_at }, at) => {
    // A segment without numbered commits does not show what was committed by then.
    const has_commits = number > (found[at - 1]?.number ?? -1);
    return moment === null || (has_commits && least_at <= moment);
  });
  const needed = found.slice(0, last + 1);
  const later = found.length > needed.length;
  const writer = openFrameWriter(path, base.page_bytes);
  try {
    await applyAll({ place, mode, base, moment, writer }, needed, found[last + 1]);
  } catch (error) {
    writer.drop();
    throw error;
  }
  const { number, at } = writer.finish();
  const is_covered = moment !== null && (later || (found.at(-1)?.most_at ?? 0) >= moment);
  return { number, at, commits: number - base.number, segments: needed.length, is_covered };
}

/** The start and the target of applying segments. */
interface ReplayPath {
  readonly place: ArchiveDestination;
  readonly mode: Environment;
  readonly base: CommitRow;
  readonly moment: number | null;
}

interface Applying extends ReplayPath {
  readonly writer: FrameWriter;
}

/** Applies consecutive segments. `next` is the following segment, which exists but is not needed. */
async function applyAll(
  applying: Applying,
  needed: readonly SegmentName[],
  next: SegmentName | undefined,
): Promise<void> {
  const { place, mode, base, moment, writer } = applying;
  let good: CommitRow = base;
  let before: Segment | null = null;
  // The damaged part may contain a commit of the same millisecond as the last good one.
  const refuse = (problem: string, { number, least_at }: Pick<SegmentName, "number" | "least_at">): never => {
    const is_apart = number === good.number || least_at > good.at;
    throw new ArchivedLogDamaged(mode, is_apart ? good.at : least_at - 1, problem);
  };
  const missing = (index: number, chain: string): never => {
    const problem = `Segment ${index} of ${mode}/${chain} is missing in ${place.place}.`;
    throw new ArchivedLogDamaged(mode, good.at, problem);
  };
  for (const [at, name] of needed.entries()) {
    const expected: number = before === null ? name.index : before.head.index + 1;
    if (name.index !== expected) missing(expected, name.chain);
    const segment = await readWhole(place, name);
    if (segment === null) return refuse(`${name.name} in ${place.place} is damaged.`, name);
    const follows = before === null || segment.head.previous === before.digest;
    if (!follows) refuse(`${name.name} in ${place.place} does not match the segment before it.`, name);
    const is_last = at === needed.length - 1;
    // A commit of this time may be in a missing segment before the next one.
    const is_gap = is_last && next !== undefined && next.index !== name.index + 1;
    const part = partOf(segment, is_last ? moment : null);
    if (is_gap && moment !== null && segment.head.at < moment) {
      good = segment.head;
      missing(name.index + 1, name.chain);
    }
    if (part.frames.length > 0) writer.write(part.frames, part.pages);
    good = segment.head;
    before = segment;
  }
}

async function readWhole(
  place: ArchiveDestination,
  { name, mode, chain, index }: SegmentName,
): Promise<Segment | null> {
  const segment = readSegment(await place.read(name));
  const { head } = segment ?? {};
  return head?.mode === mode && head.chain === chain && head.index === index ? segment : null;
}

/** Returns the frames of a segment up to its last commit at or before a time (ms); all of them if it is null. */
function partOf(segment: Segment, moment: number | null) {
  const { page_bytes, sequence_page } = segment.head;
  const frames = unpackFrames(segment);
  const frame_bytes = frame_head_bytes + page_bytes;
  let [end, pages, row]: [number, number, CommitRow | null] = [0, 0, null];
  let at = 0;
  for (const { page, content } of framesOf(frames, page_bytes)) {
    if (page === sequence_page) row = commitRowIn(content);
    const pages_after = endOfCommit(frames, at);
    at += frame_bytes;
    if (pages_after === 0) continue;
    if (moment === null || (row !== null && row.at <= moment)) [end, pages] = [at, pages_after];
    row = null;
  }
  return { frames: frames.subarray(0, end), pages };
}

/**
 * Returns the segments, in order, that follow a commit in its chain; null if no chain contains it. A restored
 * installation continues the numbering of commits, so two chains may have commits of the same number: the time
 * distinguishes them. If both contain the commit, the chain of the requested time is used.
 */
async function chainBehind(way: ReplayPath, names: readonly SegmentName[]): Promise<SegmentName[] | null> {
  const { place, mode, base, moment } = way;
  let problem: string | null = null;
  for (const chain of chainsFor(names, moment)) {
    const all = names.filter((name) => name.chain === chain).sort((one, other) => one.index - other.index);
    const first = all.findIndex(({ number }) => number >= base.number);
    const name = all[first];
    if (name === undefined) continue;
    const segment = await readWhole(place, name);
    if (segment === null) problem ??= `${name.name} in ${place.place} is damaged.`;
    else if (holds(segment, base)) return all.slice(first);
    else if (segment.head.after.number > base.number && name.index > 0) {
      problem ??= `Segment ${name.index - 1} of ${mode}/${chain} is missing in ${place.place}.`;
    }
  }
  if (problem !== null) throw new ArchivedLogDamaged(mode, base.at, problem);
  return null;
}

/** Sorts chains: those that began at or before a time (ms), newest first, then the later ones. */
function chainsFor(names: readonly SegmentName[], moment: number | null): string[] {
  const chains = [...new Set(names.map(({ chain }) => chain))].sort().reverse();
  if (moment === null) return chains;
  const begun = chains.filter((chain) => beginningOf(chain) <= moment);
  return [...begun, ...chains.filter((chain) => !begun.includes(chain)).reverse()];
}

/** Whether a segment contains a commit, or directly follows it. */
function holds(segment: Segment, { number, at }: CommitRow): boolean {
  const { after, page_bytes, sequence_page } = segment.head;
  if (after.number >= number) return after.number === number && after.at === at;
  for (const { page, content } of framesOf(unpackFrames(segment), page_bytes)) {
    const row = page === sequence_page ? commitRowIn(content) : null;
    if (row?.number === number) return row.at === at;
  }
  return false;
}
