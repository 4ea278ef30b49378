import { acceptQuality, readAccept } from "../core/http_headers.ts";
import { dayText, localTime } from "../core/time_zone.ts";

/** What a paper may be answered as; the first is what a client gets that wants nothing else. */
export const paperFormats = ["pdf", "html", "json"] as const;
export type PaperFormat = (typeof paperFormats)[number];

const mediaTypes: Readonly<Record<PaperFormat, string>> = {
  pdf: "application/pdf",
  html: "text/html",
  json: "application/json",
};

/** The media types that stand beside JSON in the answers of a paper's route. */
export const paperMediaTypes: readonly string[] = [mediaTypes.pdf, mediaTypes.html];

/**
 * The format that an `Accept` header prefers: of equal ones the one named most exactly, then PDF before HTML before
 * JSON. A header that wants none of them gets a PDF.
 */
export function preferredFormat(accept: string | null): PaperFormat {
  const wishes = readAccept(accept);
  const ranked = paperFormats.map((format) => ({ format, ...acceptQuality(mediaTypes[format], wishes) }));
  const [best] = ranked.sort((a, b) => b.quality - a.quality || b.exactness - a.exactness);
  return best === undefined || best.quality === 0 ? "pdf" : best.format;
}

// A paper is what a picker or a customer holds. It is built once, as plain data, and written as PDF or as HTML.

/** How a piece of text looks; what matters most on the floor (the bin, the count) is the largest. */
export type PieceStyle = "strong" | "plain" | "quiet" | "bin" | "count";

/** A part of a cell; the pieces of a cell stand below each other. */
export type DocumentPiece =
  | { readonly kind: "text"; readonly text: string; readonly style: PieceStyle }
  /** Short texts with commas between them, each kept on one line. */
  | { readonly kind: "list"; readonly texts: readonly string[]; readonly style: PieceStyle }
  /** A bar code of this text. */
  | { readonly kind: "symbol"; readonly text: string }
  /** A square to tick off. */
  | { readonly kind: "box" };

export type DocumentCell = readonly DocumentPiece[];

/** A column: `width` in points, or null for the one that takes what is left. */
export interface DocumentColumn {
  readonly caption: string;
  readonly width: number | null;
  readonly align: "left" | "right";
}

export interface DocumentTable {
  readonly caption: string | null;
  readonly columns: readonly DocumentColumn[];
  readonly rows: readonly (readonly DocumentCell[])[];
  /** The last row, which sums up. */
  readonly total: readonly DocumentCell[] | null;
}

/** A caption with what belongs below it: an address, or a note. */
export interface DocumentBlock {
  readonly caption: string;
  readonly lines: readonly string[];
  /** The line that matters most, as a name; null when none does. */
  readonly strong: string | null;
}

export interface DocumentFact {
  readonly label: string;
  readonly value: string;
}

export interface PrintDocument {
  /** What it is, as in `Pick list`. */
  readonly title: string;
  /** What it is of: an order number, or how many orders. */
  readonly name: string;
  /** The text of the bar code at its head. */
  readonly symbol: string | null;
  readonly facts: readonly DocumentFact[];
  /** Addresses, which stand beside each other. */
  readonly blocks: readonly DocumentBlock[];
  readonly notes: readonly DocumentBlock[];
  readonly tables: readonly DocumentTable[];
  /** The foot of each page, before its number. */
  readonly foot: string;
  readonly sheet: PaperSize;
}

export const paperSizes = ["letter", "a4"] as const;
export type PaperSize = (typeof paperSizes)[number];

const letterCountries: readonly string[] = ["US", "CA", "MX", "PH", "CL", "CO", "VE", "GT", "CR", "PA", "DO", "SV"];

/** The paper in the printers of a country. */
export function defaultPaperSize(country: string): PaperSize {
  return letterCountries.includes(country) ? "letter" : "a4";
}

/** A piece of text. */
export function textPiece(text: string, style: PieceStyle): DocumentPiece {
  return { kind: "text", text, style };
}

/** Short texts with commas between them, each kept on one line. */
export function listPiece(texts: readonly string[], style: PieceStyle): DocumentPiece {
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

/** How a paper is printed: when and where, and on what. */
export interface PrintContext {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The IANA zone in which times are told. */
  readonly timezone: string;
  readonly sheet: PaperSize;
}

/** A moment as a clock of the zone shows it, as in `2026-01-02 14:05`. */
export function localMoment(at: number, timezone: string): string {
  const { day, minute } = localTime(at, timezone);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${dayText(day)} ${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

/** The foot of a paper: what it is and when it was printed, so that the newer of two is known. */
export function footOf(title: string, name: string, { now, timezone }: PrintContext): string {
  return `${title} ${name} · printed ${localMoment(now, timezone)} (${timezone})`;
}
