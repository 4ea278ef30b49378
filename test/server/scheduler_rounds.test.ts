// Every job with pending work, on a server whose clock is wrong: none of them spins.

import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { platform_connections, platform_imports } from "../../db/schema/platforms.ts";
import { notices } from "../../db/schema/webhooks.ts";
import { iso, systemClock } from "../../src/core/clock.ts";
import { engine } from "../../src/core/config.ts";
import { minute_ms } from "../../src/core/time.ts";
import { type Schedule, startTriggered, type TriggeredJob, triggeredJobs } from "../../src/server/scheduler.ts";
import { type JobName, jobNames } from "../../src/storage/commit_effects.ts";
import { openTestApp, type TestApp } from "../build/service.ts";
import { openReceiver, type Receiver } from "../webhooks/receiver.ts";

const watched_ms = 2000;

setDefaultTimeout(60_000);
let app: TestApp;
let receiver: Receiver;
let running: Schedule[] = [];
afterEach(async () => {
  await Promise.all(running.map((schedule) => schedule.stop()));
  running = [];
  await app.close();
  await receiver.stop();
});

const ask = async (method: string, path: string, body?: unknown) => {
  const answer = await app.call(method, path, body, { key: app.keys.test.full });
  if (answer.status > 202) throw new Error(JSON.stringify(answer.body.error));
  return answer.body.data ?? answer.body;
};

/** Pending work of each kind: reserved stock, lots, holds, backorders, failing receivers, stores. */
async function furnish(): Promise<void> {
  const store = app.service.stores.test;
  const soon = (ms: number) => iso(store.clock.now() + ms);
  await ask("POST", "/products", { sku: "MILK", name: "Milk", price: 2 });
  await ask("POST", "/inventory", { sku: "MILK", quantity: 5, lot_number: "L1", expiration_date: soon(2 * minute_ms) });
  await ask("POST", "/inventory/reserve", {
    order_id: "SO-77",
    items: [{ sku: "MILK", quantity: 1 }],
    expires_at: soon(minute_ms),
  });
  const { id: subscription } = await ask("POST", "/webhooks", { url: receiver.url, events: ["order.created"] });
  const address = { address_line1: "12 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
  const person = { email: "jane@example.com", first_name: "Jane", last_name: "Doe", shipping_addresses: [address] };
  const { id: customer_id, shipping_addresses } = await ask("POST", "/customers", person);
  const line_items = [{ sku: "MILK", quantity: 50, unit_price: 2 }];
  const shipping_address_id = shipping_addresses[0].id;
  const order = await ask("POST", "/orders", { order_number: "SO-1", customer_id, shipping_address_id, line_items });
  await ask("POST", `/orders/${order.id}/hold`, { reason: "customer_request", hold_until: soon(minute_ms) });
  await store.write(async (tx) => {
    const waits = { next_at: tx.now + minute_ms, give_up_at: tx.now + 60 * minute_ms };
    const whole = { created_at: tx.now, updated_at: tx.now };
    const shop = { key: "k", platform: "shopify", name: "S", store_id: "s", api_url: "https://s.test" } as const;
    const [connection] = await tx.sql
      .insert(platform_connections)
      .values({ ...shop, merchant_id: 1, order_prefix: "S", status: "active", revision: 1, ...whole })
      .returning({ id: platform_connections.id });
    const queued = { connection_id: connection?.id ?? 0, status: "queued", revision: 1, attempts: 0 } as const;
    await tx.sql
      .insert(platform_imports)
      .values({ ...queued, ...waits, ...whole, merchant_id: 1, external_id: "1", order_id: 1, lines: [] });
    const mail = { mail_status: "waiting", mail_attempts: 0, mail_next_at: tx.now } as const;
    const subscription_id = Number(subscription.slice(4));
    await tx.sql
      .insert(notices)
      .values({ kind: "webhook_failing", subscription_id, message: "", ...mail, created_at: tx.now });
  });
}

const skews = engine === "postgres" ? [-10 * minute_ms, 10 * minute_ms] : [0];
test.each(skews)("no job runs more often than necessary, %d ms from the database's time", async (off_ms) => {
  const machine = systemClock();
  const clock = { ...machine, now: () => machine.now() + off_ms };
  receiver = openReceiver(() => 500);
  const mail = { url: "smtp://127.0.0.1:9", from: "a@a.test", to: "b@b.test" };
  app = await openTestApp({ running: { live: clock, test: clock }, mail });
  await furnish();
  const rounds = new Map(jobNames.map((name) => [name, 0]));
  const counted = (name: JobName): TriggeredJob => ({
    ...triggeredJobs[name],
    job: (...given) => {
      rounds.set(name, (rounds.get(name) ?? 0) + 1);
      return triggeredJobs[name].job(...given);
    },
  });
  const jobs = Object.fromEntries(jobNames.map((name) => [name, counted(name)]));
  running = startTriggered(app.service.stores.test, app.service, jobs);
  await Bun.sleep(watched_ms);
  // A few for the pending work, and on PostgreSQL one a second to poll for others' work.
  const many = [...rounds].filter(([, count]) => count < 1 || count > 20);
  expect(many).toEqual([]);
});
