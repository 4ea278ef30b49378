// The port of the service. It accepts no new connections while file descriptors run out.
import { closeSync, openSync } from "node:fs";
import type { TlsCertificate } from "../core/certificates.ts";
import { UsageError } from "../core/config.ts";
import type { Log } from "../core/log.ts";
import { counter } from "../core/metrics.ts";
import { countOpenFiles, openFilesLimit } from "../core/process.ts";
import { located } from "../http/origin.ts";
import { longHeads, readable_head_bytes } from "../http/request_head.ts";

interface ListenerSettings {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** A connection over which nothing goes for so long is ended. */
  readonly idle_seconds: number;
  /** What TLS is spoken with; null for plain http. */
  readonly tls: TlsCertificate | null;
  readonly log: Log;
}

export interface HttpListener {
  readonly number: number;
  readonly peerOf: (request: Request) => string | null;
  /** How long the connection of a request may be idle from now on. */
  readonly waitFor: (request: Request, seconds: number) => void;
  /** Speaks TLS with another certificate from now on; who is inside stays with the one before. */
  readonly renew: (tls: TlsCertificate) => void;
  /** Lets nobody in any more; resolves once all who are inside are answered. */
  readonly close: () => Promise<void>;
  /** Ends every connection at once. */
  readonly end: () => Promise<void>;
}

type MaybeResponse = Response | Promise<Response>;

// The size of a body is checked where its route is known: Bun itself would refuse without a message.
const body_bytes_max = Number.MAX_SAFE_INTEGER;

const check_every_ms = 250;
const closed_ms = 1000;
const warn_every_ms = 60_000;
const reserve_max = 64;
// With fewer the service itself might never leave enough for clients.
const limit_min = 128;

const closings = counter("packhouse_port_closed_total", "How often nobody was let in: descriptors ran out.");

/** Listens. A port that is taken is a `WrongUse`. */
export function openListener(settings: ListenerSettings, answer: (request: Request) => MaybeResponse): HttpListener {
  readLongHeads();
  let { tls } = settings;
  let is_open = true;
  let server = listen({ ...settings, tls }, answer);
  const number = server.port ?? 0;
  // Those that let nobody in any more, until the last who came in by them is answered.
  const ending = new Set<Bun.Server<undefined>>();
  const letNobodyIn = async () => {
    const closed = server;
    is_open = false;
    ending.add(closed);
    await closed.stop();
    ending.delete(closed);
  };
  const letIn = () => {
    server = listen({ ...settings, port: number, tls }, answer);
    is_open = true;
  };
  // Bun's `reload` cannot change the certificate, so the port is opened anew. If it is taken by then, it is retried.
  let opening: Timer | undefined;
  const openAnew = () => {
    try {
      letIn();
    } catch (error) {
      settings.log.error("the port was not opened again", { error: String(error) });
      opening = setTimeout(openAnew, check_every_ms);
    }
  };
  const failed = (error: unknown) => settings.log.error("the port was not closed", { error: String(error) });
  const stopWatching = watchDescriptors(settings.log, letNobodyIn, letIn);
  return {
    number,
    peerOf: (request) => server.requestIP(request)?.address ?? null,
    waitFor: (request, seconds) => server.timeout(request, seconds),
    renew: (identity) => {
      tls = identity;
      // While nobody is let in, the next opening does it.
      if (!is_open) return;
      letNobodyIn().catch(failed);
      openAnew();
    },
    close: async () => {
      clearTimeout(opening);
      stopWatching();
      await Promise.all([...ending, server].map((one) => one.stop()));
    },
    end: async () => {
      stopWatching();
      await Promise.all([...ending, server].map((one) => one.stop(true)));
    },
  };
}

/**
 * Lets Bun.serve, which has no setting for it, read heads of so many bytes. The binary is compiled to; from source it
 * is set by node:http, which takes longer to load than a port to open.
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
      fetch: (request) => answer(located(request, scheme)),
      // Browsers use HTTP/2 only over TLS: there a dashboard in many tabs needs one connection.
      ...(tls && { http2: true, tls: { cert: tls.cert, key: tls.key } }),
    });
  } catch (error) {
    if ((error as { code?: string }).code !== "EADDRINUSE") throw error;
    throw new UsageError(`Port ${port} is taken on ${host}. Choose another one with --port.`);
  }
}

/**
 * Lets nobody in while nearly all descriptors are taken, for at least a second. Bun asks for a connection that it has
 * no descriptor for again and again, at the cost of a whole core, and the service needs some for itself. Closing the
 * listener also ends the connections over which nothing goes; requests under way are answered.
 * Answers how to end this.
 */
function watchDescriptors(log: Log, letNobodyIn: () => Promise<void>, letIn: () => void): () => void {
  const limit = openFilesLimit();
  if (limit === null || limit < limit_min) return () => {};
  const reserve = Math.min(reserve_max, Math.floor(limit / 8));
  // Held for the service itself while clients come in, and let go once nobody does.
  const held: number[] = [];
  const hold = () => {
    while (held.length < reserve) held.push(openSync("/dev/null", "r"));
  };
  hold();
  let closed_at: number | null = null;
  let warned_at = Number.NEGATIVE_INFINITY;
  let ended = false;
  const look = async () => {
    const open = (await countOpenFiles()) ?? limit;
    const now = performance.now();
    if (ended) return;
    if (closed_at === null && open >= limit - reserve) {
      closed_at = now;
      closings.add(1);
      if (now - warned_at >= warn_every_ms) {
        warned_at = now;
        log.warn("open files near the limit: idle connections are ended, new ones refused for a while", { limit });
      }
      letNobodyIn().catch((error) => log.error("the port was not closed", { error: String(error) }));
      for (const descriptor of held.splice(0)) closeSync(descriptor);
    } else if (closed_at !== null && now - closed_at >= closed_ms && open < limit - 3 * reserve) {
      closed_at = now;
      hold();
      letIn();
      closed_at = null;
    }
  };
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    look()
      .finally(() => {
        looking = false;
      })
      .catch((error) => log.error("the port was not opened again", { error: String(error) }));
  }, check_every_ms);
  return () => {
    ended = true;
    for (const descriptor of held.splice(0)) closeSync(descriptor);
    clearInterval(timer);
  };
}
