// Connections to other servers and their pool. A connection carries one request at a time, with node:http, and can be
// reused. Each wait has a timeout, and certificates are always checked.
import type * as http from "node:http";
import * as net from "node:net";
import { bareHost } from "./destination.ts";

/** One request as it is written, and the limit of its response. */
export interface WrittenRequest {
  readonly method: string;
  readonly path: string;
  /** All headers, in order. Their values contain no line breaks or other invalid characters. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | null;
  /** The maximum size of the response's body. */
  readonly body_bytes_max: number;
}

/** A response, whatever its status. */
export interface ReceivedResponse {
  readonly status_code: number;
  /** By lower-case name. Repeated headers are joined by commas if they form a list. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whether the body is complete. */
  readonly complete: boolean;
}

/** How long each part of a request may take. */
export interface ConnectionTimeouts {
  /** From the start until the connection is ready, including the lookup of the name and TLS. */
  readonly connect_ms: number;
  /** From then until the response's headers are received. */
  readonly headers_ms: number;
  /** From then until the end of the body. */
  readonly body_ms: number;
}

/** The peer of a connection. */
interface ConnectionPeer {
  readonly address: string;
  readonly port: number;
  readonly secure: boolean;
  /** The name that the certificate must be for, as in a URL. */
  readonly hostname: string;
  /** Authorities to trust instead of the system's, in PEM. */
  readonly authorities: string | undefined;
}

/** The progress of a request: TCP connect, TLS handshake, waiting for the response, reading its body. */
type ConnectionStage = "dialling" | "securing" | "waiting" | "reading";

/** Why there is no response. */
export interface ConnectionFailure {
  readonly code: "connect_error" | "tls_error" | "timeout";
  readonly message: string;
  readonly stage: ConnectionStage;
}

/** A response, or why there is none. */
export type ExchangeReply =
  | { readonly answer: ReceivedResponse; readonly lost: null }
  | { readonly answer: null; readonly lost: ConnectionFailure };

/** One request in progress, and the response read so far. */
interface RequestInProgress {
  readonly request: WrittenRequest;
  readonly deadlines: ConnectionTimeouts;
  readonly onReply: (reply: ExchangeReply) => void;
  head: http.IncomingMessage | null;
  readonly chunks: Uint8Array[];
  body_bytes: number;
  early_bytes: number;
  whole: boolean;
  /** Why the response is incomplete. */
  message: string;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** The maximum size of a response's head. */
const head_bytes_max = 16 * 1024;
/** The maximum size of data before a response's head, such as interim responses. */
const early_bytes_max = 64 * 1024;
const closed_early = "The connection was closed before there was a response.";

/** One connection over a socket that is being opened, for the socket's whole life. */
export class HttpConnection {
  /** Whether it is open and idle. */
  idle = false;
  readonly #socket: net.Socket;
  #stage: ConnectionStage = "dialling";
  #current: RequestInProgress | null = null;

