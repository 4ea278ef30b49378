import type { TestApp } from "../harness.ts";

/** A label as a request asks for it, without its order. */
export const parcel = { service: "standard", package: { weight: 2.5, weight_unit: "lbs" } };

/** A product with plenty of stock and a customer who orders it. `key` chooses the mode. */
export async function openShop(app: TestApp, mode: "live" | "test" = "live") {
  const key = app.keys[mode].full;
  const post = async (path: string, body: object) => {
    const answer = await app.call("POST", path, body, { key });
    if (answer.status !== 201)
      throw new Error(`POST ${path} is answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const product = await post("/products", { sku: "RICE-1KG", name: "Rice, 1 kg" });
  await post("/inventory", { sku: "RICE-1KG", quantity: 1000 });
  const customer = await post("/customers", {
    email: "jordan@example.com",
    first_name: "Jordan",
    last_name: "Avery",
    shipping_addresses: [
      {
        name: "Jordan Avery",
        address_line1: "450 Canyon Drive",
        city: "Beverly Hills",
        state: "CA",
        postal_code: "90210",
        country: "US",
      },
    ],
  });
  let count = 0;
  const carrier = mode === "live" ? "local" : "sim";
  /** An order of units of the product, as a request asks for it. */
  const draft = (quantity = 2, address_id = customer.shipping_addresses[0].id) => ({
    order_number: `SO-${++count}`,
    customer_id: customer.id,
    shipping_address_id: address_id,
    line_items: [{ product_id: product.data.id, quantity, unit_price: "3.20" }],
  });
  /** Orders units of the product and forgets the events of doing so. */
  const order = async (quantity = 2, company: string | null = null): Promise<{ id: string; order_number: string }> => {
    const { id: _, ...address } = { ...customer.shipping_addresses[0], company, is_default: false };
    const place = company === null ? undefined : (await post(`/customers/${customer.id}/addresses`, address)).id;
    const { data } = await post("/orders", draft(quantity, place));
    await app.takeEvents();
    return data;
  };
  /** Buys a label for an order. */
  const label = (order_id: string | number, fields: object = {}, headers: Record<string, string> = {}) =>
    app.call("POST", "/shipping/labels", { order_id, carrier, ...parcel, ...fields }, { key, headers });
  return { key, product_id: product.data.id as string, draft, order, label };
}
