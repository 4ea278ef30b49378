// Addresses of the operator's machine and network. The operator's own test data may name them on a developer's machine;
// a merchant's data never may.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { eq } from "drizzle-orm";
import { platform_connections } from "../../db/schema/platforms.ts";
import { subscriptions } from "../../db/schema/webhooks.ts";
import { addressPolicy, isBlocked, urlProblem } from "../../src/outbound/destination.ts";
import { createOutbound } from "../../src/outbound/outbound.ts";
import { readEnvironmentSettings } from "../../src/server/environment_settings.ts";
import { openApp } from "../build/service.ts";
import { openReceiver } from "./receiver.ts";

let merchant_key = "";
const receiver = openReceiver();
const app = await openApp();
beforeAll(async () => {
  const made = await operator("POST", "/keys", { name: "shop", permission: "full", merchant_id: "MAIN" });
  merchant_key = made.body.data.key;
});
afterAll(async () => {
  await receiver.stop();
});

const operator = (method: string, path: string, body?: unknown, headers = {}) =>
  app.call(method, path, body, { key: app.keys.test.full, headers });
const merchant = (method: string, path: string, body?: unknown) => app.call(method, path, body, { key: merchant_key });

/** A port of this machine without a listener. */
async function closedPort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
  resolve(server.port);
  server.stop(true);
  return promise;
}

const shop = (store_id: string, api_url: string) => ({
  platform: "bigcommerce",
  store_id,
  api_token: "bc-access-token",
  api_url,
});

describe("a merchant", () => {
  test("cannot use a private address, whether something listens there or not, in any field", async () => {
    const places = [new URL(receiver.url).port, await closedPort()].flatMap((port) => [
      `http://127.0.0.1:${port}/stop`,
      `http://localhost:${port}/stop`,
      `http://[::1]:${port}/stop`,
    ]);
    const refusals = new Set<string>();
    for (const url of [...places, "http://10.0.0.7/"]) {
      const answers = [
        await merchant("POST", "/webhooks", { url, events: ["order.created"] }),
        await merchant("POST", "/platforms", shop(`s${Math.random()}`, url)),
      ];
      for (const [at, { status, body }] of answers.entries()) {
        refusals.add(JSON.stringify([at, status, body.error.code, body.error.message, body.error.details]));
      }
    }
    expect([...refusals].sort()).toEqual([
      expect.stringContaining('[0,422,"blocked_address"'),
      expect.stringContaining('[1,422,"blocked_address"'),
    ]);
    expect(receiver.received).toEqual([]);
  });

  test("has no private receiver even if the operator subscribes it", async () => {
    const body = { url: receiver.url, events: ["order.created"] };
    expect((await operator("POST", "/webhooks", { ...body, merchant_id: "MAIN" })).body.error.code).toBe(
      "blocked_address",
    );
    expect((await operator("POST", "/webhooks", body, { "packhouse-merchant": "MAIN" })).body.error.code).toBe(
      "blocked_address",
    );
  });

  test("with an older receiver on loopback is not called, and the log and the test event say why", async () => {
    const made = await merchant("POST", "/webhooks", { url: "https://1.1.1.1/", events: ["order.created"] });
    const id = made.body.data.id;
    const { test: store } = app.service.stores;
    await store.write((tx) =>
      tx.sql
        .update(subscriptions)
        .set({ url: receiver.url })
        .where(eq(subscriptions.id, Number(id.slice(4)))),
    );
    const tested = await merchant("POST", `/webhooks/${id}/test`, { event: "order.created" });
    expect(tested.body.data).toMatchObject({
      status: "blocked",
      response: null,
      duration_ms: null,
      error: { code: "blocked_address", message: "The address must be public." },
    });
    expect(receiver.received).toEqual([]);
    await merchant("DELETE", `/webhooks/${id}`);
  });

  test("cannot redirect a store that the operator connected on this machine to another port of it", async () => {
    const made = await operator("POST", "/platforms", shop("dev1", receiver.url.replace("/events", "")));
    expect(made.status).toBe(201);
    const { id } = made.body.data;
    const moved = await merchant("PATCH", `/platforms/${id}`, {
      api_url: `http://127.0.0.1:${await closedPort()}`,
      api_token: "bc-other-token",
    });
    expect(moved.body.error.code).toBe("blocked_address");
    const { test: store } = app.service.stores;
    const stored = () =>
      store.read((db) => db.sql.select().from(platform_connections).where(eq(platform_connections.store_id, "dev1")));
    expect((await stored())[0]?.is_operator_address).toBe(true);
    await merchant("PATCH", `/platforms/${id}`, { api_url: "https://1.1.1.1", api_token: "bc-other-token" });
    expect((await stored())[0]?.is_operator_address).toBe(false);
    await operator("PATCH", `/platforms/${id}`, { api_url: "https://1.1.1.1" });
    expect((await stored())[0]?.is_operator_address).toBe(true);
  });
});

