// What receivers of webhooks answered goes with what they were told, whenever it came. Who may have been told is named.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { eq, inArray } from "drizzle-orm";
import { deliveries, delivery_attempts } from "../../db/schema/webhooks.ts";
import { eraseDue } from "../../src/privacy/erasure/jobs.ts";
import { forgetOldDeliveries } from "../../src/webhooks/retention/jobs.ts";
import { openTestApp, type TestApp } from "../harness.ts";
import { openReceiver, type Receiver } from "../webhooks/receiver.ts";

setDefaultTimeout(60_000);

const day_ms = 86_400_000;
let app: TestApp;
let receiver: Receiver;
let number = 0;
const tea = { sku: "TEA", quantity: 1, unit_price: "3.20" };
beforeAll(async () => {
  // It answers what it was sent.
  receiver = openReceiver(({ body }) => new Response(body));
  app = await openTestApp();
  await ask("POST", "/webhooks", { url: `${receiver.url}/all`, events: ["order.cancelled", "return.created"] });
  await ask("POST", "/products", { sku: "TEA", name: "Tea" });
  await ask("POST", "/inventory", { sku: "TEA", quantity: 50 });
});
afterAll(async () => {
  await app.close();
  await receiver.stop();
});

async function ask(method: string, path: string, body?: unknown) {
  const answer = await app.call(method, path, body, { key: app.keys.test.full });
  expect([path, answer.status < 300, answer.body.error]).toEqual([path, true, undefined]);
  return answer.body.data ?? answer.body;
}
const store = () => app.service.stores.test;
const clock = () => app.clocks.test;

/** All that is kept of what receivers answered, as texts. */
async function answers(): Promise<string[]> {
  const rows = await store().read((db) => db.sql.select().from(delivery_attempts));
  return rows.flatMap(({ response_body, response_headers }) =>
    response_body === null && response_headers === null ? [] : [`${response_body} ${JSON.stringify(response_headers)}`],
  );
}

/** Somebody of whose cancelled order the receiver was told. */
async function told(): Promise<string> {
  const email = `told-${++number}@example.com`;
  const address = { address_line1: "9 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
  const customer = await ask("POST", "/customers", { email, shipping_addresses: [address] });
  const order = await ask("POST", "/orders", {
    ...{ order_number: `R-${number}`, customer_id: customer.id, line_items: [tea] },
    shipping_address_id: customer.shipping_addresses[0].id,
  });
  await ask("DELETE", `/orders/${order.id}`);
  await app.runJobs();
  expect((await answers()).some((answer) => answer.includes(email))).toBe(true);
  return customer.id;
}

const begin = (id: string) => ask("POST", `/customers/${id}/erasure`, {});
const look = ({ id }: { id: string }) => ask("GET", `/erasures/${id}`);

test("an answer that comes while the event is changed goes as well", async () => {
  const begun = await begin(await told());
  const leased_until = clock().now() + 30_000;
  await store().write((tx) => tx.sql.update(deliveries).set({ leased_until }));
  await app.runJobs();
  expect((await look(begun)).status).toBe("running");
  expect(await answers()).toEqual([]);
  // The attempt ends with an answer to the event as it was.
  await store().write(async (tx) => {
    await tx.sql.update(delivery_attempts).set({ response_body: "told-1@example.com" });
    await tx.sql.update(deliveries).set({ leased_until: null });
  });
  clock().advance(32_000);
  await app.runJobs();
  const done = await look(begun);
  expect(done.status).toBe("done");
  expect(await answers()).toEqual([]);
  // What was met twice is counted once.
  const events = done.erased.find(({ records }: { records: string }) => records === "events").count;
  expect(events).toBe(await eventsOf(done.customers[0]));
});

test("an answer to an event that names the person by the address alone goes as well", async () => {
  const email = "aunt@example.com";
  const address = { address_line1: "9 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
  const customer = await ask("POST", "/customers", { email: "niece@example.com", shipping_addresses: [address] });
  const order = await ask("POST", "/orders", {
    ...{ order_number: "R-AUNT", customer_id: customer.id, line_items: [tea] },
    shipping_address_id: customer.shipping_addresses[0].id,
  });
  for (const act of ["process", "ship", "deliver"]) await ask("POST", `/orders/${order.id}/${act}`, {});
  const items = [{ sku: "TEA", quantity: 1, notes: "too bitter" }];
  await ask("POST", "/returns", { order_id: order.id, reason: "other", customer_email: email, items });
  await app.runJobs();
  const answered = async () => (await answers()).filter((answer) => answer.includes(email)).length;
  expect(await answered()).toBe(1);
  const begun = await ask("POST", "/erasures", { email });
  const leased_until = clock().now() + 30_000;
  await store().write((tx) => tx.sql.update(deliveries).set({ leased_until }));
  await app.runJobs();
  expect([(await look(begun)).status, await answered()]).toEqual(["running", 0]);
  await store().write(async (tx) => {
    const theirs = tx.sql
      .select({ id: deliveries.id })
      .from(deliveries)
      .where(eq(deliveries.event_type, "return.created"));
    await tx.sql
      .update(delivery_attempts)
      .set({ response_body: email })
      .where(inArray(delivery_attempts.delivery_id, theirs));
    await tx.sql.update(deliveries).set({ leased_until: null });
  });
  clock().advance(32_000);
  await app.runJobs();
  expect((await look(begun)).status).toBe("done");
  expect(await answers()).toEqual([]);
});

const eventsOf = async (customer_id: string) => {
  const all = await ask("GET", "/events?limit=100");
  return all.filter((event: unknown) => JSON.stringify(event).includes(`"${customer_id}"`)).length;
};

test("the log of requests is read last, once other servers have written down what they were asked", async () => {
  const { id } = await begin(await told());
  const beside = { ...app.service, registry: {} as never };
  const step = async () => (await look({ id })).looks_again_at;
  const now = clock().now();
  let at: number | null = now;
  while (at !== null && at <= now) at = await eraseDue(store(), beside);
  expect([at, Date.parse(await step())]).toEqual([now + 2000, now + 2000]);
  clock().advance(2000);
  await app.runJobs();
  expect((await look({ id })).status).toBe("done");
});

test("with the payload of an event go the answers to it, and its receivers are named all the same", async () => {
  const kept = { event_payloads: 5, delivery_log: 90, receiver_answers: 90 };
  await ask("PATCH", "/settings/retention", kept);
  const customer_id = await told();
  const attempts = await store().read((db) => db.sql.$count(delivery_attempts));
  clock().advance(6 * day_ms);
  await forgetOldDeliveries(store(), app.service);
  expect(await answers()).toEqual([]);
  expect(await store().read((db) => db.sql.$count(delivery_attempts))).toBe(attempts);
  const [{ id: hook }] = await ask("GET", "/webhooks");
  await ask("POST", "/webhooks", { url: `${receiver.url}/later`, events: ["order.created"] });
  await told();
  expect((await ask("POST", `/customers/${customer_id}/disclosure`)).receivers).toEqual([hook]);
  const begun = await begin(customer_id);
  await app.runJobs();
  expect((await look(begun)).receivers).toEqual([hook]);
});
