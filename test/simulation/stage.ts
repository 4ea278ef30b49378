// Where histories are played: one store for all of them, reset each time to its furnished state. Opening a store and
// building its statements costs as much as fifty operations.
import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { sql } from "drizzle-orm";
import pg from "pg";
import { warehouses } from "../../db/schema/warehouses.ts";
import type { Clock } from "../../src/core/clock.ts";
import { databaseUrl, engine } from "../../src/core/config.ts";
import type { Store } from "../../src/storage/database.ts";
import { openTemporaryStore } from "../storage/temporary_database.ts";
import { attachAll, furnish, type Service } from "./service.ts";

/** The time at which every history begins. */
export const start = Date.parse("2026-03-01T00:00:00.000Z");

/** A clock that can be reset. */
interface StageClock extends Clock {
  setBack(): void;
}

interface Stage {
  /** The services of the merchants on a furnished store without any activity. */
  enter(): Promise<Service[]>;
  /** Call it when a history has ended. */
  leave(): Promise<void>;
  /** Call it when no other history will be played. */
  strike(): Promise<void>;
}

function stageClock(): StageClock {
  let now = start;
  return {
    now: () => now,
    get ahead_ms() {
      return now - start;
    },
    elapsed: () => 0,
    advance: (by_ms) => {
      now += by_ms;
    },
    setBack: () => {
      now = start;
    },
  };
}

async function furnished(clock: Clock): Promise<{ store: Store; services: Service[] }> {
  // Disks do not matter here, and a sync takes as long as a small request.
  const store = await openTemporaryStore({ mode: "live", clock, sync: async () => {} });
  await furnish(store);
  return { store, services: await attachAll(store, clock) };
}

/** The state of a store after it was furnished. */
interface Copy {
  /** Restores it in the store. */
  restore(): Promise<void> | void;
  drop(): Promise<void> | void;
}

/** A stage of the engine of this process. It lasts as long as the process. */
export function openStage(): Stage {
  const clock = stageClock();
  let props: { store: Store; services: Service[]; copy: Copy } | null = null;
  return {
    enter: async () => {
      if (props === null) {
        const { store, services } = await furnished(clock);
        props = { store, services, copy: await (engine === "postgres" ? copySchema : copyFile)(store) };
      }
      return props.services.map((service) => service.anew());
    },
    leave: async () => {
      await props?.copy.restore();
      // A store detects through a write that changes something that its file was replaced.
      await props?.store.write((tx) => tx.sql.update(warehouses).set({ name: sql`${warehouses.name}` }));
      clock.setBack();
    },
    strike: async () => {
      await props?.copy.drop();
      await props?.store.close();
    },
  };
}

async function copyFile(store: Store): Promise<Copy> {
  const [main] = await store.read((db) => db.sql.select({ file: sql<string>`file` }).from(sql`pragma_database_list`));
  const copy = `${main?.file}.furnished`;
  const raw = new Database(main?.file);
  // Billing records are permanent, but here they start from scratch with each history.
  const keeping = "select name from sqlite_master where type = 'trigger' and name like 'billable_events_kept%'";
  for (const { name } of raw.query<{ name: string }, []>(keeping).all()) raw.run(`drop trigger ${name}`);
  raw.run("vacuum into ?", [copy]);
  raw.run("attach ? as furnished", [copy]);
  rmSync(copy);
  raw.run("pragma foreign_keys=off");
  // Billing records are never deleted, except on the stage.
  const kept = "select name from sqlite_master where type = 'trigger' and name like '%\\_kept\\_%' escape '\\'";
  for (const { name } of raw.query<{ name: string }, []>(kept).all()) raw.run(`drop trigger "${name}"`);
  // Tables that inserts change come last: the assigned ids, and the counts that triggers maintain.
  const all =
    "select name from sqlite_master where type = 'table' order by name in ('sqlite_sequence', 'order_counts')";
  const tables = raw.query<{ name: string }, []>(all).all();
  const back = tables.flatMap(({ name }) => [
    raw.query(`delete from main."${name}"`),
    raw.query(`insert into main."${name}" select * from furnished."${name}"`),
  ]);
  const restore = raw.transaction(() => {
    for (const statement of back) statement.run();
  });
  return { restore, drop: () => {} };
}

async function copySchema(store: Store): Promise<Copy> {
  const current = sql<string>`current_schema()`.as("schema");
  const [used] = await store.read((db) => db.sql.select({ schema: current }).from(sql`(select 1) as one`));
  const schema = used?.schema ?? "";
  const client = new pg.Client({ connectionString: databaseUrl ?? "" });
  await client.connect();
  const namesOf = async (query: string) => (await client.query<{ name: string }>(query, [schema])).rows;
  const tables = await namesOf("select tablename as name from pg_tables where schemaname = $1");
  const sequences = await namesOf("select sequencename as name from pg_sequences where schemaname = $1");
  const back = tables.map(({ name }) => `delete from ${schema}.${name}`);
  await client.query(`create schema ${schema}_furnished`);
  for (const { name } of tables) {
    const copied = await client.query(`create table ${schema}_furnished.${name} as table ${schema}.${name}`);
    const rows = `select * from ${schema}_furnished.${name}`;
    if (copied.rowCount !== 0) back.push(`insert into ${schema}.${name} overriding system value ${rows}`);
  }
  for (const { name } of sequences) {
    const { rows } = await client.query(`select last_value, is_called from ${schema}.${name}`);
    back.push(`select setval('${schema}.${name}', ${rows[0]?.last_value}, ${rows[0]?.is_called})`);
  }
  // Foreign keys are not checked on this connection.
  await client.query("set session_replication_role = replica");
  return {
    restore: async () => {
      await client.query(`begin; ${back.join("; ")}; commit`);
    },
    drop: async () => {
      await client.query(`drop schema ${schema}_furnished cascade`);
      await client.end();
    },
  };
}
