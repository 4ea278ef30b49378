// Which backups are kept: the last of each of so many hours, days and months.
import type { Keeping } from "../../kit/backup_plan.ts";
import { momentOfName } from "../archive/names.ts";

/** The hour, day and month of a moment in UTC, as the beginning of its ISO form: `2026-11-24T17`. */
const stretches: readonly (readonly [of: keyof Keeping, characters: number])[] = [
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
  keep: Keeping,
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
