import { createHash } from "node:crypto";
import { symbolOf, type TextSymbol } from "./barcodes.ts";
import css from "./document.css" with { type: "text" };
import type {
  DocumentBlock,
  DocumentCell,
  DocumentColumn,
  DocumentFact,
  DocumentPiece,
  DocumentTable,
  PrintDocument,
} from "./document.ts";
import { printableLine } from "./shape_text.ts";

const css_digest = createHash("sha256").update(css).digest("base64");

/** The content security policy of a printed page: its own style, by digest, and nothing else. */
export const htmlPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${css_digest}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

/** A document as an HTML page. */
export function documentHtml(document: PrintDocument): string {
  const { title, name, mark, symbol, facts, blocks, notes, tables, foot } = document;
  return [
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)} ${escaped(name)}</title>\n<style>${css}</style>\n</head>\n<body>\n<main>`,
    logoHtml(document),
    `<header>\n<div><h1>${escaped(title)}</h1><p class="name" dir="auto">${escaped(name)}</p>${markHtml(mark)}</div>`,
    symbol === null ? "" : symbolSvg(symbol, head_modules_max, 44),
    "</header>",
    factList(facts),
    blocks.length === 0 ? "" : `<section class="blocks">${blocks.map(blockHtml).join("")}</section>`,
    ...notes.map((note) => `<section class="note">${blockHtml(note)}</section>`),
    ...tables.map(tableHtml),
    `<footer>${escaped(foot)}</footer>\n</main>\n</body>\n</html>\n`,
  ].join("\n");
}

function logoHtml({ logo }: PrintDocument): string {
  if (logo == null) return "";
  return `<img class="logo" src="data:image/${logo.type};base64,${logo.base64}" alt="">`;
}

const head_modules_max = 240;
const row_modules_max = 210;
// Also the quiet zone of barcodes: at least ten modules of one pixel each.
const cell_padding = 14;

const markHtml = (mark: string | null = null) => (mark === null ? "" : `<p><strong>${escaped(mark)}</strong></p>`);

function factList(facts: readonly DocumentFact[]): string {
  if (facts.length === 0) return "";
  const items = facts.map(({ label, value }) => {
    return `<div><dt>${escaped(label)}</dt><dd dir="auto">${escaped(value)}</dd></div>`;
  });
  return `<dl>${items.join("")}</dl>`;
}

function blockHtml({ caption, lines, strong }: DocumentBlock): string {
  const bdi = (line: string) => (line === strong ? '<bdi class="name">' : "<bdi>");
  const text = lines.map((line) => `${bdi(line)}${escaped(line)}</bdi>`).join("<br>");
  return `<div><h2>${escaped(caption)}</h2><p>${text}</p></div>`;
}

function tableHtml({ caption, columns, rows, total }: DocumentTable): string {
  const captions = columns.map((column) => `<th scope="col"${classOf(column)}>${escaped(column.caption)}</th>`);
  const row = (cells: readonly DocumentCell[]) =>
    `<tr>${cells.map((cell, at) => cellHtml(cell, columns[at])).join("")}</tr>`;
  return [
    `<table>\n<colgroup>${columns.map(colHtml).join("")}</colgroup>`,
    caption === null ? "" : `<caption dir="auto">${escaped(caption)}</caption>`,
    `<thead><tr>${captions.join("")}</tr></thead>`,
    `<tbody>\n${rows.map(row).join("\n")}\n</tbody>`,
    // A second body, because browsers repeat a table's foot on every page.
    total === null ? "" : `<tbody class="total">${row(total)}</tbody>`,
    "</table>",
  ].join("\n");
}

/** The width of a column in CSS pixels, without padding. */
function widthOf(column: DocumentColumn | undefined): number | null {
  return column == null || column.width === null ? null : Math.round((column.width * 96) / 72);
}

function colHtml(column: DocumentColumn): string {
  const width = widthOf(column);
  return width === null ? "<col>" : `<col width="${width + cell_padding}">`;
}

function classOf(column: DocumentColumn | undefined): string {
  return column?.align === "right" ? ' class="right"' : "";
}

function cellHtml(cell: DocumentCell, column: DocumentColumn | undefined): string {
  return `<td${classOf(column)}>${cell.map((piece) => pieceHtml(piece, column)).join("")}</td>`;
}

function pieceHtml(piece: DocumentPiece, column: DocumentColumn | undefined): string {
  if (piece.kind === "box") return '<div class="box"></div>';
  if (piece.kind === "symbol") {
    return symbolSvg(piece.text, widthOf(column) ?? row_modules_max, piece.large ? 64 : 28);
  }
  if (piece.kind === "list") {
    const texts = piece.texts.map((text) => `<bdi class="whole">${escaped(text)}</bdi>`);
    return `<div class="${piece.style}">${texts.join(", ")}</div>`;
  }
  return `<div class="${piece.style}" dir="auto">${escaped(piece.text)}</div>`;
}

/** A barcode as SVG, in CSS pixels. The style sheet leaves room for its quiet zones. */
function symbolSvg(text: string, modules_max: number, height: number): string {
  const symbol = symbolOf(text, modules_max);
  const svg = (kind: string, box: string, [width, tall]: readonly [number, number], data: string) =>
    `<svg class="${kind}" role="img" aria-label="${escaped(text)}" width="${width}" height="${tall}" ` +
    `viewBox="${box}" preserveAspectRatio="none" shape-rendering="crispEdges"><path d="${data}"/></svg>`;
  const { kind } = symbol;
  if (kind === "qr") {
    const side = symbol.side * 2;
    return svg(kind, `0 0 ${symbol.side} ${symbol.side}`, [side, side], squaresPath(symbol));
  }
  const data = symbol.bars.map((bar) => `M${bar.at} 0h${bar.width}v1h-${bar.width}z`).join("");
  return svg(kind, `0 0 ${symbol.width} 1`, [symbol.width, height], data);
}

function squaresPath({ rows }: TextSymbol & { kind: "qr" }): string {
  const runs = rows.flatMap((row, y) => row.map(({ at, width }) => `M${at} ${y}h${width}v1h-${width}z`));
  return runs.join("");
}

const references: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text that is safe in any HTML element or quoted attribute. */
function escaped(text: string): string {
  return printableLine(text).replaceAll(/[&<>"']/g, (character) => references[character] ?? character);
}
