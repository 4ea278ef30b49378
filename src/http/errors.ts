import { type Fault, type FaultCode, type FieldProblem, faults } from "../core/faults.ts";
import { acceptQuality, readAccept } from "../core/http_headers.ts";
import type { Call } from "./call.ts";
import { metaOf } from "./envelope.ts";
import { originOf, type ReachedService } from "./origin.ts";
import { type RequestTrace, traceOf } from "./trace.ts";

/** The body of every error. `facts` appear next to the code, bad fields in `details`. */
interface ErrorBody {
  readonly success: false;
  readonly error: {
    readonly type: string;
    readonly code: FaultCode;
    readonly message: string;
    readonly details: readonly (FieldProblem & { readonly pointer: string })[];
    readonly doc_url: string;
    readonly [fact: string]: unknown;
  };
  readonly meta: ReturnType<typeof metaOf>;
}

/** What an error response needs from its request. */
type RefusedRequest = ReachedService & Pick<Call, "request_id">;

/** An error response, ready to send. */
interface ErrorResponseParts {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Builds the body of an error response. */
export function errorBody(fault: Fault, refused_request: RefusedRequest, now: number): ErrorBody {
  const { fields = [], ...facts } = fault.facts;
  return {
    success: false,
    error: {
      type: faults[fault.code].type,
      code: fault.code,
      message: fault.message,
      ...facts,
      details: fields.map((problem) => ({ ...problem, pointer: pointerOf(problem.field) })),
      doc_url: docUrl(originOf(refused_request), fault.code),
    },
    meta: metaOf(refused_request.request_id, now),
  };
}

/** The documentation URL of a code, for a service reached at `origin`; relative when that is empty. */
export function docUrl(origin: string, code: FaultCode): string {
  return `${origin}/docs/errors#${code}`;
}

/** The response to a refusal, as problem+json if the client prefers that (RFC 9457). */
export function refusalOf(fault: Fault, refused_request: RefusedRequest, now: number): ErrorResponseParts {
  const { status } = faults[fault.code];
  const body = errorBody(fault, refused_request, now);
  const headers = { ...headersOf(fault), "content-type": "application/json" };
  if (!wantsProblem(refused_request.request)) return { status, headers, body: JSON.stringify(body) };
  const { type: _type, code, message, details, doc_url, ...facts } = body.error;
  const problem = {
    ...facts,
    type: doc_url,
    title: code.replaceAll("_", " "),
    status,
    detail: message,
    instance: `urn:request:${refused_request.request_id}`,
    code,
    errors: details,
    request_id: refused_request.request_id,
  };
  return { status, headers: { ...headers, "content-type": problemType }, body: JSON.stringify(problem) };
}

const problemType = "application/problem+json";

/** Whether the client accepts problem+json at least as much as plain JSON. */
function wantsProblem(request: Request): boolean {
  const accept = request.headers.get("accept");
  if (!accept?.toLowerCase().includes(problemType)) return false;
  const accepted = readAccept(accept);
  const { quality } = acceptQuality(problemType, accepted);
  return quality > 0 && quality >= acceptQuality("application/json", accepted).quality;
}

/** The complete response to a refusal. `headers` are those that every response to the request carries. */
export function errorResponse(
  fault: Fault,
  refused_request: RefusedRequest,
  headers: Readonly<Record<string, string>>,
  now: number,
) {
  const { status, body, headers: own } = refusalOf(fault, refused_request, now);
  traceOf(refused_request.request).bytes_out = Buffer.byteLength(body);
  return new Response(body, { status, headers: { ...headers, "x-request-id": refused_request.request_id, ...own } });
}

/** The response to an OPTIONS request, built from the refusal of its method. */
export function optionsResponse(fault: Fault, { request_id, headers }: Pick<RequestTrace, "request_id" | "headers">) {
  return new Response(null, { status: 204, headers: { ...headers, "x-request-id": request_id, ...headersOf(fault) } });
}

/** The headers that HTTP requires with some statuses. */
function headersOf({ code, facts }: Fault): Record<string, string> {
  if (code === "authentication_required") return { "www-authenticate": 'Bearer realm="api"' };
  if (faults[code].status === 401) return { "www-authenticate": 'Bearer error="invalid_token"' };
  if (code === "method_not_allowed" && Array.isArray(facts["allowed_methods"])) {
    return { allow: facts["allowed_methods"].join(", ") };
  }
  if (code === "precondition_failed" && typeof facts["etag"] === "string") return { etag: facts["etag"] };
  if (typeof facts["retry_after_seconds"] === "number") return { "retry-after": String(facts["retry_after_seconds"]) };
  if (faults[code].status === 503) return { "retry-after": "1" };
  return {};
}

/** Converts `line_items[0].quantity` to a JSON pointer: `/line_items/0/quantity` (RFC 6901). */
function pointerOf(field: string): string {
  if (field === "") return "";
  return `/${field
    .replaceAll("~", "~0")
    .replaceAll("/", "~1")
    .replace(/\[(\d+)\]/g, "/$1")
    .replaceAll(".", "/")}`;
}
