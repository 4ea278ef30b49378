// Specific to the store on SQLite: group commit, guards, settings, disk errors.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../src/core/clock.ts";
import { engine } from "../../../src/core/config.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { Store } from "../../../src/storage/database.ts";
import { migrateSqlite } from "../../../src/storage/migrations/migrate.ts";
import { applicationId, connectWriter } from "../../../src/storage/sqlite/sqlite_connection.ts";
import { openSqlite } from "../../../src/storage/sqlite/sqlite_store.ts";
import { insert } from "../../../src/storage/statements.ts";
import { ended, thingMigrations, thingNames, things } from "../things.ts";

if (engine === "sqlite")
  describe("SQLite", () => {
    let folder: string;
    let path: string;
    let store: Store;
    let commits: number[];
    let fatal: unknown[];

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), "packhouse-sqlite-"));
      path = join(folder, "test.db");
      const raw = new Database(path, { create: true, strict: true });
      migrateSqlite(raw, "test", path, thingMigrations);
      raw.close();
      commits = [];
      fatal = [];
      store = openSqlite({
        path,
        mode: "test",
        clock: systemClock(),
        log: silentLog,
        fatal: (error) => fatal.push(error),
        committed: (number) => commits.push(number),
      });
    });
    afterEach(async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const add = (name: string) => store.write((tx) => insert(tx, things, [{ name, quantity: 1 }]));

    test("up to 64 waiting writes share a commit", async () => {
      await Promise.all(Array.from({ length: 130 }, (_, i) => add(`t${i}`)));
      expect(commits).toEqual([1, 2, 3]);
      await add("run_individually");
      expect(commits).toEqual([1, 2, 3, 4]);
    });

    test("a batch that changed nothing is not counted as a commit", async () => {
      await store.write(async (tx) => await tx.sql.select().from(things));
      expect(commits).toEqual([]);
    });

    test("work that waits for anything but its own statements fails; the rest of the batch does not", async () => {
      const waiting = store.write(async (tx) => {
        await insert(tx, things, [{ name: "before", quantity: 1 }]);
        await Bun.sleep(1);
        await insert(tx, things, [{ name: "after", quantity: 1 }]);
      });
      const never = store.write(() => new Promise(() => {}));
      let own: Promise<unknown> = Promise.resolve();
      const inner = store.write(async () => {
        own = add("write inside a write");
        await own;
      });
      const results = await Promise.all([ended(waiting), ended(never), ended(inner), add("neighbour")]);
      expect(results.slice(0, 3).map(String)).toEqual(
        Array.from({ length: 3 }, () => "Error: a transaction waited for something other than its own statements"),
      );
      await own;
      expect(await thingNames(store)).toEqual(["neighbour", "write inside a write"]);
    });

    test("a batch with a write that fails after writing is rerun once, and all other writes succeed", async () => {
      const runs: Record<string, number> = {};
      const wakes: string[] = [];
      store.onWake((job) => wakes.push(job));
      const write = (name: string, fails: "at once" | "late" | "never") =>
        store.write(async (tx) => {
          runs[name] = (runs[name] ?? 0) + 1;
          if (fails === "at once") throw new Error(`${name} at once`);
          await insert(tx, things, [{ name, quantity: 1 }]);
          tx.wake("webhooks.deliver", 0);
          if (fails === "late") throw new Error(`${name} late`);
          return name;
        });
      const batch = (round: number) => [
        write(`a${round}`, "never"),
        write(`b${round}`, "at once"),
        write(`c${round}`, "late"),
        write(`d${round}`, "never"),
      ];
      const first = await Promise.all(batch(1).map(ended));
      expect(first.map(String)).toEqual(["a1", "Error: b1 at once", "Error: c1 late", "d1"]);
      expect(runs).toEqual({ a1: 2, b1: 2, c1: 2, d1: 1 });
      // After such a failure the next batches use savepoints.
      const second = await Promise.all(batch(2).map(ended));
      expect(second.map(String)).toEqual(["a2", "Error: b2 at once", "Error: c2 late", "d2"]);
      expect(runs).toMatchObject({ a2: 1, b2: 1, c2: 1, d2: 1 });
      expect(commits).toEqual([1, 2]);
      expect(wakes).toEqual(["webhooks.deliver", "webhooks.deliver"]);
      expect(await thingNames(store)).toEqual(["a1", "a2", "d1", "d2"]);
    });

    test("a write that fails before writing does not make others run twice", async () => {
      let runs = 0;
      const counted = store.write(async (tx) => {
        runs += 1;
        await insert(tx, things, [{ name: "once", quantity: 1 }]);
      });
      // The statement fails without changing anything because the name is taken.
      const [, taken] = await Promise.all([counted, ended(add("once"))]);
      expect(taken).toBeInstanceOf(Error);
      expect([runs, await thingNames(store)]).toEqual([1, ["once"]]);
    });

    test("a read that waits for anything else fails without blocking others", async () => {
      const never = ended(store.read(() => new Promise(() => {})));
      const names = await thingNames(store);
      expect(names).toEqual([]);
      expect(String(await never)).toContain("waited for something other");
    });

    test("reads do not see a batch before it commits", async () => {
      let seen: Promise<string[]> | undefined;
      await store.write(async (tx) => {
        await insert(tx, things, [{ name: "a", quantity: 1 }]);
        seen = thingNames(store);
      });
      expect(await seen).toEqual([]);
    });

    test("when SQLite rolls back the transaction, every write of the batch fails", async () => {
      const raw = connectWriter(path, { enter: () => {}, failed: () => {} });
      raw
        .plain(
          "create trigger doom before insert on things when new.name = 'doom' begin select raise(rollback, 'no'); end",
        )
        .run();
      raw.close();
      const results = await Promise.all(["a", "doom", "b"].map((name) => ended(add(name))));
      expect(results.map(String)).toEqual(Array.from({ length: 3 }, () => "SQLiteError: no"));
      expect(commits).toEqual([]);
      await add("c");
      expect(await thingNames(store)).toEqual(["c"]);
    });

    test("a full disk fails the whole batch, reads continue, and the store recovers by itself", async () => {
      const limit = new Database(path, { strict: true });
      const pages = limit.query("pragma page_count").values()[0]?.[0];
      limit.close();
      // SQLite's page limit gives the same error as a full disk; test/storage/crash.test.ts fills a real one.
      const big = "x".repeat(100_000);
      const results = await store
        .write(async (tx) => {
          const { raw } = connection(tx.sql);
          raw.run(`pragma max_page_count=${pages}`);
        })
        .then(() => Promise.all([ended(add("small")), ended(add(big))]));
      expect(results.map((result) => (result as { code?: string }).code)).toEqual(["storage_full", "storage_full"]);
      expect(await thingNames(store)).toEqual([]);
      await store.write(async (tx) => connection(tx.sql).raw.run("pragma max_page_count=1000000"));
      await add("small");
      expect(await thingNames(store)).toEqual(["small"]);
      expect(fatal).toEqual([]);
    });

    test("after an error that makes the storage unreliable everything fails", async () => {
      await add("a");
      const results = await Promise.all([
        ended(
          store.write(async (tx) => {
            await insert(tx, things, [{ name: "b", quantity: 1 }]);
            throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_FSYNC" });
          }),
        ),
        ended(add("c")),
      ]);
      expect(results.map((result) => (result as { code?: string }).code)).toEqual([
        "storage_unavailable",
        "storage_unavailable",
      ]);
      expect(fatal.length).toBe(1);
      expect(await ended(add("d"))).toMatchObject({ code: "storage_unavailable" });
      expect(await ended(thingNames(store))).toMatchObject({ code: "storage_unavailable" });
      expect(fatal.length).toBe(1);
    });

    const megabytes = (file: string) => statSync(file).size / (1 << 20);

    test("the log of a long-running command is restarted, even while it reads", async () => {
      await store.close();
      const settings = { path, mode: "test", clock: systemClock(), log: silentLog, fatal: () => {} } as const;
      store = openSqlite({ ...settings, waits: "commits" });
      const text = "x".repeat(1 << 20);
      for (let at = 0; at < 60; at += 1) {
        await add(`${at} ${text}`);
        await store.read(async (db) => await db.sql.select({ id: things.id }).from(things).limit(1));
      }
      expect(megabytes(`${path}-wal`)).toBeLessThan(24);
    });

    test("a log that grew in one transaction shrinks after the checkpoint", async () => {
      const rows = Array.from({ length: 70 }, (_, at) => ({ name: `${at} ${"x".repeat(1 << 20)}`, quantity: 1 }));
      await store.write(async (tx) => {
        for (const row of rows) await insert(tx, things, [row]);
      });
      expect(megabytes(`${path}-wal`)).toBeGreaterThan(64);
      // Each of these either triggers a checkpoint or restarts the log.
      for (let at = 0; at < 5; at += 1) await add(`after ${at}`);
      expect(megabytes(`${path}-wal`)).toBeLessThan(33);
    });

    test("the settings are as designed", async () => {
      const names = ["journal_mode", "synchronous", "foreign_keys", "trusted_schema", "cell_size_check", "temp_store"];
      const others = ["busy_timeout", "application_id", "user_version", "wal_autocheckpoint", "journal_size_limit"];
      const settingsOf = (raw: Database) =>
        Object.fromEntries(
          [...names, ...others].map((name) => [name, raw.query(`pragma ${name}`).values()[0]?.[0]] as const),
        );
      const expected = {
        journal_mode: "wal",
        synchronous: 2,
        foreign_keys: 1,
        trusted_schema: 0,
        cell_size_check: 1,
        temp_store: 2,
        busy_timeout: 5000,
        application_id: applicationId,
        user_version: 1,
        wal_autocheckpoint: 4000,
        journal_size_limit: 67_108_864,
      };
      const beside = connectWriter(path, { enter: () => {}, failed: () => {} });
      expect(settingsOf(beside.raw)).toEqual(expected);
      beside.close();
      // The store itself waits for the disk after each commit, in another thread.
      const own = await store.write(async (tx) => settingsOf(connection(tx.sql).raw));
      expect(own).toEqual({ ...expected, synchronous: 1, wal_autocheckpoint: 0 });
    });
  });

/** The connection under Drizzle's object, exposed as `$client`. */
function connection(sql: unknown): { raw: Database } {
  return { raw: (sql as { $client: Database }).$client };
}
