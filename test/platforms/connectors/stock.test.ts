// Stock at the three platforms: what is listed, read and set, and what a shop refuses.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { seededRandom } from "../../../src/core/random.ts";
import type { PlatformAccess, PlatformListing, StockChange } from "../../../src/platforms/connectors/connector.ts";
import { connectors } from "../../../src/platforms/connectors/connectors.ts";
import type { MockServer } from "../../outbound/mock_server.ts";
import { seed } from "../../volume.ts";
import { openBigCommerce } from "../mocks/bigcommerce.ts";
import { mishap } from "../mocks/chaos.ts";
import type { Shelf } from "../mocks/shelf.ts";
import { openShopify } from "../mocks/shopify.ts";
import { openWooCommerce } from "../mocks/woocommerce.ts";
import { type PlatformName, platformNames } from "../shipment_updates/connected.ts";
import { openCaller, refusal } from "./access.ts";

// The machine may be busy.
setDefaultTimeout(30_000);

interface Shop extends Pick<MockServer, "asked" | "fail" | "misbehave" | "stop"> {
  readonly shelf: Shelf;
  readonly access: PlatformAccess;
  /** The location of the shop that is counted; null where the platform has none. */
  readonly location_id: string | null;
  /** The requests that set quantities. */
  readonly setting: { having: string };
}

const caller = openCaller();
const openers: Record<PlatformName, () => Promise<Shop>> = {
  async bigcommerce() {
    const mock = await openBigCommerce();
    const access = caller.to(mock.url, mock.hash, mock.token);
    return { ...mock, access, location_id: "1", setting: { having: "adjustments" } };
  },
  async shopify() {
    const mock = await openShopify();
    const access = caller.to(mock.url, mock.shop, mock.token);
    return { ...mock, access, location_id: "1", setting: { having: "inventorySetQuantities" } };
  },
  async woocommerce() {
    const mock = await openWooCommerce();
    const access = caller.to(mock.url, mock.url, mock.secret, mock.key);
    return { ...mock, access, location_id: null, setting: { having: "batch" } };
  },
};

/** Reads all pages of the listings. */
async function listAll(platform: PlatformName, { access, location_id }: Shop): Promise<PlatformListing[]> {
  const all: PlatformListing[] = [];
  let cursor: string | null = null;
  do {
    const page = await connectors[platform].stock.listings(access, { cursor, location_id });
    all.push(...page.listings);
    cursor = page.next;
  } while (cursor !== null);
  return all;
}

