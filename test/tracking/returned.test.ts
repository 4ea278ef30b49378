// Carriers end a return to the sender with "delivered". A returned parcel stays returned for any source of reports.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { minute_ms } from "../../src/core/time.ts";
import { overrideCarriers } from "../../src/shipping/carriers/connectors.ts";
import type { TrackingEventStatus } from "../../src/shipping/carriers/tracking.transitions.ts";
import { openApp } from "../build/service.ts";
import { type ParcelShop, parcelShopOn } from "../build/shop.ts";
import { addTeller, scanOf, tellingCarrier, told } from "./carrier.ts";

setDefaultTimeout(60_000);

const carrier = tellingCarrier();
const app = await openApp();
overrideCarriers(app.service, { teller: carrier.connector });
const shop: ParcelShop = await parcelShopOn(app);
const teller = await addTeller(app);
await app.takeEvents();

let made = 0;
const billed = async () => (await app.get("/billing/events?limit=100")).body.data.length;

/** An order with a parcel shipped under a number that the carrier reports on. */
async function sent() {
  const order = await shop.order();
  const number = `BACK${String(++made).padStart(6, "0")}`;
  await app.post(`/orders/${order.id}/ship`, { carrier: "swift", tracking_number: number });
  await app.post("/tracking", { tracking_number: number, account_id: teller.id });
  await app.runJobs();
  app.clocks.live.advance(60 * minute_ms);
  await app.takeEvents();
  const state = async () => {
    const { status, delivered_at, shipments } = (await app.get(`/orders/${order.id}`)).body.data;
    const record = (await app.get(`/tracking/${number}`)).body.data;
    return { order: status, delivered_at, parcel: shipments[0].status, record: record.status };
  };
  return { order, number, state };
}

interface Report {
  readonly status: TrackingEventStatus;
  readonly minutes_ago: number;
}
type Feed = (number: string, reports: readonly Report[]) => Promise<unknown>;
const scansOf = (reports: readonly Report[]) =>
  reports.map(({ status, minutes_ago }) => scanOf(status, app.clocks.live.now() - minutes_ago * minute_ms));

/** The sources of reports. Each gets the reports one by one, or all at once. */
const feeds: Readonly<Record<string, Feed>> = {
  async "manual scans"(number, reports) {
    for (const { status, minutes_ago } of reports) {
      const timestamp = new Date(app.clocks.live.now() - minutes_ago * minute_ms).toISOString();
      expect((await app.post(`/tracking/${number}/events`, { status, timestamp })).status).toBe(201);
    }
  },
  async callbacks(number, reports) {
    for (const scan of scansOf(reports)) await teller.callBack([told(number, [scan])]);
  },
  "one callback": (number, reports) => teller.callBack([told(number, scansOf(reports))]),
  async polls(number, reports) {
    const scans = scansOf(reports);
    carrier.answer = async ({ numbers }) => (numbers.includes(number) ? [told(number, scans)] : []);
    // An account that also sends callbacks is polled once a day.
    app.clocks.live.advance(30 * 60 * minute_ms);
    await app.runJobs();
    carrier.answer = async () => [];
  },
};

const unmoved = { order: "shipped", delivered_at: null, parcel: "shipped", record: "returned" };

describe.each(Object.entries(feeds))("%s", (name, report) => {
  test("reports of a delivery after a return leave the order unchanged", async () => {
    const { number, state } = await sent();
    await report(number, [
      { status: "exception", minutes_ago: 30 },
      { status: "returned", minutes_ago: 20 },
    ]);
    expect(await state()).toEqual(unmoved);
    expect(await app.takeTypes()).toEqual([
      "shipment.tracking_updated",
      "shipment.exception",
      "shipment.tracking_updated",
    ]);
    const before = await billed();
    await report(number, [
      { status: "out_for_delivery", minutes_ago: 10 },
      { status: "delivered", minutes_ago: 5 },
    ]);
    expect(await state()).toEqual(unmoved);
    expect([await app.takeTypes(), await billed()]).toEqual([[], before]);
  });

  test("reports of a delivery at the time of the return count as the end of the return", async () => {
    const { number, state } = await sent();
    const moment = { minutes_ago: 5 };
    await report(number, [
      { status: "returned", ...moment },
      { status: "delivered", ...moment },
    ]);
    expect(await state()).toEqual(unmoved);
    expect(await app.takeTypes()).toEqual(["shipment.tracking_updated"]);
  });

  test("reports of a delivery before the return deliver the order, in any order of arrival", async () => {
    const { number, state } = await sent();
    await report(number, [
      { status: "returned", minutes_ago: 5 },
      { status: "delivered", minutes_ago: 20 },
    ]);
    const { record, order } = await state();
    expect([record, order]).toEqual(["returned", "delivered"]);
    const inOrder = name === "one callback" || name === "polls";
    const delivery = ["order.delivered", "shipment.tracking_updated", "shipment.delivered"];
    const updated = "shipment.tracking_updated";
    expect(await app.takeTypes()).toEqual(inOrder ? [...delivery, updated] : [updated, "order.delivered"]);
  });
});

test("a parcel scanned as returned before its delivery to the sender is reported stays returned", async () => {
  const { number, state } = await sent();
  await feeds["manual scans"]?.(number, [{ status: "returned", minutes_ago: 1 }]);
  await feeds["one callback"]?.(number, [
    { status: "returned", minutes_ago: 20 },
    { status: "delivered", minutes_ago: 10 },
  ]);
  expect(await state()).toEqual(unmoved);
  expect(await app.takeTypes()).toEqual(["shipment.tracking_updated"]);
});

test("scans recorded together leave returned parcels returned", async () => {
  const orders = await Promise.all([shop.order(), shop.order(), shop.order()]);
  const numbers: string[] = [];
  for (const { id } of orders) numbers.push((await shop.label(id)).body.data.tracking_number);
  const scan = (status: string) =>
    Promise.all(numbers.map((number) => app.post(`/tracking/${number}/events`, { status })));
  await scan("picked_up");
  await scan("returned");
  await app.takeEvents();
  expect((await scan("delivered")).map(({ body }) => body.data.status)).toEqual(numbers.map(() => "returned"));
  expect(await app.takeTypes()).toEqual([]);
  const statuses = await Promise.all(orders.map(async ({ id }) => (await app.get(`/orders/${id}`)).body.data.status));
  expect(statuses).toEqual(numbers.map(() => "shipped"));
});
