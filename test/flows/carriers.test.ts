// An order, rates from four carriers (one hangs, one fails), the cheapest label, and the tracking of the parcel: once
// by webhooks that are late, out of order and duplicated, once by polling.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { verifyStore } from "../../src/cli/verify.ts";
import { hour_ms } from "../../src/core/time.ts";
import { outsideCarriers, overrideCarriers } from "../../src/shipping/carriers/connectors.ts";
import { openTestApp, start, type TestApp } from "../build/service.ts";
import { parcelShopOn } from "../build/shop.ts";
import { listEventsAfter } from "../events/stored_events.ts";
import { type EasyPostMock, openEasyPost } from "../shipping/carriers/easypost_mock.ts";
import { type KarrioMock, openKarrio } from "../shipping/carriers/karrio_mock.ts";
import { openShippo, type ShippoMock } from "../shipping/carriers/shippo_mock.ts";

setDefaultTimeout(120_000);

/** Longer than healthy carriers take on a busy machine, shorter than the ones that hang. */
const deadline_ms = 3000;

/** Two days of a parcel, as its carrier reports them. */
const scans = [
  { status: "pre_transit", status_detail: "label_created", at: start + hour_ms, message: "Label created" },
  { status: "in_transit", status_detail: "received_at_origin_facility", at: start + 5 * hour_ms, city: "Reno" },
  { status: "in_transit", status_detail: "departed_facility", at: start + 20 * hour_ms, city: "Reno" },
  { status: "out_for_delivery", status_detail: "out_for_delivery", at: start + 40 * hour_ms, city: "Los Angeles" },
  { status: "delivered", status_detail: "arrived_at_destination", at: start + 44 * hour_ms, signed_by: "J. Avery" },
] as const;
const path = ["pending", "accepted", "in_transit", "out_for_delivery", "delivered"];

/** The events of an order from its label to its delivery, one per change. */
const heard = [
  ...["shipment.created", "order.fulfilled", "order.shipped", "inventory.updated", "shipment.tracking_updated"],
  ...["shipment.tracking_updated", "shipment.in_transit", "shipment.tracking_updated", "order.delivered"],
  ...["shipment.tracking_updated", "shipment.delivered"],
];

/** A sandbox shop with accounts at EasyPost, at a Shippo that hangs, and at a Karrio that fails. */
async function openTrade() {
  const app: TestApp = await openTestApp();
  overrideCarriers(app.service, outsideCarriers, deadline_ms);
  const shop = await parcelShopOn(app, "test");
  const easypost: EasyPostMock = await openEasyPost({ now: () => app.clocks.test.now() });
  const karrio: KarrioMock = await openKarrio();
  const shippo: ShippoMock = await openShippo();
  const call = async (method: string, where: string, body?: object) =>
    await app.call(method, where, body, { key: shop.key });
  const account = async (connector: string, credentials: object) => {
    const made = await call("POST", "/shipping/carrier_accounts", { connector, credentials });
    const tested = await call("POST", `/shipping/carrier_accounts/${made.body.data.id}/test`, {});
    expect([made.status, tested.status, tested.body.data.last_test.ok]).toEqual([201, 200, true]);
    return { ...made.body.data };
  };
  const accounts = {
    easypost: await account("easypost", { api_key: easypost.key, api_url: easypost.url }),
    karrio: await account("karrio", { api_key: karrio.key, api_url: karrio.url }),
    shippo: await account("shippo", { api_token: shippo.key, api_url: shippo.url }),
  };
  shippo.fail("hang", { having: "/shipments", times: 99 });
  karrio.fail({ status: 503, headers: { "Retry-After": "60" } }, { having: "/shipments", times: 99 });
  let told = 0;
  /** The types of the events since the last call, oldest first. */
  const takeTypes = async (): Promise<string[]> => {
    const events = await app.service.stores.test.read((db) => listEventsAfter(db, told));
    told = events.at(-1)?.seq ?? told;
    return events.map(({ body }) => JSON.parse(body).type);
  };
  const close = async () => {
    for (const mock of [easypost, karrio, shippo]) mock.stop();
    expect(await app.service.stores.test.read(verifyStore)).toEqual([]);
    await app.close();
  };
  return { app, shop, call, accounts, easypost, takeTypes, close };
}
type Trade = Awaited<ReturnType<typeof openTrade>>;

