import { Fault } from "../kit/fault.ts";
import type { Call } from "./call.ts";

/** What tells where a client has reached the service. */
export type Reached = Pick<Call, "base_url" | "known_hosts" | "request">;

/**
 * Where clients reach the service: its own address when it has one, else the host that the request was sent to, if it
 * is known to be this machine. Else empty, for links relative to wherever the client is: what a stranger writes into a
 * `Host` header is never passed on.
 */
export function originOf({ base_url, known_hosts, request }: Reached): string {
  if (base_url !== "") return base_url;
  const { protocol, host, hostname } = URL.parse(request.url) ?? {};
  return protocol !== undefined && known_hosts.has(hostname ?? "") ? `${protocol}//${host}` : "";
}

/** Whether a text is one host as a `Host` header names it: a name or an address, and a port if any. */
function isHost(text: string): boolean {
  return /^([A-Za-z0-9._~-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?$/.test(text);
}

/** Refuses a request that is sent to no host, or to two: links would lead nowhere. Refuses: malformed_header. */
export function refuseHost(request: Request): void {
  const host = request.headers.get("host");
  if (host !== null && !isHost(host)) throw new Fault("malformed_header", "The Host header must name one host.");
}

/**
 * The request with a whole address: one of HTTP/1.0 may name no host, as the probes of some load balancers do. Behind
 * `https://` and a host of one or two letters Elysia would find no path: these are called by a longer name.
 */
export function located(request: Request, scheme: "http" | "https"): Request {
  const { url } = request;
  if (url.startsWith("/")) return new Request(`${scheme}://localhost${url}`, request);
  const path_at = scheme === "https" ? url.indexOf("/", "https://".length) : -1;
  if (path_at < 0 || path_at >= "https://abc".length) return request;
  return new Request(`${url.slice(0, path_at)}.local${url.slice(path_at)}`, request);
}
