import { setImmediate } from "node:timers/promises";
import type { PDFRef } from "@cantoo/pdf-lib";
import { symbolOf, type TextSymbol } from "./barcodes.ts";
import type {
  DocumentBlock,
  DocumentCell,
  DocumentColumn,
  DocumentFact,
  DocumentImage,
  DocumentPiece,
  DocumentTable,
  PaperSize,
  PieceStyle,
  PrintDocument,
} from "./document.ts";
import { type Ink, openBook, type PageSize, type PdfBook, type PdfPageWriter, type PdfSection } from "./pdf_writer.ts";
import { printableLine, shapedWidth } from "./shape_text.ts";
import { missingFonts, openTypefaces } from "./typefaces.ts";
import { unbrokenSize, wrapList, wrapText } from "./wrap_text.ts";

/** A unit that is never split across pages: a line of text or a barcode. Its height is in points. */
interface Brick {
  readonly height: number;
  draw(leaf: PdfPageWriter, x: number, y: number): void;
}

/** A position on the pages: bricks are laid from here down, and a full page is followed by a new one. */
interface DocumentFlow {
  readonly left: number;
  readonly width: number;
  leaf: PdfPageWriter;
  y: number;
  readonly bottom: number;
  /** Starts a new page. */
  turn(): void;
}

const margin = 36;
const foot_height = 26;
const head_height = 24;

/** Opens the first page; `head` is drawn at the top of every later one. */
function openFlow(book: PdfSection, head: (leaf: PdfPageWriter) => void): DocumentFlow {
  return {
    left: margin,
    width: book.size.width - 2 * margin,
    leaf: book.turn(),
    y: margin,
    bottom: book.size.height - margin - foot_height,
    turn() {
      this.leaf = book.turn();
      head(this.leaf);
      this.y = margin + head_height;
    },
  };
}

const line_height = 1.28;
const ascent = 0.94;

/** A text wrapped to the width, one brick per line. */
function textBricks(text: string, width: number, ink: Ink, align: "left" | "right" = "left"): Brick[] {
  const line = printableLine(text);
  const size = unbrokenSize(line, { width, size: ink.size, bold: ink.bold });
  return lineBricks(wrapText(line, { width, size, bold: ink.bold }), width, { ...ink, size }, align);
}

/** Texts separated by commas, one brick per line. A text that fits the width is not broken. */
function listBricks(texts: readonly string[], width: number, ink: Ink): Brick[] {
  const lines = wrapList(texts.map(printableLine), { width, size: ink.size, bold: ink.bold });
  return lineBricks(lines, width, ink, "left");
}

function lineBricks(lines: readonly string[], width: number, ink: Ink, align: "left" | "right"): Brick[] {
  return lines.map((line) => ({
    height: ink.size * line_height,
    draw: (leaf, x, y) => leaf.text(align === "left" ? x : x + width, y + ink.size * ascent, line, ink, align),
  }));
}

/** Stacks bricks without gaps. A brick that does not fit starts a new page. */
function lay(flow: DocumentFlow, bricks: readonly Brick[], x = flow.left): void {
  for (const brick of bricks) {
    if (flow.y + brick.height > flow.bottom) flow.turn();
    brick.draw(flow.leaf, x, flow.y);
    flow.y += brick.height;
  }
}

/** Stacked bricks with a common left edge. */
interface Stack {
  readonly x: number;
  readonly bricks: readonly Brick[];
}

/** Draws stacks side by side. Those that do not fit continue side by side on the next page. */
function laySideBySide(flow: DocumentFlow, stacks: readonly Stack[], turn = () => flow.turn()): void {
  let rest = stacks;
  for (;;) {
    const start = flow.y;
    let lowest = start;
    rest = rest.map(({ x, bricks }) => {
      let y = start;
      let laid = 0;
      for (const brick of bricks) {
        if (y + brick.height > flow.bottom) break;
        brick.draw(flow.leaf, x, y);
        y += brick.height;
        laid++;
      }
      lowest = Math.max(lowest, y);
      return { x, bricks: bricks.slice(laid) };
    });
    flow.y = lowest;
    if (rest.every(({ bricks }) => bricks.length === 0)) return;
    turn();
  }
}