describe.each([...platformNames])("%s", (platform) => {
  const { stock } = connectors[platform];
  let shop: Shop;
  beforeEach(async () => {
    shop = await openers[platform]();
  });
  afterEach(() => shop.stop());

  /** The listing of a SKU. */
  const listingOf = async (sku: string) => {
    const found = (await listAll(platform, shop)).find((listing) => listing.sku === sku);
    if (found === undefined) throw new Error(`no listing of ${sku}`);
    return found;
  };
  let keys = 0;
  const changeOf = ({ external_id }: PlatformListing, quantity: number, expected: number): StockChange => {
    keys += 1;
    return { external_id, location_id: shop.location_id, quantity, expected, key: `key ${keys}` };
  };
  const set = (...changes: StockChange[]) => stock.set(shop.access, changes);
  const read = (...listings: PlatformListing[]) => {
    const ids = listings.map(({ external_id }) => external_id);
    return stock.quantities(shop.access, ids, shop.location_id);
  };

  test("lists what it sells on several pages, with what cannot be set and why", async () => {
    const { shelf } = shop;
    for (let n = 0; n < 230; n += 1)
      shelf.stock({ sku: `S-${n}`, units: n, barcode: n === 7 ? "4006381333931" : null });
    shelf.stock({ sku: "SERVICE", counts: "none" });
    if (platform !== "bigcommerce") shelf.stock({ sku: "SET", is_bundle: true });
    const listings = await listAll(platform, shop);
    expect(new Set(listings.map(({ external_id }) => external_id)).size).toBe(platform === "bigcommerce" ? 231 : 232);
    const bySku = new Map(listings.map((listing) => [listing.sku, listing]));
    expect(bySku.get("S-7")).toMatchObject({
      name: "The S-7",
      barcode: "4006381333931",
      unsettable: null,
      quantity: 7,
    });
    expect(bySku.get("S-229")).toMatchObject({ barcode: null, unsettable: null, quantity: 229 });
    expect(bySku.get("SERVICE")?.unsettable).toBe("untracked");
    if (platform !== "bigcommerce") expect(bySku.get("SET")?.unsettable).toBe("bundle");
    const counted = listings.filter(({ unsettable }) => unsettable === null);
    expect([...(await read(...counted))].sort()).toEqual(
      counted.map(({ external_id, quantity }) => [external_id, quantity ?? -1] as [string, number]).sort(),
    );
  });

  test("names the variants of a listing as the lines of orders do", async () => {
    const own = { product_id: 501, counts: "own" } as const;
    shop.shelf.stock({ sku: "RED", units: 3, ...own });
    shop.shelf.stock({ sku: "BLUE", units: 4, ...own });
    shop.shelf.stock({ sku: "PLAIN", units: 5 });
    const [red, blue] = ["RED", "BLUE"].map((sku) => shop.shelf.bySku(sku)?.id);
    const bySku = new Map((await listAll(platform, shop)).map((listing) => [listing.sku, listing]));
    expect(bySku.get("RED")).toMatchObject({ variant_ids: [String(red)], quantity: 3 });
    expect(bySku.get("BLUE")).toMatchObject({ variant_ids: [String(blue)], quantity: 4 });
    const { product_id } = shop.shelf.bySku("PLAIN") ?? {};
    expect(bySku.get("PLAIN")?.variant_ids).toContain(platform === "shopify" ? `${product_id}` : `p${product_id}`);
    const [r, b] = [await listingOf("RED"), await listingOf("BLUE")];
    expect(await set(changeOf(r, 30, 3), changeOf(b, 40, 4))).toEqual([
      { external_id: r.external_id, outcome: "set", quantity: 30 },
      { external_id: b.external_id, outcome: "set", quantity: 40 },
    ]);
    expect(["RED", "BLUE", "PLAIN"].map((sku) => shop.shelf.units(sku))).toEqual([30, 40, 5]);
  });

  test.skipIf(platform === "shopify")("counts variants that share a number once", async () => {
    const numbers = new Map([[1, 6]]);
    const shared = { product_id: 502, counts: "product", numbers } as const;
    const ids = ["S", "M"].map((sku) => String(shop.shelf.stock({ sku, ...shared }).id));
    shop.shelf.stock({ sku: "OTHER", units: 1 });
    const listings = await listAll(platform, shop);
    const [listing, ...more] = listings.filter(({ variant_ids }) => variant_ids.some((id) => ids.includes(id)));
    expect([listing?.external_id, more]).toEqual(["502", []]);
    expect(listing?.variant_ids).toEqual(expect.arrayContaining(ids));
    expect(listing).toMatchObject({ quantity: 6, unsettable: null });
    const result = { external_id: "502", outcome: "set", quantity: 9 };
    expect(await set(changeOf(listing as PlatformListing, 9, 6))).toEqual([result as never]);
    expect(["S", "M", "OTHER"].map((sku) => shop.shelf.units(sku))).toEqual([9, 9, 1]);
  });

  test("sets what still has the expected number, and reports what changed in between", async () => {
    for (const sku of ["A", "B", "C", "D"]) shop.shelf.stock({ sku, units: 10 });
    const [a, b, c, d] = [await listingOf("A"), await listingOf("B"), await listingOf("C"), await listingOf("D")];
    const changes = [changeOf(a, 4, 10), changeOf(b, 0, 10), changeOf(c, 25, 10), changeOf(d, 7, 10)];
    shop.shelf.sell([{ sku: "B", quantity: 3 }]);
    shop.shelf.count("D", -2);
    expect(await set(...changes)).toEqual([
      { external_id: a.external_id, outcome: "set", quantity: 4 },
      { external_id: b.external_id, outcome: "stale", quantity: 7 },
      { external_id: c.external_id, outcome: "set", quantity: 25 },
      { external_id: d.external_id, outcome: "stale", quantity: -2 },
    ]);
    expect(["A", "B", "C", "D"].map((sku) => shop.shelf.units(sku))).toEqual([4, 7, 25, -2]);
  });

  test("sets nothing twice when a response is lost", async () => {
    shop.shelf.stock({ sku: "A", units: 10 });
    const a = await listingOf("A");
    const change = changeOf(a, 6, 10);
    shop.fail("lose", shop.setting);
    expect(await refusal(set(change))).toMatchObject({ permanent: false });
    expect(shop.shelf.units("A")).toBe(6);
    expect(await set(change)).toEqual([{ external_id: a.external_id, outcome: "set", quantity: 6 }]);
    // The shop sells two before the retry arrives.
    shop.fail("lose", shop.setting);
    const next = changeOf(a, 9, 6);
    await refusal(set(next));
    shop.shelf.sell([{ sku: "A", quantity: 2 }]);
    await set(next);
    expect(shop.shelf.units("A")).toBe(7);
  });

  test("lets the others through when some are refused", async () => {
    const skus = Array.from({ length: 20 }, (_, n) => `S-${n}`);
    for (const sku of skus) shop.shelf.stock({ sku, units: 1 });
    const listings = await listAll(platform, shop);
    const changes = listings.map((listing) => changeOf(listing, 2, 1));
    const bundle = shop.shelf.bySku("S-13");
    const removed = shop.shelf.bySku("S-4");
    // After they were listed, one was removed and one became a bundle, or is no longer counted.
    shop.shelf.items.delete(removed?.id ?? 0);
    Object.assign(bundle ?? {}, platform === "woocommerce" ? { counts: "none" } : { is_bundle: true });
    const results = await set(...changes);
    expect(results.map(({ external_id }) => external_id)).toEqual(changes.map(({ external_id }) => external_id));
    const refused = results.filter(({ outcome }) => outcome === "refused");
    expect(refused.length).toBe(2);
    for (const result of refused)
      expect(result).toMatchObject({ permanent: true, message: expect.stringMatching(/\w/) });
    expect(
      results.filter(({ outcome, ...more }) => outcome === "set" && "quantity" in more && more.quantity === 2).length,
    ).toBe(18);
    const others = skus.filter((sku) => sku !== "S-4" && sku !== "S-13");
    expect(new Set(others.map((sku) => shop.shelf.units(sku)))).toEqual(new Set([2]));
  });

  test("sets a full batch with few requests", async () => {
    for (let n = 0; n < stock.batch_max; n += 1) shop.shelf.stock({ sku: `S-${n}`, units: n });
    const listings = await listAll(platform, shop);
    const before = shop.asked.length;
    const results = await set(...listings.map((listing) => changeOf(listing, 500, listing.quantity ?? 0)));
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(["set"]));
    expect(shop.asked.length - before).toBe(platform === "shopify" ? 1 : 2);
  });

  test("waits as long as the shop asks for", async () => {
    shop.shelf.stock({ sku: "A", units: 10 });
    const a = await listingOf("A");
    shop.fail({ status: 429, headers: { "Retry-After": "7" } });
    expect(await refusal(set(changeOf(a, 1, 10)))).toEqual({
      message: expect.stringContaining("429"),
      permanent: false,
      retry_after_seconds: 7,
    });
  });
});

