import { transition } from "../../core/transitions.ts";
import { listSlipPrints, markParcelsPrinted } from "../../orders/fulfillment/shipments.sql.ts";
import { lockPrints, markPrinted, type OrderPrint } from "../../orders/orders.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { listLabelPrints, markLabelsPrinted } from "../labels/labels.sql.ts";
import { Abandoned, DocumentDrawing, type DrawingSite } from "./document_drawing.ts";
import type { PrintLog, PrintMark } from "./print_log.ts";
import { documentTransitions } from "./printed_document.transitions.ts";
import type { PrintedDocument } from "./printed_document.ts";
import { deleteContent, lockClaim, saveDocument } from "./printed_documents.sql.ts";

/** Called in the transaction that completes a document. */
type EndDrawing = (tx: Tx, document: PrintedDocument) => Promise<void>;

/** How often a document is begun, counting servers that stopped. */
const attempts_max = 3;

/**
 * Draws a claimed document, stores it, and records what was printed. If another server took the claim over, or this one
 * shuts down, the document is left to the next one. After an error it is tried again later, and fails at the last try.
 */
export async function drawDocument(site: DrawingSite, claimed: PrintedDocument, end: EndDrawing): Promise<void> {
  const drawing = new DocumentDrawing(site, claimed);
  try {
    // Each round is drawn again only because another document was completed meanwhile, or an order erased.
    for (let is_complete = false; !is_complete; ) {
      const log = await drawing.draw();
      is_complete = await site.store.write((tx) => complete(tx, drawing.document, log, end));
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
 * Records a drawn document and its prints. Returns false if it must be drawn again: an order was erased meanwhile, or
 * printed, which makes marks wrong.
 */
async function complete(tx: Tx, document: PrintedDocument, log: PrintLog, end: EndDrawing): Promise<boolean> {
  if (!(await lockClaim(tx, document))) return true;
  const prints = log.prints(document.created_by);
  const counts = await lockPrints(
    tx,
    prints.map(({ order_id }) => order_id),
  );
  const isErased = counts.some(({ id, customer_email }) => log.emails.get(id) !== customer_email);
  if (isErased || !(await areCurrent(tx, log, counts))) return false;
  await recordPrints(tx, log, prints);
  const status = transition(documentTransitions, "complete", document.status);
  const order_ids = document.items.map(({ order_id }) => order_id);
  const result = { printed: log.rows(order_ids), skipped: log.skipped, done: document.total };
  const ended = { status, completed_at: tx.now, claimed_until: null };
  await end(tx, await saveDocument(tx, document, { ...result, ...ended, pages: document.pages, size: document.size }));
  return true;
}

/** Records what was printed for locked orders, their parcels and labels. */
export async function recordPrints(tx: Tx, log: PrintLog, prints: readonly OrderPrint[]): Promise<void> {
  await markPrinted(tx, prints);
  await markLabelsPrinted(tx, idsOf(log.labels));
  await markParcelsPrinted(tx, { labels: log.labeled_parcels, slips: idsOf(log.parcel_slips) });
}

/** Whether every mark is still right. The orders are locked, so no other document counts their prints meanwhile. */
async function areCurrent(tx: Tx, log: PrintLog, orders: Awaited<ReturnType<typeof lockPrints>>): Promise<boolean> {
  const slips = orders.map(({ id, slip_prints: prints }) => ({ id, prints }));
  const pick_lists = orders.map(({ id, pick_list_prints: prints }) => ({ id, prints }));
  const parcels = await listSlipPrints(tx, idsOf(log.parcel_slips));
  const parcel_slips = parcels.map(({ id, slip_prints: prints }) => ({ id, prints }));
  const labels = await listLabelPrints(tx, idsOf(log.labels));
  return (
    matches(log.order_slips, slips) &&
    matches(log.pick_lists, pick_lists) &&
    matches(log.parcel_slips, parcel_slips) &&
    matches(log.labels, labels)
  );
}

function matches(marks: readonly PrintMark[], counts: readonly PrintMark[]): boolean {
  const prints = new Map(counts.map((count) => [count.id, count.prints]));
  return marks.every((mark) => prints.get(mark.id) === mark.prints);
}

const idsOf = (marks: readonly PrintMark[]): number[] => marks.map(({ id }) => id);
