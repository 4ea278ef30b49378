// A connection with the id and secret of a Shopify app: its access tokens are requested, stored and renewed.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import { platform_states } from "../../db/schema/platforms.ts";
import { readId } from "../../src/core/ids.ts";
import { hour_ms } from "../../src/core/time.ts";
import { findConnection } from "../../src/platforms/connections.sql.ts";
import { accessTo } from "../../src/platforms/connectors/call_platform.ts";
import { connectors } from "../../src/platforms/connectors/connectors.ts";
import type { StoreConnection } from "../../src/platforms/platform.ts";
import { openTestApp } from "../build/service.ts";
import { openShopify } from "./mocks/shopify.ts";
import { shopOrder } from "./mocks/shopify_shop.ts";

setDefaultTimeout(30_000);

const app = await openTestApp();
afterAll(() => app.close());
const store = app.service.stores.test;
const ask = async (method: string, path: string, body?: unknown) =>
  (await app.call(method, path, body, { key: app.keys.test.full })).body;

/** Connects a Shopify store with the id and secret of an app. */
async function connected() {
  const shop = `tokens-${Math.random().toString(36).slice(2)}.myshopify.com`;
  const mock = await openShopify({ token: "shpat_static", shop, now: () => Date.now() - hour_ms });
  afterAll(() => mock.stop());
  const { client_id, client_secret } = mock.app;
  const body = { platform: "shopify", store_id: shop, api_url: mock.url, client_id, client_secret };
  const { data } = await ask("POST", "/platforms", body);
  const id = readId("connection", data.id) ?? 0;
  let orders = 0;
  return {
    ...mock,
    id: data.id as string,
    view: data,
    /** Sells an order and sends the notification that has only its id, so that it has to be fetched. */
    async sell() {
      const order = mock.add(shopOrder(700_000 + ++orders, Date.now() - hour_ms));
      const { body: text, headers } = mock.notification(order, { topic: "orders/edited", secret: client_secret });
      const path = data.callback_url.replace(/^.*\/v1/, "");
      const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
      await app.call("POST", path, text, { key: null, headers: named });
      await app.runJobs();
      const [{ status, reason }] = (await ask("GET", `/platforms/${data.id}/imports`)).data;
      return { status, reason };
    },
    /** The access of another server to the store. */
    access: async () =>
      accessTo((await store.read((db) => findConnection(db, id))) as StoreConnection, store, app.service),
    patch: (fields: object) => ask("PATCH", `/platforms/${data.id}`, fields),
    /** Sets what is stored of the token. */
    set: (fields: object) =>
      store.write(async (tx) => {
        await tx.sql.update(platform_states).set(fields).where(eq(platform_states.connection_id, id));
      }),
    state: async () => {
      const rows = await store.read((db) => db.sql.select().from(platform_states));
      return rows.find(({ connection_id }) => connection_id === id);
    },
  };
}

const imported = { status: "imported", reason: null };

