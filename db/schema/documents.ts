import type { Actor } from "../../src/core/actor.ts";
import type { PaperSize } from "../../src/documents/document.ts";
import { type DocumentStatus, documentStatuses } from "../../src/shipping/printing/printed_document.transitions.ts";
import type {
  PrintedItem,
  PrintedRow,
  PrintSection,
  SkippedRow,
} from "../../src/shipping/printing/printed_document.ts";
import { bytes, check, id, index, int, json, oneOf, primaryKey, table, text, time, where } from "../kit.ts";
import { ownerOrOperator } from "./merchants.ts";
import { orders } from "./orders.ts";

/** Documents for many orders. They are deleted with their content after a day. */
export const documents = table(
  "documents",
  {
    id: id(),
    /** The merchant whose user or key requested it; null for the operator. */
    merchant_id: ownerOrOperator(),
    status: text().$type<DocumentStatus>().notNull(),
    format: text().$type<"pdf" | "zpl">().notNull(),
    /** What it consists of, in order. */
    sections: json<PrintSection[]>().notNull(),
    /** Null for the paper of the warehouse's country. */
    paper: text().$type<PaperSize>(),
    /** The orders, or their labels, in order. */
    items: json<PrintedItem[]>().notNull(),
    /** Steps done, of how many. */
    done: int().notNull(),
    total: int().notNull(),
    /** Null until it is completed. */
    pages: int(),
    size: int(),
    printed: json<PrintedRow[]>().notNull(),
    skipped: json<SkippedRow[]>().notNull(),
    /** Why it failed. */
    error_message: text(),
    created_by: json<Actor>().notNull(),
    created_at: time().notNull(),
    completed_at: time(),
    expires_at: time().notNull(),
    /** The end of a server's claim to draw it, when another server draws it; null when finished. */
    claimed_until: time(),
    attempts: int().notNull(),
  },
  (t) => [
    index("documents_created").on(t.created_at, t.id),
    index("documents_expired").on(t.expires_at),
    index("documents_claimed").on(t.claimed_until).where(where("claimed_until is not null")),
    oneOf("documents", "status", documentStatuses),
    check("documents_under_way", "(status = 'processing') = (claimed_until is not null)"),
    check("documents_done", "(status = 'completed') = (pages is not null and size is not null)"),
  ],
);

/** The orders that documents were requested for. */
export const document_orders = table(
  "document_orders",
  {
    document_id: int()
      .notNull()
      .references(() => documents.id),
    order_id: int()
      .notNull()
      .references(() => orders.id),
  },
  (t) => [primaryKey({ columns: [t.document_id, t.order_id] }), index("document_orders_order").on(t.order_id)],
);

/** The content of completed documents. */
export const document_chunks = table(
  "document_chunks",
  {
    document_id: int()
      .notNull()
      .references(() => documents.id),
    /** From 0. */
    position: int().notNull(),
    bytes: bytes().notNull(),
  },
  (t) => [primaryKey({ columns: [t.document_id, t.position] })],
);
