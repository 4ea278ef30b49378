import { describe, expect, test } from "bun:test";
import type { Call } from "../../src/http/call.ts";
import { holdIdempotencyLock } from "../../src/http/idempotency.ts";
import { createKey } from "../../src/identity/api_keys/api_keys.ts";
import { createApp } from "../../src/server/app.ts";
import type { Store, TenantScope } from "../../src/storage/database.ts";
import { scopedStore } from "../../src/storage/scoped_store.ts";
import { type Answered, openApp } from "../build/service.ts";
import { tellStory } from "../server/openapi/story/story.ts";

const app = await openApp();

const product = () => ({ sku: crypto.randomUUID(), name: "Tea" });
const found = async (sku: string) => (await app.get(`/products?sku=${sku}`)).body.data.length;
const send = (key: string, method: string, path: string, body?: unknown, more: { key?: string } = {}) =>
  app.call(method, path, body, { headers: { "idempotency-key": key }, ...more });
const isReplay = ({ headers }: Answered) => headers.get("idempotency-replayed") === "true";

describe("works", () => {
  test("a request that is sent twice takes effect once and gets the same bytes", async () => {
    const twice = await openApp();
    const once = twice.call;
    const differing: string[] = [];
    let repeated = 0;
    /** Sends each write a second time, except those that only read, and returns the first response. */
    const call: typeof once = async (method, path, body, options = {}) => {
      const isAsking =
        method === "GET" || /^\/(tracking\/batch|shipping\/rates|shipping\/rules\/trials|addresses\/verify)/.test(path);
      // The story sets its own keys where it is about keys.
      if (isAsking || options.headers?.["idempotency-key"] !== undefined) return once(method, path, body, options);
      const headers = { ...options.headers, "idempotency-key": `story-${++repeated}` };
      const first = await once(method, path, body, { ...options, headers });
      const again = await once(method, path, body, { ...options, headers });
      const same = JSON.stringify(again.body) === JSON.stringify(first.body) && again.status === first.status;
      // Personal data is not stored for another day, so it is collected again.
      const isTold = /^\/(disclosures|customers\/\w+\/disclosure)$/.test(path);
      const isRight = isTold ? again.status === first.status && !isReplay(again) : same && isReplay(again);
      if (first.status < 300 && !isRight) differing.push(`${method} ${path}: ${again.status}`);
      return first;
    };
    await tellStory({ ...twice, call });
    expect(differing).toEqual([]);
    expect(repeated).toBeGreaterThan(60);
  }, 60_000);

  test("a hundred identical concurrent requests have one effect and one response", async () => {
    const body = product();
    const answers = await Promise.all(Array.from({ length: 100 }, () => send("hundred", "POST", "/products", body)));
    expect(await found(body.sku)).toBe(1);
    // On a busy machine, some may have to retry.
    const done = answers.filter(({ status }) => status !== 409);
    expect(new Set(done.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
    expect(done.filter((answer) => !isReplay(answer)).length).toBe(1);
    for (const { status, body } of answers) {
      expect([201, 409]).toContain(status);
      if (status === 409) expect(body.error.code).toBe("idempotency_key_in_use");
    }
  }, 30_000);

  test("PATCH and DELETE take effect once too, and both base paths and any query order count as one URL", async () => {
    const { id } = (await app.post("/products", product())).body.data;
    const patch = (base: string, query: string) =>
      app.app.handle(
        new Request(`http://packhouse.test${base}/products/${id}${query}`, {
          method: "PATCH",
          headers: {
            authorization: `Bearer ${app.keys.live.full}`,
            "content-type": "application/json",
            "idempotency-key": '"patched"',
          },
          body: '{"name":"Other"}',
        }),
      );
    const first = await patch("/v1", "");
    const again = await patch("/api/v1", "");
    expect([first.status, again.status, await again.text()]).toEqual([200, 200, await first.text()]);
    expect([first.headers.get("etag"), again.headers.get("etag")]).toEqual(['"2"', '"2"']);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const hook = await app.post("/webhooks", { url: "https://shop.example.com/hook", events: ["order.created"] });
    const gone = await send("gone", "DELETE", `/webhooks/${hook.body.data.id}`);
    expect([gone.status, isReplay(await send("gone", "DELETE", `/webhooks/${hook.body.data.id}`))]).toEqual([
      200,
      true,
    ]);
  });

  test("a refusal by the command is replayed, even if the command would succeed now", async () => {
    const { sku } = (await app.post("/products", product())).body.data;
    const reserve = { order_id: `O-${sku}`, items: [{ sku, quantity: 1 }] };
    const first = await send("short", "POST", "/inventory/reserve", reserve);
    expect([first.status, first.body.error.code]).toEqual([409, "insufficient_inventory"]);
    await app.post("/inventory", { sku, quantity: 5 });
    const again = await send("short", "POST", "/inventory/reserve", reserve);
    expect([again.status, again.body, isReplay(again)]).toEqual([409, first.body, true]);
    expect((await send("short-2", "POST", "/inventory/reserve", reserve)).status).toBe(201);
  });

  test("another API key of the same environment gets the stored response, one of the other does not", async () => {
    const body = product();
    const first = await send("rotated", "POST", "/products", body);
    const random = crypto.getRandomValues(new Uint8Array(96));
    const { text } = await app.service.stores.live.write((tx) =>
      createKey(tx, { name: "new", permission: "read_write", rate_limit_per_minute: 0 }, random),
    );
    const again = await send("rotated", "POST", "/products", body, { key: text });
    expect([again.status, again.body, isReplay(again)]).toEqual([201, first.body, true]);
    const elsewhere = await send("rotated", "POST", "/products", body, { key: app.keys.test.full });
    expect([elsewhere.status, isReplay(elsewhere)]).toEqual([201, false]);
  });

  test("a repeated request is replayed even if its URL would be refused now", async () => {
    const body = { url: "http://127.0.0.1:9/hook", events: ["order.created"] };
    const key = app.keys.test.full;
    const first = await send("address", "POST", "/webhooks", body, { key });
    expect([first.status, first.body.data.secret.slice(0, 6)]).toEqual([201, "whsec_"]);
    const elsewhere = createApp({ ...app.service, loopback_only: false, loopback_receivers: false });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const ask = async (more: Record<string, string>) => {
      const sent = { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) };
      const answer = await elsewhere.handle(new Request("http://packhouse.test/v1/webhooks", sent));
      return { status: answer.status, body: await answer.json() };
    };
    expect(await ask({ "idempotency-key": "address" })).toEqual({ status: 201, body: first.body });
    expect((await ask({})).body).toMatchObject({ error: { code: "blocked_address" } });
  });

  test("a response is stored for a day", async () => {
    const own = await openApp();
    const receive = () => own.call("POST", "/products", product(), { headers: { "idempotency-key": "day" } });
    const { body } = await receive();
    own.clocks.live.advance(86_400_000 - 1);
    expect((await receive()).body.error.code).toBe("idempotency_key_reused");
    own.clocks.live.advance(1);
    const next = await receive();
    expect([next.status, next.body.data.id === body.data.id]).toEqual([201, false]);
  });
});

describe("refuses", () => {
  test("a key that was used for another request: another body, query, path or method", async () => {
    const body = product();
    const { id } = (await send("other", "POST", "/products", body)).body.data;
    for (const [method, path, sent] of [
      ["POST", "/products", { ...body, name: "Coffee" }],
      ["POST", "/products", JSON.stringify(body, null, 1)],
      ["POST", "/customers", { email: "a@example.com" }],
      ["PATCH", `/products/${id}`, {}],
      ["DELETE", "/orders/ord_1?reason=fraud", undefined],
    ] as const) {
      const { status, body: answer } = await send("other", method, path, sent);
      expect([method, path, status, answer.error.code]).toEqual([method, path, 422, "idempotency_key_reused"]);
    }
    expect(isReplay(await send("other", "POST", "/products", body))).toBe(true);
  });

  test("a key that was used for another request, whatever else is wrong with the new one", async () => {
    const body = product();
    const { id } = (await send("twice-wrong", "POST", "/products", body)).body.data;
    for (const [method, path, sent] of [
      ["POST", "/products", {}],
      ["POST", "/products", '{"sku":'],
      ["PATCH", `/products/${id}`, { name: 7, colour: "green" }],
      ["DELETE", "/orders/ord_1?reason=boredom", undefined],
      ["POST", "/webhooks", { url: "ftp://shop.example.com", events: ["order.created"] }],
      ["POST", "/webhooks", { url: "https://10.0.0.1/hook", events: ["order.created"] }],
    ] as const) {
      const { status, body: answer } = await send("twice-wrong", method, path, sent);
      expect([method, path, status, answer.error.code]).toEqual([method, path, 422, "idempotency_key_reused"]);
      expect((await app.call(method, path, sent)).body.error.code).not.toBe("idempotency_key_reused");
    }
    // Operations that only read ignore the key.
    const asked = await send("twice-wrong", "POST", "/tracking/batch", { tracking_numbers: 7 });
    expect(asked.body.error.code).toBe("validation_failed");
    expect(isReplay(await send("twice-wrong", "POST", "/products", body))).toBe(true);
  });

  test.each([
    ["", 400],
    ["a b", 400],
    ["é", 400],
    ["x".repeat(256), 400],
    ['""', 400],
    ["x".repeat(255), 201],
  ])("an invalid key: %j", async (key, status) => {
    const answer = await send(key, "POST", "/products", product());
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body.error.code).toBe("malformed_header");
  });

  test("a duplicate of a request that has been in progress for long, with a time to retry", async () => {
    const own = { base: {} } as Call["store"];
    const call = () => ({ store: own }) as Call;
    const { promise, resolve } = Promise.withResolvers<string>();
    const first = holdIdempotencyLock(call(), "slow", () => promise);
    const second = holdIdempotencyLock(call(), "slow", async () => "second").catch((error) => error);
    expect(await holdIdempotencyLock(call(), "another", async (waited) => waited)).toBe(false);
    expect(await second).toMatchObject({ code: "idempotency_key_in_use", facts: { retry_after_seconds: 1 } });
    const third = holdIdempotencyLock(call(), "slow", async (waited) => waited);
    resolve("first");
    expect([await first, await third]).toEqual(["first", true]);
  }, 20_000);
});

