// Reads the answers on one connection with llhttp alone, without the streams of node:http, which cost more than the
// rest of a request.
import type { Head, Parser, ParserClass } from "./http_parser.ts";
import { type Answered, early_bytes_max, head_bytes_max, headersOf, joined } from "./talk.ts";

// What the parser's listeners report.
const go_on = 0;
const without_body = 1;
const leave_the_rest = 2;

/** Reads one answer after another. `expect` comes before each. */
export class AnswerReader {
  /** The progress of the answer. */
  progress: "nothing" | "head" | "whole" = "nothing";
  /** Whether the body is longer than the limit. */
  overlong = false;
  /** Whether the connection can be used again. Known when the answer is complete. */
  lasting = false;
  readonly #parser: Parser;
  #bodyless = false;
  #body_bytes_max = 0;
  #status_code = 0;
  #lines: string[] = [];
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #early_bytes = 0;

  constructor(HTTPParser: ParserClass) {
    const parser = new HTTPParser();
    this.#parser = parser;
    parser.initialize(HTTPParser.RESPONSE, {}, head_bytes_max);
    parser[HTTPParser.kOnMessageBegin] = () => this.#begin();
    parser[HTTPParser.kOnHeaders] = (lines: string[]) => this.#many(lines);
    parser[HTTPParser.kOnHeadersComplete] = (...told: Head) => this.#head(told[2], told[5], told[8]);
    parser[HTTPParser.kOnBody] = (bytes: Uint8Array) => this.#body(bytes);
    parser[HTTPParser.kOnMessageComplete] = () => this.#end();
  }

  /** Prepares for the answer to a request. An answer to HEAD has no body, whatever its headers say. */
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

  /** Takes received bytes. Answers why they are not HTTP, or null. */
  read(bytes: Uint8Array): string | null {
    const parsed = this.#parser.execute(bytes);
    if (parsed instanceof Error) {
      this.lasting = false;
      return parsed.reason ?? parsed.message;
    }
    if (this.progress !== "nothing") return null;
    this.#early_bytes += bytes.length;
    return this.#early_bytes > early_bytes_max ? "Too much precedes it" : null;
  }

  /** The connection has ended, which completes a body without a length. */
  end(): void {
    this.lasting = false;
    this.#parser.finish();
  }

  /** The answer read so far. Its head must be complete. */
  answer(): Answered {
    const headers = headersOf(this.#lines);
    const body = joined(this.#chunks);
    return { status_code: this.#status_code, headers, body, complete: this.progress === "whole" && !this.overlong };
  }

  #begin(): number {
    // An answer that nobody asked for: the connection is not used again.
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
