import { equalInConstantTime, hmacHex } from "../../core/crypto.ts";
import type { Environment } from "../../core/environment.ts";
import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { type DrawingFormat, drawingFormats, type LabelDrawing } from "../../documents/drawing.ts";
import type { PrinterResolution } from "../../documents/render_job.ts";
import type { RateLimit } from "../../http/auth/rate_limits.ts";
import type { DocumentKind, DocumentType } from "../offer.ts";

/** A document that a carrier made for a label, without its bytes. */
export interface StoredDocument {
  readonly label_id: number;
  /** Position, counted from zero, in the carrier's order. */
  readonly position: number;
  readonly kind: DocumentKind;
  readonly content_type: DocumentType;
}

/** The source of a label's documents: a drawing of our own, or documents of its carrier. */
interface PrintedLabel {
  readonly id: number;
  /** The account of the carrier that made it; null for a label of our own. */
  readonly account_id: number | null;
  readonly drawing: LabelDrawing | null;
  readonly documents: readonly StoredDocument[];
}

/** Which document is wanted. Every field is optional. */
export interface DocumentChoice {
  readonly format?: DrawingFormat | undefined;
  /** The position among the carrier's documents. */
  readonly document?: number | undefined;
  /** The resolution of a PNG, in dots per inch. */
  readonly dpi?: `${PrinterResolution}` | undefined;
}

/** A document before it is answered: still to be drawn, or stored as the carrier made it. */
export type ChosenDocument =
  | { readonly drawing: LabelDrawing; readonly format: DrawingFormat; readonly resolution: PrinterResolution }
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
export function listedDocuments({ account_id, documents }: Omit<PrintedLabel, "id" | "drawing">) {
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
export function chooseDocument(
  { id, account_id, drawing, documents }: PrintedLabel,
  wish: DocumentChoice,
): ChosenDocument {
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

/** How long the link to a label's document stays valid, in milliseconds. */
export const link_lifetime_ms = 7 * 86_400_000;

/** How often one link may be followed: a page with it may be reloaded, but nobody prints one label all day. */
export const linkRate: RateLimit = { per_minute: 60, burst: 30 };

/** What a link to a label's document says and its signature protects. `expires` is in seconds since 1970. */
interface LabelLink {
  readonly label_id: number;
  readonly mode: Environment;
  readonly expires: number;
}

/** Creates and checks the signatures of links, with a key of their own. */
export interface LinkSigner {
  readonly sign: (link: LabelLink) => string;
  readonly isSigned: (link: LabelLink, signature: string) => boolean;
}

/** Signs links with a key derived from the service's secret. */
export function linkSigner(secret_key: Uint8Array): LinkSigner {
  const key = hmacHex(secret_key, "links to label documents");
  const sign = ({ label_id, mode, expires }: LabelLink) => hmacHex(key, `${mode}/${label_id}/${expires}`);
  return { sign, isSigned: (link, signature) => equalInConstantTime(sign(link), signature) };
}

/** What a link leads to: a format and, if the carrier made several documents, which one. */
interface LinkedDocument {
  readonly format: string;
  readonly document: number | null;
}

/** The address of a label's document, which needs no key. One signature serves all documents of a label. */
export function documentLinks(origin: string, link: LabelLink, signer: LinkSigner): (linked: LinkedDocument) => string {
  const path = `${origin}/v1/labels/${wireId("label", link.label_id)}`;
  const proof = `mode=${link.mode}&expires=${link.expires}&signature=${signer.sign(link)}`;
  return ({ format, document }) => {
    const which = document === null ? "" : `&document=${document}`;
    return `${path}?format=${format}${which}&${proof}`;
  };
}
