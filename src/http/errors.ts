import { type Fault, type FaultCode, type FieldProblem, faults } from "../kit/fault.ts";
import type { Call } from "./call.ts";
import { metaOf } from "./envelope.ts";

/** The body of an error as every route answers it. `facts` stand beside the code, bad fields in `details`. */
export interface ErrorBody {
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

/** Turns a refusal into the error body. */
export function errorBody(fault: Fault, request_id: string, now: number): ErrorBody {
  const { fields = [], ...facts } = fault.facts;
  return {
    success: false,
    error: {
      type: faults[fault.code].type,
      code: fault.code,
      message: fault.message,
      ...facts,
      details: fields.map((problem) => ({ ...problem, pointer: pointerOf(problem.field) })),
      doc_url: `/docs/errors#${fault.code}`,
    },
    meta: metaOf(request_id, now),
  };
}

/** The whole answer to a refusal, as problem+json when the client asked for it (RFC 9457). */
export function errorResponse(
  fault: Fault,
  call: Pick<Call, "request_id" | "headers"> & { now: number; accept: string },
) {
  const { status } = faults[fault.code];
  const headers = { ...call.headers, "x-request-id": call.request_id, ...headersOf(fault) };
  const body = errorBody(fault, call.request_id, call.now);
  if (!call.accept.includes("application/problem+json")) return Response.json(body, { status, headers });
  const problem = {
    type: body.error.doc_url,
    title: fault.code.replaceAll("_", " "),
    status,
    detail: fault.message,
    instance: `urn:request:${call.request_id}`,
    code: fault.code,
    errors: body.error.details,
    request_id: call.request_id,
  };
  return new Response(JSON.stringify(problem), {
    status,
    headers: { ...headers, "content-type": "application/problem+json" },
  });
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
