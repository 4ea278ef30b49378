import { expect } from "bun:test";
import { day_ms } from "../../../src/core/time.ts";
import { openTestApp } from "../../build/service.ts";
import type { Json, MockServer, Trouble } from "../../outbound/mock_server.ts";
import { type Goods, openBigCommerce, rfc2822, type StoreOrder, storeOrder } from "../mocks/bigcommerce.ts";
import type { Shelf } from "../mocks/shelf.ts";
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
export interface Store extends Pick<MockServer, "url" | "asked" | "stop" | "fail" | "forgive" | "misbehave"> {
  /** The body of POST /platforms. */
  readonly connection: object;
  readonly shelf: Shelf;
  /** The body of POST /platforms for access by an app, and the end of the app's tokens. Null without apps. */
  readonly byApp: { readonly connection: object; expireTokens(): void } | null;
  /** Places an order and returns its notification. */
  sell(id: number, units: readonly Units[]): { body: string; headers: Record<string, string> };
  /** Refunds units of a line that are not sent. */
  refund(id: number, line: number, units: number): void;
  /** Sends units of a line from elsewhere. Null if the platform does not count sent units. */
  readonly sendElsewhere: ((id: number, line: number, units: number) => void) | null;
  /** The order's present notification. */
  notification(id: number): { body: string; headers: Record<string, string> };
  /** Makes an order one that its buyer collects. */
  collect(id: number): void;
  /** Changes fields of an order, in the platform's format. */
  edit(id: number, fields: Json): void;
  /** Changes the buyer's email address. */
  setEmail(id: number, email: string): void;
  /** Changes the price of each unit of a line, without discounts. */
  setPrice(id: number, line: number, price: string): void;
  /** The field with the currency of an order's amounts. */
  readonly currency: string;
  /** Changes the buyer's note, a minute from now since platforms use whole seconds, without a notification. */
  reword(id: number, words: string): void;
  parcels(id: number): Known[];
  /** Whether the platform shows the order as shipped. */
  isDone(id: number): boolean;
  /** The requests that report a parcel. */
  readonly telling: { method?: string; having: string };
}

// Each change at a shop happens a second after the one before, since platforms use whole seconds. They begin yesterday:
// nothing may come from the future.
let behind_ms = day_ms;
const now = () => Date.now() - behind_ms;
const aSecondLater = () => {
  behind_ms -= 1000;
  return now();
};
const inAMinute = () => now() + 60_000;

async function openBigCommerceStore(): Promise<Store> {
  const mock = await openBigCommerce({ now: aSecondLater });
  const productOf = (id: number, line: number) => mock.orders.get(id)?.products[line] as Goods;
  return {
    ...mock,
    connection: { platform: "bigcommerce", store_id: mock.hash, api_url: mock.url, api_token: mock.token },
    sell(id, units) {
      mock.add(storeOrder(id, now(), {}, units));
      return mock.notification(id);
    },
    refund(id, line, units) {
      productOf(id, line).quantity_refunded += units;
      mock.change(mock.orders.get(id) as StoreOrder, {});
    },
    sendElsewhere(id, line, units) {
      productOf(id, line).quantity_shipped += units;
      mock.change(mock.orders.get(id) as StoreOrder, { status_id: 3 });
    },
    collect(id) {
      const { products = [], addresses = [] } = mock.orders.get(id) ?? {};
      for (const product of products) Object.assign(product, { order_address_id: 0, order_pickup_method_id: 3 });
      addresses.length = 0;
    },
    edit: (id, fields) => mock.change(mock.orders.get(id) as StoreOrder, fields),
    setEmail(id, email) {
      const order = mock.orders.get(id) as StoreOrder;
      mock.change(order, { billing_address: { ...(order.fields["billing_address"] as Json), email } });
    },
    setPrice(id, line, price) {
      Object.assign(productOf(id, line), { price_ex_tax: price, applied_discounts: [] });
      mock.change(mock.orders.get(id) as StoreOrder, {});
    },
    currency: "default_currency_code",
    notification: (id) => mock.notification(id, { scope: "store/order/updated", at: aSecondLater() }),
    reword(id, customer_message) {
      mock.change(mock.orders.get(id) as StoreOrder, { customer_message, date_modified: rfc2822(inAMinute()) });
    },
    parcels: (id) =>
      (mock.orders.get(id)?.shipments ?? []).map(({ tracking_number, items }) => ({
        tracking: tracking_number || null,
        units: items.map(({ order_product_id, quantity }) => [order_product_id % 100, quantity] as const),
      })),
    isDone: (id) => [2, 10].includes(Number(mock.orders.get(id)?.fields["status_id"])),
    byApp: null,
    telling: { method: "POST", having: "/shipments" },
  };
}

