import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { randomId } from "../../../src/core/ids.ts";
import { silentLog } from "../../../src/core/log.ts";
import {
  type LoggedRequest,
  lineOf,
  loggedQuery,
  narrowedByRequestId,
  readLine,
} from "../../../src/http/request_log/logged_request.ts";
import { forgetOldRequests, requestLogOf } from "../../../src/http/request_log/request_log.jobs.ts";
import { findRequests } from "../../../src/http/request_log/request_log.sql.ts";
import { openRequestPipeline } from "../../../src/http/request_pipeline.ts";
import { openTestApp, start, type TestApp } from "../../build/service.ts";
import { tries } from "../../volume.ts";
import { storeBlock } from "./logged_requests.ts";

setDefaultTimeout(30_000);
let app: TestApp;
beforeEach(async () => {
  app = await openTestApp();
});
afterEach(async () => {
  await requestLogOf(app.service).flush();
  await app.close();
});

/** Sends requests through the request pipeline, as the server does. */
function sender() {
  const settings = { log: silentLog, slow_ms: 60_000, now: () => 0, observers: app.service.observers };
  const entrance = openRequestPipeline(settings, async (request) => app.app.handle(request));
  return async (method: string, path: string, key: string | null, body?: object, more: Record<string, string> = {}) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(text === undefined ? {} : { "content-type": "application/json", "content-length": `${text.length}` }),
      ...more,
    };
    const init = { method, headers, ...(text === undefined ? {} : { body: text }) };
    return entrance.answer(new Request(`http://packhouse.test${path}`, init));
  };
}

const logged = async (query = "", key = app.keys.live.full) =>
  (await app.call("GET", `/requests${query}`, undefined, { key })).body;

