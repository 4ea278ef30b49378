import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { StartedService } from "../../scripts/service.ts";
import { type Client, client, startFreshService } from "../flows/service.ts";

const overlap_ms = 4000;
const rotations = 2;

let service: StartedService;
let api: Client;
let receiver: { url: string; stop: () => void };
beforeAll(async () => {
  service = await startFreshService();
  api = client(service.url, await service.makeKey("test"));
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "independent_receiver.ts")], { stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  receiver = { url: new TextDecoder().decode(value).trim(), stop: () => child.kill() };
}, 60_000);
afterAll(async () => {
  receiver.stop();
  await service.remove();
});

const trust = (secret: string) => fetch(`${receiver.url}/trust`, { method: "POST", body: secret });
const report = async () =>
  (await (await fetch(`${receiver.url}/report`)).json()) as { seen: string[]; unverifiable: string[] };

test("secrets rotate under traffic, the receiver switches at any time, and every delivery verifies", async () => {
  await api.must("POST", "/products", { sku: "TEA", name: "Tea" });
  const events = ["inventory.received", "inventory.updated"];
  const { id, secret } = (await api.must("POST", "/webhooks", { url: `${receiver.url}/hook`, events })).data;
  await trust(secret);
  let busy = true;
  let written = 0;
  const traffic = Array.from({ length: 3 }, async () => {
    while (busy) {
      await api.must("POST", "/inventory", { sku: "TEA", quantity: 1 });
      written += events.length;
      await Bun.sleep(10);
    }
  });
  for (let n = 0; n < rotations; n += 1) {
    const overlap_seconds = overlap_ms / 1000;
    const rotated = (await api.must("POST", `/webhooks/${id}/rotate_secret`, { overlap_seconds })).data;
    const until = Date.parse(rotated.previous_secret_expires_at);
    // Sometimes immediately, sometimes shortly before the overlap ends.
    await Bun.sleep(n % 2 === 0 ? 0 : (until - Date.now()) / 2);
    await trust(rotated.secret);
    await Bun.sleep(until - Date.now() + 100);
  }
  busy = false;
  await Promise.all(traffic);
  for (let tries = 0; tries < 200 && (await report()).seen.length < written; tries += 1) await Bun.sleep(50);
  const { seen, unverifiable } = await report();
  expect(unverifiable).toEqual([]);
  expect(written).toBeGreaterThan(100);
  expect([seen.length, new Set(seen).size]).toEqual([written, written]);
}, 30_000);
