// How far the numbers of a data directory have advanced, and which rows were stored since.
import type { Database } from "bun:sqlite";
import type { ReachedNumbers } from "./upgrade.ts";

/** The number of rows of one table that were stored since then. */
interface StoredSince {
  readonly table: string;
  readonly rows: number;
}

/** The rows that were stored in an environment since then. */
export interface WrittenSince {
  /** The number of commits; null on PostgreSQL, which does not count them. */
  readonly commits: number | null;
  /** The stored records, the most important first. */
  readonly records: readonly StoredSince[];
}

/** Tables that an idle service writes to: the request log, the built-in postal codes, and the list of servers. */
const upkeep = /^(request_blocks|held_claims|servers|postal_\w+)$/;
const first = ["orders", "events", "movements", "shipments", "labels", "returns", "customers", "products"];

/** Sorts the most important records first, and drops those that an idle service writes. */
export function byImportance(records: readonly StoredSince[]): StoredSince[] {
  const place = ({ table }: StoredSince) => (first.includes(table) ? first.indexOf(table) : first.length);
  return records
    .filter(({ table, rows }) => rows > 0 && !upkeep.test(table))
    .sort((a, b) => place(a) - place(b) || (a.table < b.table ? -1 : 1));
}

/** Reads the numbers that a SQLite database has reached. */
export function reachedOnSqlite(raw: Database): ReachedNumbers {
  const rows = raw.query<{ name: string; seq: number }, []>("select name, seq from sqlite_sequence").all();
  return { commits: commitsOf(raw), last_ids: Object.fromEntries(rows.map(({ name, seq }) => [name, seq])) };
}

/** Counts the rows stored in a SQLite database since it had reached `since`. */
export function writtenOnSqlite(raw: Database, since: ReachedNumbers): WrittenSince {
  const now = reachedOnSqlite(raw);
  const records = Object.keys(now.last_ids).map((table) => {
    const query = raw.query<{ rows: number }, [number]>(`select count(*) as rows from "${table}" where rowid > ?`);
    return { table, rows: query.get(since.last_ids[table] ?? 0)?.rows ?? 0 };
  });
  return { commits: (now.commits ?? 0) - (since.commits ?? 0), records: byImportance(records) };
}

function commitsOf(raw: Database): number {
  return Number(raw.query("select number from commit_sequence").values()[0]?.[0] ?? 0);
}

/** Whether anything was stored that a rollback would lose. */
export const isWritten = (all: readonly WrittenSince[]): boolean => all.some(({ records }) => records.length > 0);

/** Describes the stored records: `12 orders, 60 events, 48 movements`. */
export function describeWritten({ commits, records }: WrittenSince): string {
  const rows = records.map(({ table, rows }) => `${rows} ${table.replaceAll("_", " ")}`);
  const count = commits === null ? [] : [`${commits} ${commits === 1 ? "commit" : "commits"}`];
  return [...count, ...rows].join(", ") || "nothing";
}
