import type { Tx } from "../../database/store.ts";
import { deleteAttempts, forgetDeliveryBodies, forgetEventBodies, forgetResponses } from "./store.ts";

const day_ms = 24 * 3_600_000;
const payloads_kept_ms = 30 * day_ms;
const responses_kept_ms = 7 * day_ms;

/**
 * Forgets up to `limit` each of payloads and log lines older than thirty days, and of receivers' answers older than
 * seven; what still waits to be sent is spared. Answers whether more may be left.
 */
export async function forgetOld(tx: Tx, limit: number): Promise<boolean> {
  const before = tx.now - payloads_kept_ms;
  const events = await forgetEventBodies(tx, before, limit);
  const deliveries = await forgetDeliveryBodies(tx, before, limit);
  const attempts = await deleteAttempts(tx, before, limit);
  const responses = await forgetResponses(tx, tx.now - responses_kept_ms, limit);
  return Math.max(events, deliveries, attempts, responses) === limit;
}
