// A request as the log keeps it: who asked what, and what came of it. Never a body, and no word of a secret.
import { idPrefixes } from "../../core/ids.ts";
import { redactSecrets } from "../../core/log.ts";

/** One answered request. */
export interface LoggedRequest {
  /** When it was answered. */
  readonly at: number;
  readonly method: string;
  /** The pattern of its path, `/orders/:id`; null when no route matches. */
  readonly route: string | null;
  /** Its path below the version. */
  readonly path: string;
  /** Its parameters as they were sent, those that may hold a secret without their values; empty without any. */
  readonly query: string;
  readonly status: number;
  readonly code: string | null;
  /** Who asked, as `key_7` or `usr_7`; null for nobody who is known. */
  readonly actor_id: string | null;
  readonly ip: string | null;
  readonly request_id: string;
  readonly took_ms: number;
  /** The bytes of its body and of its answer's, where they are known. */
  readonly bytes_in: number | null;
  readonly bytes_out: number | null;
}

const text_max = 300;
const secret_name = /key|token|secret|pass|sign|hash|auth|credential|code/i;

/** A path as it is kept: what a stranger sends may be long. */
export function keptPath(path: string): string {
  return redactSecrets(path.length > text_max ? `${path.slice(0, text_max)}…` : path);
}

/** Parameters as they are kept, from the text behind the question mark. */
export function keptQuery(text: string): string {
  if (text === "") return "";
  const parts = text.split("&").map((part) => {
    const [name = ""] = part.split("=", 1);
    return secret_name.test(name) && name !== part ? `${name}=…` : part;
  });
  return keptPath(parts.join("&"));
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

/** The line that keeps a request. `from_at` is when the first of its block was answered. */
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

/** One request of a block, from its line. */
export function readLine(text: string, from_at: number): LoggedRequest {
  const [after_ms, method, route, place, query, status, code, actor_id, ip, request_id, ...more] = JSON.parse(
    text,
  ) as RequestLogLine;
  const [took_ms, bytes_in, bytes_out] = more;
  const path = place === "" ? (route ?? "") : place;
  const asked = { method, route, path, query, status, code, actor_id, ip, request_id };
  return { at: from_at + after_ms, ...asked, took_ms, bytes_in, bytes_out };
}

/** The class of a status as one bit: 2 for 2xx, 4 for 3xx, and so on. */
export function classBit(status: number): number {
  return 1 << (Math.floor(status / 100) - 1);
}

/** What is looked for in the log. */
export interface RequestFilter {
  readonly actor_id: string | null;
  /** A status, or its class as `4xx`. */
  readonly status: string | null;
  readonly method: string | null;
  readonly route: string | null;
  /** From and before these moments. */
  readonly from: number | null;
  readonly to: number | null;
  readonly request_id: string | null;
  /** Whether what the dashboard asks by itself is left out. */
  readonly without_dashboard?: boolean;
}

/** The bits of the classes of status that are looked for; null for all of them. */
export function classesOf({ status }: RequestFilter): number | null {
  return status === null ? null : classBit(100 * Number(status[0]));
}

/** Whether a line may be of a request that is looked for, before it is read. */
export function mayMatch(line: string, { actor_id, request_id, route }: RequestFilter): boolean {
  return [actor_id, request_id, route].every((word) => word === null || line.includes(JSON.stringify(word)));
}

/** Whether it is what the dashboard asks while somebody looks at it: a read, or the preview of an act. */
function isDashboardRead({ actor_id, method, query }: LoggedRequest): boolean {
  if (actor_id?.startsWith(`${idPrefixes.user}_`) !== true) return false;
  return method === "GET" || method === "HEAD" || /(?:^|&)dry_run=true(?:&|$)/.test(query);
}

/** Whether a request is one that is looked for. */
export function isWanted(request: LoggedRequest, filter: RequestFilter): boolean {
  const { actor_id, status, method, route, from, to, request_id } = filter;
  const is = (wanted: string | null, found: string | null) => wanted === null || wanted === found;
  const found = String(request.status);
  // Whoever names a request finds it.
  if (filter.without_dashboard === true && request_id === null && isDashboardRead(request)) return false;
  return (
    is(actor_id, request.actor_id) &&
    (status === null || (status.endsWith("xx") ? found[0] === status[0] : found === status)) &&
    is(method, request.method) &&
    is(route, request.route) &&
    is(request_id, request.request_id) &&
    (from === null || request.at >= from) &&
    (to === null || request.at < to)
  );
}

// A request may take so long from when its id was made, and clocks may differ by some of it.
const around_ms = 15 * 60_000;

/**
 * The filter, narrowed to when a request with the id that is looked for can have been answered: an id of ours tells
 * when it was made.
 */
export function narrowed(filter: RequestFilter): RequestFilter {
  const made = /^req_([0-9a-f]{12})[0-9a-f]{20}$/.exec(filter.request_id ?? "")?.[1];
  if (made === undefined) return filter;
  const at = Number.parseInt(made, 16);
  return {
    ...filter,
    from: Math.max(filter.from ?? 0, at - around_ms),
    to: Math.min(filter.to ?? Number.MAX_SAFE_INTEGER, at + around_ms),
  };
}
