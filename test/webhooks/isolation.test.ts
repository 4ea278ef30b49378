// Hanging and slow receivers do not delay other receivers, nor their own new events behind old ones.
import { afterAll, beforeAll, expect, test } from "bun:test";
import * as net from "node:net";
import { emit } from "../../src/events/emit.ts";
import type { EventType } from "../../src/events/event_types.ts";
import { type Schedule, startTriggered } from "../../src/server/scheduler.ts";
import type { Store } from "../../src/storage/database.ts";
import { endPending, insertDeliveries } from "../../src/webhooks/deliveries/deliveries.sql.ts";
import { freshHealth } from "../../src/webhooks/subscriptions/subscription.ts";
import { getSubscription, insertSubscription } from "../../src/webhooks/subscriptions/subscriptions.sql.ts";
import { openTestApp, type TestApp } from "../build/service.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

const hung_count = 300;
const measured = 50;
const every_ms = 50;
const slow_ms = 2000;

let app: TestApp;
let store: Store;
let good: Receiver;
let good_id: string;
let schedule: Schedule[] = [];
let clock: Timer;
const sent_at = new Map<string, number>();
const took_ms: number[] = [];

/** A server that accepts connections and never responds. */
async function openHung() {
  const sockets = new Set<net.Socket>();
  let open = 0;
  let most = 0;
  const server = net.createServer((socket) => {
    sockets.add(socket);
    open += 1;
    most = Math.max(most, open);
    socket.on("error", () => {});
    socket.on("close", () => {
      open -= 1;
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  const url = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}/`;
  return { url, seen: () => sockets.size, most: () => most, close };
}

let hung: Awaited<ReturnType<typeof openHung>>;

const subscribe = async (url: string, events: readonly EventType[]): Promise<string> => {
  const answer = await app.call("POST", "/webhooks", { url, events }, { key: app.keys.test.full });
  return answer.body.data.id;
};

beforeAll(async () => {
  app = await openTestApp();
  store = app.service.stores.test;
  hung = await openHung();
  good = openReceiver(({ body }) => {
    const { data } = JSON.parse(body);
    if (sent_at.has(data.id)) took_ms.push(performance.now() - (sent_at.get(data.id) ?? 0));
    return data.id === "old" ? Bun.sleep(slow_ms).then(() => 200) : 200;
  });
  good_id = await subscribe(good.url, ["order.shipped"]);
  // The clock of a test stands still by default; here it runs in real time.
  let last = performance.now();
  clock = setInterval(() => {
    const passed = Math.floor(performance.now() - last);
    last += passed;
    app.clocks.test.advance(passed);
  }, 5);
  schedule = startTriggered(store, app.service);
});
afterAll(async () => {
  clearInterval(clock);
  hung.close();
  await Promise.all(schedule.map((job) => job.stop()));
  await app.close();
  await good.stop();
});

const tell = (type: EventType, id: string) =>
  store.write((tx) => emit(tx, [{ type, merchant_id: 1, data: { object: "order", id } }]));

/** The 99th percentile latency in ms of sequential events, from before the commit to the receipt. */
async function slowest(name: string): Promise<number> {
  took_ms.length = 0;
  for (let n = 0; n < measured; n += 1) {
    sent_at.set(`${name}_${n}`, performance.now());
    await tell("order.shipped", `${name}_${n}`);
    if (n % 20 === 10) await tell("order.created", `noise_${name}_${n}`);
    await Bun.sleep(every_ms);
  }
  for (let tries = 0; took_ms.length < measured && tries < 1000; tries += 1) await Bun.sleep(10);
  expect(took_ms.length).toBe(measured);
  return took_ms.sort((a, b) => a - b)[Math.ceil(measured * 0.99) - 1] ?? 0;
}

let alone_ms = 0;

/**
 * Whether another receiver is still reached within a second. A busy machine is slow on its own as well, and may
 * disturb a measurement once or twice. A fault in the service would do so every time.
 */
async function mustBeUndisturbed(name: string): Promise<void> {
  const most_ms = Math.max(1000, 4 * alone_ms);
  let among_ms = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3 && among_ms >= most_ms; tries += 1) among_ms = await slowest(`${name} ${tries}`);
  console.log(`isolation: p99 ${Math.round(alone_ms)} ms alone, ${Math.round(among_ms)} ms ${name}`);
  expect(among_ms).toBeLessThan(most_ms);
}

/** Adds n pending deliveries that have been tried twice already. */
const wait = (id: string, count: number, attempts: number, data: object) =>
  store.write((tx) => {
    const row = {
      subscription_id: Number(id.slice(4)),
      merchant_id: null,
      event_type: "order.cancelled" as const,
      status: "pending" as const,
      attempts,
      max_attempts: 6,
      spent_attempts: 0,
      next_at: tx.now,
      leased_until: null,
      form: "v1" as const,
      body: JSON.stringify({ data }),
      trigger: "scheduled" as const,
      recovery_id: null,
      restored: null,
      created_at: tx.now,
      finished_at: null,
    };
    const rows = Array.from({ length: count }, (_, n) => ({ ...row, event_id: tx.newId("evt"), sequence: 1e6 + n }));
    tx.wake("webhooks.deliver", tx.now);
    return insertDeliveries(tx, rows);
  });

test("a receiver is reached alone", async () => {
  alone_ms = await slowest("run_individually");
}, 90_000);

test("retries do not delay new events of the same receiver", async () => {
  await wait(good_id, 200, 2, { id: "old" });
  await mustBeUndisturbed("among what is tried again");
  expect(good.events.filter(({ data }) => data.id === "old").length).toBeGreaterThanOrEqual(4);
  await store.write((tx) => endPending(tx, Number(good_id.slice(4)), "skip", 100_000));
}, 90_000);

test("a dead receiver with ten thousand pending deliveries gets eight at once and delays no other", async () => {
  const dead = await openHung();
  const id = await subscribe(dead.url, ["order.cancelled"]);
  await wait(id, 10_000, 0, {});
  await mustBeUndisturbed("beside 10,000 that wait");
  expect([dead.seen() >= 8, dead.most()]).toEqual([true, 8]);
  await app.call("DELETE", `/webhooks/${id}`, undefined, { key: app.keys.test.full });
  dead.close();
}, 90_000);

test(`${hung_count} hung receivers do not delay another`, async () => {
  // More than a client may create, so they are inserted through the store.
  await store.write(async (tx) => {
    const { id: _id, ...like } = await getSubscription(tx, good_id);
    for (let n = 0; n < hung_count; n += 1) {
      const own = { url: `${hung.url}${n}`, events: ["order.created" as const], created_at: tx.now };
      await insertSubscription(tx, { ...like, ...freshHealth, ...own });
    }
  });
  for (let n = 0; n < 3; n += 1) await tell("order.created", `hung_${n}`);
  for (let tries = 0; hung.seen() < hung_count && tries < 500; tries += 1) await Bun.sleep(10);
  expect(hung.seen()).toBeGreaterThanOrEqual(256);
  await mustBeUndisturbed(`among ${hung_count} hung`);
}, 90_000);
