// The stream of hints over real connections to real servers.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import net from "node:net";
import type { StartedService } from "../../../scripts/service.ts";
import { engine } from "../../../src/core/config.ts";
import { type Client, client, startFreshService, stockUp } from "../../flows/service.ts";
import { listen } from "./listener.ts";

setDefaultTimeout(60_000);

let service: StartedService;
let key: string;
let api: Client;
let stock: Awaited<ReturnType<typeof stockUp>>;
let orders = 0;

beforeAll(async () => {
  service = await startFreshService();
  key = service.first_keys.live;
  api = client(service.url, key);
  stock = await stockUp(api, ["TEA"], 1000);
});
afterAll(() => service.remove());

const takeOrder = async (with_api = api): Promise<{ id: string }> => {
  orders += 1;
  const { customer_id, shipping_address_id } = stock;
  const line_items = [{ sku: "TEA", quantity: 1, unit_price: "5.00" }];
  const order = { order_number: `LIVE-${orders}`, customer_id, shipping_address_id, line_items };
  return (await with_api.must("POST", "/orders", order)).data;
};

const open = (settings: { mode?: string; last?: string } = {}, with_key = key) =>
  listen(service.url, with_key, settings);

/** A merchant with a key of its own. */
async function mustMerchant(code: string) {
  await api.must("POST", "/merchants", { code, name: code });
  const made = await api.must("POST", "/keys", { name: code, permission: "full", merchant_id: code });
  return { key: made.data.key, api: client(service.url, made.data.key) };
}

describe("hints", () => {
  test("show a merchant nothing of others, neither hints of their webhooks nor ids", async () => {
    const own = await mustMerchant("OWN");
    const other = await mustMerchant("OTHER");
    const stream = await open({}, own.key);
    const first = stream.last();
    const attempt = async ({ api }: { readonly api: Client }) => {
      const made = await api.must("POST", "/webhooks", { url: "https://1.1.1.1/", events: ["order.created"] });
      await api.must("POST", `/webhooks/${made.data.id}/test`, { event: "order.created" });
    };
    const others = await open({}, other.key);
    await attempt(other);
    const ofJobs = (hint: { type?: string; noun?: string; ids?: readonly string[] }) =>
      hint.type === "changed" && hint.noun === "webhooks" && hint.ids?.length === 0;
    await others.until(() => others.hints().some(ofJobs));
    const back = await open({ last: first }, own.key);
    expect([back.told.map(({ event }) => event), back.last()]).toEqual([["ready"], first]);
    await attempt(own);
    await stream.until(() => stream.hints().some(ofJobs));
    expect(stream.hints().filter(ofJobs)).toHaveLength(1);
    for (const { id } of stream.told) expect(id).toMatch(/^[\w-]{16}$/);
    for (const one of [stream, others, back]) one.leave();
  });

  test("cover events with their subject, and changes without an event", async () => {
    const stream = await open();
    expect([stream.headers.get("content-type"), stream.headers.get("cache-control")]).toEqual([
      "text/event-stream",
      "no-store",
    ]);
    const { id } = await takeOrder();
    const has = (type: string, noun: string, about: string) => () =>
      stream.hints().some((hint) => hint.type === type && hint.noun === noun && hint.ids?.includes(about));
    await stream.until(has("order.created", "orders", id));
    await stream.until(has("inventory.updated", "inventory", "TEA"));
    await api.must("POST", `/orders/${id}/hold`, { reason: "manual" });
    await stream.until(has("changed", "orders", id));
    const [warehouse] = (await api.must("GET", "/inventory/locations")).data;
    await api.must("PATCH", `/inventory/locations/${warehouse.warehouse_id}`, { name: "Portland" });
    await stream.until(has("changed", "inventory/locations", warehouse.warehouse_id));
    const ids = stream.told.map((one) => one.id);
    expect(new Set(ids).size).toBe(ids.length);
    // What is only asked, and what is refused, changes nothing.
    const before = stream.told.length;
    await api.must("GET", `/orders/${id}`);
    expect((await api.send("POST", `/orders/${id}/pack`)).status).toBe(409);
    await api.must("POST", `/orders/${id}/release?dry_run=true`, {});
    const key_made = await api.must("POST", "/keys", { name: "shown", permission: "read" });
    await stream.until(() => stream.hints().some(({ noun }) => noun === "keys"));
    expect(stream.hints().slice(before - 1)).toEqual([expect.objectContaining({ noun: "keys" })]);
    expect(JSON.stringify(stream.told)).not.toContain(key_made.data.key);
    stream.leave();
  });

  test("cover only the own environment, and only what the listener may read", async () => {
    const reader = (await api.must("POST", "/keys", { name: "reader", permission: "read" })).data;
    const sandbox = service.first_keys.test;
    const [mine, theirs] = [await open({}, reader.key), await open({ mode: "test" }, sandbox)];
    const { id } = await takeOrder();
    await api.must("PATCH", `/keys/${reader.id}`, { name: "read only" });
    const { id: later } = await takeOrder();
    await mine.until(() => mine.hints().some(({ ids }) => ids?.includes(later)));
    expect(mine.hints().some(({ ids }) => ids?.includes(id))).toBe(true);
    expect(mine.hints().filter(({ noun }) => noun === "keys")).toEqual([]);
    expect(theirs.hints()).toEqual([]);
    expect((await open({ mode: "live" }, sandbox)).status).toBe(422);
    for (const stream of [mine, theirs]) stream.leave();
  });
});

