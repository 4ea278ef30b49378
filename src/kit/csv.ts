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

const formula = /^'*[=+\-@\t\r]/;

/** A cell in a form that no spreadsheet takes for a formula: what begins as one gets an apostrophe before it. */
export function safeCell(cell: Cell): Cell {
  return typeof cell === "string" && formula.test(cell) ? `'${cell}` : cell;
}

/** The text that was written by `safeCell`. */
export function plainText(text: string): string {
  return text.startsWith("'") && formula.test(text) ? text.slice(1) : text;
}

/** One row of a CSV text: the line on which it begins, and its cells; null when its quotes do not pair. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[] | null;
  /** The text of its first line. */
  readonly text: string;
}

// A row that is still open after so many lines has lost a quote.
const row_lines_max = 500;

/**
 * Reads the rows of a CSV text that comes in pieces; empty lines are passed over. A row whose quotes do not pair costs
 * its first line only: reading goes on at the next one.
 */
export async function* readCsv(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<CsvRow> {
  const waiting: string[] = [];
  let rest = "";
  let line = 1;
  const take = (ended: boolean): CsvRow[] => {
    const rows: CsvRow[] = [];
    let at = 0;
    while (at < waiting.length) {
      const lines = linesOfRow(waiting, at);
      if (lines === null && !ended && waiting.length - at < row_lines_max) break;
      const cells = lines === null ? null : cellsOf(waiting.slice(at, at + lines).join(""));
      const isEmpty = lines === 1 && /^\r?\n?$/.test(waiting[at] ?? "");
      if (!isEmpty) rows.push({ line, cells, text: waiting[at] ?? "" });
      const used = cells === null ? 1 : (lines ?? 1);
      at += used;
      line += used;
    }
    waiting.splice(0, at);
    return rows;
  };
  for await (const piece of pieces) {
    const lines = `${rest}${piece}`.split(/(?<=\n)/);
    rest = lines.at(-1)?.endsWith("\n") ? "" : (lines.pop() ?? "");
    waiting.push(...lines);
    yield* take(false);
  }
  if (rest !== "") waiting.push(rest);
  yield* take(true);
}

/** How many lines the row at a place has: until its quotes pair. Null when they do not yet. */
function linesOfRow(lines: readonly string[], at: number): number | null {
  let quotes = 0;
  for (let count = 1; count <= row_lines_max && at + count <= lines.length; count += 1) {
    quotes += lines[at + count - 1]?.match(/"/g)?.length ?? 0;
    if (quotes % 2 === 0) return count;
  }
  return null;
}

const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;

function cellsOf(row: string): string[] | null {
  const cells: string[] = [];
  cell.lastIndex = 0;
  for (;;) {
    const found = cell.exec(row);
    if (found === null) return null;
    cells.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? "");
    if (found[3] !== ",") return cells;
  }
}
