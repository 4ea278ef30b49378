import { type AnyElysia, Elysia } from "elysia";
import { Fault, type FaultCode } from "../core/faults.ts";
import { checkQuery, closed } from "../core/schema.ts";
import type { Call } from "./call.ts";
import { errorResponse, optionsResponse } from "./errors.ts";
import { idempotencyKey, keptName, refuseReused } from "./idempotency.ts";
import { refuseHost } from "./origin.ts";
import { refuseHead } from "./request_head.ts";
import { csv, json, parseJson, readQuery, readText, refuseInexact, saysJson } from "./request_input.ts";
import type { Service } from "./service.ts";
import { traceOf } from "./trace.ts";

/** Admits a request: finds its route, its key and its store. Refuses what may not go on, such as too long a body. */
export type AdmitRequest = (request: Request, request_id: string) => Promise<Call>;

/** The context that the conventions give to every handler: `call`, and the body as parsed JSON. */
export const conventions = new Elysia({ name: "conventions" }).decorate("call", null as unknown as Call);

const noParameters = checkQuery(closed({}));

/**
 * What holds for every request, before and after its handler: a request id, admission, the body's type, size and form,
 * and one shape for every refusal.
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
      // A file is read when there is room for it; `http/file_upload.ts` sets its time limit.
      if (kind === csv) {
        idempotencyKey(request);
        traceOf(request).waitFor = (seconds) => service.waitFor(request, seconds);
        return {};
      }
      call.raw_body = await readText(request, kind);
      idempotencyKey(request);
      if (call.raw_body === "" || !saysJson(request)) return {};
      const body = parseJson(call.raw_body);
      if (kind === json) refuseInexact(call.raw_body);
      return body;
    })
    // The framework's parser makes a list of a text with a comma, and an object of one that begins with a brace.
    .onTransform({ as: "global" }, (context) => {
      const { url, method } = context.request;
      if (method !== "GET") idempotencyKey(context.request);
      const at = url.indexOf("?");
      if (at < 0) return;
      context.query = readQuery(url.slice(at + 1));
      // Admission has read it: it says for all lists alike whose records they show.
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
      const asked = { request, request_id, base_url: service.base_url, known_hosts: service.known_hosts };
      if (fault.code === "method_not_allowed" && request.method === "OPTIONS") return optionsResponse(fault, trace);
      return errorResponse(fault, asked, headers, service.stores.live.clock.now());
    });

/** Narrows what a request is about to the merchant whom its body names. */
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
  return new Fault("internal_error", "Something went wrong on our side.");
}

const of_bodies: readonly FaultCode[] = ["malformed_request", "validation_failed"];

/**
 * The refusal to answer with: a reused `Idempotency-Key` comes before what is wrong with the body or the query. The
 * key is looked up only here, after an error, so that a valid request pays nothing for it.
 */
async function firstFault(fault: Fault, call: Call | null): Promise<Fault> {
  if (!call?.writes || !of_bodies.includes(fault.code)) return fault;
  const key = keptName(call);
  if (key === null) return fault;
  try {
    await call.store.read((db) => refuseReused(db, call, key));
    return fault;
  } catch (error) {
    return faultOf(error, null);
  }
}

/**
 * Lets the routes below one prefix be called below another one, too. To mount them twice would take twice as long at
 * each start, and compile each that is called both ways twice.
 */
export function alsoBelow(app: AnyElysia, prefix: string, other: string): void {
  const { history, http, static: fixed } = app.router;
  for (const [at, route] of history.entries()) {
    if (!route.path.startsWith(prefix)) continue;
    const { method } = route;
    const path = other + route.path.slice(prefix.length);
    if (/[:*]/.test(path)) http.add(method, path, { compile: () => route.compile() });
    else fixed[path] = { ...fixed[path], [method]: at };
  }
}
