// Where backups are kept.

import type { BackupRetention } from "../../core/operator_settings.ts";
import type { LoggedErasure } from "../../storage/erasures.ts";
import { momentOfName } from "./archive.ts";

/** A backup that is being written: no name of a finished one leads to it. */
export interface BackupDraft {
  /** Where it will be found; final once it is kept. */
  readonly place: string;
  write(bytes: Uint8Array): Promise<void>;
  /** Gives it its name, once it is safely stored. */
  keep(): Promise<void>;
  /** Removes what was written. Nothing to do once it is kept. */
  drop(): Promise<void>;
}

/** A finished backup. */
interface StoredBackup {
  readonly name: string;
  readonly size_bytes: number;
}

export interface Destination {
  /** As the operator wrote it, and free of secrets. */
  readonly place: string;
  /** Begins a backup of this moment, in milliseconds. Removes what killed runs have left half-written. */
  begin(at: number): Promise<BackupDraft>;
  /** The finished backups, by their names the oldest first. */
  list(): Promise<StoredBackup[]>;
  /** Adds erasures of customers to those that are kept beside the backups, for a restore to do them again. */
  keepErasures(erasures: readonly LoggedErasure[]): Promise<void>;
  /** Removes a finished backup. */
  remove(name: string): Promise<void>;
}

// Which backups are kept: the last of each of so many hours, days and months.

/** The hour, day and month of a moment in UTC, as the beginning of its ISO form: `2026-11-24T17`. */
const stretches: readonly (readonly [of: keyof BackupRetention, characters: number])[] = [
  ["hours", 13],
  ["days", 10],
  ["months", 7],
];

/**
 * Of the backups by these names, those that are not kept any more. Of each of the last so many hours, days and months
 * in which there is a backup, the last one is kept; a backup may be kept for several of them. The newest always is,
 * and those of the moments (ms) that are `needed`. Names that are none of a backup are not among the answer.
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
  for (const [of, characters] of stretches) {
    const seen = new Set<string>();
    for (const { name, moment } of newest_first) {
      const stretch = moment.slice(0, characters);
      if (seen.has(stretch)) continue;
      if (seen.size === keep[of]) break;
      seen.add(stretch);
      kept.add(name);
    }
  }
  return newest_first.map(({ name }) => name).filter((name) => !kept.has(name));
}
