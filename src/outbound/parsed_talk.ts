import type * as net from "node:net";
import { AnswerReader } from "./answer_reader.ts";
import type { ParserClass } from "./http_parser.ts";
import { type Asked, closed_early, type Talk, type TalkOver, type Told } from "./talk.ts";

/** Talks with the parser alone, which takes less than half the time of node:http. */
export function talkByParser(parser: ParserClass): TalkOver {
  return (socket, told) => new ParsedTalk(new AnswerReader(parser), socket, told);
}

class ParsedTalk implements Talk {
  readonly #reader: AnswerReader;
  readonly #socket: net.Socket;
  readonly #told: Told;
  /** Whether an answer is awaited or being read. */
  #asking = false;
  #head_told = false;

  constructor(reader: AnswerReader, socket: net.Socket, told: Told) {
    this.#reader = reader;
    this.#socket = socket;
    this.#told = told;
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

  ask({ method, path, headers, body, body_bytes_max }: Asked): void {
    this.#asking = true;
    this.#head_told = false;
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
      this.#told.stray();
      return;
    }
    const problem = this.#reader.read(bytes);
    const { progress, overlong } = this.#reader;
    if (progress === "whole" || overlong || problem !== null) {
      this.#end(`The answer is not HTTP: ${problem}.`);
    } else if (progress === "head" && !this.#head_told) {
      this.#head_told = true;
      this.#told.head();
    }
  }

  #lose(message: string): void {
    if (this.#asking) {
      this.#reader.end();
      this.#end(message);
    } else this.#told.stray();
  }

  #end(message: string): void {
    this.#asking = false;
    this.#told.end(message);
  }
}
