import { describe, expect, test } from "bun:test";
import { buyerOf } from "../../build/buyer.ts";
import { openApp } from "../../build/service.ts";
import { refusalOf } from "../../build/shop.ts";

const app = await openApp();
const main = (await app.get("/inventory/locations")).body.data[0].warehouse_id;
await app.patch(`/inventory/locations/${main}`, {
  location_zones: [{ zone_id: "COLD", temperature_zone: "refrigerated", bins: [{ code: "C-01" }] }],
});
await app.product("RICE");
await app.product("SALT");
await app.product("OATS");
const tracked = { temperature_zone: "refrigerated", lot_tracking: true, expiration_tracking: true };
await app.product("MILK", tracked);

const expected = async (items: unknown, more = {}) => {
  const { status, body } = await app.post("/inventory/receipts", { items, ...more });
  expect(status).toBe(201);
  return body.data;
};
const scan = (id: string, ...items: unknown[]) => app.post(`/inventory/receipts/${id}/items`, { items });

describe("works", () => {
  test("a receipt is created, shown and incoming, and emits nothing", async () => {
    await app.takeEvents();
    const asked = { reference: "PO-7", supplier: "Mill", location: main, expected_at: "2026-01-09" };
    const receipt = await expected([{ sku: "RICE", quantity: 10 }], asked);
    expect(receipt).toMatchObject({
      id: "rcv_1001",
      status: "expected",
      ...asked,
      expected_at: "2026-01-09T05:00:00.000Z",
      items: [{ sku: "RICE", lot_number: null, quantity: 10, quantity_received: 0, quantity_outstanding: 10 }],
      allowed_actions: ["scan", "close", "cancel"],
      revision: 1,
    });
    expect((await app.get("/inventory/receipts/1001")).body.data).toEqual(receipt);
    expect(await app.stockOf("RICE")).toMatchObject({ incoming: 10, on_hand: 0 });
    expect((await app.get("/inventory?sku=RICE")).body.data[0].incoming).toBe(10);
    expect(await app.takeStockEvents()).toEqual([]);
  });

  test("scanned units are in stock at once, with a movement that refers to the receipt", async () => {
    const { status, body } = await scan("rcv_1001", { sku: "RICE", quantity: 4, bin: "A-02" });
    expect([status, body.data.status, body.data.allowed_actions]).toEqual([200, "receiving", ["scan", "close"]]);
    expect(body.data.items).toMatchObject([{ quantity_received: 4, quantity_outstanding: 6, quantity_over: 0 }]);
    expect(await app.stockOf("RICE")).toMatchObject({ on_hand: 4, available: 4, incoming: 6 });
    const events = await app.takeEvents();
    expect(events.map(({ type }) => type)).toEqual(["inventory.received", "inventory.updated"]);
    expect(events[0]?.data).toMatchObject({
      object: "inventory_item",
      sku: "RICE",
      on_hand: 4,
      incoming: 6,
      received: { quantity: 4, location: "A-02", reason: "received", reference: "rcv_1001" },
    });
    const [movement] = (await app.get("/inventory/movements?sku=RICE")).body.data;
    expect(movement).toMatchObject({
      type: "receipt",
      quantity: 4,
      to_location: "A-02",
      balance_after: 4,
      reference: { type: "receipt", id: "rcv_1001" },
    });
  });

  test("a delivery has its purchase order, freight and unit costs, which can be changed later", async () => {
    const { status, body } = await app.post("/inventory/receipts", {
      supplier: "Dairy Farms",
      purchase_order_number: "PO-77",
      carrier: "Estes",
      tracking_number: "PRO 123",
      freight_cost: "120.50",
      items: [{ sku: "OATS", quantity: 4, unit_cost: "1.25" }],
    });
    expect(status).toBe(201);
    const { id } = body.data;
    expect(body.data).toMatchObject({
      purchase_order_number: "PO-77",
      carrier: "Estes",
      tracking_number: "PRO 123",
      freight_cost: 120.5,
      currency: "USD",
      items: [{ sku: "OATS", unit_cost: 1.25, currency: "USD" }],
    });
    expect((await app.get("/inventory/receipts?q=po-77")).body.data.map((one: { id: string }) => one.id)).toEqual([id]);
    await scan(id, { sku: "OATS", quantity: 3 });
    const [arrived] = (await app.get("/inventory/movements?sku=OATS")).body.data;
    expect([arrived.reference, arrived.unit_cost, arrived.currency]).toEqual([{ type: "receipt", id }, 1.25, "USD"]);
    await app.post(`/inventory/receipts/${id}/close`, { cartons: 2, minutes: 35 });
    const facts = (await app.get("/billing/events?kind=receiving")).body.data;
    expect(facts[0].attributes).toMatchObject({ cartons: 2, pallets: null, minutes: 35 });
    // The invoice of the carrier comes after the goods.
    const invoiced = { freight_cost: "9000", currency: "JPY", tracking_number: null };
    const changed = await app.patch(`/inventory/receipts/${id}`, invoiced);
    expect(changed.body.data).toMatchObject({ freight_cost: 9000, currency: "JPY", tracking_number: null });
    expect(changed.body.data).toMatchObject({ purchase_order_number: "PO-77", status: "closed" });
    const same = await app.patch(`/inventory/receipts/${id}`, { supplier: "Dairy Farms" });
    expect(same.body.data).toEqual(changed.body.data);
    const yen = await app.patch(`/inventory/receipts/${id}`, { freight_cost: "9000.5" });
    expect([yen.status, yen.body.error.details[0].field]).toEqual([422, "freight_cost"]);
    const other = await app.patch(`/inventory/receipts/${id}`, { currency: "EUR" });
    expect([other.status, other.body.error.details[0].field]).toEqual([422, "freight_cost"]);
  });

  test("units beyond the expected are accepted and reported", async () => {
    await app.takeEvents();
    const { body } = await scan("rcv_1001", { sku: "RICE", quantity: 5 }, { sku: "RICE", quantity: 3 });
    expect(body.data.items).toMatchObject([{ quantity_received: 12, quantity_outstanding: 0, quantity_over: 2 }]);
    expect(await app.stockOf("RICE")).toMatchObject({ on_hand: 12, incoming: 0 });
    expect(await app.takeStockEvents()).toEqual([
      "inventory.received RICE",
      "inventory.received RICE",
      "inventory.updated RICE",
    ]);
    const closed = await app.post("/inventory/receipts/rcv_1001/close");
    expect(closed.body.data).toMatchObject({ status: "closed", allowed_actions: [] });
    expect(closed.body.data.items).toMatchObject([{ quantity_over: 2, quantity_missing: 0 }]);
    expect(await app.takeStockEvents()).toEqual([]);
  });

  test("missing units are shown once the receipt is closed, which happens once", async () => {
    const { id } = await expected([
      { sku: "RICE", quantity: 10 },
      { sku: "SALT", quantity: 7 },
    ]);
    await scan(id, { sku: "SALT", quantity: 5 });
    expect(await app.stockOf("SALT")).toMatchObject({ incoming: 2 });
    await app.takeEvents();
    const closed = await app.post(`/inventory/receipts/${id}/close`);
    expect(closed.body.data.items).toMatchObject([
      { sku: "RICE", quantity_received: 0, quantity_outstanding: 0, quantity_missing: 10 },
      { sku: "SALT", quantity_received: 5, quantity_outstanding: 0, quantity_missing: 2 },
    ]);
    expect((await app.post(`/inventory/receipts/${id}/close`)).body.data).toEqual(closed.body.data);
    expect(await app.stockOf("SALT")).toMatchObject({ incoming: 0, on_hand: 5 });
    expect(await app.takeStockEvents()).toEqual([]);
  });

  test("an untouched receipt is cancelled, once", async () => {
    const { id } = await expected([{ sku: "SALT", quantity: 9 }]);
    await app.takeEvents();
    const cancelled = await app.post(`/inventory/receipts/${id}/cancel`);
    expect(cancelled.body.data).toMatchObject({ status: "cancelled", allowed_actions: [] });
    expect(cancelled.body.data.items).toMatchObject([{ quantity_outstanding: 0, quantity_missing: 0 }]);
    expect((await app.post(`/inventory/receipts/${id}/cancel`)).body.data).toEqual(cancelled.body.data);
    expect(await app.stockOf("SALT")).toMatchObject({ incoming: 0 });
    expect(await app.takeStockEvents()).toEqual([]);
  });

  test("an announced lot can be omitted, and counts on its own line", async () => {
    const lots = [
      { sku: "MILK", quantity: 6, lot_number: "L-1", expiration_date: "2026-02-01" },
      { sku: "MILK", quantity: 4, lot_number: "L-2", expiration_date: "2026-03-01" },
    ];
    const one = await expected(lots.slice(0, 1));
    await app.takeEvents();
    await scan(one.id, { sku: "MILK", quantity: 6 });
    expect(await app.takeStockEvents()).toEqual(["inventory.received MILK", "inventory.updated MILK"]);
    expect((await app.stockOf("MILK")).lots).toMatchObject([
      { lot_number: "L-1", quantity: 6, expiration_date: "2026-02-01T23:59:59.999Z" },
    ]);
    const both = await expected(lots);
    const { body } = await scan(both.id, { sku: "MILK", quantity: 4, lot_number: "L-2" });
    expect(body.data.items).toMatchObject([{ quantity_received: 0 }, { quantity_received: 4 }]);
    const surprise = { sku: "MILK", quantity: 1, lot_number: "L-3", expiration_date: "2026-04-01" };
    const other = await scan(both.id, surprise);
    expect(other.body.data.items).toMatchObject([{ quantity_received: 1 }, { quantity_received: 4 }]);
    expect((await app.stockOf("MILK")).incoming).toBe(5);
  });

  test("bad units count as received and are stored separately", async () => {
    const { id } = await expected([{ sku: "SALT", quantity: 10 }]);
    const before = await app.stockOf("SALT");
    await app.takeEvents();
    const damaged = { sku: "SALT", quantity: 2, condition: "damaged" };
    const { body } = await scan(id, damaged, { sku: "SALT", quantity: 1, condition: "quarantined" });
    expect(body.data.items).toMatchObject([{ quantity_received: 3, quantity_set_aside: 3, quantity_outstanding: 7 }]);
    const after = await app.stockOf("SALT");
    expect(after).toMatchObject({ available: before.available, on_hand: before.on_hand + 3, incoming: 7 });
    expect(after.unavailable).toMatchObject({ damaged: 2, quarantined: 1 });
    expect(await app.takeStockEvents()).toEqual([
      "inventory.received SALT",
      "inventory.received SALT",
      "inventory.updated SALT",
    ]);
  });

  test("backorders get the units at once", async () => {
    await app.product("RARE");
    const made = await (await buyerOf(app.must)).order("W-1", [["RARE", 3]]);
    const { id } = await expected([{ sku: "RARE", quantity: 5 }]);
    await app.takeEvents();
    await scan(id, { sku: "RARE", quantity: 5 });
    expect(await app.stockOf("RARE")).toMatchObject({ on_hand: 5, reserved: 3, available: 2, backordered: 0 });
    expect(await app.takeStockEvents()).toEqual(["inventory.received RARE", "inventory.updated RARE"]);
    const line = (await app.get(`/orders/${made.id}`)).body.data.line_items[0];
    expect(line).toMatchObject({ quantity_reserved: 3, quantity_backordered: 0 });
  });
});