describe("an access token", () => {
  test("is requested once, sealed, and used by each call", async () => {
    const shop = await connected();
    expect(shop.view).toMatchObject({ client_id: shop.app.client_id, has_client_secret: true, has_api_token: false });
    expect([await shop.sell(), await shop.sell()]).toEqual([imported, imported]);
    expect(shop.app.issued()).toBe(1);
    const state = await shop.state();
    expect(state?.token_scopes).toBe(shop.app.scopes.join(","));
    expect(state?.access_token).not.toContain("shpca_issued_1");
    expect(shop.asked.at(-1)?.headers["x-shopify-access-token"]).toBe("shpca_issued_1");
  });

  test("is renewed long before it expires, and used until then if that fails", async () => {
    const shop = await connected();
    await shop.sell();
    const [issued_at, day_ms] = [Date.now() - 19 * hour_ms, 24 * hour_ms];
    await shop.set({ token_issued_at: issued_at, token_expires_at: issued_at + day_ms });
    shop.app.refusal = { status: 503, body: "" };
    expect(await shop.sell()).toEqual(imported);
    expect((await shop.state())?.token_error).toContain("answered 503");
    // It is not requested again with each call.
    const requests = () => shop.asked.filter(({ path }) => path.endsWith("access_token")).length;
    const before = requests();
    expect(await shop.sell()).toEqual(imported);
    expect(requests()).toBe(before);
    shop.app.refusal = null;
    await shop.set({ token_failed_at: Date.now() - hour_ms });
    expect(await shop.sell()).toEqual(imported);
    expect([shop.app.issued(), (await shop.state())?.token_error]).toEqual([2, null]);
  });

  test("is renewed at once if it has expired, or if Shopify refuses it", async () => {
    const shop = await connected();
    await shop.sell();
    await shop.set({ token_expires_at: Date.now() - 1 });
    shop.app.revoke();
    expect([await shop.sell(), shop.app.issued()]).toEqual([imported, 2]);
    shop.app.revoke();
    expect([await shop.sell(), shop.app.issued()]).toEqual([imported, 3]);
  });

  test("is renewed by one of several servers, and the others wait for it", async () => {
    const shop = await connected();
    const call = async () => connectors.shopify.changedSince(await shop.access(), 0);
    await Promise.all(Array.from({ length: 6 }, call));
    expect(shop.app.issued()).toBe(1);
    shop.app.revoke();
    await Promise.all(Array.from({ length: 6 }, call));
    expect(shop.app.issued()).toBe(2);
  });

  test("is requested by another server if the first one stopped meanwhile", async () => {
    const shop = await connected();
    await shop.sell();
    shop.app.revoke();
    await shop.set({ access_token: null, token_claimed_until: Date.now() + 400 });
    expect([await shop.sell(), shop.app.issued()]).toEqual([imported, 2]);
  });

  test("is forgotten with a new secret or address, also one that was requested with the old ones", async () => {
    const shop = await connected();
    await shop.sell();
    shop.app.client_secret = "another-secret";
    await shop.patch({ client_secret: "another-secret" });
    expect((await shop.state())?.access_token).toBe(null);
    const late = (await shop.access()).tokenFor(null, async () => {
      await shop.patch({ client_secret: "another-secret" });
      return { token: "shpca_late", lifetime_ms: hour_ms, scopes: "" };
    });
    expect(await late).toBe("shpca_late");
    expect((await shop.state())?.access_token).toBe(null);
    const gone = await app.call("DELETE", `/platforms/${shop.id}`, undefined, { key: app.keys.test.full });
    expect([gone.status, (await shop.state())?.token_scopes]).toEqual([200, null]);
  });
});

describe("a request for a token that fails", () => {
  const cases = [
    ["app_not_installed", "Install it"],
    ["shop_not_permitted", "belong to one organization"],
    ["something_new", "Check the client_id"],
  ] as const;

  test.each(cases)("says what to do (%s), and its orders are imported once it succeeds", async (code, advice) => {
    const shop = await connected();
    shop.app.refusal = { status: 400, body: `<title>Oauth error ${code}: it did not work</title>` };
    const { status, reason } = await shop.sell();
    expect([status, reason.code]).toEqual(["failed", "platform_error"]);
    expect(reason.message).toContain(advice);
    expect((await shop.state())?.token_error).toBe(reason.message);
    shop.app.refusal = null;
    expect(await shop.sell()).toEqual(imported);
    await app.runJobs();
    const all = (await ask("GET", `/platforms/${shop.id}/imports`)).data as { status: string }[];
    expect(all.map((one) => one.status)).toEqual(["imported", "imported"]);
  });
});

test("a client id needs its secret, with each change that sends the secret elsewhere, and Shopify", async () => {
  const refusals = async (answer: Promise<{ error?: { details: { field: string; code: string }[] } }>) =>
    ((await answer).error?.details ?? []).map(({ field, code }) => `${field} ${code}`);
  const shop = await connected();
  expect(await refusals(shop.patch({ client_id: "another" }))).toEqual(["client_secret required"]);
  expect(await refusals(shop.patch({ api_url: "https://93.184.216.34" }))).toEqual(["client_secret required"]);
  expect(await refusals(shop.patch({ client_secret: null }))).toEqual(["client_secret required"]);
  const bigcommerce = { platform: "bigcommerce", store_id: "tokens1", api_token: "shpat_static", client_id: "an-id" };
  expect(await refusals(ask("POST", "/platforms", bigcommerce))).toEqual(["client_id invalid_value"]);
  expect(await refusals(shop.patch({ client_id: null, api_token: "shpat_static" }))).toEqual([]);
  expect(await shop.sell()).toEqual(imported);
  expect(shop.app.issued()).toBe(0);
});
