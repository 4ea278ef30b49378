// What a replay needs before its own request: customers, products with stock, orders on their way.
import type { Answer, Api } from "./service.ts";

let made = 0;

/** A name that no other test uses. */
export function fresh(stem: string): string {
  made += 1;
  return `${stem}-${made}`;
}

/** The integer form of an identifier: `cus_1001` is 1001. */
export function numberOf(id: string): number {
  return Number(id.slice(id.indexOf("_") + 1));
}

/** The fields of a customer as the specification lists them. */
export function customerBody() {
  const name = fresh("jane");
  return {
    email: `${name}@example.com`,
    first_name: "Jane",
    last_name: "Smith",
    phone: "+1-555-010-0199",
    company: "Smith Provisions",
    shipping_addresses: [
      {
        name: "Jane Smith",
        address_line1: "123 Main St",
        address_line2: "Apt 4B",
        city: "New York",
        state: "NY",
        postal_code: "10001",
        country: "US",
        is_default: true,
      },
    ],
    metadata: { tier: "gold", source: "website" },
  };
}

export async function makeCustomer(api: Api) {
  const customer = await api.post("/customers", customerBody());
  return { customer_id: customer.textAt("id"), shipping_address_id: customer.textAt("shipping_addresses.0.id") };
}

/** The warehouse that every installation has. */
export async function warehouseOf(api: Api): Promise<string> {
  const locations = await api.get("/inventory/locations");
  return locations.textAt("data.0.warehouse_id");
}

/** A product, with this much stock of it. */
export async function makeStock(api: Api, quantity: number, fields: Readonly<Record<string, unknown>> = {}) {
  const sku = fresh("SKU");
  const body = { sku, name: `Product ${sku}`, weight: 1, weight_unit: "lb", price: "5.00", ...fields };
  const product = await api.post("/products", body);
  if (quantity > 0) await api.post("/inventory", { sku, quantity, location: await warehouseOf(api) });
  return { sku, product_id: product.textAt("data.id") };
}

/** An order of one line, of a product and for a customer of its own unless they are given. */
export async function makeOrder(api: Api, fields: Readonly<Record<string, unknown>> = {}, quantity = 2) {
  const stock = await makeStock(api, quantity + 10);
  const body = {
    order_number: fresh("ORD"),
    ...(await makeCustomer(api)),
    line_items: [{ product_id: stock.product_id, quantity, unit_price: "12.50" }],
    ...fields,
  };
  const order = await api.post("/orders", body);
  return { id: order.textAt("data.id"), order_number: body.order_number, sku: stock.sku };
}

/** An order that has left the house. */
export async function makeShippedOrder(api: Api, quantity = 2) {
  const order = await makeOrder(api, {}, quantity);
  await api.post(`/orders/${order.id}/ship`);
  return order;
}

export const from_address = {
  name: "Warehouse",
  street1: "456 Warehouse Ave",
  city: "Los Angeles",
  state: "CA",
  zip: "90001",
  country: "US",
};

export const to_address = {
  name: "Jane Smith",
  street1: "123 Main St",
  city: "New York",
  state: "NY",
  zip: "10001",
  country: "US",
  phone: "555-010-0199",
};

export const parcel = { weight: 5.5, weight_unit: "lbs", dimensions: { length: 12, width: 10, height: 8, unit: "in" } };

/** A carrier and one of its services, as the list of carriers names them. */
export async function serviceOf(api: Api) {
  const carriers = await api.get("/shipping/carriers");
  return { carrier: carriers.textAt("data.carriers.0.code"), service: carriers.textAt("data.carriers.0.services.0") };
}

/** A label for an order. Its parcel waits for the scans of the test. */
export async function buyLabel(api: Api, order_id: string): Promise<Answer> {
  return api.post("/shipping/labels", {
    order_id,
    ...(await serviceOf(api)),
    from_address,
    to_address: { ...to_address, street2: "SIM-NO-SCANS" },
    package: parcel,
  });
}

/** A carrier's scan, reported by hand. */
export async function scan(api: Api, tracking_number: string, status: string): Promise<Answer> {
  return api.post(`/tracking/${tracking_number}/events`, {
    status,
    message: `Parcel ${status.replaceAll("_", " ")}`,
    location: { city: "Memphis", state: "TN", country: "US", facility: "Memphis hub" },
  });
}
