// Reads HTTP/1.1 responses with llhttp, the parser inside the runtime's node:http. It is no public interface: this file
// alone touches it, and checks it before its first use. It is used because of the rate of deliveries, as a part of what
// a bare loop around node:http reaches (`bun run bench`): 0.51 to 0.57 through node:http, 0.68 to 0.74 with its parser.

/** A response, whatever its status. */
export interface ReceivedResponse {
  readonly status_code: number;
  /** By lower-case name. Repeated headers are joined by commas if they form a list. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whether the body is complete. */
  readonly complete: boolean;
}

/** The maximum size of a response's head. */
const head_bytes_max = 16 * 1024;
/** The maximum size of data before a response's head, such as interim responses. */
const early_bytes_max = 64 * 1024;

/** The parser, and the keys of its callbacks. */
interface HttpParserClass {
  new (): HttpParser;
  readonly RESPONSE: number;
  readonly kOnMessageBegin: number;
  readonly kOnHeaders: number;
  readonly kOnHeadersComplete: number;
  readonly kOnBody: number;
  readonly kOnMessageComplete: number;
}

interface HttpParser {
  [callback: number]: (...parts: never[]) => number;
  initialize(kind: number, resource: object, head_bytes_max: number): void;
  /** Parses some bytes. Returns an error if they are not HTTP. */
  execute(bytes: Uint8Array): number | ParserError;
  /** Reports the end of input. Returns an error if the response is incomplete. */
  finish(): ParserError | undefined;
}

interface ParserError extends Error {
  readonly reason?: string;
}

/** The parts of a head: version, headers, two fields of requests, status, its text, upgrade, keep-alive. */
type ParsedHead = [number, number, string[] | undefined, null, null, number, string, boolean, boolean];

/** A process, which may have the parser. */
interface Runtime {
  readonly binding?: (name: "http_parser") => unknown;
}

/** The parser of a process. Throws if it has none, or one that does not read a sample as expected. */
export function httpParserOf(runtime: object): HttpParserClass {
  try {
    const bound = (runtime as Runtime).binding?.("http_parser") as
      | { readonly HTTPParser?: HttpParserClass }
      | undefined;
    const parser = bound?.HTTPParser;
    if (parser !== undefined && readsSample(parser)) return parser;
  } catch {
    // The same as a wrong result.
  }
  throw new Error(
    `The HTTP parser of Bun ${Bun.version} does not work as Packhouse expects. Use Packhouse's own binary, or the ` +
      "version of Bun that README.md names.",
  );
}

/** Whether each callback and each result of the parser is what the reader takes it for. */
function readsSample(parser: HttpParserClass): boolean {
  const reader = new ResponseReader(parser);
  const read = (text: string) => reader.read(Buffer.from(text));
  // Above 31 headers, the parser reports them in parts.
  for (const n of [1, 100]) {
    const lines = Array.from({ length: n }, (_, at) => `X-${at}: ${at}\r\n`).join("");
    reader.expect(2, false);
    const problem =
      read("HTTP/1.1 103 Early Hints\r\nContent-Length: 9\r\n\r\n") ??
      read(`HTTP/1.1 200 OK\r\n${lines}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`);
    if (problem !== null || !reader.lasting) return false;
    const { status_code, headers, body, complete } = reader.answer();
    const are_all = Object.keys(headers).length === n + 1 && headers["x-0"] === "0";
    if (!complete || status_code !== 200 || !are_all || Buffer.from(body).toString() !== "ok") return false;
  }
  // A response that was not asked for, and a request, which is no response.
  read("HTTP/1.1 200 OK\r\n");
  return !reader.lasting && new ResponseReader(parser).read(Buffer.from("OPTIONS * HTTP/1.1\r\n")) !== null;
}

// The return values of the parser's callbacks.
const go_on = 0;
const without_body = 1;
const leave_the_rest = 2;

/** Reads one response after another, of the same connection. `expect` must be called before each. */
export class ResponseReader {
  /** The progress of the response. */
  progress: "nothing" | "head" | "whole" = "nothing";
  /** Whether the body is longer than the limit. */
  overlong = false;
  /** Whether the connection can be used again. Known when the response is complete. */
  lasting = false;
  readonly #parser: HttpParser;
  #bodyless = false;
  #body_bytes_max = 0;
  #status_code = 0;
  #lines: string[] = [];
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #early_bytes = 0;

  constructor(HTTPParser: HttpParserClass) {
    const parser = new HTTPParser();
    this.#parser = parser;
    parser.initialize(HTTPParser.RESPONSE, {}, head_bytes_max);
    parser[HTTPParser.kOnMessageBegin] = () => this.#begin();
    parser[HTTPParser.kOnHeaders] = (lines: string[]) => this.#many(lines);
    parser[HTTPParser.kOnHeadersComplete] = (...head: ParsedHead) => this.#head(head[2], head[5], head[8]);
    parser[HTTPParser.kOnBody] = (bytes: Uint8Array) => this.#body(bytes);
    parser[HTTPParser.kOnMessageComplete] = () => this.#end();
  }

  /** Prepares for the response to a request. `bodyless`: a response to HEAD has no body, whatever its headers say. */
  expect(body_bytes_max: number, bodyless: boolean): void {
    this.progress = "nothing";
    this.overlong = false;
    this.lasting = false;
    this.#bodyless = bodyless;
    this.#body_bytes_max = body_bytes_max;
    this.#lines = [];
    this.#chunks = [];
    this.#bytes = 0;
    this.#early_bytes = 0;
  }

  /** Takes received bytes. Returns why they are not HTTP, or null. */
  read(bytes: Uint8Array): string | null {
    const parsed = this.#parser.execute(bytes);
    if (parsed instanceof Error) {
      this.lasting = false;
      return parsed.reason ?? parsed.message;
    }
    if (this.progress !== "nothing") return null;
    this.#early_bytes += bytes.length;
    return this.#early_bytes > early_bytes_max ? "Too much data precedes it" : null;
  }

  /** The connection has ended, which completes a body without a length. */
  end(): void {
    this.lasting = false;
    this.#parser.finish();
  }

  /** The response read so far. Its head must be complete. */
  answer(): ReceivedResponse {
    const headers = headersOf(this.#lines);
    const body = joined(this.#chunks);
    return { status_code: this.#status_code, headers, body, complete: this.progress === "whole" && !this.overlong };
  }

  #begin(): number {
    // A response without a request: the connection is not used again.
    if (this.progress === "whole") this.lasting = false;
    return go_on;
  }

  /** The parser reports many headers in parts. */
  #many(lines: string[]): number {
    if (this.progress === "nothing") this.#lines.push(...lines);
    return go_on;
  }

  #head(lines: string[] | undefined, status_code: number, lasting: boolean): number {
    if (this.progress !== "nothing") return go_on;
    if (lines !== undefined) this.#lines = lines; // Otherwise they came in parts.
    const switches = status_code === 101;
    if (status_code >= 100 && status_code < 200 && !switches) {
      // An interim response; the final one follows.
      this.#lines = [];
      return without_body;
    }
    this.#status_code = status_code;
    this.lasting = lasting && !switches;
    this.progress = switches ? "whole" : "head";
    if (switches) return leave_the_rest;
    return this.#bodyless ? without_body : go_on;
  }

  #body(bytes: Uint8Array): number {
    if (this.progress !== "head") return go_on;
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes > this.#body_bytes_max) this.overlong = true;
    return go_on;
  }

  #end(): number {
    if (this.progress === "head") this.progress = "whole";
    return go_on;
  }
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

/** The body of a response from its chunks. */
function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array()] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : first;
}
