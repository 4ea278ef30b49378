import type { Tx } from "../../database/store.ts";
import { allocateClaim } from "../../inventory/claims/commands.ts";
import type { Allotment } from "../../inventory/reservations/reasons.ts";
import type { Actor } from "../../kit/actor.ts";
import { settleHolds } from "../holds/commands.ts";
import type { Order } from "../order.ts";
import { refusal } from "../rules.ts";
import { isUnpacked } from "../status.ts";
import { getOrder, lockOrder, saveOrder } from "../store.ts";

/**
 * Chooses stock anew for the units of an order that are not picked yet, also where units were missing before, and tells
 * why it was chosen. Of the holds only a short pick's allows it, and is lifted when nothing is short any more.
 * Refuses: resource_missing, invalid_state_transition (nothing of it is to be picked any more, or it is on hold).
 */
export async function allocateOrder(
  tx: Tx,
  id: string,
  actor: Actor,
): Promise<{ readonly order: Order; readonly allotments: readonly Allotment[] }> {
  const before = await lockOrder(tx, id);
  if (before.holds.some(({ reason }) => reason !== "short_pick")) throw refusal(before, "allocate");
  if (!isUnpacked(before.status)) {
    throw refusal(before, "allocate", "nothing of it is to be picked any more");
  }
  const { allotments, changed } = await allocateClaim(tx, before.id);
  const order = await getOrder(tx, before.id);
  if (!changed) return { order, allotments };
  const saved = await saveOrder(tx, before, order, { event: "allocate", actor });
  return { order: await settleHolds(tx, saved, actor), allotments };
}
