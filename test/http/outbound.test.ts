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

function server(answer: (request: Request) => Response | Promise<Response>): string {
  const made = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
  closers.push(() => made.stop(true));
  return `http://127.0.0.1:${made.port}/a`;
}

const get = (url: string): Outgoing => ({
  ...{ method: "GET", url, headers: { Accept: "application/json" }, body: null },
  ...{ body_bytes_max: 1000, repeatable: true },
});

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
    const receiver = net.createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", () => {
        asked += 1;
        socket.destroy();
      });
    });
    await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
    closers.push(() => receiver.close());
    const url = `http://127.0.0.1:${(receiver.address() as net.AddressInfo).port}/`;
    const { error } = await outbound().call({ ...get(url), method: "POST", body: "{}", repeatable: false });
    expect(error?.code).toBe("connect_error");
    expect(asked).toBe(1);
  });
});
