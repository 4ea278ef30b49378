// An order for each act, in a status that allows the act.
import type { OrderStatus } from "../../../../src/orders/order.transitions.ts";
import type { Answered } from "../../../build/service.ts";
import type { OrderAct } from "../../../orders/order_acts.ts";

type Fields = Readonly<Record<string, unknown>>;
type Ask = (method: string, path: string, body?: Fields) => Promise<Answered["body"]>;

/** What orders need: a product with stock in a warehouse, and its buyer. */
interface Goods {
  readonly sku: string;
  readonly location: string;
  readonly buyer: { readonly customer_id: string; readonly shipping_address_id: string };
  /** The buyer's address, for which a check suggests a correction. */
  readonly misspelt: string;
}

/** The acts that bring a new order to each status. */
const ways: Readonly<Record<OrderStatus, readonly string[]>> = {
  pending: [],
  processing: ["process"],
  fulfilled: ["pack"],
  shipped: ["ship"],
  delivered: ["ship", "deliver"],
  cancelled: ["cancel"],
};

/** The preceding acts, for those that need more than a status. */
const preparations: Readonly<Record<string, readonly (readonly [action: string, body: Fields])[]>> = {
  releaseOrder: [["hold", { reason: "address" }]],
  packOrder: [["pick", {}]],
  unpickOrder: [["pick", {}]],
  unpackOrder: [["pack", {}]],
};

/** Creates an order for each act. Each turn it gets another of the statuses that allow the act. */
export async function ordersToActOn(ask: Ask, goods: Goods, acts: readonly OrderAct[], turn: number) {
  const { sku, buyer, misspelt, location } = goods;
  const orders = acts.map(({ id }) => ({
    order_number: `${sku} ${id}`,
    ...buyer,
    ...(id === "acceptOrderSuggestion" ? { shipping_address_id: misspelt } : {}),
    warehouse_id: location,
    line_items: [{ sku, quantity: 3, unit_price: "5.00" }],
  }));
  const { results } = await ask("POST", "/orders/bulk", { orders });
  const ready: Record<string, { path: { id: string }; body?: unknown }> = {};
  for (const [at, { id, from, exampleFor }] of acts.entries()) {
    const path = { id: results[at].data.id as string };
    const way = ways[from[turn % from.length] ?? "pending"].map((action) => [action, {}] as const);
    for (const [action, body] of preparations[id] ?? way) {
      if (action === "cancel") await ask("DELETE", `/orders/${path.id}`);
      else await ask("POST", `/orders/${path.id}/${action}`, body);
    }
    const body = exampleFor({ sku, bin: "A-01" });
    ready[id] = { path, ...(body === undefined ? {} : { body }) };
  }
  return ready;
}
