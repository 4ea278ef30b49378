import { describe, expect, test } from "bun:test";
import { type FaultCode, faults, invalid } from "../../src/core/faults.ts";
import { errorBody } from "../../src/http/errors.ts";
import { createApp } from "../../src/server/app.ts";
import type { Store } from "../../src/storage/database.ts";
import { openApp, type TestApp } from "../build/service.ts";

const app = await openApp();

const at = (path: string, init: RequestInit = {}) => app.app.handle(new Request(`http://packhouse.test${path}`, init));
const bearer = () => ({ authorization: `Bearer ${app.keys.live.full}` });
/** A store whose reads fail with a message that clients must not see. */
const broken = ({ stores }: TestApp["service"]): Store => ({
  ...stores.live,
  clock: stores.live.clock,
  read: () => Promise.reject(new Error("the password of the database is wrong")),
});
const codeOf = async (answer: Response) => ((await answer.json()) as { error: { code: string } }).error.code;
const get = (path: string, accept: string) => app.call("GET", path, undefined, { headers: { accept } });

describe("works", () => {
  test("every code is published with its meaning and its remedy", async () => {
    const { data } = (await app.get("/errors")).body;
    expect(data.map(({ code }: { code: string }) => code)).toEqual(Object.keys(faults));
    for (const { code, type, status, when, remedy, doc_url } of data) {
      expect({ type, status }).toEqual(faults[code as FaultCode]);
      for (const words of [when, remedy]) expect(words).toMatch(/^[A-Z].*[.…]$/);
      expect(doc_url).toBe(`http://packhouse.test/docs/errors#${code}`);
    }
  });

  test("an error links to the page that explains it, at the service's own URL if it has one", () => {
    const known_hosts = new Set(["10.0.0.7", "[::1]"]);
    const url = (base_url: string, host: string) => {
      const asked = { request: new Request(`http://${host}/v1/x`), request_id: "req_1", known_hosts, base_url };
      return errorBody(invalid("a", "b"), asked, 0).error.doc_url;
    };
    expect(url("", "10.0.0.7:3000")).toBe("http://10.0.0.7:3000/docs/errors#validation_failed");
    expect(url("", "[::1]:3000")).toBe("http://[::1]:3000/docs/errors#validation_failed");
    for (const strange of ["evil.example", "10.0.0.8", "10.0.0.7.evil.example", "10.0.0.7@evil.example"]) {
      expect(url("", strange)).toBe("/docs/errors#validation_failed");
      expect(url("https://api.shop.example", strange)).toBe("https://api.shop.example/docs/errors#validation_failed");
    }
  });

  test.each([
    "application/problem+json",
    "Application/Problem+JSON",
    "application/json, application/problem+json",
    "application/json;q=0.8, application/problem+json",
    "*/*, application/problem+json;q=1.0",
  ])("Accept: %s gets problem+json", async (accept) => {
    const { status, body, headers } = await get("/products/prd_7", accept);
    expect([status, headers.get("content-type")]).toEqual([404, "application/problem+json"]);
    expect(body).toEqual({
      type: "http://packhouse.test/docs/errors#resource_missing",
      title: "resource missing",
      status: 404,
      detail: "No such product: prd_7.",
      instance: `urn:request:${headers.get("x-request-id")}`,
      code: "resource_missing",
      resource: "product",
      errors: [],
      request_id: headers.get("x-request-id"),
    });
  });

  test.each([
    "application/json",
    "*/*",
    "text/html",
    "application/problem+json;q=0",
    "application/json, application/problem+json;q=0.5",
    "application/problem+json;q=high",
  ])("Accept: %s gets plain JSON", async (accept) => {
    const { body, headers } = await get("/products/prd_7", accept);
    expect(headers.get("content-type")).toBe("application/json");
    expect(body).toMatchObject({ success: false, error: { code: "resource_missing", type: "not_found" } });
  });

  test("a refusal that is stored for repeated requests is problem+json too, each time", async () => {
    const headers = { accept: "application/problem+json", "idempotency-key": "problem-1" };
    const other = { ...headers, "idempotency-key": "problem-2" };
    const send = () => app.call("POST", "/inventory", { sku: "NONE", quantity: 0 }, { headers: other });
    const taken = { sku: "TAKEN", name: "Tea" };
    await app.post("/products", taken);
    const twice = [1, 2].map(() => app.call("POST", "/products", taken, { headers }));
    const [first, again] = await Promise.all(twice);
    expect(first?.headers.get("content-type")).toBe("application/problem+json");
    expect([again?.headers.get("content-type"), again?.body]).toEqual(["application/problem+json", first?.body]);
    expect((await send()).body).toMatchObject({ status: 422, errors: [{ field: "quantity" }] });
  });
});

