import type { Parser } from "csv-parse";
import { Fault } from "./fault.ts";
import { onFirstUse } from "./first_use.ts";

const library = onFirstUse(() => require("csv-parse") as typeof import("csv-parse"));

/** What a cell of a CSV file may hold; null is an empty cell. */
export type Cell = string | number | boolean | null;

/**
 * One record of a CSV file as RFC 4180 has it, with its line end. A text that holds a comma, a quote, a line break or
 * outer blanks stands in quotes.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(",")}\r\n`;
}

function cellText(cell: Cell): string {
  const text = cell === null ? "" : String(cell);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// What begins a formula, in every width that spreadsheets know, behind blanks and what nobody sees; and tabs and
// line ends at the beginning, which some programs drop.
const formula = /^'*(?:[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹦﹢﹣﹫]|\p{Cc})/u;

/** A cell in a form that no spreadsheet takes for a formula: what begins as one gets an apostrophe before it. */
export function safeCell(cell: Cell): Cell {
  return typeof cell === "string" && formula.test(cell) ? `'${cell}` : cell;
}

/** The text that was written by `safeCell`. */
export function plainText(text: string): string {
  return text.startsWith("'") && formula.test(text) ? text.slice(1) : text;
}

/** A row of a CSV file: the line on which it begins, and its cells; null when it cannot be read, as `problem` says. */
interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[] | null;
  readonly problem: string;
  /** The cells of its first line, whatever its quotes say: what can be told of a row that cannot be read. */
  readonly near: readonly string[];
}

/** The bytes of a file in pieces, in UTF-8. */
export type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

const row_bytes_max = 256 << 10;
const broken_max = 1000;
const piece_bytes = 16 << 10;
const line_end = 0x0a;

/**
 * Reads the rows of a CSV file; empty lines are passed over. A row that cannot be read costs its first line only:
 * reading goes on at the next one. `separatorOf` tells by the first line what stands between cells. However long the
 * file is, others get their turn in between. Refuses: validation_failed, when too many rows cannot be read.
 */
export async function* readCsv(bytes: Bytes, separatorOf = (_line: string) => ","): AsyncGenerator<CsvRow> {
  let reader: Reader | null = null;
  let head: Buffer = Buffer.alloc(0);
  for await (const whole of bytes) {
    for (let at = 0; at < whole.byteLength; at += piece_bytes) {
      const piece: Buffer = Buffer.concat([head, whole.subarray(at, at + piece_bytes)]);
      if (reader === null && firstLine(piece) === null && piece.byteLength < row_bytes_max) {
        head = piece;
        continue;
      }
      head = Buffer.alloc(0);
      reader ??= new Reader(separatorOf(firstLine(piece) ?? ""));
      yield* await reader.take(piece);
    }
  }
  reader ??= new Reader(separatorOf(head.toString()));
  yield* await reader.take(head);
  yield* await reader.end();
}

/** The first line that is not empty; null while it has no end. */
function firstLine(bytes: Buffer): string | null {
  const start = afterBlank(bytes);
  const end = bytes.indexOf(line_end, start);
  return end < 0 ? null : bytes.toString("utf8", start, end);
}

/** Where the first line that is not empty begins. */
function afterBlank(bytes: Buffer): number {
  let at = 0;
  while (bytes[at] === line_end || (bytes[at] === 0x0d && bytes[at + 1] === line_end)) at += 1;
  return at;
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(line_end); at >= 0; at = bytes.indexOf(line_end, at + 1)) lines += 1;
  return lines;
}

/** Reads by a parser, and by another one behind each row that cannot be read. */
class Reader {
  readonly #separator: string;
  #parser: Parser;
  /** What was read of since the last row. */
  #kept: Buffer = Buffer.alloc(0);
  /** Where that begins in what the parser was given. */
  #from = 0;
  #line = 1;
  /** Whether the rest of a line is passed over. */
  #passing = false;
  #broken = 0;
  #rows: CsvRow[] = [];

