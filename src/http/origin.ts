import { isIP } from "node:net";
import { Fault } from "../core/faults.ts";
import type { Call } from "./call.ts";
import { clientOf, type Service } from "./service.ts";

/** What tells where a client has reached the service. */
export type ReachedService = Pick<Call, "base_url" | "known_hosts" | "request">;

/**
 * Where clients reach the service: its own address when it has one, else the host that the request was sent to, if it
 * is known to be this machine. Else empty, for links relative to wherever the client is: what a stranger writes into a
 * `Host` header is never passed on.
 */
export function originOf({ base_url, known_hosts, request }: ReachedService): string {
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

// Checks for requests of browsers: the connection is secure, and the page that sends the request is one of ours.

const hostOf = (request: Request) => request.headers.get("host") ?? URL.parse(request.url)?.host ?? "";

/** Whether a host name means this machine. */
function isLoopback(name: string): boolean {
  const bare = name.replace(/^\[(.*)\]$/, "$1");
  return bare === "localhost" || bare === "::1" || (isIP(bare) === 4 && bare.startsWith("127."));
}

/**
 * Whether the connection of a client is encrypted: TLS ends here, or at a proxy, when the service's own address begins
 * with `https://`.
 */
export function isSecure(service: Service, request: Request): boolean {
  if (service.tls) return true;
  const known = URL.parse(service.base_url);
  if (known?.protocol !== "https:") return false;
  const peer = service.peerOf(request);
  return (
    hostOf(request) === known.host || (peer !== null && (isLoopback(peer) || service.trusted_proxies.includes(peer)))
  );
}

/**
 * Refuses passwords and cookies over plain http, unless the client is on this very machine or the operator allows it.
 * Refuses: insecure_connection.
 */
export function refusePlain(service: Service, request: Request): void {
  if (service.allow_insecure_lan || isSecure(service, request)) return;
  const client = clientOf(service, request);
  const name = URL.parse(request.url)?.hostname ?? "";
  if (client !== null && isLoopback(client) && isLoopback(name)) return;
  const ways = "--tls self, --tls-cert and --tls-key, or PACKHOUSE_BASE_URL=https://… behind a proxy";
  const message = `Over plain http others could read the password: start Packhouse with ${ways}. --allow-insecure-lan`;
  throw new Fault("insecure_connection", `${message} allows it all the same. API keys work as before.`);
}

const safe: readonly string[] = ["GET", "HEAD", "OPTIONS"];

/**
 * Refuses requests from pages of other sites, by the headers with which browsers mark them. Other clients send no such
 * headers and pass. Refuses: cross_site_request.
 */
export function refuseCrossSite(service: Service, request: Request): void {
  if (safe.includes(request.method)) return;
  const site = request.headers.get("sec-fetch-site");
  if (site === "same-origin" || site === "none") return;
  const origin = request.headers.get("origin");
  if (site === null && (origin === null || isOwn(service, request, origin))) return;
  throw new Fault("cross_site_request", "This was sent from a page of another address. Nothing was done.");
}

function isOwn({ base_url }: Service, request: Request, origin: string): boolean {
  const from = URL.parse(origin);
  if (from === null) return false;
  return from.host === hostOf(request) || from.origin === URL.parse(base_url)?.origin;
}
