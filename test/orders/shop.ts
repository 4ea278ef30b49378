import { expect } from "bun:test";
import { verifyStore } from "../../src/cli/verify.ts";
import { openTestApp, type TestApp } from "../harness.ts";

/** A service with a customer and goods, and the calls that tests of orders make over and over. */
export async function openShop() {
  const app = await openTestApp();
  let number = 0;

  async function created(path: string, body: unknown) {
    const answer = await app.post(path, body);
    expect([answer.status, answer.body.error]).toEqual([201, undefined]);
    return answer.body.data ?? answer.body;
  }

  const address = { address_line1: "12 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
  const customer = await created("/customers", {
    email: "jane@example.com",
    first_name: "Jane",
    last_name: "Doe",
    shipping_addresses: [address, { ...address, address_line1: "1 Dock Rd" }],
  });

  /** A product of which `units` lie on the shelf. */
  async function product(units: number, sku = `SKU-${++number}`) {
    const made = await created("/products", { sku, name: `Product ${sku}`, price: "10.00" });
    if (units > 0) await created("/inventory", { sku, quantity: units, location: "whs_1001" });
    return made as { id: string; sku: string };
  }

  /** What `POST /orders` takes for these units of these products. */
  function draft(lines: readonly (readonly [product: { id: string }, quantity: number])[], fields: object = {}) {
    return {
      order_number: `N-${++number}`,
      customer_id: customer.id,
      shipping_address_id: customer.shipping_addresses[0].id,
      line_items: lines.map(([{ id }, quantity]) => ({ product_id: id, quantity, unit_price: "12.50" })),
      ...fields,
    };
  }

  /** An order as it was created. */
  async function order(...given: Parameters<typeof draft>) {
    return created("/orders", draft(...given));
  }

  /** Sends an action and answers the order after it. */
  async function act(id: string, action: string, body: unknown = {}) {
    const answer = await app.post(`/orders/${id}/${action}`, body);
    expect([action, answer.status, answer.body.error]).toEqual([action, 200, undefined]);
    return answer.body.data;
  }

  return { app, customer, product, draft, order, act, ...readings(app) };
}
export type Shop = Awaited<ReturnType<typeof openShop>>;

function readings(app: TestApp) {
  return {
    cancel: (id: string, query = "") => app.call("DELETE", `/orders/${id}${query}`),
    get: async (id: string) => (await app.get(`/orders/${id}`)).body.data,
    /** What happened to an order: event, from and to. */
    history: async (id: string) =>
      (await app.get(`/orders/${id}/history`)).body.data.map(
        (row: { event: string; from_status: string | null; to_status: string }) =>
          `${row.event}: ${row.from_status ?? "-"} > ${row.to_status}`,
      ) as string[],
    /** The types of the events since the last call that are not about stock, which has tests of its own. */
    told: async () => (await app.takeEvents()).map(({ type }) => type).filter((type) => !type.startsWith("inventory.")),
    /** What is available of a SKU. */
    available: async (sku: string) => (await app.get(`/inventory/${sku}`)).body.data.available as number,
    /** Closes the service once everything has been found as it must be. */
    close: async () => {
      expect(await app.service.stores.live.read(verifyStore)).toEqual([]);
      await app.close();
    },
  };
}