  constructor(socket: net.Socket, secure: boolean, onClosed: () => void) {
    this.#socket = socket;
    socket.once("connect", () => {
      if (secure) this.#stage = "securing";
      else this.#open();
    });
    socket.once("secureConnect", () => this.#open());
    socket.on("error", (error) => this.#lose(error.message));
    socket.on("end", () => this.#lose(closed_early));
    socket.on("close", () => {
      this.#lose(closed_early);
      onClosed();
    });
  }

  /** Sends one request and reads the response. The connection must be new or idle. */
  ask(request: WrittenRequest, deadlines: ConnectionTimeouts): Promise<ExchangeReply> {
    return new Promise((onReply) => {
      const current: RequestInProgress = {
        ...{ request, deadlines, onReply, head: null, chunks: [], body_bytes: 0, early_bytes: 0 },
        ...{ whole: false, message: closed_early, timer: undefined },
      };
      this.#current = current;
      if (this.idle) this.#write(current);
      else this.#within(current, deadlines.connect_ms, "The connection was not established in time.");
    });
  }

  /** Closes it; a request in progress is lost. */
  close(): void {
    this.idle = false;
    this.#socket.destroy();
  }

  #open(): void {
    this.#stage = "waiting";
    this.idle = true;
    this.#socket.on("data", (bytes: Uint8Array) => this.#count(bytes));
    if (this.#current !== null) this.#write(this.#current);
  }

  #write(current: RequestInProgress): void {
    this.idle = false;
    this.#stage = "waiting";
    this.#within(current, current.deadlines.headers_ms, "There was no response in time.");
    const { method, path, headers, body } = current.request;
    // Loaded with the first request.
    const { request: open } = require("node:http") as typeof http;
    const request = open({
      method,
      path,
      headers: Object.fromEntries(headers),
      setDefaultHeaders: false,
      maxHeaderSize: head_bytes_max,
      createConnection: () => this.#socket,
    });
    request.maxHeadersCount = 0;
    request.on("response", (head) => this.#read(current, head));
    request.on("upgrade", (head) => {
      current.head = head;
      current.whole = true;
      this.#end(current, "connect_error", closed_early);
    });
    request.on("error", (error) => {
      current.message = messageOf(error);
    });
    // Only now is the socket free for another request.
    request.on("close", () => {
      this.#end(current, "connect_error", current.message, current.whole && request.shouldKeepAlive);
    });
    request.end(body ?? undefined);
  }

  /** Limits what precedes a response. Data without a request ends the connection. */
  #count(bytes: Uint8Array): void {
    const current = this.#current;
    if (current === null) this.close();
    if (current === null || current.head !== null) return;
    if (current.early_bytes > early_bytes_max) {
      this.#end(current, "connect_error", "The response is not HTTP: Too much data precedes it.");
    }
    current.early_bytes += bytes.length;
  }

  #read(current: RequestInProgress, head: http.IncomingMessage): void {
    current.head = head;
    this.#stage = "reading";
    this.#within(current, current.deadlines.body_ms, "The response did not end in time.");
    head.on("data", (bytes: Uint8Array) => {
      current.chunks.push(bytes);
      current.body_bytes += bytes.length;
      if (current.body_bytes > current.request.body_bytes_max) this.#end(current, "connect_error", closed_early);
    });
    head.on("end", () => {
      current.whole = head.complete;
    });
    head.on("error", () => {}); // The response is cut off, which the request reports as well.
  }

  /** The socket failed. While a response is awaited, node:http reports failures on the request. */
  #lose(message: string): void {
    const current = this.#current;
    if (current === null) this.close();
    else if (this.#stage === "dialling") this.#end(current, "connect_error", message);
    else if (this.#stage === "securing") this.#end(current, "tls_error", message);
  }

  #within(current: RequestInProgress, ms: number, message: string): void {
    clearTimeout(current.timer);
    current.timer = setTimeout(() => this.#end(current, "timeout", message), ms);
  }

  /** Ends the request in progress with the response read so far, or with the reason why there is none. */
  #end(current: RequestInProgress, code: ConnectionFailure["code"], message: string, lasting = false): void {
    if (current !== this.#current) return;
    clearTimeout(current.timer);
    this.#current = null;
    this.idle = lasting && !this.#socket.destroyed;
    if (!this.idle) this.close();
    current.onReply(
      current.head === null
        ? { answer: null, lost: { code, message, stage: this.#stage } }
        : { answer: answerOf(current, current.head), lost: null },
    );
  }
}

function answerOf({ request, chunks, whole }: RequestInProgress, head: http.IncomingMessage): ReceivedResponse {
  const [first = new Uint8Array()] = chunks;
  const body = chunks.length > 1 ? Buffer.concat(chunks) : first;
  const complete = whole && body.length <= request.body_bytes_max;
  return { status_code: head.statusCode ?? 0, headers: headersOf(head.rawHeaders), body, complete };
}

/** Why there is no response. */
function messageOf(error: Error & { readonly code?: string; readonly reason?: string }): string {
  if (error.code?.startsWith("HPE_")) return `The response is not HTTP: ${error.reason ?? error.message}.`;
  return error.code === "ECONNRESET" ? closed_early : error.message;
}

// These headers are no lists: of repeated lines the first one counts.
const single_headers = ["content-type", "date", "location", "retry-after", "server"];

/** Headers by lower-case name, from alternating names and values. */
function headersOf(lines: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < lines.length; at += 2) {
    const name = (lines[at] ?? "").toLowerCase();
    const value = lines[at + 1] ?? "";
    if (!Object.hasOwn(headers, name)) headers[name] = value;
    else if (!single_headers.includes(name)) headers[name] += `, ${value}`;
  }
  return headers;
}

function dial({ address, port, secure, hostname, authorities }: ConnectionPeer): net.Socket {
  if (!secure) return net.connect({ host: address, port, noDelay: true });
  const host = bareHost(hostname);
  const { connect } = require("node:tls") as typeof import("node:tls");
  const socket = connect({
    host: address,
    port,
    ALPNProtocols: ["http/1.1"],
    ...(net.isIP(host) === 0 && { servername: host }),
    rejectUnauthorized: true, // Set explicitly, so that no environment variable can switch the check off.
    ...(authorities !== undefined && { ca: authorities }),
  });
  return socket.setNoDelay(true);
}

const idle_ms = 15_000;
const idle_per_peer_max = 64;
const idle_total_max = 512;

interface IdleConnection {
  readonly connection: HttpConnection;
  readonly since: number;
}

/** The connections of one client. Idle ones are kept for a while for the next request to the same peer. */
export class ConnectionPool {
  readonly #open = new Set<HttpConnection>();
  /** Idle connections by peer, the most recent last. */
  readonly #kept = new Map<string, IdleConnection[]>();
  #kept_count = 0;
  #tidying: ReturnType<typeof setInterval> | undefined;
  #closed = false;

  /** Takes an idle connection to a peer out of the pool, or returns null. */
  take(peer: ConnectionPeer): HttpConnection | null {
    const kept = this.#kept.get(nameOf(peer));
    for (let last = kept?.pop(); last !== undefined; last = kept?.pop()) {
      this.#kept_count -= 1;
      if (usable(last)) return last.connection;
      last.connection.close();
    }
    return null;
  }

  /** Opens a new connection to a peer. Throws once the pool is closed. */
  dial(peer: ConnectionPeer): HttpConnection {
    if (this.#closed) throw new Error("The client was closed.");
    const connection = new HttpConnection(dial(peer), peer.secure, () => this.#open.delete(connection));
    this.#open.add(connection);
    return connection;
  }

  /** Puts a connection back if it is idle and the pool has space; otherwise closes it. */
  keep(peer: ConnectionPeer, connection: HttpConnection): void {
    const name = nameOf(peer);
    const kept = this.#kept.get(name) ?? [];
    if (!connection.idle || kept.length >= idle_per_peer_max || this.#kept_count >= idle_total_max) {
      connection.close();
      return;
    }
    kept.push({ connection, since: performance.now() });
    this.#kept.set(name, kept);
    this.#kept_count += 1;
    this.#tidying ??= setInterval(() => this.#tidy(), idle_ms).unref();
  }

  /** Closes every connection and opens no more; requests in progress are lost. */
  close(): void {
    this.#closed = true;
    for (const connection of this.#open) connection.close();
    this.#tidy();
  }

  /** Closes connections that were idle for long, and removes those that the peer closed. */
  #tidy(): void {
    this.#kept_count = 0;
    for (const [name, all] of this.#kept) {
      const left = all.filter(usable);
      for (const it of all) if (!left.includes(it)) it.connection.close();
      if (left.length === 0) this.#kept.delete(name);
      else this.#kept.set(name, left);
      this.#kept_count += left.length;
    }
    if (this.#kept_count > 0) return;
    clearInterval(this.#tidying);
    this.#tidying = undefined;
  }
}

const nameOf = ({ secure, hostname, address, port }: ConnectionPeer): string =>
  `${secure} ${hostname} ${address} ${port}`;

const usable = ({ connection, since }: IdleConnection): boolean =>
  connection.idle && performance.now() - since < idle_ms;
