import type { Client, Json } from "./client.ts";
import { type NorthwindPlan, type OrderPlan, unitsBySku } from "./mapping.ts";
import type { Receiver } from "./receiver.ts";

/** The service's final figures, and their differences from the tables and from each other. */
export interface Findings {
  readonly orders_by_status: ReadonlyMap<string, number>;
  readonly units: {
    readonly received: number;
    readonly sold: number;
    readonly on_hand: number;
    readonly reserved: number;
    readonly backordered: number;
  };
  readonly events: { readonly written: number; readonly delivered: number; readonly unverified: number };
  readonly stock_differences: number;
  /** Each difference as a sentence; empty if everything matches. */
  readonly differences: readonly string[];
}

const patience_ms = 30_000;
const poll_ms = 250;

/** The number of events that the service has emitted so far. */
export async function countEvents(client: Client): Promise<number> {
  const page = await client.get("/events?limit=1");
  return Number(((page["meta"] as Json)["pagination"] as Json)["total"]);
}

/**
 * Waits until every event has arrived, or nothing has changed for half a minute. Returns how many were emitted since
 * there were `before`. The list of events grows for a moment after the last request, so it is read again.
 */
export async function awaitDeliveries(client: Client, receiver: Receiver, before: number): Promise<number> {
  let written = -1;
  for (let last = "", quiet_ms = 0; quiet_ms < patience_ms; ) {
    const counted = (await countEvents(client)) - before;
    if (counted === written && receiver.received >= written) break;
    written = counted;
    const state = `${written} ${receiver.received}`;
    quiet_ms = state === last ? quiet_ms + poll_ms : 0;
    last = state;
    await Bun.sleep(poll_ms);
  }
  return written;
}

/** Compares orders, stock, ledger and events with the plan. `written` counts the events of this run. */
export async function check(
  client: Client,
  plan: NorthwindPlan,
  receiver: Receiver,
  written: number,
): Promise<Findings> {
  const sent = plan.months.flatMap(({ orders }) => orders);
  const orders = await checkOrders(client, [...sent, ...plan.open_orders]);
  const stock = await checkStock(client, plan);
  const receipts = plan.opening.length + plan.months.reduce((sum, month) => sum + month.receipts.length, 0);
  const events = checkEvents(receiver, written, {
    "order.created": sent.length + plan.open_orders.length,
    "order.fulfilled": sent.length,
    "order.shipped": sent.length,
    "order.delivered": sent.length,
    "shipment.created": sent.length,
    "shipment.delivered": sent.length,
    "inventory.received": receipts,
  });
  return {
    orders_by_status: orders.by_status,
    units: stock.units,
    events: { written, delivered: receiver.received, unverified: receiver.unverified },
    stock_differences: stock.differences.length,
    differences: [...orders.differences, ...stock.differences, ...events],
  };
}

async function checkOrders(client: Client, expected: readonly OrderPlan[]) {
  const found = new Map((await client.list("/orders")).map((order) => [order["order_number"], order]));
  const by_status = new Map<string, number>();
  const differences: string[] = [];
  for (const { order_number, ends, subtotal_cents } of expected) {
    const order = found.get(order_number);
    const status = String(order?.["status"] ?? "missing");
    by_status.set(status, (by_status.get(status) ?? 0) + 1);
    if (status !== ends) differences.push(`Order ${order_number} is ${status} instead of ${ends}.`);
    const subtotal = subtotal_cents / 100;
    if (order?.["subtotal"] !== subtotal) {
      differences.push(`Order ${order_number} costs ${order?.["subtotal"]} instead of ${subtotal}.`);
    }
  }
  return { by_status, differences };
}

/** Checks that the service's figures, its ledger and the table agree for every product. */
async function checkStock(client: Client, plan: NorthwindPlan) {
  const items = new Map((await client.list("/inventory")).map((item) => [item["sku"], item]));
  const ledger = await readLedger(client);
  const wanted = unitsBySku(plan.open_orders);
  const differences: string[] = [];
  const units = { received: 0, sold: 0, on_hand: 0, reserved: 0, backordered: 0 };
  for (const { sku, units_in_stock } of plan.products) {
    const item = items.get(sku) ?? {};
    const { arrived, left } = ledger.get(sku) ?? { arrived: 0, left: 0 };
    const open = wanted.get(sku) ?? 0;
    const expected = {
      on_hand: units_in_stock,
      reserved: Math.min(open, units_in_stock),
      backordered: Math.max(0, open - units_in_stock),
    };
    if (arrived - left !== item["on_hand"]) {
      differences.push(`${sku}: the ledger has ${arrived - left} on hand, the stock ${item["on_hand"]}.`);
    }
    for (const [field, value] of Object.entries(expected)) {
      if (item[field] !== value) differences.push(`${sku}: ${field} is ${item[field]} instead of ${value}.`);
    }
    units.received += arrived;
    units.sold += left;
    units.on_hand += Number(item["on_hand"]);
    units.reserved += Number(item["reserved"]);
    units.backordered += Number(item["backordered"]);
  }
  return { units, differences };
}

/** For each SKU the units that arrived and those that left, by the movements. */
async function readLedger(client: Client): Promise<ReadonlyMap<unknown, { arrived: number; left: number }>> {
  const ledger = new Map<unknown, { arrived: number; left: number }>();
  for (const { sku, quantity, from_location, to_location } of await client.list("/inventory/movements")) {
    const entry = ledger.get(sku) ?? { arrived: 0, left: 0 };
    ledger.set(sku, entry);
    if (from_location === null) entry.arrived += Math.abs(Number(quantity));
    else if (to_location === "customer" || to_location === "write_off") entry.left += Math.abs(Number(quantity));
  }
  return ledger;
}

function checkEvents(receiver: Receiver, written: number, expected: Readonly<Record<string, number>>): string[] {
  const differences = Object.entries(expected)
    .filter(([type, count]) => receiver.counts.get(type) !== count)
    .map(([type, count]) => `${receiver.counts.get(type) ?? 0} ${type} events arrived instead of ${count}.`);
  if (receiver.received !== written) differences.push(`${written} events were emitted, ${receiver.received} arrived.`);
  if (receiver.unverified > 0) differences.push(`${receiver.unverified} deliveries had no valid signature.`);
  return differences;
}
