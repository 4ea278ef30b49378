// The times that archived segments can restore, and the backups they start from.
import { dirname } from "node:path";
import type { Environment } from "../../core/environment.ts";
import type { ArchiveDestination } from "./archive_destination.ts";
import { readName, readSegment, type SegmentName } from "./segment.ts";

/** Consecutive segments without a gap. Any time within them can be restored from an earlier backup. */
interface ArchivedRange {
  readonly mode: Environment;
  readonly chain: string;
  /** The time (ms) of the commit before the first segment. */
  readonly after_at: number;
  /** The time (ms) of the latest commit. */
  readonly most_at: number;
  readonly segments: number;
}

/**
 * Lists the archived ranges at a destination. Reads the first segment of each range, and ignores it if it is damaged
 * or was just removed.
 */
export async function archivedRanges(place: ArchiveDestination): Promise<ArchivedRange[]> {
  const names = (await place.list("")).flatMap((name) => readName(name) ?? []);
  const ranges: SegmentName[][] = [];
  for (const name of names.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const last = ranges.at(-1)?.at(-1);
    const follows = last?.mode === name.mode && last.chain === name.chain && last.index + 1 === name.index;
    if (follows) ranges.at(-1)?.push(name);
    else ranges.push([name]);
  }
  const found: ArchivedRange[] = [];
  for (const names of ranges) {
    for (const [at, { name, mode, chain }] of names.entries()) {
      const after_at = await beginningOf(place, name);
      if (after_at === null) continue;
      const most_at = names.reduce((latest, one) => Math.max(latest, one.most_at), 0);
      found.push({ mode, chain, after_at, most_at, segments: names.length - at });
      break;
    }
  }
  return found;
}

/** Returns the time (ms) of the commit before a segment; null if the segment is damaged or gone. */
async function beginningOf(place: ArchiveDestination, name: string): Promise<number | null> {
  try {
    return readSegment(await place.read(name))?.head.after.at ?? null;
  } catch (error) {
    // A server removes segments that are no longer needed.
    if (!(await place.list(dirname(name))).includes(name)) return null;
    throw error;
  }
}

/** Returns the times (ms) of the backups that the archived ranges need as their base. */
export function neededBackups(ranges: readonly ArchivedRange[], backups: readonly number[]): Set<number> {
  return new Set(ranges.flatMap((range) => firstBackup(range, backups) ?? []));
}

/** Backup names have a resolution of one second. */
const name_ms = 1000;

/** Finds the first of the backups, by time (ms), that a range continues; null if there is none. */
export function firstBackup({ after_at, most_at }: ArchivedRange, backups: readonly number[]): number | null {
  const usable = backups.filter((at) => at + name_ms > after_at && at <= most_at);
  return usable.length === 0 ? null : Math.min(...usable);
}
