// Two identical services for batching tests: one is called sequentially, the other concurrently.
import { afterAll } from "bun:test";
import { openTestApp, type TestApp } from "./service.ts";

const address = { address_line1: "1 Dock Rd", city: "Reno", state: "NV", postal_code: "89501", country: "US" };

/** A service with a warehouse and a customer. Orders are sent `to` the customer. */
export interface House {
  readonly app: TestApp;
  readonly to: { readonly customer_id: string; readonly shipping_address_id: string };
}

async function openHouse(settings: Parameters<typeof openTestApp>[0]): Promise<House> {
  const app = await openTestApp(settings);
  const ada = { email: "ada@example.com", last_name: "Marsh", shipping_addresses: [address] };
  const customer = (await app.post("/customers", ada)).body;
  return { app, to: { customer_id: customer.id, shipping_address_id: customer.shipping_addresses[0].id } };
}

/** Opens two identical services, which close after the tests of the file. */
export async function twoHouses(settings: Parameters<typeof openTestApp>[0] = {}) {
  const [alone, crowd] = [await openHouse(settings), await openHouse(settings)];
  afterAll(async () => {
    await alone.app.close();
    await crowd.app.close();
  });
  return { alone, crowd };
}

/** Creates a product with units in stock. */
export async function stock({ app }: House, sku: string, quantity: number): Promise<void> {
  await app.post("/products", { sku, name: sku, price: "5.00" });
  if (quantity > 0) await app.post("/inventory", { sku, quantity });
}
