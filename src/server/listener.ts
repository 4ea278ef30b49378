// The service's HTTP listener. It accepts no new connections while file descriptors are scarce.
import { closeSync, openSync } from "node:fs";
import type { TlsCertificate } from "../core/certificates.ts";
import { UsageError } from "../core/config.ts";
import type { Log } from "../core/log.ts";
import { counter } from "../core/metrics.ts";
import { countOpenFiles, openFilesLimit } from "../core/process.ts";

interface ListenerSettings {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Idle timeout of connections. */
  readonly idle_seconds: number;
  /** Null for plain http. */
  readonly tls: TlsCertificate | null;
  readonly log: Log;
}

/** An open port. */
export interface HttpListener {
  readonly number: number;
  readonly peerOf: (request: Request) => string | null;
  /** Sets the idle timeout of a request's connection. */
  readonly waitFor: (request: Request, seconds: number) => void;
  /** Uses a new certificate for new connections. Existing connections keep the old one. */
  readonly renew: (tls: TlsCertificate) => void;
  /** Accepts no more connections; resolves once all requests have their responses. */
  readonly close: () => Promise<void>;
  /** Ends every connection at once. */
  readonly end: () => Promise<void>;
}

type MaybeResponse = Response | Promise<Response>;

// The size of a body is checked once its route is known, because Bun refuses without a message.
const body_bytes_max = Number.MAX_SAFE_INTEGER;

/** Bun itself refuses a request beyond this many bytes or 198 header lines, without a body. */
const readable_head_bytes = 64 << 10;

/** The build flag that makes the binary's Bun accept heads of that size. */
export const longHeads = `--max-http-header-size=${readable_head_bytes}`;

const check_every_ms = 250;
const closed_ms = 1000;
const warn_every_ms = 60_000;
const reserve_max = 64;
// Below this limit the service's own files might never leave enough for clients.
const limit_min = 128;

const closings = counter(
  "packhouse_port_closed_total",
  "Times that the port was closed because file descriptors were scarce.",
);

/** Opens the port. Throws `UsageError` if the port is in use. */
export function openListener(settings: ListenerSettings, answer: (request: Request) => MaybeResponse): HttpListener {
  readLongHeads();
  let { tls } = settings;
  let is_open = true;
  let server = listen({ ...settings, tls }, answer);
  const number = server.port ?? 0;
  // Servers that accept no more connections, until their last response is sent.
  const ending = new Set<Bun.Server<undefined>>();
  const stopAccepting = async () => {
    const closed = server;
    is_open = false;
    ending.add(closed);
    await closed.stop();
    ending.delete(closed);
  };
  const startAccepting = () => {
    server = listen({ ...settings, port: number, tls }, answer);
    is_open = true;
  };
  // Bun's `reload` cannot change the certificate, so the port is closed and reopened. If it is in use by then, retry.
  let opening: Timer | undefined;
  const reopen = () => {
    try {
      startAccepting();
    } catch (error) {
      settings.log.error("the port could not be reopened", { error: String(error) });
      opening = setTimeout(reopen, check_every_ms);
    }
  };
  const failed = (error: unknown) => settings.log.error("the port could not be closed", { error: String(error) });
  const stopWatching = watchDescriptors(settings.log, stopAccepting, startAccepting);
  return {
    number,
    peerOf: (request) => server.requestIP(request)?.address ?? null,
    waitFor: (request, seconds) => server.timeout(request, seconds),
    renew: (identity) => {
      tls = identity;
      // While the port is closed, the next opening uses the new certificate.
      if (!is_open) return;
      stopAccepting().catch(failed);
      reopen();
    },
    close: async () => {
      clearTimeout(opening);
      stopWatching();
      await Promise.all([...ending, server].map((it) => it.stop()));
    },
    end: async () => {
      stopWatching();
      await Promise.all([...ending, server].map((it) => it.stop(true)));
    },
  };
}

