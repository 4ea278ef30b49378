// Malicious and malformed traffic against a real service in its own process.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StartedService } from "../../scripts/service.ts";
import { engine } from "../../src/core/config.ts";
import { isLong } from "../volume.ts";
import { type Connection, connect, speak } from "./raw_client.ts";
import { freshDatabase } from "./service.ts";
import { startWatchedService } from "./watched_service.ts";

let service: StartedService;
let key: string;
let slow: Record<string, Connection>;
let other: StartedService | null = null;

beforeAll(async () => {
  const data = mkdtempSync(join(tmpdir(), "packhouse-hostile-"));
  service = await startWatchedService({ data, database_url: await freshDatabase() });
  key = await service.makeKey("live");
  // The service closes them after two minutes; only the long run waits for that.
  slow = engine === "sqlite" && isLong ? slowOnes() : {};
}, 60_000);
afterAll(async () => {
  for (const { socket } of Object.values(slow)) socket.destroy();
  await other?.remove();
  await service.remove();
});

const lines = (...all: readonly string[]) => `${all.join("\r\n")}\r\n\r\n`;
const who = () => `Authorization: Bearer ${key}`;
const health = lines("GET /health HTTP/1.1", "Host: a");
/** A product in JSON. Products that smuggled requests would create have a SKU that begins with SMUGGLED. */
const product = (sku: string = crypto.randomUUID()) => JSON.stringify({ sku, name: "Tea" });
const post = (body: string, ...headers: readonly string[]) =>
  lines("POST /v1/products HTTP/1.1", "Host: a", who(), "Content-Type: application/json", ...headers) + body;
const sized = (body: string) => `Content-Length: ${body.length}`;
const chunk = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n`;
/** A request whose head has `bytes` bytes, most of them in one header. */
const long = (bytes: number, ...headers: readonly string[]) => {
  const without = lines("GET /health HTTP/1.1", "Host: a", ...headers, "X-A: ");
  return without.replace("X-A: ", `X-A: ${"a".repeat(bytes - without.length)}`);
};
/** A request whose head has `bytes` bytes, most of them in its target. */
const longTarget = (bytes: number) => health.replace("/health", `/health?${"a".repeat(bytes - health.length - 1)}`);
/** A request with `count` header lines. */
const many = (count: number, name = (at: number) => `X-${at}`) =>
  lines("GET /health HTTP/1.1", "Host: a", ...Array.from({ length: count - 1 }, (_, at) => `${name(at)}: b`));
const smuggled = () =>
  post(product(`SMUGGLED-${crypto.randomUUID()}`), sized(product(`SMUGGLED-${crypto.randomUUID()}`)));

function slowOnes(): Record<string, Connection> {
  const half = post("{", "Content-Length: 1000");
  const of = {
    "says nothing": connect(service.url, ""),
    "stops in the middle of its headers": connect(service.url, "GET /health HTTP/1.1\r\nHost: a\r\n"),
    "sends a letter of a header now and then": connect(service.url, "GET /health HTTP/1.1\r\nHost: a\r\nX-A: "),
    "stops in the middle of its body": connect(service.url, half),
    "sends a letter of its body now and then": connect(service.url, half),
    "sends a chunk of its body now and then": connect(service.url, post("", "Transfer-Encoding: chunked")),
    "stops in the middle of a file": connect(service.url, half.replace("/products", "/products/import")),
  };
  const trickle = setInterval(() => {
    of["sends a letter of a header now and then"].socket.write("a");
    of["sends a letter of its body now and then"].socket.write(" ");
    of["sends a chunk of its body now and then"].socket.write(chunk(" "));
  }, 1000);
  trickle.unref();
  return of;
}

const send = (body: string, headers: Record<string, string> = {}, url = service.url) =>
  fetch(`${url}/v1/products`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body,
  });
const read = (path: string) =>
  fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${key}` } }).then(
    (answer) => answer.json() as Promise<{ data: unknown[] }>,
  );

