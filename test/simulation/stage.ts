// Where histories are played. On SQLite it is one store for all of them, set back each time to how it was furnished:
// opening one, and building its statements, costs as much as fifty operations. On PostgreSQL each has a new one.
import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { sql } from "drizzle-orm";
import { engine } from "../../src/config.ts";
import type { Store } from "../../src/database/store.ts";
import type { Clock } from "../../src/kit/clock.ts";
import { openTemporaryStore } from "../database/temporary.ts";
import { attach, furnish, type Service } from "./service.ts";

/** Where every history begins. */
export const start = Date.parse("2026-03-01T00:00:00.000Z");

/** A clock that can be set back. */
interface StageClock extends Clock {
  setBack(): void;
}

interface Stage {
  /** A service on a furnished store in which nothing has happened yet. */
  enter(): Promise<Service>;
  /** To be called when a history has ended. */
  leave(service: Service): Promise<void>;
  /** To be called when no other will be played. */
  strike(): Promise<void>;
}

function stageClock(): StageClock {
  let now = start;
  return {
    now: () => now,
    ahead_ms: 0,
    advance: (by_ms) => {
      now += by_ms;
    },
    setBack: () => {
      now = start;
    },
  };
}

async function furnished(clock: Clock): Promise<Service> {
  const store = await openTemporaryStore({ mode: "live", clock });
  await furnish(store);
  return attach(store, clock);
}

/** A stage of the engine of this process; it lasts as long as the process. */
export function openStage(): Stage {
  if (engine === "postgres") {
    return { enter: () => furnished(stageClock()), leave: ({ store }) => store.close(), strike: async () => {} };
  }
  const clock = stageClock();
  let props: { service: Service; restore: () => void } | null = null;
  return {
    enter: async () => {
      if (props === null) {
        const service = await furnished(clock);
        props = { service, restore: await keep(service.store) };
      }
      return props.service.anew();
    },
    leave: async ({ store }) => {
      props?.restore();
      // A store follows its clock back when that goes far, and sees by a write that its file is another one.
      clock.advance(60 * 60_000);
      await store.write(async () => {});
      clock.setBack();
    },
    strike: async () => props?.service.store.close(),
  };
}

/** Keeps a copy of a store's file; answers how to bring its contents back. */
async function keep(store: Store): Promise<() => void> {
  const [main] = await store.read((db) => db.sql.select({ file: sql<string>`file` }).from(sql`pragma_database_list`));
  const copy = `${main?.file}.furnished`;
  const raw = new Database(main?.file);
  raw.run("vacuum into ?", [copy]);
  raw.run("attach ? as furnished", [copy]);
  rmSync(copy);
  raw.run("pragma foreign_keys=off");
  // The table of the ids that were given comes last: inserting changes it.
  const all = "select name from sqlite_master where type = 'table' order by name = 'sqlite_sequence'";
  const tables = raw.query<{ name: string }, []>(all).all();
  const back = tables.flatMap(({ name }) => [
    raw.query(`delete from main."${name}"`),
    raw.query(`insert into main."${name}" select * from furnished."${name}"`),
  ]);
  return raw.transaction(() => {
    for (const statement of back) statement.run();
  });
}