async function openShopifyStore(): Promise<Store> {
  const mock = await openShopify({ now: aSecondLater });
  const take = (order: ShopOrder, line: number, units: number) => {
    const { id } = order.lines[line] as { id: number };
    const entry = order.fulfillment_orders.flatMap(({ lines }) => lines).find(({ line_id }) => line_id === id);
    if (entry === undefined || entry.remaining < units) throw new Error("the units are not open");
    entry.remaining -= units;
    return id;
  };
  const { client_id, client_secret } = mock.app;
  const about = { platform: "shopify", store_id: mock.shop, api_url: mock.url, client_secret };
  return {
    ...mock,
    connection: { ...about, api_token: mock.token },
    byApp: { connection: { ...about, client_id }, expireTokens: () => mock.app.revoke() },
    sell: (id, units) => mock.notification(mock.add(shopOrder(id, now(), {}, units)), { secret: "hush-hush" }),
    refund(id, line, units) {
      const order = mock.orders.get(id) as ShopOrder;
      take(order, line, units);
      for (const one of order.lines.filter((_, at) => at === line)) one.current_quantity -= units;
      mock.change(order, {});
    },
    sendElsewhere(id, line, units) {
      const order = mock.orders.get(id) as ShopOrder;
      const tracking = { number: "elsewhere", company: null, url: null };
      const lines = [{ id: take(order, line, units), quantity: units }];
      order.fulfillments.push({
        id: 9000 + order.fulfillments.length,
        status: "SUCCESS",
        tracking,
        notified: true,
        lines,
      });
      mock.change(order, { fulfillment_status: "partial" });
    },
    collect(id) {
      const order = mock.orders.get(id) as ShopOrder;
      Object.assign(order.fields, { shipping_address: null });
      for (const one of order.fulfillment_orders) one.method = "PICK_UP";
    },
    edit: (id, fields) => mock.change(mock.orders.get(id) as ShopOrder, fields),
    setEmail: (id, email) => mock.change(mock.orders.get(id) as ShopOrder, { email }),
    setPrice(id, line, price) {
      const order = mock.orders.get(id) as ShopOrder;
      Object.assign(order.lines[line] as object, { price, discount: "0.00" });
      mock.change(order, {});
    },
    currency: "currency",
    notification: (id) =>
      mock.notification(mock.orders.get(id) as ShopOrder, { secret: "hush-hush", topic: "orders/updated" }),
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
  const mock = await openWooCommerce({ key: "ck_mock_key", secret: "cs_mock_secret", now: aSecondLater });
  const secrets = { api_key: mock.key, api_token: mock.secret, client_secret: "hush-hush" };
  return {
    ...mock,
    connection: { platform: "woocommerce", store_id: mock.url, ...secrets },
    sell: (id, units) =>
      mock.notification(
        mock.add(
          siteOrder(
            id,
            aSecondLater(),
            {},
            units.map((one) => ({ ...one })),
          ),
        ),
        { signed_with: "hush-hush" },
      ),
    reword(id, customer_note) {
      mock.change(mock.orders.get(id) as SiteOrder, { customer_note, date_modified_gmt: plain(inAMinute()) });
    },
    refund(id, line, units) {
      mock.refund(mock.orders.get(id) as SiteOrder, id * 100 + line, units);
    },
    sendElsewhere: null,
    collect(id) {
      const lines = [
        { id: 1, method_title: "Collect in store", method_id: "local_pickup", instance_id: "4", total: "0" },
      ];
      Object.assign(mock.orders.get(id)?.fields as object, { shipping_lines: lines });
    },
    edit: (id, fields) => mock.change(mock.orders.get(id) as SiteOrder, fields),
    setEmail(id, email) {
      const order = mock.orders.get(id) as SiteOrder;
      mock.change(order, { billing: { ...(order.fields["billing"] as Json), email } });
    },
    setPrice(id, line, price) {
      const order = mock.orders.get(id) as SiteOrder;
      const item = order.fields.line_items[line] as Json;
      const total = (Number(price) * Number(item["quantity"])).toFixed(4);
      Object.assign(item, { subtotal: total, total });
      mock.change(order, {});
    },
    currency: "currency",
    notification: (id) =>
      mock.notification(mock.orders.get(id) as SiteOrder, { signed_with: "hush-hush", topic: "order.updated" }),
    // The note is the only record. It contains the tracking number.
    parcels: (id) =>
      (mock.orders.get(id)?.notes ?? [])
        .toReversed()
        .map(({ note }) => ({ tracking: /Tracking number: (\w+)\./.exec(note)?.[1] ?? null, units: [] })),
    isDone: (id) => mock.orders.get(id)?.fields["status"] === "completed",
    byApp: null,
    telling: { method: "POST", having: "/notes" },
  };
}

const openers = {
  bigcommerce: openBigCommerceStore,
  shopify: openShopifyStore,
  woocommerce: openWooCommerceStore,
} as const satisfies Record<PlatformName, () => Promise<Store>>;

/** Opens a store of a platform. */
export const openStore = (platform: PlatformName): Promise<Store> => openers[platform]();

/** A service in test mode with a connected store, and common calls for tests of reports. */
export async function openConnected(platform: PlatformName) {
  const app = await openTestApp();
  const clock = app.clocks.test;
  // Platforms only know real time.
  const store = await openStore(platform);
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
  const sell = (id: number, ...units: Units[]) => receive(store.sell(id, units));

  /** Receives a notification. Returns its order. */
  async function receive({ body, headers }: { body: string; headers: Record<string, string> }) {
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
    /** Sends the present notification of an order. Returns the order here. */
    tell: (id: number) => receive(store.notification(id)),
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
