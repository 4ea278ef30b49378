// Stands alone so that tests of whole processes need not load the app: a customer who orders by SKU.
import type { Answered } from "./service.ts";

/** Sends a request that must succeed. A client of a service returns the body, one of an app its `data`. */
type Must = (method: string, path: string, body?: object) => Promise<Answered["body"]>;

const home = { address_line1: "12 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };

/** Creates a customer with these fields. `order` creates an order of theirs, with lines of SKU and quantity. */
export async function buyerOf(must: Must, fields: object = {}) {
  const named = { email: "jane@example.com", first_name: "Jane", last_name: "Doe", shipping_addresses: [home] };
  const sent = await must("POST", "/customers", { ...named, ...fields });
  const customer = sent.data ?? sent;
  const who = { customer_id: customer.id, shipping_address_id: customer.shipping_addresses[0].id };
  async function order(order_number: string, lines: readonly (readonly [string, number])[], more: object = {}) {
    const line_items = lines.map(([sku, quantity]) => ({ sku, quantity, unit_price: "4.50" }));
    const made = await must("POST", "/orders", { order_number, ...who, line_items, ...more });
    return made.data ?? made;
  }
  return { customer, order };
}
