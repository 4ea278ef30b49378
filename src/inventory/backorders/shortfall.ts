import { Fault } from "../../kit/fault.ts";
import { wireId } from "../../kit/ids.ts";

/** Units of an order that lost their promise and wait now. */
export interface Shortfall {
  readonly order_id: number | null;
  readonly order_ref: string;
  readonly quantity: number;
}

/** The refusal to take away units that are promised: it names who would have to wait, and what would let them. */
export function brokenPromises(sku: string, shortfalls: readonly Shortfall[], way = "allow_shortfall"): Fault {
  const orders = shortfallsView(shortfalls);
  const named = orders.slice(0, 5).map(({ order_number }) => order_number);
  const more = orders.length > named.length ? ` and ${orders.length - named.length} more` : "";
  const message = `Units of ${sku} are promised to ${named.join(", ")}${more}; ${way} puts these into backorder.`;
  return new Fault("would_break_reservations", message, { orders });
}

/** Who waits now, as the API shows it: each order once, however many of its lines or reservations do. */
export function shortfallsView(shortfalls: readonly Shortfall[]) {
  const orders = Map.groupBy(shortfalls, ({ order_id, order_ref }) => `${order_id} ${order_ref}`);
  return [...orders.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const { order_id, order_ref } = first;
    const quantity = others.reduce((sum, other) => sum + other.quantity, first.quantity);
    return { order_id: order_id === null ? null : wireId("order", order_id), order_number: order_ref, quantity };
  });
}