/**
 * Raises the limit on request heads, which Bun.serve has no setting for. The compiled binary has it built in. From
 * source it is set through node:http, which takes longer to load than a port takes to open.
 */
function readLongHeads(): void {
  if (process.execArgv.includes(longHeads)) return;
  const http = require("node:http") as typeof import("node:http");
  Object.assign(http, { maxHeaderSize: readable_head_bytes });
}

function listen({ host, port, idle_seconds, tls }: ListenerSettings, answer: (request: Request) => MaybeResponse) {
  const scheme = tls === null ? "http" : "https";
  try {
    return Bun.serve({
      hostname: host,
      port,
      reusePort: false,
      idleTimeout: idle_seconds,
      maxRequestBodySize: body_bytes_max,
      fetch: (request) => answer(withAbsoluteUrl(request, scheme)),
      // Browsers use HTTP/2 only over TLS: there a dashboard in many tabs needs one connection.
      ...(tls && { http2: true, tls: { cert: tls.cert, key: tls.key } }),
    });
  } catch (error) {
    if ((error as { code?: string }).code !== "EADDRINUSE") throw error;
    throw new UsageError(`Port ${port} is already in use on ${host}. Choose another one with --port.`);
  }
}

/**
 * Makes the URL of a request absolute: an HTTP/1.0 request may have no host, as with probes of some load balancers.
 * Elysia finds no path after `https://` and a host of one or two letters, so such hosts are lengthened.
 */
function withAbsoluteUrl(request: Request, scheme: "http" | "https"): Request {
  const { url } = request;
  if (url.startsWith("/")) return new Request(`${scheme}://localhost${url}`, request);
  const path_at = scheme === "https" ? url.indexOf("/", "https://".length) : -1;
  if (path_at < 0 || path_at >= "https://abc".length) return request;
  return new Request(`${url.slice(0, path_at)}.local${url.slice(path_at)}`, request);
}

/**
 * Closes the port while nearly all file descriptors are in use, for at least a second. Without a free descriptor Bun
 * retries to accept a connection in a loop that uses a whole core, and the service needs some descriptors itself.
 * Closing the listener also ends idle connections; requests in progress are completed. Returns a function that stops
 * the watch.
 */
function watchDescriptors(log: Log, stopAccepting: () => Promise<void>, startAccepting: () => void): () => void {
  const limit = openFilesLimit();
  if (limit === null || limit < limit_min) return () => {};
  const reserve = Math.min(reserve_max, Math.floor(limit / 8));
  // Reserved for the service itself while clients connect, and released once the port is closed.
  const held: number[] = [];
  const hold = () => {
    while (held.length < reserve) held.push(openSync("/dev/null", "r"));
  };
  hold();
  let closed_at: number | null = null;
  let warned_at = Number.NEGATIVE_INFINITY;
  let ended = false;
  const check = async () => {
    const open = (await countOpenFiles()) ?? limit;
    const now = performance.now();
    if (ended) return;
    if (closed_at === null && open >= limit - reserve) {
      closed_at = now;
      closings.add(1);
      if (now - warned_at >= warn_every_ms) {
        warned_at = now;
        log.warn("open files near the limit: ending idle connections and refusing new ones for a while", { limit });
      }
      stopAccepting().catch((error) => log.error("the port could not be closed", { error: String(error) }));
      for (const descriptor of held.splice(0)) closeSync(descriptor);
    } else if (closed_at !== null && now - closed_at >= closed_ms && open < limit - 3 * reserve) {
      closed_at = now;
      hold();
      startAccepting();
      closed_at = null;
    }
  };
  let is_checking = false;
  const timer = setInterval(() => {
    if (is_checking) return;
    is_checking = true;
    check()
      .finally(() => {
        is_checking = false;
      })
      .catch((error) => log.error("the port could not be reopened", { error: String(error) }));
  }, check_every_ms);
  return () => {
    ended = true;
    for (const descriptor of held.splice(0)) closeSync(descriptor);
    clearInterval(timer);
  };
}
