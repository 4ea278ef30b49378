// How a request is written to a socket that stands, and its answer read. There are two ways to do it: with the parser
// alone (parsed_talk.ts), and by node:http (node_talk.ts) where the parser cannot be had.
import type * as net from "node:net";

/** One request as it is written, and how its answer is read. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  /** All of them, in order. Their values have no characters that would break the lines. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | null;
  /** How much of the answer's body is read. */
  readonly body_bytes_max: number;
}

/** What was answered, whatever its status. */
export interface Answered {
  readonly status_code: number;
  /** By lower-case name; several lines of one name are joined by a comma, where that makes a list. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whether that is the whole body. */
  readonly complete: boolean;
}

/** Who is told of what becomes of a request. */
export interface Told {
  /** The head of the answer is there. */
  head(): void;
  /** The answer is read as far as it will be, or there is none; `message` says why it is not whole. */
  end(message: string): void;
  /** The other side wrote something that nobody asked for, or left. */
  stray(): void;
}

/** Carries one request after another over a socket. */
export interface Talk {
  /** How much of the answer is there. */
  readonly progress: "nothing" | "head" | "whole";
  /** Whether the other side may be asked again. Known when the answer is whole. */
  readonly lasting: boolean;
  /** Writes a request. */
  ask(asked: Asked): void;
  /** What was read of the answer. Its head must be there. */
  answer(): Answered;
}

/** A way to talk over a socket, from its standing to its end. */
export type TalkOver = (socket: net.Socket, told: Told) => Talk;

/** How long the head of an answer may be. */
export const head_bytes_max = 16 * 1024;
/** What may come before an answer's head, such as announcements of it. */
export const early_bytes_max = 64 * 1024;
/** Said of more than that. */
export const too_early = "The answer is no HTTP: Too much comes before it.";
/** Said when the other side leaves. */
export const closed_early = "The connection was closed before there was an answer.";

// Of these a further line is no item of a list: the first one counts.
const single_headers = ["content-type", "date", "location", "retry-after", "server"];

/** Headers by their lower-case names, out of lines of a name and a value in turn. */
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

/** The body of an answer out of what came of it. */
export function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array()] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : first;
}