// A push reads the shop's numbers, then what it has sold, and sets what is left if the shop still shows what was read.
describe.each([...platformNames])("%s, while requests fail and buyers buy,", (platform) => {
  test(`shows what is left in the end (seed ${seed})`, async () => {
    const random = seededRandom(seed);
    const shop = await openers[platform]();
    const { stock } = connectors[platform];
    const skus = Array.from({ length: 30 }, (_, n) => `S-${n}`);
    for (const sku of skus) shop.shelf.stock({ sku, units: random.integer(0, 40) });
    const listings = await listAll(platform, shop);
    const left = new Map(skus.map((sku) => [sku, 1000]));
    let too_many = 0;
    const check = () => {
      too_many += skus.filter((sku) => shop.shelf.units(sku) > (left.get(sku) ?? 0)).length;
    };
    shop.misbehave(() => {
      check();
      for (const sku of random.chance(0.7) ? [random.pick(skus), random.pick(skus)] : []) {
        shop.shelf.sell([{ sku, quantity: 1 }]);
        left.set(sku, (left.get(sku) ?? 0) - 1);
      }
      return mishap(random, { delay_ms_max: 2, throttled: 0.1, failed: 0.05, cut: 0.1, lost: 0.2 });
    });
    const push = async (round: number) => {
      const ids = listings.map(({ external_id }) => external_id);
      const shown = await stock.quantities(shop.access, ids, shop.location_id);
      const changes = listings.flatMap(({ external_id, sku }) => {
        const [expected, quantity] = [shown.get(external_id) ?? 0, left.get(sku ?? "") ?? 0];
        const change = { external_id, location_id: shop.location_id, quantity, expected, key: `${round}` };
        return expected === quantity ? [] : [change];
      });
      const results = await stock.set(shop.access, changes);
      expect(results.map(({ external_id }) => external_id)).toEqual(changes.map(({ external_id }) => external_id));
      expect(results.filter(({ outcome }) => outcome === "refused")).toEqual([]);
    };
    let failures = 0;
    for (let round = 0; round < 40; round += 1) {
      await push(round).catch(async (error: unknown) => {
        failures += 1;
        expect(await refusal(Promise.reject(error))).toMatchObject({ permanent: false });
      });
    }
    shop.misbehave(null);
    for (const round of [100, 101]) await push(round);
    expect(Object.fromEntries(skus.map((sku) => [sku, shop.shelf.units(sku)]))).toEqual(Object.fromEntries(left));
    expect(failures).toBeGreaterThan(5);
    // The others cannot compare: a sale between their comparison and the change is undone until the next push.
    if (platform === "shopify") expect(too_many).toBe(0);
    shop.stop();
  });
});

