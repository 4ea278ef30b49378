import { equalInConstantTime, hmacHex } from "../../core/crypto.ts";
import type { Environment } from "../../core/environment.ts";
import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { day_ms } from "../../core/time.ts";
import { type DrawingFormat, drawingFormats, type LabelDrawing } from "../../documents/drawing.ts";
import type { PrinterResolution } from "../../documents/render_job.ts";
import type { RateLimit } from "../../http/auth/rate_limits.ts";
import type { DocumentKind, DocumentType } from "../offer.ts";

/** A stored document of a label, without its bytes. */
export interface StoredDocument {
  readonly label_id: number;
  /** The position in the carrier's list, from zero. */
  readonly position: number;
  readonly kind: DocumentKind;
  readonly content_type: DocumentType;
}

/** The source of a label: a built-in one has no account, and was not bought elsewhere. */
interface LabelSource {
  readonly account_id: number | null;
  readonly external: boolean;
}

/** Whether a label is drawn here. Others have stored documents. */
export const isBuiltInLabel = ({ account_id, external }: LabelSource): boolean => account_id === null && !external;

/** The sources of a label's documents: our drawing, or stored documents. */
interface PrintedLabel extends LabelSource {
  readonly id: number;
  readonly drawing: LabelDrawing | null;
  readonly documents: readonly StoredDocument[];
}

/** The requested document. Every field is optional. */
export interface DocumentChoice {
  readonly format?: DrawingFormat | undefined;
  /** The position in the list of the carrier's documents. */
  readonly document?: number | undefined;
  /** The resolution of a PNG, in dots per inch. */
  readonly dpi?: `${PrinterResolution}` | undefined;
}

/** A chosen document: a drawing to render, or a stored document. */
export type ChosenDocument =
  | { readonly drawing: LabelDrawing; readonly format: DrawingFormat; readonly resolution: PrinterResolution }
  | { readonly stored: StoredDocument };

/** The content type of each format. */
export const contentTypes = {
  pdf: "application/pdf",
  png: "image/png",
  zpl: "application/zpl",
} as const satisfies Record<DrawingFormat, DocumentType>;

/** Returns the format of a document by its content type. */
export function formatOf(content_type: DocumentType): DrawingFormat {
  return drawingFormats.find((format) => contentTypes[format] === content_type) ?? "pdf";
}

/** Lists a label's documents: a built-in label in every format, or the stored documents as they are. */
export function listedDocuments({ documents, ...label }: Omit<PrintedLabel, "id" | "drawing">) {
  if (isBuiltInLabel(label))
    return drawingFormats.map((format) => ({ kind: "label" as const, format, document: null }));
  return documents.map(({ kind, content_type, position }) => ({
    kind,
    format: formatOf(content_type),
    document: position,
  }));
}

/**
 * Chooses the document that a request wants; by default the label itself, as a PDF if there is one.
 * Refuses: resource_missing.
 */
export function chooseDocument(printed: PrintedLabel, choice: DocumentChoice): ChosenDocument {
  const { id, drawing, documents } = printed;
  if (drawing !== null && (choice.document ?? 0) === 0) {
    const format = choice.format ?? "pdf";
    return { drawing, format, resolution: format === "png" && choice.dpi === "300" ? 300 : 203 };
  }
  const matches = documents.filter(
    ({ position, content_type }) =>
      position === (choice.document ?? position) &&
      formatOf(content_type) === (choice.format ?? formatOf(content_type)),
  );
  const stored = matches.find(({ kind }) => kind === "label") ?? matches[0];
  if (stored !== undefined) return { stored };
  const formats = listedDocuments(printed).map(({ format }) => format);
  const label = wireId("label", id);
  if (formats.length === 0) throw new Fault("resource_missing", `${label} has no document.`);
  throw new Fault("resource_missing", `${label} has no such document. It has: ${formats.join(", ")}.`);
}

/** The validity of a link to a label's document, in milliseconds. */
export const link_lifetime_ms = 7 * day_ms;

/** The rate limit of one link. A page with the link may be reloaded, but one label is not printed all day. */
export const linkRate: RateLimit = { per_minute: 60, burst: 30 };

/** The content of a link to a label's document that its signature protects. `expires` is in seconds since 1970. */
interface LabelLink {
  readonly label_id: number;
  readonly mode: Environment;
  readonly expires: number;
}

/** Signs links and checks their signatures. */
export interface LinkSigner {
  readonly sign: (link: LabelLink) => string;
  readonly isSigned: (link: LabelLink, signature: string) => boolean;
}

/** Creates a signer with a key derived from the service's secret key. */
export function linkSigner(secret_key: Uint8Array): LinkSigner {
  const key = hmacHex(secret_key, "links to label documents");
  const sign = ({ label_id, mode, expires }: LabelLink) => hmacHex(key, `${mode}/${label_id}/${expires}`);
  return { sign, isSigned: (link, signature) => equalInConstantTime(sign(link), signature) };
}

/** The format of a linked document and, if the carrier made several, its position. */
interface LinkedDocument {
  readonly format: string;
  readonly document: number | null;
}

/** Returns the function that creates signed links to a label's documents. One signature serves all of them. */
export function documentLinks(origin: string, link: LabelLink, signer: LinkSigner): (linked: LinkedDocument) => string {
  const path = `${origin}/v1/labels/${wireId("label", link.label_id)}`;
  const proof = `mode=${link.mode}&expires=${link.expires}&signature=${signer.sign(link)}`;
  return ({ format, document }) => {
    const which = document === null ? "" : `&document=${document}`;
    return `${path}?format=${format}${which}&${proof}`;
  };
}
