import { expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engine } from "../../src/core/config.ts";
import { seededRandom } from "../../src/core/random.ts";
import { seed, volume } from "../volume.ts";
import { type Client, client, freshDatabase, stockUp } from "./service.ts";
import { startWatchedService } from "./watched_service.ts";

const cycles = engine === "sqlite" ? volume(1, 50) : volume(1, 10);
const buyers = 16;

interface Attempt {
  readonly number: string;
  /** The order's id once it is acknowledged. */
  id: string | null;
}

/** A receiver that records which orders it was notified about. */
function receiveOrders() {
  const told = new Map<string, number>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { data } = (await request.json()) as { data: { order_number: string } };
      told.set(data.order_number, (told.get(data.order_number) ?? 0) + 1);
      return new Response("ok");
    },
  });
  return { told, url: `http://127.0.0.1:${server.port}/orders`, stop: () => server.stop(true) };
}

test(`kill -9 under load ${cycles} times loses nothing (seed ${seed})`, async () => {
  const random = seededRandom(seed);
  const settings = { data: mkdtempSync(join(tmpdir(), "packhouse-crash-")), database_url: await freshDatabase() };
  const receiver = receiveOrders();
  let service = await startWatchedService(settings);
  const key = await service.makeKey("test");
  let api = client(service.url, key);
  const { location: _location, ...to } = await stockUp(api, ["A", "B", "C"], 1_000_000);
  await api.must("POST", "/webhooks", { url: receiver.url, events: ["order.created"], retry_limit: 10 });
  const attempts: Attempt[] = [];

  /** Sends one order. Its outcome is unknown if there is no response. */
  const order = async (by: Client, attempt: Attempt) => {
    const line_items = ["A", "B", "C"].map((sku) => ({ sku, quantity: 1, unit_price: "5.00" }));
    const body = { ...to, order_number: attempt.number, line_items };
    const { status, body: answer } = await by.send("POST", "/orders", body, { "idempotency-key": attempt.number });
    if (status === 201) attempt.id = answer.data.id;
    else throw new Error(`an order was answered ${status}: ${JSON.stringify(answer)}`);
  };

  for (let cycle = 0; cycle < cycles; cycle += 1) {
    let alive = true;
    const buy = async (buyer: number) => {
      for (let n = 0; alive; n += 1) {
        const attempt: Attempt = { number: `C${cycle}-${buyer}-${n}`, id: null };
        attempts.push(attempt);
        // Requests that the crash interrupted are retried below.
        await order(api, attempt).catch(() => Bun.sleep(1));
      }
    };
    const shopping = Array.from({ length: buyers }, (_, buyer) => buy(buyer));
    while (attempts.length <= (cycle + 1) * buyers) await Bun.sleep(5);
    await Bun.sleep(100 + random.integer(0, 200));
    await service.kill();
    alive = false;
    await Promise.all(shopping);
    service = await startWatchedService(settings);
    api = client(service.url, key);
    const mine = attempts.filter((attempt) => attempt.number.startsWith(`C${cycle}-`));
    // No acknowledged order is lost, and each unknown outcome resolves to exactly one effect.
    await eachAtOnce(mine, async (attempt) => {
      const known = attempt.id;
      await order(api, attempt);
      if (known !== null) expect(attempt.id).toBe(known);
    });
  }

  const acknowledged = new Set(attempts.map((attempt) => attempt.number));
  expect(acknowledged.size).toBeGreaterThan(cycles * buyers);
  const found: string[] = [];
  for (let path = "/orders?limit=100"; ; ) {
    const { data, meta } = await api.must("GET", path);
    found.push(...data.map((one: { order_number: string }) => one.order_number));
    if (!meta.pagination.has_more) break;
    path = `/orders?limit=100&cursor=${meta.pagination.next_cursor}`;
  }
  expect(found.length).toBe(acknowledged.size);
  expect(new Set(found)).toEqual(acknowledged);
  const item = (await api.must("GET", "/inventory/A")).data;
  expect(item).toMatchObject({ reserved: acknowledged.size, total: 1_000_000 });
  const verified = await service.verify();
  expect([verified.code, verified.output]).toEqual([0, "live: 0 differences\ntest: 0 differences\n"]);
  for (let waited = 0; receiver.told.size < acknowledged.size && waited < 600; waited += 1) await Bun.sleep(100);
  expect(new Set(receiver.told.keys())).toEqual(acknowledged);
  const deliveries = [...receiver.told.values()].reduce((sum, count) => sum + count, 0);
  console.log(`crash: ${cycles} kills, ${acknowledged.size} orders, ${deliveries} deliveries`);
  await service.remove();
  await receiver.stop();
}, 300_000);

async function eachAtOnce<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await act(item);
  };
  await Promise.all(Array.from({ length: buyers }, worker));
}
