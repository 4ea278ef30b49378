import { Fault } from "../kit/fault.ts";
import type { Call } from "./call.ts";

/**
 * Where clients reach the service: its own address when it has one, else what the request was sent to. Null when the
 * request names no host.
 */
export function originOf(base_url: string, request_url: string): string | null {
  if (base_url !== "") return base_url;
  const { protocol, host } = URL.parse(request_url) ?? {};
  return protocol !== undefined && host !== undefined && isHost(host) ? `${protocol}//${host}` : null;
}

/** As `originOf`, for links that lead nowhere without it. Refuses: malformed_header. */
export function reachedAt({ base_url, request }: Pick<Call, "base_url" | "request">): string {
  const origin = originOf(base_url, request.url);
  if (origin === null) throw new Fault("malformed_header", "The Host header names no host.");
  return origin;
}

/** Whether a text is one host as a `Host` header names it: a name or an address, and a port if any. */
export function isHost(text: string): boolean {
  return /^([A-Za-z0-9._~-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?$/.test(text);
}

/** Refuses a request that is sent to no host, or to two: links would lead nowhere. Refuses: malformed_header. */
export function refuseHost(request: Request): void {
  const host = request.headers.get("host");
  if (host !== null && !isHost(host)) throw new Fault("malformed_header", "The Host header must name one host.");
}

/** The request with a whole address: one of HTTP/1.0 may name no host, as the probes of some load balancers do. */
export function located(request: Request): Request {
  return request.url.startsWith("/") ? new Request(`http://localhost${request.url}`, request) : request;
}
