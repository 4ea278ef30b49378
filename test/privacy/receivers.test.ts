// Responses of webhook receivers are erased with the events, whenever they arrive. Possible receivers are listed.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { desc } from "drizzle-orm";
import { deliveries, delivery_attempts } from "../../db/schema/webhooks.ts";
import { verifyStore } from "../../src/cli/verify.ts";
import { day_ms } from "../../src/core/time.ts";
import { eraseDue } from "../../src/privacy/privacy.jobs.ts";
import { claimDeliveries, recordAttempts } from "../../src/webhooks/deliveries/claim_deliveries.ts";
import { fanOut } from "../../src/webhooks/deliveries/deliveries.ts";
import type { DeliveryClaim } from "../../src/webhooks/deliveries/delivery_claim.ts";
import { forgetOldDeliveries } from "../../src/webhooks/webhooks.jobs.ts";
import { openApp } from "../build/service.ts";
import { openReceiver } from "../webhooks/receiver.ts";

setDefaultTimeout(60_000);

let number = 0;
const tea = { sku: "TEA", quantity: 1, unit_price: "3.20" };
// It echoes the request body.
const receiver = openReceiver(({ body }) => new Response(body));
const app = await openApp();
await ask("POST", "/webhooks", { url: `${receiver.url}/all`, events: ["order.cancelled", "return.created"] });
await ask("POST", "/products", { sku: "TEA", name: "Tea" });
await ask("POST", "/inventory", { sku: "TEA", quantity: 50 });
afterAll(async () => {
  await receiver.stop();
});

function ask(method: string, path: string, body?: unknown) {
  return app.must(method, path, body, { key: app.keys.test.full });
}
const store = () => app.service.stores.test;
const clock = () => app.clocks.test;

/** All stored responses of receivers, as texts. */
async function answers(): Promise<string[]> {
  const rows = await store().read((db) => db.sql.select().from(delivery_attempts));
  return rows.flatMap(({ response_body, response_headers }) =>
    response_body === null && response_headers === null ? [] : [`${response_body} ${JSON.stringify(response_headers)}`],
  );
}

/** Creates a customer with a cancelled order that was sent to the receiver. */
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

const room = { busy: new Map(), limitOf: () => 8, aheadOf: () => 0, last_id: 0, wasLate: () => false };
const result = { headers: { server: "echo" }, truncated: false, ip_address: null, duration_ms: 1 };

/** A finished attempt, as a server records it for a claimed delivery. */
const ended = (claim: DeliveryClaim, status_code: number) => ({
  ...{ claim, signatures: { timestamp_s: 0, signatures: "" }, started_at: clock().now(), real_now: 0, random: 0 },
  result: {
    ...{ ...result, status_code, body: claim.body },
    error: status_code === 200 ? null : { code: "http_error" as const, message: "no" },
  },
});

/** Creates a customer with two cancelled orders whose events are not sent yet. */
async function untold(email: string): Promise<string> {
  const address = { address_line1: "9 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
  const customer = await ask("POST", "/customers", { email, shipping_addresses: [address] });
  for (const order_number of [`${email}-1`, `${email}-2`]) {
    const to = { customer_id: customer.id, shipping_address_id: customer.shipping_addresses[0].id };
    const order = await ask("POST", "/orders", { order_number, ...to, line_items: [tea] });
    await ask("DELETE", `/orders/${order.id}`);
  }
  return customer.id;
}

/** Runs erasures without any other job. */
async function erase(): Promise<void> {
  const due = () => eraseDue(store(), app.service);
  for (let at = await due(); at !== null && at <= clock().now(); at = await due());
}

const latest = () => store().read((db) => db.sql.select().from(deliveries).orderBy(desc(deliveries.id)).limit(2));

test("a response that arrives after its event is erased is not stored, and nothing is sent again", async () => {
  const email = "late@example.com";
  const begun = await begin(await untold(email));
  await store().write((tx) => fanOut(tx));
  const { claims } = await store().write((tx) => claimDeliveries(tx, room));
  expect(claims.map(({ body }) => body.includes(email))).toEqual([true, true]);
  await erase();
  expect((await look(begun)).status).toBe("done");
  expect((await latest()).map(({ status, next_at }) => [status, next_at])).toEqual([
    ["cancelled", null],
    ["cancelled", null],
  ]);
  const [first, second] = claims as [DeliveryClaim, DeliveryClaim];
  await store().write((tx) => recordAttempts(tx, [ended(first, 200), ended(second, 500)]));
  expect((await latest()).map(({ status }) => status).sort()).toEqual(["cancelled", "delivered"]);
  expect(await answers()).toEqual([]);
  const [hook] = await ask("GET", "/webhooks");
  const refused = await app.call(
    "POST",
    `/webhooks/${hook.id}/deliveries/dlv_${first.delivery.id}/redeliver`,
    {},
    { key: app.keys.test.full },
  );
  expect([refused.status, refused.body.error.code]).toEqual([409, "payload_expired"]);
});

test("an event that is fanned out after its payload is dropped is not sent", async () => {
  const begun = await begin(await untold("unplaced@example.com"));
  await erase();
  expect((await look(begun)).status).toBe("done");
  const before = receiver.received.length;
  await app.runJobs();
  expect(receiver.received.length).toBe(before);
  expect((await latest()).map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
  expect(await store().read(verifyStore)).toEqual([]);
});

test("an event of a return that names the person only by address is erased as well", async () => {
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
  await app.runJobs();
  expect((await look(begun)).status).toBe("done");
  expect(await answered()).toBe(0);
  expect(JSON.stringify(await ask("GET", "/events?limit=100"))).not.toContain(email);
  // The niece is another person: the events of her order stay.
  const own = (await ask("GET", "/events?type=order.created&limit=100")) as { data: { id: string } | null }[];
  expect(own.filter(({ data }) => data?.id === order.id)).toHaveLength(1);
});

test("responses are dropped with the payload of their event, and its receivers are still listed", async () => {
  const kept = { event_payloads: 5, delivery_log: 90, webhook_responses: 90 };
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
