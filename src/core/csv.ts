import type { Parser } from "csv-parse";
import { Fault } from "./faults.ts";
import { onFirstUse } from "./memoize.ts";

const library = onFirstUse(() => require("csv-parse") as typeof import("csv-parse"));

/** What a cell of a CSV file may hold; null is an empty cell. */
export type CsvCell = string | number | boolean | null;

/**
 * One record of a CSV file as RFC 4180 has it, with its line end. A text that holds a comma, another separator, a
 * quote, a line break or outer blanks stands in quotes.
 */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(cellText).join(",")}\r\n`;
}

function cellText(cell: CsvCell): string {
  const text = cell === null ? "" : String(cell);
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// What begins a formula, in every width that spreadsheets know, behind blanks and what nobody sees; and tabs and
// line ends at the beginning, which some programs drop.
const formula = /^'*(?:[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹦﹢﹣﹫]|\p{Cc})/u;
const formula_sign = /[=+\-@＝＋－＠﹦﹢﹣﹫]/;
const before_sign = /[\s\p{Cc}\p{Cf}']/u;
const separators = /[;\t\r\n]/;

/**
 * Changes a text behind each place where a reader that takes another separator would begin a cell with a formula, also
 * where the text stands in quotes. Apostrophes before the sign change nothing about which places these are.
 */
function changedAtSigns(text: string, change: (separator: string, rest: string) => string): string {
  if (!separators.test(text)) return text;
  const letters = [...text];
  let [leads, end, changed] = [false, letters.length, ""];
  for (let at = letters.length - 1; at >= 0; at -= 1) {
    const letter = letters[at] ?? "";
    if (leads && separators.test(letter)) {
      changed = change(letter, letters.slice(at + 1, end).join("")) + changed;
      end = at;
    }
    leads = formula_sign.test(letter) || (leads && before_sign.test(letter));
  }
  return letters.slice(0, end).join("") + changed;
}

const lost_digits = /^[+-]?(?:\d(?:[.,]\d+)?E\+|\d[.,]\d+E-)\d{2,3}$/i;
const lost_value = /^#(?:N\/A|REF!|NAME\?|VALUE!|DIV\/0!|NUM!|NULL!|#+)$/i;

/** Whether a spreadsheet has shortened a long number, such as `1.23457E+12`: its digits are lost. */
export const hasLostDigits = (text: string): boolean => lost_digits.test(text);

/** Whether a spreadsheet wrote an error such as `#REF!` in place of a value. */
export const hasLostValue = (text: string): boolean => lost_value.test(text);

