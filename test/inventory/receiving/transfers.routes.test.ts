import { describe, expect, test } from "bun:test";
import { buyerOf } from "../../build/buyer.ts";
import { openApp } from "../../build/service.ts";
import { fieldsOf } from "../../build/shop.ts";

const app = await openApp();
const main = (await app.get("/inventory/locations")).body.data[0].warehouse_id;
const cold = { zone_id: "COLD", temperature_zone: "refrigerated", bins: [{ code: "C-01" }] };
await app.patch(`/inventory/locations/${main}`, { location_zones: [cold] });
const { address } = (await app.get("/inventory/locations")).body.data[0];
const ambient = { zone_id: "AMBIENT", temperature_zone: "ambient", bins: [{ code: "W-01" }] };
const opened = { name: "West", priority: 200, address: { ...address, name: "West" }, location_zones: [ambient, cold] };
const west = (await app.post("/inventory/locations", opened)).body.data.warehouse_id;
await app.product("RICE", { reorder_point: 5 });
await app.product("SALT");
await app.product("MILK", { temperature_zone: "refrigerated", lot_tracking: true });
await app.product("ICE", { temperature_zone: "frozen" });
const lot = (lot_number: string, expiration_date: string) => ({ lot_number, expiration_date });
await add("RICE", 20);
await add("SALT", 30);
await add("MILK", 5, lot("LATE", "2026-06-01"));
await add("MILK", 5, lot("SOON", "2026-02-01"));

async function add(sku: string, quantity: number, more = {}) {
  await app.stock(sku, quantity, { location: main, ...more });
}

const step = (id: string, action: string, body: unknown = {}) => app.post(`/inventory/transfers/${id}/${action}`, body);

async function planned(...items: unknown[]) {
  const { status, body } = await app.post("/inventory/transfers", { from_location: main, to_location: west, items });
  expect(status).toBe(201);
  return body.data;
}

async function shipped(...items: unknown[]) {
  const { id } = await planned(...items);
  const { status, body } = await step(id, "ship");
  expect([status, body.error]).toEqual([200, undefined]);
  return body.data;
}

