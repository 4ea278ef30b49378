// Checks the tables of a database, one at a time. It stands alone, since a worker and the main thread use it.
import { Database } from "bun:sqlite";

/**
 * The depth of a check: `pages` reads all pages and rows (400 MB per second of CPU time); `indexes` also looks up each
 * row in each index, which takes ten times as long.
 */
export type CheckDepth = "pages" | "indexes";

const checks: Readonly<Record<CheckDepth, string>> = { pages: "quick_check", indexes: "integrity_check" };

/** Checks one database in the calling thread. */
export interface WholeCheck {
  readonly tables: readonly string[];
  /** The damage of a table or its indexes; null if there is none. */
  problemOf(table: string, depth: CheckDepth): string | null;
  close(): void;
}

/** Opens an existing database read-only. */
export function openWholeCheck(path: string): WholeCheck {
  const raw = new Database(path, { readonly: true, strict: true });
  for (const pragma of ["busy_timeout=5000", "cell_size_check=on", "mmap_size=0", "cache_size=-16384"])
    raw.run(`pragma ${pragma}`);
  const column = (query: string) => {
    // A cached statement would keep the connection open.
    const asked = raw.prepare(query);
    try {
      return asked.values().map(([value]) => String(value));
    } finally {
      asked.finalize();
    }
  };
  return {
    tables: column("select name from sqlite_schema where type = 'table' and rootpage > 0 order by name"),
    problemOf: (table, depth) => {
      const [found] = column(`pragma ${checks[depth]}('${table.replaceAll("'", "''")}')`);
      return found === "ok" ? null : `${table}: ${found?.replace(/^\*.*\n/, "")}`;
    },
    close: () => raw.close(),
  };
}