describe("refuses", () => {
  test.each([
    ["without lines", { items: [] }, "422 validation_failed items"],
    ["of an unknown SKU", { items: [{ sku: "NONE", quantity: 1 }] }, "404 resource_missing items[0].sku"],
    ["for no units", { items: [{ sku: "RICE", quantity: 0 }] }, "422 validation_failed items[0].quantity"],
    [
      "to an unknown warehouse",
      { location: "whs_9", items: [{ sku: "RICE", quantity: 1 }] },
      "404 resource_missing location",
    ],
    [
      "with an expiry of no lot",
      { items: [{ sku: "RICE", quantity: 1, expiration_date: "2026-02-01" }] },
      "422 validation_failed items[0].lot_number",
    ],
  ] as const)("to announce a delivery %s", async (_name, body, refusal) => {
    await app.takeEvents();
    const answer = await app.post("/inventory/receipts", body);
    expect(refusalOf(answer)).toBe(refusal);
    expect(await app.takeStockEvents()).toEqual([]);
  });

  test.each([
    ["an unknown SKU", { sku: "NONE", quantity: 1 }, "404 resource_missing items[1].sku"],
    ["a SKU that is not expected", { sku: "RICE", quantity: 1 }, "422 validation_failed items[1].sku"],
    ["a bin that is too warm", { sku: "MILK", quantity: 1, bin: "A-01" }, "422 validation_failed items[1].bin"],
    [
      "another expiry than the lot's",
      { sku: "MILK", quantity: 1, expiration_date: "2027-01-01" },
      "422 validation_failed items[1].expiration_date",
    ],
    [
      "damaged units for a storage bin",
      { sku: "SALT", quantity: 1, condition: "damaged", bin: "A-01" },
      "422 validation_failed items[1].bin",
    ],
  ] as const)("to scan %s, and then nothing of the scan is kept", async (_name, wrong, refusal) => {
    const lot = { lot_number: "L-1", expiration_date: "2026-02-01" };
    const { id } = await expected([
      { sku: "MILK", quantity: 2, ...lot },
      { sku: "SALT", quantity: 2 },
    ]);
    const before = await app.stockOf("SALT");
    await app.takeEvents();
    const answer = await scan(id, { sku: "SALT", quantity: 1 }, wrong);
    expect(refusalOf(answer)).toBe(refusal);
    expect(await app.stockOf("SALT")).toEqual(before);
    expect(await app.takeStockEvents()).toEqual([]);
    await app.post(`/inventory/receipts/${id}/cancel`);
  });

  test("to scan, close or cancel an ended receipt", async () => {
    const { id } = await expected([{ sku: "SALT", quantity: 2 }]);
    await scan(id, { sku: "SALT", quantity: 1 });
    await app.takeEvents();
    const cancel = await app.post(`/inventory/receipts/${id}/cancel`);
    expect([cancel.status, cancel.body.error.code]).toEqual([409, "invalid_state_transition"]);
    expect(cancel.body.error).toMatchObject({
      from: "receiving",
      action: "cancel",
      allowed_actions: ["scan", "close"],
    });
    await app.post(`/inventory/receipts/${id}/close`);
    const late = await scan(id, { sku: "SALT", quantity: 1 });
    expect([late.status, late.body.error.code]).toEqual([409, "invalid_state_transition"]);
    const called = await expected([{ sku: "SALT", quantity: 2 }]);
    await app.post(`/inventory/receipts/${called.id}/cancel`);
    expect((await app.post(`/inventory/receipts/${called.id}/close`)).status).toBe(409);
    for (const path of ["rcv_9/items", "rcv_9/close", "rcv_9/cancel"]) {
      const answer = await app.post(
        `/inventory/receipts/${path}`,
        path.endsWith("items") ? { items: [{ sku: "SALT", quantity: 1 }] } : {},
      );
      expect([path, answer.status]).toEqual([path, 404]);
    }
    expect((await app.get("/inventory/receipts/trf_1001")).status).toBe(404);
    expect(await app.takeStockEvents()).toEqual([]);
  });
});
