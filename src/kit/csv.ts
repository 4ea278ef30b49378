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
