import { isUtf8 } from "node:buffer";
import type { Parser } from "csv-parse";
import { Fault } from "./faults.ts";
import { onFirstUse } from "./memoize.ts";

const library = onFirstUse(() => require("csv-parse") as typeof import("csv-parse"));

/** The value of a CSV cell; null is an empty cell. */
export type CsvCell = string | number | boolean | null;

/**
 * Formats one CSV record (RFC 4180) with its line ending. Cells that contain a comma, another separator, a quote, a
 * line break or leading or trailing whitespace are quoted.
 */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(cellText).join(",")}\r\n`;
}

function cellText(cell: CsvCell): string {
  const text = cell === null ? "" : String(cell);
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// Matches text that a spreadsheet could take for a formula: a sign in any character width, also after whitespace and
// invisible characters, and leading control characters, which some programs drop.
const formula = /^'*(?:[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹦﹢﹣﹫]|\p{Cc})/u;
const formula_sign = /[=+\-@＝＋－＠﹦﹢﹣﹫]/;
const before_sign = /[\s\p{Cc}\p{Cf}']/u;
const separators = /[;\t\r\n]/;

/**
 * Rewrites a text after each place where a reader with another separator would start a cell with a formula, even inside
 * quotes. Apostrophes before the sign do not affect these places.
 */
function mapAfterSeparators(text: string, change: (separator: string, rest: string) => string): string {
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

/** Whether a spreadsheet has shortened a long number, such as `1.23457E+12`, and lost digits. */
export const hasLostDigits = (text: string): boolean => lost_digits.test(text);

/** Whether a spreadsheet has replaced the value by an error such as `#REF!`. */
export const hasLostValue = (text: string): boolean => lost_value.test(text);

