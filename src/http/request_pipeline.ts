// Every request enters here, and its answer leaves here. Requests are counted, logged and refused in the same way for
// all routes.
import { estimateShallowMemoryUsageOf as bytesHeld } from "bun:jsc";
import { Fault } from "../core/faults.ts";
import type { Log } from "../core/log.ts";
import { counter, gauge, histogram } from "../core/metrics.ts";
import { errorResponse } from "./errors.ts";
import type { RequestObserver } from "./service.ts";
import { type SlowClientLimiter, small_bytes } from "./slow_client_limiter.ts";
import { type RequestTrace, traceOf } from "./trace.ts";

interface RequestPipelineSettings {
  readonly log: Log;
  /** A request that takes this long is logged as slow, in milliseconds. */
  readonly slow_ms: number;
  readonly now: () => number;
  /** Called after an answer whose connection was kept open: from now on it may be closed when it is idle. */
  readonly onWaited?: (request: Request) => void;
  /** Sends large answers in pieces; without it they are sent whole. */
  readonly outflow?: SlowClientLimiter;
  /** Called for each answer. */
  readonly witnesses?: readonly RequestObserver[];
}

/** What stands between the port and the app. */
export interface RequestPipeline {
  readonly answer: (request: Request) => Promise<Response>;
  /** Ends the connection with each answer from now on. */
  readonly drain: () => void;
  /** How many requests have come so far, looks at the health aside. */
  readonly arrived: () => number;
  /** Refuses new requests from now on, and ends the connection with each answer. */
  readonly close: () => void;
  /** Resolves once no request has come for a while, a second after `close` at the latest. */
  readonly quiet: () => Promise<void>;
  /** Resolves with true once nothing is under way, or with false after so many milliseconds. */
  readonly emptied: (limit_ms: number) => Promise<boolean>;
}

const under_way = gauge("packhouse_http_requests_under_way", "Requests that wait for their answer.");
const requests = counter("packhouse_http_requests_total", "Answered requests.", ["method", "route", "status", "mode"]);
const seconds = histogram(
  "packhouse_http_request_seconds",
  "How long requests took until their answer began to be sent.",
  [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  ["method", "route"],
);

const nowhere = { base_url: "", known_hosts: new Set<string>() };

// Who looks whether requests may be sent.
const health = /^https?:\/\/[^/]*\/health/;

const quiet_ms = 100;
const quiet_looks = 10;

// A client must not be able to create a new time series by inventing a method.
const methods: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/** Puts the entrance before `handle`, which answers one request. */
export function openRequestPipeline(
  settings: RequestPipelineSettings,
  handle: (request: Request) => Response | Promise<Response>,
): RequestPipeline {
  const { log, slow_ms, now, onWaited = () => {}, witnesses = [] } = settings;
  let [draining, closed] = [false, false];
  let inside = 0;
  let turned_away = 0;
  let arrived = 0;
  let onEmpty: (() => void) | null = null;
  const leave = () => {
    inside -= 1;
    under_way.add(-1);
    if (inside === 0) onEmpty?.();
  };
  const note = (request: Request, trace: RequestTrace, status: number) => {
    const took_ms = performance.now() - trace.begun_at;
    const method = methods.includes(request.method) ? request.method : "other";
    const route = trace.route ?? "none";
    requests.add(1, method, route, String(status), trace.mode ?? "none");
    seconds.observe(took_ms / 1000, method, route);
    for (const witness of witnesses) witness(request, trace, status, took_ms);
    const slow = took_ms >= slow_ms;
    if (!slow && !log.shows("info")) return;
    const facts = { method, route: trace.route, status, code: trace.code, ms: Math.round(took_ms * 10) / 10 };
    const who = whoOf(trace);
    if (slow) log.warn("slow request", { ...facts, ...who });
    else log.info("request", { ...facts, ...who });
  };
  const turnedAway = (request: Request, { request_id }: RequestTrace) => {
    const fault = new Fault("unavailable", "The service is stopping. Nothing was done; try again.");
    return errorResponse(fault, { request, request_id, ...nowhere }, { connection: "close" }, now());
  };
  const answer = async (request: Request): Promise<Response> => {
    const trace = traceOf(request);
    if (!health.test(request.url)) arrived += 1;
    if (closed) {
      turned_away += 1;
      trace.code = "unavailable";
      note(request, trace, 503);
      return turnedAway(request, trace);
    }
    inside += 1;
    under_way.add(1);
    try {
      const response = await sent(settings, request, await handle(request));
      note(request, trace, response.status);
      if (trace.waitFor !== null) onWaited(request);
      if (draining) response.headers.set("connection", "close");
      return response;
    } finally {
      leave();
    }
  };
  const emptied = async (limit_ms: number) => {
    if (inside === 0) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    onEmpty = () => resolve(true);
    const timer = setTimeout(() => resolve(false), limit_ms);
    return promise.finally(() => clearTimeout(timer));
  };
  const drain = () => {
    draining = true;
  };
  const close = () => {
    draining = true;
    closed = true;
  };
  return { answer, drain, arrived: () => arrived, close, quiet: () => settled(() => turned_away), emptied };
}

/** Resolves once a count has stood still for a while, or after some looks at it. */
async function settled(count: () => number): Promise<void> {
  for (let left = quiet_looks; left > 0; left -= 1) {
    const before = count();
    await Bun.sleep(quiet_ms);
    if (count() === before) return;
  }
}

/** The answer as it is sent: a large one in pieces, or refused when too many of them are unread. */
function sent(
  { now, outflow }: RequestPipelineSettings,
  request: Request,
  response: Response,
): Response | Promise<Response> {
  const trace = traceOf(request);
  const { request_id, headers, held_bytes } = trace;
  // The size of an answer in memory is known at once. It is never less than its body, unless answers share the body.
  if (outflow === undefined || (held_bytes === null && bytesHeld(response) <= small_bytes)) return response;
  return outflow.inPieces(request, response, held_bytes).catch((error) => {
    if (!(error instanceof Fault)) throw error;
    trace.code = error.code;
    return errorResponse(error, { request, request_id, ...nowhere }, headers, now());
  });
}

/** Who asked and in which world, as a log line names it. */
function whoOf({ request_id, actor_id, mode }: RequestTrace) {
  const isUser = actor_id?.startsWith("usr_") ?? false;
  return { request_id, ...(isUser ? { user_id: actor_id } : { key_id: actor_id }), mode };
}
