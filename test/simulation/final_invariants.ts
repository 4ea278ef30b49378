// Invariants of every order once nothing is running, checked from what a client can read.
import type { Storm } from "./storm.ts";

interface Line {
  readonly sku: string;
  readonly quantity: number;
  readonly quantity_reserved: number;
  readonly quantity_backordered: number;
  readonly quantity_picked: number;
  readonly quantity_packed: number;
  readonly quantity_shipped: number;
  readonly quantity_cancelled: number;
}

interface Order {
  readonly id: string;
  readonly status: string;
  readonly held_from: string | null;
  readonly requires_cold_storage: boolean;
  readonly line_items: readonly Line[];
  readonly shipments: readonly { readonly status: string }[];
}

const openUnits = (line: Line) => line.quantity - line.quantity_cancelled - line.quantity_shipped;

/** Describes violations by the orders that a storm has left behind, in a sentence each. */
export async function findWreckage({ shop, orders, goods }: Storm): Promise<string[]> {
  const free = new Set<string>();
  for (const { sku } of goods) if ((await shop.available(sku)) > 0) free.add(sku);
  const found: string[] = [];
  for (const id of orders) {
    const order: Order = await shop.get(id);
    const state = order.held_from ?? order.status;
    const wrong = [...order.line_items.flatMap((line) => wrongLine(order, state, line, free)), ...stuck(order, state)];
    found.push(...wrong.map((sentence) => `${id} (${order.status}, in itself ${state}): ${sentence}`));
  }
  return found;
}

function wrongLine(order: Order, state: string, line: Line, free: ReadonlySet<string>): string[] {
  const wrong: string[] = [];
  const { sku, quantity_reserved, quantity_backordered, quantity_picked, quantity_packed } = line;
  const claimed = quantity_reserved + quantity_backordered;
  const open = state === "cancelled" ? 0 : openUnits(line);
  if (open !== claimed) wrong.push(`${open} units of ${sku} are open and ${claimed} claimed`);
  if (quantity_packed > quantity_picked) wrong.push(`more of ${sku} is packed than picked`);
  const awake = order.status !== "on_hold" && !order.requires_cold_storage;
  if (awake && quantity_backordered > 0 && free.has(sku)) wrong.push(`waits for ${sku}, of which there is some`);
  return wrong;
}

/** An order with no units left in the warehouse must have been shipped. */
function stuck(order: Order, state: string): string[] {
  const left = order.line_items.some((line) => openUnits(line) > 0);
  const parcels = order.shipments.some(({ status }) => status === "pending");
  return left || parcels || ["cancelled", "shipped", "delivered"].includes(state) ? [] : ["all is out, and it waits"];
}
