import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { version } from "../../src/core/config.ts";
import { type LogFormat, type LogLevel, openLog } from "../../src/core/log.ts";
import { openRequestPipeline } from "../../src/http/request_pipeline.ts";
import { openApp, type TestApp } from "../build/service.ts";

setDefaultTimeout(30_000);
let app: TestApp;
beforeEach(async () => {
  app = await openApp();
});

/** A request pipeline with a readable log. */
function entranceOf({ slow_ms = 60_000, level = "info", format = "json" } = {}) {
  const lines: string[] = [];
  const settings = { level: level as LogLevel, format: format as LogFormat };
  const log = openLog({ ...settings, write: (line) => lines.push(line) });
  const entrance = openRequestPipeline({ log, slow_ms, now: () => 0 }, async (request) => app.app.handle(request));
  const send = (method: string, path: string, key: string | null, init: RequestInit = {}) =>
    entrance.answer(
      new Request(`http://packhouse.test${path}`, {
        method,
        ...init,
        headers: {
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(init.headers as Record<string, string>),
        },
      }),
    );
  return { lines, send, entrance };
}

describe("the log line of a request: works", () => {
  test("has exactly these fields", async () => {
    const { lines, send } = entranceOf();
    const headers = { "x-request-id": "mine-1", "content-type": "application/json" };
    const body = JSON.stringify({ sku: "TEA", name: "Personal" });
    const answer = await send("POST", "/v1/products", app.keys.live.full, { headers, body });
    expect(answer.status).toBe(201);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        time: expect.any(String),
        level: "info",
        message: "request",
        method: "POST",
        route: "/products",
        status: 201,
        code: null,
        ms: expect.any(Number),
        request_id: "mine-1",
        key_id: expect.stringMatching(/^key_\d+$/),
        mode: "live",
      },
    ]);
  });

  test("names the route, not the path, and the reason of a refusal", async () => {
    const { lines, send } = entranceOf();
    await send("GET", "/v1/orders?email=jane@example.com", app.keys.test.read);
    await send("GET", "/v1/customers/jane@example.com/what", app.keys.live.read);
    await send("POST", "/v1/orders", app.keys.live.read);
    await send("GET", "/v1/orders", null);
    await send("GET", "/v1/orders", `${app.keys.live.read.slice(0, -6)}000000`);
    const told = lines.map((line) => JSON.parse(line));
    expect(told.map(({ route, status, code, mode }) => [route, status, code, mode])).toEqual([
      ["/orders", 422, "validation_failed", "test"],
      [null, 404, "route_not_found", "live"],
      ["/orders", 403, "insufficient_permission", "live"],
      ["/orders", 401, "authentication_required", null],
      ["/orders", 401, "invalid_api_key", null],
    ]);
    expect(lines.join()).not.toContain("jane");
    expect(lines.join()).not.toContain("ph_live_");
  });

  test("is a warning for a slow request, even if other requests are not logged", async () => {
    const slow = entranceOf({ slow_ms: 0, level: "warn" });
    await slow.send("GET", "/health", null);
    expect(slow.lines.map((line) => JSON.parse(line))).toMatchObject([{ level: "warn", message: "slow request" }]);
    const quick = entranceOf({ level: "warn" });
    await quick.send("GET", "/health", null);
    expect(quick.lines).toEqual([]);
  });
});

describe("health: works", () => {
  test("reports only status, version and storage to unauthenticated callers", async () => {
    const { status, body, headers } = await app.call("GET", "/health", undefined, { key: null });
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(Object.keys(body)).toEqual(["status", "version", "storage"]);
    expect(body).toMatchObject({ status: "ok", version, storage: { live: "ok", test: "ok" } });
    expect(Object.keys(body.storage)).toEqual(["engine", "live", "test", "migrations", "room"]);
  });
});

describe("health: guards", () => {
  test("returns 503 while a database is down, and checks once for concurrent requests", async () => {
    await app.service.stores.test.close();
    const answers = await Promise.all([1, 2, 3].map(() => app.call("GET", "/health", undefined, { key: null })));
    for (const { status, body } of answers) {
      expect([status, body.status, body.storage.live, body.storage.test]).toEqual([503, "failing", "ok", "failing"]);
    }
  });

  test("a closed pipeline refuses requests and closes their connections", async () => {
    const { send, entrance, lines } = entranceOf();
    entrance.close();
    const answer = await send("GET", "/v1/orders", app.keys.live.read);
    expect([answer.status, answer.headers.get("connection")]).toEqual([503, "close"]);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ status: 503, code: "unavailable" }]);
    expect(await entrance.emptied(1000)).toBe(true);
  });
});
