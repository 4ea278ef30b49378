// The exchange through node:http, for runtimes without access to its parser.
import * as http from "node:http";
import type * as net from "node:net";
import { assert } from "../core/faults.ts";
import {
  closed_early,
  type ExchangeListener,
  early_bytes_max,
  type HttpExchange,
  head_bytes_max,
  headersOf,
  joined,
  type OpenExchange,
  type ReceivedResponse,
  too_early,
  type WrittenRequest,
} from "./exchange.ts";

/** Opens an exchange that uses node:http over this socket. */
export const exchangeByNode: OpenExchange = (socket, listener) => new NodeExchange(socket, listener);

/** One request in progress, and the response read so far. */
interface NodeRequest {
  readonly body_bytes_max: number;
  head: http.IncomingMessage | null;
  readonly chunks: Uint8Array[];
  body_bytes: number;
  early_bytes: number;
  whole: boolean;
  /** Why the response is incomplete. */
  message: string;
}

class NodeExchange implements HttpExchange {
  progress: HttpExchange["progress"] = "nothing";
  lasting = false;
  readonly #socket: net.Socket;
  readonly #listener: ExchangeListener;
  #exchange: NodeRequest | null = null;
  /** Whether it is in progress. */
  #asking = false;

  constructor(socket: net.Socket, listener: ExchangeListener) {
    this.#socket = socket;
    this.#listener = listener;
    socket.on("data", (bytes: Uint8Array) => this.#count(bytes));
    // While a request is in progress, node:http reports events on the request.
    const left = () => {
      if (!this.#asking) listener.stray();
    };
    for (const event of ["end", "error", "close"]) socket.on(event, left);
  }

  ask({ method, path, headers, body, body_bytes_max }: WrittenRequest): void {
    const exchange: NodeRequest = {
      body_bytes_max,
      head: null,
      chunks: [],
      body_bytes: 0,
      early_bytes: 0,
      whole: false,
      message: closed_early,
    };
    this.#exchange = exchange;
    this.#asking = true;
    this.progress = "nothing";
    this.lasting = false;
    const request = http.request({
      method,
      path,
      headers: Object.fromEntries(headers),
      setDefaultHeaders: false,
      maxHeaderSize: head_bytes_max,
      createConnection: () => this.#socket,
    });
    request.maxHeadersCount = 0;
    request.on("response", (head) => this.#begin(exchange, head));
    request.on("upgrade", (head) => {
      exchange.head = head;
      exchange.whole = true;
      this.#end(exchange, false);
    });
    request.on("error", (error) => {
      exchange.message = messageOf(error);
    });
    // Only now is the socket free for another request.
    request.on("close", () => this.#end(exchange, exchange.whole && request.shouldKeepAlive));
    request.end(body ?? undefined);
  }

  answer(): ReceivedResponse {
    const { head = null, chunks = [], whole = false } = this.#exchange ?? {};
    assert(head !== null, "the response's head was received");
    const body = joined(chunks);
    const complete = whole && body.length <= (this.#exchange?.body_bytes_max ?? 0);
    return { status_code: head.statusCode ?? 0, headers: headersOf(head.rawHeaders), body, complete };
  }

  #count(bytes: Uint8Array): void {
    const exchange = this.#exchange;
    if (!this.#asking || exchange === null) {
      this.#listener.stray();
      return;
    }
    if (exchange.head !== null) return;
    if (exchange.early_bytes > early_bytes_max) {
      exchange.message = too_early;
      this.#end(exchange, false);
    }
    exchange.early_bytes += bytes.length;
  }

  #begin(exchange: NodeRequest, head: http.IncomingMessage): void {
    exchange.head = head;
    this.progress = "head";
    this.#listener.head();
    head.on("data", (bytes: Uint8Array) => {
      exchange.chunks.push(bytes);
      exchange.body_bytes += bytes.length;
      if (exchange.body_bytes > exchange.body_bytes_max) this.#end(exchange, false);
    });
    head.on("end", () => {
      exchange.whole = head.complete;
    });
    head.on("error", () => {}); // The response is cut off, which the request reports as well.
  }

  #end(exchange: NodeRequest, lasting: boolean): void {
    if (exchange !== this.#exchange || !this.#asking) return;
    this.#asking = false;
    if (exchange.whole) this.progress = "whole";
    this.lasting = lasting;
    this.#listener.end(exchange.message);
  }
}

/** Why there is no response, in the same words as the other implementation. */
function messageOf(error: Error & { readonly code?: string; readonly reason?: string }): string {
  if (error.code?.startsWith("HPE_")) return `The response is not HTTP: ${error.reason ?? error.message}.`;
  return error.code === "ECONNRESET" ? closed_early : error.message;
}
