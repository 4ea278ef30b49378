import type { Environment } from "../core/environment.ts";
import type { FaultCode } from "../core/faults.ts";
import { randomId } from "../core/ids.ts";

/** Whose share of the memory for large responses a request uses: that of its key or user, within that of its owner. */
export interface ResponseMemoryShare {
  readonly key: string;
  /** The merchant of the key or user, or else the key or user itself. */
  readonly owner: string;
}

const unknown: ResponseMemoryShare = { key: "nobody", owner: "nobody" };

/** What is noted of a request on its way, for its log line and the meters. */
export interface RequestTrace {
  /** The client's `X-Request-Id` where it is a sound one, else a new one. */
  readonly request_id: string;
  /** Monotonic ms. */
  readonly begun_at: number;
  /** The pattern of its path below the version, `/orders/:id`; null when no route matches. */
  route: string | null;
  /** Who asked, as `key_7` or `usr_7`; null before it is known. */
  actor_id: string | null;
  mode: Environment | null;
  /** The merchant whose records alone it sees or makes; null for the house's, and for those of several. */
  merchant_id: number | null;
  /** Whose share of the memory for large responses it uses; the same for all whom nobody knows. */
  reader: ResponseMemoryShare;
  /** Headers that its answer carries whatever it says. */
  readonly headers: Record<string, string>;
  /** How long its answer's body is in bytes, where that is known; else null. */
  bytes_out: number | null;
  /** Whether it came from elsewhere than the addresses of its key, which are only observed. */
  outside: boolean;
  /** How much of its answer is in memory at a time, when it is made while it is sent; else null. */
  held_bytes: number | null;
  /** Keeps its connection open for so many seconds, 0 for as long as it takes; null for one that is never kept so. */
  waitFor: ((seconds: number) => void) | null;
  /** Why it was refused. */
  code: FaultCode | null;
  /** Whether what it asked for was only tried and undone, so that nothing has changed by it. */
  rehearsed: boolean;
}

const noted = Symbol("trace");

// No browser guesses another type, and no page of another site embeds an answer.
const default_headers = { "x-content-type-options": "nosniff", "cross-origin-resource-policy": "same-origin" } as const;

/** The notes of a request, begun when they are first asked for. They lie on it: a map of all requests costs more. */
export function traceOf(request: Request & { [noted]?: RequestTrace }): RequestTrace {
  request[noted] ??= {
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
  return request[noted];
}

function requestId(request: Request): string {
  const given = request.headers.get("x-request-id");
  return given !== null && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : randomId("req");
}
