// A connection's `api_url` is untrusted: no spelling leads to an address that is not public, whatever the
// database contains, and wherever a response redirects.
import { afterAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { platform_connections } from "../../db/schema/platforms.ts";
import { openApp } from "../build/service.ts";
import { hosts, openTarget } from "../outbound/blocked_hosts.ts";
import { openBigCommerce } from "./mocks/bigcommerce.ts";

const target = await openTarget();
const app = await openApp({ loopback_only: false });
afterAll(async () => {
  target.close();
});

const ask = (method: string, path: string, body?: unknown) => app.call(method, path, body, { key: app.keys.test.full });
let stores = 0;
const store = (api_url: string) => ({
  platform: "bigcommerce",
  store_id: `hash${++stores}`,
  api_token: "bc-access-token",
  api_url,
});

/** The statuses of a connection's imports, newest first. */
const importsOf = async (id: string) => (await ask("GET", `/platforms/${id}/imports`)).body.data;

async function tellOf(order_id: number, store_id: string): Promise<void> {
  const created_at = Math.floor(Date.now() / 1000);
  const about = { scope: "store/order/created", store_id: "1", data: { type: "order", id: order_id } };
  const told = await ask("POST", "/webhooks/bigcommerce/orders", {
    ...about,
    hash: `h${order_id}`,
    created_at,
    producer: `stores/${store_id}`,
  });
  expect(told.status).toBe(200);
  await app.runJobs();
}

describe("a hostile api_url", () => {
  test("is refused in both environments, for new and existing connections", async () => {
    const { id } = (await ask("POST", "/platforms", store("https://1.1.1.1"))).body.data;
    for (const host of hosts) {
      const [plain, secure] = [`http://${host}:${target.port}`, `https://${host}`];
      const answers = [
        await ask("POST", "/platforms", store(plain)),
        await ask("PATCH", `/platforms/${id}`, { api_url: plain, api_token: "bc-access-token" }),
        await app.post("/platforms", store(secure)),
      ];
      for (const { status, body } of answers) {
        // A name is accepted and checked when it is resolved; none of these resolves.
        if (status < 300) expect(body.data.api_url).toMatch(/localhost\./i);
        else expect([host, ["blocked_address", "validation_failed"].includes(body.error.code)]).toEqual([host, true]);
      }
    }
    expect(target.count()).toBe(0);
  }, 60_000);

  test("that got into the database another way is not called, and the import says why", async () => {
    const { id, store_id } = (await ask("POST", "/platforms", store("https://1.1.1.1"))).body.data;
    const own = eq(platform_connections.store_id, store_id);
    let order_id = 0;
    for (const host of ["127.0.0.1", "[::1]", "2130706433", "[::ffff:127.0.0.1]", "localhost", "0.0.0.0", "127.1"]) {
      const api_url = `http://${host}:${target.port}`;
      const { test: data } = app.service.stores;
      await data.write((tx) => tx.sql.update(platform_connections).set({ api_url }).where(own));
      await tellOf(++order_id, store_id);
      const [made] = await importsOf(id);
      expect([host, made.status, made.attempts]).toEqual([host, "failed", 1]);
      expect(made.reason.message).toContain("blocked_address");
    }
    expect(target.count()).toBe(0);
  }, 30_000);
});

test("a redirect is not followed, whatever its status", async () => {
  const local = await openApp();
  const mock = await openBigCommerce();
  const call = (method: string, path: string, body?: unknown) =>
    local.call(method, path, body, { key: local.keys.test.full });
  const { id } = (await call("POST", "/platforms", { ...store(mock.url), store_id: mock.hash })).body.data;
  const statuses = [300, 301, 302, 303, 305, 307, 308];
  for (const [at, status] of statuses.entries()) {
    mock.fail({ status, headers: { Location: `http://127.0.0.1:${target.port}/latest/meta-data/` } });
    const { body } = mock.notification(500 + at, { at: Date.now() });
    expect((await call("POST", "/webhooks/bigcommerce/orders", JSON.parse(body))).status).toBe(200);
    await local.runJobs();
    const [made] = (await call("GET", `/platforms/${id}/imports`)).body.data;
    expect([status, made.status, made.reason.message.includes(String(status))]).toEqual([status, "failed", true]);
  }
  expect(mock.asked.length).toBe(statuses.length);
  expect(target.count()).toBe(0);
  mock.stop();
}, 30_000);
