import type { Tx } from "../../database/store.ts";
import { type LooseUnits, putBack } from "../../inventory/putbacks/commands.ts";
import type { PutBack } from "../../inventory/putbacks/schemas.ts";
import type { Actor } from "../../kit/actor.ts";
import { wireId } from "../../kit/ids.ts";
import { packedInHouse } from "../fulfillment/rules.ts";
import { resolveOrder } from "../names/store.ts";
import { partsOf } from "../order.ts";
import { lockOrder, noteInHistory, saveOrder } from "../store.ts";

/**
 * Puts units that were picked for an order back on the shelf: those it gave up, or else, unless they are packed, those
 * of a lot that may not leave the house, for which it gets others or waits. Refuses: resource_missing,
 * ambiguous_identifier, validation_failed, ambiguous_stock, insufficient_inventory.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function putBackUnits(tx: Tx, input: PutBack & { order_id: string | number }, actor: Actor) {
  const order = await lockOrder(tx, await resolveOrder(tx, input.order_id));
  const loose: LooseUnits = (line_id, product_id) => {
    const line = order.lines.find(({ id }) => id === line_id);
    if (line === undefined) return 0;
    const part = partsOf(line).find((one) => one.product_id === product_id);
    return part === undefined ? 0 : part.picked - packedInHouse(line) * part.quantity;
  };
  const done = await putBack(tx, order.id, input, loose, actor);
  const entry = { event: "put_back", actor, note: putBackInWords(done) };
  // What the order gave up earlier changes nothing of it any more.
  if (done.was_picked) await saveOrder(tx, order, order, entry);
  else await noteInHistory(tx, order.id, entry);
  return { order_id: wireId("order", order.id), return_id: null, ...done };
}

/** What was put where, as an order's history tells it. */
export function putBackInWords(done: Awaited<ReturnType<typeof putBack>>): string {
  const lot = done.lot_number === null ? "" : `, lot ${done.lot_number}`;
  return `${done.quantity} of ${done.sku}${lot} to ${done.bin}`;
}
