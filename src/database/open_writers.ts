// Who is storing rows of a table at this moment.
import { sql as template } from "drizzle-orm";
import { engine } from "../config.ts";
import { type Args, prepared } from "./statements.ts";
import type { Db } from "./store.ts";

const writers = prepared((sql, a: Args<{ name: string }>) =>
  sql
    .select({ name: template<string>`virtualtransaction`, pid: template<number | null>`pid` })
    .from(template`pg_locks`)
    .where(
      template`locktype = 'relation' and mode = 'RowExclusiveLock' and granted
        and relation = cast(${a.name} as regclass)
        and database = (select oid from pg_database where datname = current_database())`,
    ),
);

/**
 * The transactions that have changed or added rows of a table and have not ended. PostgreSQL gives a row its id when it
 * is added, and shows it once its transaction has ended: when all have ended who were at work after an id was seen,
 * every row below that id is there, or never will be. On SQLite one transaction ends before the next begins, so there
 * are none. Each comes with the id of the process that it is of, or null when it was prepared to be committed later.
 */
export async function openWriters(db: Db, table: "movements"): Promise<ReadonlyMap<string, number | null>> {
  if (engine !== "postgres") return new Map();
  return new Map((await writers(db, { name: table })).map(({ name, pid }) => [name, pid]));
}
