// Return labels, of the built-in carrier and others.
import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openApp } from "../build/service.ts";
import { outcomeOf, type ParcelShop, parcelShopOn } from "../build/shop.ts";
import { lost, openSeller, refused } from "../shipping/labels/seller.ts";

setDefaultTimeout(60_000);

const app = await openApp();
const shop: ParcelShop = await parcelShopOn(app);
const seller = await openSeller(app);
beforeEach(() => seller.openUp());

const own = { carrier: "local", service: "standard", package: { weight: 2 } };
const ground = { carrier: "swift", service: "ground", package: { weight: 2 } };

/** A return of a delivered order. */
async function openReturn(): Promise<{ id: string; order_id: string }> {
  const order = await shop.order();
  expect((await app.post(`/orders/${order.id}/ship`, { carrier: "UPS" })).status).toBe(200);
  const made = await app.post("/returns", { order_id: order.id, reason: "defective" });
  expect(made.status).toBe(201);
  await app.takeEvents();
  return made.body.data;
}
const shippingOf = async (id: string) => (await app.get(`/returns/${id}`)).body.data.return_shipping;

describe("works", () => {
  test("a built-in label leads from the customer to the warehouse, and the return follows its parcel", async () => {
    const { id, order_id } = await openReturn();
    const bought = await app.post(`/returns/${id}/label`, own);
    const label = bought.body.data;
    expect(bought.status).toBe(201);
    expect(label).toMatchObject({ return_id: id, order_id, shipment_id: null, status: "completed" });
    expect(label.tracking_number).toMatch(/^WH5\d{11}[0-9A-Z]$/);
    const warehouse = (await app.get("/inventory/locations")).body.data[0].address;
    expect([label.from_address.name, label.to_address.street1]).toEqual(["Jordan Avery", warehouse.address_line1]);
    expect(await shippingOf(id)).toMatchObject({
      carrier: "local",
      tracking_number: label.tracking_number,
      label_url: `/v1/shipping/labels/${label.label_id}/document`,
      status: "pending",
    });
    expect((await app.app.handle(new Request(label.label_url))).headers.get("content-type")).toBe("application/pdf");
    const scan = { status: "in_transit" };
    expect((await app.post(`/tracking/${label.tracking_number}/events`, scan)).status).toBe(201);
    expect(await shippingOf(id)).toMatchObject({ status: "in_transit" });
    expect(outcomeOf(await app.post(`/shipping/labels/${label.label_id}/void`))).toEqual([409, "label_not_voidable"]);
    const events = (await app.get(`/orders/${order_id}/history`)).body.data.map(
      ({ event }: { event: string }) => event,
    );
    expect(events).toContain("return_label");
  });

  test("a voided label is no longer expected, and another can be bought", async () => {
    const { id } = await openReturn();
    const { label_id } = (await app.post(`/returns/${id}/label`, own)).body.data;
    const voided = await app.post(`/shipping/labels/${label_id}/void`);
    expect([voided.status, voided.body.data.status]).toEqual([200, "voided"]);
    expect(await shippingOf(id)).toMatchObject({ carrier: null, tracking_number: null, label_url: null });
    expect((await app.post(`/returns/${id}/label`, own)).status).toBe(201);
  });

  test("a carrier's label is bought and voided", async () => {
    const { id } = await openReturn();
    const bought = await app.post(`/returns/${id}/label`, ground);
    const label = bought.body.data;
    expect([bought.status, label.status, label.account_id]).toEqual([201, "completed", seller.account_id]);
    expect(await shippingOf(id)).toMatchObject({ carrier: "swift", tracking_number: label.tracking_number });
    expect((await app.takeEvents()).map(({ type }) => type)).toEqual([]);
    const voided = await app.post(`/shipping/labels/${label.label_id}/void`);
    expect([voided.status, voided.body.data.void_status]).toEqual([200, "accepted"]);
    expect(await shippingOf(id)).toMatchObject({ tracking_number: null });
  });

  test("a carrier's label cannot be voided once its parcel is in transit", async () => {
    const { id } = await openReturn();
    const label = (await app.post(`/returns/${id}/label`, ground)).body.data;
    const scan = await app.post(`/tracking/${label.tracking_number}/events`, { status: "in_transit" });
    expect(scan.status).toBe(201);
    const asked = seller.asked("void");
    expect(outcomeOf(await app.post(`/shipping/labels/${label.label_id}/void`))).toEqual([409, "label_not_voidable"]);
    expect(seller.asked("void")).toBe(asked);
    expect(await shippingOf(id)).toMatchObject({ tracking_number: label.tracking_number, status: "in_transit" });
  });

  test("cancelling a return voids its labels", async () => {
    const { id } = await openReturn();
    const bought = await app.post(`/returns/${id}/label`, own);
    const second = await app.post(`/returns/${id}/label`, { ...ground, additional: true });
    const asked = seller.asked("void");
    const cancelled = await app.post(`/returns/${id}/cancel`);
    expect([cancelled.status, cancelled.body.data.status]).toEqual([200, "cancelled"]);
    expect(cancelled.body.data.return_shipping).toMatchObject({ tracking_number: null, status: "pending" });
    const labels = await Promise.all(
      [bought, second].map((one) => app.get(`/shipping/labels/${one.body.data.label_id}`)),
    );
    expect(labels.map(({ body }) => [body.data.status, body.data.void_status])).toEqual([
      ["voided", null],
      ["voided", "accepted"],
    ]);
    expect(seller.asked("void")).toBe(asked + 1);
    expect(outcomeOf(await app.post(`/returns/${id}/cancel`))).toEqual([409, "invalid_state_transition"]);
  });

  test("a carrier's lost reply is looked up", async () => {
    const { id } = await openReturn();
    seller.fake.buy = async (ref) => {
      seller.sell(ref);
      throw lost();
    };
    const asked = await app.post(`/returns/${id}/label`, ground);
    expect([asked.status, (await shippingOf(id)).tracking_number]).toEqual([202, null]);
    expect(outcomeOf(await app.post(`/returns/${id}/label`, ground))).toEqual([409, "label_in_progress"]);
    seller.openUp();
    app.clocks.live.advance(60_000);
    await app.runJobs();
    const label = (await app.get(`/shipping/labels/${asked.body.data.label_id}`)).body.data;
    expect(label).toMatchObject({ status: "completed", return_id: id });
    expect(await shippingOf(id)).toMatchObject({ tracking_number: label.tracking_number });
  });
});

