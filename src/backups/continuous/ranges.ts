// To which moments what was shipped leads, and from which backups.
import type { Mode } from "../../kit/mode.ts";
import type { ShippedPlace } from "./place.ts";
import { readName, readSegment, type SegmentName } from "./segment.ts";

/** Segments that follow each other without a gap: every moment of theirs can be restored from a backup before it. */
interface ShippedRange {
  readonly world: Mode;
  readonly chain: string;
  /** The moment (ms) of the commit that the first one begins behind. */
  readonly after_at: number;
  /** The latest moment (ms) of the commits in them. */
  readonly most_at: number;
  readonly segments: number;
}

/** What was shipped to a place. Of each range the first segment is read; one that is damaged leads on from nothing. */
export async function shippedRanges(place: ShippedPlace): Promise<ShippedRange[]> {
  const names = (await place.list("")).flatMap((name) => readName(name) ?? []);
  const ranges: SegmentName[][] = [];
  for (const name of names.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const last = ranges.at(-1)?.at(-1);
    const follows = last?.world === name.world && last.chain === name.chain && last.index + 1 === name.index;
    if (follows) ranges.at(-1)?.push(name);
    else ranges.push([name]);
  }
  const found: ShippedRange[] = [];
  for (const names of ranges) {
    const [first] = names;
    const head = first === undefined ? undefined : readSegment(await place.read(first.name))?.head;
    if (first === undefined || head === undefined) continue;
    const { world, chain } = first;
    const most_at = names.reduce((latest, name) => Math.max(latest, name.most_at), 0);
    found.push({ world, chain, after_at: head.after.at, most_at, segments: names.length });
  }
  return found;
}

/** The moments (ms) of the backups without which what was shipped would lead on from a later moment, or from none. */
export function neededBackups(ranges: readonly ShippedRange[], backups: readonly number[]): Set<number> {
  return new Set(ranges.flatMap((range) => firstBackup(range, backups) ?? []));
}

/** A name tells the second in which a backup was begun. */
const name_ms = 1000;

/** Of backups, by their moments (ms), the first from which a range leads on; null where there is none. */
export function firstBackup({ after_at, most_at }: ShippedRange, backups: readonly number[]): number | null {
  const usable = backups.filter((at) => at + name_ms > after_at && at <= most_at);
  return usable.length === 0 ? null : Math.min(...usable);
}
