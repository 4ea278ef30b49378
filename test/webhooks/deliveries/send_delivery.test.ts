import { afterAll, describe, expect, test } from "bun:test";
import * as net from "node:net";
import { join } from "node:path";
import { createServer } from "node:tls";
import { verify } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";
import { systemClock } from "../../../src/core/clock.ts";
import { type AddressPolicy, default_ports, ranges } from "../../../src/outbound/destination.ts";
import { deliveryHeaders } from "../../../src/webhooks/deliveries/attempt.ts";
import {
  createSender,
  type OutgoingDelivery,
  type SenderOptions,
  sign,
} from "../../../src/webhooks/deliveries/send_delivery.ts";
import { newSecret } from "../../../src/webhooks/subscriptions/subscription.ts";
import { authority, expired_certificate, receiver_certificate, receiver_key } from "../certificates.ts";

const closers: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closers) await close();
});

const laptop: AddressPolicy = {
  mode: "test",
  chosen_by: "operator",
  loopback_receivers: true,
  ports: default_ports,
  openings: ranges([]),
};
const opened: AddressPolicy = { ...laptop, loopback_receivers: false, openings: ranges(["127.0.0.0/8"]) };
const deadlines = { connect_ms: 300, headers_ms: 300, body_ms: 150 };
/** How late a busy machine may be. */
const slack_ms = 2000;
const loopback = async () => ["127.0.0.1"];

const sender = (options: Partial<SenderOptions> = {}) => {
  const made = createSender({ policy: laptop, deadlines, resolve: loopback, authorities: authority, ...options });
  closers.push(() => made.close());
  return made;
};

const to = (url: string, body = "{}"): OutgoingDelivery => ({
  url,
  headers: { "Content-Type": "application/json" },
  body,
});

/** A receiver that speaks HTTP and records requests. */
function receiver(answer: (request: Request, body: string) => Response | Promise<Response>, tls?: Bun.TLSOptions) {
  const seen: { headers: Headers; body: string; path: string }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    ...(tls && { tls }),
    async fetch(request) {
      const body = await request.text();
      const { pathname, search } = new URL(request.url);
      seen.push({ headers: request.headers, body, path: pathname + search });
      return answer(request, body);
    },
  });
  closers.push(() => server.stop(true));
  return { port: server.port ?? 0, url: `http://127.0.0.1:${server.port}/hook`, seen };
}

