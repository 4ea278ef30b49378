import type { Tx } from "../../database/store.ts";
import type { Actor } from "../../kit/actor.ts";
import { assert } from "../../kit/assert.ts";
import { Fault } from "../../kit/fault.ts";
import { emit } from "../../outbox/emit.ts";
import { draftOrders, storeDraft, takenNumber } from "../drafts/commands.ts";
import { reservationOf, type Source } from "../drafts/rules.ts";
import { orderEvent } from "../events.ts";
import { holdForMerchant, settleAddress, settleGoods } from "../holds/commands.ts";
import { findOrderByNumber } from "../names/store.ts";
import type { Order } from "../order.ts";
import type { CreateOrder } from "../schemas.ts";
import { insertAllotted } from "../store.ts";

/**
 * Creates the order of a platform under the id that was allotted to it. It is not refused for what it names: with lines
 * of inactive products, or an address that lacks something, it is held until that is put right.
 * Refuses: resource_missing, validation_failed, duplicate_order_number. Emits: order.created.
 */
export async function importOrder(
  tx: Tx,
  order_id: number,
  input: CreateOrder,
  actor: Actor,
  source: Source,
): Promise<Order> {
  const [draft] = await draftOrders(tx, [input], source, true);
  assert(draft, "an order has a draft");
  if (draft instanceof Fault) throw draft;
  const id = await insertAllotted(tx, order_id, draft.fields);
  if (id === null) throw takenNumber(input.order_number, await findOrderByNumber(tx, input.order_number));
  const plain = await storeDraft(tx, id, draft, { stock: source.stock, reservation_id: reservationOf(input), actor });
  const settled = await settleGoods(tx, await settleAddress(tx, plain, actor), actor);
  const order = draft.suspended ? await holdForMerchant(tx, settled, actor) : settled;
  await emit(tx, [orderEvent("order.created", order, tx.now)]);
  return order;
}
