// The request line and headers: size limits, and the refusal of larger ones.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openLog } from "../../src/core/log.ts";
import { openRequestPipeline } from "../../src/http/request_pipeline.ts";
import { openApp } from "../build/service.ts";

const bytes_max = 16 << 10;
const app = await openApp();

type Sent = [method: string, path: string, headers: readonly (readonly [string, string])[], body?: string];

const bearer = () => ["authorization", `Bearer ${app.keys.live.full}`] as const;
const ask = ([method, path, headers, body]: Sent) =>
  app.app.handle(
    new Request(`http://packhouse.test${path}`, {
      method,
      headers: headers.map(([name, value]) => [name, value]),
      ...(body !== undefined && { body }),
    }),
  );
/** The head as HTTP/1.1 sends it. */
const written = ([method, path, headers]: Sent) =>
  `${[`${method} ${path} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)].join("\r\n")}\r\n\r\n`;
const codeOf = async (answer: Response) =>
  answer.status < 400 ? null : ((await answer.json()) as { error: { code: string } }).error.code;
/** A request whose head has n bytes, most of them in this header. */
const filled = (bytes: number, name: string): Sent => {
  const sent = (value: string): Sent => ["GET", "/v1/products", [bearer(), [name, value]]];
  return sent("a".repeat(bytes - written(sent("")).length));
};
const many = (count: number, value = "a"): Sent => [
  "GET",
  "/v1/products",
  [bearer(), ...Array.from({ length: count - 1 }, (_, at) => [`x-${at}`, value] as const)],
];

describe("works", () => {
  test.each(["cookie", "accept-language", "x-a", "set-cookie"])("16 KiB of %s, and not a byte more", async (name) => {
    expect((await ask(filled(bytes_max, name))).status).toBe(200);
    expect(await codeOf(await ask(filled(bytes_max + 1, name)))).toBe("headers_too_large");
  });

  test("100 headers, and not one more", async () => {
    expect((await ask(many(100))).status).toBe(200);
    expect(await codeOf(await ask(many(101)))).toBe("headers_too_large");
  });

  test("repeated lines of one header, which count as one header with the size of all", async () => {
    const cookies = (count: number): Sent => [
      "GET",
      "/v1/products",
      [bearer(), ...Array.from({ length: count }, () => ["cookie", "a".repeat(100)] as const)],
    ];
    expect((await ask(cookies(150))).status).toBe(200);
    expect(await codeOf(await ask(cookies(170)))).toBe("headers_too_large");
  });
});

describe("refuses", () => {
  const long = "a".repeat(bytes_max);
  test.each<[what: string, sent: () => Sent]>([
    ["of a long value", () => ["GET", "/v1/products", [bearer(), ["cookie", long]]]],
    ["of a long name", () => ["GET", "/v1/products", [bearer(), [`x-${long}`, "a"]]]],
    ["of a long key, before it is looked for", () => ["GET", "/v1/products", [["authorization", `Bearer ${long}`]]]],
    ["of a long path", () => ["GET", `/v1/products/${long}`, [bearer()]]],
    ["of a long query", () => ["GET", `/v1/products?q=${long}`, [bearer()]]],
    ["of values that are long together", () => many(60, "a".repeat(300))],
    ["of too many headers", () => many(150)],
    ["of a path that is not there", () => ["GET", "/v1/nope", [["cookie", long]]]],
    ["of a path outside of the versions", () => ["GET", "/nope", [["cookie", long]]]],
    ["of a path that needs no key", () => ["GET", "/health", [["cookie", long]]]],
    ["of another method", () => ["DELETE", "/v1/products", [["cookie", long]]]],
    ["of a question for the methods", () => ["OPTIONS", "/v1/products", [["cookie", long]]]],
    ["of a Host that is none", () => ["GET", "/health", [["host", long]]]],
    ["of a write", () => ["POST", "/v1/products", [bearer(), ["cookie", long]], "{"]],
    ["of a repeated write", () => ["POST", "/v1/products", [bearer(), ["idempotency-key", long]], "{}"]],
  ])("a head %s", async (_, sent) => {
    const answer = await ask(sent());
    expect([answer.status, await codeOf(answer)]).toEqual([431, "headers_too_large"]);
    expect(answer.headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
    expect(await app.takeEvents()).toEqual([]);
  });

  test("like any other refusal, also as problem+json", async () => {
    const sent: Sent = [
      "GET",
      "/nope",
      [
        ["cookie", long],
        ["x-request-id", "mine-1"],
      ],
    ];
    const told = "The request line and headers exceed 16384 bytes.";
    const doc_url = "http://packhouse.test/docs/errors#headers_too_large";
    const answer = await ask(sent);
    expect([answer.headers.get("content-type"), answer.headers.get("x-request-id")]).toEqual([
      "application/json",
      "mine-1",
    ]);
    expect(await answer.json()).toEqual({
      success: false,
      error: { type: "invalid_request", code: "headers_too_large", message: told, details: [], doc_url },
      meta: { timestamp: "2026-01-02T03:04:05.000Z", requestId: "mine-1", request_id: "mine-1", version: "v1" },
    });
    const problem = await ask([sent[0], sent[1], [...sent[2], ["accept", "application/problem+json"]]]);
    expect(problem.headers.get("content-type")).toBe("application/problem+json");
    expect(await problem.json()).toEqual({
      type: doc_url,
      title: "headers too large",
      status: 431,
      detail: told,
      instance: "urn:request:mine-1",
      code: "headers_too_large",
      errors: [],
      request_id: "mine-1",
    });
    const { body } = await app.call("GET", "/health", undefined, { headers: Object.fromEntries(many(101)[2]) });
    expect(body.error.message).toBe("The request has more than 100 headers.");
  });

  test("with a log line that gives the reason and nothing of the head", async () => {
    const lines: string[] = [];
    const log = openLog({ level: "info", format: "json", write: (line) => lines.push(line) });
    const entrance = openRequestPipeline({ log, slow_ms: 60_000, now: () => 0 }, (request) => app.app.handle(request));
    const headers = { cookie: `secret-${long}` };
    expect((await entrance.answer(new Request("http://packhouse.test/v1/products", { headers }))).status).toBe(431);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: "info", message: "request", route: null, status: 431, code: "headers_too_large", key_id: null },
    ]);
    expect(lines.join()).not.toContain("secret");
  });
});

describe("guards", () => {
  test("any head is refused if and only if it exceeds the size limit", async () => {
    const common = [
      "accept",
      "cache-control",
      "referer",
      "origin",
      "user-agent",
      "if-none-match",
      "via",
      "sec-fetch-mode",
    ];
    const name = fc.oneof(
      fc.constantFrom(...common),
      fc.integer({ min: 1, max: 900 }).map((length) => `x-${"n".repeat(length)}`),
    );
    const value = fc.integer({ min: 0, max: 3000 }).map((length) => "a".repeat(length));
    const headers = fc.uniqueArray(fc.tuple(name, value), { selector: ([it]) => it, maxLength: 40 });
    const beyond = fc.integer({ min: -40, max: 40 });
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(headers, beyond, fc.nat(6000), async (some, bytes, path_bytes) => {
        const sent: Sent = ["GET", `/v1/products/${"p".repeat(path_bytes)}`, [bearer(), ...some]];
        const room = bytes_max + bytes - written(sent).length - "x-last: \r\n".length;
        // Most heads are filled up to near the limit. Larger ones are far beyond it.
        const near: Sent = room < 0 ? sent : [sent[0], sent[1], [...sent[2], ["x-last", "a".repeat(room)]]];
        const { status } = await ask(near);
        const large = written(near).length > bytes_max;
        expect([written(near).length, status]).toEqual([written(near).length, large ? 431 : 404]);
        if (large) refused += 1;
      }),
      { seed: 431, numRuns: 300 },
    );
    expect(refused).toBeGreaterThan(50);
    expect(refused).toBeLessThan(250);
  }, 60_000);
});