describe("coming back", () => {
  test("repeat what a reconnecting client missed, and nothing twice", async () => {
    const first = await open();
    const { id } = await takeOrder();
    await first.until(() => first.hints().some(({ ids }) => ids?.includes(id)));
    await Bun.sleep(300);
    const seen = new Set(first.told.map((one) => one.id));
    first.leave();
    const { id: missed } = await takeOrder();
    const second = await open({ last: first.last() });
    await second.until(() => second.hints().some(({ ids }) => ids?.includes(missed)));
    expect(second.told[0]).toMatchObject({ event: "ready", id: first.last() });
    expect(second.hints().filter((hint) => seen.has(hint.id ?? ""))).toEqual([]);
    second.leave();
  });

  test("request a reload for an unknown id, and after a restart", async () => {
    const strange = await open({ last: "1767323045000abcdef-7" });
    expect(strange.told[0]?.event).toBe("resync");
    strange.leave();
    const other = await startFreshService();
    const other_key = other.first_keys.live;
    const before = await listen(other.url, other_key);
    const last = before.last();
    const ended = other.stop();
    await before.ended;
    expect(await ended).toBe(0);
    const again = await startFreshService({ data: other.data, database_url: other.database_url });
    const after = await listen(again.url, other_key, { last });
    expect(after.told[0]?.event).toBe("resync");
    expect(after.last()).not.toBe(last);
    after.leave();
    await again.remove();
  });
});

describe("listeners", () => {
  test("300 receive a hint at once; the server stops gracefully while they listen", async () => {
    const crowded = await startFreshService();
    const crowded_key = await crowded.makeKey("live");
    const crowd = await Promise.all(Array.from({ length: 300 }, () => listen(crowded.url, crowded_key)));
    const theirs = client(crowded.url, crowded_key);
    await theirs.must("POST", "/products", { sku: "OAT", name: "Oats", weight: 1, weight_unit: "lb", price: "2.00" });
    await Promise.all(crowd.map((one) => one.until(() => one.hints().some(({ noun }) => noun === "products"))));
    const metrics = await fetch(`${crowded.url}/metrics`, { headers: { authorization: `Bearer ${crowded_key}` } });
    expect(await metrics.text()).toContain('packhouse_live_streams{mode="live"} 300');
    const begun_at = performance.now();
    const code = await crowded.stop();
    await Promise.all(crowd.map((one) => one.ended));
    expect(code).toBe(0);
    // The service waits up to 20 seconds for what is under way: streams are nothing to wait for.
    expect(performance.now() - begun_at).toBeLessThan(10_000);
    await crowded.remove();
  });

  test("a revoked key receives nothing more at once", async () => {
    const made = (await api.must("POST", "/keys", { name: "short", permission: "read" })).data;
    const stream = await open({}, made.key);
    await api.must("POST", `/keys/${made.id}/revoke`, {});
    await stream.ended;
    expect((await open({}, made.key)).status).toBe(401);
  });

  test("need a key, and one key has a limited number of streams", async () => {
    expect((await fetch(`${service.url}/dashboard/api/events`)).status).toBe(401);
    const greedy = (await api.must("POST", "/keys", { name: "greedy", permission: "read", rate_limit_per_minute: 0 }))
      .data;
    const all = await Promise.all(Array.from({ length: 401 }, () => open({}, greedy.key)));
    expect(all.filter(({ status }) => status === 429).length).toBe(1);
    for (const one of all) one.leave();
    const other = await open();
    expect(other.status).toBe(200);
    other.leave();
  });
});

test("a client that does not read loses its connection, and no other does", async () => {
  const { Stream, hintText } = await import("../../../src/dashboard/server/hint_stream.ts");
  const hint = { id: "1-1", type: "changed", noun: "orders", ids: ["x".repeat(16_000)], at: "" } as const;
  const text = hintText(hint);
  const ended = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 30,
    fetch: (request) => {
      const stream = new Stream(ended.resolve);
      server.timeout(request, 0);
      const timer = setInterval(() => {
        for (let count = 0; count < 50; count += 1) {
          if (stream.send(text)) continue;
          clearInterval(timer);
          server.timeout(request, 1);
          stream.end();
          return;
        }
      }, 5);
      return new Response(stream.body);
    },
  });
  const socket = net.connect(server.port ?? 0, "127.0.0.1");
  socket.pause();
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  socket.on("error", () => {});
  socket.write("GET / HTTP/1.1\r\nHost: packhouse.test\r\n\r\n");
  await ended.promise;
  // A paused socket hears of its end once it reads again: what is left to read then has an end.
  socket.resume();
  await closed;
  await server.stop(true);
});

describe.skipIf(engine === "sqlite")("several servers on one database", () => {
  test("each sends hints of the others' changes", async () => {
    const second = await startFreshService({ database_url: service.database_url });
    const stream = await listen(second.url, key);
    const { id } = await takeOrder();
    const begun_at = performance.now();
    await stream.until(() => stream.hints().some((hint) => hint.type === "order.created" && hint.ids?.includes(id)));
    expect(performance.now() - begun_at).toBeLessThan(5000);
    // An id of one server is nothing to another.
    const here = await open();
    const there = await listen(second.url, key, { last: here.last() });
    expect(there.told[0]?.event).toBe("resync");
    for (const one of [stream, here, there]) one.leave();
    await second.remove();
  });
});
