// Opens an end of a move by what names it: the address of a PostgreSQL database, or a data directory.
import { resolve } from "node:path";
import { databaseUrlProblem, WrongUse } from "../../config.ts";
import { placeOfDatabase } from "../postgres.ts";
import type { End, Purpose } from "./end.ts";

/** Whether a place is a PostgreSQL database. Refuses an address that cannot be read, as `--from` or `--to`. */
export function isDatabase(place: string, flag: "--from" | "--to"): boolean {
  if (!/^\w+:\/\//.test(place)) return false;
  const problem = databaseUrlProblem(place);
  if (problem !== null) throw new WrongUse(problem.replaceAll("--database-url", flag));
  return true;
}

/** Opens an end for itself alone. Refuses one that is in use, damaged, of another version, or absent as a source. */
export async function openEnd(place: string, flag: "--from" | "--to", purpose: Purpose): Promise<End> {
  if (isDatabase(place, flag)) {
    const { openPostgresEnd } = await import("./postgres_end.ts");
    return openPostgresEnd(place, purpose);
  }
  const { openSqliteEnd } = await import("./sqlite_end.ts");
  return openSqliteEnd(place, purpose);
}

/** A place for people and for comparing: a folder in full, or a database without user and password. */
export function placeOf(place: string, flag: "--from" | "--to"): string {
  return isDatabase(place, flag) ? placeOfDatabase(place) : resolve(place);
}