describe("refuses", () => {
  test("a second label, unless it is for another carton", async () => {
    const { id } = await openReturn();
    expect((await app.post(`/returns/${id}/label`, own)).status).toBe(201);
    expect(outcomeOf(await app.post(`/returns/${id}/label`, own))).toEqual([409, "duplicate_label"]);
    expect((await app.post(`/returns/${id}/label`, { ...own, additional: true })).status).toBe(201);
  });

  test("to cancel a return whose parcel is in transit, or whose carrier refuses or does not respond", async () => {
    const coming = await openReturn();
    const { label_id, tracking_number } = (await app.post(`/returns/${coming.id}/label`, own)).body.data;
    expect((await app.post(`/tracking/${tracking_number}/events`, { status: "in_transit" })).status).toBe(201);
    const refusal = await app.post(`/returns/${coming.id}/cancel`);
    expect(outcomeOf(refusal)).toEqual([409, "label_not_voidable"]);
    expect(JSON.stringify(refusal.body.error)).toContain(label_id);

    const { id } = await openReturn();
    const kept = (await app.post(`/returns/${id}/label`, ground)).body.data;
    seller.fake.void = async () => "rejected";
    expect(outcomeOf(await app.post(`/returns/${id}/cancel`))).toEqual([409, "label_not_voidable"]);
    seller.fake.void = async () => {
      throw lost();
    };
    expect(outcomeOf(await app.post(`/returns/${id}/cancel`))).toEqual([409, "label_in_progress"]);
    expect(outcomeOf(await app.post(`/returns/${id}/cancel`))).toEqual([409, "label_in_progress"]);
    expect((await app.get(`/returns/${id}`)).body.data.status).toBe("initiated");
    seller.openUp();
    app.clocks.live.advance(60_000);
    await app.runJobs();
    expect((await app.get(`/shipping/labels/${kept.label_id}`)).body.data.status).toBe("voided");
    expect((await app.post(`/returns/${id}/cancel`)).status).toBe(200);
  });

  test("a carrier's international label for a product without origin or weight", async () => {
    const { id } = await openReturn();
    const from_address = {
      name: "Alan Tremblay",
      street1: "200 Bay St",
      city: "Toronto",
      state: "ON",
      zip: "M5J 2J2",
      country: "CA",
    };
    const across = await app.post(`/returns/${id}/label`, { ...ground, from_address });
    expect(across.body.error.details.map(({ field }: { field: string }) => field)).toEqual([
      "products[RICE-1KG].customs.country_of_origin",
      "products[RICE-1KG].weight",
    ]);
    const change = { customs: { country_of_origin: "IN" }, weight: 1, weight_unit: "kg" };
    expect((await app.patch(`/products/${shop.product_id}`, change)).status).toBe(200);
    const declared: unknown[] = [];
    const works = seller.fake.buy;
    seller.fake.buy = async (ref, carriage, ctx) => {
      declared.push(carriage.contents);
      return works(ref, carriage, ctx);
    };
    expect((await app.post(`/returns/${id}/label`, { ...ground, from_address })).status).toBe(201);
    expect(declared).toMatchObject([[{ sku: "RICE-1KG", quantity: 2, country_of_origin: "IN", value_cents: 640 }]]);
  });

  test("a received return, an unknown carrier, and refusals by a carrier", async () => {
    const { id } = await openReturn();
    expect(outcomeOf(await app.post(`/returns/${id}/label`, { ...own, carrier: "swallow" }))).toEqual([
      422,
      "validation_failed",
    ]);
    seller.fake.buy = async () => {
      throw refused();
    };
    expect(outcomeOf(await app.post(`/returns/${id}/label`, ground))).toEqual([422, "carrier_refused"]);
    expect((await app.post(`/returns/${id}/receive`)).status).toBe(200);
    expect(outcomeOf(await app.post(`/returns/${id}/label`, own))).toEqual([409, "invalid_state_transition"]);
  });
});
