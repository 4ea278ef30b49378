// Time zones for migrations of SQLite, which knows none: a migration lists zones and moments in its table `local_days`.
import type { Database } from "bun:sqlite";
import { localTime } from "../kit/zone.ts";

/** Whether a statement of a migration lists moments whose days it needs. */
export const asksForDays = (statement: string): boolean => statement.startsWith("INSERT INTO `local_days`");

/** The day of a moment (ms) in a zone, or in UTC where this machine does not know the zone, as on PostgreSQL. */
function dayIn(timezone: string, at: number): number {
  try {
    return localTime(at, timezone).day;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return localTime(at, "UTC").day;
  }
}

/** Fills in the day of each listed moment (ms) in its zone. */
export function fillLocalDays(raw: Database): void {
  const listed = raw.query<{ timezone: string; at: number }, []>("select timezone, at from local_days").all();
  const fill = raw.prepare("update local_days set day = ? where timezone = ? and at = ?");
  for (const { timezone, at } of listed) fill.run(dayIn(timezone, at), timezone, at);
  fill.finalize();
}
