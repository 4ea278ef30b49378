// Parcels of test data move by themselves once their labels are bought: a day passes every ten seconds of the clock.

import { describe, expect, test } from "bun:test";
import { verifyStore } from "../../src/cli/verify.ts";
import type { JobName } from "../../src/storage/commit_effects.ts";
import { openApp } from "../build/service.ts";
import { parcel, parcelShopOn } from "../build/shop.ts";
import { listEventsAfter } from "../events/stored_events.ts";

const app = await openApp();
const shop = await parcelShopOn(app, "test");
const { test: store } = app.service.stores;
const clock = app.clocks.test;
const day_ms = 10_000;

const sandbox = (method: string, path: string, body?: unknown) =>
  app.call(method, path, body, { key: app.keys.test.full });
const read = async (path: string) => (await sandbox("GET", path)).body.data;
const statusOf = async (id: string) => (await read(`/orders/${id}`)).status;

const wakes: [JobName, number][] = [];
store.onWake((job, at) => wakes.push([job, at]));

let seen = 0;
/** The types of the events since the last call, except those of stock. */
async function told(): Promise<string[]> {
  const events = await store.read((db) => listEventsAfter(db, seen));
  seen = events.at(-1)?.seq ?? seen;
  return events.map(({ type }) => type).filter((type) => !type.startsWith("inventory."));
}

/** Lets days pass. */
async function pass(days: number): Promise<void> {
  clock.advance(days * day_ms);
  await app.runJobs();
}

/** Buys a label for a new order. `word` is the second line of its address. */
async function bought(word: string | null = null): Promise<{ id: string; number: string; label_id: string }> {
  const { id } = await shop.order();
  const { shipping_address } = await read(`/orders/${id}`);
  const { address_line1: street1, postal_code: zip, name, city, state, country } = shipping_address;
  const to_address = { name, street1, street2: word, city, state, zip, country };
  const { body } = await shop.label(id, word === null ? {} : { to_address });
  await told();
  return { id, number: body.data.tracking_number, label_id: body.data.label_id };
}