describe("the operator", () => {
  test("can test receivers on a developer's machine, with test data only", async () => {
    const body = { url: receiver.url, events: ["order.created"] };
    const made = await operator("POST", "/webhooks", body);
    expect(made.status).toBe(201);
    const tested = await operator("POST", `/webhooks/${made.body.data.id}/test`, { event: "order.created" });
    expect(tested.body.data).toMatchObject({ status: "success", response: { status_code: 200 } });
    await operator("DELETE", `/webhooks/${made.body.data.id}`);
    const live = await app.post("/webhooks", { ...body, url: body.url.replace("http:", "https:") });
    expect(live.status).toBe(422);
  });

  test("cannot when the server is reachable by others, unless a flag allows it", () => {
    const settings = (env: Record<string, string>, host = "127.0.0.1", allow_loopback_receivers = false) => {
      Object.assign(process.env, env);
      try {
        return readEnvironmentSettings({ host, allow_loopback_receivers }).loopback_receivers;
      } finally {
        for (const name in env) delete process.env[name];
      }
    };
    const proxied = { PACKHOUSE_TRUSTED_PROXIES: "127.0.0.1/32" };
    const named = { PACKHOUSE_BASE_URL: "https://ship.example.com" };
    expect([
      settings({}),
      settings({}, "::1"),
      settings({ PACKHOUSE_BASE_URL: "http://localhost:3000" }),
      settings({}, "0.0.0.0"),
      settings(proxied),
      settings(named),
      settings({ ...proxied, ...named }, "0.0.0.0", true),
    ]).toEqual([true, true, true, false, false, false, true]);
  });

  test("cannot use receivers on loopback either where they are not allowed", async () => {
    const beyond = await openApp({ loopback_receivers: false });
    const body = { url: receiver.url, events: ["order.created"] };
    const made = await beyond.call("POST", "/webhooks", body, { key: beyond.keys.test.full });
    expect(made.body.error.code).toBe("blocked_address");
  });
});

describe("the address policy", () => {
  const settings = {
    loopback_receivers: true,
    webhook_allow_cidrs: ["10.0.0.0/8", "127.0.0.0/8"],
    merchant_allow_cidrs: [],
  };
  const operators = addressPolicy(settings, "test", "operator");
  const merchants = addressPolicy(settings, "test", "merchant");

  test("opens no range to merchants, by a URL or by what a name resolves to", () => {
    for (const address of ["10.1.2.3", "127.0.0.1"]) {
      expect([isBlocked(address, "hooks.example", operators), isBlocked(address, "hooks.example", merchants)]).toEqual([
        false,
        true,
      ]);
      expect(urlProblem(`http://${address}/`, merchants)?.code).toBe("blocked_address");
    }
    expect(isBlocked("1.1.1.1", "1.1.1.1", merchants)).toBe(false);
  });

  test("treats each address of this machine as private for merchants' test data", () => {
    const own = Object.values(networkInterfaces()).flatMap((found) => (found ?? []).map(({ address }) => address));
    expect(own.length).toBeGreaterThan(0);
    for (const address of own) expect([address, isBlocked(address, address, merchants)]).toEqual([address, true]);
  });

  test("does not reveal to a merchant whether a port is closed, silent or speaks another protocol", async () => {
    const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
    const chatty = Bun.listen({
      ...{ hostname: "127.0.0.1", port: 0 },
      socket: { open: (socket) => void socket.end("SSH-2.0-x\r\n"), data: () => {} },
    });
    const deadlines = { connect_ms: 500, headers_ms: 200, body_ms: 200 };
    const seen = new Set<string>();
    const outbound = createOutbound({ policy: { ...merchants, openings: operators.openings }, deadlines });
    for (const port of [await closedPort(), silent.port, chatty.port]) {
      const { error, duration_ms } = await outbound.call({
        ...{ method: "POST", url: `http://127.0.0.1:${port}/`, headers: {}, body: "{}" },
        ...{ body_bytes_max: 100, repeatable: true },
      });
      seen.add(JSON.stringify([error?.code, error?.message, duration_ms]));
    }
    expect([...seen]).toEqual(['["connect_error","No connection was established.",null]']);
    outbound.close();
    silent.stop(true);
    chatty.stop(true);
  });
});