const inBox = { weight: 2.5, weight_unit: "lb", dimensions: { length: 10, width: 8, height: 4, unit: "in" } };

/** Buys the cheapest label for an order. Returns both. */
async function buyCheapest({ app, shop, call, accounts, easypost, takeTypes }: Trade) {
  const order = await shop.order();
  await takeTypes();
  const { status, body } = await call("POST", "/shipping/rates", { order_id: order.id, ...inBox });
  expect(status).toBe(200);
  const { rates, messages } = body.data;
  const [cheapest] = rates;
  expect(rates.map(({ carrier }: { carrier: string }) => carrier)).toContain("sim");
  const prices = rates.map(({ rate }: { rate: number }) => rate);
  expect(prices).toEqual(prices.toSorted((one: number, other: number) => one - other));
  expect(cheapest).toMatchObject({ carrier: "usps", service: "GroundAdvantage", account_id: accounts.easypost.id });
  const said = messages.map(({ account_id, code }: { account_id: string; code: string }) => [account_id, code]);
  expect(said).toContainEqual([accounts.shippo.id, "carrier_timeout"]);
  expect(said).toContainEqual([accounts.karrio.id, "carrier_error"]);

  const wanted = { order_id: order.id, quote_id: cheapest.quote_id, package: inBox };
  const bought = await call("POST", "/shipping/labels", wanted);
  expect([bought.status, bought.body.data?.status, bought.body.error]).toEqual([201, "completed", undefined]);
  const label = bought.body.data;
  expect(label).toMatchObject({
    carrier: "usps",
    service: "GroundAdvantage",
    cost: cheapest.rate,
    account_id: accounts.easypost.id,
    documents: [{ kind: "label" }],
  });
  expect(easypost.purchases.at(-1)).toMatchObject({ reference: expect.stringContaining(order.order_number) });
  const printed = await app.app.handle(new Request(label.label_url));
  expect([printed.headers.get("content-type"), (await printed.text()).slice(0, 5)]).toEqual([
    "application/pdf",
    "%PDF-",
  ]);
  const again = await call("POST", "/shipping/labels", { ...wanted, additional: true });
  expect(again.body.error.code).toBe("quote_used");
  return { order, label };
}

/** The final state: each scan once, and the order delivered. */
async function expectDelivered({ call, takeTypes }: Trade, { order, label }: Awaited<ReturnType<typeof buyCheapest>>) {
  const record = (await call("GET", `/tracking/${label.tracking_number}`)).body.data;
  expect(record).toMatchObject({ status: "delivered", carrier: "usps", signed_by: "J. Avery", order_id: order.id });
  const seen = record.events.map(({ status, timestamp }: { status: string; timestamp: string }) => [
    status,
    Date.parse(timestamp),
  ]);
  const told = seen.toSorted((one: [string, number], other: [string, number]) => one[1] - other[1]);
  expect(told).toEqual(scans.map(({ at }, index) => [path[index], at]));
  expect((await call("GET", `/orders/${order.id}`)).body.data).toMatchObject({ status: "delivered" });
  expect(await takeTypes()).toEqual(heard);
}

