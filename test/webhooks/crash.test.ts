// The server is killed in the middle of its deliveries, again and again: every event arrives, every number is there,
// and whatever is sent twice is sent with the same bytes.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type StartedService, startService } from "../../scripts/service.ts";
import { engine } from "../../src/config.ts";
import { seededRandom } from "../../src/kit/random.ts";
import { client, freshDatabase } from "../flows/service.ts";

const kills = engine === "sqlite" ? 60 : 10;
const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

/** What one subscription received: bodies by event, and how often each came. */
function openReceiver(random: () => number) {
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
      // Some are answered so late that a kill comes between.
      await Bun.sleep(random() * 60);
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

const receivers: ReturnType<typeof openReceiver>[] = [];
let service: StartedService | null = null;
afterAll(async () => {
  for (const receiver of receivers) await receiver.stop();
  await service?.remove();
});

test(`${kills} kills lose no event, leave no number out and change no byte (seed ${seed})`, async () => {
  const random = seededRandom(seed);
  const settings = { data: mkdtempSync(join(tmpdir(), "packhouse-hooks-")), database_url: await freshDatabase() };
  service = await startService(settings);
  const key = await service.makeKey("test");
  let api = client(service.url, key);
  for (const sku of ["TEA", "LAST"]) await api.must("POST", "/products", { sku, name: sku });
  const events = ["inventory.received", "inventory.updated"];
  const hooks: string[] = [];
  for (const version of ["v1", "v2"]) {
    const receiver = openReceiver(() => random.next());
    receivers.push(receiver);
    const body = { url: receiver.url, events, version, retry_limit: 10 };
    hooks.push((await api.must("POST", "/webhooks", body)).data.id);
  }
  for (let kill = 0; kill < kills; kill += 1) {
    const adding = Array.from({ length: 8 }, async () => {
      // A request that the kill cuts off may have had its effect or not; the events tell.
      for (let n = 0; n < 4; n += 1) await api.send("POST", "/inventory", { sku: "TEA", quantity: 1 }).catch(() => {});
    });
    await Bun.sleep(random.integer(20, 120));
    await service.kill();
    await Promise.all(adding);
    service = await startService(settings);
    api = client(service.url, key);
  }
  // The database may commit what a killed server asked for after the next one has started; this is placed after it.
  await api.must("POST", "/inventory", { sku: "LAST", quantity: 1 });
  let written = await allOf("/events?limit=100");
  const isDone = () =>
    written.filter((event) => JSON.stringify(event).includes('"LAST"')).length === events.length &&
    receivers.every(({ bodies }) => bodies.size >= written.length);
  // What a kill left claimed is due again after its lease of 30 seconds.
  for (let tries = 0; tries < 700 && !isDone(); tries += 1) {
    await Bun.sleep(100);
    written = await allOf("/events?limit=100");
  }
  const ids = written.map(({ id }) => id as string).sort();
  const upTo = written.map((_, n) => n + 1);
  for (const [at, { bodies, differing }] of receivers.entries()) {
    expect([...bodies.keys()].sort()).toEqual(ids);
    expect(differing).toEqual([]);
    const deliveries = await allOf(`/webhooks/${hooks[at]}/deliveries?limit=100`);
    expect(deliveries.map(({ sequence }) => sequence as number).reverse()).toEqual(upTo);
  }
  const [first, second] = receivers;
  const sequences = [...(second?.bodies.values() ?? [])].map((body) => JSON.parse(body).sequence as number);
  expect(sequences.sort((a, b) => a - b)).toEqual(upTo);
  for (const event of written) expect(JSON.parse(first?.bodies.get(event["id"] as string) ?? "{}")).toEqual(event);
  const received = receivers.reduce((sum, receiver) => sum + receiver.count(), 0);
  console.log(`webhooks: ${kills} kills, ${written.length} events, ${received} receipts`);

  async function allOf(path: string): Promise<Record<string, unknown>[]> {
    const found: Record<string, unknown>[] = [];
    for (let next = path; ; ) {
      const { data, meta } = await api.must("GET", next);
      found.push(...data);
      if (!meta.pagination.has_more) return found;
      next = `${path}&cursor=${meta.pagination.next_cursor}`;
    }
  }
}, 300_000);
