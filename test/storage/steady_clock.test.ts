// The clock of a store: how it handles changes of the machine's clock, also across restarts.

import { Database } from "bun:sqlite";
import { describe, expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { type ManualClock, manualClock, systemClock } from "../../src/core/clock.ts";
import { databaseUrl } from "../../src/core/config.ts";
import { silentLog } from "../../src/core/log.ts";
import { hour_ms, minute_ms } from "../../src/core/time.ts";
import type { Store } from "../../src/storage/database.ts";
import { migrateSqlite } from "../../src/storage/migrations/migrate.ts";
import { migratePostgres } from "../../src/storage/migrations/migrate_postgres.ts";
import { openPostgres } from "../../src/storage/postgres/postgres_store.ts";
import { openSqlite } from "../../src/storage/sqlite/sqlite_store.ts";
import { insert } from "../../src/storage/statements.ts";
import { SteadyClock } from "../../src/storage/steady_clock.ts";
import { thingMigrations, things } from "./things.ts";

const start = 1_700_000_000_000;

function clockOn(source = manualClock(start)) {
  const said: string[] = [];
  const log = { ...silentLog, warn: (message: string) => said.push(message) };
  const read = () => source.now() - source.ahead_ms;
  return { source, said, clock: new SteadyClock({ source, read, log, onStep: () => {} }) };
}

describe("a clock that is set", () => {
  test("back by two minutes is absorbed: time runs a tenth slower until both agree", () => {
    const { source, said, clock } = clockOn();
    expect(clock.now()).toBe(start);
    source.step(-2 * minute_ms);
    expect(clock.now()).toBe(start);
    source.pass(10_000);
    expect(clock.now()).toBe(start + 9000);
    source.pass(20 * minute_ms);
    expect(clock.now()).toBe(source.now());
    expect([clock.stepped_ms, said]).toEqual([0, []]);
  });

  test("by five minutes or more is followed and logged, with the shift for scheduled work", () => {
    const { source, said, clock } = clockOn();
    clock.now();
    source.pass(1000);
    source.step(-hour_ms);
    expect(clock.now()).toBe(start + 1000 - hour_ms);
    expect(clock.stepped_ms).toBe(-hour_ms);
    clock.shifted(-hour_ms);
    source.step(24 * hour_ms);
    expect(clock.now()).toBe(start + 1000 + 23 * hour_ms);
    expect(clock.stepped_ms).toBe(24 * hour_ms);
    expect(said).toEqual(["the clock was set back", "the clock was set ahead"]);
  });

  test("ahead by hand, as in the sandbox, does not count as a step", () => {
    const { source, clock } = clockOn();
    clock.now();
    source.advance(48 * hour_ms);
    expect(clock.now()).toBe(start + 48 * hour_ms);
    expect(clock.stepped_ms).toBe(0);
  });

  test("never goes backwards except in a reported step", () => {
    const move = fc.record({ pass: fc.nat(600_000), step: fc.integer({ min: -400_000, max: 400_000 }) });
    fc.assert(
      fc.property(fc.array(move, { maxLength: 50 }), (moves) => {
        const { source, clock } = clockOn();
        for (const { pass, step } of moves) {
          const [before, told] = [clock.now(), clock.stepped_ms];
          source.pass(pass);
          source.step(step);
          const after = clock.now();
          if (clock.stepped_ms === told) expect(after).toBeGreaterThanOrEqual(before);
          expect(after - source.now()).toBeWithin(-1, 5 * minute_ms);
        }
      }),
    );
  });
});

/** Lets the work open a store of the same data repeatedly, like a service that restarts. */
async function withPlace(work: (open: (source: ManualClock) => Promise<Store>) => Promise<void>): Promise<void> {
  if (databaseUrl === null) {
    const folder = mkdtempSync(join(tmpdir(), "packhouse-clock-"));
    const path = join(folder, "live.db");
    const raw = new Database(path, { strict: true });
    migrateSqlite(raw, "live", path, thingMigrations);
    raw.close();
    await work(async (clock) => openSqlite({ path, mode: "live", clock, log: silentLog, fatal: () => {} }));
    rmSync(folder, { recursive: true });
    return;
  }
  const url = databaseUrl;
  const schema = `temporary_${process.pid}_clock_${Bun.randomUUIDv7("hex").slice(-8)}`;
  await migratePostgres(url, schema, "live", thingMigrations);
  await work(async (clock) => openPostgres({ url, schema, mode: "live", clock, log: silentLog, time: "clock" }));
}

/** Stores a row and returns the time of the transaction. */
const add = (store: Store) =>
  store.write(async (tx) => {
    await insert(tx, things, [{ name: String(Math.random()), quantity: 1 }]);
    return tx.now;
  });

describe("a store", () => {
  test("that starts with a clock a minute behind its last time continues from that time", async () => {
    await withPlace(async (open) => {
      const first = await open(manualClock(start + minute_ms));
      expect(await add(first)).toBe(start + minute_ms);
      await first.close();
      const source = manualClock(start);
      const second = await open(source);
      expect(await add(second)).toBe(start + minute_ms);
      source.pass(10_000);
      expect(await second.read(async (db) => db.now)).toBe(start + minute_ms + 9000);
      expect(second.clock.now()).toBe(start + minute_ms + 9000);
      await second.close();
    });
  });

  test("passes the step to the handler that shifts scheduled work, once and before any other write", async () => {
    await withPlace(async (open) => {
      const source = manualClock(start);
      const store = await open(source);
      const did: string[] = [];
      store.onStep(async (tx, by_ms) => void did.push(`moved by ${by_ms} at ${tx.now}`));
      await add(store);
      source.step(-hour_ms);
      await Promise.all([1, 2].map(async () => did.push(`wrote at ${await add(store)}`)));
      const now = start - hour_ms;
      expect(did).toEqual([`moved by ${-hour_ms} at ${now}`, `wrote at ${now}`, `wrote at ${now}`]);
      await store.close();
    });
  });

  test("applies a step back once, even if many writes detect it at the same time", async () => {
    await withPlace(async (open) => {
      const source = manualClock(start);
      const store = await open(source);
      const moved = spyOn(store.clock as SteadyClock, "shifted");
      store.onStep(async () => {});
      const writes = Array.from({ length: 20 });
      await Promise.all(writes.map(() => add(store)));
      source.step(-hour_ms);
      const times = await Promise.all(writes.map(() => add(store)));
      expect(new Set(times)).toEqual(new Set([start - hour_ms]));
      expect(moved.mock.calls.flat().filter((by_ms) => by_ms !== 0)).toEqual([-hour_ms]);
      await store.close();
    });
  });

  test("that was closed when the clock was set back detects it at the start, from its stored time", async () => {
    await withPlace(async (open) => {
      const first = await open(manualClock(start));
      await add(first);
      await first.close();
      const moves: number[] = [];
      for (const from of [start - 2 * hour_ms, start - 2 * hour_ms + minute_ms]) {
        // Commands write too, but do not shift anything.
        const command = await open(manualClock(from));
        await add(command);
        await command.close();
        const store = await open(manualClock(from));
        store.onStep(async (_tx, by_ms) => void moves.push(by_ms));
        expect(await add(store)).toBe(from);
        await store.close();
      }
      expect(moves).toEqual([-2 * hour_ms]);
    });
  });

  test("that cannot shift scheduled work keeps working", async () => {
    await withPlace(async (open) => {
      const source = manualClock(start);
      const store = await open(source);
      store.onStep(() => Promise.reject(new Error("no")));
      await add(store);
      source.step(-hour_ms);
      expect([await add(store), await add(store)]).toEqual([start - hour_ms, start - hour_ms]);
      await store.close();
    });
  });
});

if (databaseUrl !== null) {
  const url = databaseUrl;

  test("only one of several servers shifts scheduled work when the database's clock is set", async () => {
    await withPlace(async (open) => {
      const clocks = [manualClock(start), manualClock(start)];
      const stores = await Promise.all(clocks.map(open));
      const moves: number[] = [];
      for (const store of stores) {
        store.onStep(async (_tx, by_ms) => void moves.push(by_ms));
        await add(store);
      }
      for (const clock of clocks) clock.step(-hour_ms);
      for (const store of stores) expect(await add(store)).toBe(start - hour_ms);
      expect(moves).toEqual([-hour_ms]);
      await Promise.all(stores.map((store) => store.close()));
    });
  });

  test("a server that has not seen a shift yet does not overwrite the time stored with it", async () => {
    await withPlace(async (open) => {
      const clocks = [manualClock(start), manualClock(start)] as const;
      const [one, other] = [await open(clocks[0]), await open(clocks[1])];
      const moves: number[] = [];
      for (const store of [one, other]) {
        store.onStep(async (_tx, by_ms) => void moves.push(by_ms));
        await add(store);
      }
      for (const clock of clocks) clock.pass(minute_ms);
      await other.write(async (tx) => {
        await insert(tx, things, [{ name: "begun before the move", quantity: 1 }]);
        clocks[0].step(-hour_ms);
        await add(one);
      });
      // Closing the store flushes its pending time.
      await other.close();
      const later = await open(clocks[0]);
      later.onStep(async (_tx, by_ms) => void moves.push(by_ms));
      expect(await add(later)).toBe(start + minute_ms - hour_ms);
      expect(moves).toEqual([-hour_ms]);
      await Promise.all([one.close(), later.close()]);
    });
  });

  test("timers use the database's time, even if the server's is wrong", async () => {
    const schema = `temporary_${process.pid}_skew`;
    await migratePostgres(url, schema, "live", thingMigrations);
    for (const off_ms of [-10 * minute_ms, 10 * minute_ms]) {
      const machine = systemClock();
      const clock = { ...machine, now: () => machine.now() + off_ms };
      const store = openPostgres({ url, schema, mode: "live", clock, log: silentLog });
      const now = await add(store);
      expect(store.clock.now() - now).toBeWithin(0, minute_ms);
      expect(Math.abs(store.clock.now() - clock.now())).toBeGreaterThan(9 * minute_ms);
      // Once the clock has reached a time, the next transaction is not earlier.
      for (let tries = 0; tries < 50; tries += 1) {
        const at = store.clock.now();
        expect(await store.read(async (db) => db.now)).toBeGreaterThanOrEqual(at);
      }
      await store.close();
    }
  });
}
