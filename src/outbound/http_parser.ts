// llhttp, the parser of node:http, as far as it is used here. Access to it is deprecated, so callers check first
// whether it is there.

/** The parser, and the numbers by which it names what it read. */
export interface ParserClass {
  new (): Parser;
  readonly RESPONSE: number;
  readonly kOnMessageBegin: number;
  readonly kOnHeaders: number;
  readonly kOnHeadersComplete: number;
  readonly kOnBody: number;
  readonly kOnMessageComplete: number;
}

export interface Parser {
  [read: number]: (...told: never[]) => number;
  initialize(kind: number, resource: object, head_bytes_max: number): void;
  /** Parses some bytes. Answers an error when they are not HTTP. */
  execute(bytes: Uint8Array): number | ParserError;
  /** Reports the end of input. Answers an error when the answer is incomplete. */
  finish(): ParserError | undefined;
}

interface ParserError extends Error {
  readonly reason?: string;
}

/** The parts of a head: version, headers, two fields of requests, status, its text, upgrade, keep-alive. */
export type Head = [number, number, string[] | undefined, null, null, number, string, boolean, boolean];

/** What may have the parser: a process. */
interface MayBind {
  readonly binding?: (name: "http_parser") => { readonly HTTPParser?: unknown } | undefined;
}

const numbers = ["RESPONSE", "kOnMessageBegin", "kOnHeaders", "kOnHeadersComplete", "kOnBody", "kOnMessageComplete"];

/** The parser of a process, or null if it has none that works as above. */
export function parserOf(program: unknown): ParserClass | null {
  try {
    const found = (program as MayBind).binding?.("http_parser")?.HTTPParser;
    if (typeof found !== "function") return null;
    return numbers.every((name) => typeof Reflect.get(found, name) === "number") ? (found as ParserClass) : null;
  } catch {
    return null;
  }
}
