// Work that one server at a time may do: it holds a row for a while.
import { sql as template } from "drizzle-orm";
import { leases } from "../../db/schema/service.ts";
import { engine } from "../core/config.ts";
import type { Db, Tx, WriteStatements } from "./database.ts";
import type { Registry } from "./postgres/server_registry.ts";
import { prepared, type StatementArgs } from "./statements.ts";

const take = prepared(
  (sql: WriteStatements, a: StatementArgs<{ name: string; owner: string; until: number; now: number }>) =>
    sql
      .insert(leases)
      .values({ name: a.name, owner: a.owner, until: a.until })
      .onConflictDoUpdate({
        target: leases.name,
        set: { owner: a.owner, until: a.until },
        // One that ends later than it could if it were taken now is from before the clock was set back.
        setWhere: template`${leases.owner} = ${a.owner} or ${leases.until} <= ${a.now} or ${leases.until} > ${a.until}`,
      })
      .returning({ name: leases.name }),
);

const moveRows = prepared((sql: WriteStatements, a: StatementArgs<{ by_ms: number }>) =>
  sql.update(leases).set({ until: template`${leases.until} + ${a.by_ms}` }),
);

/** Moves the ends of all leases, by as much as the clock was set. */
export async function moveLeases(tx: Tx, by_ms: number): Promise<void> {
  await moveRows(tx, { by_ms });
}

const takeRow = prepared((sql: WriteStatements, a: StatementArgs<{ name: string; now: number }>) =>
  sql
    .insert(leases)
    .values({ name: a.name, owner: "turn", until: a.now })
    .onConflictDoUpdate({ target: leases.name, set: { owner: "turn", until: a.now } }),
);

/**
 * Takes or prolongs the lease of this name for `ms` milliseconds and says whether `owner` has it now. Someone else's is
 * taken when its time is over. `ms` is the same for all who ask, and must be much longer than their clocks differ.
 */
export async function lead(tx: Tx, name: string, owner: string, ms: number): Promise<boolean> {
  const held = await take(tx, { name, owner, until: tx.now + ms, now: tx.now });
  return held.length === 1;
}

/**
 * Waits until nobody else's transaction is at what this name stands for, and keeps others from it until this one ends.
 * What is read afterwards holds all that they have stored, also rows that no lock on a row could have shown. No clock
 * decides about it.
 */
export async function takeTurn(tx: Tx, name: string): Promise<void> {
  await takeRow(tx, { name, now: tx.now });
}

const proofs_max = 64;

/**
 * Writes a row that no other server writes, for a store to show that it accepts writes: one server's transaction that
 * is stuck is no other server's trouble.
 */
export async function proveWrite(tx: Tx, name: string, server: Pick<Registry, "id"> | null): Promise<void> {
  await takeTurn(tx, server === null ? name : `${name} ${server.id % proofs_max}`);
}

// Who is storing rows of a table at this moment.

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
 * The transactions that have changed or added rows of a table and have not ended. PostgreSQL gives a row its id when it
 * is added, and shows it once its transaction has ended: when all have ended who were at work after an id was seen,
 * every row below that id is there, or never will be. On SQLite one transaction ends before the next begins, so there
 * are none. Each comes with the id of the process that it is of, or null when it was prepared to be committed later.
 */
export async function openWriters(db: Db, table: "movements"): Promise<ReadonlyMap<string, number | null>> {
  if (engine !== "postgres") return new Map();
  return new Map((await writers(db, { name: table })).map(({ name, pid }) => [name, pid]));
}

/** Whether the database answers; it reads nothing. Refuses: storage_unavailable. */
export async function ping(db: Db): Promise<boolean> {
  const rows = await db.sql.select({ one: template`1` }).from(template`(select 1) as one`);
  return rows.length === 1;
}