describe("works", () => {
  test("a planned transfer moves nothing and emits nothing", async () => {
    await app.takeEvents();
    const transfer = await planned({ sku: "RICE", quantity: 8 });
    expect(transfer).toMatchObject({
      id: "trf_1001",
      status: "pending",
      from_location: main,
      to_location: west,
      revision: 1,
      items: [{ sku: "RICE", lot_number: null, bin: null, quantity: 8, quantity_in_transit: 0, lots: [] }],
      allowed_actions: ["ship", "cancel"],
    });
    expect((await app.get("/inventory/transfers/1001")).body.data).toEqual(transfer);
    expect(await app.stockOf("RICE")).toMatchObject({ on_hand: 20, available: 20, incoming: 0 });
    expect(await app.takeStockEvents()).toEqual([]);
  });

  test("shipped units are not on hand anywhere, but incoming", async () => {
    const { body } = await step("trf_1001", "ship");
    expect(body.data).toMatchObject({
      status: "in_transit",
      items: [{ quantity_in_transit: 8, lots: [{ lot_number: null, quantity: 8, quantity_in_transit: 8 }] }],
      allowed_actions: ["receive", "close"],
      shipped_at: "2026-01-02T03:04:05.000Z",
    });
    expect(await app.stockOf("RICE")).toMatchObject({ on_hand: 12, available: 12, incoming: 8 });
    const [event, ...others] = await app.takeEvents();
    expect([event?.type, others]).toEqual(["inventory.updated", []]);
    expect(event?.data).toMatchObject({ sku: "RICE", on_hand: 12, available: 12, incoming: 8 });
    const [movement] = (await app.get("/inventory/movements?sku=RICE")).body.data;
    expect(movement).toMatchObject({
      type: "transfer",
      quantity: 8,
      from_location: "A-01",
      to_location: "in_transit",
      balance_after: 12,
      warehouse_id: main,
      reason: "transferred",
      reference: { type: "transfer", id: "trf_1001" },
    });
    await app.expectVerified();
  });

  test("arriving units are received in parts until nothing is in transit", async () => {
    const part = await step("trf_1001", "receive", { items: [{ sku: "RICE", quantity: 3, bin: "W-02" }] });
    expect(part.body.data).toMatchObject({
      status: "in_transit",
      items: [{ quantity_in_transit: 5, quantity_received: 3 }],
    });
    expect(await app.stockOf("RICE")).toMatchObject({ on_hand: 15, available: 15, incoming: 5 });
    const [movement] = (await app.get("/inventory/movements?sku=RICE")).body.data;
    expect(movement).toMatchObject({
      type: "transfer",
      quantity: 3,
      from_location: "in_transit",
      to_location: "W-02",
      balance_after: 3,
      warehouse_id: west,
      reference: { type: "transfer", id: "trf_1001" },
    });
    await app.expectVerified();
    const rest = await step("trf_1001", "receive");
    expect(rest.body.data).toMatchObject({
      status: "received",
      items: [{ quantity_in_transit: 0, quantity_received: 8, quantity_written_off: 0 }],
      allowed_actions: [],
      received_at: "2026-01-02T03:04:05.000Z",
    });
    const { locations, ...stock } = await app.stockOf("RICE");
    expect(stock).toMatchObject({ on_hand: 20, incoming: 0 });
    expect(locations).toMatchObject([
      { warehouse_id: main, location: "A-01", quantity: 12 },
      { warehouse_id: west, location: "W-02", quantity: 3 },
      { warehouse_id: west, location: "W-01", quantity: 5 },
    ]);
    const events = (await app.takeEvents()).map(({ type, data }) => [type, data["on_hand"], data["incoming"]]);
    expect(events).toEqual([
      ["inventory.updated", 15, 5],
      ["inventory.updated", 20, 0],
    ]);
    await app.expectVerified();
  });

  test("lots ship first expired first, and keep their identity", async () => {
    const transfer = await shipped({ sku: "MILK", quantity: 7 });
    expect(transfer.items).toMatchObject([
      {
        lots: [
          { lot_number: "SOON", quantity: 5 },
          { lot_number: "LATE", quantity: 2 },
        ],
      },
    ]);
    await step(transfer.id, "receive", { items: [{ sku: "MILK", quantity: 1, lot_number: "LATE" }] });
    const half = (await app.get(`/inventory/transfers/${transfer.id}`)).body.data;
    expect(half.items[0].lots).toMatchObject([
      { lot_number: "SOON", quantity_in_transit: 5 },
      { lot_number: "LATE", quantity_in_transit: 1, quantity_received: 1 },
    ]);
    await step(transfer.id, "receive");
    const milk = await app.stockOf("MILK");
    expect(milk.lots).toMatchObject([
      { lot_number: "LATE", quantity: 5 },
      { lot_number: "SOON", quantity: 5 },
    ]);
    expect(
      milk.locations.map(({ warehouse_id, quantity }: Record<string, unknown>) => [warehouse_id, quantity]),
    ).toEqual([
      [main, 3],
      [west, 7],
    ]);
    await app.expectVerified();
  });

  test("units keep their age: the first received ships first, wherever it was", async () => {
    await app.product("OATS");
    const received_date = "2026-01-02T03:00:00Z";
    await add("OATS", 1, { bin: "A-01", received_date: "2026-01-01T00:00:00Z" });
    await add("OATS", 1, { bin: "A-02" });
    await add("OATS", 3, { bin: "W-03", location: west, received_date });
    const { id } = await shipped({ sku: "OATS", quantity: 2 });
    await step(id, "receive", { items: [{ sku: "OATS", quantity: 2, bin: "W-04" }] });
    const back = { from_location: west, to_location: main, items: [{ sku: "OATS", quantity: 2 }] };
    const { body } = await app.post("/inventory/transfers", back);
    await step(body.data.id, "ship");
    expect((await app.stockOf("OATS")).locations).toMatchObject([{ location: "W-03", quantity: 3 }]);
    await step(body.data.id, "receive");
    await app.takeEvents();
  });

  test("a named lot or bin is the one that ships", async () => {
    const transfer = await shipped({ sku: "MILK", quantity: 2, lot_number: "LATE" });
    expect(transfer.items[0].lots).toMatchObject([{ lot_number: "LATE", quantity: 2 }]);
    await add("SALT", 4, { bin: "A-09" });
    const salt = await shipped({ sku: "SALT", quantity: 4, bin: "A-09" });
    expect((await app.stockOf("SALT")).locations).toMatchObject([{ location: "A-01", quantity: 30 }]);
    await step(transfer.id, "receive");
    await step(salt.id, "receive");
  });

  test("missing units are written off when the transfer is closed, which happens once", async () => {
    const { id } = await shipped({ sku: "SALT", quantity: 10 });
    await step(id, "receive", { items: [{ sku: "SALT", quantity: 7 }] });
    expect(await app.stockOf("SALT")).toMatchObject({ on_hand: 31, incoming: 3 });
    await app.takeEvents();
    const closed = await step(id, "close", { reason: "damaged", notes: "The pallet fell." });
    expect(closed.body.data).toMatchObject({
      status: "received",
      items: [{ quantity: 10, quantity_in_transit: 0, quantity_received: 7, quantity_written_off: 3 }],
    });
    expect((await step(id, "close")).body.data).toEqual(closed.body.data);
    expect(await app.stockOf("SALT")).toMatchObject({ on_hand: 31, incoming: 0, unavailable: { quarantined: 0 } });
    expect(await app.takeStockEvents()).toEqual([]);
    const [off, came] = (await app.get("/inventory/movements?sku=SALT")).body.data;
    const reference = { type: "transfer", id };
    expect(off).toMatchObject({
      type: "adjustment",
      quantity: 3,
      to_location: "write_off",
      reason: "damaged",
      reference,
    });
    expect(off.notes).toBe("The pallet fell.");
    expect(came).toMatchObject({ type: "transfer", quantity: 3, from_location: "in_transit", reference });
    await app.expectVerified();
  });

  test("an unshipped transfer is cancelled, once", async () => {
    const { id } = await planned({ sku: "SALT", quantity: 1 });
    await app.takeEvents();
    const cancelled = await step(id, "cancel");
    expect(cancelled.body.data).toMatchObject({ status: "cancelled", allowed_actions: [] });
    expect((await step(id, "cancel")).body.data).toEqual(cancelled.body.data);
    expect(await app.takeStockEvents()).toEqual([]);
  });

  test("low stock is reported when too many units ship", async () => {
    await app.takeEvents();
    const { id } = await shipped({ sku: "RICE", quantity: 12 });
    expect(await app.takeStockEvents()).toEqual(["inventory.updated RICE"]);
    const back = { from_location: west, to_location: main, items: [{ sku: "RICE", quantity: 4 }] };
    const { body } = await app.post("/inventory/transfers", back);
    await step(body.data.id, "ship");
    expect(await app.takeStockEvents()).toEqual(["inventory.updated RICE", "inventory.low_stock RICE"]);
    await step(body.data.id, "receive");
    await step(id, "receive");
    expect(await app.takeStockEvents()).toEqual(["inventory.updated RICE", "inventory.updated RICE"]);
  });

  test("backorders at the target get the units on arrival", async () => {
    await app.product("RARE");
    await add("RARE", 4);
    const { id } = await shipped({ sku: "RARE", quantity: 4 });
    await (await buyerOf(app.must)).order("W-1", [["RARE", 3]]);
    expect(await app.stockOf("RARE")).toMatchObject({ on_hand: 0, backordered: 3, incoming: 4, status: "backordered" });
    await app.takeEvents();
    await step(id, "receive");
    expect(await app.stockOf("RARE")).toMatchObject({ on_hand: 4, reserved: 3, backordered: 0, incoming: 0 });
    expect(await app.takeStockEvents()).toEqual(["inventory.updated RARE"]);
  });
});