/** A raw TCP receiver, for responses that no HTTP server sends. `act` is called at the first bytes of a request. */
async function rawReceiver(act: (socket: net.Socket, connection: number) => void) {
  const sockets = new Set<net.Socket>();
  const counts = { connections: 0, bytes: 0 };
  const server = net.createServer((socket) => {
    counts.connections++;
    const connection = counts.connections;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (chunk) => {
      counts.bytes += chunk.length;
      act(socket, connection);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as net.AddressInfo;
  return { port, url: `http://127.0.0.1:${port}/hook`, counts, sockets };
}

describe("an attempt", () => {
  test("delivers bytes that two independent verifiers accept", async () => {
    const { url, seen } = receiver(() => new Response("thanks", { headers: { "X-Request-Id": "r-1", "X-Own": "no" } }));
    const secret = newSecret(Buffer.alloc(32, 5));
    const body = JSON.stringify({ id: "evt_1", data: { name: "Zoë 東京 🚚" } });
    const headers = deliveryHeaders({
      event_id: "evt_1",
      event_type: "order.created",
      subscription_id: "whk_3",
      attempt: 1,
      test: false,
      ...sign({ event_id: "evt_1", body, sent_at: systemClock().now(), secret, previous_secret: null }),
    });
    const result = await sender().send({ url: `${url}?a=b%20c`, headers, body });
    const { duration_ms, headers: answered, ...rest } = result;
    expect(rest).toEqual({
      status_code: 200,
      body: "thanks",
      truncated: false,
      error: null,
      ip_address: "127.0.0.1",
    });
    expect(answered).toMatchObject({ "x-request-id": "r-1", "content-length": "6" });
    expect(answered).not.toHaveProperty("x-own");
    expect(duration_ms).toBeWithin(0, 1000);
    const [got] = seen;
    if (got === undefined) throw new Error("nothing arrived");
    expect(got.path).toBe("/hook?a=b%20c");
    expect(got.body).toBe(body);
    expect(got.headers.get("host")).toBe(new URL(url).host);
    expect(got.headers.get("accept-encoding")).toBeNull();
    expect(new Webhook(secret).verify(got.body, Object.fromEntries(got.headers))).toEqual(JSON.parse(body));
    expect(await verify(secret, got.body, `sha256=${got.headers.get("x-webhook-signature")}`)).toBe(true);
    expect(await verify(secret, got.body, `sha256=${got.headers.get("x-packhouse-signature")}`)).toBe(true);
  });

  test.each([
    [200, null],
    [201, null],
    [204, null],
    [299, null],
    [301, "http_error"],
    [304, "http_error"],
    [307, "http_error"],
    [400, "http_error"],
    [404, "http_error"],
    [410, "gone"],
    [429, "too_many_requests"],
    [500, "http_error"],
    [503, "http_error"],
  ] as const)("that gets status %d ends with %p", async (status, code) => {
    const { url, seen } = receiver(
      () => new Response(null, { status, headers: { "Retry-After": "7", Location: "/" } }),
    );
    const result = await sender().send(to(url));
    expect(result.error?.code ?? null).toBe(code);
    expect(result).toMatchObject({ status_code: status, body: "", headers: { "retry-after": "7" } });
    expect(seen).toHaveLength(1);
  });

  test("does not follow redirects", async () => {
    const inner = receiver(() => new Response("secret"));
    const { url } = receiver(() => Response.redirect(inner.url, 302));
    const result = await sender().send(to(url));
    expect(result).toMatchObject({ status_code: 302, headers: { location: inner.url } });
    expect(result.error?.message).toContain("not followed");
    expect(inner.seen).toHaveLength(0);
  });

  test("reuses a connection, and opens a new one when the receiver has closed it", async () => {
    const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    const { url, counts, sockets } = await rawReceiver((socket, connection) => {
      if (connection === 2 && counts.connections === 2 && reset) socket.resetAndDestroy();
      else socket.write(answer);
    });
    let reset = false;
    const one = sender();
    for (const _time of [1, 2, 3]) expect((await one.send(to(url))).error).toBeNull();
    expect(counts.connections).toBe(1);
    for (const socket of sockets) socket.destroy();
    expect((await one.send(to(url))).error).toBeNull();
    expect(counts.connections).toBe(2);
    reset = true;
    expect((await one.send(to(url))).error).toBeNull();
    expect(counts.connections).toBe(3);
  });

  test("stores at most 4 KiB of the response, cut between characters, without NUL", async () => {
    const body = async (content: string | Uint8Array) => {
      const { url } = receiver(() => new Response(content));
      const { body: kept, truncated } = await sender().send(to(url));
      return { kept, bytes: Buffer.byteLength(kept ?? ""), truncated };
    };
    expect(await body("a".repeat(4096))).toMatchObject({ bytes: 4096, truncated: false });
    expect(await body("a".repeat(4097))).toMatchObject({ bytes: 4096, truncated: true });
    expect(await body("é".repeat(3000))).toEqual({ kept: "é".repeat(2048), bytes: 4096, truncated: true });
    expect(await body(`a${"é".repeat(3000)}`)).toMatchObject({ bytes: 4095, truncated: true });
    expect((await body(new Uint8Array(4096).fill(255))).bytes).toBeLessThanOrEqual(4096);
    expect((await body("a\u0000b")).kept).toBe("a\ufffdb");
  });

  test("does not decompress the response", async () => {
    const bomb = Bun.gzipSync(new Uint8Array(10_000_000));
    const { url } = receiver(() => new Response(bomb, { headers: { "Content-Encoding": "gzip" } }));
    expect(await sender().send(to(url))).toMatchObject({ status_code: 200, truncated: true, error: null });
  });
});

describe("a bad receiver", () => {
  const head = "HTTP/1.1 200 OK\r\n";
  const drip = (socket: net.Socket, text: string, every_ms: number) => {
    const letters = [...text];
    const timer = setInterval(() => socket.write(letters.shift() ?? ""), every_ms);
    socket.on("close", () => clearInterval(timer));
  };
  const forever = (socket: net.Socket, bytes: string, every_ms: number) => {
    const timer = setInterval(() => socket.write(bytes), every_ms);
    socket.on("close", () => clearInterval(timer));
  };

  test.each([
    ["accepts and says nothing", () => {}, "timeout", null],
    ["drips its headers", (socket: net.Socket) => drip(socket, `${head}X-A: ${"b".repeat(99)}`, 20), "timeout", null],
    [
      "sends headers without end",
      (socket: net.Socket) => {
        socket.write(head);
        forever(socket, "X-A: b\r\n", 20);
      },
      "timeout",
      null,
    ],
    [
      "says 100 without end",
      (socket: net.Socket) => forever(socket, "HTTP/1.1 100 Continue\r\n\r\n", 30),
      "timeout",
      null,
    ],
    ["closes without an answer", (socket: net.Socket) => socket.end(), "connect_error", null],
    ["resets", (socket: net.Socket) => socket.resetAndDestroy(), "connect_error", null],
    ["talks garbage", (socket: net.Socket) => socket.end("220 mail.example ESMTP\r\n"), "connect_error", null],
    [
      "sends huge headers",
      (socket: net.Socket) => socket.write(`${head}X-A: ${"a".repeat(1_000_000)}\r\n\r\n`),
      "connect_error",
      null,
    ],
    ["cuts its headers", (socket: net.Socket) => socket.end("HTTP/1.1 200 O"), "connect_error", null],
    [
      "switches the protocol",
      (socket: net.Socket) =>
        socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
      "http_error",
      101,
    ],
    [
      "promises more than it sends",
      (socket: net.Socket) => socket.end(`${head}Content-Length: 9\r\n\r\nabc`),
      null,
      200,
    ],
    [
      "resets in its body",
      (socket: net.Socket) => {
        socket.write(`${head}Content-Length: 9\r\n\r\nabc`);
        setTimeout(() => socket.resetAndDestroy(), 30);
      },
      null,
      200,
    ],
    [
      "drips its body",
      (socket: net.Socket) => {
        socket.write(`${head}Content-Length: 90000\r\n\r\nabc`);
        forever(socket, ".", 10);
      },
      null,
      200,
    ],
    [
      "never ends its body",
      (socket: net.Socket) => {
        socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
        forever(socket, `4000\r\n${"a".repeat(0x4000)}\r\n`, 1);
      },
      null,
      200,
    ],
    [
      "breaks its chunks",
      (socket: net.Socket) => socket.write(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
      null,
      200,
    ],
  ] as const)("that %s is dropped within its deadline", async (_name, act, code, status_code) => {
    const { url } = await rawReceiver(act);
    const started = performance.now();
    const result = await sender().send(to(url));
    expect(performance.now() - started).toBeLessThan(deadlines.headers_ms + deadlines.body_ms + slack_ms);
    expect(result.error?.code ?? null).toBe(code);
    expect(result.status_code).toBe(status_code);
    expect(result.truncated).toBe(status_code === 200);
    expect(result.ip_address).toBe("127.0.0.1");
    expect(Buffer.byteLength(result.body ?? "")).toBeLessThanOrEqual(4096);
  });

  test("that sends too much is dropped at the size limit, long before the deadline", async () => {
    const { url } = await rawReceiver((socket) => {
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
      forever(socket, `4000\r\n${"a".repeat(0x4000)}\r\n`, 1);
    });
    const body_ms = 20_000;
    const result = await sender({ deadlines: { ...deadlines, body_ms } }).send(to(url));
    expect(result).toMatchObject({ status_code: 200, error: null, truncated: true });
    expect(result.duration_ms).toBeLessThan(body_ms / 2);
  });

  test("with no listener refuses the connection", async () => {
    const { port, url } = receiver(() => new Response());
    for (const close of closers.splice(-1)) await close();
    expect(await sender().send(to(url))).toMatchObject({ error: { code: "connect_error" }, ip_address: "127.0.0.1" });
    const other = receiver(() => new Response());
    const resolve = async () => ["127.0.0.9", "127.0.0.1"];
    const result = await sender({ policy: opened, resolve }).send(to(`http://receiver.test:${other.port}/`));
    expect(result).toMatchObject({ error: null, ip_address: "127.0.0.1" });
    expect(port).not.toBe(other.port);
  });

  test("does not delay another: 300 hang, one responds", async () => {
    const hung = await rawReceiver(() => {});
    const good = receiver(() => new Response("ok"));
    const hung_ms = 5000;
    const one = sender({ deadlines: { ...deadlines, connect_ms: hung_ms, headers_ms: hung_ms } });
    const waiting = Array.from({ length: 300 }, () => one.send(to(hung.url)));
    while (hung.counts.connections < 300) await Bun.sleep(5);
    const result = await one.send(to(good.url));
    expect(result.error).toBeNull();
    expect(result.duration_ms).toBeLessThan(hung_ms / 2);
    one.close();
    const codes = (await Promise.all(waiting)).map(({ error }) => error?.code);
    expect(new Set(codes)).toEqual(new Set(["connect_error"]));
  });
});

describe("over TLS", () => {
  const good = { key: receiver_key, cert: receiver_certificate };
  const secure = (port: number, host = "receiver.test") => to(`https://${host}:${port}/hook`, '{"secret":1}');
  // The machine may be busy while certificates are checked. A receiver without a certificate is not waited for.
  const patience = { ...deadlines, connect_ms: 5000, headers_ms: 5000 };
  const local = { policy: opened, deadlines: patience };
  const ours = { authorities: authority };

  test("a certificate for the host name is accepted, at the resolved address", async () => {
    const { port, seen } = receiver(() => new Response("ok"), good);
    const one = sender(local);
    for (const _time of [1, 2]) {
      expect(await one.send(secure(port))).toMatchObject({ status_code: 200, error: null, ip_address: "127.0.0.1" });
    }
    expect(seen.map(({ headers }) => headers.get("host"))).toEqual(Array(2).fill(`receiver.test:${port}`));
  });

  test.each([
    ["of another name", good, "other.test", ours],
    ["of another name than the address", good, "127.0.0.1", ours],
    ["of an unknown authority", good, "receiver.test", {}],
    ["that expired", { key: receiver_key, cert: expired_certificate }, "receiver.test", ours],
  ])("a certificate %s is refused before anything is sent", async (_name, tls, host, trust) => {
    const { port, seen } = receiver(() => new Response("ok"), tls);
    const one = createSender({ ...local, resolve: loopback, ...trust });
    closers.push(() => one.close());
    expect(await one.send(secure(port, host))).toMatchObject({ status_code: null, error: { code: "tls_error" } });
    await Bun.sleep(50);
    expect(seen).toHaveLength(0);
  });

  test("the receiver learns which of its names is called", async () => {
    const names: unknown[] = [];
    const server = createServer(good, (socket) => {
      names.push(socket.servername);
      socket.on("error", () => {});
      socket.on("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    closers.push(() => server.close());
    const { port } = server.address() as net.AddressInfo;
    expect((await sender(local).send(secure(port))).error).toBeNull();
    expect(names).toEqual(["receiver.test"]);
  });

  test.skipIf(process.platform !== "linux")("a certificate for the IP address is accepted", async () => {
    const server = Bun.serve({ port: 0, hostname: "127.0.0.2", tls: good, fetch: () => new Response("ok") });
    closers.push(() => server.stop(true));
    const result = await sender(local).send(secure(server.port ?? 0, "127.0.0.2"));
    expect(result).toMatchObject({ error: null, ip_address: "127.0.0.2" });
  });

  test("a pooled connection for one name is not used for another", async () => {
    const { port, seen } = receiver(() => new Response("ok"), good);
    const one = sender(local);
    expect((await one.send(secure(port))).error).toBeNull();
    expect((await one.send(secure(port, "other.test"))).error?.code).toBe("tls_error");
    expect((await one.send(secure(port, "127.0.0.1"))).error?.code).toBe("tls_error");
    expect(seen).toHaveLength(1);
  });

  test("a receiver that does not speak TLS is dropped", async () => {
    const plain = receiver(() => new Response("ok"));
    expect((await sender(local).send(secure(plain.port))).error?.code).toBe("tls_error");
    const silent = await rawReceiver(() => {});
    const started = performance.now();
    expect((await sender({ policy: opened }).send(secure(silent.port))).error?.code).toBe("timeout");
    expect(performance.now() - started).toBeWithin(deadlines.connect_ms - 20, deadlines.connect_ms + 250);
  });
});

describe("a receiver's name", () => {
  const refused = { status_code: null, headers: {}, body: null, truncated: false, ip_address: null, duration_ms: null };

  test("that does not resolve is a dns_error", async () => {
    const rejected = async () => {
      throw new Error("ENOTFOUND");
    };
    for (const resolve of [rejected, async () => []]) {
      const result = await sender({ resolve }).send(to("http://hooks.example/"));
      expect(result).toMatchObject({ error: { code: "dns_error" }, ip_address: null });
    }
    const never = await sender({ resolve: () => new Promise(() => {}) }).send(to("http://hooks.example/"));
    expect(never.error?.code).toBe("timeout");
    const system = createSender({ policy: laptop });
    closers.push(() => system.close());
    expect((await system.send(to("http://packhouse.invalid/"))).error?.code).toBe("dns_error");
  });

  test("that resolves to any non-public address is never called", async () => {
    const { port, seen } = receiver(() => new Response("ok"));
    const answers = [["127.0.0.1"], ["1.1.1.1", "127.0.0.1"], ["127.0.0.1", "1.1.1.1"], ["::ffff:127.0.0.1"], ["junk"]];
    for (const addresses of answers) {
      const one = sender({ resolve: async () => addresses });
      const result = await one.send(to(`http://hooks.example:${port}/`));
      expect(result).toEqual({ ...refused, error: { code: "blocked_address", message: expect.any(String) } });
      expect(await one.problem(`http://hooks.example:${port}/`)).toMatchObject({ code: "blocked_address" });
    }
    expect(seen).toHaveLength(0);
  });

  test("is resolved once per attempt, so a later DNS change has no effect", async () => {
    const { port, seen } = receiver(() => new Response("ok"));
    let asked = 0;
    const rebinding = async () => (++asked % 2 === 1 ? ["192.0.2.1"] : ["127.0.0.1"]);
    const policy = { ...laptop, openings: ranges(["192.0.2.1/32"]) };
    const one = sender({ policy, resolve: rebinding });
    const first = await one.send(to(`http://hooks.example:${port}/`));
    expect(asked).toBe(1);
    expect(first.error?.code).not.toBe("blocked_address");
    expect(await one.send(to(`http://hooks.example:${port}/`))).toMatchObject({ error: { code: "blocked_address" } });
    expect(seen).toHaveLength(0);
  });

  test("is also checked by its text at each attempt", async () => {
    const live = sender({ policy: { ...laptop, mode: "live" } });
    for (const url of ["http://1.1.1.1/", "https://127.0.0.1/", "https://1.1.1.1:22/", "file:///etc/passwd", "junk"]) {
      expect(await live.send(to(url))).toMatchObject({ ...refused, error: { code: "blocked_address" } });
    }
  });

  test("may be unknown when a client submits it, and may be localhost on a developer's machine", async () => {
    const unknown = sender({ resolve: async () => [] });
    expect(await unknown.problem("https://hooks.example/")).toBeNull();
    expect(await unknown.problem("ftp://hooks.example/")).toMatchObject({ code: "https_required" });
    const { port, seen } = receiver(() => new Response("ok"));
    const system = createSender({ policy: laptop });
    closers.push(() => system.close());
    expect(await system.problem(`http://localhost:${port}/`)).toBeNull();
    expect((await system.send(to(`http://localhost:${port}/`))).error).toBeNull();
    expect(seen).toHaveLength(1);
  });
});

const proxied = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

test("proxies and disabled certificate checks in the environment are ignored", async () => {
  const proxy = await rawReceiver((socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  const plain = receiver(() => new Response("ok"));
  const tls = receiver(() => new Response("ok"), { key: receiver_key, cert: receiver_certificate });
  const script = `
    import { createSender } from "./webhooks/deliveries/send_delivery.ts";
    import { ranges } from "./outbound/destination.ts";
    const openings = ranges(["127.0.0.0/8"]);
    const policy = { mode: "test", chosen_by: "operator", loopback_receivers: false, ports: [], openings };
    const sender = createSender({ policy, resolve: async () => ["127.0.0.1"] });
    const send = async (url) => (await sender.send({ url, headers: {}, body: "{}" })).error?.code ?? "ok";
    console.log(await send("${plain.url}"), await send("https://receiver.test:${tls.port}/"));
    sender.close();`;
  const proxies = Object.fromEntries(proxied.map((name) => [name, `http://127.0.0.1:${proxy.port}`]));
  const child = Bun.spawn([process.execPath, "-e", script], {
    cwd: join(import.meta.dir, "../../../src"),
    env: { ...proxies, NODE_USE_ENV_PROXY: "1", NODE_TLS_REJECT_UNAUTHORIZED: "0", NO_PROXY: "" },
    stderr: "ignore",
  });
  expect((await new Response(child.stdout).text()).trim()).toBe("ok tls_error");
  expect(proxy.counts.connections).toBe(0);
  expect(plain.seen).toHaveLength(1);
  expect(tls.seen).toHaveLength(0);
});
