import type { Environment } from "../core/environment.ts";
import type { FaultCode } from "../core/faults.ts";
import { randomId } from "../core/ids.ts";

/**
 * The share of the memory for large responses that a request uses: that of its key or user, within that of the owner.
 */
export interface ResponseMemoryShare {
  readonly key: string;
  /** The merchant of the key or user; for the operator's, the key or user itself. */
  readonly owner: string;
}

const unknown: ResponseMemoryShare = { key: "nobody", owner: "nobody" };

/** What is recorded about a request, for its log line and the metrics. */
export interface RequestTrace {
  /** The client's `X-Request-Id` if it is valid, else a generated one. */
  readonly request_id: string;
  /** Monotonic ms. */
  readonly begun_at: number;
  /** The pattern of its path after the version, `/orders/:id`; null when no route matches. */
  route: string | null;
  /** The caller, as `key_7` or `usr_7`; null before it is known. */
  actor_id: string | null;
  mode: Environment | null;
  /** The merchant to which it is narrowed; null for the operator's requests and those about several merchants. */
  merchant_id: number | null;
  /** The memory share that it uses; all unauthenticated requests use the same one. */
  reader: ResponseMemoryShare;
  /** Headers that every response to it carries. */
  readonly headers: Record<string, string>;
  /** The size of its response's body in bytes; null when unknown. */
  bytes_out: number | null;
  /** Whether it came from outside its key's IP allowlist, which is in log-only mode. */
  outside: boolean;
  /** The bytes of its response in memory at a time, when it is generated while it is sent; else null. */
  held_bytes: number | null;
  /** Keeps its connection open for this many seconds, 0 for no limit; null when it uses the default. */
  waitFor: ((seconds: number) => void) | null;
  /** The code of its refusal. */
  code: FaultCode | null;
  /** Whether it was a dry run, which changed nothing. */
  rehearsed: boolean;
}

const trace_property = Symbol("trace");

// Browsers must not guess another type, and pages of other sites must not embed a response.
const default_headers = { "x-content-type-options": "nosniff", "cross-origin-resource-policy": "same-origin" } as const;

/**
 * The trace of a request, created on first use. It is stored on the request, since a map of all requests costs more.
 */
export function traceOf(request: Request & { [trace_property]?: RequestTrace }): RequestTrace {
  request[trace_property] ??= {
    request_id: requestId(request),
    begun_at: performance.now(),
    route: null,
    actor_id: null,
    mode: null,
    merchant_id: null,
    reader: unknown,
    bytes_out: null,
    outside: false,
    held_bytes: null,
    waitFor: null,
    code: null,
    rehearsed: false,
    headers: { ...default_headers },
  };
  return request[trace_property];
}

function requestId(request: Request): string {
  const client_id = request.headers.get("x-request-id");
  return client_id !== null && /^[A-Za-z0-9._-]{1,64}$/.test(client_id) ? client_id : randomId("req");
}