describe("a raw request", () => {
  // Bun itself rejects some requests without a body: 400, 431 far beyond our limits, and 505 for a first line that it
  // cannot parse.
  test.each<[what: string, bytes: () => string, statuses: number[]]>([
    ["is answered", () => health, [200]],
    ["of HTTP/1.0 without a host, as probes send it", () => "GET /health HTTP/1.0\r\n\r\n", [200]],
    ["with the whole address as its target", () => health.replace("/health", "http://a/health"), [200]],
    ["with another host in its target", () => health.replace("/health", "http://b/health"), [200]],
    ["for the methods of everything", () => health.replace("GET /health", "OPTIONS *"), [400]],
    ["for a tunnel", () => health.replace("GET /health", "CONNECT a:80"), [404]],
    ["of HTTP/1.1 without a host", () => "GET /health HTTP/1.1\r\n\r\n", [400]],
    ["with two hosts", () => health.replace("Host: a", "Host: a\r\nHost: b"), [400]],
    ["with a host that is none", () => health.replace("Host: a", "Host: a/b?c"), [400]],
    ["with two equal lengths", () => post("{}", "Content-Length: 2", "Content-Length: 2"), [422]],
    ["with two lengths", () => post("{}", "Content-Length: 2", "Content-Length: 3"), [400]],
    ["with a list of lengths", () => post("{}", "Content-Length: 2, 2"), [400]],
    ["with a negative length", () => post("{}", "Content-Length: -1"), [400]],
    ["with a length with a sign", () => post("{}", "Content-Length: +2"), [400]],
    ["with a length beyond all bounds", () => post("{}", `Content-Length: ${"9".repeat(30)}`), [400]],
    [
      "with a length and chunks",
      () => post(`0\r\n\r\n${smuggled()}`, "Content-Length: 5", "Transfer-Encoding: chunked"),
      [400],
    ],
    [
      "with chunks before its length",
      () => post(`0\r\n\r\n${smuggled()}`, "Transfer-Encoding: chunked", "Content-Length: 5"),
      [400],
    ],
    ["with chunks under a space", () => post(`0\r\n\r\n${smuggled()}`, "Transfer-Encoding : chunked"), [400]],
    ["with chunks on a folded line", () => post(`0\r\n\r\n${smuggled()}`, "Transfer-Encoding:\r\n chunked"), [400]],
    ["with chunks in something else", () => post(chunk("{}"), "Transfer-Encoding: gzip, chunked"), [400]],
    ["with chunks by another name", () => post(chunk("{}"), "Transfer-Encoding: xchunked"), [400]],
    [
      "with chunks, and no chunks",
      () => post(chunk("{}"), "Transfer-Encoding: chunked", "Transfer-Encoding: identity"),
      [400],
    ],
    [
      "of HTTP/1.0 with chunks",
      () => post(`0\r\n\r\n${smuggled()}`, "Transfer-Encoding: chunked").replace("1.1", "1.0"),
      [400],
    ],
    ["with a chunk that has no size", () => post("zz\r\nabc\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), [400]],
    ["with a chunk of a negative size", () => post("-1\r\nabc\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), [400]],
    [
      "with a chunk of a size beyond all bounds",
      () => post(`${"f".repeat(17)}\r\na`, "Transfer-Encoding: chunked"),
      [400],
    ],
    [
      "with a chunk that is longer than it says",
      () => post("3\r\nabcdef\r\n0\r\n\r\n", "Transfer-Encoding: chunked"),
      [400],
    ],
    ["with chunks that end in bare line feeds", () => post("2\n{}\n0\n\n", "Transfer-Encoding: chunked"), [400]],
    ["with a folded header", () => health.replace("Host: a", "Host: a\r\nX-A: b\r\n c"), [400]],
    ["with bare line feeds", () => "GET /health HTTP/1.1\nHost: a\n\n", [505]],
    ["with bare carriage returns", () => "GET /health HTTP/1.1\rHost: a\r\r", [505]],
    ["with a line feed in a header", () => health.replace("Host: a", "Host: a\r\nX-A: b\nX-B: c"), [400]],
    ["with a zero in a header", () => health.replace("Host: a", "Host: a\r\nX-A: b\0c"), [400]],
    ["with a space in the name of a header", () => health.replace("Host: a", "Host: a\r\nX A: b"), [400]],
    ["with a header without a colon", () => health.replace("Host: a", "Host: a\r\nXA"), [400]],
    ["with a space in its target", () => health.replace("/health", "/health x"), [505]],
    ["that is none", () => "HELLO\r\n\r\n", [400]],
    ["that begins a TLS connection", () => "\x16\x03\x01\x02\x00\x01\x00", [400]],
    ["that begins HTTP/2", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [400]],
    ["that announces a body beyond 16 MiB", () => post("{", `Content-Length: ${17 << 20}`), [413]],
    ["with a method that nobody knows", () => health.replace("GET", "BREW"), []],
  ])("%s", async (_, bytes, statuses) => {
    const heard = await speak(service.url, bytes(), statuses.length);
    expect(heard.statuses).toEqual(statuses);
    // After an unparsable request, nothing else is read on that connection.
    if (statuses.some((status) => status === 505) || statuses.length === 0) expect(heard.ended).toBe(true);
  });

  // The head is the request line and the headers. Each is sent in two parts, followed by another request after its
  // response.
  test.each<[what: string, bytes: () => string, statuses: number[], code: string | null]>([
    ["of 16 KiB", () => long(16 << 10), [200, 200], null],
    ["of a byte more", () => long((16 << 10) + 1), [431, 200], "headers_too_large"],
    ["of 16 KiB and a byte by its target", () => longTarget((16 << 10) + 1), [431, 200], "headers_too_large"],
    ["of 64 KiB", () => long(64 << 10), [431, 200], "headers_too_large"],
    ["of 64 KiB by its target", () => longTarget(64 << 10), [431, 200], "headers_too_large"],
    ["of 64 KiB and a byte", () => long((64 << 10) + 1), [431], null],
    ["of 64 KiB and a byte by its target", () => longTarget((64 << 10) + 1), [431], null],
    ["of 100 headers", () => many(100), [200, 200], null],
    ["of 101 headers", () => many(101), [431, 200], "headers_too_large"],
    ["of 198 headers", () => many(198), [431, 200], "headers_too_large"],
    ["of 199 headers", () => many(199), [431], null],
    ["of 198 lines that are few headers", () => many(198, () => "X-A"), [200, 200], null],
    ["of 199 lines that are few headers", () => many(199, () => "X-A"), [431], null],
    [
      "of 16 KiB and a byte, and a body",
      () => `${long((16 << 10) + 1, "Content-Length: 2")}{}`,
      [431, 200],
      "headers_too_large",
    ],
  ])(
    "with a head %s",
    async (_, bytes, statuses, code) => {
      const { socket, heard } = connect(service.url, bytes().slice(0, 1000));
      const answers = async (count: number) => {
        for (
          let waited_ms = 0;
          waited_ms < 20_000 && !heard().ended && heard().statuses.length < count;
          waited_ms += 20
        )
          await Bun.sleep(20);
      };
      await Bun.sleep(20);
      socket.write(bytes().slice(1000));
      await answers(1);
      const { text } = heard();
      expect(/"code":"(\w+)"/.exec(text)?.[1] ?? null).toBe(code);
      // If Bun rejects a request, it closes the connection and sends only the status.
      if (statuses.length === 1)
        expect(text).toBe("HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n");
      if (statuses.length === 2) socket.write(health);
      await answers(2);
      expect(heard().statuses).toEqual(statuses);
      socket.destroy();
    },
    60_000,
  );

  test("gets our own error codes once it reaches the service", async () => {
    for (const [bytes, code] of [
      [health.replace("Host: a", "Host: a\r\nHost: b"), "malformed_header"],
      [post("{", `Content-Length: ${1 << 30}`), "payload_too_large"],
      [post(chunk("x".repeat(65_536)).repeat(20), "Transfer-Encoding: chunked"), "payload_too_large"],
      [
        health.replace("GET /health", "TRACE /v1/products").replace("Host: a", `Host: a\r\n${who()}`),
        "method_not_allowed",
      ],
      [health.replace("/health", "/health#a"), "route_not_found"],
      [post("{}", "Content-Length: 2", "Content-Encoding: gzip"), "unsupported_media_type"],
      [
        post("{}", "Content-Length: 2").replace(who(), "Authorization: Bearer a\r\nAuthorization: Bearer b"),
        "authentication_required",
      ],
    ] as const) {
      const { text } = await speak(service.url, bytes, 1);
      expect([code, /"code":"(\w+)"/.exec(text)?.[1]]).toEqual([code, code]);
    }
  });

  test("in chunks, with a chunk extension, is handled like any other", async () => {
    const body = product();
    const bytes = `${body.length.toString(16)};a=b\r\n${body}\r\n0\r\n\r\n`;
    expect((await speak(service.url, post(bytes, "Transfer-Encoding: Chunked"), 1)).statuses).toEqual([201]);
  });

  test("that is pipelined with others is not mixed up with them", async () => {
    const body = product();
    const unread = `${health.replace("Host: a", "Host: a\r\nContent-Length: 5")}hello${health}`;
    for (const [bytes, statuses] of [
      [post(body, sized(body)) + health, [201, 200]],
      [health.repeat(4), [200, 200, 200, 200]],
      [unread, [200, 200]],
    ] as const) {
      const heard = await speak(service.url, bytes, statuses.length);
      // Bun either closes the connection while a response is pending, or responds to all in order.
      if (heard.statuses.length > 0) expect(heard.statuses).toEqual(statuses);
    }
  });

  test("with a truncated body changes nothing", async () => {
    const body = product("CUT-OFF");
    const { socket, end } = connect(service.url, post(body.slice(0, -1), sized(body)));
    socket.end();
    await end;
    expect((await read("/v1/products?sku=CUT-OFF")).data).toEqual([]);
  });
});

describe("the service", () => {
  test("limits what it buffers, and keeps serving other clients", async () => {
    const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, "utf8"))?.[1]);
    const before_kib = memory();
    const mebibyte = Buffer.alloc(1 << 20, 0x20);
    let most_kib = 0;
    const flood = async () => {
      const { socket, heard } = connect(service.url, post("", `Content-Length: ${1 << 29}`));
      for (let sent = 0; sent < 64 && !heard().ended; sent += 1) {
        socket.write(mebibyte);
        while (socket.writableNeedDrain && !heard().ended) await Bun.sleep(5);
        most_kib = Math.max(most_kib, memory());
      }
      socket.destroy();
      expect(heard().statuses).toEqual([413]);
    };
    const waiting = Array.from({ length: 200 }, () => connect(service.url, post("{", "Content-Length: 1000")));
    const others = Array.from({ length: 50 }, () => send(product()).then(({ status }) => status));
    await Promise.all(Array.from({ length: 4 }, flood));
    expect(new Set(await Promise.all(others))).toEqual(new Set([201]));
    for (const { socket } of waiting) socket.destroy();
    // A quarter of a GiB was sent.
    expect(most_kib - before_kib).toBeLessThan(160 * 1024);
  }, 60_000);

  test("executed nothing that was smuggled, and is still up", async () => {
    const { data } = await read("/v1/products?q=SMUGGLED");
    expect(data).toEqual([]);
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
  });

  test.if(engine === "sqlite" && isLong)(
    "closes the connections of clients that are too slow",
    async () => {
      // A file has two minutes to arrive, counted from a while ago.
      const late = Bun.sleep(150_000).then(() => "still there");
      for (const [what, { end }] of Object.entries(slow)) {
        expect([what, await Promise.race([end.then(() => "gone"), late])]).toEqual([what, "gone"]);
      }
    },
    180_000,
  );

  test("replays a response after it was killed, with the same bytes", async () => {
    const body = product();
    const again = { "idempotency-key": `killed-${crypto.randomUUID()}` };
    const first = await send(body, again);
    const bytes = await first.text();
    expect(first.status).toBe(201);
    const { data, database_url } = service;
    const before = service;
    await before.kill();
    service = await startWatchedService({ data, database_url });
    const second = await send(body, again);
    expect([second.status, await second.text()]).toEqual([201, bytes]);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(second.headers.get("etag")).toBe(first.headers.get("etag"));
  }, 60_000);

  test.skipIf(engine === "sqlite")(
    "with two servers on one database executes a request once",
    async () => {
      other = await startWatchedService({ database_url: service.database_url });
      const urls = [service.url, other.url];
      const body = product();
      const again = { "idempotency-key": `two-${crypto.randomUUID()}` };
      const sent = Array.from({ length: 100 }, (_, at) => send(body, again, urls[at % 2]));
      const answers = await Promise.all(sent);
      const done = answers.filter(({ status }) => status !== 409);
      expect(new Set(done.map(({ status }) => status))).toEqual(new Set([201]));
      expect(new Set(await Promise.all(done.map((answer) => answer.text()))).size).toBe(1);
      expect(done.filter(({ headers }) => headers.get("idempotency-replayed") === null).length).toBe(1);
    },
    60_000,
  );
});
