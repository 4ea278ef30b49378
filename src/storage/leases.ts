// Leases: rows that a server holds for a while, for work that only one server at a time may do.
import { sql as template } from "drizzle-orm";
import { leases } from "../../db/schema/service.ts";
import { engine } from "../core/config.ts";
import type { Db, Tx, WriteStatements } from "./database.ts";
import type { Registry } from "./postgres/server_registry.ts";
import { shiftOf } from "./queue.ts";
import { prepared, type StatementArgs } from "./statements.ts";

const take = prepared(
  (sql: WriteStatements, a: StatementArgs<{ name: string; owner: string; until: number; now: number }>) =>
    sql
      .insert(leases)
      .values({ name: a.name, owner: a.owner, until: a.until })
      .onConflictDoUpdate({
        target: leases.name,
        set: { owner: a.owner, until: a.until },
        // A lease that ends later than a new one would dates from before the clock was set back.
        setWhere: template`${leases.owner} = ${a.owner} or ${leases.until} <= ${a.now} or ${leases.until} > ${a.until}`,
      })
      .returning({ name: leases.name }),
);

/** Moves the ends of all leases as far as the clock was moved. */
export const shiftLeases = shiftOf(leases, [leases.until]);

const takeRow = prepared((sql: WriteStatements, a: StatementArgs<{ name: string; now: number }>) =>
  sql
    .insert(leases)
    .values({ name: a.name, owner: "turn", until: a.now })
    .onConflictDoUpdate({ target: leases.name, set: { owner: "turn", until: a.now } }),
);

/**
 * Takes or extends the lease of this name for `ms` milliseconds. Returns whether `owner` holds it now. An expired lease
 * of another owner is taken over. `ms` must be the same for all callers, and much longer than the difference between
 * their clocks.
 */
export async function lead(tx: Tx, name: string, owner: string, ms: number): Promise<boolean> {
  const leases_held = await take(tx, { name, owner, until: tx.now + ms, now: tx.now });
  return leases_held.length === 1;
}

/**
 * Waits until no other transaction has taken this turn, and keeps others from it until this transaction ends.
 * Everything they have stored is visible afterwards, including rows that no row lock could reveal. Does not depend on
 * clocks.
 */
export async function takeTurn(tx: Tx, name: string): Promise<void> {
  await takeRow(tx, { name, now: tx.now });
}

const proofs_max = 64;

/**
 * Writes a row that no other server writes, to prove that the store accepts writes. Another server's stuck transaction
 * does not block it.
 */
export async function proveWrite(tx: Tx, name: string, server: Pick<Registry, "id"> | null): Promise<void> {
  await takeTurn(tx, server === null ? name : `${name} ${server.id % proofs_max}`);
}

const writers = prepared((sql, a: StatementArgs<{ name: string }>) =>
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
 * The open transactions that have changed rows of a table or added some. PostgreSQL assigns a row's id when it is
 * added, and shows the row once its transaction has ended. So when all transactions that were open after an id was seen
 * have ended, every row below that id is visible or will never exist. Empty on SQLite, where transactions do not
 * overlap. The value is the id of the backend process; null for a prepared transaction.
 */
export async function openWriters(db: Db, table: "movements"): Promise<ReadonlyMap<string, number | null>> {
  if (engine !== "postgres") return new Map();
  return new Map((await writers(db, { name: table })).map(({ name, pid }) => [name, pid]));
}

/** Checks that the database responds, without reading records. Refuses: storage_unavailable. */
export async function ping(db: Db): Promise<boolean> {
  const rows = await db.sql.select({ one: template`1` }).from(template`(select 1) as one`);
  return rows.length === 1;
}