/** The height of the tallest stack. */
function heightOf(stacks: readonly Stack[]): number {
  return Math.max(0, ...stacks.map(({ bricks }) => bricks.reduce((sum, { height }) => sum + height, 0)));
}

const pageSizes: Readonly<Record<PaperSize, PageSize>> = {
  letter: { width: 612, height: 792 },
  a4: { width: 595, height: 842 },
};

const ink = (size: number, bold = false, gray = 0): Ink => ({ size, bold, gray });
const inks: Readonly<Record<PieceStyle, Ink>> = {
  strong: ink(10.5, true),
  plain: ink(9.5),
  quiet: ink(8.5, false, 0.35),
  bin: ink(12.5, true),
  count: ink(15, true),
};
const caption = ink(7.5, true, 0.4);
const small = ink(8, false, 0.4);

/** The number of rows laid out before the thread is yielded. */
const rows_at_once = 8;
const gap = 10;
const row_padding = 4;

/** A document as a PDF; `now` in milliseconds. */
export async function documentPdf(document: PrintDocument, now: number): Promise<Uint8Array> {
  const book = await openBook(`${document.title} ${printableLine(document.name)}`, now);
  await layDocument(book, document);
  return book.bytes();
}

/** Adds the pages of a document, which are numbered on their own. Yields the thread between rows. */
export async function layDocument(book: PdfBook, document: PrintDocument): Promise<void> {
  const { logo = null, ...rest } = document;
  const text = JSON.stringify(rest);
  await openTypefaces(text);
  const advice = missingFonts(text);
  const section = book.section(pageSizes[document.sheet]);
  const flow = openFlow(section, (leaf) => drawHead(leaf, document, section.size));
  if (logo !== null) drawLogo(flow, logo, await book.image(logo));
  drawTitle(flow, document);
  drawFacts(flow, document.facts);
  drawBlocks(flow, document.blocks);
  // Letters without a font are printed as empty boxes. A note explains why.
  const missing = advice === null ? [] : [{ caption: "Fonts", lines: [`${advice}.`], strong: null }];
  drawNotes(flow, [...missing, ...document.notes]);
  for (const table of document.tables) await drawTable(flow, table);
  numberPages(section, document);
  section.close();
}

const head_symbol_width = 250;
const head_symbol_height = 34;
const head_modules_max = 240;

const logo_max = { width: 150, height: 40 } as const;

function drawLogo(flow: DocumentFlow, { width, height }: DocumentImage, image: PDFRef): void {
  // Smaller images are not enlarged beyond 96 dpi.
  const scale = Math.min(0.75, logo_max.width / width, logo_max.height / height);
  flow.leaf.image(flow.left, flow.y, width * scale, height * scale, image);
  flow.y += height * scale + 10;
}

function drawTitle(flow: DocumentFlow, { title, name, mark, symbol }: PrintDocument): void {
  const top = flow.y;
  const column = symbol === null ? flow.width : flow.width - head_symbol_width - 16;
  const bricks = [
    ...textBricks(title, column, ink(22, true)),
    ...textBricks(name, column, ink(13)),
    ...(mark == null ? [] : textBricks(mark, column, ink(15, true))),
  ];
  laySideBySide(flow, [{ x: flow.left, bricks }]);
  if (symbol !== null) {
    const drawn = symbolOf(symbol, head_modules_max);
    const { width, module } = sizeOf(drawn, head_symbol_width, 1.2, 56);
    flow.leaf.symbol(flow.left + flow.width - width, top + 2, drawn, module, head_symbol_height);
    flow.y = Math.max(flow.y, top + 2 + heightOfSymbol(drawn, module, head_symbol_height));
  }
  flow.y += 8;
  flow.leaf.fill(flow.left, flow.y, flow.width, 1.5, 0);
  flow.y += 10;
}

/** The header of later pages, which identifies a loose sheet. */
function drawHead(leaf: PdfPageWriter, { title, name, mark }: PrintDocument, { width }: PageSize): void {
  const room = { width: width - 2 * margin, size: 9, bold: true };
  const marked = mark == null ? title : `${mark} · ${title}`;
  const [line = ""] = wrapText(`${marked} ${printableLine(name)}`, room);
  leaf.text(margin, margin + 8, line, ink(9, true));
  leaf.fill(margin, margin + 13, width - 2 * margin, 0.75, 0);
}

