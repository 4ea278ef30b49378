// Acts on several orders in one transaction, which must have the same result as one after the other.
import fc from "fast-check";
import { Fault } from "../../src/core/faults.ts";
import { createOrders } from "../../src/orders/lifecycle/create_order.ts";
import { act, house, rarely, ref, refOf, requestOf, same, seldom, usually, wares } from "./acts.ts";
import type { NewOrder } from "./order_model.ts";
import { clerk } from "./service.ts";

const createSeveral = act({
  weight: 3,
  input: fc.array(
    fc.record({
      lines: wares,
      priority: fc.integer({ min: 0, max: 2 }),
      house: seldom(house),
      cold: rarely,
      backorders: usually,
      ref: seldom(ref),
    }),
    { minLength: 2, maxLength: 4 },
  ),
  play: async (model, service, inputs) => {
    const orders: (NewOrder & { readonly at: number; readonly code: string | null })[] = [];
    for (const { ref, ...how } of inputs) {
      const at = model.orders.length;
      const order: NewOrder = { ref: ref === null ? `N-${at}` : refOf(model, ref), ...how };
      const code = model.attempt(() => {
        if (model.orders.some((other) => other.ref === order.ref)) model.refuse("duplicate_order_number");
        model.create(order, null);
      });
      orders.push({ ...order, at, code });
    }
    const asked = orders.map((order) => ({ input: requestOf(service, order, null), actor: clerk }));
    const { code, value } = await service.attempt((tx) => createOrders(tx, asked));
    const made = value ?? [];
    const codes = made.map((one) => (one instanceof Fault ? one.code : null));
    same("refusals", [code, ...codes], [null, ...orders.map((order) => order.code)]);
    for (const [nth, one] of made.entries()) if (!(one instanceof Fault)) service.orders[orders[nth]?.at ?? 0] = one;
    return orders.find((order) => order.code !== null)?.code ?? null;
  },
});

export const listActs = { createSeveral };
