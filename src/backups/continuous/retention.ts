// Which segments are of no use any more.
import type { SegmentName } from "./segment.ts";

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
