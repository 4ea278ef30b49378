// The small business that the benchmark's requests refer to.
import { join } from "node:path";
import { type StartedService, startService } from "../service.ts";
import { copySku } from "./seed.ts";

/** The SKUs in requests: the last digits of a number select one. */
export const skus: readonly string[] = Array.from({ length: 200 }, (_, n) => `BENCH-${n}`);
const hot_sku = "BENCH-0";
const stock_each = 1_000_000;

/** What requests refer to. It is the same in a copy of the database. */
export interface Ids {
  readonly customer_id: string;
  readonly shipping_address_id: string;
  readonly orders: readonly string[];
}

export const env = { NODE_ENV: "production" };

/** Sends a body and returns the response. Throws unless it is 2xx. */
export function sender(url: string, key: string) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return async (path: string, body: object | null = null, method = "POST") => {
    const sent = body === null ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${url}/v1${path}`, { method, headers, ...sent });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${text}`);
    return JSON.parse(text);
  };
}

/** Starts a service whose products are in stock, each received once, among `others` further products. */
export async function startStocked(others = 0): Promise<{ service: StartedService; key: string }> {
  const first = await startService({ env });
  const key = await first.makeKey("test");
  const send = sender(first.url, key);
  for (const sku of skus) await send("/products", { sku, name: `Product ${sku}`, price: "5.00" });
  for (const sku of skus) await send("/inventory", { sku, quantity: stock_each });
  if (others === 0) return { service: first, key };
  await first.stop();
  copySku(join(first.data, "test.db"), hot_sku, others);
  return { service: await startService({ data: first.data, env }), key };
}

/** A line of an order or a reservation. */
export const line = (sku: string) => ({ sku, quantity: 1, unit_price: "5.00" });

/** Creates a customer and orders of three lines. */
export async function placeOrders(url: string, key: string, count: number): Promise<Ids> {
  const send = sender(url, key);
  // The simulated carrier leaves the scans of parcels to the benchmark.
  const lines = { address_line1: "100 Commercial St", address_line2: "SIM-NO-SCANS" };
  const customer = await send("/customers", {
    email: "bench@packhouse.example",
    company: "Bench",
    shipping_addresses: [{ ...lines, city: "Portland", state: "ME", postal_code: "04101", country: "US" }],
  });
  const to = { customer_id: customer.id, shipping_address_id: customer.shipping_addresses[0].id };
  const orders: string[] = [];
  const some = (n: number) => skus[(n * 67) % skus.length] ?? "";
  const place = async (n: number) => {
    const line_items = [some(n), some(n + 1), some(n + 2)].map(line);
    const placed = await send("/orders", { order_number: `S-${n}`, ...to, line_items });
    orders.push(placed.data.id);
  };
  for (let n = 0; n < count; n += 20) {
    await Promise.all(Array.from({ length: Math.min(20, count - n) }, (_, more) => place(n + more)));
  }
  return { ...to, orders };
}