describe("a parcel of test data", () => {
  test("is accepted, travels and is delivered by itself, and so is its order", async () => {
    wakes.length = 0;
    const { id, number } = await bought();
    expect(wakes.filter(([job]) => job === "tracking.poll")).toEqual([["tracking.poll", clock.now() + day_ms]]);
    expect(await read(`/tracking/${number}`)).toMatchObject({ status: "pending", events: [] });
    await pass(0.9);
    expect(await told()).toEqual([]);
    await pass(0.1);
    expect(await told()).toEqual(["order.fulfilled", "order.shipped", "shipment.tracking_updated"]);
    expect([(await read(`/tracking/${number}`)).status, await statusOf(id)]).toEqual(["picked_up", "shipped"]);
    await pass(1);
    expect(await told()).toEqual(["shipment.tracking_updated", "shipment.in_transit"]);
    await pass(1);
    expect(await told()).toEqual(["shipment.tracking_updated"]);
    await pass(1);
    expect(await told()).toEqual(["order.delivered", "shipment.tracking_updated", "shipment.delivered"]);
    const record = await read(`/tracking/${number}`);
    expect(record).toMatchObject({ status: "delivered", signed_by: "John Tester", next_poll_at: null });
    const statuses = record.events.map(({ status }: { status: string }) => status);
    expect(statuses).toEqual(["delivered", "out_for_delivery", "in_transit", "accepted", "pending"]);
    expect(await statusOf(id)).toBe("delivered");
    // Its days began with the purchase.
    expect(Date.parse(record.events[0].timestamp)).toBe(clock.now());
    await pass(10);
    expect(await told()).toEqual([]);
  });

  test("has made its whole journey when the service comes back", async () => {
    const { id, number } = await bought();
    await pass(1000);
    expect([(await read(`/tracking/${number}`)).status, await statusOf(id)]).toEqual(["delivered", "delivered"]);
  });

  test("follows the keyword of its address", async () => {
    const [delayed, back, still] = [
      await bought("SIM-EXCEPTION"),
      await bought("SIM-RETURNED"),
      await bought("Unit 4, sim-no-scans"),
    ];
    await pass(3);
    const statuses = async () =>
      Promise.all([delayed, back, still].map(async ({ number }) => (await read(`/tracking/${number}`)).status));
    expect(await statuses()).toEqual(["exception", "out_for_delivery", "pending"]);
    await pass(10);
    expect(await statuses()).toEqual(["delivered", "returned", "pending"]);
    const { events, next_poll_at } = await read(`/tracking/${still.number}`);
    expect([events, next_poll_at, await statusOf(still.id)]).toEqual([[], null, "pending"]);
    expect((await sandbox("POST", `/tracking/${still.number}/events`, { status: "picked_up" })).status).toBe(201);
    expect(await statusOf(still.id)).toBe("shipped");
    await pass(10);
    expect(await statusOf(still.id)).toBe("shipped");
  });

  test("stays where its label was voided", async () => {
    const { id, number, label_id } = await bought();
    expect((await sandbox("POST", `/shipping/labels/${label_id}/void`)).status).toBe(200);
    await told();
    await pass(10);
    expect([await told(), await statusOf(id)]).toEqual([[], "pending"]);
    expect(await read(`/tracking/${number}`)).toMatchObject({ status: "pending", events: [], next_poll_at: null });
  });

  test("is not scanned again once a person has recorded that it was delivered", async () => {
    const { id, number } = await bought();
    await pass(1);
    await sandbox("POST", `/tracking/${number}/events`, { status: "delivered", signed_by: "Ada" });
    await told();
    await pass(10);
    const { status, signed_by, events, next_poll_at } = await read(`/tracking/${number}`);
    expect([status, signed_by, events.length, next_poll_at]).toEqual(["delivered", "Ada", 3, null]);
    expect([await told(), await statusOf(id)]).toEqual([[], "delivered"]);
  });

  test("is not slowed down or repeated by those who track it", async () => {
    const { number } = await bought();
    await sandbox("POST", "/tracking", { tracking_number: number });
    await pass(2);
    await sandbox("POST", "/tracking", { tracking_number: number });
    await pass(2);
    const { status, events } = await read(`/tracking/${number}`);
    expect([status, events.length]).toEqual(["delivered", 5]);
  });

  test("comes back by itself with a return label", async () => {
    const { id } = await bought();
    await pass(4);
    const { data } = (await sandbox("POST", "/returns", { order_id: id, reason: "defective" })).body;
    const label = await sandbox("POST", `/returns/${data.id}/label`, { carrier: "sim", ...parcel });
    expect(label.status).toBe(201);
    await pass(2);
    expect((await read(`/returns/${data.id}`)).return_shipping.status).toBe("in_transit");
    await pass(2);
    const arrived = await read(`/returns/${data.id}`);
    expect([arrived.return_shipping.status, Date.parse(arrived.arrived_at)]).toEqual(["delivered", clock.now()]);
  });

  test("moves with many others", async () => {
    const parcels = await Promise.all(Array.from({ length: 45 }, () => bought()));
    await pass(4);
    const { data } = (await sandbox("GET", "/orders?status=delivered&limit=100")).body;
    const delivered = new Set(data.map(({ id }: { id: string }) => id));
    expect(parcels.filter(({ id }) => !delivered.has(id))).toEqual([]);
    expect(await store.read(verifyStore)).toEqual([]);
  });
});

test("an SSCC of the demonstration range moves as well", async () => {
  const gs1 = await openApp({ gs1_prefix: "0614141" });
  const house = await parcelShopOn(gs1, "test");
  const { id } = await house.order();
  const { tracking_number } = (await house.label(id)).body.data;
  expect(tracking_number).toMatch(/^\d9521234\d{10}$/);
  gs1.clocks.test.advance(4 * day_ms);
  await gs1.runJobs();
  const { body } = await gs1.call("GET", `/tracking/${tracking_number}`, undefined, { key: gs1.keys.test.full });
  expect(body.data.status).toBe("delivered");
});

test("a parcel of live data waits for scans", async () => {
  const house = await parcelShopOn(app, "live");
  const { id } = await house.order();
  const { tracking_number } = (await house.label(id)).body.data;
  app.clocks.live.advance(100 * day_ms);
  await app.runJobs();
  const { data } = (await app.get(`/tracking/${tracking_number}`)).body;
  expect([data.status, data.events, data.next_poll_at]).toEqual(["pending", [], null]);
});
