import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { minute_ms } from "../../src/core/time.ts";
import { ShipmentEventView } from "../../src/tracking/tracking.schema.ts";
import { start as now, openApp } from "../build/service.ts";
import { outcomeOf, type ParcelShop, parcelShopOn } from "../build/shop.ts";

const app = await openApp();
const shop: ParcelShop = await parcelShopOn(app);

const at = (offset: number) => new Date(now + offset).toISOString();

/** An order with a label: its id and the tracking number. */
async function sent(quantity = 2) {
  const order = await shop.order(quantity);
  const { tracking_number, label_id } = (await shop.label(order.id)).body.data;
  await app.takeEvents();
  const scan = (status: string, fields: object = {}) =>
    app.post(`/tracking/${tracking_number}/events`, { status, ...fields });
  const status = async () => (await app.get(`/orders/${order.id}`)).body.data.status;
  return { order, tracking_number, label_id, scan, status };
}

describe("works", () => {
  test("a parcel is tracked from the label to the door, with its order", async () => {
    const { tracking_number, scan, status } = await sent();
    const before = (await app.get(`/tracking/${tracking_number}`)).body.data;
    expect(before).toMatchObject({
      status: "pending",
      status_detail: "Label created, awaiting pickup",
      carrier: "local",
      service_type: "standard",
      estimated_delivery: expect.any(String),
      events: [],
      shipment_details: { weight: "2.5", weight_unit: "lb", dimensions: null },
    });
    const location = { city: "Columbus", state: "OH" };
    const picked = await scan("picked_up", { location, message: "At the dock.", timestamp: at(-4 * minute_ms) });
    expect([picked.status, picked.body.data.status]).toEqual([201, "picked_up"]);
    expect(await app.takeTypes()).toEqual([
      "order.fulfilled",
      "order.shipped",
      "inventory.updated",
      "shipment.tracking_updated",
    ]);
    expect(await status()).toBe("shipped");
    await scan("in_transit", { timestamp: at(-3 * minute_ms) });
    expect(await app.takeTypes()).toEqual(["shipment.tracking_updated", "shipment.in_transit"]);
    await scan("out_for_delivery", { timestamp: at(-2 * minute_ms) });
    expect(await app.takeTypes()).toEqual(["shipment.tracking_updated"]);
    await scan("exception", { timestamp: at(-minute_ms), reason: "Nobody was there", code: "X1" });
    expect(await app.takeTypes()).toEqual(["shipment.tracking_updated", "shipment.exception"]);
    expect(await status()).toBe("shipped");
    const there = { city: "Beverly Hills", state: "CA", country: "US", facility: "Front desk" };
    const last = await scan("delivered", { location: there, signed_by: "J. Avery" });
    const events = await app.takeEvents();
    expect(events.map(({ type }) => type)).toEqual([
      "order.delivered",
      "shipment.tracking_updated",
      "shipment.delivered",
    ]);
    for (const { data } of events.slice(1)) expect([...Value.Errors(ShipmentEventView, data)]).toEqual([]);
    expect(events[2]?.data).toMatchObject({
      object: "shipment",
      status: "delivered",
      tracking_number,
      tracking: { status: "delivered", signed_by: "J. Avery", current_location: there },
    });
    expect(await status()).toBe("delivered");
    expect(last.body.data).toMatchObject({ status: "delivered", signed_by: "J. Avery", current_location: there });
    const told = last.body.data.events.map((event: { status: string }) => event.status);
    expect(told).toEqual(["delivered", "exception", "out_for_delivery", "in_transit", "picked_up"]);
    expect((await app.get(`/tracking/${tracking_number}`)).body.data).toEqual(last.body.data);
  });

  test("both response shapes of the specification", async () => {
    const { tracking_number, scan } = await sent();
    const location = { city: "Columbus", state: "OH" };
    await scan("accepted", { location, message: "Got it.", timestamp: at(-minute_ms) });
    const long = (await app.get(`/tracking/${tracking_number}`)).body.data;
    expect(long.events).toEqual([
      {
        timestamp: at(-minute_ms),
        status: "accepted",
        location: { ...location, country: null, facility: null },
        description: "Got it.",
        message: "Got it.",
        status_detail: null,
        carrier_status: null,
        carrier_code: null,
        reason: null,
      },
    ]);
    expect((await app.get(`/tracking/${tracking_number}?shape=a`)).body.data).toEqual({
      tracking_number,
      carrier: "local",
      status: "picked_up",
      status_detail: "Accepted by the carrier",
      estimated_delivery: long.estimated_delivery,
      events: [{ status: "accepted", message: "Got it.", location: "Columbus, OH", timestamp: at(-minute_ms) }],
    });
    const spaced = `${tracking_number.slice(0, 4)}%20${tracking_number.slice(4).toLowerCase()}`;
    expect((await app.get(`/tracking/${spaced}`)).body.data).toEqual(long);
    await app.takeEvents();
  });

  test("a bulk query returns each number in the requested order", async () => {
    const one = await sent();
    const two = await sent();
    const asked = [two.tracking_number, "1Z999AA10123456784", one.tracking_number];
    const answer = await app.post("/tracking/batch", { tracking_numbers: asked });
    expect(answer.body.meta).toMatchObject({ requested: 3, found: 2, version: "v1" });
    expect(answer.body.data.map((item: { success: boolean }) => item.success)).toEqual([true, false, true]);
    expect(answer.body.data.map((item: { tracking_number: string }) => item.tracking_number)).toEqual(asked);
    expect(answer.body.data[0].tracking).toEqual((await app.get(`/tracking/${two.tracking_number}`)).body.data);
    const detected_carriers = [
      {
        carrier: "ups",
        format: "UPS",
        checked: true,
        tracking_url: "https://www.ups.com/track?tracknum=1Z999AA10123456784",
      },
    ];
    expect(answer.body.data[1]).toMatchObject({
      tracking: null,
      error: { code: "resource_missing", detected_carriers },
    });
    const single = await app.get("/tracking/1z%20999aa10123456784");
    expect([single.status, single.body.error]).toMatchObject([404, { code: "resource_missing", detected_carriers }]);
  });

  test("a scan is stored once and emitted once", async () => {
    const { tracking_number, scan } = await sent();
    const first = await scan("in_transit", { timestamp: at(-minute_ms), message: "Left." });
    await app.takeEvents();
    const again = await scan("in_transit", { timestamp: at(-minute_ms), message: "Left." });
    expect([again.status, again.body.data]).toEqual([201, first.body.data]);
    expect(await app.takeTypes()).toEqual([]);
    expect((await app.get(`/tracking/${tracking_number}`)).body.data.events).toHaveLength(1);
  });

  test("a late old scan is stored, and changes and emits nothing", async () => {
    const { scan, status } = await sent();
    await scan("delivered", { timestamp: at(-minute_ms) });
    expect(await app.takeTypes()).toEqual([
      "order.fulfilled",
      "order.shipped",
      "inventory.updated",
      "order.delivered",
      "shipment.tracking_updated",
      "shipment.delivered",
    ]);
    const late = await scan("in_transit", { timestamp: at(-2 * minute_ms) });
    expect(late.body.data).toMatchObject({ status: "delivered" });
    expect(late.body.data.events).toHaveLength(2);
    expect(await app.takeTypes()).toEqual([]);
    expect(await status()).toBe("delivered");
    expect((await scan("returned", { timestamp: at(-minute_ms) })).body.data.status).toBe("returned");
    expect(await app.takeTypes()).toEqual(["shipment.tracking_updated"]);
  });

  test("an order in two parcels is shipped and delivered with the last of them", async () => {
    const order = await shop.order(3);
    const buy = async (fields: object) => (await shop.label(order.id, fields)).body.data.tracking_number;
    const one = await buy({ items: [{ sku: "RICE-1KG", quantity: 1 }] });
    const two = await buy({ service: "express" });
    const scan = (number: string, status: string) => app.post(`/tracking/${number}/events`, { status });
    const status = async () => (await app.get(`/orders/${order.id}`)).body.data.status;
    await scan(one, "in_transit");
    expect(await status()).not.toBe("shipped");
    await scan(one, "delivered");
    await scan(two, "in_transit");
    expect(await status()).toBe("shipped");
    await scan(two, "delivered");
    expect(await status()).toBe("delivered");
    const told = (await app.takeTypes()).filter((type) => type.startsWith("order."));
    expect(told).toEqual(["order.fulfilled", "order.shipped", "order.delivered"]);
  });

  test("a parcel with another carrier's number is tracked too", async () => {
    const order = await shop.order();
    const tracking_number = "1Z999AA10123456784";
    await app.post(`/orders/${order.id}/ship`, { carrier: "ups", service: "ground", tracking_number });
    await app.takeEvents();
    const found = (await app.get(`/tracking/${tracking_number}`)).body.data;
    expect(found).toMatchObject({ status: "picked_up", carrier: "ups", service_type: "ground" });
    const scanned = await app.post(`/tracking/${tracking_number}/events`, { status: "delivered" });
    expect([scanned.status, scanned.body.data.status]).toEqual([201, "delivered"]);
    expect(await app.takeTypes()).toEqual(["order.delivered", "shipment.tracking_updated", "shipment.delivered"]);
  });

  test.each([
    ["0307 1790 0005 2348 3741", "03071790000523483741", "0307-1790-0005-2348-3741"],
    ["rb123456785xx", "RB123456785XX", "rb 123 456 785 xx"],
    ["1Z-77-AA1", "1Z77AA1", "1z 77\u00a0aa1"],
    ["shippo_transit", "SHIPPO_TRANSIT", " Shippo_Transit "],
  ])("a parcel sent as %s is found in every notation", async (typed, plain, other) => {
    const { id } = await shop.order();
    const gone = await app.post(`/orders/${id}/ship`, { tracking_number: typed, carrier: "usps" });
    expect([gone.status, gone.body.data.shipments[0].tracking_number]).toEqual([200, plain]);
    for (const spelling of [typed, plain, other]) {
      const path = `/tracking/${encodeURIComponent(spelling)}`;
      expect((await app.get(path)).body.data?.tracking_number).toBe(plain);
      const many = (await app.post("/tracking/batch", { tracking_numbers: [spelling] })).body;
      expect([many.meta.found, many.data[0].tracking.tracking_number]).toEqual([1, plain]);
      const found = (await app.get(`/orders?q=${encodeURIComponent(spelling)}`)).body.data;
      expect(found.map((order: { id: string }) => order.id)).toEqual([id]);
    }
    expect((await app.post(`/tracking/${encodeURIComponent(other)}/events`, { status: "delivered" })).status).toBe(201);
    expect((await app.get(`/orders/${id}`)).body.data.status).toBe("delivered");
    await app.takeEvents();
  });

  test("a reused number is the newest parcel's", async () => {
    const shipped = async () => {
      const { id } = await shop.order();
      await app.post(`/orders/${id}/ship`, { tracking_number: "9400 1000 0000 0000 0000 00", carrier: "usps" });
      return id;
    };
    const scanned = (status: string, timestamp: string) =>
      app.post("/tracking/9400100000000000000000/events", { status, timestamp });
    const statusOf = async (id: string) => (await app.get(`/orders/${id}`)).body.data.status;
    const first = await shipped();
    await scanned("delivered", at(-2 * minute_ms));
    const second = await shipped();
    expect((await app.get("/tracking/9400100000000000000000")).body.data).toMatchObject({
      status: "picked_up",
      events: [{ status: "picked_up" }],
    });
    const [one, two] = await Promise.all([scanned("in_transit", at(0)), scanned("in_transit", at(0))]);
    expect([one.body.data.status, two.body.data.events]).toEqual(["in_transit", one.body.data.events]);
    expect([await statusOf(first), await statusOf(second)]).toEqual(["delivered", "shipped"]);
    await app.takeEvents();
  });

  test("a report on an order on hold is not refused", async () => {
    const { order, scan } = await sent();
    await app.post(`/orders/${order.id}/hold`, { reason: "payment" });
    await app.takeEvents();
    expect((await scan("picked_up")).status).toBe(201);
    const { holds, status } = (await app.get(`/orders/${order.id}`)).body.data;
    expect(status).toBe("on_hold");
    expect(holds.map(({ reason }: { reason: string }) => reason)).toContain("carrier_discrepancy");
    expect(await app.takeTypes()).toEqual([
      "order.fulfilled",
      "order.shipped",
      "inventory.updated",
      "shipment.tracking_updated",
    ]);
  });

  test("two equal concurrent scans are one", async () => {
    const { tracking_number, scan } = await sent();
    const answers = await Promise.all([scan("picked_up"), scan("picked_up"), scan("picked_up")]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect((await app.get(`/tracking/${tracking_number}`)).body.data.events).toHaveLength(1);
    expect((await app.takeTypes()).filter((type) => type.startsWith("shipment."))).toEqual([
      "shipment.tracking_updated",
    ]);
  });
});

describe("refuses", () => {
  test.each([
    ["a moment to come", { status: "in_transit", timestamp: at(minute_ms) }, "timestamp"],
    ["a date of no calendar", { status: "in_transit", timestamp: "2026-02-30" }, "timestamp"],
    ["an unknown status", { status: "lost" }, "status"],
    ["no status", {}, "status"],
  ])("%s", async (_name, body, field) => {
    const { tracking_number } = await sent();
    const answer = await app.post(`/tracking/${tracking_number}/events`, body);
    expect([answer.status, answer.body.error.details[0].field]).toEqual([422, field]);
    expect(await app.takeTypes()).toEqual([]);
  });

  test("numbers without a parcel", async () => {
    expect(outcomeOf(await app.get("/tracking/WH000000000001Q"))).toEqual([404, "resource_missing"]);
    const scan = await app.post("/tracking/WH000000000001Q/events", { status: "in_transit" });
    expect(outcomeOf(scan)).toEqual([404, "resource_missing"]);
  });

  test("a number of dashes only, and another number than the parcel's", async () => {
    const { id } = await shop.order();
    const ship = (tracking_number: string) => app.post(`/orders/${id}/ship`, { tracking_number });
    expect((await ship(" - -")).body.error.details).toMatchObject([{ field: "tracking_number" }]);
    const { tracking_number } = (await shop.label(id)).body.data;
    expect(outcomeOf(await ship("1Z999"))).toEqual([422, "validation_failed"]);
    expect((await ship(`${tracking_number.slice(0, 4)} ${tracking_number.slice(4).toLowerCase()}`)).status).toBe(200);
    await app.takeEvents();
  });

  test("too many numbers, or none", async () => {
    for (const tracking_numbers of [[], Array(101).fill("X")]) {
      expect(outcomeOf(await app.post("/tracking/batch", { tracking_numbers }))).toEqual([422, "validation_failed"]);
    }
  });
});