describe("refuses", () => {
  const some = [{ sku: "SALT", quantity: 1 }];

  test.each([
    ["to where it is", () => ({ from_location: main, to_location: main, items: some }), 422, ["to_location"]],
    ["from nowhere", () => ({ from_location: "whs_9", to_location: main, items: some }), 404, ["from_location"]],
    ["to nowhere", () => ({ from_location: main, to_location: "whs_9", items: some }), 404, ["to_location"]],
    ["of nothing", () => ({ from_location: main, to_location: west, items: [] }), 422, ["items"]],
    [
      "of an unknown SKU",
      () => ({ from_location: main, to_location: west, items: [...some, { sku: "NONE", quantity: 1 }] }),
      404,
      ["items[1].sku"],
    ],
  ] as const)("to plan a transfer %s", async (_name, body, status, named) => {
    await app.takeEvents();
    const answer = await app.post("/inventory/transfers", body());
    expect([answer.status, fieldsOf(answer)]).toEqual([status, [...named]]);
    expect(await app.takeStockEvents()).toEqual([]);
  });

  test("to ship missing or reserved units, names every short SKU, and ships nothing", async () => {
    await app.post("/inventory/reserve", { order_id: "R-1", items: [{ sku: "SALT", quantity: 15 }], location: main });
    const salt = await app.stockOf("SALT");
    const { id } = await planned(
      { sku: "RICE", quantity: 1 },
      { sku: "SALT", quantity: 20 },
      { sku: "ICE", quantity: 1 },
    );
    await app.takeEvents();
    const { status, body } = await step(id, "ship");
    expect([status, body.error.code]).toEqual([409, "insufficient_inventory"]);
    expect(body.error.shortages).toEqual([
      { sku: "SALT", requested: 20, available: 5 },
      { sku: "ICE", requested: 1, available: 0 },
    ]);
    expect(await app.stockOf("SALT")).toEqual(salt);
    expect((await app.get(`/inventory/transfers/${id}`)).body.data).toMatchObject({ status: "pending", revision: 1 });
    expect(await app.takeStockEvents()).toEqual([]);
  });

  test("to ship from a bin or lot with too few units, and names it", async () => {
    const { id } = await planned(
      { sku: "SALT", quantity: 1, bin: "NONE" },
      { sku: "MILK", quantity: 1, lot_number: "L-0", bin: "C-01" },
    );
    const { message } = (await step(id, "ship")).body.error;
    expect(message).toContain("SALT in bin NONE (1 requested, 0 available)");
    expect(message).toContain("lot L-0 of MILK in bin C-01 (1 requested, 0 available)");
    await step(id, "cancel");
  });

  test("to ship the same units for two lines", async () => {
    const { id } = await planned({ sku: "SALT", quantity: 5 }, { sku: "SALT", quantity: 1 });
    const { status, body } = await step(id, "ship");
    expect([status, body.error.shortages]).toEqual([409, [{ sku: "SALT", requested: 1, available: 0 }]]);
  });

  test("to receive more than is in transit, other units, or into a bin that is too warm", async () => {
    const { id } = await shipped({ sku: "SALT", quantity: 2 }, { sku: "MILK", quantity: 1 });
    await app.takeEvents();
    for (const [wrong, field] of [
      [{ sku: "SALT", quantity: 2 }, "items[1].quantity"],
      [{ sku: "RICE", quantity: 1 }, "items[1].quantity"],
      [{ sku: "MILK", quantity: 1, lot_number: "NONE" }, "items[1].quantity"],
      [{ sku: "MILK", quantity: 1, bin: "W-01" }, "items[1].bin"],
    ] as const) {
      const answer = await step(id, "receive", { items: [{ sku: "SALT", quantity: 1 }, wrong] });
      expect([answer.status, fieldsOf(answer)]).toEqual([422, [field]]);
    }
    expect(await app.takeStockEvents()).toEqual([]);
    await step(id, "receive");
  });

  test("to receive frozen products without a cold zone, and says how to add one", async () => {
    const frozen = { zone_id: "FREEZER", temperature_zone: "frozen", bins: [{ code: "F-01" }] };
    await app.patch(`/inventory/locations/${main}`, { location_zones: [frozen] });
    await add("ICE", 2);
    const { id } = await shipped({ sku: "ICE", quantity: 2 });
    await app.takeEvents();
    const answer = await step(id, "receive");
    expect([answer.status, fieldsOf(answer)]).toEqual([422, ["location"]]);
    expect(answer.body.error.details[0].message).toBe(
      "has no zone for frozen goods; add a zone with that temperature_zone to the warehouse first",
    );
    expect(await app.takeStockEvents()).toEqual([]);
  });

  test("steps that the status does not allow", async () => {
    const pending = await planned({ sku: "SALT", quantity: 1 });
    const code = async (id: string, action: string) => (await step(id, action)).body.error?.code;
    await app.takeEvents();
    expect(await code(pending.id, "receive")).toBe("invalid_state_transition");
    expect(await code(pending.id, "close")).toBe("invalid_state_transition");
    for (const action of ["ship", "receive", "cancel"]) {
      expect(await code("trf_1001", action)).toBe("invalid_state_transition");
    }
    for (const action of ["ship", "receive", "close", "cancel"]) {
      expect(await code("trf_9", action)).toBe("resource_missing");
    }
    expect((await app.get("/inventory/transfers/rcv_1001")).status).toBe(404);
    expect(await app.takeStockEvents()).toEqual([]);
  });
});

describe("guards", () => {
  test("units ship once, for any number of concurrent requests", async () => {
    await add("SALT", 6);
    const { id } = await planned({ sku: "SALT", quantity: 6 });
    const before = await app.stockOf("SALT");
    const statuses = (await Promise.all([step(id, "ship"), step(id, "ship"), step(id, "ship")])).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([200, 409, 409]);
    expect((await app.stockOf("SALT")).on_hand).toBe(before.on_hand - 6);
    const arrivals = await Promise.all([step(id, "receive"), step(id, "receive")]);
    expect(arrivals.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await app.stockOf("SALT")).on_hand).toBe(before.on_hand);
  });
});
