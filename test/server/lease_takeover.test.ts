// Of two servers on one PostgreSQL database, one is killed while it holds claims: the other takes over within seconds.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import pg from "pg";
import type { StartedService } from "../../scripts/service.ts";
import { engine } from "../../src/core/config.ts";
import { client, freshDatabase } from "../flows/service.ts";
import { startWatchedService } from "../flows/watched_service.ts";

setDefaultTimeout(120_000);
// A claim of a delivery expires after 30 seconds, the others after minutes.
const soon_ms = 20_000;

describe.if(engine === "postgres")("a server that is killed", () => {
  let database_url: string;
  let database: pg.Client;
  const started: StartedService[] = [];
  const start = async () => {
    const service = await startWatchedService({ database_url });
    started.push(service);
    return service;
  };
  beforeAll(async () => {
    database_url = (await freshDatabase()) ?? "";
    database = new pg.Client({ connectionString: database_url });
    await database.connect();
  });
  afterAll(async () => {
    await database?.end();
    for (const service of started) await service.remove();
  });

  const registered = async () => {
    const found = await database.query<{ id: string }>("select id from live.servers order by id");
    return found.rows.map(({ id }) => Number(id));
  };

  test("has its pending delivery sent once by another; a clean shutdown leaves nothing to take over", async () => {
    const first = await start();
    const api = client(first.url, first.first_keys.test);
    const arrived = Promise.withResolvers<void>();
    const again = Promise.withResolvers<string>();
    const ids: string[] = [];
    const receiver = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        ids.push(request.headers.get("webhook-id") ?? "");
        if (ids.length > 1) again.resolve(ids.at(-1) ?? "");
        else {
          arrived.resolve();
          // The first attempt is pending until its server is killed.
          await again.promise;
        }
        return new Response("ok");
      },
    });
    await api.must("POST", "/products", { sku: "TEA", name: "Tea" });
    const hook = { url: `http://127.0.0.1:${receiver.port}/`, events: ["inventory.received"], version: "v2" };
    await api.must("POST", "/webhooks", hook);
    await api.must("POST", "/inventory", { sku: "TEA", quantity: 1 });
    await arrived.promise;
    const second = await start();
    expect(await registered()).toHaveLength(2);
    const killed_at = performance.now();
    await first.kill();
    expect(await again.promise).toBe(ids[0] ?? "");
    const took_ms = performance.now() - killed_at;
    console.log(`The delivery was handed on after ${(took_ms / 1000).toFixed(1)} s.`);
    expect(took_ms).toBeLessThan(soon_ms);
    await receiver.stop(true);
    while ((await registered()).length > 1) await Bun.sleep(50);
    expect(await second.stop()).toBe(0);
    expect(await registered()).toEqual([]);
  });
});
