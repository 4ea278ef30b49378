// The request pipeline. Every request enters and leaves here, and is counted, logged and refused in the same way for
// all routes. The pipeline is in front of the app, and the conventions are in front of each route.
import { estimateShallowMemoryUsageOf as bytesHeld } from "bun:jsc";
import { Elysia } from "elysia";
import { Fault, type FaultCode } from "../core/faults.ts";
import type { Log } from "../core/log.ts";
import { counter, gauge, histogram } from "../core/metrics.ts";
import { checkQuery, closed } from "../core/schema.ts";
import type { Call } from "./call.ts";
import { errorResponse, optionsResponse } from "./errors.ts";
import { idempotencyKey, refuseReused, storageKeyOf } from "./idempotency.ts";
import {
  csv,
  file,
  isDeclaredJson,
  json,
  parseJson,
  readQuery,
  readText,
  refuseHead,
  refuseInexact,
} from "./request_input.ts";
import type { RequestObserver, Service } from "./service.ts";
import { type SlowClientLimiter, small_bytes } from "./slow_client_limiter.ts";
import { type RequestTrace, traceOf } from "./trace.ts";

interface RequestPipelineSettings {
  readonly log: Log;
  /** A request that takes this long is logged as slow, in milliseconds. */
  readonly slow_ms: number;
  readonly now: () => number;
  /** Called after a response whose connection was exempt from the idle timeout, which applies again from now on. */
  readonly onWaited?: (request: Request) => void;
  /** Sends large responses in chunks; without it, they are sent whole. */
  readonly limiter?: SlowClientLimiter;
  /** Called for each response. */
  readonly observers?: readonly RequestObserver[];
}

/** The layer between the port and the app. */
export interface RequestPipeline {
  readonly answer: (request: Request) => Promise<Response>;
  /** From now on, each response closes its connection. */
  readonly drain: () => void;
  /** How many requests have arrived so far, not counting health checks. */
  readonly arrived: () => number;
  /** From now on, new requests are refused, and each response closes its connection. */
  readonly close: () => void;
  /** Resolves once no request has arrived for a while, a second after `close` at the latest. */
  readonly quiet: () => Promise<void>;
  /** Resolves to true once no request is in progress, or to false after `limit_ms`. */
  readonly emptied: (limit_ms: number) => Promise<boolean>;
}

