// Stock that is pushed to shops: what is set there, in which order things are read, and what is waited for.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { assignPositions } from "../../../src/events/events.sql.ts";
import { compareStock } from "../../../src/platforms/stock_updates/stock_updates.jobs.ts";
import type { BigCommerceMock, StoreOrder } from "../mocks/bigcommerce.ts";
import type { ShopifyMock } from "../mocks/shopify.ts";
import type { ShopOrder } from "../mocks/shopify_shop.ts";
import { type Connected, openConnected, type PlatformName, platformNames } from "../shipment_updates/connected.ts";

// The machine may be busy.
setDefaultTimeout(60_000);

/** The requests that set numbers. */
const setting: Readonly<Record<PlatformName, string>> = {
  bigcommerce: "adjustments",
  shopify: "inventorySetQuantities",
  woocommerce: "batch",
};

/** The requests that read one order. */
const reading: Readonly<Record<PlatformName, { method?: string; having: string }>> = {
  bigcommerce: { method: "GET", having: "/orders/606" },
  shopify: { having: "order(id:" },
  woocommerce: { method: "GET", having: "/orders/606" },
};

describe.each([...platformNames])("%s", (platform) => {
  let shop: Connected;
  beforeEach(async () => {
    shop = await openConnected(platform);
  });
  afterEach(() => shop.close());

  const path = (rest: string) => `/platforms/${shop.connection.id}/${rest}`;
  const settings = (body: object) => shop.done("PATCH", path("stock"), body);
  const listings = (query = "") => shop.done("GET", path(`listings${query}`));
  const listingOf = async (sku: string) => (await listings(`?sku=${sku}`))[0];
  const pushes = async () => (await shop.done("GET", path("stock_pushes"))).toReversed();
  const differences = () => shop.done("GET", path("stock_differences"));
  const shelf = () => shop.store.shelf;
  /** Runs the jobs until nothing is due in the next seconds. */
  const settle = async (rounds = 3) => {
    for (let round = 0; round < rounds; round += 1) await shop.later(2);
  };
  /** Sells `units` here, to another channel's buyer. */
  const sellHere = async (sku: string, units: number) => {
    await shop.done("PATCH", `/inventory/${sku}`, { adjustment: -units, reason: "lost" });
  };
  const nightly = async () => {
    await compareStock(shop.app.service.stores.test);
    await settle();
  };

  test("shows what would be pushed before it is switched on, then sets it and each change", async () => {
    await shop.stock("MUG", 40);
    await shop.stock("PEN", 7);
    shelf().stock({ sku: "mug", units: 3 });
    shelf().stock({ sku: "POT", units: 9 });
    await shop.done("POST", path("stock/read"), {});
    await settle();
    expect(await shop.done("GET", path("stock"))).toMatchObject({
      enabled: false,
      reading: null,
      listings: 2,
      matched_listings: 1,
      reason: null,
    });
    expect(await listingOf("mug")).toMatchObject({
      product_sku: "MUG",
      matched_by: "sku",
      status: "idle",
      shop_quantity: 3,
      target_quantity: 40,
    });
    expect((await listings("?matched=false")).map(({ sku }: { sku: string }) => sku)).toEqual(["POT"]);
    expect((await shop.done("GET", path("unlisted_products"))).map(({ sku }: { sku: string }) => sku)).toEqual(["PEN"]);
    expect([shelf().units("mug"), await pushes()]).toEqual([3, []]);

    await settings({ enabled: true, buffer: 5, share_percent: 50 });
    await settle();
    expect(shelf().units("mug")).toBe(17);
    expect(shelf().units("POT")).toBe(9);
    expect(await pushes()).toMatchObject([
      { sku: "mug", from_quantity: 3, to_quantity: 17, result: "set", shop_quantity: 17 },
    ]);

    await sellHere("MUG", 11);
    await settle();
    expect(shelf().units("mug")).toBe(12);
    expect(await listingOf("mug")).toMatchObject({
      status: "idle",
      shop_quantity: 12,
      target_quantity: 12,
      reason: null,
    });
    const { id } = await listingOf("mug");
    await shop.done("PATCH", path(`listings/${id}`), { cap: 4, buffer: 0, share_percent: 100 });
    await settle();
    expect(shelf().units("mug")).toBe(4);
    await settings({ paused: true });
    await sellHere("MUG", 27);
    await settle();
    expect(shelf().units("mug")).toBe(4);
    await settings({ paused: false });
    await settle();
    expect(shelf().units("mug")).toBe(2);
    expect(await shop.done("GET", path("stock"))).toMatchObject({
      queued_listings: 0,
      failed_listings: 0,
      reason: null,
    });
  });

  test.if(platform === "shopify")("loses no change when another merchant switches it on", async () => {
    await shop.stock("MUG", 10);
    shelf().stock({ sku: "MUG", units: 10 });
    await settings({ enabled: true });
    await settle();
    await shop.app.must("POST", "/merchants", { code: "BOLT", name: "BOLT" });
    await shop.app.runJobs();
    const as = { "packhouse-merchant": "BOLT" };
    const secrets = { client_secret: "hush-hush", api_token: "shpat_bolt" };
    const store = { platform: "shopify", store_id: "bolt.myshopify.com", ...secrets };
    const other = await shop.call("POST", "/platforms", store, as);
    await sellHere("MUG", 4);
    const { stores } = shop.app.service;
    await stores.test.write((tx) => assignPositions(tx, 100));
    const { status } = await shop.call("PATCH", `/platforms/${other.body.data.id}/stock`, { enabled: true }, as);
    expect(status).toBe(200);
    await settle();
    expect(shelf().units("MUG")).toBe(6);
  });

  test("subtracts an order of the shop once, while it is not imported and afterwards", async () => {
    await shop.stock("MUG", 10);
    shelf().stock({ sku: "MUG", units: 10 });
    await settings({ enabled: true });
    await settle();
    // The notification of the order is lost, and another channel sells two.
    shop.store.sell(601, [{ sku: "MUG", quantity: 3 }]);
    expect(shelf().units("MUG")).toBe(7);
    await sellHere("MUG", 2);
    await settle();
    expect(shelf().units("MUG")).toBe(5);
    expect((await shop.done("GET", path("imports")))[0]).toMatchObject({ external_id: "601", status: "imported" });
    // Raised only by what there is.
    await shop.done("POST", "/inventory", { sku: "MUG", quantity: 4, location: "whs_1000000001" });
    await settle();
    expect(shelf().units("MUG")).toBe(9);
  });

  // BigCommerce's connections always have access.
  test.if(platform !== "bigcommerce")("is not switched on without access to the shop's API", async () => {
    const { api_key, api_token } = shop.store.connection as Record<string, string>;
    const access = { ...(api_key !== undefined && { api_key }), api_token };
    const none = Object.fromEntries(Object.keys(access).map((name) => [name, null]));
    await shop.done("PATCH", `/platforms/${shop.connection.id}`, none);
    const refused = await shop.call("PATCH", path("stock"), { enabled: true });
    expect([refused.status, refused.body.error.details[0]]).toMatchObject([422, { field: "enabled" }]);
    expect(refused.body.error.message).toContain("access to the shop's API");
    expect(await settings({ enabled: false, buffer: 2 })).toMatchObject({ enabled: false, buffer: 2 });
    await shop.done("PATCH", `/platforms/${shop.connection.id}`, access);
    expect(await settings({ enabled: true })).toMatchObject({ enabled: true });
  });

  // The other mock stores have no unpaid orders.
  test.if(platform === "shopify")("counts the units of an order that is not paid yet", async () => {
    await shop.stock("MUG", 10);
    shelf().stock({ sku: "MUG", units: 10 });
    await settings({ enabled: true });
    await settle();
    const { orders, change } = shop.store as unknown as ShopifyMock;
    shop.store.sell(602, [{ sku: "MUG", quantity: 4 }]);
    const order = orders.get(602) as ShopOrder;
    change(order, { financial_status: "pending" });
    await shop.done("POST", "/inventory", { sku: "MUG", quantity: 5, location: "whs_1000000001" });
    await settle();
    expect((await shop.done("GET", path("imports")))[0]).toMatchObject({ external_id: "602", status: "waiting" });
    expect(shelf().units("MUG")).toBe(11);
    // The shop gives the units back, and the import ends without an order.
    change(order, { cancelled_at: order.fields.updated_at });
    shelf().count("MUG", 15);
    await sellHere("MUG", 1);
    await settle();
    expect(shelf().units("MUG")).toBe(14);
  });

  // Only BigCommerce's orders have several destinations.
  test.if(platform === "bigcommerce")("counts an order for several destinations that is not imported", async () => {
    for (const sku of ["MUG", "PEN"]) {
      await shop.stock(sku, 10);
      shelf().stock({ sku, units: 10 });
    }
    await settings({ enabled: true });
    await settle();
    shop.store.sell(607, [
      { sku: "MUG", quantity: 3 },
      { sku: "PEN", quantity: 2 },
    ]);
    const { orders, change } = shop.store as unknown as BigCommerceMock;
    const order = orders.get(607) as StoreOrder;
    order.addresses.push({ ...order.addresses[0], id: 6071, cost_ex_tax: "0.0000" });
    Object.assign(order.products[1] as object, { order_address_id: 6071 });
    // It is read, and waits for its payment.
    change(order, { status_id: 7 });
    for (const sku of ["MUG", "PEN"]) {
      await shop.done("POST", "/inventory", { sku, quantity: 5, location: "whs_1000000001" });
    }
    await settle();
    expect(await shop.done("GET", path("imports"))).toMatchObject([{ external_id: "607", status: "waiting" }]);
    expect([shelf().units("MUG"), shelf().units("PEN")]).toEqual([12, 13]);
    // Each destination becomes an order of its own, which reserves its units.
    change(order, { status_id: 11 });
    await shop.tell(607);
    await settle();
    const [record] = await shop.done("GET", path("imports"));
    expect([record.status, record.other_order_ids.length]).toEqual(["imported", 1]);
    expect([shelf().units("MUG"), shelf().units("PEN")]).toEqual([12, 13]);
  });

  test("gives the shop fewer units, but not more, while it cannot read an order of the shop", async () => {
    await shop.stock("MUG", 10);
    await shop.stock("PEN", 10);
    for (const sku of ["MUG", "PEN"]) shelf().stock({ sku, units: 10 });
    await settings({ enabled: true });
    await settle();
    shop.store.fail({ status: 404, body: {} }, { ...reading[platform], times: 100 });
    shop.store.sell(606, [{ sku: "MUG", quantity: 4 }]);
    await shop.done("POST", "/inventory", { sku: "MUG", quantity: 5, location: "whs_1000000001" });
    await sellHere("PEN", 3);
    await settle();
    expect([shelf().units("MUG"), shelf().units("PEN")]).toEqual([6, 7]);
    expect(await listingOf("MUG")).toMatchObject({ status: "queued", reason: { code: "order_not_imported" } });
    shop.store.forgive();
    const [failed] = await shop.done("GET", path("imports"));
    if (failed.status !== "queued") await shop.done("POST", path(`imports/${failed.id}/retry`));
    await shop.later(3600);
    await settle();
    expect(shelf().units("MUG")).toBe(11);
  });

  test("sets nothing if an order arrives between reading and setting, and sets the right number then", async () => {
    await shop.stock("MUG", 10);
    const { numbers } = shelf().stock({ sku: "MUG", units: 10 });
    await settings({ enabled: true });
    await settle();
    const read = numbers.get.bind(numbers);
    let meanwhile: (() => void) | null = () => shop.store.sell(603, [{ sku: "MUG", quantity: 2 }]);
    numbers.get = (location) => {
      const units = read(location);
      const act = meanwhile;
      meanwhile = null;
      act?.();
      return units;
    };
    await sellHere("MUG", 1);
    await settle();
    expect(meanwhile === null).toBe(true);
    expect(await pushes()).toMatchObject([
      { from_quantity: 10, to_quantity: 9, result: "stale", shop_quantity: 8 },
      { from_quantity: 8, to_quantity: 7, result: "set", shop_quantity: 7 },
    ]);
    expect(shelf().units("MUG")).toBe(7);
    // A person changes the number there, which queues nothing here.
    meanwhile = () => shelf().count("MUG", 99);
    await sellHere("MUG", 1);
    await settle();
    expect(shelf().units("MUG")).toBe(6);
    expect((await pushes()).slice(2)).toMatchObject([
      { from_quantity: 7, to_quantity: 6, result: "stale", shop_quantity: 99 },
      { from_quantity: 99, to_quantity: 6, result: "set", shop_quantity: 6 },
    ]);
  });

  test("is not confused by a lost response", async () => {
    await shop.stock("MUG", 10);
    shelf().stock({ sku: "MUG", units: 10 });
    await settings({ enabled: true });
    await settle();
    shop.store.fail("lose", { having: setting[platform] });
    await sellHere("MUG", 4);
    await settle(2);
    expect(shelf().units("MUG")).toBe(6);
    expect((await shop.done("GET", path("stock"))).reason).toMatchObject({ code: "platform_error" });
    await shop.later(10);
    await settle();
    expect(shelf().units("MUG")).toBe(6);
    expect(await listingOf("MUG")).toMatchObject({ status: "idle", shop_quantity: 6 });
    expect((await shop.done("GET", path("stock"))).reason).toBe(null);
  });

  test("waits as long as the shop asks, even if stock changes, but not once its settings change", async () => {
    await shop.stock("MUG", 20);
    shelf().stock({ sku: "MUG", units: 20 });
    await settings({ enabled: true });
    await settle();
    const refuse = () => shop.store.fail({ status: 429, headers: { "Retry-After": "600" }, body: {} }, { times: 1 });
    const sellAndCount = async () => {
      const before = shop.store.asked.length;
      await sellHere("MUG", 1);
      await settle();
      return shop.store.asked.length - before;
    };
    refuse();
    expect(await sellAndCount()).toBe(1);
    expect(await sellAndCount()).toBe(0);
    await shop.later(600);
    await settle();
    expect(shelf().units("MUG")).toBe(18);
    refuse();
    expect(await sellAndCount()).toBe(1);
    await settings({ buffer: 1 });
    await settle();
    expect(shelf().units("MUG")).toBe(16);
  });

  test("reports what changed at the shop at night, with the likely cause, and repairs it", async () => {
    for (const sku of ["MUG", "PEN", "POT"]) {
      await shop.stock(sku, 10);
      shelf().stock({ sku, units: 1 });
    }
    await settings({ enabled: true });
    await settle();
    expect(["MUG", "PEN", "POT"].map((sku) => shelf().units(sku))).toEqual([10, 10, 10]);
    expect(await differences()).toEqual([]);
    const pen = await listingOf("PEN");
    await shop.done("PATCH", path(`listings/${pen.id}`), { paused: true });
    shelf().count("MUG", 99);
    shelf().count("PEN", 98);
    await nightly();
    const found = await differences();
    expect(found).toHaveLength(2);
    expect(found.find(({ sku }: { sku: string }) => sku === "MUG")).toMatchObject({
      shop_quantity: 99,
      expected_quantity: 10,
      cause: "changed_at_shop",
      repaired_at: expect.any(String),
    });
    expect(found.find(({ sku }: { sku: string }) => sku === "PEN")).toMatchObject({
      shop_quantity: 98,
      repaired_at: null,
    });
    expect([shelf().units("MUG"), shelf().units("PEN")]).toEqual([10, 98]);
    // A lost notification is the cause of the next one.
    shop.store.sell(604, [{ sku: "POT", quantity: 4 }]);
    await nightly();
    const [latest] = await differences();
    expect(latest).toMatchObject({ sku: "POT", shop_quantity: 6, expected_quantity: 10, cause: "order_not_imported" });
    expect(latest.repaired_at).not.toBe(null);
    expect(shelf().units("POT")).toBe(6);
    await nightly();
    expect(await differences()).toHaveLength(3);
  });

  test("does not take a number for changed at the shop while a change here is not pushed", async () => {
    await shop.stock("MUG", 10);
    shelf().stock({ sku: "MUG", units: 10 });
    await settings({ enabled: true });
    await settle();
    await settings({ paused: true });
    await shop.sell(605, { sku: "MUG", quantity: 2 });
    await shop.done("POST", "/inventory", { sku: "MUG", quantity: 5, location: "whs_1000000001" });
    await nightly();
    expect([shelf().units("MUG"), await differences()]).toEqual([8, []]);
    await settings({ paused: false });
    await settle();
    expect([shelf().units("MUG"), await differences()]).toEqual([13, []]);
  });

  test("imports what was matched by hand as the matched product", async () => {
    await shop.stock("MUG", 10);
    shelf().stock({ sku: "Tasse", units: 2 });
    await settings({ enabled: true });
    await settle();
    const listing = await listingOf("Tasse");
    expect(listing).toMatchObject({ product_id: null, target_quantity: null });
    const [{ id: product_id }] = await shop.done("GET", "/products?sku=MUG");
    await shop.done("PATCH", path(`listings/${listing.id}`), { product_id });
    await settle();
    expect(shelf().units("Tasse")).toBe(10);
    const order = await shop.sell(605, { sku: "Tasse", quantity: 3 });
    expect(order.line_items).toMatchObject([{ sku: "MUG", quantity: 3 }]);
    await settle();
    expect(shelf().units("Tasse")).toBe(7);
    await nightly();
    expect(await differences()).toEqual([]);
    // It is off for a store that is connected again.
    await shop.done("DELETE", `/platforms/${shop.connection.id}`);
    await shop.done("POST", "/platforms", shop.store.connection);
    expect(await shop.done("GET", path("stock"))).toMatchObject({ enabled: false });
  });
});
