// Pages of several megabytes that many clients request at once, some of which never read them: memory and fairness.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import net from "node:net";
import type { StartedService } from "../../scripts/service.ts";
import { type Client, client, startFreshService } from "./service.ts";

const lines = 500;
const orders = 20;
const readers = 15;
const unread = 15;

let service: StartedService;
let heavy: string;
let other: string;

beforeAll(async () => {
  service = await startFreshService();
  const house = client(service.url, service.first_keys.live);
  for (const code of ["HEAVY", "OTHER"]) await house.must("POST", "/merchants", { code, name: code });
  heavy = await service.makeKey("live", "full", "HEAVY");
  other = await service.makeKey("live", "full", "OTHER");
  await fill(client(service.url, heavy), orders);
  // One of these orders is a large response on its own.
  await fill(client(service.url, other), 1);
}, 240_000);
afterAll(() => service.remove());

async function fill(api: Client, count: number): Promise<void> {
  const products: { id: string }[] = [];
  for (let at = 0; at < lines; at += 1) {
    products.push((await api.must("POST", "/products", { sku: `CUP-${at}`, name: "Stoneware glazed twice" })).data);
  }
  const address = { address_line1: "1 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
  const customer = await api.must("POST", "/customers", {
    email: "ada@example.com",
    first_name: "Ada",
    last_name: "Lovelace",
    shipping_addresses: [address],
  });
  const line_items = products.map(({ id }) => ({ product_id: id, quantity: 1, unit_price: 12.5 }));
  for (let at = 0; at < count; at += 1) {
    await api.must("POST", "/orders", {
      order_number: `L-${at}`,
      customer_id: customer.id,
      shipping_address_id: customer.shipping_addresses[0].id,
      line_items,
      allow_backorder: true,
    });
  }
}

const memory = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, "utf8"))?.[1] ?? 0) * 1024;

const read = async (path: string, key: string) => {
  const response = await fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  return { status: response.status, bytes: (await response.arrayBuffer()).byteLength };
};

function leaveUnread(path: string): net.Socket {
  const { port } = new URL(service.url);
  const socket = net.connect(Number(port), "127.0.0.1").pause();
  socket.on("error", () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: packhouse.test\r\nAuthorization: Bearer ${heavy}\r\n\r\n`);
  return socket;
}

test.skipIf(process.platform !== "linux")(
  "many large pages at once use the memory of a few, none is refused, and other clients are still served",
  async () => {
    const path = `/v1/orders?limit=${orders}`;
    const page = await read(path, heavy);
    expect(page.status).toBe(200);
    const before = memory();
    const began = performance.now();
    const sockets = Array.from({ length: unread }, () => leaveUnread(path));
    const crowd = Promise.all(Array.from({ length: readers }, () => read(path, heavy)));
    let most = before;
    let longest_ms = 0;
    let others = 0;
    let is_over = false;
    const watching = async () => {
      while (!is_over) {
        const asked = performance.now();
        expect((await read("/health/live", other)).status).toBe(200);
        longest_ms = Math.max(longest_ms, performance.now() - asked);
        expect((await read("/v1/orders", other)).status).toBe(200);
        others += 1;
        most = Math.max(most, memory());
      }
    };
    const watch = watching();
    const answers = await crowd;
    const took_ms = performance.now() - began;
    is_over = true;
    await watch;
    for (const socket of sockets) socket.destroy();
    expect(answers).toEqual(answers.map(() => page));
    // Built all at once they took three times their size. Other tests in this process use memory, too.
    expect((most - before) / (page.bytes * (readers + unread))).toBeLessThan(2);
    expect(longest_ms / took_ms).toBeLessThan(0.5);
    expect(others).toBeGreaterThan(3);
  },
  240_000,
);
