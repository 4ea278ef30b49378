// To which moments what was shipped leads, and from which backups.
import { dirname } from "node:path";
import type { Environment } from "../../core/environment.ts";
import type { ArchiveDestination } from "./archive_destination.ts";
import { readName, readSegment, type SegmentName } from "./segment.ts";

/** Segments that follow each other without a gap: every moment of theirs can be restored from a backup before it. */
interface ArchivedRange {
  readonly world: Environment;
  readonly chain: string;
  /** The moment (ms) of the commit that the first one begins behind. */
  readonly after_at: number;
  /** The latest moment (ms) of the commits in them. */
  readonly most_at: number;
  readonly segments: number;
}

/**
 * What was shipped to a place. Of each range the first segment is read: one that is damaged, or was removed meanwhile,
 * is none of it.
 */
export async function archivedRanges(place: ArchiveDestination): Promise<ArchivedRange[]> {
  const names = (await place.list("")).flatMap((name) => readName(name) ?? []);
  const ranges: SegmentName[][] = [];
  for (const name of names.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const last = ranges.at(-1)?.at(-1);
    const follows = last?.world === name.world && last.chain === name.chain && last.index + 1 === name.index;
    if (follows) ranges.at(-1)?.push(name);
    else ranges.push([name]);
  }
  const found: ArchivedRange[] = [];
  for (const names of ranges) {
    for (const [at, { name, world, chain }] of names.entries()) {
      const after_at = await beginningOf(place, name);
      if (after_at === null) continue;
      const most_at = names.reduce((latest, one) => Math.max(latest, one.most_at), 0);
      found.push({ world, chain, after_at, most_at, segments: names.length - at });
      break;
    }
  }
  return found;
}

/** The moment (ms) of the commit that a segment begins behind; null when it is damaged, or is there no more. */
async function beginningOf(place: ArchiveDestination, name: string): Promise<number | null> {
  try {
    return readSegment(await place.read(name))?.head.after.at ?? null;
  } catch (error) {
    // The server removes what is not needed any more.
    if (!(await place.list(dirname(name))).includes(name)) return null;
    throw error;
  }
}

/** The moments (ms) of the backups without which what was shipped would lead on from a later moment, or from none. */
export function neededBackups(ranges: readonly ArchivedRange[], backups: readonly number[]): Set<number> {
  return new Set(ranges.flatMap((range) => firstBackup(range, backups) ?? []));
}

/** A name tells the second in which a backup was begun. */
const name_ms = 1000;

/** Of backups, by their moments (ms), the first from which a range leads on; null where there is none. */
export function firstBackup({ after_at, most_at }: ArchivedRange, backups: readonly number[]): number | null {
  const usable = backups.filter((at) => at + name_ms > after_at && at <= most_at);
  return usable.length === 0 ? null : Math.min(...usable);
}
