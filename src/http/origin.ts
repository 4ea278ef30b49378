import { isIP } from "node:net";
import { Fault } from "../core/faults.ts";
import type { Call } from "./call.ts";
import { clientOf, type Service } from "./service.ts";

/** What determines the URL under which a client reached the service. */
export type ReachedService = Pick<Call, "base_url" | "known_hosts" | "request">;

/**
 * The URL under which clients reach the service: its configured URL, else the host of the request if that is known to
 * be this machine. Otherwise empty, which makes links relative. An unknown `Host` header is never repeated.
 */
export function originOf({ base_url, known_hosts, request }: ReachedService): string {
  if (base_url !== "") return base_url;
  const { protocol, host, hostname } = URL.parse(request.url) ?? {};
  return protocol !== undefined && known_hosts.has(hostname ?? "") ? `${protocol}//${host}` : "";
}

// Checks for browser requests: the connection is secure, and the sending page is one of ours.

const hostOf = (request: Request) => request.headers.get("host") ?? URL.parse(request.url)?.host ?? "";

/** Whether a host name refers to this machine. */
function isLoopback(name: string): boolean {
  const bare = name.replace(/^\[(.*)\]$/, "$1");
  return bare === "localhost" || bare === "::1" || (isIP(bare) === 4 && bare.startsWith("127."));
}

/**
 * Whether a client's connection is encrypted: by this service, or by a proxy when the configured URL starts with
 * `https://`.
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
 * Refuses passwords and cookies over plain HTTP, unless the client is on this machine or the operator allows it.
 * Refuses: insecure_connection.
 */
export function refusePlain(service: Service, request: Request): void {
  if (service.allow_insecure_lan || isSecure(service, request)) return;
  const client = clientOf(service, request);
  const name = URL.parse(request.url)?.hostname ?? "";
  if (client !== null && isLoopback(client) && isLoopback(name)) return;
  const ways = "--tls self, --tls-cert and --tls-key, or PACKHOUSE_BASE_URL=https://… behind a proxy";
  const message = `Over plain HTTP, others could read the password. Start Packhouse with ${ways}, or allow it with`;
  throw new Fault("insecure_connection", `${message} --allow-insecure-lan. API keys are not affected.`);
}

const safe: readonly string[] = ["GET", "HEAD", "OPTIONS"];

/**
 * Refuses requests from pages of other sites, based on the headers that browsers add. Other clients send no such
 * headers and pass.
 * Refuses: cross_site_request.
 */
export function refuseCrossSite(service: Service, request: Request): void {
  if (safe.includes(request.method)) return;
  const site = request.headers.get("sec-fetch-site");
  if (site === "same-origin" || site === "none") return;
  const origin = request.headers.get("origin");
  if (site === null && (origin === null || isOwn(service, request, origin))) return;
  throw new Fault("cross_site_request", "This request was sent from a page on another origin. Nothing was changed.");
}

function isOwn({ base_url }: Service, request: Request, origin: string): boolean {
  const from = URL.parse(origin);
  if (from === null) return false;
  return from.host === hostOf(request) || from.origin === URL.parse(base_url)?.origin;
}
