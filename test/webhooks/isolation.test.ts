// Three hundred receivers that never answer, and one that does: it does not notice them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import * as net from "node:net";
import type { Store } from "../../src/database/store.ts";
import { emit } from "../../src/outbox/emit.ts";
import { type Schedule, startWoken } from "../../src/schedule.ts";
import { freshHealth } from "../../src/webhooks/subscriptions/rules.ts";
import { getSubscription, insertSubscription } from "../../src/webhooks/subscriptions/store.ts";
import { openTestApp, type TestApp } from "../harness.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

const hung_count = 300;
const measured = 60;
const every_ms = 50;

let app: TestApp;
let store: Store;
let good: Receiver;
let schedule: Schedule[] = [];
let clock: Timer;
const sockets = new Set<net.Socket>();
const hung = net.createServer((socket) => {
  sockets.add(socket);
  socket.on("error", () => {});
});
const sent_at = new Map<string, number>();
const took_ms: number[] = [];

beforeAll(async () => {
  app = await openTestApp();
  store = app.service.stores.test;
  await new Promise<void>((done) => hung.listen(0, "127.0.0.1", done));
  good = openReceiver(({ body }) => {
    const { data } = JSON.parse(body);
    took_ms.push(performance.now() - (sent_at.get(data.id) ?? 0));
    return 200;
  });
});
afterAll(async () => {
  clearInterval(clock);
  for (const socket of sockets) socket.destroy();
  hung.close();
  await Promise.all(schedule.map((job) => job.stop()));
  await app.close();
  await good.stop();
});

const tell = (type: "order.created" | "order.shipped", id: string) =>
  store.write((tx) => emit(tx, [{ type, data: { object: "order", id } }]));

/** The slowest but one in a hundred of some events, one after another, from before their commit to their receipt. */
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

test(`${hung_count} hung receivers do not delay another`, async () => {
  const body = { url: good.url, events: ["order.shipped"] };
  const { id } = (await app.call("POST", "/webhooks", body, { key: app.keys.test.full })).body.data;
  // The clock of the test stands still; here it goes on with the world's.
  let last = performance.now();
  clock = setInterval(() => {
    const passed = Math.floor(performance.now() - last);
    last += passed;
    app.clocks.test.advance(passed);
  }, 5);
  schedule = startWoken(store, app.service);
  const alone_ms = await slowest("alone");
  const url = `http://127.0.0.1:${(hung.address() as net.AddressInfo).port}/`;
  // More than a client may have: they come in by the store.
  await store.write(async (tx) => {
    const { id: _id, ...like } = await getSubscription(tx, id);
    for (let n = 0; n < hung_count; n += 1) {
      const own = { url: `${url}${n}`, events: ["order.created" as const], created_at: tx.now };
      await insertSubscription(tx, { ...like, ...freshHealth, ...own });
    }
  });
  for (let n = 0; n < 3; n += 1) await tell("order.created", `hung_${n}`);
  for (let tries = 0; sockets.size < hung_count && tries < 500; tries += 1) await Bun.sleep(10);
  expect(sockets.size).toBeGreaterThanOrEqual(256);
  const among_ms = await slowest("among");
  console.log(`isolation: p99 ${Math.round(alone_ms)} ms alone, ${Math.round(among_ms)} ms among ${hung_count} hung`);
  // Where the machine is busy with other things, alone is slow as well.
  expect(among_ms).toBeLessThan(Math.max(1000, 4 * alone_ms));
}, 60_000);
