import type { Tx } from "../../database/store.ts";
import { deleteAttempts, forgetDeliveryBodies, forgetEventBodies } from "./store.ts";

/** Forgets some of what is older than a moment: payloads and log lines. Answers whether more may be left. */
export async function forgetOld(tx: Tx, before: number, limit: number): Promise<boolean> {
  const events = await forgetEventBodies(tx, before, limit);
  const deliveries = await forgetDeliveryBodies(tx, before, limit);
  const attempts = await deleteAttempts(tx, before, limit);
  return Math.max(events, deliveries, attempts) === limit;
}
