// How a request is sent over an open socket, and its answer read. There are two ways: with the parser alone
// (parsed_talk.ts), and through node:http (node_talk.ts) where the parser is not available.
import type * as net from "node:net";

/** One request as it is written, and how its answer is read. */
export interface WrittenRequest {
  readonly method: string;
  readonly path: string;
  /** All headers, in order. Their values have no characters that would break the lines. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | null;
  /** How much of the answer's body is read. */
  readonly body_bytes_max: number;
}

/** What was answered, whatever its status. */
export interface ReceivedResponse {
  readonly status_code: number;
  /** By lower-case name; several lines of one name are joined by a comma, where that makes a list. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whether the body is complete. */
  readonly complete: boolean;
}

/** Who is notified of the progress of a request. */
export interface ExchangeListener {
  /** The head of the answer is there. */
  head(): void;
  /** The answer is read as far as it will be, or there is none; `message` says why it is incomplete. */
  end(message: string): void;
  /** The other side sent something unasked, or closed the connection. */
  stray(): void;
}

/** Carries one request after another over a socket. */
export interface HttpExchange {
  /** The progress of the answer. */
  readonly progress: "nothing" | "head" | "whole";
  /** Whether the connection can be used again. Known when the answer is complete. */
  readonly lasting: boolean;
  /** Sends a request. */
  ask(asked: WrittenRequest): void;
  /** The answer read so far. Its head must be complete. */
  answer(): ReceivedResponse;
}

/** Starts a talk over an open socket, for the socket's whole life. */
export type OpenExchange = (socket: net.Socket, told: ExchangeListener) => HttpExchange;

/** The maximum length of an answer's head. */
export const head_bytes_max = 16 * 1024;
/** The maximum length of what may precede an answer's head, such as interim responses. */
export const early_bytes_max = 64 * 1024;
/** The message when more precedes it. */
export const too_early = "The answer is not HTTP: Too much precedes it.";
/** The message when the other side closes the connection. */
export const closed_early = "The connection was closed before there was an answer.";

// Further lines of these headers do not continue a list: the first one counts.
const single_headers = ["content-type", "date", "location", "retry-after", "server"];

/** Headers by their lower-case names, from lines of a name and a value in turn. */
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

/** The body of an answer from its pieces. */
export function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array()] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : first;
}
