// Looks at the tables of a database, one at a time.
import { Database } from "bun:sqlite";

/**
 * How closely a table is looked at: `pages` reads each page and row, a second of a processor for 400 MB; `indexes` also
 * looks up each row in each index, which takes ten times as long.
 */
export type CheckDepth = "pages" | "indexes";

const checks: Readonly<Record<CheckDepth, string>> = { pages: "quick_check", indexes: "integrity_check" };

/** Looks at one database, in the thread that calls it. */
export interface WholeCheck {
  readonly tables: readonly string[];
  /** What is damaged in a table or its indexes; null when nothing is. */
  problemOf(table: string, depth: CheckDepth): string | null;
  close(): void;
}

/** Opens a database that is there, only to be read. */
export function openWholeCheck(path: string): WholeCheck {
  const raw = new Database(path, { readonly: true, strict: true });
  for (const pragma of ["busy_timeout=5000", "cell_size_check=on", "mmap_size=0", "cache_size=-16384"])
    raw.run(`pragma ${pragma}`);
  const column = (query: string) => {
    // A statement that is kept would keep the connection open.
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
