// A request sent to two servers of one PostgreSQL database while the first is still processing it.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import pg from "pg";
import type { StartedService } from "../../scripts/service.ts";
import { engine } from "../../src/core/config.ts";
import { client, freshDatabase } from "./service.ts";
import { startWatchedService } from "./watched_service.ts";

setDefaultTimeout(60_000);

describe.if(engine === "postgres")("a request that another server is processing", () => {
  let servers: [StartedService, StartedService];
  let keys: { live: string; test: string };
  let database: pg.Client;
  beforeAll(async () => {
    const database_url = await freshDatabase();
    const first = await startWatchedService({ database_url });
    servers = [first, await startWatchedService({ database_url })];
    keys = { live: await first.makeKey("live"), test: await first.makeKey("test") };
    database = new pg.Client({ connectionString: database_url ?? "" });
    await database.connect();
  });
  afterAll(async () => {
    await database.end();
    for (const server of servers) await server.remove();
  });

  const send = async (at: 0 | 1, path: string, body: object, key = keys.live, method = "PATCH") => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": "one" };
    const response = await fetch(`${servers[at].url}/v1${path}`, { method, headers, body: JSON.stringify(body) });
    const { status, headers: told } = response;
    const text = await response.text();
    return { status, text, code: JSON.parse(text).error?.code, told };
  };
  const makeProduct = async (sku: string) =>
    (await client(servers[0].url, keys.live).must("POST", "/products", { sku, name: "Tea" })).data.id as string;

  /** Keeps a product locked while `work` runs. Resolves once a server waits for it. */
  async function whileLocked<T>(id: string, begin: () => Promise<T>, work: () => Promise<void>): Promise<T> {
    await database.query("begin");
    await database.query("select id from live.products where id = $1 for update", [Number(id.slice(4))]);
    const begun = begin();
    const waiting = "select 1 from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))";
    while ((await database.query(waiting)).rows.length === 0) await Bun.sleep(20);
    await work();
    await database.query("commit");
    return begun;
  }

  test("is refused at once, whatever it requests, and gets the first response afterwards", async () => {
    const id = await makeProduct("LOCKED");
    const path = `/products/${id}`;
    const first = await whileLocked(
      id,
      () => send(0, path, { name: "Green tea" }),
      async () => {
        for (const name of ["Green tea", "Black tea"]) {
          const again = await send(1, path, { name });
          expect([again.status, again.code, again.told.get("retry-after")]).toEqual([
            409,
            "idempotency_key_in_use",
            "1",
          ]);
        }
        // The other environment has its own keys.
        expect((await send(1, "/products", { sku: "OTHER", name: "Tea" }, keys.test, "POST")).status).toBe(201);
      },
    );
    expect([first.status, first.told.get("idempotency-replayed")]).toEqual([200, null]);
    const again = await send(1, path, { name: "Green tea" });
    expect([again.status, again.text, again.told.get("idempotency-replayed")]).toEqual([200, first.text, "true"]);
    expect((await send(1, path, { name: "Black tea" })).code).toBe("idempotency_key_reused");
    expect((await client(servers[1].url, keys.live).must("GET", path)).data).toMatchObject({ revision: 2 });
  });

  test("is processed once the first one has failed", async () => {
    const id = await makeProduct("KILLED");
    const path = `/products/${id}`;
    await database.query("delete from live.idempotency_keys");
    const first = await whileLocked(
      id,
      () => send(0, path, { name: "Green tea" }).catch(() => null),
      async () => {
        expect((await send(1, path, { name: "Green tea" })).status).toBe(409);
        await servers[0].kill();
        // Its transaction ends with it, even though it still waits for a lock.
        const waiting = "pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))";
        await database.query(`select pg_terminate_backend(pid) from ${waiting}`);
      },
    );
    expect(first).toBe(null);
    let next = await send(1, path, { name: "Green tea" });
    // The lock is released once the database notices.
    for (; next.status === 409; next = await send(1, path, { name: "Green tea" })) await Bun.sleep(20);
    expect([next.status, next.told.get("idempotency-replayed")]).toEqual([200, null]);
    expect((await client(servers[1].url, keys.live).must("GET", path)).data).toMatchObject({ revision: 2 });
  });
});
