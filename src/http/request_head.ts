// What a request says before its body: its first line and its headers, together its head.
import { estimateShallowMemoryUsageOf as bytesHeld } from "bun:jsc";
import { Fault } from "../core/faults.ts";

const head_bytes_max = 16 << 10;
const headers_max = 100;

/** Beyond this many bytes, or 198 lines of headers, Bun refuses a request itself, without a body. */
export const readable_head_bytes = 64 << 10;

/** The flag with which the binary is compiled, so that Bun reads a head of that size. */
export const longHeads = `--max-http-header-size=${readable_head_bytes}`;

// Adding up the headers of each request would cost up to a microsecond. Their size in memory is known at once. It is
// never less than their values and uncommon names; all common names together have less than 8 KiB.
const large_bytes = head_bytes_max >> 1;

/** Refuses a request whose head is too large, or of too many headers. Refuses: headers_too_large. */
export function refuseHead(request: Request): void {
  const { headers, url } = request;
  if (headers.count > headers_max) {
    throw new Fault("headers_too_large", `A request may have at most ${headers_max} headers.`);
  }
  if (bytesHeld(headers) + url.length > large_bytes && headBytes(request) > head_bytes_max) {
    const message = `The first line and the headers of a request may have at most ${head_bytes_max} bytes together.`;
    throw new Fault("headers_too_large", message);
  }
}

/** The bytes of a head as HTTP/1.1 writes it. Headers of one name are read as one, with their values in a list. */
function headBytes({ method, url, headers }: Request): number {
  const target = url.slice(url.indexOf("/", url.indexOf("//") + 2));
  let bytes = `${method} ${target} HTTP/1.1\r\n\r\n`.length;
  headers.forEach((value, name) => {
    bytes += `${name}: ${value}\r\n`.length;
  });
  return bytes;
}

/** What the path of a request names. */
interface RequestPath {
  /** Its path below the version: `/orders/ord_1042` for `/v1/…` and `/api/v1/…` alike. */
  readonly path: string;
  /** Whether it is below a version of the API; few are not. */
  readonly versioned: boolean;
}

/** Reads the path of an address. */
export function requestPathOf(url: string): RequestPath {
  const from = url.indexOf("/", url.indexOf("//") + 2);
  const query = url.indexOf("?", from);
  const path = from < 0 ? "/" : url.slice(from, query < 0 ? undefined : query);
  const version = path.startsWith("/api/v1") ? "/api/v1" : "/v1";
  // A version by itself is no path below it: `/` is the page of the service's own address.
  if (path === version || path === `${version}/`) return { path, versioned: true };
  if (path.startsWith(`${version}/`)) return { path: path.slice(version.length), versioned: true };
  return { path, versioned: false };
}