const under_way = gauge("packhouse_http_requests_under_way", "Requests in progress.");
const requests = counter("packhouse_http_requests_total", "Answered requests.", ["method", "route", "status", "mode"]);
const seconds = histogram(
  "packhouse_http_request_seconds",
  "Time from a request until its response starts to be sent.",
  [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  ["method", "route"],
);

const nowhere = { base_url: "", known_hosts: new Set<string>() };

// Health checks, which ask whether requests may be sent.
const health = /^https?:\/\/[^/]*\/health/;

const quiet_ms = 100;
const quiet_checks = 10;

// A client must not be able to create a new time series by inventing a method.
const methods: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/** Puts the pipeline in front of `handle`, which responds to one request. */
export function openRequestPipeline(
  settings: RequestPipelineSettings,
  handle: (request: Request) => Response | Promise<Response>,
): RequestPipeline {
  const { log, slow_ms, now, onWaited = () => {}, observers = [] } = settings;
  let [draining, closed] = [false, false];
  let inside = 0;
  let refused_count = 0;
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
    for (const observer of observers) observer(request, trace, status, took_ms);
    const slow = took_ms >= slow_ms;
    if (!slow && !log.shows("info")) return;
    const facts = { method, route: trace.route, status, code: trace.code, ms: Math.round(took_ms * 10) / 10 };
    const caller = callerFields(trace);
    if (slow) log.warn("slow request", { ...facts, ...caller });
    else log.info("request", { ...facts, ...caller });
  };
  const refuseClosed = (request: Request, { request_id }: RequestTrace) => {
    const fault = new Fault("unavailable", "The service is shutting down. Nothing was changed; try again.");
    return errorResponse(fault, { request, request_id, ...nowhere }, { connection: "close" }, now());
  };
  const answer = async (request: Request): Promise<Response> => {
    const trace = traceOf(request);
    if (!health.test(request.url)) arrived += 1;
    if (closed) {
      refused_count += 1;
      trace.code = "unavailable";
      note(request, trace, 503);
      return refuseClosed(request, trace);
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
  return { answer, drain, arrived: () => arrived, close, quiet: () => settled(() => refused_count), emptied };
}

/** Resolves once a count has stopped changing for a while, or after several checks. */
async function settled(count: () => number): Promise<void> {
  for (let left = quiet_checks; left > 0; left -= 1) {
    const before = count();
    await Bun.sleep(quiet_ms);
    if (count() === before) return;
  }
}

/** The response as it is sent: a large one in chunks, or refused when too many of them are unread. */
function sent(
  { now, limiter }: RequestPipelineSettings,
  request: Request,
  response: Response,
): Response | Promise<Response> {
  const trace = traceOf(request);
  const { request_id, headers, held_bytes } = trace;
  // The size of a response in memory is known at once. It is never less than its body, unless responses share the body.
  if (limiter === undefined || (held_bytes === null && bytesHeld(response) <= small_bytes)) return response;
  return limiter.send(request, response, held_bytes).catch((error) => {
    if (!(error instanceof Fault)) throw error;
    trace.code = error.code;
    return errorResponse(error, { request, request_id, ...nowhere }, headers, now());
  });
}

/** The caller and environment, as log fields. */
function callerFields({ request_id, actor_id, mode }: RequestTrace) {
  const isUser = actor_id?.startsWith("usr_") ?? false;
  return { request_id, ...(isUser ? { user_id: actor_id } : { key_id: actor_id }), mode };
}

/**
 * Admits a request: finds its route, its caller and its store. Refuses requests that must not continue, such as ones
 * with too large a body.
 */
export type AdmitRequest = (request: Request, request_id: string) => Promise<Call>;

/** The context of every handler: `call`, and the body as parsed JSON. */
export const conventions = new Elysia({ name: "conventions" }).decorate("call", null as unknown as Call);

const noParameters = checkQuery(closed({}));

/**
 * Applies the conventions of every route: request ids, admission, the body's type, size and format, and one format for
 * errors.
 */
export const withConventions = (service: Service, admit: AdmitRequest) =>
  new Elysia({ name: "with-conventions" })
    .use(conventions)
    .onRequest(async (context) => {
      const { request } = context;
      const trace = traceOf(request);
      refuseHead(request);
      context.call = await admit(request, trace.request_id);
    })
    .onParse({ as: "global" }, async ({ request, call }) => {
      const kind = call.route.sends;
      // A file is read when there is memory for it; `http/file_upload.ts` sets its time limit.
      if (kind === csv || kind === file) {
        idempotencyKey(request);
        traceOf(request).waitFor = (seconds) => service.waitFor(request, seconds);
        return {};
      }
      call.raw_body = await readText(request, kind);
      idempotencyKey(request);
      if (call.raw_body === "" || !isDeclaredJson(request)) return {};
      const body = parseJson(call.raw_body);
      if (kind === json) refuseInexact(call.raw_body);
      return body;
    })
    // The framework's own parser turns text with a comma into a list, and text that starts with a brace into an object.
    .onTransform({ as: "global" }, (context) => {
      const { url, method } = context.request;
      if (method !== "GET") idempotencyKey(context.request);
      const at = url.indexOf("?");
      if (at < 0) return;
      context.query = readQuery(url.slice(at + 1));
      // Admission has already read this parameter, in the same way for all lists.
      if (context.call.route.of_merchants) delete context.query["merchant"];
      if (context.call.route.refuses_query) noParameters(context.query);
    })
    .onBeforeHandle({ as: "global" }, ({ call, body }) => narrowByBody(call, body))
    .onError({ as: "global" }, async ({ error, request, code, call }) => {
      const trace = traceOf(request);
      const { request_id, route, headers } = trace;
      const fault = await firstFault(faultOf(error, code), call);
      trace.code = fault.code;
      if (fault.code === "internal_error") {
        const stack = error instanceof Error ? error.stack : String(error);
        service.log.error("request failed", { request_id, method: request.method, route, error: stack });
      }
      const refused_request = { request, request_id, base_url: service.base_url, known_hosts: service.known_hosts };
      if (fault.code === "method_not_allowed" && request.method === "OPTIONS") return optionsResponse(fault, trace);
      return errorResponse(fault, refused_request, headers, service.stores.live.clock.now());
    });

/** Narrows a call to the merchant that its body names. */
function narrowByBody(call: Call | null, body: unknown): void {
  if (call?.scopeOf == null || typeof body !== "object" || body === null || !("merchant_id" in body)) return;
  call.store = call.scopeOf(body.merchant_id);
}

function faultOf(error: unknown, code: unknown): Fault {
  if (error instanceof Fault) return error;
  // Errors of `onParse` arrive wrapped.
  if (error instanceof Error && error.cause instanceof Fault) return error.cause;
  if (code === "NOT_FOUND") return new Fault("route_not_found", "Path not found. API paths start with /v1.");
  if (code === "PARSE") return new Fault("malformed_request", "The body cannot be read.");
  return new Fault("internal_error", "An unexpected error occurred. Nothing was changed.");
}

const input_faults: readonly FaultCode[] = ["malformed_request", "validation_failed"];

/**
 * Picks the fault to respond with: a reused `Idempotency-Key` takes precedence over problems of the body or the query.
 * The key is looked up only after such an error, so that a valid request pays nothing for it.
 */
async function firstFault(fault: Fault, call: Call | null): Promise<Fault> {
  if (!call?.writes || !input_faults.includes(fault.code)) return fault;
  const key = storageKeyOf(call);
  if (key === null) return fault;
  try {
    await call.store.read((db) => refuseReused(db, call, key));
    return fault;
  } catch (error) {
    return faultOf(error, null);
  }
}
