// Thirty-two kinds of bad receiver at once, through the whole service with its real deadlines. Each attempt is logged
// correctly, retried at the right time, ended within its deadline, and costs no noticeable memory.
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { asc } from "drizzle-orm";
import { deliveries } from "../../db/schema/webhooks.ts";
import { emit } from "../../src/events/emit.ts";
import { openApp, start } from "../build/service.ts";
import { kinds } from "./bad_receivers.ts";

const longest_ms = 3000 + 5000 + 1000;
const memory_max_bytes = 20 << 20;
const crowd = 4;

const app = await openApp();
const receivers: Bun.Subprocess<"ignore", "pipe", "inherit"> = Bun.spawn(
  [process.execPath, join(import.meta.dir, "bad_receivers.ts")],
  { stdout: "pipe" },
);
const { value } = await receivers.stdout.getReader().read();
const addresses = JSON.parse(new TextDecoder().decode(value));
afterAll(async () => {
  receivers.kill();
});

const ask = (method: string, path: string, body?: unknown) => app.call(method, path, body, { key: app.keys.test.full });

/** Subscribes every bad receiver and returns the ids of the subscriptions. */
async function subscribeAll(): Promise<string[]> {
  const ids: string[] = [];
  for (const [at, { name }] of kinds.entries()) {
    const made = await ask("POST", "/webhooks", { url: addresses[at], events: ["order.created"], description: name });
    if (made.status !== 201) throw new Error(`${name}: ${JSON.stringify(made.body.error)}`);
    ids.push(made.body.data.id);
  }
  return ids;
}

/** Creates events and waits until each has been attempted at every receiver, no longer than one attempt takes. */
async function tellAll(count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => {
    return { type: "order.created" as const, merchant_id: 1, data: { object: "order", id: `ord_${n}` } };
  });
  await app.service.stores.test.write((tx) => emit(tx, events));
  const began = performance.now();
  await app.runJobs();
  expect(performance.now() - began).toBeLessThan(longest_ms + 2500);
}

describe("a bad receiver", () => {
  test(`of ${kinds.length} kinds is logged, retried on schedule and dropped within its deadline`, async () => {
    const ids = await subscribeAll();
    await tellAll(1);
    const kept = await app.service.stores.test.read((db) =>
      db.sql.select().from(deliveries).orderBy(asc(deliveries.subscription_id)),
    );
    expect(kept.length).toBe(kinds.length);
    for (const [at, bad] of kinds.entries()) {
      const { data } = (await ask("GET", `/webhooks/${ids[at]}/logs`)).body;
      const [line] = data;
      const { code, status_code, again_s = 5, delivery = "pending" } = bad;
      const wait_s = line.next_attempt_at === null ? null : (Date.parse(line.next_attempt_at) - start) / 1000;
      const seen = [bad.name, data.length, line.error?.code ?? null, line.response?.status_code ?? null];
      expect(seen).toEqual([bad.name, 1, code, status_code]);
      expect([bad.name, line.status, kept[at]?.status]).toEqual([
        bad.name,
        code === null ? "success" : "failed",
        delivery,
      ]);
      if (again_s === null) expect([bad.name, wait_s]).toEqual([bad.name, null]);
      else expect(wait_s, bad.name).toBeWithin(again_s, Math.max(6.001, again_s + 0.001));
      expect(line.duration_ms, bad.name).toBeWithin(0, longest_ms + 500);
      expect(Buffer.byteLength(line.response?.body ?? "")).toBeLessThanOrEqual(4096);
    }
  }, 20_000);

  test("uses no more memory once everything has been called for the first time", async () => {
    for (const { id } of (await ask("GET", "/webhooks?limit=100")).body.data) await ask("DELETE", `/webhooks/${id}`);
    await subscribeAll();
    Bun.gc(true);
    const before = process.memoryUsage.rss();
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss());
    }, 20);
    await tellAll(crowd).finally(() => clearInterval(watch));
    const grown = most - before;
    console.log(`bad receivers: ${crowd} attempts at each made memory grow by ${(grown / (1 << 20)).toFixed(1)} MiB`);
    expect(grown).toBeLessThan(memory_max_bytes);
  }, 20_000);
});
