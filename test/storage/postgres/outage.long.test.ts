// PostgreSQL goes away or stops responding: requests in flight fail, later ones succeed.
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { connect, createServer, type Socket } from "node:net";
import pg from "pg";
import { table, text } from "../../../db/kit.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { databaseUrl, engine } from "../../../src/core/config.ts";
import { silentLog } from "../../../src/core/log.ts";
import { migratePostgres } from "../../../src/storage/migrations/migrate_postgres.ts";
import { openPostgres } from "../../../src/storage/postgres/postgres_store.ts";
import { insert } from "../../../src/storage/statements.ts";
import { ordersOf, steadily } from "../../flows/balancer.ts";
import { client, freshDatabase, startFreshService, stockUp } from "../../flows/service.ts";
import { thingMigrations, things } from "../things.ts";

setDefaultTimeout(90_000);

const pgPrepared = table("pg_prepared_statements", { name: text() });

/** A proxy to a database that can drop its connections or silently stop forwarding. */
async function wayTo(url: string) {
  const target = new URL(url);
  const pairs = new Set<Socket>();
  let [is_cut, is_silent] = [false, false];
  const server = createServer({ pauseOnConnect: true }, (near) => {
    near.on("error", () => {});
    if (is_cut) {
      near.destroy();
      return;
    }
    const far = connect(Number(target.port), target.hostname);
    const join = (from: Socket, to: Socket) => {
      pairs.add(from);
      from.on("data", (data) => {
        if (!is_silent) to.write(data);
      });
      from.on("close", () => {
        pairs.delete(from);
        to.destroy();
      });
    };
    far.on("error", () => near.destroy());
    far.on("connect", () => {
      join(near, far);
      join(far, near);
      near.resume();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const way = new URL(url);
  way.port = String(typeof address === "object" && address !== null ? address.port : 0);
  return {
    url: way.href,
    cut: () => {
      is_cut = true;
      for (const socket of pairs) socket.destroy();
    },
    silence: () => {
      is_silent = true;
    },
    heal: () => {
      [is_cut, is_silent] = [false, false];
    },
    stop: () => {
      for (const socket of pairs) socket.destroy();
      server.close();
    },
  };
}

describe.if(engine === "postgres")("a database outage", () => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  test("requests get 503, service resumes without a restart, and no acknowledged order is lost", async () => {
    const way = await wayTo((await freshDatabase()) ?? "");
    ends.push(way.stop);
    const env = { PACKHOUSE_LOG_LEVEL: "error", PACKHOUSE_SLOW_REQUEST_MS: "60000" };
    const service = await startFreshService({ database_url: way.url, env });
    ends.push(service.remove);
    const api = client(service.url, await service.makeKey("test"));
    const key = await service.makeKey("test");
    const { customer_id, shipping_address_id } = await stockUp(api, ["TEA"], 100_000);
    const order = { customer_id, shipping_address_id, line_items: [{ sku: "TEA", quantity: 1, unit_price: "5.00" }] };
    const place = ordersOf(service.url, key, order);
    let kept = 0;
    const end = steadily(20, async (n) => {
      const problem = await place(n);
      if (problem === null) kept += 1;
      return problem;
    });
    while (kept < 20) await Bun.sleep(20);
    way.cut();
    while ((await fetch(`${service.url}/health`)).status !== 503) await Bun.sleep(100);
    const before = kept;
    way.heal();
    const healed_at = performance.now();
    while (kept < before + 20) await Bun.sleep(20);
    console.log(`It served again ${Math.round(performance.now() - healed_at)} ms after the database was back.`);
    while ((await fetch(`${service.url}/health`)).status !== 200) await Bun.sleep(100);
    const { failed, sent } = await end();
    // A request cut off during its commit may have been stored, and its error states that.
    const codes = new Set(failed.map((line) => /"code":"(\w+)"/.exec(line)?.[1] ?? line));
    expect([...codes].filter((code) => code !== "storage_unavailable" && code !== "write_unknown")).toEqual([]);
    expect(kept + failed.length).toBe(sent);
    const { meta } = await api.must("GET", "/orders?limit=1");
    expect(meta.pagination.total).toBeGreaterThanOrEqual(kept);
  });

  test("the server shuts down on request even if the database does not respond", async () => {
    const way = await wayTo((await freshDatabase()) ?? "");
    ends.push(way.stop);
    const env = { PACKHOUSE_LOG_LEVEL: "error", PACKHOUSE_STOP_SECONDS: "2" };
    const service = await startFreshService({ database_url: way.url, env });
    ends.push(service.remove);
    way.silence();
    // By now a heartbeat is waiting for a response.
    await Bun.sleep(1500);
    const asked_at = performance.now();
    await service.stop();
    expect(performance.now() - asked_at).toBeLessThan(8000);
    way.heal();
  });

  test("an unresponsive connection is dropped, and later work uses another", async () => {
    const schema = `outage_${process.pid}`;
    const way = await wayTo(databaseUrl ?? "");
    ends.push(way.stop);
    await migratePostgres(databaseUrl ?? "", schema, "test", thingMigrations);
    const common = { schema, mode: "test", clock: systemClock(), log: silentLog } as const;
    const store = openPostgres({ url: way.url, ...common, unanswered_ms: 500 });
    ends.push(async () => {
      await store.close();
      const admin = new pg.Client({ connectionString: databaseUrl ?? "" });
      await admin.connect();
      await admin.query(`drop schema ${schema} cascade`);
      await admin.end();
    });
    const write = (name: string) => store.write((tx) => insert(tx, things, [{ name, quantity: 1 }]));
    await write("a");
    // Wait until its connection is free, so that the next write uses it.
    await Bun.sleep(300);
    way.silence();
    await expect(write("b")).rejects.toMatchObject({ code: "storage_unavailable" });
    way.heal();
    await write("c");
    const names = await store.read((db) => db.sql.select({ name: things.name }).from(things));
    expect(names.map(({ name }) => name)).toContain("c");
  });

  test("a connection has at most a thousand prepared statements", async () => {
    const schema = `kept_${process.pid}`;
    await migratePostgres(databaseUrl ?? "", schema, "test", thingMigrations);
    const common = { schema, mode: "test", clock: systemClock(), log: silentLog } as const;
    const store = openPostgres({ url: databaseUrl ?? "", ...common, connections: 2 });
    ends.push(async () => {
      await store.close();
      const admin = new pg.Client({ connectionString: databaseUrl ?? "" });
      await admin.connect();
      await admin.query(`drop schema ${schema} cascade`);
      await admin.end();
    });
    const kept = await store.read(async (db) => {
      const all = db.sql.select({ name: things.name }).from(things);
      for (let n = 0; n < 1200; n += 1) await all.prepare(`many_${n}`).execute();
      // The first ones were evicted and are prepared again.
      await all.prepare("many_0").execute();
      return await db.sql.$count(pgPrepared);
    });
    expect(kept).toBeGreaterThan(900);
    expect(kept).toBeLessThanOrEqual(1000);
    // Statements of the current round trip, such as the BEGIN of a read, are not evicted.
    await store.write((tx) => insert(tx, things, [{ name: "kept", quantity: 1 }]));
    for (let n = 0; n < 1100; n += 1) {
      const found = await store.read((db) =>
        db.sql.select({ name: things.name }).from(things).prepare(`later_${n}`).execute(),
      );
      expect(found).toEqual([{ name: "kept" }]);
    }
  });
});
