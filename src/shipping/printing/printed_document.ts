import type { Actor } from "../../core/actor.ts";
import { iso, isoOrNull } from "../../core/clock.ts";
import { equalInConstantTime, hmacHex } from "../../core/crypto.ts";
import type { Environment } from "../../core/environment.ts";
import { wireId, wireIdOrNull } from "../../core/ids.ts";
import { hour_ms } from "../../core/time.ts";
import type { PaperSize } from "../../documents/document.ts";
import { type DocumentStatus, isDrawn } from "./printed_document.transitions.ts";

/** The kinds of pages of a document. */
export const printKinds = ["pick_list", "packing_slip", "label"] as const;
export type PrintKind = (typeof printKinds)[number];

/** How labels and slips are arranged. */
export const slipPlaces = ["separate", "beside_labels"] as const;
type SlipPlace = (typeof slipPlaces)[number];

export const printFormats = ["pdf", "zpl"] as const;
export type PrintFormat = (typeof printFormats)[number];

/** Why something was not printed. */
export const skipCodes = [
  ...["cancelled", "on_hold", "nothing_to_pick", "no_label", "label_processing", "label_failed", "label_voided"],
  ...["no_document", "unreadable_document", "return_label", "too_long"],
] as const;
export type SkipCode = (typeof skipCodes)[number];

/** Kinds that are printed together, one order after the other. */
export type PrintSection = readonly PrintKind[];

/** An order to print, or one of its labels. */
export interface PrintedItem {
  readonly order_id: number;
  readonly label_id: number | null;
}

/** What was printed for an order. */
export interface PrintedRow {
  readonly order_id: number;
  readonly order_number: string;
  readonly documents: readonly PrintKind[];
  readonly label_ids: readonly number[];
  /** How often any of it was printed before. */
  readonly reprint: number;
}

/** What was not printed for an order, and why. */
export interface SkippedRow {
  readonly order_id: number;
  readonly order_number: string;
  readonly label_id: number | null;
  readonly document: PrintKind;
  readonly code: SkipCode;
  readonly message: string;
}

/** A document for many orders, without what it printed. */
export interface PlainDocument {
  readonly id: number;
  /** Null for the operator. */
  readonly merchant_id: number | null;
  readonly status: DocumentStatus;
  readonly format: PrintFormat;
  readonly sections: readonly PrintSection[];
  /** Null for the paper of the warehouse's country. */
  readonly paper: PaperSize | null;
  readonly done: number;
  readonly total: number;
  readonly pages: number | null;
  /** Bytes. */
  readonly size: number | null;
  readonly error_message: string | null;
  readonly created_by: Actor;
  readonly created_at: number;
  readonly completed_at: number | null;
  readonly expires_at: number;
  /** The end of the claim of the server that draws it; null when finished. */
  readonly claimed_until: number | null;
  readonly attempts: number;
}

/** A document for many orders. */
export interface PrintedDocument extends PlainDocument {
  readonly items: readonly PrintedItem[];
  readonly printed: readonly PrintedRow[];
  readonly skipped: readonly SkippedRow[];
}

/** The sections of a document: the kinds in the requested order, with slips and labels in one section if requested. */
export function sectionsOf(include: readonly PrintKind[], slips: SlipPlace): PrintSection[] {
  const pair = include.filter((kind) => kind !== "pick_list");
  if (slips === "separate" || pair.length < 2) return include.map((kind) => [kind]);
  const isFirst = (kind: PrintKind) => kind === "pick_list" || kind === pair[0];
  return include.filter(isFirst).map((kind) => (kind === "pick_list" ? [kind] : pair));
}

/** How long a link to a document's content is valid. */
const link_ms = hour_ms;

/** The content of a link to a document that its signature protects. `expires` is in seconds since 1970. */
interface DocumentLink {
  readonly id: number;
  readonly mode: Environment;
  readonly expires: number;
}

/** Signs links to documents and checks their signatures. */
export interface DocumentSigner {
  readonly sign: (link: DocumentLink) => string;
  readonly isSigned: (link: DocumentLink, signature: string) => boolean;
}

/** Creates a signer with a key derived from the service's secret key. */
export function documentSigner(secret_key: Uint8Array): DocumentSigner {
  const key = hmacHex(secret_key, "links to printed documents");
  const sign = ({ id, mode, expires }: DocumentLink) => hmacHex(key, `${mode}/${id}/${expires}`);
  return { sign, isSigned: (link, signature) => equalInConstantTime(sign(link), signature) };
}

/** The inputs of a document's link: the service's origin, the signer, the environment and the present time. */
export interface DocumentContext {
  readonly origin: string;
  readonly signer: DocumentSigner;
  readonly mode: Environment;
  readonly now: number;
}

/** Returns a document as lists show it. */
export function plainDocumentView(document: PlainDocument, context: DocumentContext) {
  const { created_by, error_message } = document;
  return {
    id: wireId("document", document.id),
    merchant_id: wireIdOrNull("merchant", document.merchant_id),
    status: document.status,
    format: document.format,
    include: document.sections.flat(),
    progress: { done: document.done, total: document.total },
    pages: document.pages,
    size: document.size,
    url: linkOf(document, context),
    error: error_message === null ? null : { code: "not_drawn" as const, message: error_message },
    created_by: { type: created_by.type, id: created_by.id },
    created_at: iso(document.created_at),
    completed_at: isoOrNull(document.completed_at),
    expires_at: iso(document.expires_at),
  };
}

/** Returns a document with what it printed. */
export function documentView(document: PrintedDocument, context: DocumentContext) {
  const { printed, skipped } = document;
  return {
    ...plainDocumentView(document, context),
    printed: printed.map(({ order_id, order_number, documents, label_ids, reprint }) => ({
      order_id: wireId("order", order_id),
      order_number,
      documents,
      label_ids: label_ids.map((id) => wireId("label", id)),
      reprint,
    })),
    skipped: skipped.map(({ order_id, label_id, ...row }) => ({
      order_id: wireId("order", order_id),
      ...row,
      label_id: wireIdOrNull("label", label_id),
    })),
  };
}

/** The signed link to the content; null if there is none. */
function linkOf({ id, status, pages, expires_at }: PlainDocument, { origin, signer, mode, now }: DocumentContext) {
  if (!isDrawn(status) || pages === 0 || expires_at <= now) return null;
  const expires = Math.floor(Math.min(expires_at, now + link_ms) / 1000);
  const signature = signer.sign({ id, mode, expires });
  const path = `/v1/documents/${wireId("document", id)}/content`;
  return `${origin}${path}?mode=${mode}&expires=${expires}&signature=${signature}`;
}
