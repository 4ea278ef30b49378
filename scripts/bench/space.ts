// How much disk space an order takes from creation to delivery, by table and index, alone and with subscriptions.
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { startService } from "../service.ts";
import { env, sender } from "./business.ts";

const warm_up = 40;
const orders = 400;
const places_told = 14;

/** Bytes of each table and index in the test environment of a stopped service. */
type Sizes = ReadonlyMap<string, number>;

/** Measures the space that orders take. It has no goal. */
export async function measureSpace(): Promise<number> {
  for (const subscriptions of [0, 3]) {
    const [first, second] = [await filled(warm_up, subscriptions), await filled(warm_up + orders, subscriptions)];
    const grown = [...second].map(([name, bytes]) => ({ name, each: (bytes - (first.get(name) ?? 0)) / orders }));
    grown.sort((one, other) => other.each - one.each);
    const all = grown.reduce((sum, { each }) => sum + each, 0);
    console.log(`\nan order of 3 lines, from creation to delivery, with ${subscriptions} subscriptions to all events`);
    console.log(row("total", all));
    for (const { name, each } of grown.slice(0, places_told)) console.log(row(`  ${name}`, each));
  }
  return 0;
}

const row = (name: string, bytes: number) => `${name.padEnd(40)}${Math.round(bytes).toString().padStart(10)} bytes`;

/**
 * A business whose orders were all delivered, with their events delivered to each subscription, and the space it takes
 * on disk.
 */
async function filled(count: number, subscriptions: number): Promise<Sizes> {
  const service = await startService({ env });
  const send = sender(service.url, await service.makeKey("test"));
  const receiver = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("ok") });
  const types = (await send("/event_types", null, "GET")).data.map(({ type }: { type: string }) => type);
  for (let n = 0; n < subscriptions; n += 1) {
    await send("/webhooks", { url: `http://127.0.0.1:${receiver.port}/${n}`, events: types });
  }
  const skus = ["SPACE-1", "SPACE-2", "SPACE-3"];
  for (const sku of skus) {
    await send("/products", { sku, name: `Green tea, ${sku}`, price: "4.50" });
    await send("/inventory", { sku, quantity: 1_000_000 });
  }
  // The simulated carrier leaves the scans of parcels to the benchmark.
  const lines = { address_line1: "100 Commercial St", address_line2: "SIM-NO-SCANS" };
  const address = { ...lines, city: "Portland", state: "ME", postal_code: "04101" };
  const customer = await send("/customers", {
    ...{ email: "orders@harbour-kitchen.example", company: "Harbour Kitchen" },
    shipping_addresses: [{ ...address, country: "US" }],
  });
  const to = { customer_id: customer.id, shipping_address_id: customer.shipping_addresses[0].id };
  const line_items = skus.map((sku) => ({ sku, quantity: 2, unit_price: "4.50" }));
  for (let n = 0; n < count; n += 1) {
    const order_id = (await send("/orders", { order_number: `SPACE-${n}`, ...to, line_items })).data.id;
    const parcel = { weight: 3.6, weight_unit: "lb" };
    const { data } = await send("/shipping/labels", { order_id, carrier: "sim", service: "standard", package: parcel });
    for (const status of ["picked_up", "in_transit", "delivered"]) {
      await send(`/tracking/${data.tracking_number}/events`, { status });
    }
  }
  while (subscriptions > 0 && (await waiting(service.data)) > 0) await Bun.sleep(200);
  await service.stop();
  await receiver.stop(true);
  const sizes = sizesOf(service.data);
  await service.remove();
  return sizes;
}

/** Events and deliveries that are still pending. */
async function waiting(data: string): Promise<number> {
  using db = new Database(join(data, "test.db"), { readonly: true });
  const left = "select (select count(*) from deliveries where status = 'pending')";
  return db.query(`${left} + (select count(*) from events where fanned_out_at is null)`).values()[0]?.[0] as number;
}

function sizesOf(data: string): Sizes {
  using db = new Database(join(data, "test.db"));
  // Compacts the database: half-empty pages would be counted as used.
  db.run("vacuum");
  const rows = db.query("select name, sum(pgsize) from dbstat group by name").values() as [string, number][];
  return new Map(rows);
}
