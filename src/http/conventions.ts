import { type AnyElysia, Elysia } from "elysia";
import { Fault, type FaultCode } from "../core/faults.ts";
import { checkQuery, closed } from "../core/schema.ts";
import type { Call } from "./call.ts";
import { errorResponse, optionsResponse } from "./errors.ts";
import { idempotencyKey, refuseReused, storageKeyOf } from "./idempotency.ts";
import { refuseHost } from "./origin.ts";
import { refuseHead } from "./request_head.ts";
import { csv, isDeclaredJson, json, parseJson, readQuery, readText, refuseInexact } from "./request_input.ts";
import type { Service } from "./service.ts";
import { traceOf } from "./trace.ts";

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
      refuseHost(request);
      context.call = await admit(request, trace.request_id);
    })
    .onParse({ as: "global" }, async ({ request, call }) => {
      const kind = call.route.sends;
      // A file is read when there is memory for it; `http/file_upload.ts` sets its time limit.
      if (kind === csv) {
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

/**
 * Also serves the routes below one prefix below another one. Mounting them twice would double the startup time, and
 * compile routes that are called both ways twice.
 */
export function mountAlias(app: AnyElysia, prefix: string, other: string): void {
  const { history, http, static: fixed } = app.router;
  for (const [at, route] of history.entries()) {
    if (!route.path.startsWith(prefix)) continue;
    const { method } = route;
    const path = other + route.path.slice(prefix.length);
    if (/[:*]/.test(path)) http.add(method, path, { compile: () => route.compile() });
    else fixed[path] = { ...fixed[path], [method]: at };
  }
}
