// Two equal services for tests of what is done together: one is asked call by call, the other all at once.
import { afterAll } from "bun:test";
import { openTestApp, type TestApp } from "./service.ts";

const address = { address_line1: "1 Dock Rd", city: "Reno", state: "NV", postal_code: "89501", country: "US" };

/** A service with a warehouse of its own and a customer who orders; an order is sent `to` them. */
export interface House {
  readonly app: TestApp;
  readonly to: { readonly customer_id: string; readonly shipping_address_id: string };
}

async function openHouse(settings: Parameters<typeof openTestApp>[0]): Promise<House> {
  const app = await openTestApp(settings);
  const customer = (await app.post("/customers", { email: "ada@example.com", shipping_addresses: [address] })).body;
  return { app, to: { customer_id: customer.id, shipping_address_id: customer.shipping_addresses[0].id } };
}

/** Opens two equal houses, which are closed after the tests of the file. */
export async function twoHouses(settings: Parameters<typeof openTestApp>[0] = {}) {
  const [alone, crowd] = [await openHouse(settings), await openHouse(settings)];
  afterAll(async () => {
    await alone.app.close();
    await crowd.app.close();
  });
  return { alone, crowd };
}

/** Lays units of a new product into a house. */
export async function stock({ app }: House, sku: string, quantity: number): Promise<void> {
  await app.post("/products", { sku, name: sku, price: "5.00" });
  if (quantity > 0) await app.post("/inventory", { sku, quantity });
}
