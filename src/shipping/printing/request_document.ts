import type { Actor } from "../../core/actor.ts";
import { Fault, invalid } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { day_ms } from "../../core/time.ts";
import { findOrderIds, unknownOrder } from "../../orders/lifecycle/order_lookup.sql.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { findLabels } from "../labels/labels.sql.ts";
import { getManifest } from "../manifests/manifests.sql.ts";
import { documentStarts } from "./printed_document.transitions.ts";
import { type PrintedDocument, type PrintedItem, sectionsOf } from "./printed_document.ts";
import { type CreateDocument, document_items_max } from "./printed_documents.schema.ts";
import { documentQueue, insertDocument, renewClaim } from "./printed_documents.sql.ts";

const lifetime_ms = day_ms;
/** A document of at most this many steps is drawn while the client waits. */
const small_max = 20;

/** A requested document, and whether this server draws it at once. A large one waits for its turn. */
interface RequestedDocument {
  readonly document: PrintedDocument;
  readonly is_small: boolean;
}

/**
 * Requests a document of orders, labels or a manifest.
 * Refuses: validation_failed, resource_missing, ambiguous_identifier.
 */
export async function requestDocument(tx: Tx, body: CreateDocument, created_by: Actor): Promise<RequestedDocument> {
  const { include, format = "pdf", slips = "separate", paper = null } = body;
  if (format === "zpl" && include.some((kind) => kind !== "label")) {
    throw invalid("format", "zpl is for labels only: request pick lists and packing slips as a PDF", "invalid_value");
  }
  const items = await itemsOf(tx, body);
  const sections = sectionsOf(include, slips);
  const total = items.length * sections.length;
  const document = await insertDocument(tx, {
    merchant_id: tx.scope.visible,
    status: documentStarts,
    format,
    sections,
    paper,
    items,
    total,
    created_by,
    expires_at: tx.now + lifetime_ms,
  });
  const is_small = items.length * include.length <= small_max;
  if (is_small) return { document: await renewClaim(tx, document, 0), is_small };
  tx.wake(documentQueue.job, tx.now);
  return { document, is_small };
}

async function itemsOf(db: Db, { order_ids, label_ids, manifest_id }: CreateDocument): Promise<PrintedItem[]> {
  const [first, ...others] = [order_ids, label_ids, manifest_id].filter((one) => one !== undefined);
  if (first === undefined || others.length > 0) {
    throw invalid("order_ids", "or label_ids or manifest_id must be given, exactly one of them", "required");
  }
  if (order_ids !== undefined) return itemsOfOrders(db, order_ids);
  if (label_ids !== undefined) return itemsOfLabels(db, label_ids, "label_ids");
  const { parcels } = await getManifest(db, manifest_id ?? "");
  if (parcels.length > document_items_max) {
    const message = `has ${parcels.length} labels, more than ${document_items_max}: use label_ids`;
    throw invalid("manifest_id", message, "too_long");
  }
  return itemsOfLabels(
    db,
    parcels.map(({ label_id }) => label_id),
    "manifest_id",
  );
}

async function itemsOfOrders(db: Db, names: readonly (string | number)[]): Promise<PrintedItem[]> {
  const ids = await findOrderIds(db, names.map(String), "order_ids");
  const found = ids.map((id, at) => {
    if (id === null) throw unknownOrder(names[at] ?? "", `order_ids[${at}]`);
    return id;
  });
  return [...new Set(found)].map((order_id) => ({ order_id, label_id: null }));
}

async function itemsOfLabels(db: Db, names: readonly (string | number)[], field: string): Promise<PrintedItem[]> {
  const ids = [...new Set(names.map((name) => readId("label", name) ?? 0))];
  const labels = new Map((await findLabels(db, ids)).map((label) => [label.id, label]));
  return ids.map((id, at) => {
    const label = labels.get(id);
    if (label !== undefined) return { order_id: label.order_id, label_id: id };
    const fields = [{ field: `${field}[${at}]`, code: "resource_missing", message: "names no label" }];
    throw new Fault("resource_missing", `No such label: ${id === 0 ? names[at] : wireId("label", id)}.`, { fields });
  });
}
