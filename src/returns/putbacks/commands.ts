import type { Tx } from "../../database/store.ts";
import { putBackReturned } from "../../inventory/putbacks/commands.ts";
import type { PutBack } from "../../inventory/putbacks/schemas.ts";
import type { Actor } from "../../kit/actor.ts";
import { invalid } from "../../kit/fault.ts";
import { wireId } from "../../kit/ids.ts";
import { putBackInWords, putBackUnits } from "../../orders/putbacks/commands.ts";
import { noteInHistory } from "../../orders/store.ts";
import { begin } from "../commands.ts";

/**
 * Puts units back on the shelf: those of cancelled orders, or those returned for sale. Refuses: resource_missing,
 * ambiguous_identifier, validation_failed, ambiguous_stock, bin_full, insufficient_inventory. Emits: inventory.updated,
 * inventory.low_stock.
 */
export async function shelveUnits(tx: Tx, input: PutBack, actor: Actor) {
  const { order_id, return_id } = input;
  if (order_id !== undefined && return_id !== undefined)
    throw invalid("return_id", "cannot be given" + " together with order_id");
  if (order_id !== undefined) return putBackUnits(tx, { ...input, order_id }, actor);
  if (return_id === undefined) throw invalid("order_id", "is required unless return_id is given", "required");
  const { before, order } = await begin(tx, String(return_id));
  const done = await putBackReturned(tx, before.id, input, actor);
  const returned = wireId("return", before.id);
  await noteInHistory(tx, order.id, { event: "put_back", actor, note: `${returned}: ${putBackInWords(done)}` });
  return { order_id: wireId("order", order.id), return_id: returned, ...done };
}