describe("works", () => {
  test("callers with permission get the methods of a path, and HEAD for everything readable", async () => {
    const asked = await at("/v1/products", { method: "OPTIONS", headers: bearer() });
    expect([asked.status, await asked.text(), asked.headers.get("allow")]).toEqual([
      204,
      "",
      "GET, POST, HEAD, OPTIONS",
    ]);
    expect(asked.headers.get("x-request-id")).toMatch(/^req_/);
    expect((await at("/v1/products", { method: "OPTIONS" })).status).toBe(401);
    expect((await at("/v1/nope", { method: "OPTIONS", headers: bearer() })).status).toBe(404);
    const head = await at("/v1/products", { method: "HEAD", headers: bearer() });
    expect([head.status, head.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect((await at("/v1/orders/1/ship", { method: "HEAD", headers: bearer() })).status).toBe(405);
  });
});

describe("refuses", () => {
  test("a path without a version, with or without a key", async () => {
    for (const path of ["/nope", "/products", "/v2/products", "/v1products", "/favicon.ico", "//v1/products"]) {
      for (const headers of [{}, bearer()]) {
        const answer = await at(path, { headers });
        expect([path, answer.status, await codeOf(answer)]).toEqual([path, 404, "route_not_found"]);
      }
    }
  });

  test.each(["a, b", "a b", "", "a/b", "http://a", "a:b", "user@a"])("an invalid Host: %j", async (host) => {
    const answer = await at("/health", { headers: { host } });
    expect([answer.status, await codeOf(answer)]).toEqual([400, "malformed_header"]);
  });

  test("an endless chunked body, once it exceeds the size limit", async () => {
    let sent = 0;
    const body = new ReadableStream({
      pull: (stream) => {
        sent += 65_536;
        stream.enqueue(new Uint8Array(65_536));
      },
    });
    const headers = { ...bearer(), "content-type": "application/json" };
    const answer = await at("/v1/products", { method: "POST", headers, body });
    expect([answer.status, await codeOf(answer)]).toEqual([413, "payload_too_large"]);
    expect(sent).toBeLessThan(2 << 20);
  });

  test("an internal error, without revealing its cause", async () => {
    const own = await openApp();
    const said: string[] = [];
    const error = (message: string, facts?: object) => said.push(message, JSON.stringify(facts));
    Object.assign(own.service, { log: { ...own.service.log, error } });
    const failing = createApp({ ...own.service, stores: { ...own.service.stores, live: broken(own.service) } });
    const headers = { authorization: `Bearer ${own.keys.live.full}` };
    const answer = await failing.handle(new Request("http://packhouse.test/v1/products", { headers }));
    const text = await answer.text();
    expect([answer.status, JSON.parse(text).error.code]).toEqual([500, "internal_error"]);
    expect(text).not.toMatch(/password|at .*:\d+/);
    expect(said.join()).toContain("the password of the database");
  });

  test("an unknown path, with and without a key", async () => {
    for (const path of ["/v1/nope", "/api/v1/nope", "/v1/orders/1/nope", "/v1/orders/", "/v1/", "/v1"]) {
      const answer = await at(path, { headers: bearer() });
      expect([path, answer.status, await codeOf(answer)]).toEqual([path, 404, "route_not_found"]);
      const stranger = await at(path);
      expect([path, stranger.status]).toEqual([path, 401]);
      expect(stranger.headers.get("www-authenticate")).toBe('Bearer realm="api"');
      expect(await codeOf(stranger)).toBe("authentication_required");
    }
  });

  test("an unsupported method, with the supported ones", async () => {
    const answer = await at("/v1/products/prd_1", { method: "DELETE", headers: bearer() });
    expect([answer.status, await codeOf(answer)]).toEqual([405, "method_not_allowed"]);
    expect(answer.headers.get("allow")).toBe("GET, PATCH, HEAD, OPTIONS");
  });

  test.each([
    ["no header", {}, "authentication_required"],
    ["another scheme", { authorization: "Basic YTpi" }, "authentication_required"],
    ["no key after the scheme", { authorization: "Bearer " }, "authentication_required"],
    ["two words", { authorization: "Bearer a b" }, "authentication_required"],
    ["a key without a scheme", { authorization: "ph_live_x" }, "authentication_required"],
    ["what is no key", { authorization: "Bearer secret" }, "invalid_api_key"],
    ["a wrong checksum", { authorization: `Bearer ph_live_${"0".repeat(36)}` }, "invalid_api_key"],
  ])("%s", async (_, headers: Record<string, string>, code) => {
    const answer = await at("/v1/products", { headers });
    const text = await answer.text();
    expect([answer.status, JSON.parse(text).error.code]).toEqual([401, code]);
    const challenge = code === "invalid_api_key" ? 'Bearer error="invalid_token"' : 'Bearer realm="api"';
    expect(answer.headers.get("www-authenticate")).toBe(challenge);
    expect(text).not.toContain("secret");
  });
});