describe("guards", () => {
  test("a request that was refused before it began, or for a missing record, is not stored", async () => {
    const body = product();
    const sent = (id: string) => send("kept-not", "PATCH", `/products/${id}`, { name: "Other" });
    expect((await sent("prd_9")).status).toBe(404);
    const { id } = (await app.post("/products", body)).body.data;
    expect((await send("kept-not", "PATCH", `/products/${id}`, { name: 7 })).status).toBe(422);
    expect(
      (
        await app.call(
          "PATCH",
          `/products/${id}`,
          { name: "Other" },
          { headers: { "idempotency-key": "kept-not", "if-match": '"9"' } },
        )
      ).status,
    ).toBe(412);
    const done = await sent(id);
    expect([done.status, isReplay(done)]).toEqual([200, false]);
  });

  test("an internal error is not stored", async () => {
    const { live } = app.service.stores;
    let fails = true;
    const store: Store = Object.create(live, {
      scoped: { value: (scope: TenantScope) => scopedStore(store, scope) },
      write: {
        value: (...given: Parameters<typeof live.write>) =>
          fails ? Promise.reject(new Error("the disk fell out")) : live.write(...given),
      },
    });
    const failing = createApp({ ...app.service, stores: { ...app.service.stores, live: store } });
    const receive = () =>
      failing.handle(
        new Request("http://packhouse.test/v1/products", {
          method: "POST",
          headers: {
            authorization: `Bearer ${app.keys.live.full}`,
            "content-type": "application/json",
            "idempotency-key": "broken",
          },
          body: '{"sku":"AFTER-A-FAILURE","name":"Tea"}',
        }),
      );
    expect((await receive()).status).toBe(500);
    fails = false;
    expect((await receive()).status).toBe(201);
    expect(await found("AFTER-A-FAILURE")).toBe(1);
  });

  test("the second of two identical concurrent imports gets the report of the first", async () => {
    const file = `sku,name\n${Array.from({ length: 400 }, (_, at) => `BOTH-${at},Tea`).join("\n")}`;
    const headers = { "content-type": "text/csv", "idempotency-key": "both" };
    const send = async (): Promise<Answered> => {
      const before = performance.now();
      const answer = await app.call("POST", "/products/import", file, { headers });
      if (answer.body.error?.code !== "idempotency_key_in_use") return answer;
      // On a busy machine, the first may take longer than the second waits. The second then has to retry.
      expect(performance.now() - before).toBeGreaterThan(1900);
      return await send();
    };
    const both = await Promise.all([send(), send()]);
    expect(both.map(({ body }) => body.data.created)).toEqual([400, 400]);
    expect(both.filter(isReplay).length).toBe(1);
  }, 20_000);
});