describe("the request log: works", () => {
  test("can leave out the dashboard's own background requests", async () => {
    const asked = {
      route: "/orders",
      path: "/orders",
      status: 200,
      code: null,
      ip: null,
      bytes_in: null,
      bytes_out: 2,
    };
    const from = (actor_id: string | null, method: string, query: string, request_id: string) => {
      return { ...asked, at: start, actor_id, method, query, request_id, took_ms: 1 };
    };
    const all = [
      from("usr_1", "GET", "limit=50", "read"),
      from("usr_1", "POST", "dry_run=true", "preview"),
      from("usr_1", "POST", "", "act"),
      from("key_1", "GET", "", "program"),
      from("key_1", "POST", "dry_run=true", "rehearsal"),
      from(null, "GET", "", "stranger"),
    ];
    await app.service.stores.live.write((tx) => storeBlock(tx, all));
    const names = new Set(all.map(({ request_id }) => request_id));
    const ids = async (query: string) =>
      (await logged(query)).data.flatMap(({ request_id: id }: { request_id: string }) => (names.has(id) ? id : []));
    expect(await ids("?dashboard_reads=false")).toEqual(["stranger", "rehearsal", "program", "act"]);
    expect(await ids("?dashboard_reads=false&q=read")).toEqual(["read"]);
    expect(await ids("")).toEqual(["stranger", "rehearsal", "program", "act", "preview", "read"]);
  });

  test("records a request and its outcome, without secrets", async () => {
    const send = sender();
    const body = { sku: "TEA", name: "Very personal", weight: 1, weight_unit: "lb", price: "5.00" };
    const made = await send("POST", "/v1/products?", app.keys.live.full, body, { "x-request-id": "mine-1" });
    expect(made.status).toBe(201);
    const answered = (await made.text()).length;
    await send("GET", "/api/v1/orders/7?token=hush&limit=3&api_key=hush", app.keys.live.read);
    await send("GET", "/v1/orders", null);
    await send("GET", "/health", null);
    const { data } = await logged();
    const [{ id: key_id }] = (await app.call("GET", "/keys?limit=1")).body.data.filter(
      ({ permission }: { permission: string }) => permission === "full",
    );
    expect(data.length).toBe(3);
    expect(data[2]).toEqual({
      id: expect.stringMatching(/^log_\d+_0$/),
      request_id: "mine-1",
      at: "2026-01-02T03:04:05.000Z",
      method: "POST",
      path: "/products",
      query: "",
      route: "/products",
      status: 201,
      error_code: null,
      actor_id: key_id,
      ip_address: "127.0.0.1",
      duration_ms: expect.any(Number),
      request_bytes: JSON.stringify(body).length,
      response_bytes: answered,
    });
    expect(data[1]).toMatchObject({ path: "/orders/7", route: "/orders/:id", query: "token=…&limit=3&api_key=…" });
    expect(data[0]).toMatchObject({ status: 401, error_code: "authentication_required", actor_id: null });
    expect(JSON.stringify(data)).not.toMatch(/personal|hush|ph_live/i);
    expect((await app.call("GET", `/requests/${data[2].id}`)).body.data).toEqual(data[2]);
    expect((await app.call("GET", "/requests/mine-1")).body.data).toEqual(data[2]);
  });

  test("can be narrowed by each filter, in one environment only", async () => {
    const send = sender();
    await send("GET", "/v1/products", app.keys.live.read);
    app.clocks.live.pass(60_000);
    await send("GET", "/v1/products/none", app.keys.live.full);
    await send("POST", "/v1/products", app.keys.live.read_write, {}, { "x-request-id": "mine-2" });
    await send("GET", "/v1/products", app.keys.test.full);
    const { data: all } = await logged();
    expect(all.length).toBe(3);
    const [post, missing, list] = all;
    const found = async (query: string) => (await logged(query)).data;
    expect(await found(`?actor=${missing.actor_id}`)).toEqual([missing]);
    expect(await found(`?actor=${missing.actor_id},${list.actor_id}`)).toEqual([missing, list]);
    expect(await found("?status=4xx")).toEqual([post, missing]);
    expect(await found("?status=422,2xx")).toEqual([post, list]);
    expect(await found("?method=POST,GET,PUT")).toEqual(all);
    expect(await found("?status=422")).toEqual([post]);
    expect(await found("?method=GET")).toEqual([missing, list]);
    expect(await found("?route=/products/:id")).toEqual([missing]);
    expect(await found("?created_after=2026-01-02T03:05:05Z")).toEqual([post, missing]);
    expect(await found("?created_before=2026-01-02T03:05:05Z")).toEqual([list]);
    expect(await found("?q=mine-2")).toEqual([post]);
    expect((await logged("", app.keys.test.full)).data.length).toBe(1);
    expect((await app.call("GET", "/requests/log_999_0")).status).toBe(404);
    expect((await app.call("GET", "/requests", undefined, { key: app.keys.live.read_write })).status).toBe(403);
  });

  test("a block of requests is one row, and pages contain each of its requests once", async () => {
    const send = sender();
    for (let count = 0; count < 25; count += 1)
      await send("GET", `/v1/products?limit=${count + 1}`, app.keys.live.read);
    const seen: string[] = [];
    let cursor = "";
    do {
      const { data, meta } = await logged(`?limit=7${cursor}`);
      seen.push(...data.map(({ query }: { query: string }) => query));
      cursor = meta.pagination.next_cursor === null ? "" : `&cursor=${meta.pagination.next_cursor}`;
    } while (cursor !== "");
    expect(seen).toEqual(Array.from({ length: 25 }, (_, at) => `limit=${25 - at}`));
    const ids = (await logged()).data.map(({ id }: { id: string }) => id.split("_")[1]);
    expect(new Set(ids).size).toBe(1);
  });

  test("many unsaved requests are written in one commit, and none is lost if it fails", async () => {
    const send = sender();
    const { live } = app.service.stores;
    const commits = { failing: true, count: 0 };
    const write = live.write.bind(live);
    live.write = (work) => {
      commits.count += 1;
      return commits.failing ? Promise.reject(new Error("no room")) : write(work);
    };
    const many = 2500;
    for (let count = 0; count < many; count += 1) await send("GET", "/v1/events/types", app.keys.live.read);
    const log = requestLogOf(app.service);
    await expect(log.flush()).rejects.toThrow("no room");
    Object.assign(commits, { failing: false, count: 0 });
    await log.flush();
    expect(commits.count).toBe(1);
    const any = { limit: many + 1, after: null };
    const { rows } = await live.read((db) => findRequests(db, nothing, any));
    expect(rows.length).toBe(many);
    expect(new Set(rows.map(({ request_id }) => request_id)).size).toBe(many);
    expect(Math.max(...rows.map(({ line }) => line))).toBeLessThan(1000);
  });

  test("each request is written once, however many flushes run concurrently", async () => {
    const send = sender();
    const { live } = app.service.stores;
    const write = live.write.bind(live);
    live.write = async (work) => {
      await Bun.sleep(20);
      return write(work);
    };
    const ask = async (times: number) => {
      for (let count = 0; count < times; count += 1) await send("GET", "/v1/events/types", app.keys.live.read);
    };
    const log = requestLogOf(app.service);
    await ask(15);
    await Promise.all([log.flush(), log.flush(), ask(1200), log.flush()]);
    await log.flush();
    const { rows } = await live.read((db) => findRequests(db, nothing, { limit: 5000, after: null }));
    expect(rows.length).toBe(1215);
    expect(new Set(rows.map(({ request_id }) => request_id)).size).toBe(1215);
  });

  test("requests are deleted after their retention", async () => {
    const send = sender();
    await send("GET", "/v1/products", app.keys.live.read);
    await logged();
    app.clocks.live.pass(8 * 86_400_000);
    await send("GET", "/v1/customers", app.keys.live.read);
    await logged();
    await forgetOldRequests(app.service.stores.live, app.service);
    expect((await logged()).data.map(({ path }: { path: string }) => path)).toEqual(["/customers"]);
  });

  test("unauthenticated requests cannot fill the log", async () => {
    const send = sender();
    for (let count = 0; count < 300; count += 1) await send("GET", "/v1/products", null);
    await send("GET", "/v1/products", app.keys.live.read);
    const { data } = await logged("?limit=100&status=2xx");
    expect(data.length).toBe(1);
    const rows = await app.service.stores.live.read((db) =>
      findRequests(db, { ...nothing, statuses: ["4xx"] }, { limit: 1000, after: null }),
    );
    expect(rows.rows.length).toBeLessThan(300);
  });
});

