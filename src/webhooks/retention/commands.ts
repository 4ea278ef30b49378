import { takeTurn } from "../../database/lease.ts";
import type { Tx } from "../../database/store.ts";
import { forgetEventBodies } from "../../outbox/store.ts";
import { payload_turn } from "../deliveries/delivery.ts";
import { forgetDeliveryBodies, nothingWaits } from "../deliveries/store.ts";
import { deleteAttempts, forgetResponses } from "../logs/store.ts";
import { deleteNotices } from "../notices/store.ts";
import { deleteRecoveries } from "../recoveries/store.ts";

const day_ms = 24 * 3_600_000;
const responses_kept_ms = 7 * day_ms;

/**
 * Deletes up to `limit` each of payloads, log entries, finished recoveries and notices older than `kept_days`, and of
 * receivers' answers older than seven days. Deliveries that wait to be sent are kept. Answers whether more may be left.
 */
export async function forgetOld(tx: Tx, kept_days: number, limit: number): Promise<boolean> {
  await takeTurn(tx, payload_turn);
  const before = tx.now - kept_days * day_ms;
  const events = await forgetEventBodies(tx, before, limit, nothingWaits);
  const deliveries = await forgetDeliveryBodies(tx, before, limit);
  const attempts = await deleteAttempts(tx, before, limit);
  const responses = await forgetResponses(tx, tx.now - responses_kept_ms, limit);
  const recoveries = await deleteRecoveries(tx, before, limit);
  const notices = await deleteNotices(tx, before, limit);
  return Math.max(events, deliveries, attempts, responses, recoveries, notices) === limit;
}
