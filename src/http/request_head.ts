// The head of a request: its request line and headers.
import { estimateShallowMemoryUsageOf as bytesHeld } from "bun:jsc";
import { Fault } from "../core/faults.ts";

const head_bytes_max = 16 << 10;
const headers_max = 100;

/** Bun itself refuses a request beyond this many bytes or 198 header lines, without a body. */
export const readable_head_bytes = 64 << 10;

/** The build flag that makes the binary's Bun accept heads of that size. */
export const longHeads = `--max-http-header-size=${readable_head_bytes}`;

// Adding up the headers of each request would cost up to a microsecond, while their size in memory is known at once. It
// is never less than their values and uncommon names; all common names together have less than 8 KiB.
const large_bytes = head_bytes_max >> 1;

/** Refuses a request whose head is too large or has too many headers. Refuses: headers_too_large. */
export function refuseHead(request: Request): void {
  const { headers, url } = request;
  if (headers.count > headers_max) {
    throw new Fault("headers_too_large", `The request has more than ${headers_max} headers.`);
  }
  if (bytesHeld(headers) + url.length > large_bytes && headBytes(request) > head_bytes_max) {
    const message = `The request line and headers exceed ${head_bytes_max} bytes.`;
    throw new Fault("headers_too_large", message);
  }
}

/** The size of a head in bytes, as HTTP/1.1 writes it. Headers with the same name are combined into one. */
function headBytes({ method, url, headers }: Request): number {
  const target = url.slice(url.indexOf("/", url.indexOf("//") + 2));
  let bytes = `${method} ${target} HTTP/1.1\r\n\r\n`.length;
  headers.forEach((value, name) => {
    bytes += `${name}: ${value}\r\n`.length;
  });
  return bytes;
}

interface RequestPath {
  /** The path after the version: `/orders/ord_1042` for both `/v1/…` and `/api/v1/…`. */
  readonly path: string;
  /** Whether the path starts with a version of the API. Few do not. */
  readonly versioned: boolean;
}

/** Parses the path of a URL. */
export function requestPathOf(url: string): RequestPath {
  const from = url.indexOf("/", url.indexOf("//") + 2);
  const query = url.indexOf("?", from);
  const path = from < 0 ? "/" : url.slice(from, query < 0 ? undefined : query);
  const version = path.startsWith("/api/v1") ? "/api/v1" : "/v1";
  // A version alone is not a path below it: `/` is the service's home page.
  if (path === version || path === `${version}/`) return { path, versioned: true };
  if (path.startsWith(`${version}/`)) return { path: path.slice(version.length), versioned: true };
  return { path, versioned: false };
}
