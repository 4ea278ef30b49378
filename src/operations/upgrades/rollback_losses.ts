// How far the worlds of a data directory have come, and what was stored since.
import type { Database } from "bun:sqlite";
import type { ReachedNumbers } from "./upgrade.ts";

/** Rows of one table that were stored since some moment. */
interface StoredSince {
  readonly table: string;
  readonly rows: number;
}

/** What was stored in a world since some moment. */
export interface WrittenSince {
  /** How many commits there were; null where none are counted. */
  readonly commits: number | null;
  /** The records that were stored, those that matter most first. */
  readonly records: readonly StoredSince[];
}

/**
 * What a service stores by itself, also when nobody asks it for anything: its log of requests, the postal codes that
 * the program carries, its place among the servers.
 */
const upkeep = /^(request_blocks|held_claims|servers|postal_\w+)$/;
const first = ["orders", "events", "movements", "shipments", "labels", "returns", "customers", "products"];

/** Puts the records that a person looks for first; what is upkeep alone is left out. */
export function sorted(records: readonly StoredSince[]): StoredSince[] {
  const place = ({ table }: StoredSince) => (first.includes(table) ? first.indexOf(table) : first.length);
  return records
    .filter(({ table, rows }) => rows > 0 && !upkeep.test(table))
    .sort((a, b) => place(a) - place(b) || (a.table < b.table ? -1 : 1));
}

/** How far a SQLite database has come. */
export function reachedOnSqlite(raw: Database): ReachedNumbers {
  const rows = raw.query<{ name: string; seq: number }, []>("select name, seq from sqlite_sequence").all();
  return { commits: commitsOf(raw), last_ids: Object.fromEntries(rows.map(({ name, seq }) => [name, seq])) };
}

/** What was stored in a SQLite database since it had come so far. */
export function writtenOnSqlite(raw: Database, since: ReachedNumbers): WrittenSince {
  const now = reachedOnSqlite(raw);
  const records = Object.keys(now.last_ids).map((table) => {
    const query = raw.query<{ rows: number }, [number]>(`select count(*) as rows from "${table}" where rowid > ?`);
    return { table, rows: query.get(since.last_ids[table] ?? 0)?.rows ?? 0 };
  });
  return { commits: (now.commits ?? 0) - (since.commits ?? 0), records: sorted(records) };
}

function commitsOf(raw: Database): number {
  return Number(raw.query("select number from commit_sequence").values()[0]?.[0] ?? 0);
}

/** Whether anything was stored that somebody would miss. */
export const isWritten = (all: readonly WrittenSince[]): boolean => all.some(({ records }) => records.length > 0);

/** What was stored, in words: `12 orders, 60 events, 48 movements`. */
export function toldOf({ commits, records }: WrittenSince): string {
  const rows = records.map(({ table, rows }) => `${rows} ${table.replaceAll("_", " ")}`);
  const count = commits === null ? [] : [`${commits} ${commits === 1 ? "commit" : "commits"}`];
  return [...count, ...rows].join(", ") || "nothing";
}
