// A change of a key takes effect at once in its process: on the next request, and on requests already admitted.
import type { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { api_keys } from "../../../db/schema/keys.ts";
import { products } from "../../../db/schema/products.ts";
import { engine } from "../../../src/core/config.ts";
import { readId } from "../../../src/core/ids.ts";
import { silentLog } from "../../../src/core/log.ts";
import { createKey } from "../../../src/identity/api_keys/api_keys.ts";
import { openSqlite } from "../../../src/storage/sqlite/sqlite_store.ts";
import { openApp, start } from "../../build/service.ts";
import { codeOf } from "../../build/shop.ts";

const app = await openApp();

interface Made {
  readonly id: string;
  readonly key: string;
}

async function make(fields: object = {}): Promise<Made> {
  return (await app.post("/keys", { name: "till", permission: "read_write", ...fields })).body.data;
}

const changes: [string, (id: string) => Promise<unknown>, string][] = [
  ["DELETE", (id) => app.call("DELETE", `/keys/${id}`), "api_key_revoked"],
  ["revoke", (id) => app.post(`/keys/${id}/revoke`), "api_key_revoked"],
  ["rotate without an overlap", (id) => app.post(`/keys/${id}/rotate`, { overlap_seconds: 0 }), "api_key_revoked"],
  [
    "another list of addresses",
    (id) => app.patch(`/keys/${id}`, { ip_mode: "enforce", ip_list: ["198.51.100.7"] }),
    "ip_not_allowed",
  ],
];

let made = 0;
const product = () => JSON.stringify({ sku: `TEA-${++made}`, name: "Tea" });
const skus = async () => (await app.get("/products?limit=100")).body.data.map(({ sku }: { sku: string }) => sku);

describe.each(changes)("%s", (_, change, code) => {
  test("applies to the next request of a key that was just used", async () => {
    const { id, key } = await make();
    expect(codeOf(await app.call("POST", "/products", product(), { key }))).toBe(201);
    await change(id);
    expect(codeOf(await app.call("POST", "/products", product(), { key }))).toBe(code);
    expect(codeOf(await app.call("GET", "/products", undefined, { key }))).toBe(code);
  });

  test.each([{}, { "idempotency-key": "once" }])("stops a write that was already admitted: %j", async (headers) => {
    const { id, key } = await make();
    const slow = beginWrite(key, headers);
    await slow.admitted;
    await change(id);
    const { code: told, sku } = await slow.finish();
    expect(told).toBe(code);
    expect(await skus()).not.toContain(sku);
  });
});

test("an expiring key stops its admitted requests", async () => {
  const { key } = await make({ expires_at: new Date(start + 60_000).toISOString() });
  const slow = beginWrite(key);
  await slow.admitted;
  app.clocks.live.advance(60_000);
  expect((await slow.finish()).code).toBe("api_key_expired");
});

test("a new limit applies to the next request", async () => {
  const { id, key } = await make();
  const limit = async () => {
    const { headers } = await app.call("GET", "/products", undefined, { key });
    return headers.get("ratelimit-policy");
  };
  const before = await limit();
  await app.patch(`/keys/${id}`, { rate_limit_per_minute: 7 });
  expect([before === null, await limit()]).toEqual([false, '"default";q=7;w=60']);
});

test("a key that is revoked during a lookup is not cached", async () => {
  const { id, key } = await make();
  const { live } = app.service.stores;
  const { read } = live;
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // The lookup is done, and its result is held back until the key is revoked.
  const holding: typeof read = async (work) => {
    Object.assign(live, { read });
    const found = await read.call(live, work);
    begun.resolve();
    await held.promise;
    return found as never;
  };
  Object.assign(live, { read: holding });
  const body = product();
  const late = app.call("POST", "/products", body, { key });
  await begun.promise;
  await app.call("DELETE", `/keys/${id}`);
  held.resolve();
  expect(codeOf(await late)).toBe("api_key_revoked");
  expect(codeOf(await app.call("GET", "/products", undefined, { key }))).toBe("api_key_revoked");
});

test("an import stops where its key was revoked", async () => {
  const { id, key } = await make();
  const rows = Array.from({ length: 2000 }, (_, at) => `FILE-${String(at).padStart(4, "0")},Tea`);
  const file = ["sku,name", ...rows, ""].join("\n");
  const headers = { "content-type": "text/csv" };
  const taking = app.call("POST", "/products/import", file, { key, headers });
  const taken = async () => (await app.get("/products?q=FILE-&limit=1")).body.meta.pagination.total;
  while ((await taken()) === 0) await Bun.sleep(1);
  await app.call("DELETE", `/keys/${id}`);
  const until = await taken();
  expect(codeOf(await taking)).toBe("api_key_revoked");
  // On PostgreSQL, a transaction that started alongside the one that ends the key may end after it.
  expect(await taken()).toBeLessThanOrEqual(until + 200);
  expect(until).toBeLessThan(1000);
});

test("a request that waited for its body sees a change by another process", async () => {
  const { id, key } = await make();
  const slow = beginWrite(key);
  await slow.admitted;
  const { live } = app.service.stores;
  const number = readId("key", id) ?? 0;
  // Without notifying this process, as another process would do it.
  await live.write(async (tx) => {
    await tx.sql.update(api_keys).set({ revoked_at: tx.now }).where(eq(api_keys.id, number));
  });
  await Bun.sleep(600);
  expect((await slow.finish()).code).toBe("api_key_revoked");
});

test.skipIf(engine !== "sqlite")("a key created by a command works while the disk confirms a write", async () => {
  let disk = Promise.resolve();
  const slow = await openApp({ sync: () => disk });
  const { live } = slow.service.stores;
  const path = await live.write(async (tx) => (tx.sql as unknown as { $client: Database }).$client.filename);
  const { promise, resolve: confirm } = Promise.withResolvers<void>();
  disk = promise;
  const writing = slow.post("/products", JSON.parse(product()));
  const names = async () => (await slow.get("/products")).body.data.map(({ name }: { name: string }) => name);
  // Alongside the server, as `packhouse keys create` does it.
  const command = openSqlite({
    path,
    mode: "live",
    clock: slow.clocks.live,
    log: silentLog,
    fatal: () => {},
    waits: "commits",
  });
  const isCommitted = () =>
    command.read(async (db) => (await db.sql.select({ id: products.id }).from(products)).length > 0);
  while (!(await isCommitted())) await Bun.sleep(1);
  const random = crypto.getRandomValues(new Uint8Array(96));
  const { text } = await command.write((tx) => createKey(tx, { name: "till", permission: "full" }, random));
  await command.close();
  expect(await names()).toEqual([]);
  const reading = slow.call("GET", "/products", undefined, { key: text });
  await Bun.sleep(20);
  confirm();
  expect(codeOf(await reading)).toBe(200);
  await writing;
});

/** A request to create a product whose body comes late, and its response. */
function beginWrite(key: string, headers: Record<string, string> = {}) {
  const text = product();
  const { promise: admitted, resolve: admit } = Promise.withResolvers<void>();
  const { promise: whole, resolve: send } = Promise.withResolvers<void>();
  const body = new ReadableStream(
    {
      // The body is read once the request is admitted.
      async pull(controller) {
        admit();
        await whole;
        controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const request = new Request("http://packhouse.test/v1/products", {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body,
  });
  const answer = app.app.handle(request);
  const finish = async () => {
    send();
    const response = await answer;
    return {
      code: codeOf({ status: response.status, body: (await response.json()) as object }),
      sku: JSON.parse(text).sku,
    };
  };
  return { admitted, finish };
}
