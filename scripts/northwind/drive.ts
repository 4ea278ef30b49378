import { progressBar } from "../../src/core/progress.ts";
import type { AddressBody } from "./addresses.ts";
import { type Client, inParallel, type Json } from "./client.ts";
import type { CustomerPlan, NorthwindPlan, OrderPlan, ProductPlan, ReceiptPlan, Zone } from "./mapping.ts";

const width = 12;

/** Ids from the service: those of a customer and its addresses, in the plan's order. */
interface KnownCustomer {
  readonly id: unknown;
  readonly address_ids: readonly unknown[];
}

interface Warehouse {
  readonly id: unknown;
  readonly bins: Readonly<Record<Zone, string>>;
}

interface Carrier {
  readonly code: unknown;
  readonly services: readonly unknown[];
}

/** Carries out the plan over HTTP: first customers, products and stock, then the orders month by month. */
export async function drive(client: Client, plan: NorthwindPlan): Promise<void> {
  const { customers, products, opening, months, open_orders } = plan;
  const warehouse = await prepareWarehouse(client);
  const carrier = await firstCarrier(client);
  const bins = new Map(products.map(({ sku, temperature_zone }) => [sku, warehouse.bins[temperature_zone]]));
  const receive = (receipt: ReceiptPlan) =>
    client.post("/inventory", { ...receipt, location: warehouse.id, bin: bins.get(receipt.sku), reason: "received" });

  const known = new Map(await phase("customers", customers, (customer) => createCustomer(client, customer)));
  const product_ids = new Map(await phase("products", products, (product) => createProduct(client, product)));
  await phase("opening stock", opening, receive);
  const sentCount = months.reduce((sum, { orders }) => sum + orders.length, 0);
  const bar = progressBar("orders sent", sentCount, process.stderr);
  for (const { receipts, orders } of months) {
    await inParallel(receipts, width, receive);
    await inParallel(orders, width, async (order) => {
      await fulfil(client, order, await createOrder(client, order, known), carrier);
      bar.step();
    });
  }
  bar.done();
  await phase("orders left open", open_orders, (order) => createOrder(client, order, known));
  // Discontinued products are sold until the end of the table and closed afterwards.
  const discontinued = products.filter((product) => product.discontinued);
  const close = ({ sku }: ProductPlan) => client.patch(`/products/${product_ids.get(sku)}`, { status: "inactive" });
  await phase("discontinued products", discontinued, close);
}

/** Runs `work` for all items, several at a time, with a progress bar. */
async function phase<Item, Result>(
  label: string,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const bar = progressBar(label, items.length, process.stderr);
  const results = await inParallel(items, width, async (item) => {
    const result = await work(item);
    bar.step();
    return result;
  });
  bar.done();
  return results;
}

/** Adds an ambient and a refrigerated zone with a bin each to the first warehouse. */
async function prepareWarehouse(client: Client): Promise<Warehouse> {
  const warehouses = (await client.get("/inventory/locations"))["data"] as Json[];
  const id = warehouses[0]?.["warehouse_id"];
  const bins = { ambient: "NW-A-01", refrigerated: "NW-R-01" };
  await client.patch(`/inventory/locations/${id}`, {
    location_zones: [
      { zone_id: "NW-AMBIENT", temperature_zone: "ambient", bins: [{ code: bins.ambient }] },
      { zone_id: "NW-COLD", temperature_zone: "refrigerated", bins: [{ code: bins.refrigerated }] },
    ],
  });
  return { id, bins };
}

async function firstCarrier(client: Client): Promise<Carrier> {
  const { carriers } = (await client.get("/shipping/carriers"))["data"] as { carriers: Json[] };
  const { code, services } = carriers[0] ?? {};
  return { code, services: services as unknown[] };
}

async function createCustomer(client: Client, { customer_id, body }: CustomerPlan): Promise<[string, KnownCustomer]> {
  // In test data the simulated carrier leaves the scans to `fulfil`.
  const shipping_addresses = body.shipping_addresses.map((one) => ({ ...one, address_line2: "SIM-NO-SCANS" }));
  const customer = await client.post("/customers", { ...body, shipping_addresses });
  const addresses = customer["shipping_addresses"] as (AddressBody & { readonly id: unknown })[];
  const address_ids = body.shipping_addresses.map(
    (wanted) => addresses.find(({ address_line1 }) => address_line1 === wanted.address_line1)?.id,
  );
  return [customer_id, { id: customer["id"], address_ids }];
}

async function createProduct(client: Client, { sku, body }: ProductPlan): Promise<[string, unknown]> {
  const created = await client.post("/products", body);
  return [sku, (created["data"] as Json)["id"]];
}

async function createOrder(
  client: Client,
  order: OrderPlan,
  known: ReadonlyMap<string, KnownCustomer>,
): Promise<string> {
  const customer = known.get(order.customer_id);
  const created = await client.post("/orders", {
    ...order.body,
    customer_id: customer?.id,
    shipping_address_id: customer?.address_ids[order.address_index],
    line_items: order.lines,
  });
  return (created["data"] as { id: string }).id;
}

/** Takes an order from pending to delivered: the steps in the warehouse, the label, and the carrier's scans. */
async function fulfil(client: Client, order: OrderPlan, id: string, carrier: Carrier): Promise<void> {
  const { order_number, shipper, weight_grams } = order;
  const path = `/orders/${id}`;
  await client.post(`${path}/process`, {});
  await client.post(`${path}/pick`, {});
  const label = await client.post("/shipping/labels", {
    order_id: order_number,
    carrier: carrier.code,
    // The table's shippers have no counterpart here, so each maps to a service.
    service: carrier.services[(shipper - 1) % carrier.services.length],
    package: { weight: weight_grams, weight_unit: "g" },
  });
  await client.post(`${path}/pack`, {});
  await client.post(`${path}/ship`, {});
  const { tracking_number } = label["data"] as { tracking_number: string };
  for (const status of ["picked_up", "in_transit", "out_for_delivery", "delivered"]) {
    await client.post(`/tracking/${tracking_number}/events`, { status });
  }
}
