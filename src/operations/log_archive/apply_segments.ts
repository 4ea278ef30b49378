// Takes databases that were restored from a backup forward, to any moment for which frames were shipped.
import { join } from "node:path";
import { type Environment, environments } from "../../core/environment.ts";
import { type CommitRow, commitRowIn } from "../../storage/sqlite/commit_number.ts";
import { type FrameWriter, openFrameWriter, settle } from "../../storage/sqlite/frame_writer.ts";
import { endOfCommit, frame_head_bytes, framesOf } from "../../storage/sqlite/log_frames.ts";
import type { ArchiveDestination } from "./archive_destination.ts";
import { beginningOf, readName, readSegment, type Segment, type SegmentName, unpackFrames } from "./segment.ts";

/** How far a world was taken. */
interface AppliedTo extends CommitRow {
  /** How many commits were added to the backup, and from how many segments. */
  readonly commits: number;
  readonly segments: number;
  /** Whether frames of that moment and later are known; else nothing says what came after the commit, if anything. */
  readonly is_covered: boolean;
}

/** Frames that are missing or damaged. Up to the moment `good_at` (ms) the world can be restored all the same. */
export class ArchivedLogDamaged extends Error {
  readonly good_at: number;
  readonly world: Environment;

  constructor(world: Environment, good_at: number, problem: string) {
    const moment = new Date(good_at).toISOString();
    super(`${problem} The ${world} world can be restored up to ${moment}: say --to ${moment}.`);
    this.good_at = good_at;
    this.world = world;
  }
}

/** A backup cannot be taken back: one of an earlier moment is needed. */
export class TooEarly extends Error {
  constructor(world: Environment, { number, at }: CommitRow) {
    const moment = new Date(at).toISOString();
    super(
      `In the backup the ${world} world is of ${moment} (commit ${number}). Restore an earlier backup to that moment.`,
    );
  }
}

/**
 * Takes both databases of a folder, restored from a backup and used by nobody, forward to their last commits of a
 * moment (ms) or before, or as far as frames were shipped where it is null. Throws `ShippedDamaged` where a segment
 * that is needed is missing or is not as it was written, and `TooEarly` where the backup is of a later moment; then the
 * folder holds nothing that can be used.
 */
export async function applyArchived(
  place: ArchiveDestination,
  folder: string,
  moment: number | null,
): Promise<Readonly<Record<Environment, AppliedTo>>> {
  const reached: Partial<Record<Environment, AppliedTo>> = {};
  for (const world of environments) reached[world] = await applyTo(place, world, join(folder, `${world}.db`), moment);
  return reached as Record<Environment, AppliedTo>;
}

async function applyTo(
  place: ArchiveDestination,
  world: Environment,
  path: string,
  moment: number | null,
): Promise<AppliedTo> {
  const base = settle(path);
  if (moment !== null && moment < base.at) throw new TooEarly(world, base);
  const names = (await place.list(world)).flatMap((name) => readName(name) ?? []);
  const found = await chainBehind({ place, world, base, moment }, names);
  if (found === null) {
    return {
      number: base.number,
      at: base.at,
      commits: 0,
      segments: 0,
      is_covered: moment !== null && moment <= base.at,
    };
  }
  // What is before the last segment that begins by the moment is needed as a whole.
  const last = found.findLastIndex(({ number, least_at }, at) => {
    // One without a commit that is numbered says nothing of what was committed by a moment.
    const has_commits = number > (found[at - 1]?.number ?? -1);
    return moment === null || (has_commits && least_at <= moment);
  });
  const needed = found.slice(0, last + 1);
  const later = found.length > needed.length;
  const writer = openFrameWriter(path, base.page_bytes);
  try {
    await applyAll({ place, world, base, moment, writer }, needed, found[last + 1]);
  } catch (error) {
    writer.drop();
    throw error;
  }
  const { number, at } = writer.finish();
  const is_covered = moment !== null && (later || (found.at(-1)?.most_at ?? 0) >= moment);
  return { number, at, commits: number - base.number, segments: needed.length, is_covered };
}

/** What is to be reached from where. */
interface ReplayPath {
  readonly place: ArchiveDestination;
  readonly world: Environment;
  readonly base: CommitRow;
  readonly moment: number | null;
}

interface Applying extends ReplayPath {
  readonly writer: FrameWriter;
}

/** Applies segments that follow each other. `next` is the one behind them, which is there but not needed. */
async function applyAll(
  applying: Applying,
  needed: readonly SegmentName[],
  next: SegmentName | undefined,
): Promise<void> {
  const { place, world, base, moment, writer } = applying;
  let good: CommitRow = base;
  let before: Segment | null = null;
  // A commit of the same millisecond as the last good one may be in what is damaged.
  const refuse = (problem: string, { number, least_at }: Pick<SegmentName, "number" | "least_at">): never => {
    const is_apart = number === good.number || least_at > good.at;
    throw new ArchivedLogDamaged(world, is_apart ? good.at : least_at - 1, problem);
  };
  const missing = (index: number, chain: string): never => {
    const problem = `Segment ${index} of ${world}/${chain} is missing in ${place.place}.`;
    throw new ArchivedLogDamaged(world, good.at, problem);
  };
  for (const [at, name] of needed.entries()) {
    const expected: number = before === null ? name.index : before.head.index + 1;
    if (name.index !== expected) missing(expected, name.chain);
    const segment = await readWhole(place, name);
    if (segment === null) return refuse(`${name.name} in ${place.place} is damaged.`, name);
    const follows = before === null || segment.head.previous === before.digest;
    if (!follows) refuse(`${name.name} in ${place.place} does not follow the segment before it.`, name);
    const is_last = at === needed.length - 1;
    // A commit of this moment may be in a segment that is missing before the next.
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
  { name, world, chain, index }: SegmentName,
): Promise<Segment | null> {
  const segment = readSegment(await place.read(name));
  const { head } = segment ?? {};
  return head?.world === world && head.chain === chain && head.index === index ? segment : null;
}

/** The frames of a segment up to its last commit of a moment or before; all of them where it is null. */
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
 * The segments of the chain that holds a commit, from the first that has something behind it, by their numbers; null
 * when no chain holds it. A restored installation counts on from where it was restored to, so that two chains may have
 * a commit of the same number: it is told by its moment, and one that both have leads on in the chain of that time.
 */
async function chainBehind(way: ReplayPath, names: readonly SegmentName[]): Promise<SegmentName[] | null> {
  const { place, world, base, moment } = way;
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
      problem ??= `Segment ${name.index - 1} of ${world}/${chain} is missing in ${place.place}.`;
    }
  }
  if (problem !== null) throw new ArchivedLogDamaged(world, base.at, problem);
  return null;
}

/** Chains, the one first in whose time a moment is: those before it from the newest on, then those that began later. */
function chainsFor(names: readonly SegmentName[], moment: number | null): string[] {
  const chains = [...new Set(names.map(({ chain }) => chain))].sort().reverse();
  if (moment === null) return chains;
  const begun = chains.filter((chain) => beginningOf(chain) <= moment);
  return [...begun, ...chains.filter((chain) => !begun.includes(chain)).reverse()];
}

/** Whether a commit is in a segment, or the one that it begins behind. */
function holds(segment: Segment, { number, at }: CommitRow): boolean {
  const { after, page_bytes, sequence_page } = segment.head;
  if (after.number >= number) return after.number === number && after.at === at;
  for (const { page, content } of framesOf(unpackFrames(segment), page_bytes)) {
    const row = page === sequence_page ? commitRowIn(content) : null;
    if (row?.number === number) return row.at === at;
  }
  return false;
}
