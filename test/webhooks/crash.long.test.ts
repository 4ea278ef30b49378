// Servers are killed repeatedly in the middle of their deliveries. Every event arrives, no sequence number is missing,
// and every redelivery has the same bytes. Several run at once, since most of the time is spent starting up.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StartedService } from "../../scripts/service.ts";
import { engine } from "../../src/core/config.ts";
import { type Random, seededRandom } from "../../src/core/random.ts";
import { type Client, client, freshDatabase } from "../flows/service.ts";
import { startWatchedService } from "../flows/watched_service.ts";
import { seed, volume } from "../volume.ts";

const services = volume(1, engine === "sqlite" ? 3 : 2);
const kills_each = volume(1, engine === "sqlite" ? 20 : 5);
const told = ["inventory.received", "inventory.updated"];

/** What one subscription received: bodies by event, and the number of deliveries of each. */
function openReceiver(random: Random) {
  const bodies = new Map<string, string>();
  const differing: string[] = [];
  let count = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const body = await request.text();
      const id = request.headers.get("webhook-id") ?? "";
      count += 1;
      if (bodies.has(id) && bodies.get(id) !== body) differing.push(id);
      bodies.set(id, body);
      // Some responses are so late that a kill comes first.
      await Bun.sleep(random.next() * 60);
      return new Response("ok");
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/`,
    bodies,
    differing,
    count: () => count,
    stop: () => server.stop(true),
  };
}

/** A service with a receiver for each version. */
interface WatchedWebhooks {
  service: StartedService;
  api: Client;
  readonly receivers: readonly ReturnType<typeof openReceiver>[];
  readonly hooks: readonly string[];
  readonly random: Random;
  readonly restart: () => Promise<void>;
}

const open: WatchedWebhooks[] = [];
afterAll(async () => {
  for (const { receivers, service } of open) {
    for (const receiver of receivers) await receiver.stop();
    await service.remove();
  }
});

async function openWatched(random: Random): Promise<WatchedWebhooks> {
  const settings = { data: mkdtempSync(join(tmpdir(), "packhouse-hooks-")), database_url: await freshDatabase() };
  const service = await startWatchedService(settings);
  const key = await service.makeKey("test");
  const api = client(service.url, key);
  for (const sku of ["TEA", "LAST"]) await api.must("POST", "/products", { sku, name: sku });
  const receivers = ["v1", "v2"].map(() => openReceiver(random));
  const hooks: string[] = [];
  for (const [at, version] of ["v1", "v2"].entries()) {
    const body = { url: receivers[at]?.url, events: told, version, retry_limit: 10 };
    hooks.push((await api.must("POST", "/webhooks", body)).data.id);
  }
  const restart = async () => {
    watched.service = await startWatchedService(settings);
    watched.api = client(watched.service.url, key);
  };
  const watched: WatchedWebhooks = { service, api, receivers, hooks, random, restart };
  open.push(watched);
  return watched;
}

/** Creates events until the service is killed, which happens once some have been received, and restarts it. */
async function kill(watched: WatchedWebhooks): Promise<void> {
  const { api, random, receivers } = watched;
  let alive = true;
  const adding = Array.from({ length: 4 }, async () => {
    // A request that the kill cuts off may or may not have taken effect. The events show which.
    while (alive) await api.send("POST", "/inventory", { sku: "TEA", quantity: 1 }).catch(() => {});
  });
  const came = () => receivers.reduce((sum, { count }) => sum + count(), 0);
  const enough = came() + random.integer(1, 30);
  for (let tries = 0; tries < 500 && came() < enough; tries += 1) await Bun.sleep(5);
  await Bun.sleep(random.integer(0, 20));
  alive = false;
  await watched.service.kill();
  await Promise.all(adding);
  await watched.restart();
}

/** Every record of a list, read page by page. */
async function allOf({ api }: WatchedWebhooks, path: string): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  for (let next = path; ; ) {
    const { data, meta } = await api.must("GET", next);
    found.push(...data);
    if (!meta.pagination.has_more) return found;
    next = `${path}&cursor=${meta.pagination.next_cursor}`;
  }
}

/** Waits until everything that was ever written has been received, and returns it. */
async function everything(watched: WatchedWebhooks): Promise<Record<string, unknown>[]> {
  // The database may commit a killed server's request after the next server has started. This order is placed after it.
  await watched.api.must("POST", "/inventory", { sku: "LAST", quantity: 1 });
  let written = await allOf(watched, "/events?limit=100");
  const isDone = () =>
    written.filter((event) => JSON.stringify(event).includes('"LAST"')).length === told.length &&
    watched.receivers.every(({ bodies }) => bodies.size >= written.length);
  // Deliveries claimed by a killed server are due again when its lease of 30 seconds expires.
  for (let tries = 0; tries < 300 && !isDone(); tries += 1) {
    await Bun.sleep(250);
    written = await allOf(watched, "/events?limit=100");
  }
  return written;
}

async function checkWatched(watched: WatchedWebhooks, written: readonly Record<string, unknown>[]): Promise<void> {
  const ids = written.map(({ id }) => id as string).sort();
  const upTo = written.map((_, n) => n + 1);
  for (const [at, { bodies, differing }] of watched.receivers.entries()) {
    expect([...bodies.keys()].sort()).toEqual(ids);
    expect(differing).toEqual([]);
    const deliveries = await allOf(watched, `/webhooks/${watched.hooks[at]}/deliveries?limit=100`);
    expect(deliveries.map(({ sequence }) => sequence as number).reverse()).toEqual(upTo);
  }
  const [first, second] = watched.receivers;
  const sequences = [...(second?.bodies.values() ?? [])].map((body) => JSON.parse(body).sequence as number);
  expect(sequences.sort((a, b) => a - b)).toEqual(upTo);
  for (const event of written) expect(JSON.parse(first?.bodies.get(event["id"] as string) ?? "{}")).toEqual(event);
}

test(`${services * kills_each} kills lose no event, skip no number and change no byte (seed ${seed})`, async () => {
  const live = async (_: unknown, number: number) => {
    const watched = await openWatched(seededRandom(seed + number));
    for (let n = 0; n < kills_each; n += 1) await kill(watched);
    const written = await everything(watched);
    await checkWatched(watched, written);
    return { events: written.length, receipts: watched.receivers.reduce((sum, { count }) => sum + count(), 0) };
  };
  const lived = await Promise.all(Array.from({ length: services }, live));
  const sum = (of: "events" | "receipts") => lived.reduce((total, watched) => total + watched[of], 0);
  console.log(`webhooks: ${services * kills_each} kills, ${sum("events")} events, ${sum("receipts")} receipts`);
}, 300_000);
