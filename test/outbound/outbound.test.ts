// Needed by platform clients and not covered by `test/webhooks/`: other methods, full responses, a single attempt.
import { afterEach, describe, expect, test } from "bun:test";
import * as net from "node:net";
import { type AddressPolicy, default_ports, ranges } from "../../src/outbound/destination.ts";
import { createOutbound, type Outbound, type OutgoingRequest } from "../../src/outbound/outbound.ts";

const closers: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const policy: AddressPolicy = {
  mode: "test",
  chosen_by: "operator",
  loopback_receivers: true,
  ports: default_ports,
  openings: ranges([]),
};
const deadlines = { connect_ms: 4000, headers_ms: 4000, body_ms: 4000 };

function outbound(): Outbound {
  const made = createOutbound({ policy, deadlines });
  closers.push(() => made.close());
  return made;
}

function server(answer: (request: Request, made: Bun.Server<undefined>) => Response | Promise<Response>): string {
  const made = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
  closers.push(() => made.stop(true));
  return `http://127.0.0.1:${made.port}/a`;
}

const get = (url: string): OutgoingRequest => ({
  method: "GET",
  url,
  headers: { Accept: "application/json" },
  body: null,
  body_bytes_max: 1000,
  repeatable: true,
});

/** A raw TCP server that calls `act` for each request. Returns its URL and the number of connections. */
async function bytesServer(act: (socket: net.Socket) => void) {
  const counts = { connections: 0, open: 0 };
  const made = net.createServer((socket) => {
    counts.connections += 1;
    counts.open += 1;
    socket.on("error", () => {});
    socket.on("data", () => act(socket));
    socket.on("close", () => {
      counts.open -= 1;
    });
  });
  await new Promise<void>((done) => made.listen(0, "127.0.0.1", done));
  closers.push(() => made.close());
  return { url: `http://127.0.0.1:${(made.address() as net.AddressInfo).port}/`, counts };
}

