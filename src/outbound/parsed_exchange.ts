// Reads responses with llhttp, the parser of node:http, without the streams of node:http, which cost more than the rest
// of a request. Access to the parser is deprecated, so callers check first whether it is available.
import type * as net from "node:net";
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
  type WrittenRequest,
} from "./exchange.ts";

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
interface MayBind {
  readonly binding?: (name: "http_parser") => { readonly HTTPParser?: unknown } | undefined;
}

const numbers = ["RESPONSE", "kOnMessageBegin", "kOnHeaders", "kOnHeadersComplete", "kOnBody", "kOnMessageComplete"];

/** The parser of a process, or null if it has none with these callbacks. */
export function parserOf(program: unknown): HttpParserClass | null {
  try {
    const parser = (program as MayBind).binding?.("http_parser")?.HTTPParser;
    if (typeof parser !== "function") return null;
    return numbers.every((name) => typeof Reflect.get(parser, name) === "number") ? (parser as HttpParserClass) : null;
  } catch {
    return null;
  }
}

// The return values of the parser's callbacks.
const go_on = 0;
const without_body = 1;
const leave_the_rest = 2;

/** Reads one response after another. `expect` must be called before each. */
class ResponseReader {
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

/** Opens exchanges that use the parser directly, which takes less than half the time of node:http. */
export function exchangeByParser(parser: HttpParserClass): OpenExchange {
  return (socket, listener) => new ParsedExchange(new ResponseReader(parser), socket, listener);
}

class ParsedExchange implements HttpExchange {
  readonly #reader: ResponseReader;
  readonly #socket: net.Socket;
  readonly #listener: ExchangeListener;
  /** Whether a response is awaited or being read. */
  #asking = false;
  #head_reported = false;

  constructor(reader: ResponseReader, socket: net.Socket, listener: ExchangeListener) {
    this.#reader = reader;
    this.#socket = socket;
    this.#listener = listener;
    socket.on("data", (bytes: Uint8Array) => this.#read(bytes));
    socket.on("error", (error) => this.#lose(error.message));
    socket.on("end", () => this.#lose(closed_early));
    socket.on("close", () => this.#lose(closed_early));
  }

  get progress() {
    return this.#reader.progress;
  }

  get lasting() {
    return this.#reader.lasting && this.#socket.writableLength === 0;
  }

  ask({ method, path, headers, body, body_bytes_max }: WrittenRequest): void {
    this.#asking = true;
    this.#head_reported = false;
    this.#reader.expect(body_bytes_max, method === "HEAD");
    let text = `${method} ${path} HTTP/1.1\r\n`;
    for (const [name, value] of headers) text += `${name}: ${value}\r\n`;
    this.#socket.write(`${text}\r\n${body ?? ""}`);
  }

  answer() {
    return this.#reader.answer();
  }

  #read(bytes: Uint8Array): void {
    if (!this.#asking) {
      this.#listener.stray();
      return;
    }
    const problem = this.#reader.read(bytes);
    const { progress, overlong } = this.#reader;
    if (progress === "whole" || overlong || problem !== null) {
      this.#end(`The response is not HTTP: ${problem}.`);
    } else if (progress === "head" && !this.#head_reported) {
      this.#head_reported = true;
      this.#listener.head();
    }
  }

  #lose(message: string): void {
    if (this.#asking) {
      this.#reader.end();
      this.#end(message);
    } else this.#listener.stray();
  }

  #end(message: string): void {
    this.#asking = false;
    this.#listener.end(message);
  }
}