  constructor(separator: string) {
    this.#separator = separator;
    this.#parser = this.#begin();
  }

  /** The rows that end in this piece. */
  async take(piece: Buffer): Promise<readonly CsvRow[]> {
    let left = piece;
    while (left.byteLength > 0) {
      const problem = await this.#write(left.subarray(0, piece_bytes));
      left = left.subarray(piece_bytes);
      if (problem !== null) left = Buffer.concat([this.#passOver(problem), left]);
      // Others get their turn.
      await new Promise(setImmediate);
    }
    return this.#taken();
  }

  /** The rows that are left. */
  async end(): Promise<readonly CsvRow[]> {
    const rows: CsvRow[] = [];
    for (let problem = await this.#finish(); problem !== null; problem = await this.#finish()) {
      rows.push(...(await this.take(this.#passOver(problem))));
    }
    return [...rows, ...this.#taken()];
  }

  #taken(): readonly CsvRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  #begin(): Parser {
    this.#from = 0;
    const parser = library().parse({
      delimiter: this.#separator,
      record_delimiter: ["\r\n", "\n"],
      relax_column_count: true,
      skip_empty_lines: true,
      on_record: (cells: string[], { bytes }) => {
        const end = bytes - this.#from;
        this.#passBlank();
        this.#rows.push({ line: this.#line, cells, problem: "", near: cells });
        this.#line += linesIn(this.#kept.subarray(0, end));
        this.#drop(end);
      },
    });
    // What is wrong is learned from the writing itself.
    return parser.on("error", () => {});
  }

  #drop(bytes: number): void {
    this.#kept = this.#kept.subarray(bytes);
    this.#from += bytes;
  }

  #passBlank(): void {
    const start = afterBlank(this.#kept);
    if (start === 0) return;
    this.#line += linesIn(this.#kept.subarray(0, start));
    this.#drop(start);
  }

  /** Gives bytes to the parser, and answers what is wrong with the row that they belong to. */
  async #write(bytes: Buffer): Promise<string | null> {
    let read = bytes;
    if (this.#passing) {
      const end = bytes.indexOf(line_end);
      if (end < 0) return null;
      this.#passing = false;
      this.#line += 1;
      read = bytes.subarray(end + 1);
    }
    this.#kept = this.#kept.byteLength === 0 ? read : Buffer.concat([this.#kept, read]);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#parser.write(read, resolve);
    if (await promise) return "has quotes that do not pair";
    this.#passBlank();
    return this.#kept.byteLength > row_bytes_max
      ? `is longer than ${row_bytes_max} bytes, or its quotes do not pair`
      : null;
  }

  async #finish(): Promise<string | null> {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#parser.on("error", resolve);
    this.#parser.end(() => resolve(null));
    return (await promise) === null ? null : "has quotes that do not pair";
  }

  /** Tells of the row that cannot be read; what is behind its first line is to be read anew. */
  #passOver(problem: string): Buffer {
    this.#broken += 1;
    if (this.#broken > broken_max) {
      const message = `More than ${broken_max} rows cannot be read: their quotes do not pair, or they are too long.`;
      throw new Fault("validation_failed", `${message} Is it CSV?`);
    }
    this.#passBlank();
    const kept = this.#kept;
    const end = kept.indexOf(line_end);
    const text = kept.toString("utf8", 0, Math.min(end < 0 ? kept.byteLength : end, 1000)).replace(/\r$/, "");
    this.#rows.push({ line: this.#line, cells: null, problem, near: text.split(this.#separator) });
    this.#passing = end < 0;
    if (end >= 0) this.#line += 1;
    this.#kept = Buffer.alloc(0);
    this.#parser.destroy();
    this.#parser = this.#begin();
    return end < 0 ? Buffer.alloc(0) : kept.subarray(end + 1);
  }
}