const nothing = {
  ...{ actor_ids: null, statuses: null, methods: null, route: null },
  ...{ from: null, to: null, request_id: null },
};

const requests: fc.Arbitrary<LoggedRequest> = fc.record({
  at: fc.integer({ min: 0, max: 50 }).map((ms) => start + ms),
  method: fc.constantFrom("GET", "POST"),
  route: fc.constantFrom("/orders", "/orders/:id", null),
  path: fc.constantFrom("/orders", "/orders/7", '/with "quotes" and \\'),
  query: fc.constantFrom("", "q=a\nb"),
  status: fc.constantFrom(200, 201, 304, 404, 422, 500),
  code: fc.constantFrom(null, "validation_failed"),
  actor_id: fc.constantFrom(null, "key_1", "key_11"),
  ip: fc.constantFrom(null, "127.0.0.1"),
  request_id: fc.constantFrom("a", "b", "c"),
  took_ms: fc.integer({ min: 0, max: 100 }),
  bytes_in: fc.option(fc.nat()),
  bytes_out: fc.option(fc.nat()),
});

describe("the request log: always", () => {
  test("a line is read back as it was written", () => {
    fc.assert(fc.property(requests, (request) => expect(readLine(lineOf(request, start), start)).toEqual(request)));
  });

  test("a search finds what a plain filter finds, page by page", async () => {
    const store = app.service.stores.live;
    const blocks = fc.sample(fc.array(requests, { minLength: 1, maxLength: 9 }), { numRuns: 60, seed: 7 });
    for (const block of blocks) {
      const sorted = block.toSorted((one, other) => one.at - other.at);
      await store.write((tx) => storeBlock(tx, sorted));
    }
    const all = blocks.flatMap((block) => block.toSorted((one, other) => one.at - other.at)).toReversed();
    const filters = fc.record({
      actor_ids: fc.constantFrom(null, ["key_1"], ["key_11"], ["key_1", "key_2", "key_11"]),
      statuses: fc.constantFrom(null, ["2xx"], ["4xx"], ["404"], ["5xx", "404"], ["201", "3xx", "422"]),
      methods: fc.constantFrom(null, ["POST"], ["PUT", "GET"]),
      route: fc.constantFrom(null, "/orders"),
      from: fc.constantFrom(null, start + 20),
      to: fc.constantFrom(null, start + 40),
      request_id: fc.constantFrom(null, "b"),
    });
    const check = async (filter: Parameters<typeof findRequests>[1], limit: number) => {
      const { actor_ids, statuses, methods, route, from, to, request_id } = filter;
      const wanted = all.filter(
        (one) =>
          (actor_ids?.includes(`${one.actor_id}`) ?? true) &&
          (statuses?.some((status) => RegExp(status.replace("xx", "..")).test(`${one.status}`)) ?? true) &&
          (methods?.includes(one.method) ?? true) &&
          (route === null || one.route === route) &&
          (from === null || one.at >= from) &&
          (to === null || one.at < to) &&
          (request_id === null || one.request_id === request_id),
      );
      const found: LoggedRequest[] = [];
      let after: readonly [number, number] | null = null;
      for (;;) {
        const place: readonly [number, number] | null = after;
        const page: Awaited<ReturnType<typeof findRequests>> = await store.read((db) =>
          findRequests(db, filter, { limit, after: place }),
        );
        found.push(...page.rows.map(({ block: _, line: __, ...request }) => request));
        const last = page.rows.at(-1);
        if (page.rows.length < limit || last === undefined) break;
        after = [last.block, last.line];
      }
      expect(found).toEqual(wanted);
    };
    await fc.assert(fc.asyncProperty(filters, fc.integer({ min: 1, max: 40 }), check), tries(40));
  });

  test("a search for one of our ids is limited to the time around its creation", () => {
    const made_at = Date.parse("2026-03-04T05:06:07Z");
    const { from, to } = narrowedByRequestId({ ...nothing, request_id: randomId("req", made_at) });
    expect([(from ?? 0) <= made_at, (to ?? 0) > made_at, (to ?? 0) - (from ?? 0)]).toEqual([true, true, 1_800_000]);
    expect(narrowedByRequestId({ ...nothing, request_id: "mine-1" })).toMatchObject({ from: null, to: null });
  });

  test("no value of a potentially secret parameter is stored", () => {
    const names = fc.constantFrom("api_key", "access_token", "Signature", "PASSWORD", "client_secret", "auth");
    const check = (name: string, value: string) => {
      const kept = loggedQuery(
        new URLSearchParams([
          [name, `secret-${value}`],
          ["page", "2"],
        ]).toString(),
      );
      expect(kept).not.toContain("secret-");
      expect(kept).toContain("page=2");
    };
    fc.assert(fc.property(names, fc.string({ maxLength: 20 }), check));
  });
});