/** Whether a cell needs a leading apostrophe, which marks it as text for spreadsheets and imports. */
function needsMark(text: string): boolean {
  if (formula.test(text)) return true;
  const own = text.startsWith("'") ? text.replace(/^'+/, "") : text;
  return hasLostDigits(own) || hasLostValue(own);
}

/**
 * Escapes a cell so that no spreadsheet evaluates it as a formula: an apostrophe is put before each possible formula,
 * also after a semicolon, tab or line break, and before text that looks like a value damaged by a spreadsheet.
 */
export function safeCell(cell: CsvCell): CsvCell {
  if (typeof cell !== "string") return cell;
  const text = mapAfterSeparators(cell, (separator, rest) => `${separator}'${rest}`);
  return needsMark(cell) ? `'${text}` : text;
}

/**
 * Writes a cell of a file that was read into another file, so that a spreadsheet evaluates nothing and an import reads
 * the same. A value damaged by a spreadsheet stays recognizable as such.
 */
export function copiedCell(text: string): string {
  const isDamaged = !isMarked(text) && (hasLostDigits(text.trim()) || hasLostValue(text.trim()));
  return isDamaged || /^[+-]?[\d.,]+$/.test(text) ? text : String(safeCell(plainText(text)));
}

/** Undoes `safeCell`. */
export function plainText(text: string): string {
  const whole = mapAfterSeparators(text, (separator, rest) => separator + rest.replace(/^'/, ""));
  return isMarked(whole) ? whole.slice(1) : whole;
}

/** Whether a cell has the leading apostrophe that marks it as text. */
export function isMarked(text: string): boolean {
  return text.startsWith("'") && needsMark(text);
}

/**
 * A row of a CSV file, with the line it starts on. `cells` is null when the row cannot be read; `problem` is the
 * reason.
 */
interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[] | null;
  readonly problem: string;
  /** The cells of its first line, ignoring quotes. For a row that cannot be read, this is all that is known. */
  readonly near: readonly string[];
}

/** The bytes of a file, in chunks. */
export type ByteStream = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

const row_bytes_max = 256 << 10;
const broken_max = 1000;
const chunk_bytes = 16 << 10;
const line_end = 0x0a;

/**
 * Reads the rows of a CSV file, skipping empty lines and a first line such as `sep=;`. After a row that cannot be read,
 * reading continues on the next line. `separatorOf` picks the cell separator from the first line. Yields to other work
 * between chunks.
 * Refuses: validation_failed, when too many rows cannot be read.
 */
export async function* readCsv(bytes: ByteStream, separatorOf = (_line: string) => ","): AsyncGenerator<CsvRow> {
  let reader: CsvReader | null = null;
  let head: Buffer = Buffer.alloc(0);
  for await (const whole of bytes) {
    for (let at = 0; at < whole.byteLength; at += chunk_bytes) {
      const chunk: Buffer = Buffer.concat([head, whole.subarray(at, at + chunk_bytes)]);
      if (reader === null && firstLine(chunk) === null && chunk.byteLength < row_bytes_max) {
        head = chunk;
        continue;
      }
      head = Buffer.alloc(0);
      let rows = chunk;
      if (reader === null) ({ reader, rows } = beginReader(chunk, separatorOf));
      yield* await reader.take(rows);
    }
  }
  if (reader === null) ({ reader, rows: head } = beginReader(head, separatorOf));
  yield* await reader.take(head);
  yield* await reader.end();
}

/** Creates a reader for a file that starts with these bytes, and returns those of them that hold rows. */
function beginReader(bytes: Buffer, separatorOf: (line: string) => string): { reader: CsvReader; rows: Buffer } {
  const first = firstLine(bytes) ?? bytes.toString();
  const separator = declaredSeparator(first);
  if (separator === null) return { reader: new CsvReader(separatorOf(first), 1), rows: bytes };
  const end = bytes.indexOf(line_end, afterBlank(bytes));
  const rows = end < 0 ? Buffer.alloc(0) : bytes.subarray(end + 1);
  return { reader: new CsvReader(separator, 1 + linesIn(bytes) - linesIn(rows)), rows };
}

/** The separator that a first line such as `sep=;` declares; null when it declares none. */
function declaredSeparator(line: string): string | null {
  const [, separator = null] = /^"?sep=([,;|\t]|\\t)"?[,;|\t]*\r?$/i.exec(line) ?? [];
  return separator === "\\t" ? "\t" : separator;
}

/** The first non-empty line; null while it is incomplete. */
function firstLine(bytes: Buffer): string | null {
  const start = afterBlank(bytes);
  const end = bytes.indexOf(line_end, start);
  return end < 0 ? null : bytes.toString("utf8", start, end);
}

/** The offset of the first non-empty line. */
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

/** Parses rows. After a row that cannot be read, it starts a new parser. */
class CsvReader {
  readonly #separator: string;
  #parser: Parser;
  /** Bytes received since the last complete row. */
  #pending: Buffer = Buffer.alloc(0);
  /** The parser's byte offset at which `#pending` begins. */
  #from = 0;
  #line: number;
  /** Whether the rest of the current line is skipped. */
  #skipping = false;
  #broken_count = 0;
  #rows: CsvRow[] = [];

  constructor(separator: string, line: number) {
    this.#separator = separator;
    this.#line = line;
    this.#parser = this.#begin();
  }

  /** The rows that end in this chunk. */
  async take(chunk: Buffer): Promise<readonly CsvRow[]> {
    let rest = chunk;
    while (rest.byteLength > 0) {
      const problem = await this.#write(rest.subarray(0, chunk_bytes));
      rest = rest.subarray(chunk_bytes);
      if (problem !== null) rest = Buffer.concat([this.#skipRow(problem), rest]);
      // Yields to other work.
      await new Promise(setImmediate);
    }
    return this.#taken();
  }

  /** The remaining rows. */
  async end(): Promise<readonly CsvRow[]> {
    const rows: CsvRow[] = [];
    for (let problem = await this.#finish(); problem !== null; problem = await this.#finish()) {
      rows.push(...(await this.take(this.#skipRow(problem))));
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
        this.#skipBlank();
        this.#rows.push({ line: this.#line, cells, problem: "", near: cells });
        this.#line += linesIn(this.#pending.subarray(0, end));
        this.#drop(end);
      },
    });
    // Errors are reported by `write` and `end`.
    return parser.on("error", () => {});
  }

  #drop(bytes: number): void {
    this.#pending = this.#pending.subarray(bytes);
    this.#from += bytes;
  }

  #skipBlank(): void {
    const start = afterBlank(this.#pending);
    if (start === 0) return;
    this.#line += linesIn(this.#pending.subarray(0, start));
    this.#drop(start);
  }

  /** Passes bytes to the parser. Returns what is wrong with the current row, or null. */
  async #write(bytes: Buffer): Promise<string | null> {
    let read = bytes;
    if (this.#skipping) {
      const end = bytes.indexOf(line_end);
      if (end < 0) return null;
      this.#skipping = false;
      this.#line += 1;
      read = bytes.subarray(end + 1);
    }
    this.#pending = this.#pending.byteLength === 0 ? read : Buffer.concat([this.#pending, read]);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#parser.write(read, resolve);
    if (await promise) return "has unmatched quotes";
    this.#skipBlank();
    return this.#pending.byteLength > row_bytes_max
      ? `is longer than ${row_bytes_max} bytes or has an unmatched quote`
      : null;
  }

  async #finish(): Promise<string | null> {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#parser.on("error", resolve);
    this.#parser.end(() => resolve(null));
    return (await promise) === null ? null : "has unmatched quotes";
  }

  /** Reports the row as unreadable. Returns the bytes after its first line, which must be parsed again. */
  #skipRow(problem: string): Buffer {
    this.#broken_count += 1;
    if (this.#broken_count > broken_max) {
      const message = `More than ${broken_max} rows cannot be read: they have unmatched quotes or are too long.`;
      throw new Fault("validation_failed", `${message} Check that the file is CSV.`);
    }
    this.#skipBlank();
    const pending = this.#pending;
    const end = pending.indexOf(line_end);
    const text = pending.toString("utf8", 0, Math.min(end < 0 ? pending.byteLength : end, 1000)).replace(/\r$/, "");
    this.#rows.push({ line: this.#line, cells: null, problem, near: text.split(this.#separator) });
    this.#skipping = end < 0;
    if (end >= 0) this.#line += 1;
    this.#pending = Buffer.alloc(0);
    this.#parser.destroy();
    this.#parser = this.#begin();
    return end < 0 ? Buffer.alloc(0) : pending.subarray(end + 1);
  }
}

// The encodings that spreadsheets write. A file is converted to UTF-8 completely, or refused.

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

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

/** The encoding with a name. Refuses: unsupported_media_type. */
export function encodingNamed(name: string): Encoding {
  const encoding = encodings[name.toLowerCase()];
  if (encoding !== undefined) return encoding;
  throw new Fault("unsupported_media_type", "A CSV file must be in utf-8, utf-16 or windows-1252.");
}

/**
 * Converts a file to UTF-8 without a byte order mark. `named` is the declared encoding; null detects it from the first
 * bytes.
 * Refuses: unsupported_media_type, malformed_request.
 */
export async function* asUtf8(bytes: ByteStream, named: string | null): AsyncGenerator<Uint8Array> {
  const declared = named === null ? null : encodingNamed(named);
  const text = new TextEncoder();
  let decoder: TextDecoder | null = null;
  for await (const chunk of bytes) {
    decoder ??= new TextDecoder(encodingOf(chunk) ?? declared ?? "utf-8", { fatal: true });
    yield text.encode(decoded(decoder, chunk));
  }
  if (decoder !== null) yield text.encode(decoded(decoder));
}

function decoded(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    const way = 'Save it as "CSV UTF-8", or declare its encoding (such as charset=windows-1252).';
    const name = decoder.encoding.toUpperCase();
    throw new Fault("malformed_request", `The file is not valid ${name}. ${way}`);
  }
}

