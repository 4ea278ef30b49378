// How a request is sent over an open socket and its response read. There are two implementations: parsed_exchange.ts
// uses the HTTP parser directly; node_exchange.ts uses node:http, for runtimes without access to the parser.
import type * as net from "node:net";

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

/** Callbacks about the progress of a request. */
export interface ExchangeListener {
  /** The head of the response was received. */
  head(): void;
  /** No more of the response will be read. `message` is the reason if it is incomplete. */
  end(message: string): void;
  /** The other side sent data without a request, or closed the connection. */
  stray(): void;
}

/** Carries one request after another over a socket. */
export interface HttpExchange {
  /** The progress of the response. */
  readonly progress: "nothing" | "head" | "whole";
  /** Whether the connection can be used again. Known when the response is complete. */
  readonly lasting: boolean;
  /** Sends a request. */
  ask(request: WrittenRequest): void;
  /** The response read so far. Its head must be complete. */
  answer(): ReceivedResponse;
}

/** Starts an exchange over an open socket, for the socket's whole life. */
export type OpenExchange = (socket: net.Socket, listener: ExchangeListener) => HttpExchange;

/** The maximum size of a response's head. */
export const head_bytes_max = 16 * 1024;
/** The maximum size of data before a response's head, such as interim responses. */
export const early_bytes_max = 64 * 1024;
/** The message when that limit is exceeded. */
export const too_early = "The response is not HTTP: Too much data precedes it.";
/** The message when the other side closes the connection. */
export const closed_early = "The connection was closed before there was a response.";

// These headers are no lists: of repeated lines the first one counts.
const single_headers = ["content-type", "date", "location", "retry-after", "server"];

/** Headers by lower-case name, from alternating names and values. */
export function headersOf(lines: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < lines.length; at += 2) {
    const name = (lines[at] ?? "").toLowerCase();
    const value = lines[at + 1] ?? "";
    if (!Object.hasOwn(headers, name)) headers[name] = value;
    else if (!single_headers.includes(name)) headers[name] += `, ${value}`;
  }
  return headers;
}

/** The body of a response from its chunks. */
export function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array()] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : first;
}
