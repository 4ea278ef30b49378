// Specific to the store on PostgreSQL: retries, several servers, lost connections, concurrent migrations.
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { eq, or, sql } from "drizzle-orm";
import pg from "pg";
import { among, amongTexts, eachIn, list } from "../../../db/kit.ts";
import { manualClock, systemClock } from "../../../src/core/clock.ts";
import { databaseUrl, engine } from "../../../src/core/config.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { Db, Store, Tx, WriteStatements } from "../../../src/storage/database.ts";
import { migratePostgres } from "../../../src/storage/migrations/migrate_postgres.ts";
import { migrations } from "../../../src/storage/migrations/migration_sql.ts";
import { openPostgres } from "../../../src/storage/postgres/postgres_store.ts";
import { insert, prepared, type StatementArgs } from "../../../src/storage/statements.ts";
import { conflict } from "../../../src/storage/storage_errors.ts";
import { boxes, ended, thingMigrations, things } from "../things.ts";

const url = databaseUrl ?? "";

if (engine === "postgres")
  describe("PostgreSQL", () => {
    const schema = `test_${process.pid}`;
    const common = { schema, mode: "test", clock: systemClock(), log: silentLog } as const;
    let store: Store;
    let admin: pg.Client;

    beforeEach(async () => {
      admin = new pg.Client({ connectionString: url });
      await admin.connect();
      await migratePostgres(url, schema, "test", thingMigrations);
      store = openPostgres({ url, ...common });
    });
    afterEach(async () => {
      await store.close();
      await admin.query(`drop schema if exists ${schema} cascade`);
      await admin.end();
    });

    const change = (tx: Tx, name: string) =>
      tx.sql
        .update(things)
        .set({ quantity: sql`${things.quantity} + 1` })
        .where(eq(things.name, name))
        .returning();
    const quantities = async () => {
      const rows = await store.read((db) => db.sql.select().from(things).orderBy(things.name));
      return rows.map(({ quantity }) => quantity);
    };

    test("a statement name has one text per connection; another text is refused, not run", async () => {
      const ask = (db: Db, quantity: number) => {
        const found = db.sql.select({ name: things.name }).from(things);
        return found.where(sql.raw(`quantity = ${quantity}`)).prepare("twice");
      };
      await store.write((tx) => insert(tx, things, [{ name: "a", quantity: 1 }]));
      expect(await store.read((db) => ask(db, 1).execute())).toEqual([{ name: "a" }]);
      // It uses the connection that was freed last, which already has the name.
      const other = store.read(async (db) => {
        expect(await ask(db, 1).execute()).toEqual([{ name: "a" }]);
        return await ask(db, 2).execute();
      });
      await expect(other).rejects.toMatchObject({
        message: expect.stringContaining("the statement twice must have one text"),
      });
      expect(await store.read((db) => ask(db, 1).execute())).toEqual([{ name: "a" }]);
    });

    test("a deadlock victim is retried, nested or not", async () => {
      await store.write((tx) =>
        insert(tx, things, [
          { name: "a", quantity: 0 },
          { name: "b", quantity: 0 },
        ]),
      );
      let runs = 0;
      let arrived = 0;
      const both = Promise.withResolvers<void>();
      const crossed = (first: string, second: string, nested: boolean) =>
        store.write(async (tx) => {
          runs++;
          await change(tx, first);
          if (++arrived === 2) both.resolve();
          await both.promise;
          if (nested) await tx.nested((inner) => change(inner, second));
          else await change(tx, second);
        });
      await Promise.all([crossed("a", "b", false), crossed("b", "a", true)]);
      expect(runs).toBe(3);
      expect(await quantities()).toEqual([2, 2]);
    });

    test("a write that keeps conflicting fails with write_conflict", async () => {
      let runs = 0;
      const result = await ended(
        store.write(async () => {
          runs++;
          throw Object.assign(new Error("could not serialize access"), { code: "40001" });
        }),
      );
      expect(result).toMatchObject({ code: "write_conflict" });
      expect(runs).toBe(20);
    });

    test("two processes on five hot rows sell exactly the available stock", async () => {
      const rows = Array.from({ length: 5 }, (_, i) => ({ name: `hot ${i}`, quantity: 60 }));
      await store.write((tx) => insert(tx, things, rows));
      const buyer = join(import.meta.dir, "buyer_process.ts");
      const buyers = [1, 2].map(() =>
        Bun.spawn([process.execPath, buyer, schema], { stdout: "pipe", stderr: "inherit" }),
      );
      const bought = await Promise.all(buyers.map(async (child) => Number(await child.stdout.text())));
      expect((bought[0] ?? 0) + (bought[1] ?? 0)).toBe(300);
      expect(Math.min(...bought)).toBeGreaterThan(0);
      expect(await quantities()).toEqual([0, 0, 0, 0, 0]);
      expect(await store.read((db) => db.sql.$count(boxes))).toBe(300);
    }, 30_000);

    test("servers that migrate an empty schema at the same time take turns", async () => {
      await admin.query(`drop schema ${schema} cascade`);
      const slow = [...thingMigrations, { name: "0002_slow", statements: ["select pg_sleep(0.2)"] }];
      await Promise.all(Array.from({ length: 4 }, () => migratePostgres(url, schema, "test", slow)));
      const [first] = await store.write((tx) => tx.sql.insert(boxes).values({ name: "x" }).returning());
      expect(first?.id).toBe(1_000_000_001);
    });

    test("a failed migration leaves nothing behind; a later one starts ids in the environment's range", async () => {
      const bad = {
        name: "0002_bad",
        statements: ["create table more (id bigint)", "create table things (id bigint)"],
      };
      expect(await ended(migratePostgres(url, schema, "test", [...thingMigrations, bad]))).toBeInstanceOf(Error);
      expect(
        (await admin.query("select from pg_tables where tablename = 'more' and schemaname = $1", [schema])).rowCount,
      ).toBe(0);
      await store.write((tx) => insert(tx, boxes, [{ name: "x" }]));
      const column = "id bigint generated by default as identity primary key";
      const more = { name: "0002_more", statements: [`create table more (${column}, box_id bigint references boxes)`] };
      await migratePostgres(url, schema, "test", [...thingMigrations, more]);
      const { rows } = await admin.query(`insert into ${schema}.more default values returning id`);
      expect(rows).toEqual([{ id: 1_000_000_001 }]);
      const [second] = await store.write((tx) => tx.sql.insert(boxes).values({ name: "y" }).returning());
      expect(second?.id).toBe(1_000_000_002);
      expect(await ended(migratePostgres(url, schema, "test", thingMigrations))).toMatchObject({ exit_code: 78 });
    });

    test("an older schema is identified by its ids, and records its environment from then on", async () => {
      const other = { exit_code: 78, message: expect.stringContaining("holds test data, not live data") };
      expect(await ended(migratePostgres(url, schema, "live", thingMigrations))).toMatchObject(other);
      const statements = migrations.postgres
        .flatMap((migration) => migration.statements)
        .filter((statement) => statement.startsWith('CREATE TABLE "installation"'));
      const more = [...thingMigrations, { name: "0002_installation", statements }];
      await migratePostgres(url, schema, "test", more);
      expect((await admin.query(`select mode, seal from ${schema}.installation`)).rows).toEqual([
        { mode: "test", seal: null },
      ]);
      await admin.query(`drop table ${schema}.things, ${schema}.boxes`);
      expect(await ended(migratePostgres(url, schema, "live", more))).toMatchObject(other);
    });

    test("another program's schema is refused", async () => {
      await admin.query(`drop table ${schema}.migrations`);
      expect(await ended(migratePostgres(url, schema, "test", thingMigrations))).toMatchObject({ exit_code: 78 });
    });

    test("a lost connection fails the write, and the next write gets a new connection", async () => {
      const kill = `select pg_terminate_backend(pid) from pg_stat_activity
      where pid <> pg_backend_pid() and query like '%kill me%'`;
      const cut = store.write(async (tx) => {
        await insert(tx, things, [{ name: "lost", quantity: 1 }]);
        await tx.sql.select({ mark: sql`'kill me'` }).from(things);
        await admin.query(kill);
        await change(tx, "lost");
      });
      expect(await ended(cut)).toMatchObject({ code: "storage_unavailable" });
      await store.write((tx) => insert(tx, things, [{ name: "after", quantity: 1 }]));
      expect(await quantities()).toEqual([1]);
    });

    test("statements whose result is not needed yet share a round trip with the next one", async () => {
      // The clock stands still: after a second, an extra round trip would compare the clocks.
      const still = openPostgres({ url, ...common, clock: manualClock(1_700_000_000_000), time: "clock" });
      await still.write(async () => {});
      while ((await still.facts()).connections?.busy !== 0) await Bun.sleep(1);
      const travelled = spyOn(pg.Client.prototype, "query");
      const trips = async (work: () => Promise<unknown>) => {
        travelled.mockClear();
        await work();
        await Bun.sleep(1);
        return travelled.mock.calls.length;
      };
      const all = () => still.read((db) => db.sql.select().from(things).orderBy(things.name));
      const row = (name: string) => ({ name, quantity: 1 });
      const twoParts = async (tx: Tx) => {
        await insert(tx, things, [row("a"), row("b")]);
        await change(tx, "a");
        for (const name of ["b", "c"]) await tx.nested((part) => change(part, name));
        await insert(tx, things, [row("c")]);
        await insert(tx, boxes, [{ name: "x" }]);
      };
      // The first change carries BEGIN and the inserts before it; COMMIT carries the last inserts.
      expect(await trips(() => still.write(twoParts))).toBe(4);
      // Nothing waits for the end of a read.
      expect(await trips(all)).toBe(2);
      const counted = (db: Db) => db.sql.$count(things);
      // Concurrent statements share a round trip.
      const three = (tx: Tx) =>
        Promise.all([counted(tx), change(tx, "a"), counted(tx), insert(tx, boxes, [{ name: "y" }])]);
      expect(await trips(() => still.read((db) => Promise.all([counted(db), counted(db)])))).toBe(2);
      expect(await trips(() => still.write(three))).toBe(2);
      expect(await trips(() => still.read(async () => {}))).toBe(0);
      expect(await trips(() => ended(still.write(() => Promise.reject(new Error("no")))))).toBe(0);
      travelled.mockRestore();
      expect((await all()).map(({ quantity }) => quantity)).toEqual([3, 2, 1]);
      await still.close();
    });

    test("when one of several concurrent statements fails, those after it fail too", async () => {
      const wrong = (tx: Tx) => tx.sql.update(things).set({ quantity: -1 });
      const add = (tx: Tx, name: string) => tx.sql.insert(things).values({ name, quantity: 1 });
      await store.write(async (tx) => {
        await add(tx, "first");
        const all = (part: Tx) => Promise.allSettled([add(part, "before"), wrong(part), add(part, "behind")]);
        let settled: string[] = [];
        const part = await ended(
          tx.nested(async (inner) => {
            settled = (await all(inner)).map(
              (one) => conflict(one.status === "rejected" ? one.reason : null)?.kind ?? "",
            );
          }),
        );
        expect([...settled, conflict(part)?.kind]).toEqual(["", "check", "check", "check"]);
        await add(tx, "last");
      });
      const rows = await store.read((db) => db.sql.select({ name: things.name }).from(things).orderBy(things.id));
      expect(rows.map(({ name }) => name)).toEqual(["first", "last"]);
    });

    test("an insert whose error arrives late fails only the part that it belongs to", async () => {
      const [good, bad] = [
        { name: "good", quantity: 1 },
        { name: "bad", quantity: -1 },
      ];
      await store.write(async (tx) => {
        await insert(tx, things, [good]);
        const inside = await ended(tx.nested((part) => insert(part, things, [bad])));
        expect(conflict(inside)).toMatchObject({ kind: "check", rule: "things_quantity" });
        // A statement that failed on its first run is prepared by the next.
        await tx.nested((part) => insert(part, things, [{ ...bad, quantity: 2 }]));
      });
      let begun = false;
      const whole = await ended(
        store.write(async (tx) => {
          await insert(tx, things, [{ name: "first", quantity: -1 }]);
          await ended(
            tx.nested(async () => {
              begun = true;
            }),
          );
          await insert(tx, things, [{ name: "last", quantity: 1 }]);
        }),
      );
      expect([begun, conflict(whole)?.kind]).toEqual([false, "check"]);
      const alone = await ended(store.write((tx) => insert(tx, things, [{ name: "run_individually", quantity: -1 }])));
      expect(conflict(alone)?.kind).toBe("check");
      expect(await quantities()).toEqual([2, 1]);
    });

    test("a server that cannot be reached refuses reads and writes", async () => {
      const away = openPostgres({ ...common, url: "postgres://nobody@127.0.0.1:1/nothing" });
      expect(await ended(away.write(async () => {}))).toMatchObject({ code: "storage_unavailable" });
      expect(await ended(away.read(async () => {}))).toMatchObject({ code: "storage_unavailable" });
      await away.close();
    });

    test("the time is the database's, plus the offset of the store's clock", async () => {
      const clock = systemClock();
      clock.advance(3_600_000);
      const ahead = openPostgres({ url, ...common, clock });
      const { rows } = await admin.query("select (extract(epoch from now()) * 1000)::bigint as now");
      const now = await ahead.write(async (tx) => tx.now);
      expect(now - rows[0].now - 3_600_000).toBeWithin(0, 5000);
      await ahead.close();
    });

    const settingOf = async (name: string, options: string) => {
      const own = openPostgres({ ...common, url: `${url}${url.includes("?") ? "&" : "?"}options=${options}` });
      const is = sql<string>`current_setting(${name})`;
      const [row] = await own.read((db) => db.sql.select({ is }).from(sql`(values (1)) v`));
      await own.close();
      return row?.is;
    };

    test("a commit waits for the disk even if the server's default is not to", async () => {
      expect(await settingOf("synchronous_commit", "-c%20synchronous_commit=off")).toBe("on");
    });

    test("index access is assumed to be cheap, unless the operator sets its cost", async () => {
      expect(await settingOf("random_page_cost", "")).toBe("1.1");
      expect(await settingOf("random_page_cost", "-c%20random_page_cost=3")).toBe("3");
    });

    test("a list is read by an index, and planned once", async () => {
      const rows = Array.from({ length: 3000 }, (_, at) => ({ name: `n${at}`, quantity: at }));
      await store.write((tx) => insert(tx, things, rows));
      const some = prepared((query, a: StatementArgs<{ ids: string; names: string }>) =>
        query
          .select()
          .from(things)
          .where(or(among(things.id, a.ids), amongTexts(things.name, a.names))),
      );
      const told = (name: string) => sql.raw(`(told.value->>'${name}')::bigint`);
      const change = prepared((query: WriteStatements, a: StatementArgs<{ rows: string }>) =>
        query
          .update(things)
          .set({ quantity: told("quantity") })
          .from(sql`${eachIn(a.rows)} as told`)
          .where(eq(things.id, told("id"))),
      );
      const ids = (await store.read((db) => db.sql.select({ id: things.id }).from(things))).map(({ id }) => id);
      const run = async (tx: Tx) => {
        const three = ids.splice(0, 3);
        await change(tx, { rows: JSON.stringify(three.map((id) => ({ id, quantity: 7 }))) });
        const found = await some(tx, { ids: list(three), names: list(["n2999"]) });
        expect(found.map(({ quantity }) => quantity).sort()).toEqual([2999, 7, 7, 7]);
      };
      for (let runs = 0; runs < 8; runs += 1) await store.write(run);
      const read = sql<number>`(select seq_tup_read from pg_stat_xact_user_tables where relid = 'things'::regclass)`;
      const plans = sql<number>`(select max(custom_plans) from pg_prepared_statements where statement like '%things%')`;
      const counts = (tx: Tx) => tx.sql.select({ read, plans }).from(sql`(values (1)) v`);
      const [before, after] = await store.write(async (tx) => {
        const counted = await counts(tx);
        await run(tx);
        return [...counted, ...(await counts(tx))];
      });
      expect(after?.read).toBe(before?.read ?? -1);
      // PostgreSQL makes five custom plans before it caches a generic one.
      expect(after?.plans).toBe(5);
    });

    test("a prepared query is prepared once per connection", async () => {
      const byName = prepared((query, a: StatementArgs<{ name: string }>) =>
        query.select().from(things).where(eq(things.name, a.name)),
      );
      const count = () =>
        store.read(async (db) => {
          await byName(db, { name: "x" });
          const mine = sql`(select count(*) as n from pg_prepared_statements where statement like '%things%') v`;
          return await db.sql.select({ n: sql<number>`n` }).from(mine);
        });
      for (let i = 0; i < 5; i++) expect(await count()).toEqual([{ n: 1 }]);
    });
  });
