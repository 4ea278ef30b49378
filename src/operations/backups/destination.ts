// Destinations of backups, and which backups are kept there.

import type { BackupRetention } from "../../core/operator_settings.ts";
import type { LoggedErasure } from "../../storage/erasures.ts";
import { momentOfName } from "./archive.ts";

/** A backup that is being written, under a temporary name. */
export interface BackupDraft {
  /** Its location; final after `keep`. */
  readonly place: string;
  write(bytes: Uint8Array): Promise<void>;
  /** Gives it its final name, once it is safely stored. */
  keep(): Promise<void>;
  /** Removes everything that was written. Does nothing after `keep`. */
  drop(): Promise<void>;
}

/** A finished backup. */
interface StoredBackup {
  readonly name: string;
  readonly size_bytes: number;
}

export interface Destination {
  /** The location as the operator wrote it, without secrets. */
  readonly place: string;
  /** Starts a backup named after `at` (ms). Removes drafts that killed runs left. */
  begin(at: number): Promise<BackupDraft>;
  /** Lists the finished backups by name, oldest first. */
  list(): Promise<StoredBackup[]>;
  /** Adds erasures to the list stored with the backups, so that a restore repeats them. */
  keepErasures(erasures: readonly LoggedErasure[]): Promise<void>;
  /** Removes a finished backup. */
  remove(name: string): Promise<void>;
}

/** The lengths of the prefixes of an ISO timestamp (UTC) that identify an hour, a day and a month. */
const periods: readonly (readonly [of: keyof BackupRetention, characters: number])[] = [
  ["hours", 13],
  ["days", 10],
  ["months", 7],
];

/**
 * Returns the names of the backups to delete. `keep` states for how many hours, days and months the last backup is
 * kept, counting only those that have a backup. The newest backup and those of the `needed` times (ms) are always kept.
 * Names that are not backups are ignored.
 */
export function namesToRemove(
  names: readonly string[],
  keep: BackupRetention,
  needed: ReadonlySet<number> = new Set(),
): string[] {
  const dated = names.flatMap((name) => {
    const at = momentOfName(name);
    return at === null ? [] : [{ name, moment: new Date(at).toISOString(), is_needed: needed.has(at) }];
  });
  const newest_first = dated.sort((one, other) => (one.moment < other.moment ? 1 : -1));
  const kept = new Set(newest_first.filter(({ is_needed }, at) => at === 0 || is_needed).map(({ name }) => name));
  for (const [of, characters] of periods) {
    const seen = new Set<string>();
    for (const { name, moment } of newest_first) {
      const period = moment.slice(0, characters);
      if (seen.has(period)) continue;
      if (seen.size === keep[of]) break;
      seen.add(period);
      kept.add(name);
    }
  }
  return newest_first.map(({ name }) => name).filter((name) => !kept.has(name));
}
