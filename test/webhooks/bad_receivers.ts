// Thirty-two kinds of bad receiver, in a separate process that reports their addresses.
import * as net from "node:net";
import { expired_certificate, receiver_certificate, receiver_key } from "./certificates.ts";

type Act = (socket: net.Socket) => void;

/** What is expected of an attempt: error code, status, maximum duration, and next attempt. */
export interface Bad {
  readonly name: string;
  readonly code: string | null;
  readonly status_code: number | null;
  /** The address to subscribe. Default: a raw TCP server that runs `act` on each request. */
  readonly url?: string;
  readonly act?: Act;
  readonly certificate?: string;
  /** The shortest wait for the next attempt in seconds; null if there is no next attempt. */
  readonly again_s?: number | null;
  readonly delivery?: string;
}

const ok = "HTTP/1.1 200 OK\r\n";
const says =
  (text: string): Act =>
  (socket) =>
    socket.end(text);
const forever =
  (first: string, piece: string, every_ms: number): Act =>
  (socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.writable && socket.write(piece), every_ms);
    socket.on("close", () => clearInterval(timer));
  };
const status = (code: number, ...headers: string[]): Act =>
  says([`HTTP/1.1 ${code} So`, ...headers, "Content-Length: 0", "", ""].join("\r\n"));

const bomb = Bun.gzipSync(new Uint8Array(20_000_000));
const packed: Act = (socket) => {
  socket.write(`${ok}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
  socket.end(bomb);
};
const error = (code: string) => ({ code, status_code: null });
const http = (status_code: number, code = "http_error") => ({ code, status_code });
const fine = { code: null, status_code: 200, again_s: null, delivery: "delivered" };

export const kinds: readonly Bad[] = [
  { name: "says nothing", act: () => {}, ...error("timeout") },
  { name: "drips its headers", act: forever(`${ok}X: `, "x", 50), ...error("timeout") },
  { name: "sends headers without end", act: forever(ok, "X-A: b\r\n", 20), ...error("timeout") },
  { name: "goes on saying 100", act: forever("", "HTTP/1.1 100 Continue\r\n\r\n", 50), ...error("timeout") },
  { name: "closes", act: (socket) => socket.end(), ...error("connect_error") },
  { name: "resets", act: (socket) => socket.resetAndDestroy(), ...error("connect_error") },
  { name: "talks another language", act: says("220 mail.example ESMTP\r\n"), ...error("connect_error") },
  { name: "cuts its headers", act: says("HTTP/1.1 200 O"), ...error("connect_error") },
  { name: "has huge headers", act: says(`${ok}X: ${"a".repeat(1_000_000)}\r\n\r\n`), ...error("connect_error") },
  { name: "does not listen", url: "http://127.0.0.1:9/", ...error("connect_error") },
  { name: "has no name", url: "http://packhouse.invalid/", ...error("dns_error") },
  { name: "is not secure", url: "https", act: says("hello\r\n"), ...error("tls_error") },
  { name: "has a certificate of nobody", certificate: receiver_certificate, ...error("tls_error") },
  { name: "has a certificate that expired", certificate: expired_certificate, ...error("tls_error") },
  { name: "never ends the handshake", url: "https", act: () => {}, ...error("timeout") },
  { name: "drips its body", act: forever(`${ok}Content-Length: 90000\r\n\r\n`, ".", 20), ...fine },
  {
    name: "never ends its body",
    act: forever(`${ok}Transfer-Encoding: chunked\r\n\r\n`, `4000\r\n${"a".repeat(0x4000)}\r\n`, 1),
    ...fine,
  },
  { name: "promises more than it sends", act: says(`${ok}Content-Length: 9\r\n\r\nabc`), ...fine },
  { name: "breaks its chunks", act: says(`${ok}Transfer-Encoding: chunked\r\n\r\nzz\r\n`), ...fine },
  { name: "sends a bomb", act: packed, ...fine },
  { name: "answers 204", act: says("HTTP/1.1 204 No Content\r\n\r\n"), ...fine, status_code: 204 },
  { name: "redirects inwards", act: status(302, "Location: http://169.254.169.254/"), ...http(302) },
  { name: "answers 304", act: says("HTTP/1.1 304 Not Modified\r\n\r\n"), ...http(304) },
  { name: "answers 400", act: status(400), ...http(400) },
  { name: "answers 500", act: status(500), ...http(500) },
  { name: "answers 503 and when", act: status(503, "Retry-After: 120"), ...http(503), again_s: 120 },
  { name: "answers 503 and nonsense", act: status(503, "Retry-After: soon"), ...http(503) },
  { name: "asks for years", act: status(500, "Retry-After: 99999999"), ...http(500), again_s: 86_400 },
  { name: "answers 429", act: status(429, "Retry-After: 30"), ...http(429, "too_many_requests"), again_s: 30 },
  { name: "is gone", act: status(410), ...http(410, "gone"), again_s: null, delivery: "skipped" },
  {
    name: "aborts the message",
    act: status(400, "webhook-delivery: abort-message"),
    ...http(400),
    again_s: null,
    delivery: "cancelled",
  },
  {
    name: "switches the protocol",
    act: says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
    ...http(101),
  },
];

async function addressOf({ url, act, certificate }: Bad): Promise<string> {
  if (certificate !== undefined) {
    const tls = { key: receiver_key, cert: certificate };
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", tls, fetch: () => new Response("ok") });
    return `https://127.0.0.1:${server.port}/`;
  }
  if (act === undefined) return url ?? "";
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => act(socket));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return `${url ?? "http"}://127.0.0.1:${(server.address() as net.AddressInfo).port}/`;
}

if (import.meta.main) {
  const addresses: string[] = [];
  for (const bad of kinds) addresses.push(await addressOf(bad));
  console.log(JSON.stringify(addresses));
}
