// A request in the request log: caller, route and outcome. Never a body, and never a secret.
import { idPrefixes } from "../../core/ids.ts";
import { redactSecrets } from "../../core/log.ts";

export interface LoggedRequest {
  /** When the response was sent (ms). */
  readonly at: number;
  readonly method: string;
  /** The pattern of its path, `/orders/:id`; null when no route matches. */
  readonly route: string | null;
  /** Its path after the version. */
  readonly path: string;
  /** Its query as sent, without the values of parameters that may be secret; empty without any. */
  readonly query: string;
  readonly status: number;
  readonly code: string | null;
  /** The caller, as `key_7` or `usr_7`; null when unauthenticated. */
  readonly actor_id: string | null;
  readonly ip: string | null;
  readonly request_id: string;
  readonly took_ms: number;
  /** The sizes of its body and of its response's body in bytes, where known. */
  readonly bytes_in: number | null;
  readonly bytes_out: number | null;
}

const text_max = 300;
const secret_name = /key|token|secret|pass|sign|hash|auth|credential|code/i;

/** A path as logged: shortened, since anyone may send a long one, and without secrets. */
export function loggedPath(path: string): string {
  return redactSecrets(path.length > text_max ? `${path.slice(0, text_max)}…` : path);
}

/** A query as logged, from the text after the question mark. */
export function loggedQuery(text: string): string {
  if (text === "") return "";
  const parts = text.split("&").map((part) => {
    const [name = ""] = part.split("=", 1);
    return secret_name.test(name) && name !== part ? `${name}=…` : part;
  });
  return loggedPath(parts.join("&"));
}

type RequestLogLine = readonly [
  after_ms: number,
  method: string,
  route: string | null,
  path: string,
  query: string,
  status: number,
  code: string | null,
  actor_id: string | null,
  ip: string | null,
  request_id: string,
  took_ms: number,
  bytes_in: number | null,
  bytes_out: number | null,
];

/** The line that stores a request. `from_at` is the time (ms) of the first request of its block. */
export function lineOf(request: LoggedRequest, from_at: number): string {
  const { at, method, route, path, query, status, code, actor_id, ip, request_id, took_ms } = request;
  const line: RequestLogLine = [
    at - from_at,
    method,
    route,
    path === route ? "" : path,
    query,
    status,
    code,
    actor_id,
    ip,
    request_id,
    Math.round(took_ms * 10) / 10,
    request.bytes_in,
    request.bytes_out,
  ];
  return JSON.stringify(line);
}

/** Parses one request of a block. */
export function readLine(text: string, from_at: number): LoggedRequest {
  const [after_ms, method, route, place, query, status, code, actor_id, ip, request_id, ...more] = JSON.parse(
    text,
  ) as RequestLogLine;
  const [took_ms, bytes_in, bytes_out] = more;
  const path = place === "" ? (route ?? "") : place;
  const head = { method, route, path, query, status, code, actor_id, ip, request_id };
  return { at: from_at + after_ms, ...head, took_ms, bytes_in, bytes_out };
}

/** The class of a status as one bit: 2 for 2xx, 4 for 3xx, and so on. */
export function classBit(status: number): number {
  return 1 << (Math.floor(status / 100) - 1);
}

/** A search in the log. */
export interface RequestFilter {
  readonly actor_ids: readonly string[] | null;
  /** Statuses, or their classes as `4xx`. */
  readonly statuses: readonly string[] | null;
  readonly methods: readonly string[] | null;
  readonly route: string | null;
  /** From (inclusive) and to (exclusive) these times (ms). */
  readonly from: number | null;
  readonly to: number | null;
  readonly request_id: string | null;
  /** Whether requests that the dashboard sends on its own are left out. */
  readonly without_dashboard?: boolean;
}

/** The bits of the wanted status classes; null for all of them. */
export function classesOf({ statuses }: RequestFilter): number | null {
  return statuses === null ? null : statuses.reduce((bits, status) => bits | classBit(100 * Number(status[0])), 0);
}

/** Whether a line may match, before it is parsed. */
export function mayMatch(line: string, { actor_ids, request_id, route }: RequestFilter): boolean {
  const has = (word: string) => line.includes(JSON.stringify(word));
  return (actor_ids?.some(has) ?? true) && [request_id, route].every((word) => word === null || has(word));
}

/** Whether the dashboard sent it on its own: a read, or the preview of an act. */
function isDashboardRead({ actor_id, method, query }: LoggedRequest): boolean {
  if (actor_id?.startsWith(`${idPrefixes.user}_`) !== true) return false;
  return method === "GET" || method === "HEAD" || /(?:^|&)dry_run=true(?:&|$)/.test(query);
}

/** Whether a request matches the filter. */
export function matches(request: LoggedRequest, filter: RequestFilter): boolean {
  const { actor_ids, statuses, methods, route, from, to, request_id } = filter;
  const is = (wanted: string | null, found: string | null) => wanted === null || wanted === found;
  const isAmong = (wanted: readonly string[] | null, found: string | null) =>
    wanted === null || (found !== null && wanted.includes(found));
  const { status } = request;
  const hasStatus = (wanted: string) =>
    wanted.endsWith("xx") ? classBit(status) === classBit(100 * Number(wanted[0])) : wanted === String(status);
  // A search by request id finds dashboard requests, too.
  if (filter.without_dashboard === true && request_id === null && isDashboardRead(request)) return false;
  return (
    isAmong(actor_ids, request.actor_id) &&
    (statuses?.some(hasStatus) ?? true) &&
    isAmong(methods, request.method) &&
    is(route, request.route) &&
    is(request_id, request.request_id) &&
    (from === null || request.at >= from) &&
    (to === null || request.at < to)
  );
}

// The time between the creation of a request's id and its response, including clock differences.
const around_ms = 15 * 60_000;

/**
 * Narrows a filter by request id to the time when that request can have been answered: ids that we generate contain
 * their creation time.
 */
export function narrowedByRequestId(filter: RequestFilter): RequestFilter {
  const made = /^req_([0-9a-f]{12})[0-9a-f]{20}$/.exec(filter.request_id ?? "")?.[1];
  if (made === undefined) return filter;
  const at = Number.parseInt(made, 16);
  return {
    ...filter,
    from: Math.max(filter.from ?? 0, at - around_ms),
    to: Math.min(filter.to ?? Number.MAX_SAFE_INTEGER, at + around_ms),
  };
}