describe("rates from four carriers, of which one hangs and one fails", () => {
  let trade: Trade;
  beforeAll(async () => {
    trade = await openTrade();
  });
  afterAll(() => trade.close());

  test("the cheapest label, and a parcel that is polled", async () => {
    const { app, easypost, call } = trade;
    const bought = await buyCheapest(trade);
    for (const scan of scans) {
      easypost.scan(bought.label.tracking_number, scan);
      app.clocks.test.advance(8 * hour_ms);
      await app.runJobs();
    }
    await expectDelivered(trade, bought);
    expect(easypost.purchases).toHaveLength(1);
    // One more poll a day later, and then none.
    for (const looks of [1, 0]) {
      const before = easypost.asked.length;
      app.clocks.test.advance(30 * hour_ms);
      await app.runJobs();
      expect([looks, easypost.asked.length - before]).toEqual([looks, looks]);
    }
    expect((await call("GET", `/tracking/${bought.label.tracking_number}`)).body.data.next_poll_at).toBeNull();
  });

  test("the cheapest label, and a parcel whose webhooks arrive out of order and twice", async () => {
    const { app, easypost, call, accounts } = trade;
    const bought = await buyCheapest(trade);
    const { tracking_number } = bought.label;
    const callbacks = scans.map((scan) => {
      easypost.scan(tracking_number, scan);
      return easypost.callback(tracking_number, { secret: accounts.easypost.callback_secret });
    });
    const tell = async (index: number, { forged = false } = {}) => {
      const { body = "", headers: sent_headers } = callbacks[index] ?? {};
      const headers = { "X-Hmac-Signature": sent_headers?.["X-Hmac-Signature"] ?? "" };
      const { pathname, search } = new URL(accounts.easypost.callback_url);
      const sent = forged ? body.replace("delivered", "returned") : body;
      const answer = await app.call("POST", pathname.replace("/v1", "") + search, sent, { key: null, headers });
      const record = (await call("GET", `/tracking/${tracking_number}`)).body.data;
      return [answer.status, record.status];
    };
    expect(await tell(3)).toEqual([200, "out_for_delivery"]);
    expect(await tell(0)).toEqual([200, "out_for_delivery"]);
    expect(await tell(3)).toEqual([200, "out_for_delivery"]);
    expect(await tell(4, { forged: true })).toEqual([401, "out_for_delivery"]);
    expect(await tell(4)).toEqual([200, "delivered"]);
    for (const late of [1, 4, 2, 0]) expect(await tell(late)).toEqual([200, "delivered"]);
    await expectDelivered(trade, bought);
  });

  test("a parcel to another country is declared once its product has an origin and a weight", async () => {
    const { call, easypost, shop } = trade;
    const customer = await call("POST", "/customers", {
      email: "alan@example.com",
      first_name: "Alan",
      last_name: "Tremblay",
      shipping_addresses: [
        {
          name: "Alan Tremblay",
          address_line1: "200 Bay St",
          city: "Toronto",
          state: "ON",
          postal_code: "M5J 2J2",
          country: "CA",
        },
      ],
    });
    const { id: customer_id, shipping_addresses } = customer.body;
    const order = await call("POST", "/orders", { ...shop.draft(3, shipping_addresses[0].id), customer_id });
    const wanted = {
      order_id: order.body.data.id,
      carrier: "dhl_express",
      service: "ExpressWorldwide",
      package: inBox,
    };
    const sold = easypost.purchases.length;
    const refused = await call("POST", "/shipping/labels", wanted);
    expect([refused.status, refused.body.error.code]).toEqual([422, "validation_failed"]);
    expect(easypost.purchases).toHaveLength(sold);
    const customs = { country_of_origin: "IN" };
    await call("PATCH", `/products/${shop.product_id}`, { customs, weight: 12, weight_unit: "oz" });
    const { status, body } = await call("POST", "/shipping/labels", wanted);
    expect([status, body.data?.status, body.error]).toEqual([201, "completed", undefined]);
    const { shipment_id = "" } = easypost.purchases.at(-1) ?? {};
    expect(easypost.shipments.get(shipment_id)?.["customs_info"]).toMatchObject({
      customs_items: [{ description: "Rice, 1 kg", quantity: 3, value: 9.6, weight: 36, origin_country: "IN" }],
    });
  });
});
