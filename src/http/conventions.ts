import { Elysia } from "elysia";
import { Fault, invalidFields } from "../kit/fault.ts";
import { randomId } from "../kit/ids.ts";
import type { Call } from "./call.ts";
import { errorResponse } from "./errors.ts";
import type { Service } from "./service.ts";

const json_bytes_max = 1 << 20;
const json_depth_max = 32;
const csv_bytes_max = 10 << 20;

/** Admits a request: finds its route, its key and its store. Refuses what may not go on. */
export type Admit = (request: Request, request_id: string) => Promise<Call>;

/** The context that the conventions give to every handler: `call`, and the body as parsed JSON. */
export const conventions = new Elysia({ name: "conventions" }).decorate("call", null as unknown as Call);

/**
 * What holds for every request, before and after its handler: a request id, admission, the body's type, size and form,
 * and one shape for every refusal.
 */
export const withConventions = (service: Service, admit: Admit) =>
  new Elysia({ name: "with-conventions" })
    .use(conventions)
    .onRequest(async (context) => {
      const request_id = requestId(context.request);
      started.set(context.request, request_id);
      context.call = await admit(context.request, request_id);
    })
    .onParse({ as: "global" }, async ({ request, call }) => {
      const isImport = imports.test(call.path);
      call.raw_body = await readText(request, isImport ? csv : json);
      return call.raw_body === "" || isImport ? {} : parseJson(call.raw_body);
    })
    // The framework's own reading makes a list of a text with a comma, and an object of one that begins with a brace.
    .onTransform({ as: "global" }, (context) => {
      const { url } = context.request;
      const at = url.indexOf("?");
      if (at >= 0) context.query = readQuery(url.slice(at + 1));
    })
    .onError({ as: "global" }, ({ error, request, code, call }) => {
      const request_id = started.get(request) ?? requestId(request);
      const fault = faultOf(error, code);
      if (fault.code === "internal_error") {
        const { pathname } = new URL(request.url);
        const stack = error instanceof Error ? error.stack : String(error);
        service.log.error("request failed", { request_id, method: request.method, path: pathname, error: stack });
      }
      const accept = request.headers.get("accept") ?? "";
      // A request that was not admitted has no call.
      const headers = (call as Call | null)?.headers ?? {};
      return errorResponse(fault, { request_id, headers, now: service.stores.live.clock.now(), accept });
    });

/** The parameters of a query, each once. Refuses: validation_failed, since of two values one would be lost unseen. */
function readQuery(text: string): Record<string, string> {
  const query: Record<string, string> = {};
  const repeated = new Set<string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (Object.hasOwn(query, name)) repeated.add(name);
    query[name] = value;
  }
  if (repeated.size === 0) return query;
  throw invalidFields([...repeated].map((field) => ({ field, code: "repeated", message: "is given more than once" })));
}

// The id of a request that failed before it had a call.
const started = new WeakMap<Request, string>();

function requestId(request: Request): string {
  const given = request.headers.get("x-request-id");
  return given !== null && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : randomId("req");
}

function faultOf(error: unknown, code: unknown): Fault {
  if (error instanceof Fault) return error;
  // What `onParse` throws arrives wrapped.
  if (error instanceof Error && error.cause instanceof Fault) return error.cause;
  if (code === "NOT_FOUND") return new Fault("route_not_found", "There is no such path; the API begins at /v1.");
  if (code === "PARSE") return new Fault("malformed_request", "The body cannot be read.");
  return new Fault("internal_error", "Something went wrong on our side.");
}

/** What a body may be. */
interface BodyKind {
  readonly name: string;
  readonly media_type: string;
  readonly type: RegExp;
  readonly bytes_max: number;
}

const json: BodyKind = {
  name: "JSON",
  media_type: "application/json",
  type: /^application\/(json|[\w.-]+\+json)\s*(;|$)/i,
  bytes_max: json_bytes_max,
};
const csv: BodyKind = { name: "CSV", media_type: "text/csv", type: /^text\/csv\s*(;|$)/i, bytes_max: csv_bytes_max };

// The routes that take a file of CSV and nothing else.
const imports = /^\/\w+\/import$/;

async function readText(request: Request, { name, media_type, type, bytes_max }: BodyKind): Promise<string> {
  const tooLarge = () => new Fault("payload_too_large", `A ${name} body may have at most ${bytes_max} bytes.`);
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > bytes_max) throw tooLarge();
  const bytes = await request.arrayBuffer();
  if (bytes.byteLength === 0) return "";
  if (bytes.byteLength > bytes_max) throw tooLarge();
  if (!type.test(request.headers.get("content-type") ?? "")) {
    throw new Fault("unsupported_media_type", `Send the body as Content-Type: ${media_type}.`);
  }
  if (!/^(identity)?$/i.test(request.headers.get("content-encoding") ?? "")) {
    throw new Fault("unsupported_media_type", "Send the body as it is, without a Content-Encoding.");
  }
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Fault("malformed_request", "The body is not valid UTF-8.");
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Fault("malformed_request", "The body is not valid JSON.");
  }
  if (depthOf(text) > json_depth_max) {
    throw new Fault("malformed_request", `JSON may be nested ${json_depth_max} levels deep.`);
  }
  // An escape such as \ud800 can make text that no UTF-8 can carry; two such texts could share a key.
  if (/\\u[dD][89a-fA-F]/.test(text) && holdsHalfPair(value)) {
    throw new Fault("malformed_request", "The body holds half of a surrogate pair.");
  }
  return value;
}

/** Whether any text in the value, or any name of a field, holds half of a surrogate pair. */
function holdsHalfPair(value: unknown): boolean {
  // JSON.stringify leaves whole pairs as they are and writes a half as an escape.
  return /(?<!\\)(?:\\\\)*\\ud/.test(JSON.stringify(value));
}

/** The deepest nesting of valid JSON text, without recursion. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charCodeAt(at);
    if (quoted) {
      if (letter === 0x5c) at += 1;
      else if (letter === 0x22) quoted = false;
    } else if (letter === 0x22) quoted = true;
    else if (letter === 0x7b || letter === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (letter === 0x7d || letter === 0x5d) depth -= 1;
  }
  return deepest;
}
