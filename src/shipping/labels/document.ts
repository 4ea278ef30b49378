import { Fault } from "../../kit/fault.ts";
import { wireId } from "../../kit/ids.ts";
import { type Drawing, type DrawingFormat, drawingFormats } from "../../typesetting/drawings/drawing.ts";
import type { PrinterResolution } from "../../typesetting/drawings/png.ts";
import type { DocumentKind, DocumentType } from "../document.ts";

/** A document that a carrier made for a label, without its bytes. */
export interface StoredDocument {
  readonly label_id: number;
  /** Position, counted from zero, in the carrier's order. */
  readonly position: number;
  readonly kind: DocumentKind;
  readonly content_type: DocumentType;
}

/** The source of a label's documents: a drawing of our own, or documents of its carrier. */
interface Printed {
  readonly id: number;
  /** The account of the carrier that made it; null for a label of our own. */
  readonly account_id: number | null;
  readonly drawing: Drawing | null;
  readonly documents: readonly StoredDocument[];
}

/** Which document is wanted. Every field is optional. */
export interface Wish {
  readonly format?: DrawingFormat | undefined;
  /** The position among the carrier's documents. */
  readonly document?: number | undefined;
  /** The resolution of a PNG, in dots per inch. */
  readonly dpi?: `${PrinterResolution}` | undefined;
}

/** A document before it is answered: still to be drawn, or stored as the carrier made it. */
export type Chosen =
  | { readonly drawing: Drawing; readonly format: DrawingFormat; readonly resolution: PrinterResolution }
  | { readonly stored: StoredDocument };

/** The content type of each format. */
export const contentTypes = {
  pdf: "application/pdf",
  png: "image/png",
  zpl: "application/zpl",
} as const satisfies Record<DrawingFormat, DocumentType>;

/** The format of a document by its type. */
export function formatOf(content_type: DocumentType): DrawingFormat {
  return drawingFormats.find((format) => contentTypes[format] === content_type) ?? "pdf";
}

/** The documents of a label as its view lists them: our own in every format, a carrier's as it made them. */
export function listedDocuments({ account_id, documents }: Omit<Printed, "id" | "drawing">) {
  if (account_id === null) return drawingFormats.map((format) => ({ kind: "label" as const, format, document: null }));
  return documents.map(({ kind, content_type, position }) => ({
    kind,
    format: formatOf(content_type),
    document: position,
  }));
}

/**
 * The requested document of a label. Without a request, the first label proper, as a PDF if there is one. Refuses:
 * resource_missing (no document, or none in that format).
 */
export function chooseDocument({ id, account_id, drawing, documents }: Printed, wish: Wish): Chosen {
  if (drawing !== null && (wish.document ?? 0) === 0) {
    const format = wish.format ?? "pdf";
    return { drawing, format, resolution: format === "png" && wish.dpi === "300" ? 300 : 203 };
  }
  const asked = documents.filter(
    ({ position, content_type }) =>
      position === (wish.document ?? position) && formatOf(content_type) === (wish.format ?? formatOf(content_type)),
  );
  const stored = asked.find(({ kind }) => kind === "label") ?? asked[0];
  if (stored !== undefined) return { stored };
  const there = listedDocuments({ account_id, documents }).map(({ format }) => format);
  const label = wireId("label", id);
  if (there.length === 0) throw new Fault("resource_missing", `${label} has no document.`);
  throw new Fault("resource_missing", `${label} has no such document. It has: ${there.join(", ")}.`);
}