describe("locations", () => {
  test.each(["shopify", "bigcommerce"] as const)("%s counts each by itself", async (platform) => {
    const shop = await openers[platform]();
    const { stock } = connectors[platform];
    shop.shelf.locations.push({ id: 2, name: "Lyon", is_active: true }, { id: 3, name: "Old shed", is_active: false });
    expect(await stock.locations(shop.access)).toEqual([
      { external_id: "1", name: "Shed 1", is_active: true },
      { external_id: "2", name: "Lyon", is_active: true },
      { external_id: "3", name: "Old shed", is_active: false },
    ]);
    shop.shelf.stock({ sku: "A", units: 10 });
    shop.shelf.count("A", 3, 2);
    const at = async (location_id: string) =>
      (await stock.listings(shop.access, { cursor: null, location_id })).listings[0];
    expect([(await at("1"))?.quantity, (await at("2"))?.quantity]).toEqual([10, 3]);
    const { external_id = "" } = (await at("1")) ?? {};
    const results = await stock.set(shop.access, [
      { external_id, location_id: "2", quantity: 4, expected: 3, key: "two" },
      { external_id, location_id: "1", quantity: 8, expected: 9, key: "one" },
    ]);
    expect(results).toEqual([
      { external_id, outcome: "set", quantity: 4 },
      { external_id, outcome: "stale", quantity: 10 },
    ]);
    expect([shop.shelf.units("A", 1), shop.shelf.units("A", 2)]).toEqual([10, 4]);
    shop.stop();
  });

  test("woocommerce has none", async () => {
    const shop = await openers.woocommerce();
    expect(await connectors.woocommerce.stock.locations(shop.access)).toEqual([]);
    shop.stop();
  });

  test("shopify stocks an item where it never was, or where it is inactive", async () => {
    const shop = await openers.shopify();
    const { stock } = connectors.shopify;
    shop.shelf.locations.push({ id: 2, name: "Lyon", is_active: true });
    const items = ["NEVER", "INACTIVE", "THERE"].map((sku) => shop.shelf.stock({ sku, units: 10 }));
    items[1]?.inactive.add(2);
    shop.shelf.count("THERE", 1, 2);
    const { listings } = await stock.listings(shop.access, { cursor: null, location_id: "2" });
    expect(listings.map(({ quantity }) => quantity)).toEqual([null, null, 1]);
    const ids = listings.map(({ external_id }) => external_id);
    expect([...(await stock.quantities(shop.access, ids, "2")).values()]).toEqual([0, 0, 1]);
    const changes = listings.map(({ external_id, quantity }, index) => {
      return { external_id, location_id: "2", quantity: 5, expected: quantity ?? 0, key: `k${index}` };
    });
    expect((await stock.set(shop.access, changes)).map(({ outcome }) => outcome)).toEqual(["set", "set", "set"]);
    expect(["NEVER", "INACTIVE", "THERE"].map((sku) => shop.shelf.units(sku, 2))).toEqual([5, 5, 5]);
    expect(items.map(({ numbers }) => numbers.get(1))).toEqual([10, 10, 10]);
    expect(await refusal(stock.quantities(shop.access, ids, null))).toMatchObject({ permanent: true });
    shop.stop();
  });
});

