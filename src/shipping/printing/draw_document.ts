import { transition } from "../../core/transitions.ts";
import { listSlipPrints, markParcelsPrinted } from "../../orders/fulfillment/shipments.sql.ts";
import { lockPrints, markPrinted } from "../../orders/orders.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { markLabelsPrinted } from "../labels/labels.sql.ts";
import { Abandoned, DocumentDrawing, type DrawingSite } from "./document_drawing.ts";
import type { PrintLog, PrintMark } from "./print_log.ts";
import { documentTransitions } from "./printed_document.transitions.ts";
import type { PrintedDocument } from "./printed_document.ts";
import { deleteContent, lockClaim, saveDocument } from "./printed_documents.sql.ts";

/** Called in the transaction that completes a document. */
type EndDrawing = (tx: Tx, document: PrintedDocument) => Promise<void>;

/** How often a document is drawn again because its orders were printed elsewhere meanwhile. */
const redrawn_max = 3;
/** How often a document is begun, counting servers that stopped. */
const attempts_max = 3;

/**
 * Draws a claimed document, stores it, and records what was printed. If another server took the claim over, or this one
 * shuts down, the document is left to the next one. After an error it is tried again later, and fails at the last try.
 */
export async function drawDocument(site: DrawingSite, claimed: PrintedDocument, end: EndDrawing): Promise<void> {
  const drawing = new DocumentDrawing(site, claimed);
  try {
    for (let redrawn = 0; ; redrawn += 1) {
      const log = await drawing.draw();
      if (await site.store.write((tx) => complete(tx, drawing.document, log, redrawn < redrawn_max, end))) return;
    }
  } catch (error) {
    if (error instanceof Abandoned) {
      if (site.ending.aborted) await site.store.write((tx) => giveBack(tx, drawing.document));
      return;
    }
    site.log.error("a document was not drawn", { document: claimed.id, error: String(error) });
    if (claimed.attempts < attempts_max) return;
    await site.store.write(async (tx) => {
      if (await lockClaim(tx, drawing.document)) await end(tx, await failDocument(tx, drawing.document));
    });
  }
}

/** Leaves a document to the next server at once. */
async function giveBack(tx: Tx, document: PrintedDocument): Promise<void> {
  if (await lockClaim(tx, document)) await saveDocument(tx, document, { claimed_until: tx.now });
}

/** Gives up a document that could not be drawn several times, or whose servers stopped each time. */
export async function failDocument(tx: Tx, document: PrintedDocument): Promise<PrintedDocument> {
  const status = transition(documentTransitions, "fail", document.status);
  const error_message = "The document could not be drawn. Try again with fewer orders.";
  await deleteContent(tx, document.id);
  return saveDocument(tx, document, { status, error_message, claimed_until: null });
}

/** Whether a document was begun too often. */
export const isExhausted = ({ attempts }: PrintedDocument): boolean => attempts > attempts_max;

/**
 * Records a drawn document and its prints. Returns false if it must be drawn again: an order was erased meanwhile, or,
 * if `checks`, printed, which makes marks wrong.
 */
async function complete(tx: Tx, document: PrintedDocument, log: PrintLog, checks: boolean, end: EndDrawing) {
  if (!(await lockClaim(tx, document))) return true;
  const prints = log.prints(document.created_by);
  const counts = await lockPrints(
    tx,
    prints.map(({ order_id }) => order_id),
  );
  const parcels = await listSlipPrints(
    tx,
    log.parcel_slips.map(({ id }) => id),
  );
  const slips = new Map(counts.map((order) => [order.id, order.slip_prints]));
  const pick_lists = new Map(counts.map((order) => [order.id, order.pick_list_prints]));
  const isCurrent =
    areCurrent(log.order_slips, slips) &&
    areCurrent(log.pick_lists, pick_lists) &&
    areCurrent(log.parcel_slips, new Map(parcels.map((parcel) => [parcel.id, parcel.slip_prints])));
  const isErased = counts.some(({ id, customer_email }) => log.emails.get(id) !== customer_email);
  if (isErased || (checks && !isCurrent)) return false;
  await markPrinted(tx, prints);
  await markLabelsPrinted(tx, log.labels);
  await markParcelsPrinted(tx, { labels: log.labeled_parcels, slips: log.parcel_slips.map(({ id }) => id) });
  const status = transition(documentTransitions, "complete", document.status);
  const order_ids = document.items.map(({ order_id }) => order_id);
  const result = { printed: log.rows(order_ids), skipped: log.skipped, done: document.total };
  const ended = { status, completed_at: tx.now, claimed_until: null };
  await end(tx, await saveDocument(tx, document, { ...result, ...ended, pages: document.pages, size: document.size }));
  return true;
}

const areCurrent = (marks: readonly PrintMark[], prints: ReadonlyMap<number, number>) =>
  marks.every((mark) => prints.get(mark.id) === mark.prints);
