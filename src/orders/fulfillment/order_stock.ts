import type { Actor } from "../../core/actor.ts";
import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { RestockInput } from "../../inventory/receiving/restock_task.schema.ts";
import { type LooseUnits, restock } from "../../inventory/receiving/restock_units.ts";
import { reallocateOrder } from "../../inventory/reservations/order_allocations.ts";
import type { ProductAllotment } from "../../inventory/reservations/passed_over_stock.ts";
import type { Tx } from "../../storage/database.ts";
import { settleHolds } from "../changes/holds.ts";
import { resolveOrder } from "../lifecycle/order_lookup.sql.ts";
import { isUnpacked } from "../order.transitions.ts";
import { type Order, partsOf } from "../order.ts";
import { refusal } from "../order_lines.ts";
import { addReturned, getOrder, lockOrder, noteInHistory, saveOrder } from "../orders.sql.ts";
import type { HistoryEntry } from "../search/order_history.sql.ts";
import { packedUnshipped } from "./order_units.ts";

/**
 * Allocates stock again to the unpicked units of an order, including those that were missing before, and explains the
 * choice. A short pick's hold allows this, and is lifted when nothing is short any more; any other hold does not.
 * Refuses: resource_missing, invalid_state_transition (nothing is left to pick, or it is on hold).
 */
export async function allocateOrder(
  tx: Tx,
  id: string,
  actor: Actor,
): Promise<{ readonly order: Order; readonly allotments: readonly ProductAllotment[] }> {
  const before = await lockOrder(tx, id);
  if (before.holds.some(({ reason }) => reason !== "short_pick")) throw refusal(before, "allocate");
  if (!isUnpacked(before.status)) {
    throw refusal(before, "allocate", "nothing is left to pick");
  }
  const { allotments, changed } = await reallocateOrder(tx, before.id);
  const order = await getOrder(tx, before.id);
  if (!changed) return { order, allotments };
  const saved = await saveOrder(tx, before, order, { event: "allocate", actor });
  return { order: await settleHolds(tx, saved, actor), allotments };
}

/** Records in the history of a locked order what happened to one of its returns. */
export async function noteReturn(tx: Tx, order: Order, entry: HistoryEntry): Promise<Order> {
  return saveOrder(tx, order, order, entry);
}

/** Counts units of a line as returned. Refuses: nothing_to_return (more than were shipped). */
export async function noteReturned(tx: Tx, order_line_id: number, quantity: number): Promise<void> {
  if (await addReturned(tx, order_line_id, quantity)) return;
  throw new Fault("nothing_to_return", "More units would be returned than were shipped.");
}

/**
 * Restocks units that were picked for an order: those it released; or else, unless they are packed, those of a lot that
 * cannot be shipped, for which it gets other units or is backordered. Refuses: resource_missing, ambiguous_identifier,
 * validation_failed, ambiguous_stock, insufficient_inventory.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function restockOrderUnits(tx: Tx, input: RestockInput & { order_id: string | number }, actor: Actor) {
  const order = await lockOrder(tx, await resolveOrder(tx, input.order_id));
  const loose: LooseUnits = (line_id, product_id) => {
    const line = order.lines.find(({ id }) => id === line_id);
    if (line === undefined) return 0;
    const part = partsOf(line).find((component) => component.product_id === product_id);
    return part === undefined ? 0 : part.picked - packedUnshipped(line) * part.quantity;
  };
  const done = await restock(tx, order.id, input, loose, actor);
  tx.wake("floor.settle", tx.now);
  const entry = { event: "put_back", actor, note: restockText(done) };
  // Units that the order released earlier do not change it any more.
  if (done.was_picked) await saveOrder(tx, order, order, entry);
  else await noteInHistory(tx, order.id, entry);
  return { order_id: wireId("order", order.id), return_id: null, ...done };
}

/** A restock as an order's history describes it. */
export function restockText(done: Awaited<ReturnType<typeof restock>>): string {
  const lot = done.lot_number === null ? "" : `, lot ${done.lot_number}`;
  return `${done.quantity} of ${done.sku}${lot} to ${done.bin}`;
}