/**
 * The encoding of a file: that of its byte order mark, else UTF-16 or UTF-8 if it is valid as such, else Windows-1252.
 * Refuses: unsupported_media_type (a workbook, or another file that is not text).
 */
export function detectEncoding(bytes: Uint8Array): Encoding {
  const kind = workbooks.find(({ begins }) => begins.every((byte, at) => bytes[at] === byte));
  if (kind !== undefined) {
    const way = 'Open it, choose File > Save as, and save the sheet as "CSV UTF-8". Then upload that file';
    throw new Fault("unsupported_media_type", `The file is ${kind.what}, not CSV. ${way}.`);
  }
  return encodingOf(bytes) ?? (isUtf8(bytes) ? "utf-8" : "windows-1252");
}

const workbooks = [
  { begins: [0x50, 0x4b, 0x03, 0x04], what: "an Excel workbook (XLSX) or another ZIP file" },
  { begins: [0xd0, 0xcf, 0x11, 0xe0], what: "an old Excel workbook (XLS)" },
  { begins: [0x25, 0x50, 0x44, 0x46], what: "a PDF" },
];

/** Detects the encoding from a byte order mark, or from the zero byte of a UTF-16 character. */
function encodingOf([first, second]: Uint8Array): Encoding | null {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return "utf-16le";
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return "utf-16be";
  return first === 0xef && second === 0xbb ? "utf-8" : null;
}
