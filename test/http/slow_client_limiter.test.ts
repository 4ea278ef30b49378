// Responses that clients do not read, over real connections.
import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import net from "node:net";
import { openLog } from "../../src/core/log.ts";
import { openRequestPipeline } from "../../src/http/request_pipeline.ts";
import { SlowClientLimiter } from "../../src/http/slow_client_limiter.ts";
import { traceOf } from "../../src/http/trace.ts";

setDefaultTimeout(30_000);
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

// More than the socket buffers of both sides hold.
const large_bytes = 24 << 20;
const large = () => new Response("x".repeat(large_bytes), { headers: { "x-made": "yes" } });

/** A clock that advances only while this process is scheduled, so that a busy machine delays both sides alike. */
function turnsClock(): () => number {
  let elapsed = 0;
  const tick = setInterval(() => {
    elapsed += 10;
  }, 10);
  ends.push(() => clearInterval(tick));
  return () => elapsed;
}

interface Bounds {
  readonly bytes_max?: number;
  readonly client_timeout_ms?: number;
  readonly wait_ms?: number;
  readonly onRefused?: (key: string) => void;
}

/** A server whose limiter has bounds that a test can reach. */
function open(handle: (request: Request) => Response, bounds: Bounds) {
  const lines: string[] = [];
  const log = openLog({ level: "error", format: "json", write: (line) => lines.push(line) });
  const limiter = new SlowClientLimiter({
    disconnect: (request) => server.timeout(request, 1),
    onError: (error) => log.error("a response was cut off", { error: String(error) }),
    elapsed: turnsClock(),
    ...bounds,
  });
  const entrance = openRequestPipeline({ log, slow_ms: 60_000, now: () => 0, limiter }, handle);
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch: (request) => entrance.answer(request),
  });
  ends.push(() => server.stop(true));
  const url = `http://127.0.0.1:${server.port}`;
  /** Sends a request and reads nothing of the response. Resolves when the connection has ended. */
  const ask = (path: string, method = "GET") => {
    const socket = net.connect(server.port ?? 0, "127.0.0.1");
    ends.push(() => socket.destroy());
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: packhouse.test\r\n\r\n`);
    socket.on("error", () => {});
    return { socket, ended: new Promise<void>((resolve) => socket.on("close", () => resolve())) };
  };
  return { url, limiter, ask, lines };
}

const until = async (holds: () => boolean) => {
  while (!holds()) await Bun.sleep(10);
};

test("a large response arrives complete, and counts while it is being read", async () => {
  const { url, limiter, ask } = open(large, {});
  const answer = await fetch(url);
  expect([answer.headers.get("x-made"), (await answer.text()).length]).toEqual(["yes", large_bytes]);
  await until(() => limiter.bytes === 0);
  const { socket } = ask("/");
  await until(() => limiter.bytes === large_bytes);
  socket.destroy();
  await until(() => limiter.bytes === 0);
});

test("a small response is sent unchanged, and a shared one does not count", async () => {
  const shared = new Blob([new Uint8Array(large_bytes)]);
  const handle = ({ url }: Request) => new Response(url.endsWith("/small") ? "small" : shared);
  const { url, limiter, ask } = open(handle, { bytes_max: 0 });
  const small = await fetch(`${url}/small`);
  expect([small.headers.get("content-length"), await small.text()]).toEqual(["5", "small"]);
  ask("/shared");
  expect((await (await fetch(`${url}/shared`)).blob()).size).toBe(large_bytes);
  expect(limiter.bytes).toBe(0);
});

test("beyond the limit, large responses to reads are refused; small ones and those to writes are sent", async () => {
  const handle = ({ url }: Request) => (url.endsWith("/small") ? new Response("small") : large());
  const { url, limiter, ask } = open(handle, { bytes_max: 2 * large_bytes, wait_ms: 0 });
  const one = ask("/");
  await until(() => limiter.bytes === large_bytes);
  const other = ask("/", "POST");
  await until(() => limiter.bytes === 2 * large_bytes);
  const refused = await fetch(url);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(((await refused.json()) as { error: { code: string } }).error.code).toBe("unavailable");
  expect(await (await fetch(`${url}/small`)).text()).toBe("small");
  expect((await (await fetch(url, { method: "POST" })).text()).length).toBe(large_bytes);
  one.socket.destroy();
  other.socket.destroy();
  await until(() => limiter.bytes === 0);
  expect((await (await fetch(url)).text()).length).toBe(large_bytes);
});

/** Endless responses that count 100 bytes each, for the key and owner named in the path: `/key/owner`. */
const endless = (request: Request) => {
  const [, key = "", owner = ""] = new URL(request.url).pathname.split("/");
  Object.assign(traceOf(request), { held_bytes: 100, reader: { key, owner } });
  const pull = (controller: ReadableStreamDefaultController) => controller.enqueue(new Uint8Array(1 << 20));
  return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
};

/** The status of a response, as soon as it arrives. */
const statusOf = (socket: net.Socket) =>
  new Promise<number>((resolve) => socket.once("data", (data) => resolve(Number(data.toString().split(" ")[1]))));

test("unread responses count against their own key and merchant, not against others", async () => {
  const refusals: string[] = [];
  const { ask } = open(endless, { bytes_max: 1000, wait_ms: 0, onRefused: (key) => refusals.push(key) });
  const statuses = async (path: string, count: number) => {
    const all: number[] = [];
    for (let at = 0; at < count; at += 1) all.push(await statusOf(ask(path).socket));
    return all;
  };
  expect(await statuses("/key_1/mer_1", 7)).toEqual([200, 200, 200, 200, 200, 503, 503]);
  expect(await statuses("/key_2/mer_1", 3)).toEqual([200, 200, 503]);
  expect(await statuses("/key_3/mer_2", 3)).toEqual([200, 200, 503]);
  expect(await statuses("/key_4/key_4", 1)).toEqual([200]);
  expect(refusals).toEqual(["key_1", "key_2", "key_3"]);
});

test("a response waits for its share, and is sent once others of its key have been read", async () => {
  const { ask, limiter } = open(endless, { bytes_max: 500, wait_ms: 60_000 });
  const held = [ask("/key_1/mer_1"), ask("/key_1/mer_1"), ask("/key_1/mer_1")];
  expect(await Promise.all(held.map(({ socket }) => statusOf(socket)))).toEqual([200, 200, 200]);
  let status = 0;
  const waits = statusOf(ask("/key_1/mer_1").socket).then((found) => {
    status = found;
  });
  // Another key that sends a later request does not wait.
  expect(await statusOf(ask("/key_2/mer_2").socket)).toBe(200);
  expect([status, limiter.bytes]).toEqual([0, 400]);
  for (const { socket } of held) socket.destroy();
  await waits;
  expect(status).toBe(200);
});

test("a client that reads nothing is disconnected; one that reads slowly but steadily is not", async () => {
  const { url, limiter, ask } = open(large, { client_timeout_ms: 400 });
  const idle = ask("/");
  const answer = await fetch(url);
  let taken = 0;
  for await (const piece of answer.body ?? []) {
    taken += piece.length;
    if (taken % (1 << 20) < piece.length) await Bun.sleep(20);
  }
  expect(taken).toBe(large_bytes);
  await until(() => limiter.bytes === 0);
  idle.socket.resume();
  await idle.ended;
});

test("a streamed response is produced as it is read, and cancelled when its reader leaves", async () => {
  let written = 0;
  let left = false;
  const handle = (request: Request) => {
    traceOf(request).held_bytes = 1 << 20;
    const pull = (controller: ReadableStreamDefaultController) => {
      written += 1 << 20;
      controller.enqueue(new Uint8Array(1 << 20));
    };
    const cancel = () => {
      left = true;
    };
    return new Response(new ReadableStream({ pull, cancel }, { highWaterMark: 0 }));
  };
  const { ask, limiter } = open(handle, { client_timeout_ms: 400 });
  const { ended, socket } = ask("/");
  await until(() => left);
  expect(written).toBeLessThan(large_bytes);
  expect(limiter.bytes).toBe(0);
  socket.resume();
  await ended;
});

test("a response that fails midway ends its connection, and the log gives the reason", async () => {
  let pieces = 0;
  const handle = (request: Request) => {
    traceOf(request).held_bytes = 1 << 20;
    const pull = (controller: ReadableStreamDefaultController) => {
      pieces += 1;
      if (pieces > 3) throw new Error("the storage failed");
      controller.enqueue(new Uint8Array(1000));
    };
    return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
  };
  const { url, lines } = open(handle, {});
  await expect(fetch(url).then((answer) => answer.arrayBuffer())).rejects.toThrow();
  await until(() => lines.length > 0);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { message: "a response was cut off", error: "Error: the storage failed" },
  ]);
});
