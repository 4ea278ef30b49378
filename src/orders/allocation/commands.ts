import type { Tx } from "../../database/store.ts";
import { allocateClaim } from "../../inventory/reservations/commands.ts";
import type { Allotment } from "../../inventory/reservations/reasons.ts";
import type { Order } from "../order.ts";
import { refusal } from "../rules.ts";
import { getOrder, lockOrder } from "../store.ts";

/**
 * Chooses stock anew for the units of an order that are not picked yet, and tells why it was chosen.
 * Refuses: resource_missing, invalid_state_transition (nothing of it is to be picked any more, or it is on hold).
 */
export async function allocateOrder(
  tx: Tx,
  id: string,
): Promise<{ readonly order: Order; readonly allotments: readonly Allotment[] }> {
  const before = await lockOrder(tx, id);
  if (before.held) throw refusal(before, "allocate");
  if (before.status !== "pending" && before.status !== "processing") {
    throw refusal(before, "allocate", "nothing of it is to be picked any more");
  }
  const allotments = await allocateClaim(tx, before.id);
  return { order: await getOrder(tx, before.id), allotments };
}
