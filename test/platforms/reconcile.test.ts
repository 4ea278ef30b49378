import { afterEach, describe, expect, test } from "bun:test";
import type { Log } from "../../src/kit/log.ts";
import { reconcile } from "../../src/platforms/reconcile/jobs.ts";
import { type Connected, openConnected, type PlatformName, platformNames } from "./reports/connected.ts";

let shop: Connected;
afterEach(() => shop.close());

async function opened(platform: PlatformName) {
  shop = await openConnected(platform);
  await shop.stock("MUG", 50);
}

/** The nightly round, and what it wrote into the log. */
async function night() {
  const lines: object[] = [];
  const note = (message: string, facts: object = {}) => lines.push({ message, ...facts });
  const log: Log = { ...shop.app.service.log, info: note, warn: note, error: note };
  await reconcile(shop.app.service.stores.test, { ...shop.app.service, log });
  await shop.app.runJobs();
  return lines;
}

const orders = async () => (await shop.done("GET", "/orders?sort=created_at")) as { source: { external_id: string } }[];
const known = async () => (await orders()).map(({ source }) => source.external_id);
const units = [{ sku: "MUG", quantity: 2 }];

describe.each([...platformNames])("%s: every night", (platform) => {
  test("an order whose notification was lost is found, once", async () => {
    await opened(platform);
    await shop.sell(801, ...units);
    shop.store.sell(802, units);
    expect(await known()).toEqual(["801"]);
    expect(await night()).toMatchObject([{ message: "orders were missing or old here", orders: 1 }]);
    expect(await known()).toEqual(["801", "802"]);
    const asked = shop.store.asked.length;
    expect(await night()).toEqual([]);
    // One look at the list, and no order is fetched again.
    expect(shop.store.asked.length).toBe(asked + 1);
    expect(await known()).toEqual(["801", "802"]);
  });

  test("a change whose notification was lost is followed", async () => {
    await opened(platform);
    const { id } = await shop.sell(806, ...units);
    shop.store.reword(806, "Leave it with the neighbour.");
    expect(await night()).toMatchObject([{ orders: 1 }]);
    expect(await shop.done("GET", `/orders/${id}`)).toMatchObject({ order_notes: "Leave it with the neighbour." });
    expect(await night()).toEqual([]);
  });

  test("a platform that does not answer is asked again the next night", async () => {
    await opened(platform);
    shop.store.sell(803, units);
    shop.store.fail({ status: 503, body: "" });
    expect(await night()).toMatchObject([{ message: "a platform could not be asked for changed orders" }]);
    expect(await known()).toEqual([]);
    await night();
    expect(await known()).toEqual(["803"]);
  });

  test("what is paused is let be", async () => {
    await opened(platform);
    shop.store.sell(804, units);
    await shop.done("PATCH", `/platforms/${shop.connection.id}`, { status: "paused" });
    expect(await night()).toEqual([]);
    expect(shop.store.asked).toEqual([]);
  });
});

test("a store whose API may not be called is let be", async () => {
  await opened("shopify");
  await shop.done("PATCH", `/platforms/${shop.connection.id}`, { api_token: null });
  shop.store.sell(805, units);
  expect(await night()).toEqual([]);
  expect([shop.store.asked, await known()]).toEqual([[], []]);
});
