import type { Tx } from "../../database/store.ts";
import { splitClaim } from "../../inventory/claims/splits/commands.ts";
import type { Actor } from "../../kit/actor.ts";
import { assert } from "../../kit/assert.ts";
import { wireId } from "../../kit/ids.ts";
import { emit } from "../../outbox/emit.ts";
import { saveRest } from "../arrivals/commands.ts";
import { dispatchOf } from "../dispatch/store.ts";
import { newOrder, takenNumber } from "../drafts/commands.ts";
import { orderEvent } from "../events.ts";
import { wordsFor } from "../fulfillment/rules.ts";
import { insertFirstHistory } from "../history/store.ts";
import { findOrderByNumber } from "../names/store.ts";
import { type Order, partsOf } from "../order.ts";
import { claimOf, refuseForbidden, subtotalOf, withClaims } from "../rules.ts";
import type { SplitOrder } from "../schemas.ts";
import { orderStarts } from "../status.ts";
import {
  deleteLines,
  findOrdersByNumber,
  getOrder,
  insertLines,
  insertOrder,
  lockOrder,
  type NewOrder,
} from "../store.ts";
import { nextNumber, type SplitLine, splitLines, unitsThatGo, withoutSplit } from "./rules.ts";

const numbers_tried = 100;

/**
 * Makes some open units of an order an order of their own, pending, for the same customer and address. What stock holds
 * for them goes with them, of each line first what it waits for; the shipping amount stays.
 * Refuses: resource_missing, invalid_state_transition, validation_failed, duplicate_order_number.
 * Emits: order.created, and order.fulfilled, order.shipped, order.delivered when what is left has come so far.
 */
export async function splitOrder(
  tx: Tx,
  id: string,
  input: SplitOrder,
  actor: Actor,
): Promise<{ readonly order: Order; readonly split_off: Order }> {
  const before = await lockOrder(tx, id);
  refuseForbidden(before, "split");
  const split = splitLines(before, input.items);
  const fresh = await storeNew(tx, before, split, input.order_number ?? (await freeNumber(tx, before)));
  const { left, gone } = await splitClaim(tx, before.id, claimOf(fresh), movesOf(split, fresh));
  const words = wordsFor(before, unitsThatGo(split));
  const nameOf = (order: Order) => `${wireId("order", order.id)} (${order.order_number})`;
  const note = `${words} from ${nameOf(before)}`;
  await insertFirstHistory(tx, [{ id: fresh.id, status: orderStarts, event: "split", actor, note }]);
  const split_off = withClaims(fresh, gone);
  await emit(tx, [orderEvent("order.created", split_off, tx.now)]);
  const lessened = withClaims(withoutSplit(before, split), left);
  const order = await saveRest(tx, before, lessened, { event: "split", actor, note: `${words} to ${nameOf(fresh)}` });
  await deleteLines(
    tx,
    split.flatMap(({ line, stays }) => (stays === null ? line.id : [])),
  );
  return { order: await getOrder(tx, wireId("order", order.id)), split_off };
}

/** A number for the new order, that no order has. */
async function freeNumber(tx: Tx, { order_number }: Order): Promise<string> {
  const taken = new Set<string>();
  for (let tried = 0; tried < numbers_tried; tried += 1) {
    const name = nextNumber(order_number, taken);
    if (!(await findOrdersByNumber(tx, [name])).has(name)) return name;
    taken.add(name);
  }
  throw takenNumber(nextNumber(order_number, new Set()), null);
}

async function storeNew(tx: Tx, before: Order, split: readonly SplitLine[], order_number: string): Promise<Order> {
  const lines = split.map(({ line: { product_id, sku, name, components }, goes }) => {
    return { product_id, sku, name, components, ...goes };
  });
  const fields = { ...fieldsOf(before), order_number, subtotal_cents: subtotalOf(lines) };
  const id = await insertOrder(tx, fields);
  if (id === null) throw takenNumber(order_number, await findOrderByNumber(tx, order_number));
  const stored = await insertLines(tx, { id, merchant_id: before.merchant_id }, lines);
  const plain = newOrder(tx, id, { fields, suspended: before.suspended }, stored);
  const [dispatch] = await dispatchOf(tx, [plain]);
  return { ...plain, ...dispatch };
}

/** What the new order is beside its lines: what the old one was when it came. */
function fieldsOf(before: Order): Omit<NewOrder, "created_at"> {
  const { id: _id, version: _version, created_at: _at, updated_at: _now, ...rest } = before;
  const { lines: _lines, holds: _holds, shipments: _parcels, returns: _returns, calendars: _days, ...fields } = rest;
  return { ...fields, status: orderStarts, held: false, shipping_amount_cents: 0, processing_at: null };
}

/** Which units of the old order's claim become those of the new one's lines; of a bundle its components. */
function movesOf(split: readonly SplitLine[], fresh: Order) {
  return split.flatMap(({ line, stays, goes }, at) => {
    const to = fresh.lines[at];
    assert(to !== undefined, "each line that is split has its line in the new order");
    return partsOf(line).map(({ product_id, quantity }) => ({
      order_line_id: line.id,
      product_id,
      quantity: quantity * goes.quantity,
      to_line_id: to.id,
      whole: stays === null,
    }));
  });
}