test("the mock of Shopify refuses what Shopify does", async () => {
  const sh = await openShopify();
  const item = sh.shelf.stock({ sku: "A", units: 10 });
  const ask = async (directive: string, quantity: object, key = "k1") => {
    const query = `mutation M($input: InventorySetQuantitiesInput!${directive && ", $key: String!"}) {
      inventorySetQuantities(input: $input) ${directive} { userErrors { code } }
    }`;
    const [inventoryItemId, locationId] = [
      `gid://shopify/InventoryItem/${1_000_000 + item.id}`,
      "gid://shopify/Location/1",
    ];
    const input = {
      name: "available",
      reason: "correction",
      quantities: [{ inventoryItemId, locationId, ...quantity }],
    };
    const response = await fetch(`${sh.url}/admin/api/2026-07/graphql.json`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Shopify-Access-Token": sh.token },
      body: JSON.stringify({ query, variables: { input, ...(directive && { key }) } }),
    });
    const { errors, data } = (await response.json()) as { errors?: { message: string }[]; data: never };
    return errors?.[0]?.message ?? JSON.stringify(data);
  };
  const directive = "@idempotent(key: $key)";
  expect(await ask("", { quantity: 1, changeFromQuantity: 10 })).toContain("@idempotent");
  expect(await ask(directive, { quantity: 1 })).toContain("changeFromQuantity");
  expect(sh.shelf.units("A")).toBe(10);
  expect(await ask(directive, { quantity: 1, changeFromQuantity: 10 })).toContain("[]");
  expect(await ask(directive, { quantity: 2, changeFromQuantity: 1 })).toContain("KEY_PARAMETER_MISMATCH");
  expect(await ask(directive, { quantity: 2, changeFromQuantity: 5 }, "k2")).toContain("CHANGE_FROM_QUANTITY_STALE");
  expect(sh.shelf.units("A")).toBe(1);
  sh.stop();
});
