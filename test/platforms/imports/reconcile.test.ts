import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Log } from "../../../src/core/log.ts";
import { reconcile } from "../../../src/platforms/imports/imports.jobs.ts";
import { type Connected, openConnected, type PlatformName, platformNames } from "../shipment_updates/connected.ts";

// The machine may be busy.
setDefaultTimeout(30_000);

let shop: Connected;
const open = (platform: PlatformName) => {
  beforeAll(async () => {
    shop = await openConnected(platform);
    await shop.stock("MUG", 500);
  });
  afterAll(() => shop.close());
};

/** Runs the nightly reconciliation and returns its log. */
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
  open(platform);

  test("an order with a lost notification is found, once", async () => {
    await shop.sell(801, ...units);
    shop.store.sell(802, units);
    expect(await known()).toEqual(["801"]);
    expect(await night()).toMatchObject([{ message: "orders of a platform were missing or outdated here", orders: 1 }]);
    expect(await known()).toEqual(["801", "802"]);
    const asked = shop.store.asked.length;
    expect(await night()).toEqual([]);
    // One request for the list, and no order is fetched again.
    expect(shop.store.asked.length).toBe(asked + 1);
    expect(await known()).toEqual(["801", "802"]);
  });

  test("a change with a lost notification is applied", async () => {
    const { id } = await shop.sell(806, ...units);
    shop.store.reword(806, "Leave it with the neighbour.");
    expect(await night()).toMatchObject([{ orders: 1 }]);
    expect(await shop.done("GET", `/orders/${id}`)).toMatchObject({ order_notes: "Leave it with the neighbour." });
    expect(await night()).toEqual([]);
  });

  test("a platform that does not respond is retried the next night", async () => {
    shop.store.sell(803, units);
    shop.store.fail({ status: 503, body: "" });
    expect(await night()).toMatchObject([{ message: "listing a platform's changed orders failed" }]);
    expect(await known()).not.toContain("803");
    await night();
    expect(await known()).toContain("803");
  });

  test("paused connections are skipped", async () => {
    shop.store.sell(804, units);
    await shop.done("PATCH", `/platforms/${shop.connection.id}`, { status: "paused" });
    const asked = shop.store.asked.length;
    expect([await night(), shop.store.asked.length]).toEqual([[], asked]);
    await shop.done("PATCH", `/platforms/${shop.connection.id}`, { status: "active" });
    expect(await night()).toMatchObject([{ orders: 1 }]);
  });
});

describe("a store with an API that may not be called", () => {
  open("shopify");

  test("is skipped", async () => {
    await shop.done("PATCH", `/platforms/${shop.connection.id}`, { api_token: null });
    shop.store.sell(805, units);
    expect([await night(), shop.store.asked, await known()]).toEqual([[], [], []]);
  });
});
