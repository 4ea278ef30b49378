// A slow disk: reads continue and see durable data, writes wait, and the log stays short.
import { Database, type Statement } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { fdatasyncSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql as template } from "drizzle-orm";
import fc from "fast-check";
import { systemClock } from "../../../src/core/clock.ts";
import { engine } from "../../../src/core/config.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { Store } from "../../../src/storage/database.ts";
import { migrateSqlite } from "../../../src/storage/migrations/migrate.ts";
import { openCheckpoint } from "../../../src/storage/sqlite/checkpoint.ts";
import { CommitLog, openCommandLog } from "../../../src/storage/sqlite/commit_log.ts";
import { connectWriter } from "../../../src/storage/sqlite/sqlite_connection.ts";
import type { SqliteSettings } from "../../../src/storage/sqlite/sqlite_settings.ts";
import { openSqlite } from "../../../src/storage/sqlite/sqlite_store.ts";
import { insert } from "../../../src/storage/statements.ts";
import { tries } from "../../volume.ts";
import { ended, thingMigrations, thingNames, things } from "../things.ts";

/** A disk whose syncs the test confirms. */
function heldDisk() {
  const waiting: PromiseWithResolvers<void>[] = [];
  const asked: (() => void)[] = [];
  let held = true;
  const sync = async (file: number) => {
    if (!held) return fdatasyncSync(file);
    const asking = Promise.withResolvers<void>();
    waiting.push(asking);
    for (const tell of asked.splice(0)) tell();
    return asking.promise.then(() => fdatasyncSync(file));
  };
  return {
    sync,
    waiting,
    /** Resolves when a commit waits for the disk. */
    asked: async () => {
      while (waiting.length === 0) await new Promise<void>((resolve) => asked.push(resolve));
    },
    confirm: () => waiting.shift()?.resolve(),
    /** From now on syncs are confirmed at once. */
    end: () => {
      held = false;
      for (const { resolve } of waiting.splice(0)) resolve();
    },
    fail: () => waiting.shift()?.reject(Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" })),
  };
}

if (engine === "sqlite")
  describe("a slow disk", () => {
    let folder: string;
    let path: string;
    let store: Store;
    let disk: ReturnType<typeof heldDisk>;
    let commits: number[];
    let fatal: unknown[];

    const open = (settings: Partial<SqliteSettings> = {}) => {
      const given = { path, mode: "test", clock: systemClock(), log: silentLog } as const;
      const told = {
        fatal: (error: unknown) => fatal.push(error),
        committed: (number: number) => commits.push(number),
      };
      store = openSqlite({ ...given, ...told, ...settings });
    };
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), "packhouse-slow-"));
      path = join(folder, "test.db");
      const raw = new Database(path, { create: true, strict: true });
      migrateSqlite(raw, "test", path, thingMigrations);
      raw.close();
      disk = heldDisk();
      commits = [];
      fatal = [];
    });
    afterEach(async () => {
      disk.end();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const add = (name: string) => store.write((tx) => insert(tx, things, [{ name, quantity: 1 }]));
    /** The rows that another connection sees: everything committed, durable or not. */
    const committed = () => {
      const raw = new Database(path, { readonly: true });
      const names = raw.query<{ name: string }, []>("select name from things order by name").all();
      raw.close();
      return names.map(({ name }) => name);
    };

    test("a read does not see a write until it is durable, then sees it at once", async () => {
      open({ sync: disk.sync });
      let answered = false;
      const writing = add("a").then(() => {
        answered = true;
      });
      await disk.asked();
      expect(committed()).toEqual(["a"]);
      // Longer than reads share a snapshot.
      for (let look = 0; look < 3; look += 1) {
        expect(await thingNames(store)).toEqual([]);
        await Bun.sleep(8);
      }
      expect([answered, commits]).toEqual([false, []]);
      disk.confirm();
      await writing;
      expect(commits).toEqual([1]);
      expect(await thingNames(store)).toEqual(["a"]);
    });

    test("writes that arrive during a sync are batched and committed after it", async () => {
      open({ sync: disk.sync });
      const first = add("a");
      await disk.asked();
      const others = ["b", "c", "d"].map((name, at) => Bun.sleep(at * 3).then(() => add(name)));
      await Bun.sleep(20);
      expect([disk.waiting.length, committed()]).toEqual([1, ["a"]]);
      disk.confirm();
      await first;
      await disk.asked();
      expect(committed()).toEqual(["a", "b", "c", "d"]);
      expect(await thingNames(store)).toEqual(["a"]);
      disk.confirm();
      await Promise.all(others);
      expect(commits).toEqual([1, 2]);
      expect(await thingNames(store)).toEqual(["a", "b", "c", "d"]);
    });

    test("a failing write does not expose the previous commit before it is durable", async () => {
      open({ sync: disk.sync });
      const first = add("a");
      await disk.asked();
      const doomed = store.write(async (tx) => {
        await insert(tx, things, [{ name: "b", quantity: 1 }]);
        throw Object.assign(new Error("no room"), { code: "SQLITE_FULL" });
      });
      expect(await ended(doomed)).toMatchObject({ code: "storage_full" });
      expect(await thingNames(store)).toEqual([]);
      disk.confirm();
      await first;
      expect(await thingNames(store)).toEqual(["a"]);
    });

    test("after a failed sync every read and write fails", async () => {
      open({ sync: disk.sync });
      const first = ended(add("a"));
      await disk.asked();
      const second = ended(add("b"));
      await Bun.sleep(5);
      disk.fail();
      for (const write of [first, second, ended(add("c"))])
        expect(await write).toMatchObject({ code: "storage_unavailable" });
      expect(await ended(thingNames(store))).toMatchObject({ code: "storage_unavailable" });
      expect([fatal.length, commits, committed()]).toEqual([1, [], ["a"]]);
    });

    test("in any order of events, reads see every acknowledged write and only durable ones", async () => {
      let durable = 0;
      const sync = async (file: number) => {
        await Bun.sleep(pause());
        fdatasyncSync(file);
        durable += 1;
      };
      let pauses: readonly number[] = [0];
      let paused = 0;
      const pause = () => pauses[paused++ % pauses.length] ?? 0;
      open({ sync });
      // The number of commits that a read sees; at least as many must be durable when it returns.
      const number = template<number>`(select number from commit_sequence)`;
      let count = 0;
      const seen = () => store.read(async (db) => (await db.sql.select().from(things)).length);
      const step = fc.constantFrom("write", "read", "turn", "sleep");
      const run = fc.asyncProperty(
        fc.array(step, { minLength: 20, maxLength: 80 }),
        fc.array(fc.constantFrom(0, 0, 1, 4), { minLength: 1, maxLength: 5 }),
        async (steps, some) => {
          pauses = some;
          const work: Promise<unknown>[] = [];
          const answered = new Set<string>();
          const before = await seen();
          for (const what of steps) {
            if (what === "write") {
              count += 1;
              const name = `t${count}`;
              work.push(add(name).then(() => answered.add(name)));
            } else if (what === "read") {
              const least = before + answered.size;
              const look = store.read(async (db) => {
                const rows = await db.sql.select({ number }).from(things);
                return { rows: rows.length, number: rows[0]?.number ?? 0, durable };
              });
              const fits = (found: { rows: number; number: number; durable: number }) => {
                expect(found.rows).toBeGreaterThanOrEqual(least);
                expect(found.number).toBeLessThanOrEqual(found.durable);
              };
              work.push(look.then(fits));
            } else await (what === "turn" ? new Promise(setImmediate) : Bun.sleep(1));
          }
          await Promise.all(work);
          expect(await seen()).toBe(before + answered.size);
        },
      );
      await fc.assert(run, tries(30));
      expect(commits).toEqual(Array.from({ length: durable }, (_, at) => at + 1));
    });

    test("a command's commit never builds on a server's commit that is not durable", async () => {
      open({ sync: disk.sync });
      const first = add("a");
      await disk.asked();
      const synced: string[][] = [];
      const sync = async (file: number) => {
        synced.push(committed());
        fdatasyncSync(file);
      };
      const given = { path, mode: "test", clock: systemClock(), log: silentLog, fatal: () => {} } as const;
      const command = openSqlite({ ...given, sync, waits: "commits" });
      await command.write((tx) => insert(tx, things, [{ name: "b", quantity: 1 }]));
      await command.close();
      expect([synced, committed()]).toEqual([[["a"]], ["a", "b"]]);
      expect(await thingNames(store)).toEqual([]);
      disk.confirm();
      await first;
      expect(await thingNames(store)).toEqual(["a", "b"]);
    });

    test("readLatest sees a command's commit once the sync is confirmed", async () => {
      open({ sync: disk.sync });
      const first = add("a");
      await disk.asked();
      const command = openSqlite({
        path,
        mode: "test",
        clock: systemClock(),
        log: silentLog,
        fatal: () => {},
        waits: "commits",
      });
      await command.write((tx) => insert(tx, things, [{ name: "b", quantity: 1 }]));
      await command.close();
      expect(await thingNames(store)).toEqual([]);
      const latest = store.readLatest(async (db) => await db.sql.select({ name: things.name }).from(things));
      disk.confirm();
      expect((await latest).map(({ name }) => name)).toEqual(["a", "b"]);
      await first;
    });

    test("a log that cannot be inspected does not stop writes", async () => {
      open();
      const writer = connectWriter(path, { enter: () => {}, failed: () => {} }, "by_others");
      const refused = () => {
        throw Object.assign(new Error("no memory"), { code: "SQLITE_NOMEM" });
      };
      const plain = (query: string) => Object.assign(writer.plain(query), { values: refused });
      const warnings: string[] = [];
      const log = { ...silentLog, warn: (message: string) => warnings.push(message) };
      const failed = () => fatal.push("failed");
      const looked = new CommitLog({ path, log, failed, due: () => {}, worker: false, writer: { ...writer, plain } });
      looked.tend();
      expect([looked.due, warnings.length, fatal]).toEqual([false, 1, []]);
      await looked.close();
      writer.close();
    });

    test("a log that a command cannot checkpoint does not stop writes, and is retried once it has grown", async () => {
      open();
      let [held, error] = [3999, "SQLITE_IOERR_WRITE"];
      const tried: number[] = [];
      const copy = () => {
        tried.push(held);
        throw Object.assign(new Error("failed"), { code: error });
      };
      const plain = (query: string) =>
        ({ values: query.includes("noop") ? () => [[0, held, 0]] : copy }) as unknown as Statement;
      const warnings: string[] = [];
      const log = { ...silentLog, warn: (message: string) => warnings.push(message) };
      const settings = { log, failed: () => fatal.push("failed"), sync: undefined };
      const command = openCommandLog(path, { plain }, { renewed: async () => {} }, settings);
      for (held of [3999, 4000, 4500, 5000, 5001]) await command.tend();
      expect([tried, warnings.length, fatal]).toEqual([[4000, 5000], 2, []]);
      // The log was restarted.
      [held, error] = [4200, "SQLITE_CORRUPT"];
      await command.tend();
      expect([tried, fatal.splice(0)]).toEqual([[4000, 5000, 4200], ["failed"]]);
      command.close();
    });

    test("a checkpointed log is restarted in the checkpoint thread, not by the next write", async () => {
      open();
      await add("a");
      const checkpoint = openCheckpoint(path);
      const { held, copied } = checkpoint.copy();
      expect([held > 1, copied]).toEqual([true, held]);
      expect(checkpoint.restart()).toEqual({ held: 1, copied: 0 });
      checkpoint.close();
      await add("b");
      expect(await thingNames(store)).toEqual(["a", "b"]);
    });

    test("a log that another process reads is not reported as truncated", async () => {
      open();
      await add("a");
      const reader = new Database(path, { create: false, readwrite: true });
      reader.run("begin");
      reader.query("select * from things").all();
      expect(await store.shred()).toBe(false);
      reader.close();
      expect(await store.shred()).toBe(true);
    });

    test.each(["nobody", "checkpoints"] as const)("the log is restarted repeatedly (waits: %s)", async (waits) => {
      open({ waits });
      const row = (name: string) => ({ name, quantity: 1, facts: { color: "x".repeat(3000) } });
      const frame_bytes = 4096 + 24;
      let longest = 0;
      let reading = true;
      const look = async () => {
        for (; reading; await Bun.sleep(0)) await store.read((db) => db.sql.select().from(things).limit(1));
      };
      const looking = look();
      for (let round = 0; round < 300; round += 1) {
        const names = Array.from({ length: 8 }, (_, at) => `r${round}-${at}`);
        await Promise.all(
          names.map((name) =>
            store.write(async (tx) => {
              for (let part = 0; part < 10; part += 1) await insert(tx, things, [row(`${name}-${part}`)]);
            }),
          ),
        );
        longest = Math.max(longest, (await store.facts()).log_bytes ?? 0);
      }
      reading = false;
      await looking;
      // More was written than the log may hold.
      const { database_bytes, log_bytes } = await store.facts();
      expect(database_bytes + (log_bytes ?? 0)).toBeGreaterThan(80 << 20);
      expect(longest).toBeLessThan(64 << 20);
      console.log(`the log was ${(longest / frame_bytes) | 0} frames long at most`);
      expect((await thingNames(store)).length).toBe(24_000);
      expect(fatal).toEqual([]);
    });
  });
