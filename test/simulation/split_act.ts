// Orders of which units are split off, in the plain model and in the service.
import fc from "fast-check";
import { splitOrder } from "../../src/orders/changes/split_order.ts";
import { act, both, compareOrder, few, nth, orderAt, rarely, ware } from "./acts.ts";
import { Refused } from "./bin_model.ts";
import { partsOf, type Ware } from "./business.ts";
import type { Model } from "./model.ts";
import { kept, type OrderLine } from "./order_model.ts";
import { clerk } from "./service.ts";
import { type Line, sum } from "./stock_model.ts";

const working = ["pending", "processing"] as const;

/** Units of a line that can go to another order: none that are picked or packed, and no set with a picked part. */
function movable(model: Model, at: number, own: OrderLine): number {
  const picked = sum(model.parts(at, own).map(({ line }) => model.picked(line)));
  if (partsOf(own.sku).length > 1 && picked > 0) return 0;
  return Math.max(0, kept(own) - own.shipped - Math.max(picked, own.packed - own.shipped));
}

/** Whether something can be split off an order. */
function isSplittable(model: Model, at: number): boolean {
  const order = model.order(at);
  if (!working.some((status) => status === order.status) || model.isHeld(order)) return false;
  return sum(order.lines.map((own) => movable(model, at, own))) > 0 && sum(order.lines.map(kept)) > 1;
}

/** The units of each line that move, in the order of the lines. */
function movedUnits(model: Model, at: number, sku: Ware, quantity: number) {
  const { lines } = model.order(at);
  const meant = lines.filter((own) => own.sku === sku);
  if (meant.length === 0) throw new Refused("resource_missing");
  let left = quantity;
  const moved = meant.flatMap((own) => {
    const units = Math.min(left, movable(model, at, own));
    left -= units;
    return units > 0 ? [{ own, units }] : [];
  });
  if (left > 0) throw new Refused("validation_failed");
  if (sum(lines.map(kept)) === quantity) throw new Refused("validation_failed");
  return moved;
}

/** Takes units from a line of a claim, backordered ones first and then those that were planned last. */
function takeUnits(model: Model, line: Line, units: number): Line["holds"] {
  const shelved = model.shelved(line).map((hold) => ({ ...hold }));
  const from_shelf = Math.max(0, units - (line.wanted - model.reserved(line)));
  let stays = sum(shelved.map(({ quantity }) => quantity)) - from_shelf;
  line.wanted -= units;
  return shelved.flatMap(({ item, quantity }) => {
    const some = quantity - Math.min(stays, quantity);
    stays -= quantity - some;
    if (some > 0) model.free(line, item, some);
    return some > 0 ? [{ item, quantity: some }] : [];
  });
}

function split(model: Model, at: number, sku: Ware, quantity: number): void {
  if (!isSplittable(model, at)) throw new Refused("invalid_state_transition");
  const order = model.order(at);
  const moved = movedUnits(model, at, sku, quantity);
  const claim = model.claimOf(at);
  model.settle(claim.lines.map((line) => line.sku));
  let number = 2;
  while (model.orders.some(({ ref }) => ref === `${order.ref}-${number}`)) number += 1;
  const ref = `${order.ref}-${number}`;
  const { priority, house, cold, backorders } = order;
  const fresh = model.newClaim({ order: model.orders.length, ref, priority, house, cold, expires_at: null });
  // It keeps its place in the queue.
  Object.assign(fresh, { created_at: claim.created_at });
  const lines = moved.map(({ own, units }): OrderLine => {
    const line = {
      id: model.nextId(),
      sku: own.sku,
      quantity: units,
      packed: 0,
      shipped: 0,
      returned: 0,
      cancelled: 0,
    };
    for (const { line: part, each } of model.parts(at, own)) {
      const holds = takeUnits(model, part, units * each);
      const wanted = { id: model.nextId(), sku: part.sku, order_line: line.id, wanted: units * each, holds: [] };
      fresh.lines.push(wanted);
      for (const { item, quantity } of holds) model.hold(wanted, item, quantity);
    }
    own.quantity -= units;
    return line;
  });
  const gone = order.lines.filter((own) => own.quantity === 0).map(({ id }) => id);
  order.lines = order.lines.filter(({ id }) => !gone.includes(id));
  claim.lines = claim.lines.filter(({ order_line }) => !gone.includes(order_line ?? 0));
  if (order.lines.every((own) => own.packed === kept(own))) order.status = "fulfilled";
  if (order.lines.every((own) => own.shipped === kept(own))) order.status = "shipped";
  const none = { hold: null, recalled: false, short: false, given_up: [], picked_from: [], undone: [], sold: [] };
  const billed = { picks: 0, packs: 0 };
  model.orders.push({ ref, status: "pending", priority, cold, house, backorders, lines, billed, ...none });
}

export const splitActs = {
  split: act({
    weight: 8,
    input: fc.record({ nth, sku: ware, line: fc.nat({ max: 3 }), named: rarely, quantity: few }),
    ready: (model) => model.orders.length > 0,
    play: async (model, service, input) => {
      const at = orderAt(model, input.nth, isSplittable);
      // Mostly a line that the order has.
      const own = model.order(at).lines[input.line];
      const [sku, quantity] = input.named || own === undefined ? [input.sku, input.quantity] : [own.sku, 1];
      const id = String(service.orders[at]?.id);
      const { code, value } = await both(
        model,
        service,
        () => split(model, at, sku, quantity),
        (tx) => splitOrder(tx, id, { items: [{ sku, quantity }] }, clerk),
      );
      if (value === null) return code;
      service.orders.push(value.split_off);
      compareOrder(model, at, value.order);
      compareOrder(model, service.orders.length - 1, value.split_off);
      return code;
    },
  }),
};
