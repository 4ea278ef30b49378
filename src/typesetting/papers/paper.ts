// A paper is what a picker or a customer holds. It is built once, as plain data, and written as PDF or as HTML.

/** How a piece of text looks; what matters most on the floor (the bin, the count) is the largest. */
export type PieceStyle = "strong" | "plain" | "quiet" | "bin" | "count";

/** A part of a cell; the pieces of a cell stand below each other. */
export type Piece =
  | { readonly kind: "text"; readonly text: string; readonly style: PieceStyle }
  /** Short texts with commas between them, each kept on one line. */
  | { readonly kind: "list"; readonly texts: readonly string[]; readonly style: PieceStyle }
  /** A bar code of this text. */
  | { readonly kind: "symbol"; readonly text: string }
  /** A square to tick off. */
  | { readonly kind: "box" };

export type Cell = readonly Piece[];

/** A column: `width` in points, or null for the one that takes what is left. */
export interface Column {
  readonly caption: string;
  readonly width: number | null;
  readonly align: "left" | "right";
}

export interface Table {
  readonly caption: string | null;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** The last row, which sums up. */
  readonly total: readonly Cell[] | null;
}

/** A caption with what belongs below it: an address, or a note. */
export interface Block {
  readonly caption: string;
  readonly lines: readonly string[];
  /** The line that matters most, as a name; null when none does. */
  readonly strong: string | null;
}

export interface Fact {
  readonly label: string;
  readonly value: string;
}

export interface Paper {
  /** What it is, as in `Pick list`. */
  readonly title: string;
  /** What it is of: an order number, or how many orders. */
  readonly name: string;
  /** The text of the bar code at its head. */
  readonly symbol: string | null;
  readonly facts: readonly Fact[];
  /** Addresses, which stand beside each other. */
  readonly blocks: readonly Block[];
  readonly notes: readonly Block[];
  readonly tables: readonly Table[];
  /** The foot of each page, before its number. */
  readonly foot: string;
  readonly sheet: PaperSize;
}

export const paperSizes = ["letter", "a4"] as const;
export type PaperSize = (typeof paperSizes)[number];

const letterCountries: readonly string[] = ["US", "CA", "MX", "PH", "CL", "CO", "VE", "GT", "CR", "PA", "DO", "SV"];

/** The paper in the printers of a country. */
export function usualPaperSize(country: string): PaperSize {
  return letterCountries.includes(country) ? "letter" : "a4";
}

/** A piece of text. */
export function textPiece(text: string, style: PieceStyle): Piece {
  return { kind: "text", text, style };
}

/** Short texts with commas between them, each kept on one line. */
export function listPiece(texts: readonly string[], style: PieceStyle): Piece {
  return { kind: "list", texts, style };
}

/** The lines of a text that may have line breaks. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/u);
}

/** As `2 units`, `1 unit`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
