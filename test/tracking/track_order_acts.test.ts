// Parcels shipped and delivered by hand: their tracking records, shipments and orders agree.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { minute_ms } from "../../src/core/time.ts";
import { ShipmentEventView } from "../../src/tracking/tracking.schema.ts";
import { openApp } from "../build/service.ts";
import { type ParcelShop, parcelShopOn } from "../build/shop.ts";

setDefaultTimeout(60_000);

const app = await openApp();
const shop: ParcelShop = await parcelShopOn(app);

const track = async (number: string) => (await app.get(`/tracking/${number}`)).body.data;
const scansOf = async (number: string) =>
  (await track(number)).events.map((event: { status: string; timestamp: string }) => [event.status, event.timestamp]);
const now = () => new Date(app.clocks.live.now()).toISOString();
const act = (id: string, action: string, body: object = {}, query = "") =>
  app.post(`/orders/${id}/${action}${query}`, body);
let made = 0;
const fresh = () => `HAND${String(++made).padStart(6, "0")}`;

async function labelled() {
  const order = await shop.order();
  const { tracking_number } = (await shop.label(order.id)).body.data;
  await app.takeEvents();
  return { id: order.id, number: tracking_number as string };
}

describe("works", () => {
  test("a labeled parcel is picked up when it is shipped, and delivered with its order", async () => {
    const { id, number } = await labelled();
    const left_at = now();
    const shipped = await act(id, "ship");
    expect([shipped.status, shipped.body.data.status]).toEqual([200, "shipped"]);
    const events = await app.takeEvents();
    expect(events.map(({ type }) => type)).toEqual([
      "order.fulfilled",
      "order.shipped",
      "shipment.tracking_updated",
      "inventory.updated",
    ]);
    const told = events.find(({ type }) => type === "shipment.tracking_updated");
    expect([...Value.Errors(ShipmentEventView, told?.data)]).toEqual([]);
    expect(told?.data).toMatchObject({ status: "shipped", order_id: id, tracking: { status: "picked_up" } });
    expect(await track(number)).toMatchObject({ status: "picked_up", status_detail: "Picked up by the carrier" });
    app.clocks.live.advance(minute_ms);
    const delivered = await act(id, "deliver");
    expect([delivered.status, delivered.body.data.status]).toEqual([200, "delivered"]);
    expect(await app.takeTypes()).toEqual(["order.delivered", "shipment.tracking_updated", "shipment.delivered"]);
    expect((await track(number)).status).toBe("delivered");
    expect(await scansOf(number)).toEqual([
      ["delivered", now()],
      ["picked_up", left_at],
    ]);
    const history = (await app.get(`/orders/${id}/history`)).body.data.map(({ event }: { event: string }) => event);
    expect(history.filter((event: string) => event === "tracking")).toEqual([]);
    const [parcel] = (await app.get(`/shipments?order_id=${id}`)).body.data;
    expect([parcel.status, parcel.tracking_status]).toEqual(["delivered", "delivered"]);
  });

  test("an earlier scan is neither emitted again nor reverted", async () => {
    const { id, number } = await labelled();
    await app.post(`/tracking/${number}/events`, { status: "out_for_delivery", message: "Nearly there." });
    await app.takeEvents();
    app.clocks.live.advance(minute_ms);
    await act(id, "deliver");
    expect(await app.takeTypes()).toEqual(["order.delivered", "shipment.tracking_updated", "shipment.delivered"]);
    expect((await scansOf(number)).map(([status]: string[]) => status)).toEqual(["delivered", "out_for_delivery"]);
    const late = await app.post(`/tracking/${number}/events`, { status: "delivered", signed_by: "Ada" });
    expect(late.body.data).toMatchObject({ status: "delivered" });
    expect(await app.takeTypes()).toEqual([]);
  });

  test("a carrier's scans continue from there", async () => {
    const { id, number } = await labelled();
    await act(id, "ship");
    await app.takeEvents();
    app.clocks.live.advance(minute_ms);
    await app.post(`/tracking/${number}/events`, { status: "in_transit" });
    await app.post(`/tracking/${number}/events`, { status: "delivered" });
    expect(await app.takeTypes()).toEqual([
      "shipment.tracking_updated",
      "shipment.in_transit",
      "order.delivered",
      "shipment.tracking_updated",
      "shipment.delivered",
    ]);
  });

  test("a parcel with an external number is listed and tracked from its hand-over on", async () => {
    const order = await shop.order();
    const number = fresh();
    await app.takeEvents();
    await act(order.id, "ship", { carrier: "bike bob", tracking_number: number });
    expect(await app.takeTypes()).toEqual([
      "order.fulfilled",
      "order.shipped",
      "shipment.tracking_updated",
      "inventory.updated",
    ]);
    const listed = async (query: string) =>
      (await app.get(`/tracking${query}`)).body.data.filter(
        (one: { tracking_number: string }) => one.tracking_number === number,
      );
    expect(await listed("?status=picked_up")).toMatchObject([{ order_id: order.id, carrier: "bike bob" }]);
    expect(await listed("?followed=false&carrier=bike%20bob")).toHaveLength(1);
    app.clocks.live.advance(minute_ms);
    await act(order.id, "deliver");
    expect(await listed("?status=delivered")).toMatchObject([{ status: "delivered", order_id: order.id }]);
  });

  test("parcels shipped without a number have no tracking record", async () => {
    const order = await shop.order();
    await app.takeEvents();
    await act(order.id, "ship");
    await act(order.id, "deliver");
    expect(await app.takeTypes()).toEqual(["order.fulfilled", "order.shipped", "inventory.updated", "order.delivered"]);
    expect((await app.get(`/tracking?order_id=${order.id}`)).body.data).toEqual([]);
  });

  test("one of two parcels is delivered, and the other stays in transit", async () => {
    const order = await shop.order(3);
    const buy = async (fields: object) => (await shop.label(order.id, fields)).body.data;
    const one = await buy({ items: [{ sku: "RICE-1KG", quantity: 1 }] });
    const two = await buy({ service: "express" });
    await act(order.id, "ship", { shipment_id: one.shipment_id });
    expect([(await track(one.tracking_number)).status, (await track(two.tracking_number)).status]).toEqual([
      "picked_up",
      "pending",
    ]);
    await act(order.id, "ship");
    app.clocks.live.advance(minute_ms);
    await app.takeEvents();
    await act(order.id, "deliver", { shipment_id: one.shipment_id });
    expect(await app.takeTypes()).toEqual(["shipment.tracking_updated", "shipment.delivered"]);
    expect([(await track(one.tracking_number)).status, (await track(two.tracking_number)).status]).toEqual([
      "delivered",
      "picked_up",
    ]);
  });

  test("a number that was tracked before is further ahead: its parcel is shipped to that status", async () => {
    const number = fresh();
    await app.post("/tracking", { tracking_number: number });
    await app.post(`/tracking/${number}/events`, { status: "delivered" });
    const order = await shop.order();
    await app.takeEvents();
    const { body } = await act(order.id, "ship", { carrier: "swift", tracking_number: number });
    expect([body.data.status, body.data.shipments[0].status]).toEqual(["delivered", "delivered"]);
    expect(await track(number)).toMatchObject({ status: "delivered", order_id: order.id });
    expect(await app.takeTypes()).toEqual(["order.fulfilled", "order.shipped", "order.delivered", "inventory.updated"]);
  });

  test("a returned parcel stays returned when its order is delivered by hand", async () => {
    const { id, number } = await labelled();
    await app.post(`/tracking/${number}/events`, { status: "returned" });
    await app.takeEvents();
    app.clocks.live.advance(minute_ms);
    expect((await act(id, "deliver")).status).toBe(200);
    expect([(await track(number)).status, await app.takeTypes()]).toEqual(["returned", ["order.delivered"]]);
  });

  test("bulk-shipped orders are all tracked, and each is emitted once", async () => {
    const parcels = [await labelled(), await labelled(), await labelled(), await labelled()];
    await Promise.all(parcels.map(({ id }) => act(id, "ship")));
    const told = (await app.takeEvents()).filter(({ type }) => type === "shipment.tracking_updated");
    expect(told.map(({ data }) => data["tracking_number"]).sort()).toEqual(parcels.map(({ number }) => number).sort());
    for (const { number } of parcels) expect((await track(number)).status).toBe("picked_up");
  });

  test("a concurrent scan and manual act make one order and one record", async () => {
    for (const headers of [{}, {}, { "if-match": "*" }, { "if-match": "*" }]) {
      const { id, number } = await labelled();
      const [shipped, scanned] = await Promise.all([
        app.call("POST", `/orders/${id}/ship`, {}, { headers }),
        app.post(`/tracking/${number}/events`, { status: "in_transit" }),
      ]);
      expect([scanned.status, [200, 409].includes(shipped.status)]).toEqual([201, true]);
      expect((await track(number)).status).toBe("in_transit");
      const told = await app.takeTypes();
      expect(told.filter((type) => type === "order.shipped")).toHaveLength(1);
      expect(told.filter((type) => type === "shipment.in_transit")).toHaveLength(1);
    }
  });
});

describe("refuses", () => {
  test("to change a record when the act is refused or a dry run", async () => {
    const { id, number } = await labelled();
    expect((await act(id, "deliver")).status).toBe(409);
    expect((await act(id, "ship", {}, "?dry_run=true")).status).toBe(200);
    expect([(await track(number)).status, await app.takeTypes()]).toEqual(["pending", []]);
  });
});
