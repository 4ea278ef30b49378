// A connection to one address: it sends a request, reads the answer, and can then be kept for the next. Each wait has a
// limit, and certificates are always checked.
import * as net from "node:net";
import { bareHost } from "./destination.ts";
import {
  closed_early,
  type HttpExchange,
  type OpenExchange,
  type ReceivedResponse,
  type WrittenRequest,
} from "./exchange.ts";

/** How long each part of a request may take. */
export interface ConnectionTimeouts {
  /** From the start until the connection is ready, including the lookup of the name and TLS. */
  readonly connect_ms: number;
  /** From then until the answer's headers are there. */
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

/** The progress of a request: connecting with TLS, waiting for the answer, reading its body. */
type ConnectionStage = "dialling" | "securing" | "waiting" | "reading";

/** Why nothing was answered. */
export interface ConnectionFailure {
  readonly code: "connect_error" | "tls_error" | "timeout";
  readonly message: string;
  readonly stage: ConnectionStage;
}

/** An answer, or why there is none. */
export type ExchangeReply =
  | { readonly answer: ReceivedResponse; readonly lost: null }
  | { readonly answer: null; readonly lost: ConnectionFailure };

/** One connection. It is opened when it is created, and carries one request at a time. */
export class HttpConnection {
  /** Whether it is open and idle. */
  idle = false;
  readonly #socket: net.Socket;
  #talk: HttpExchange | null = null;
  #stage: ConnectionStage = "dialling";
  /** The request in progress, its deadlines, and who waits for its reply. */
  #asked: WrittenRequest | null = null;
  #deadlines: ConnectionTimeouts = { connect_ms: 0, headers_ms: 0, body_ms: 0 };
  #tell: (reply: ExchangeReply) => void = () => {};
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(peer: ConnectionPeer, talkOver: OpenExchange, onClosed: () => void) {
    const socket = dial(peer);
    this.#socket = socket;
    socket.once("connect", () => {
      if (peer.secure) this.#stage = "securing";
      else this.#stand(talkOver);
    });
    socket.once("secureConnect", () => this.#stand(talkOver));
    socket.on("error", (error) => this.#lose(error.message));
    socket.on("end", () => this.#lose(closed_early));
    socket.on("close", () => {
      this.#lose(closed_early);
      onClosed();
    });
  }

  /** Sends one request and reads the answer. The connection is new or idle. */
  ask(asked: WrittenRequest, deadlines: ConnectionTimeouts): Promise<ExchangeReply> {
    return new Promise((resolve) => {
      this.#asked = asked;
      this.#deadlines = deadlines;
      this.#tell = resolve;
      if (this.#talk !== null && this.idle) this.#write(this.#talk, asked);
      else this.#within(deadlines.connect_ms, "The connection was not established in time.");
    });
  }

  /** Closes it; a request in progress is lost. */
  close(): void {
    this.idle = false;
    this.#socket.destroy();
  }

  #stand(talkOver: OpenExchange): void {
    this.#talk = talkOver(this.#socket, {
      head: () => {
        this.#stage = "reading";
        this.#within(this.#deadlines.body_ms, "The answer did not end in time.");
      },
      end: (message) => this.#end("connect_error", message),
      stray: () => this.close(),
    });
    this.#stage = "waiting";
    this.idle = true;
    if (this.#asked !== null) this.#write(this.#talk, this.#asked);
  }

  #write(talk: HttpExchange, asked: WrittenRequest): void {
    this.idle = false;
    this.#stage = "waiting";
    this.#within(this.#deadlines.headers_ms, "There was no answer in time.");
    talk.ask(asked);
  }

  /** The socket failed before it was ready; after that the talk reports failures. */
  #lose(message: string): void {
    if (this.#talk !== null) return;
    if (this.#asked === null) this.close();
    else this.#end(this.#stage === "securing" ? "tls_error" : "connect_error", message);
  }

  #within(ms: number, message: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end("timeout", message), ms);
  }

  /** Ends the request in progress: with the answer as far as it was read, or with the reason why there is none. */
  #end(code: ConnectionFailure["code"], message: string): void {
    if (this.#asked === null) return;
    clearTimeout(this.#timer);
    this.#asked = null;
    const talk = this.#talk;
    this.idle = talk?.progress === "whole" && talk.lasting && !this.#socket.destroyed;
    if (!this.idle) this.close();
    if (talk === null || talk.progress === "nothing") {
      this.#tell({ answer: null, lost: { code, message, stage: this.#stage } });
    } else this.#tell({ answer: talk.answer(), lost: null });
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

// The connections of one caller. Idle ones are kept for a while for the next request to the same peer.

const idle_ms = 15_000;
const kept_of_a_peer_max = 64;
const kept_max = 512;

interface IdleConnection {
  readonly connection: HttpConnection;
  readonly since: number;
}

/** Every connection of one caller. */
export class ConnectionPool {
  readonly #talkOver: OpenExchange;
  readonly #open = new Set<HttpConnection>();
  /** By peer, the last kept one last. */
  readonly #kept = new Map<string, IdleConnection[]>();
  #kept_count = 0;
  #tidying: ReturnType<typeof setInterval> | undefined;
  #closed = false;

  constructor(talkOver: OpenExchange) {
    this.#talkOver = talkOver;
  }

  /** A kept connection to a peer, or null. The caller has it to itself until it is kept again. */
  take(peer: ConnectionPeer): HttpConnection | null {
    const kept = this.#kept.get(nameOf(peer));
    for (let last = kept?.pop(); last !== undefined; last = kept?.pop()) {
      this.#kept_count -= 1;
      if (usable(last)) return last.connection;
      last.connection.close();
    }
    return null;
  }

  /** A new connection to a peer. Throws once all are closed. */
  dial(peer: ConnectionPeer): HttpConnection {
    if (this.#closed) throw new Error("The caller was closed.");
    const connection = new HttpConnection(peer, this.#talkOver, () => this.#open.delete(connection));
    this.#open.add(connection);
    return connection;
  }

  /** Keeps a connection for the next request to its peer if it is idle and there is room; otherwise closes it. */
  keep(peer: ConnectionPeer, connection: HttpConnection): void {
    const name = nameOf(peer);
    const kept = this.#kept.get(name) ?? [];
    if (!connection.idle || kept.length >= kept_of_a_peer_max || this.#kept_count >= kept_max) {
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
      for (const one of all) if (!left.includes(one)) one.connection.close();
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
