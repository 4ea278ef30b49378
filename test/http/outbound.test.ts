// What callers of platforms need beyond what `test/webhooks/` shows: other methods, whole answers, and one try only.
import { afterEach, describe, expect, test } from "bun:test";
import * as net from "node:net";
import { type AddressPolicy, default_ports, ranges } from "../../src/http/destination.ts";
import { createOutbound, type Outbound, type Outgoing } from "../../src/http/outbound.ts";

const closers: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const policy: AddressPolicy = { mode: "test", loopback_server: true, ports: default_ports, openings: ranges([]) };
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

const get = (url: string): Outgoing => ({
  ...{ method: "GET", url, headers: { Accept: "application/json" }, body: null },
  ...{ body_bytes_max: 1000, repeatable: true },
});

/** A server of bytes: `act` is called at each request. Answers where it is, and how many connections there were. */
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
  test("has the method, the headers and the body that it is given", async () => {
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

  test("is answered with every header, and with the body up to its cap", async () => {
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
        ...{ status_code: 200, complete },
        headers: { link: "<https://shop.example/2>; rel=next", "x-left": "7", "set-cookie": "a=1, b=2" },
      });
      if (complete) expect(answer?.body.length).toBe(size);
    }
  });

  test("is written again when its kept connection was closed, unless it may be made only once", async () => {
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
    // The other side takes the request on the kept connection and cuts it: it may have done what it was asked.
    expect((await caller.call(get(url))).error).toBeNull();
    expect(written).toEqual(["GET", "GET", "GET"]);
    expect((await caller.call({ ...post, repeatable: false })).error).toBeNull();
    expect(written).toEqual(["GET", "GET", "GET", "POST"]);
  });

  test("that may be made only once is not made again when its answer is cut", async () => {
    let asked = 0;
    const { url } = await bytesServer((socket) => {
      asked += 1;
      socket.destroy();
    });
    const { error } = await outbound().call({ ...get(url), method: "POST", body: "{}", repeatable: false });
    expect(error?.code).toBe("connect_error");
    expect(asked).toBe(1);
  });

  test("with a header that would break its lines is not written", async () => {
    const { url, counts } = await bytesServer((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n"));
    for (const value of ["a\r\nX-B: c", "a\nb", "a\u0000", "Zo\u00eb", "\u6771"]) {
      const { error } = await outbound().call({ ...get(url), headers: { "X-A": value } });
      expect(error).toEqual({
        code: "connect_error",
        message: "The header X-A has characters that no header may have.",
      });
    }
    expect(counts.connections).toBe(0);
  });

  test("of many at once gets its own answer, whatever its size, on few connections", async () => {
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

  test("leaves at most 64 connections to one server open, and none when its caller is closed", async () => {
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
});

describe("an answer", () => {
  const ok = "HTTP/1.1 200 OK\r\n";
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
});