/** Whether a cell gets an apostrophe before it, by which spreadsheets and imports know that it is text. */
function needsMark(text: string): boolean {
  if (formula.test(text)) return true;
  const own = text.startsWith("'") ? text.replace(/^'+/, "") : text;
  return hasLostDigits(own) || hasLostValue(own);
}

/**
 * A cell in a form that no spreadsheet takes for a formula: what begins as one gets an apostrophe before it, also
 * behind a semicolon, a tab or a line break. So does text that looks like a value that a spreadsheet has destroyed.
 */
export function safeCell(cell: CsvCell): CsvCell {
  if (typeof cell !== "string") return cell;
  const text = changedAtSigns(cell, (separator, rest) => `${separator}'${rest}`);
  return needsMark(cell) ? `'${text}` : text;
}

/** The text that was written by `safeCell`. */
export function plainText(text: string): string {
  const whole = changedAtSigns(text, (separator, rest) => separator + rest.replace(/^'/, ""));
  return isMarked(whole) ? whole.slice(1) : whole;
}

/** Whether a cell has the apostrophe before it that marks it as text. */
export function isMarked(text: string): boolean {
  return text.startsWith("'") && needsMark(text);
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
export type ByteStream = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

const row_bytes_max = 256 << 10;
const broken_max = 1000;
const piece_bytes = 16 << 10;
const line_end = 0x0a;

/**
 * Reads the rows of a CSV file; empty lines are passed over, and so is a first line such as `sep=;`. A row that cannot
 * be read costs its first line only: reading goes on at the next one. `separatorOf` tells by the first line what
 * separates cells. However long the file is, others get their turn in between. Refuses: validation_failed, when too
 * many rows cannot be read.
 */
export async function* readCsv(bytes: ByteStream, separatorOf = (_line: string) => ","): AsyncGenerator<CsvRow> {
  let reader: CsvReader | null = null;
  let head: Buffer = Buffer.alloc(0);
  for await (const whole of bytes) {
    for (let at = 0; at < whole.byteLength; at += piece_bytes) {
      const piece: Buffer = Buffer.concat([head, whole.subarray(at, at + piece_bytes)]);
      if (reader === null && firstLine(piece) === null && piece.byteLength < row_bytes_max) {
        head = piece;
        continue;
      }
      head = Buffer.alloc(0);
      let rows = piece;
      if (reader === null) ({ reader, rows } = begun(piece, separatorOf));
      yield* await reader.take(rows);
    }
  }
  if (reader === null) ({ reader, rows: head } = begun(head, separatorOf));
  yield* await reader.take(head);
  yield* await reader.end();
}

/** A reader for a file that begins with these bytes, and those of them that hold rows. */
function begun(bytes: Buffer, separatorOf: (line: string) => string): { reader: CsvReader; rows: Buffer } {
  const first = firstLine(bytes) ?? bytes.toString();
  const separator = declaredSeparator(first);
  if (separator === null) return { reader: new CsvReader(separatorOf(first), 1), rows: bytes };
  const end = bytes.indexOf(line_end, afterBlank(bytes));
  const rows = end < 0 ? Buffer.alloc(0) : bytes.subarray(end + 1);
  return { reader: new CsvReader(separator, 1 + linesIn(bytes) - linesIn(rows)), rows };
}

/** The separator that a first line such as `sep=;` declares; null where it is none. */
function declaredSeparator(line: string): string | null {
  const [, separator = null] = /^"?sep=([,;|\t]|\\t)"?[,;|\t]*\r?$/i.exec(line) ?? [];
  return separator === "\\t" ? "\t" : separator;
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
class CsvReader {
  readonly #separator: string;
  #parser: Parser;
  /** What was read of since the last row. */
  #kept: Buffer = Buffer.alloc(0);
  /** Where that begins in what the parser was given. */
  #from = 0;
  #line: number;
  /** Whether the rest of a line is passed over. */
  #passing = false;
  #broken = 0;
  #rows: CsvRow[] = [];

  constructor(separator: string, line: number) {
    this.#separator = separator;
    this.#line = line;
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

// The encodings of files that spreadsheets write. All of a file is read as UTF-8, or refused.

type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

const encodings: Readonly<Record<string, Encoding>> = {
  "utf-8": "utf-8",
  utf8: "utf-8",
  "us-ascii": "utf-8",
  "utf-16": "utf-16le",
  "utf-16le": "utf-16le",
  "utf-16be": "utf-16be",
  "windows-1252": "windows-1252",
  "iso-8859-1": "windows-1252",
  latin1: "windows-1252",
};

/**
 * A file in UTF-8, without a byte order mark. `named` is its encoding if it was given; null when it is detected from
 * the first bytes. Refuses: unsupported_media_type, malformed_request.
 */
export async function* asUtf8(bytes: ByteStream, named: string | null): AsyncGenerator<Uint8Array> {
  const said = named === null ? null : encodings[named.toLowerCase()];
  if (said === undefined) {
    throw new Fault("unsupported_media_type", "A file of CSV can be in utf-8, utf-16 or windows-1252.");
  }
  const text = new TextEncoder();
  let decoder: TextDecoder | null = null;
  for await (const piece of bytes) {
    decoder ??= new TextDecoder(encodingOf(piece) ?? said ?? "utf-8", { fatal: true });
    yield text.encode(decoded(decoder, piece));
  }
  if (decoder !== null) yield text.encode(decoded(decoder));
}

function decoded(decoder: TextDecoder, piece?: Uint8Array): string {
  try {
    return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch {
    const way = 'Save it as "CSV UTF-8", or name its encoding (such as charset=windows-1252).';
    const name = decoder.encoding.toUpperCase();
    throw new Fault("malformed_request", `The file is not valid ${name}. ${way}`);
  }
}

/** What the first bytes show: a byte order mark, or the empty half of a letter in UTF-16. */
function encodingOf([first, second]: Uint8Array): Encoding | null {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return "utf-16le";
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return "utf-16be";
  return first === 0xef && second === 0xbb ? "utf-8" : null;
}
