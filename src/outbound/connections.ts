// Connections to other servers and their pool. A connection carries one request at a time and can be reused. Each wait
// has a timeout, and certificates are always checked.
import * as net from "node:net";
import { onFirstUse } from "../core/memoize.ts";
import { bareHost } from "./destination.ts";
import { httpParserOf, type ReceivedResponse, ResponseReader } from "./response_reader.ts";

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

const closed_early = "The connection was closed before there was a response.";

/** One connection, opened when it is created. */
export class HttpConnection {
  /** Whether it is open and idle. */
  idle = false;
  readonly #socket: net.Socket;
  readonly #reader: ResponseReader;
  #stage: ConnectionStage = "dialling";
  /** The request in progress, its timeouts, and the callback for its reply. */
  #request: WrittenRequest | null = null;
  #deadlines: ConnectionTimeouts = { connect_ms: 0, headers_ms: 0, body_ms: 0 };
  #onReply: (reply: ExchangeReply) => void = () => {};
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(peer: ConnectionPeer, reader: ResponseReader, onClosed: () => void) {
    const socket = dial(peer);
    this.#socket = socket;
    this.#reader = reader;
    socket.once("connect", () => {
      if (peer.secure) this.#stage = "securing";
      else this.#stand();
    });
    socket.once("secureConnect", () => this.#stand());
    socket.on("error", (error) => this.#lose(error.message));
    socket.on("end", () => this.#lose(closed_early));
    socket.on("close", () => {
      this.#lose(closed_early);
      onClosed();
    });
  }

  /** Sends one request and reads the response. The connection must be new or idle. */
  ask(request: WrittenRequest, deadlines: ConnectionTimeouts): Promise<ExchangeReply> {
    return new Promise((resolve) => {
      this.#request = request;
      this.#deadlines = deadlines;
      this.#onReply = resolve;
      if (this.idle) this.#write(request);
      else this.#within(deadlines.connect_ms, "The connection was not established in time.");
    });
  }

  /** Closes it; a request in progress is lost. */
  close(): void {
    this.idle = false;
    this.#socket.destroy();
  }

  #stand(): void {
    this.#socket.on("data", (bytes: Uint8Array) => this.#read(bytes));
    this.#stage = "waiting";
    this.idle = true;
    if (this.#request !== null) this.#write(this.#request);
  }

  #write({ method, path, headers, body, body_bytes_max }: WrittenRequest): void {
    this.idle = false;
    this.#stage = "waiting";
    this.#within(this.#deadlines.headers_ms, "There was no response in time.");
    this.#reader.expect(body_bytes_max, method === "HEAD");
    let text = `${method} ${path} HTTP/1.1\r\n`;
    for (const [name, value] of headers) text += `${name}: ${value}\r\n`;
    this.#socket.write(`${text}\r\n${body ?? ""}`);
  }

  #read(bytes: Uint8Array): void {
    if (this.#request === null) {
      this.close(); // Nothing was asked for.
      return;
    }
    const problem = this.#reader.read(bytes);
    const { progress, overlong } = this.#reader;
    if (progress === "whole" || overlong || problem !== null) {
      this.#end("connect_error", `The response is not HTTP: ${problem}.`);
    } else if (progress === "head" && this.#stage === "waiting") {
      this.#stage = "reading";
      this.#within(this.#deadlines.body_ms, "The response did not end in time.");
    }
  }

  /** The socket failed or was closed, which completes a response without a length. */
  #lose(message: string): void {
    if (this.#request === null) {
      this.close();
      return;
    }
    this.#reader.end();
    this.#end(this.#stage === "securing" ? "tls_error" : "connect_error", message);
  }

  #within(ms: number, message: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end("timeout", message), ms);
  }

  /** Ends the request in progress with the response read so far, or with the reason why there is none. */
  #end(code: ConnectionFailure["code"], message: string): void {
    if (this.#request === null) return;
    clearTimeout(this.#timer);
    this.#request = null;
    const { progress, lasting } = this.#reader;
    this.idle = progress === "whole" && lasting && this.#socket.writableLength === 0 && !this.#socket.destroyed;
    if (!this.idle) this.close();
    if (progress === "nothing") this.#onReply({ answer: null, lost: { code, message, stage: this.#stage } });
    else this.#onReply({ answer: this.#reader.answer(), lost: null });
  }
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

const httpParser = onFirstUse(() => httpParserOf(process));

/** The connections of one client. Idle ones are kept for a while for the next request to the same peer. */
export class ConnectionPool {
  readonly #HTTPParser = httpParser();
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
    const connection = new HttpConnection(peer, new ResponseReader(this.#HTTPParser), () =>
      this.#open.delete(connection),
    );
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