const facts_a_line = 4;

function drawFacts(flow: DocumentFlow, facts: readonly DocumentFact[]): void {
  const width = (flow.width - (facts_a_line - 1) * gap) / facts_a_line;
  for (let at = 0; at < facts.length; at += facts_a_line) {
    const stacks = facts.slice(at, at + facts_a_line).map(({ label, value }, index) => ({
      x: flow.left + index * (width + gap),
      bricks: [...textBricks(label.toUpperCase(), width, caption), ...textBricks(value, width, ink(10))],
    }));
    keepTogether(flow, stacks);
    flow.y += 6;
  }
  if (facts.length > 0) flow.y += 4;
}

function drawBlocks(flow: DocumentFlow, blocks: readonly DocumentBlock[]): void {
  if (blocks.length === 0) return;
  const width = (flow.width - (blocks.length - 1) * 16) / blocks.length;
  const stacks = blocks.map(({ caption: label, lines, strong }, at) => ({
    x: flow.left + at * (width + 16),
    bricks: [
      ...textBricks(label.toUpperCase(), width, caption),
      ...lines.flatMap((line) => textBricks(line, width, ink(10.5, line === strong))),
    ],
  }));
  keepTogether(flow, stacks);
  flow.y += 12;
}

function drawNotes(flow: DocumentFlow, notes: readonly DocumentBlock[]): void {
  const inner = flow.width - 12;
  for (const { caption: label, lines } of notes) {
    const bricks = [
      ...textBricks(label.toUpperCase(), inner, caption),
      ...lines.flatMap((line) => (line.trim() === "" ? [space(6)] : textBricks(line, inner, ink(10)))),
    ];
    // A bar at the left side of each line, which goes on over pages.
    const marked = bricks.map((brick) => ({
      height: brick.height,
      draw: (leaf: PdfPageWriter, x: number, y: number) => {
        leaf.fill(x, y, 2.5, brick.height, 0.6);
        brick.draw(leaf, x + 12, y);
      },
    }));
    lay(flow, marked);
    flow.y += 12;
  }
}

const space = (height: number): Brick => ({ height, draw: () => {} });

/** Stacks on one page where a page has room for them. */
function keepTogether(flow: DocumentFlow, stacks: readonly Stack[]): void {
  if (flow.y + heightOf(stacks) > flow.bottom) flow.turn();
  laySideBySide(flow, stacks);
}

/** A column in its place on the page. */
interface PlacedColumn extends Omit<DocumentColumn, "width"> {
  readonly x: number;
  readonly width: number;
}

function placed(columns: readonly DocumentColumn[], { left, width }: DocumentFlow): PlacedColumn[] {
  const fixed = columns.reduce((sum, column) => sum + (column.width ?? 0), 0);
  const free = width - fixed - (columns.length - 1) * gap;
  let x = left;
  return columns.map((column) => {
    const own = { ...column, x, width: column.width ?? free };
    x += own.width + gap;
    return own;
  });
}

async function drawTable(flow: DocumentFlow, table: DocumentTable): Promise<void> {
  const columns = placed(table.columns, flow);
  const first = table.rows[0] === undefined ? 0 : heightOf(stacksOf(table.rows[0], columns));
  if (flow.y + 50 + Math.min(first, 200) > flow.bottom) flow.turn();
  if (table.caption !== null) {
    flow.y += 4;
    lay(flow, textBricks(table.caption, flow.width, ink(12, true)));
    flow.y += 4;
  }
  drawCaptions(flow, columns);
  const turn = () => {
    flow.turn();
    drawCaptions(flow, columns);
  };
  for (const [at, row] of table.rows.entries()) {
    drawRow(flow, stacksOf(row, columns), turn);
    flow.leaf.fill(flow.left, flow.y, flow.width, 0.4, 0.7);
    if (at % rows_at_once === rows_at_once - 1) await setImmediate();
  }
  if (table.total !== null) {
    flow.leaf.fill(flow.left, flow.y, flow.width, 1, 0);
    drawRow(flow, stacksOf(table.total, columns), turn);
  }
  flow.y += 14;
}

