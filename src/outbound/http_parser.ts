// llhttp, the parser behind node:http, as far as it is used here. It is reached by a door that is closing, so that what
// needs it asks first whether it is there.

/** What the parser is, and the numbers by which it calls what it read. */
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
  /** Parses some bytes. Answers an error when they are no HTTP. */
  execute(bytes: Uint8Array): number | ParserError;
  /** Tells that no more bytes come. Answers an error when the answer needs more. */
  finish(): ParserError | undefined;
}

interface ParserError extends Error {
  readonly reason?: string;
}

/** A head as told: the version, the headers, two things of requests, the status, its words, an upgrade, if it lasts. */
export type Head = [number, number, string[] | undefined, null, null, number, string, boolean, boolean];

/** What may have the parser: a process. */
interface MayBind {
  readonly binding?: (name: "http_parser") => { readonly HTTPParser?: unknown } | undefined;
}

const numbers = ["RESPONSE", "kOnMessageBegin", "kOnHeaders", "kOnHeadersComplete", "kOnBody", "kOnMessageComplete"];

/** The parser of a process, or null where there is none that can be used as above. */
export function parserOf(program: unknown): ParserClass | null {
  try {
    const found = (program as MayBind).binding?.("http_parser")?.HTTPParser;
    if (typeof found !== "function") return null;
    return numbers.every((name) => typeof Reflect.get(found, name) === "number") ? (found as ParserClass) : null;
  } catch {
    return null;
  }
}
