import { acceptQuality, readAccept } from "../core/http_headers.ts";
import { dayText, localTime } from "../core/time_zone.ts";

/** The formats of a document. The first is the default. */
export const documentFormats = ["pdf", "html", "json"] as const;
export type DocumentFormat = (typeof documentFormats)[number];

const mediaTypes: Readonly<Record<DocumentFormat, string>> = {
  pdf: "application/pdf",
  html: "text/html",
  json: "application/json",
};

/** The media types that a document's route returns in addition to JSON. */
export const documentMediaTypes: readonly string[] = [mediaTypes.pdf, mediaTypes.html];

/**
 * The format that an `Accept` header prefers. Of equal qualities the most specific range wins, then PDF before HTML
 * before JSON. PDF if the header accepts none of them.
 */
export function preferredFormat(accept: string | null): DocumentFormat {
  const wishes = readAccept(accept);
  const ranked = documentFormats.map((format) => ({ format, ...acceptQuality(mediaTypes[format], wishes) }));
  const [best] = ranked.sort((a, b) => b.quality - a.quality || b.exactness - a.exactness);
  return best === undefined || best.quality === 0 ? "pdf" : best.format;
}

/** The style of a piece of text. What a picker needs most (bin, count) is largest. */
export type PieceStyle = "strong" | "plain" | "quiet" | "bin" | "count";

/** A part of a cell. The pieces of a cell are stacked. */
export type DocumentPiece =
  | { readonly kind: "text"; readonly text: string; readonly style: PieceStyle }
  /** Short texts, separated by commas. Each stays on one line. */
  | { readonly kind: "list"; readonly texts: readonly string[]; readonly style: PieceStyle }
  /** A barcode of this text; a large one is read from an arm's length. */
  | { readonly kind: "symbol"; readonly text: string; readonly large?: boolean }
  /** A checkbox. */
  | { readonly kind: "box" };

export type DocumentCell = readonly DocumentPiece[];

/** A column: `width` in points, or null for the one that takes the remaining width. */
export interface DocumentColumn {
  readonly caption: string;
  readonly width: number | null;
  readonly align: "left" | "right";
}

export interface DocumentTable {
  readonly caption: string | null;
  readonly columns: readonly DocumentColumn[];
  readonly rows: readonly (readonly DocumentCell[])[];
  /** The totals row. */
  readonly total: readonly DocumentCell[] | null;
}

/** A caption with lines below it: an address or a note. */
export interface DocumentBlock {
  readonly caption: string;
  readonly lines: readonly string[];
  /** The line to emphasize, such as a name; null if none. */
  readonly strong: string | null;
}

export interface DocumentFact {
  readonly label: string;
  readonly value: string;
}

/** A picture, such as a logo. */
export interface DocumentImage {
  readonly type: "png" | "jpeg";
  readonly base64: string;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

export interface PrintDocument {
  /** The logo above the title. */
  readonly logo?: DocumentImage | null;
  /** Such as `Pick list`. */
  readonly title: string;
  /** An order number, or the number of orders. */
  readonly name: string;
  /** A conspicuous mark, such as `REPRINT 2`. */
  readonly mark?: string | null;
  /** The text of the barcode in the header. */
  readonly symbol: string | null;
  readonly facts: readonly DocumentFact[];
  /** Addresses, printed side by side. */
  readonly blocks: readonly DocumentBlock[];
  readonly notes: readonly DocumentBlock[];
  readonly tables: readonly DocumentTable[];
  /** The footer of each page, before the page number. */
  readonly foot: string;
  readonly sheet: PaperSize;
}

export const paperSizes = ["letter", "a4"] as const;
export type PaperSize = (typeof paperSizes)[number];

const letterCountries: readonly string[] = ["US", "CA", "MX", "PH", "CL", "CO", "VE", "GT", "CR", "PA", "DO", "SV"];

/** The usual paper size in a country, given as its two-letter code. */
export function defaultPaperSize(country: string): PaperSize {
  return letterCountries.includes(country) ? "letter" : "a4";
}

/** A piece of text. */
export function textPiece(text: string, style: PieceStyle): DocumentPiece {
  return { kind: "text", text, style };
}

/** Short texts, separated by commas. Each stays on one line. */
export function listPiece(texts: readonly string[], style: PieceStyle): DocumentPiece {
  return { kind: "list", texts, style };
}

/** The lines of a text that may have line breaks. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/u);
}

/** The mark of a document that was printed before, so many times; null for the first print. */
export function reprintMark(prints: number): string | null {
  return prints === 0 ? null : `REPRINT ${prints}`;
}

/** A count and its noun: `2 units`, `1 unit`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** When, where and on which paper a document is printed. */
export interface PrintContext {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The IANA time zone for printed times. */
  readonly timezone: string;
  readonly sheet: PaperSize;
}

/** A time (ms) in a time zone: `2026-01-02 14:05`. */
export function localMoment(at: number, timezone: string): string {
  const { day, minute } = localTime(at, timezone);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${dayText(day)} ${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

/** The footer of a document: its title, name and time of printing. */
export function footOf(title: string, name: string, { now, timezone }: PrintContext): string {
  return `${title} ${name} · printed ${localMoment(now, timezone)} (${timezone})`;
}