describe("a request", () => {
  test("has the specified method, headers and body", async () => {
    const seen: unknown[] = [];
    const url = server(async (request) => {
      const body = await request.text();
      seen.push([request.method, body, request.headers.get("content-length"), request.headers.get("accept")]);
      return new Response();
    });
    await outbound().call(get(url));
    await outbound().call({ ...get(url), method: "PUT", body: "Zoë" });
    expect(seen).toEqual([
      ["GET", "", null, "application/json"],
      ["PUT", "Zoë", "4", "application/json"],
    ]);
  });

  test("returns all response headers, and the body up to its limit", async () => {
    const headers = new Headers({ Link: "<https://shop.example/2>; rel=next", "X-Left": "7" });
    headers.append("Set-Cookie", "a=1");
    headers.append("Set-Cookie", "b=2");
    const url = server((request) => new Response("x".repeat(Number(request.headers.get("size"))), { headers }));
    for (const [size, complete] of [
      [1000, true],
      [100_000, false],
    ] as const) {
      const { answer, error } = await outbound().call({ ...get(url), headers: { size: String(size) } });
      expect(error).toBeNull();
      expect(answer).toMatchObject({
        status_code: 200,
        complete,
        headers: { link: "<https://shop.example/2>; rel=next", "x-left": "7", "set-cookie": "a=1, b=2" },
      });
      if (complete) expect(answer?.body.length).toBe(size);
    }
  });

  test("is sent again when its keep-alive connection was closed, unless it is not repeatable", async () => {
    const written: string[] = [];
    const receiver = net.createServer((socket) => {
      let answered = false;
      socket.on("error", () => {});
      socket.on("data", (bytes) => {
        written.push(bytes.toString().split(" ")[0] ?? "");
        if (answered) socket.destroy();
        else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        answered = true;
      });
    });
    await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
    closers.push(() => receiver.close());
    const url = `http://127.0.0.1:${(receiver.address() as net.AddressInfo).port}/`;
    const caller = outbound();
    const post = { ...get(url), method: "POST", body: "{}" };
    expect((await caller.call(get(url))).error).toBeNull();
    // The server reads the request on the keep-alive connection and cuts it: it may have handled the request.
    expect((await caller.call(get(url))).error).toBeNull();
    expect(written).toEqual(["GET", "GET", "GET"]);
    expect((await caller.call({ ...post, repeatable: false })).error).toBeNull();
    expect(written).toEqual(["GET", "GET", "GET", "POST"]);
  });

  test("that is not repeatable is not sent again when its response is cut", async () => {
    let asked = 0;
    const { url } = await bytesServer((socket) => {
      asked += 1;
      socket.destroy();
    });
    const { error } = await outbound().call({ ...get(url), method: "POST", body: "{}", repeatable: false });
    expect(error).toMatchObject({ code: "connect_error", written: true });
    expect(asked).toBe(1);
  });

  test("times out after its own limit and is then reported as written", async () => {
    const { url } = await bytesServer((socket) => {
      if (halves) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
    });
    let halves = false;
    const started = performance.now();
    const none = await outbound().call({ ...get(url), answer_ms: 100 });
    expect(none.error).toMatchObject({ code: "timeout", written: true });
    halves = true;
    const half = await outbound().call({ ...get(url), answer_ms: 100 });
    expect(half.answer).toMatchObject({ status_code: 200, complete: false });
    // Half of the client's own deadlines.
    expect(performance.now() - started).toBeLessThan((deadlines.headers_ms + deadlines.body_ms) / 2);
  });

  test("that reaches no server is reported as not written", async () => {
    for (const url of ["http://127.0.0.1:9/", "http://10.0.0.7/", "http://packhouse.invalid/"]) {
      const { error } = await outbound().call(get(url));
      expect([url, error?.written]).toEqual([url, false]);
    }
  });

  test("with a header that contains invalid characters is not written", async () => {
    const { url, counts } = await bytesServer((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n"));
    for (const value of ["a\r\nX-B: c", "a\nb", "a\u0000", "Zo\u00eb", "\u6771"]) {
      const { error } = await outbound().call({ ...get(url), headers: { "X-A": value } });
      expect(error).toEqual({
        code: "connect_error",
        message: "The header X-A contains invalid characters.",
        written: false,
      });
    }
    expect(counts.connections).toBe(0);
  });

  test("among many concurrent ones gets its own response, whatever its size, on few connections", async () => {
    const ports = new Set<number | undefined>();
    const url = server(async (request, made) => {
      ports.add(made.requestIP(request)?.port);
      return new Response(await request.text());
    });
    const caller = outbound();
    let next = 0;
    const askOn = async () => {
      for (let n = next++; n < 3000; n = next++) {
        const body = `${n} ${"é".repeat((n * 37) % 400)}`;
        const { answer } = await caller.call({ ...get(url), method: "POST", body });
        expect(answer?.complete).toBe(true);
        expect(Buffer.from(answer?.body ?? []).toString()).toBe(body);
      }
    };
    await Promise.all(Array.from({ length: 32 }, askOn));
    expect(ports.size).toBe(32);
  });

  test("leaves at most 64 connections to a server open, and none after the client is closed", async () => {
    const waiting: net.Socket[] = [];
    const { url, counts } = await bytesServer((socket) => {
      if (waiting.push(socket) < 100) return;
      for (const one of waiting) one.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    });
    const caller = outbound();
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => caller.call(get(url))));
    expect(outcomes.filter(({ error }) => error !== null)).toEqual([]);
    while (counts.open > 64) await Bun.sleep(1);
    await Bun.sleep(20);
    expect(counts).toEqual({ connections: 100, open: 64 });
    caller.close();
    while (counts.open > 0) await Bun.sleep(1);
  });

  test("is aborted at any stage when the client is closed, and is not sent again", async () => {
    let asked = 0;
    const { url, counts } = await bytesServer((socket) => {
      asked += 1;
      if (asked === 1) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
    let resolved = (_addresses: string[]) => {};
    const resolve = () => new Promise<string[]>((done) => (resolved = done));
    const named = createOutbound({ policy: { ...policy, openings: ranges(["127.0.0.0/8"]) }, deadlines, resolve });
    const resolving = named.call(get(url.replace("127.0.0.1", "shop.example")));
    named.close();
    resolved(["127.0.0.1"]);
    expect((await resolving).error).toMatchObject({ code: "connect_error", message: "The client was closed." });
    const caller = outbound();
    expect((await caller.call(get(url))).error).toBeNull();
    const waiting = caller.call(get(url)); // On the keep-alive connection.
    while (asked < 2) await Bun.sleep(1);
    caller.close();
    expect((await waiting).error?.code).toBe("connect_error");
    expect((await caller.call(get(url))).error?.code).toBe("connect_error");
    while (counts.open > 0) await Bun.sleep(1);
    expect([asked, counts.connections]).toEqual([2, 1]);
  });
});

describe("a response", () => {
  const ok = "HTTP/1.1 200 OK\r\n";
  const told = (status: number, line: string) => `HTTP/1.1 ${status} Soon\r\n${line}\r\n\r\n`;
  const headers_200 = Array.from({ length: 200 }, (_, n) => `X-${n}: ${n}\r\n`).join("");

  test.each([
    ["without a length ends with the connection", `${ok}\r\nall of it`, "all of it", false],
    ["of HTTP/1.0 ends its connection", "HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nold", "old", false],
    ["that says so ends its connection", `${ok}Connection: close\r\nContent-Length: 1\r\n\r\na`, "a", false],
    [
      "in chunks is put together",
      `${ok}Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nT: u\r\n\r\n`,
      "abcde",
      true,
    ],
    ["may be announced", `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok}Content-Length: 2\r\n\r\nok`, "ok", true],
    [
      "may be announced as if with a body",
      `${told(104, "Content-Length: 9")}${told(105, "Transfer-Encoding: chunked")}${ok}Content-Length: 2\r\n\r\nok`,
      "ok",
      true,
    ],
    ["may have many headers", `${ok}${headers_200}Content-Length: 2\r\n\r\nok`, "ok", true],
    [
      "followed by more than was asked for ends its connection",
      `${ok}Content-Length: 2\r\n\r\nok${ok}Content-Length: 3\r\n\r\nbad`,
      "ok",
      false,
    ],
    ["followed by noise ends its connection", `${ok}Content-Length: 2\r\n\r\nok\u0001\u0002`, "ok", false],
  ])("%s", async (_name, said, body, kept) => {
    const { url, counts } = await bytesServer((socket) =>
      said.endsWith("all of it") ? socket.end(said) : socket.write(said),
    );
    const caller = outbound();
    for (const connections of kept ? [1, 1] : [1, 2]) {
      const { answer, error } = await caller.call(get(url));
      expect(error).toBeNull();
      expect(Buffer.from(answer?.body ?? []).toString()).toBe(body);
      expect(answer?.complete).toBe(true);
      if (said.includes(headers_200)) expect(answer?.headers).toMatchObject({ "x-0": "0", "x-199": "199" });
      expect(counts.connections).toBe(connections);
    }
  });

  test("that was not asked for ends its connection, and does not become the next one", async () => {
    const { url, counts } = await bytesServer((socket) => {
      socket.write(`${ok}Content-Length: 2\r\n\r\nok`);
      setTimeout(() => socket.write(`${ok}Content-Length: 3\r\n\r\nbad`), 20);
    });
    const caller = outbound();
    for (const connections of [1, 2]) {
      const { answer } = await caller.call(get(url));
      expect([Buffer.from(answer?.body ?? []).toString(), counts.connections]).toEqual(["ok", connections]);
      while (counts.open > 0) await Bun.sleep(1);
    }
  });

  test("can repeat a header: lists are joined, for others the first line counts", async () => {
    const lines = [
      "Retry-After: 5",
      "X-A: 1",
      "constructor: c",
      "retry-after: 7",
      "x-a: 2",
      "Location: /a",
      "Location: /b",
    ];
    const said = `${ok}${lines.join("\r\n")}\r\nContent-Length: 0\r\n\r\n`;
    const { url } = await bytesServer((socket) => socket.write(said));
    const { answer } = await outbound().call(get(url));
    const headers = { "retry-after": "5", "x-a": "1, 2", constructor: "c", location: "/a", "content-length": "0" };
    expect(answer?.headers).toEqual(headers);
  });

  test.each([
    ["announcements", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"],
    ["empty lines", "\r\n\r\n"],
  ])("is given up after endless %s", async (_name, piece) => {
    const pieces = piece.repeat(1000);
    const { url } = await bytesServer((socket) => {
      const flood = () => {
        while (socket.writable && socket.write(pieces));
      };
      socket.on("drain", flood);
      flood();
    });
    const { error } = await outbound().call(get(url));
    expect(error).toMatchObject({
      code: "connect_error",
      message: "The response is not HTTP: Too much data precedes it.",
    });
  });
});
