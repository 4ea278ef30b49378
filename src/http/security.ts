// Checks for requests of browsers: the connection is secure, and the page that sends the request is one of ours.
import { isIP } from "node:net";
import { Fault } from "../kit/fault.ts";
import { clientOf, type Service } from "./service.ts";

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
