import { type Fault, type FaultCode, type FieldProblem, faults } from "../core/faults.ts";
import { acceptQuality, readAccept } from "../core/http_headers.ts";
import type { Call } from "./call.ts";
import { metaOf } from "./envelope.ts";
import { originOf, type ReachedService } from "./origin.ts";
import { type RequestTrace, traceOf } from "./trace.ts";

/** The body of an error as every route answers it. `facts` stand beside the code, bad fields in `details`. */
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

/** What an error body takes from the request that it answers. */
type RefusedRequest = ReachedService & Pick<Call, "request_id">;

/** A refusal as it goes out. */
interface ErrorResponseParts {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Turns a refusal into the error body. */
export function errorBody(fault: Fault, asked: RefusedRequest, now: number): ErrorBody {
  const { fields = [], ...facts } = fault.facts;
  return {
    success: false,
    error: {
      type: faults[fault.code].type,
      code: fault.code,
      message: fault.message,
      ...facts,
      details: fields.map((problem) => ({ ...problem, pointer: pointerOf(problem.field) })),
      doc_url: docUrl(originOf(asked), fault.code),
    },
    meta: metaOf(asked.request_id, now),
  };
}

/** Where a code is explained, at a service that is reached at `origin`; relative when that is empty. */
export function docUrl(origin: string, code: FaultCode): string {
  return `${origin}/docs/errors#${code}`;
}

/** The answer to a refusal, as problem+json when the client would rather have that (RFC 9457). */
export function refusalOf(fault: Fault, asked: RefusedRequest, now: number): ErrorResponseParts {
  const { status } = faults[fault.code];
  const body = errorBody(fault, asked, now);
  const headers = { ...headersOf(fault), "content-type": "application/json" };
  if (!wantsProblem(asked.request)) return { status, headers, body: JSON.stringify(body) };
  const { type: _type, code, message, details, doc_url, ...facts } = body.error;
  const problem = {
    ...facts,
    type: doc_url,
    title: code.replaceAll("_", " "),
    status,
    detail: message,
    instance: `urn:request:${asked.request_id}`,
    code,
    errors: details,
    request_id: asked.request_id,
  };
  return { status, headers: { ...headers, "content-type": problemType }, body: JSON.stringify(problem) };
}

const problemType = "application/problem+json";

/** Whether the client named problem+json and does not like plain JSON better. */
function wantsProblem(request: Request): boolean {
  const accept = request.headers.get("accept");
  if (!accept?.toLowerCase().includes(problemType)) return false;
  const wishes = readAccept(accept);
  const { quality } = acceptQuality(problemType, wishes);
  return quality > 0 && quality >= acceptQuality("application/json", wishes).quality;
}

/** The whole answer to a refusal. `headers` are those that the request's other answers would carry too. */
export function errorResponse(
  fault: Fault,
  asked: RefusedRequest,
  headers: Readonly<Record<string, string>>,
  now: number,
) {
  const { status, body, headers: own } = refusalOf(fault, asked, now);
  traceOf(asked.request).bytes_out = Buffer.byteLength(body);
  return new Response(body, { status, headers: { ...headers, "x-request-id": asked.request_id, ...own } });
}

/** The answer to a request for the methods of a path, which the refusal of another method knows. */
export function optionsResponse(fault: Fault, { request_id, headers }: Pick<RequestTrace, "request_id" | "headers">) {
  return new Response(null, { status: 204, headers: { ...headers, "x-request-id": request_id, ...headersOf(fault) } });
}

/** The headers that HTTP asks for beside some statuses. */
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

/** `line_items[0].quantity` as a JSON pointer: `/line_items/0/quantity` (RFC 6901). */
function pointerOf(field: string): string {
  if (field === "") return "";
  return `/${field
    .replaceAll("~", "~0")
    .replaceAll("/", "~1")
    .replace(/\[(\d+)\]/g, "/$1")
    .replaceAll(".", "/")}`;
}
