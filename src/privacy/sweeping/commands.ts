import type { Tx } from "../../database/store.ts";
import { openStatuses, orderStatuses } from "../../orders/status.ts";
import type { RetentionKind } from "../../retention/rules.ts";
import { saveSwept, sweptUntil } from "../../retention/store.ts";
import { eraseOrders, forgetDocuments } from "../erasure/store.ts";
import { nextDocuments, nextEnded } from "./store.ts";

const day_ms = 86_400_000;
const documents_together = 50;
const orders_together = 20;
// An order that was open, or whose return was awaited, is looked at again for so long, and so are its labels.
const again_ms = 400 * day_ms;
// What has left and was not changed for as long as the shortest time is over, whether or not anybody saw it arrive.
const ended = orderStatuses.filter((status) => !openStatuses.some((open) => open === status));

/**
 * Deletes the documents of some labels that are older than so many days and not to be used any more; null keeps all.
 * Answers whether more may be left.
 */
export async function sweepDocuments(tx: Tx, days: number | null): Promise<boolean> {
  if (days === null) return false;
  const until = tx.now - days * day_ms;
  const swept = await sweptUntil(tx, "label_documents");
  const found = await nextDocuments(tx, { from: swept - again_ms, to: until, limit: documents_together }, ended);
  await forgetDocuments(tx, found);
  const more = found.length === documents_together;
  return goOn(tx, "label_documents", more ? swept : until, more);
}

/**
 * Takes out of some orders who they were for, that have ended and were not changed for so many days; null keeps all.
 * Answers whether more may be left.
 */
export async function sweepOrders(tx: Tx, days: number | null): Promise<boolean> {
  if (days === null) return false;
  const until = tx.now - days * day_ms;
  const swept = await sweptUntil(tx, "closed_orders");
  const found = await nextEnded(tx, { from: swept - again_ms, to: until, limit: orders_together }, ended);
  if (found.length > 0) await eraseOrders(tx, found);
  const more = found.length === orders_together;
  return goOn(tx, "closed_orders", more ? swept : until, more);
}

async function goOn(tx: Tx, kind: RetentionKind, until: number, more: boolean): Promise<boolean> {
  await saveSwept(tx, kind, until);
  return more;
}
