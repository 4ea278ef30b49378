import { expect } from "bun:test";
import { openTestApp } from "../../build/service.ts";
import type { MockServer, Trouble } from "../../outbound/mock_server.ts";
import { openBigCommerce, rfc2822, type StoreOrder, storeOrder } from "../mocks/bigcommerce.ts";
import { openShopify } from "../mocks/shopify.ts";
import { iso, type ShopOrder, shopOrder } from "../mocks/shopify_shop.ts";
import { openWooCommerce, plain, type SiteOrder, siteOrder } from "../mocks/woocommerce.ts";

export const platformNames = ["bigcommerce", "shopify", "woocommerce"] as const;
export type PlatformName = (typeof platformNames)[number];

/** Units of a SKU. */
export interface Units {
  readonly sku: string;
  readonly quantity: number;
}

/** A platform's record of a parcel: its tracking number and, if the platform stores them, its units. */
interface Known {
  readonly tracking: string | null;
  readonly units: readonly (readonly [line: number, quantity: number])[];
}

/** A platform's store, independent of the platform. */
interface Store extends Pick<MockServer, "url" | "asked" | "stop" | "fail"> {
  /** The body of POST /platforms. */
  readonly connection: object;
  /** Places an order and returns its notification. */
  sell(id: number, units: readonly Units[]): { body: string; headers: Record<string, string> };
  /** Changes the buyer's note, a minute from now since platforms use whole seconds, without a notification. */
  reword(id: number, words: string): void;
  parcels(id: number): Known[];
  /** Whether the platform shows the order as shipped. */
  isDone(id: number): boolean;
  /** The requests that report a parcel. */
  readonly telling: { method?: string; having: string };
}

const now = Date.now;
const inAMinute = () => now() + 60_000;

async function openBigCommerceStore(): Promise<Store> {
  const mock = await openBigCommerce();
  return {
    ...mock,
    connection: { platform: "bigcommerce", store_id: mock.hash, api_url: mock.url, api_token: mock.token },
    sell(id, units) {
      mock.add(storeOrder(id, now(), {}, units));
      return mock.notification(id);
    },
    reword(id, customer_message) {
      mock.change(mock.orders.get(id) as StoreOrder, { customer_message, date_modified: rfc2822(inAMinute()) });
    },
    parcels: (id) =>
      (mock.orders.get(id)?.shipments ?? []).map(({ tracking_number, items }) => ({
        tracking: tracking_number || null,
        units: items.map(({ order_product_id, quantity }) => [order_product_id % 100, quantity] as const),
      })),
    isDone: (id) => mock.orders.get(id)?.fields["status_id"] === 2,
    telling: { method: "POST", having: "/shipments" },
  };
}

async function openShopifyStore(): Promise<Store> {
  const mock = await openShopify();
  return {
    ...mock,
    connection: {
      platform: "shopify",
      store_id: mock.shop,
      api_url: mock.url,
      api_token: mock.token,
      client_secret: "hush-hush",
    },
    sell: (id, units) => mock.notification(mock.add(shopOrder(id, now(), {}, units)), { secret: "hush-hush" }),
    reword(id, note) {
      mock.change(mock.orders.get(id) as ShopOrder, { note, updated_at: iso(inAMinute()) });
    },
    parcels: (id) =>
      (mock.orders.get(id)?.fulfillments ?? []).map(({ tracking, lines }) => ({
        tracking: tracking["number"] as string | null,
        units: lines.map((line) => [line.id % 100, line.quantity] as const),
      })),
    isDone: (id) => mock.orders.get(id)?.fields["fulfillment_status"] === "fulfilled",
    telling: { having: "fulfillmentCreate" },
  };
}

async function openWooCommerceStore(): Promise<Store> {
  const mock = await openWooCommerce({ key: "ck_mock_key", secret: "cs_mock_secret" });
  const secrets = { api_key: mock.key, api_token: mock.secret, client_secret: "hush-hush" };
  return {
    ...mock,
    connection: { platform: "woocommerce", store_id: mock.url, ...secrets },
    sell: (id, units) =>
      mock.notification(
        mock.add(
          siteOrder(
            id,
            now(),
            {},
            units.map((one) => ({ ...one })),
          ),
        ),
        { signed_with: "hush-hush" },
      ),
    reword(id, customer_note) {
      mock.change(mock.orders.get(id) as SiteOrder, { customer_note, date_modified_gmt: plain(inAMinute()) });
    },
    // The note is the only record. It contains the tracking number.
    parcels: (id) =>
      (mock.orders.get(id)?.notes ?? [])
        .toReversed()
        .map(({ note }) => ({ tracking: /Tracking number: (\w+)\./.exec(note)?.[1] ?? null, units: [] })),
    isDone: (id) => mock.orders.get(id)?.fields["status"] === "completed",
    telling: { method: "POST", having: "/notes" },
  };
}

const openers = {
  bigcommerce: openBigCommerceStore,
  shopify: openShopifyStore,
  woocommerce: openWooCommerceStore,
} as const satisfies Record<PlatformName, () => Promise<Store>>;

/** A service in test mode with a connected store, and common calls for tests of reports. */
export async function openConnected(platform: PlatformName) {
  const app = await openTestApp();
  const clock = app.clocks.test;
  // Platforms only know real time.
  const store = await openers[platform]();
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    app.call(method, path, body, { key: app.keys.test.full, headers });

  async function done(method: string, path: string, body?: unknown) {
    const answer = await call(method, path, body);
    expect([method, path, answer.status, answer.body.error]).toEqual([method, path, answer.status, undefined]);
    return answer.body.data;
  }

  const connection = await done("POST", "/platforms", store.connection);
  const callback = connection.callback_url.replace(/^.*\/v1/, "");

  /** Creates a product with units in stock. */
  async function stock(sku: string, units: number) {
    await done("POST", "/products", { sku, name: sku });
    await done("POST", "/inventory", { sku, quantity: units, location: "whs_1000000001" });
  }

  /** An order from the store, as imported here. */
  async function sell(id: number, ...units: Units[]) {
    const { body, headers } = store.sell(id, units);
    const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const answer = await call("POST", callback, body, named);
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    await app.runJobs();
    return done("GET", `/orders/${answer.body.order_id ?? answer.body.data.order_id}`);
  }

  return {
    app,
    clock,
    store,
    call,
    done,
    stock,
    sell,
    connection,
    /** Sends an action of an order and runs the jobs. */
    async act(order: { id: string }, action: string, body: unknown = {}) {
      const after = await done("POST", `/orders/${order.id}/${action}`, body);
      await app.runJobs();
      return after;
    },
    /** The reports of an order's parcels, oldest first. */
    reports: async ({ id }: { id: string }) =>
      (await done("GET", `/platforms/${connection.id}/reports?order_id=${id}`)).toReversed(),
    /** Advances the clock and runs the jobs. */
    async later(seconds: number) {
      clock.advance(seconds * 1000);
      await app.runJobs();
    },
    /** Makes the next reports to the platform fail. */
    trouble: (trouble: Trouble, times = 1) => store.fail(trouble, { ...store.telling, times }),
    async close() {
      store.stop();
      await app.close();
    },
  };
}
export type Connected = Awaited<ReturnType<typeof openConnected>>;
