// Rates of and acts on 500 orders at once in a service of its own: how long they take, how much memory they need, and
// how long others have to wait meanwhile.
import { expect, setDefaultTimeout, test } from "bun:test";
import { buyerOf } from "../build/buyer.ts";
import { startOtherClient } from "../flows/other_client.ts";
import { client, startFreshService } from "../flows/service.ts";

setDefaultTimeout(600_000);

const size = 500;

test("500 orders get labels, are packed and shipped, while others go on", async () => {
  const service = await startFreshService();
  const { must } = client(service.url, service.first_keys.test);
  // The other client asks without a pause.
  for (const key of (await must("GET", "/keys")).data)
    await must("PATCH", `/keys/${key.id}`, { rate_limit_per_minute: 0 });
  await must("POST", "/products", { sku: "TEA-1", name: "Tea", weight: 1, weight_unit: "lb" });
  await must("POST", "/inventory", { sku: "TEA-1", quantity: 1000 });
  const place = { address_line1: "12 Elm St", address_line2: "SIM-NO-SCANS", city: "Portland", state: "OR" };
  const buyer = await buyerOf(must, { shipping_addresses: [{ ...place, postal_code: "97201", country: "US" }] });
  const order_ids: string[] = [];
  for (let n = 1; n <= size; n += 1) order_ids.push((await buyer.order(`L-${n}`, [["TEA-1", 1]])).id);

  // First requests read what later ones keep, such as zones and rate cards.
  await must("GET", "/products?limit=1");
  const { id: order_id } = await buyer.order("FIRST", [["TEA-1", 1]]);
  const parcel = { package: { weight: 1 } };
  await must("POST", "/shipping/labels", { order_id, carrier: "sim", service: "standard", ...parcel });

  /** Sends requests at once while another client asks again and again. Reports how long that one waited. */
  async function measured(name: string, path: string, bodies: readonly object[]) {
    const headers = { authorization: `Bearer ${service.first_keys.test}`, "content-type": "application/json" };
    const post = (body: object) =>
      fetch(`${service.url}/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const other = startOtherClient(service, service.first_keys.test);
    const answers = await Promise.all(bodies.map(post));
    console.log(JSON.stringify({ name, orders: size, ...(await other.stop()) }));
    // Read last: this process would be busy with it instead of asking.
    return Promise.all(answers.map(async (answer) => ((await answer.json()) as { data: object }).data));
  }
  async function acted(action: string, input: object = {}) {
    const [data] = await measured(action, "/orders/actions", [{ action, order_ids, input }]);
    expect(data).toMatchObject({ done: size, failed: 0 });
  }

  const choice = { shipping_choice: { carrier: "sim", service: "standard" } };
  for (const id of order_ids) await must("PATCH", `/orders/${id}`, choice);
  for (const data of await measured("rates, twice", "/shipping/rates/bulk", [{ order_ids }, { order_ids }])) {
    expect(data).toMatchObject({ picked: size, open: 0 });
  }
  const why = { reason: "mistake" };
  await acted("pick");
  await acted("pack");
  await acted("unpack", why);
  await acted("unpick", why);
  await acted("buy_label", { carrier: "sim", service: "standard" });
  await acted("pack");
  await acted("ship");
  const { statuses } = (await must("GET", "/orders/counts")).data;
  expect(statuses.shipped).toBe(size);
  expect((await service.verify()).code).toBe(0);
  await service.remove();
});
