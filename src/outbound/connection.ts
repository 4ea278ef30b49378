// A connection to one address: it sends a request, reads the answer, and can then be kept for the next. Each wait has a
// limit, and certificates are always checked.
import * as net from "node:net";
import { bareHost } from "./destination.ts";
import { type Answered, type Asked, closed_early, type Talk, type TalkOver } from "./talk.ts";

/** How long each part of a request may take. */
export interface Deadlines {
  /** From the start until the connection is ready, including the lookup of the name and TLS. */
  readonly connect_ms: number;
  /** From then until the answer's headers are there. */
  readonly headers_ms: number;
  /** From then until the end of the body. */
  readonly body_ms: number;
}

/** The peer of a connection. */
export interface Peer {
  readonly address: string;
  readonly port: number;
  readonly secure: boolean;
  /** The name that the certificate must be for, as in a URL. */
  readonly hostname: string;
  /** Authorities to trust instead of the system's, in PEM. */
  readonly authorities: string | undefined;
}

/** The progress of a request: connecting with TLS, waiting for the answer, reading its body. */
type Stage = "dialling" | "securing" | "waiting" | "reading";

/** Why nothing was answered. */
export interface Lost {
  readonly code: "connect_error" | "tls_error" | "timeout";
  readonly message: string;
  readonly stage: Stage;
}

/** An answer, or why there is none. */
export type Reply = { readonly answer: Answered; readonly lost: null } | { readonly answer: null; readonly lost: Lost };

/** One connection. It is opened when it is created, and carries one request at a time. */
export class HttpConnection {
  /** Whether it is open and idle. */
  idle = false;
  readonly #socket: net.Socket;
  #talk: Talk | null = null;
  #stage: Stage = "dialling";
  /** The request in progress, its deadlines, and who waits for its reply. */
  #asked: Asked | null = null;
  #deadlines: Deadlines = { connect_ms: 0, headers_ms: 0, body_ms: 0 };
  #tell: (reply: Reply) => void = () => {};
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(peer: Peer, talkOver: TalkOver, onClosed: () => void) {
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
  ask(asked: Asked, deadlines: Deadlines): Promise<Reply> {
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

  #stand(talkOver: TalkOver): void {
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

  #write(talk: Talk, asked: Asked): void {
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
  #end(code: Lost["code"], message: string): void {
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

function dial({ address, port, secure, hostname, authorities }: Peer): net.Socket {
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