function drawCaptions(flow: DocumentFlow, columns: readonly PlacedColumn[]): void {
  const stacks = columns.map(({ x, width, align, caption: label }) => ({
    x,
    bricks: textBricks(label.toUpperCase(), width, caption, align),
  }));
  laySideBySide(flow, stacks);
  flow.y += 3;
  flow.leaf.fill(flow.left, flow.y, flow.width, 1, 0);
}

/** A row, whole on one page where any page has room for it. */
function drawRow(flow: DocumentFlow, stacks: readonly Stack[], turn: () => void): void {
  const height = heightOf(stacks) + 2 * row_padding;
  if (flow.y + height > flow.bottom) turn();
  flow.y += row_padding;
  laySideBySide(flow, stacks, turn);
  flow.y += row_padding;
}

function stacksOf(cells: readonly DocumentCell[], columns: readonly PlacedColumn[]): Stack[] {
  return cells.map((cell, at) => {
    const { x = 0, width = 0, align = "left" } = columns[at] ?? {};
    return { x, bricks: cell.flatMap((piece) => bricksOf(piece, width, align)) };
  });
}

// The least that hand scanners want: a quarter of an inch.
const symbol_height = 18;
const box_side = 13;

function bricksOf(piece: DocumentPiece, width: number, align: "left" | "right"): Brick[] {
  switch (piece.kind) {
    case "text":
      return textBricks(piece.text, width, inks[piece.style], align);
    case "list":
      return listBricks(piece.texts, width, inks[piece.style]);
    case "box":
      return [{ height: box_side + 2, draw: (leaf, x, y) => leaf.frame(x + 1, y + 1, box_side, box_side, 1) }];
    case "symbol": {
      if (piece.large) return [largeSymbol(piece.text, width)];
      const symbol = symbolOf(piece.text, Math.floor(width / least_module));
      // The gaps between the columns, ten modules of a point, are its quiet zones; squares want them all around.
      const module = symbol.kind === "qr" ? Math.min(1.25, 48 / symbol.side) : Math.min(1, width / symbol.width);
      const above = symbol.kind === "code128" ? 2 : 4 * module;
      const height = heightOfSymbol(symbol, module, symbol_height) + 4;
      return [{ height, draw: (leaf, x, y) => leaf.symbol(x, y + above, symbol, module, symbol_height) }];
    }
  }
}

const large_height = 46;

/** A barcode with its quiet zones on the right, where another column may follow. */
function largeSymbol(text: string, width: number): Brick {
  const symbol = symbolOf(text, Math.floor(width / least_module) - 20);
  const { module } = sizeOf(symbol, width, 1.6, large_height);
  const height = heightOfSymbol(symbol, module, large_height) + 8;
  return { height, draw: (leaf, x, y) => leaf.symbol(x, y + 4, symbol, module, large_height) };
}

/** The thinnest bar that the scanners of a warehouse read from an office printer: a quarter of a millimetre. */
const least_module = 0.71;

/** The size of a symbol: as large as the width allows with its quiet zones, up to a module or the side of a square. */
function sizeOf(symbol: TextSymbol, width: number, module_max: number, side_max: number) {
  if (symbol.kind === "qr") {
    const module = Math.min(1.6, side_max / symbol.side);
    return { module, width: symbol.side * module };
  }
  const module = Math.min(module_max, width / (symbol.width + 20));
  return { module, width: symbol.width * module };
}

function heightOfSymbol(symbol: TextSymbol, module: number, height: number): number {
  return symbol.kind === "qr" ? symbol.side * module + 8 * module : height;
}

function numberPages(book: PdfSection, { foot }: PrintDocument): void {
  const y = book.size.height - margin;
  for (const [at, leaf] of book.leaves.entries()) {
    const number = `Page ${at + 1} of ${book.leaves.length}`;
    const width = book.size.width - 2 * margin - shapedWidth(number, small.size, small.bold) - 16;
    const [line = ""] = wrapText(printableLine(foot), { width, size: small.size, bold: small.bold });
    leaf.text(margin, y, line, small);
    leaf.text(book.size.width - margin, y, number, small, "right");
  }
}
