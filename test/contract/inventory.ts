import { describe, expect } from "bun:test";
import { type Api, expectPages, replay } from "./service.ts";
import {
  envelope,
  envelopedList,
  expectShape,
  flag,
  integer,
  listOf,
  moment,
  oneOf,
  orNull,
  prefixed,
  record,
  type Shape,
  text,
} from "./shape.ts";
import { fresh, makeOrder, makeStock, warehouseOf } from "./supplies.ts";

/** A zone, or a place in one: refrigerated ones name their range of temperature. */
const inZone =
  (fields: Readonly<Record<string, Shape>>): Shape =>
  (value, path) => {
    const common = record({ ...fields, temperature_zone: oneOf("ambient", "refrigerated", "frozen") })(value, path);
    const { temperature_zone } = (value ?? {}) as { temperature_zone?: unknown };
    const cold = temperature_zone === "refrigerated" ? record({ temperature_range: text })(value, path) : [];
    return [...common, ...cold];
  };

const itemFields = {
  sku: text,
  name: text,
  available: integer,
  reserved: integer,
  total: integer,
  locations: listOf(inZone({ warehouse_id: prefixed("whs_"), location: text, quantity: integer })),
  reorder_point: integer,
  status: oneOf("in_stock", "low_stock", "out_of_stock", "backordered", "inactive"),
};

const listed = record({ ...itemFields, last_updated: moment });

const lot = record({ lot_number: text, quantity: integer, received_date: moment, expiration_date: moment });

const detailed = record({ ...itemFields, lot_tracking: flag, expiration_tracking: flag, lots: listOf(lot) });

const warehouse = record({
  warehouse_id: prefixed("whs_"),
  name: text,
  location_zones: listOf(inZone({ zone_id: text, capacity: orNull(integer) })),
});

const adjustment = record({
  sku: text,
  previous_quantity: integer,
  adjustment: integer,
  new_quantity: integer,
  reason: text,
  adjusted_at: moment,
  adjusted_by: text,
});

const reservation = record({
  reservation_id: prefixed("rsv_"),
  order_id: text,
  items: listOf(record({ sku: text, quantity: integer, reserved_from: prefixed("whs_") })),
  expires_at: moment,
  created_at: moment,
});

const movement = record({
  id: prefixed("mov_"),
  sku: text,
  type: oneOf("adjustment", "transfer", "sale", "return", "receipt"),
  quantity: integer,
  from_location: orNull(text),
  to_location: text,
  reason: text,
  created_at: moment,
});

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** A warehouse with a refrigerated zone of which capacity and range are given. */
async function makeColdStore(api: Api): Promise<string> {
  const made = await api.post("/inventory/locations", {
    name: fresh("Cold store"),
    address: {
      name: "Cold store",
      address_line1: "1 Pier",
      city: "Boston",
      state: "MA",
      postal_code: "02108",
      country: "US",
    },
    location_zones: [
      {
        zone_id: "COLD-A",
        temperature_zone: "refrigerated",
        temperature_range: "2-8°C",
        capacity: 5000,
        bins: [{ code: "C-01-01" }],
      },
    ],
  });
  return made.textAt("data.warehouse_id");
}

/** A refrigerated product with one lot of 40 in a cold store. */
async function makeColdStock(api: Api) {
  const location = await makeColdStore(api);
  const cold = { temperature_zone: "refrigerated", lot_tracking: true, expiration_tracking: true, reorder_point: 10 };
  const { sku } = await makeStock(api, 0, cold);
  const answer = await api.ask("POST", "/inventory", {
    sku,
    quantity: 40,
    location,
    bin: "C-01-01",
    lot_number: "LOT-2025-001",
    expiration_date: new Date(Date.now() + 90 * 86_400_000).toISOString(),
  });
  return { sku, location, answer };
}

describe("inventory", () => {
  replay("POST /inventory", "adds stock with its lot", async (api) => {
    const { sku, answer } = await makeColdStock(api);
    expect(answer.status).toBe(201);
    expectShape(answer.body, envelope(record({ sku: oneOf(sku) })));
    expect((await api.get(`/inventory/${sku}`)).at("data")).toMatchObject({ available: 40, reserved: 0, total: 40 });
  });

  replay("GET /inventory", "lists levels in pages", async (api) => {
    await makeColdStock(api);
    await makeStock(api, 5);
    const answer = await api.get("/inventory");
    expectShape(
      answer.body,
      envelopedList(record({ ...itemFields, locations: orNull(() => []), last_updated: moment })),
    );
    const items = answer.at("data") as { available: number; reserved: number; total: number }[];
    expect(items.filter(({ available, reserved, total }) => total !== available + reserved)).toEqual([]);
    await expectPages(api, "/inventory");
  });

  replay("GET /inventory", "filters by SKU, pattern, location and low stock", async (api) => {
    const { sku, location } = await makeColdStock(api);
    const one = await api.get(`/inventory?sku=${sku}`);
    expectShape(one.body, envelopedList(listed));
    expect(one.at("data")).toMatchObject([{ sku, available: 40, reorder_point: 10, status: "in_stock" }]);
    expect(one.at("data.0.locations")).toMatchObject([
      { warehouse_id: location, location: "C-01-01", quantity: 40, temperature_zone: "refrigerated" },
    ]);
    expect((await api.get(`/inventory?sku=${sku.slice(0, -1)}*`)).at("data")).toContainEqual(one.at("data.0"));
    expect((await api.get(`/inventory?location=${location}`)).at("data")).toMatchObject([{ sku }]);
    expect((await api.get(`/inventory?sku=${sku}&low_stock=true`)).at("data")).toEqual([]);
    await api.patch(`/inventory/${sku}`, { adjustment: -31, reason: "stock_count" });
    const low = await api.get(`/inventory?sku=${sku}&low_stock=true`);
    expect(low.at("data")).toMatchObject([{ sku, available: 9, status: "low_stock" }]);
    expect((await api.get("/inventory?sku=NO-SUCH-SKU")).at("data")).toEqual([]);
  });

  replay("GET /inventory/:sku", "answers one item with its lots", async (api) => {
    const { sku } = await makeColdStock(api);
    const answer = await api.get(`/inventory/${sku}`);
    expectShape(answer.body, envelope(detailed));
    expect(answer.at("data")).toMatchObject({
      sku,
      lot_tracking: true,
      expiration_tracking: true,
      lots: [{ lot_number: "LOT-2025-001", quantity: 40 }],
    });
    await api.refused(404, "resource_missing", "GET", "/inventory/NO-SUCH-SKU");
  });

  replay("PATCH /inventory/:sku", "adjusts a quantity by the documented request", async (api) => {
    const { sku } = await makeStock(api, 150);
    const answer = await api.ask("PATCH", `/inventory/${sku}`, {
      adjustment: -5,
      reason: "stock_count",
      location: await warehouseOf(api),
      notes: "Annual inventory count adjustment",
    });
    expect(answer.status).toBe(200);
    expectShape(answer.body, envelope(adjustment));
    expect(answer.at("data")).toMatchObject({ sku, previous_quantity: 150, adjustment: -5, new_quantity: 145 });
    expect(answer.at("data.reason")).toBe("stock_count");
    expect((await api.get(`/inventory/${sku}`)).at("data.total")).toBe(145);
    await api.refused(409, "insufficient_inventory", "PATCH", `/inventory/${sku}`, {
      adjustment: -146,
      reason: "stock_count",
    });
    await api.refused(422, "validation_failed", "PATCH", `/inventory/${sku}`, { adjustment: 0, reason: "whim" });
  });

  replay("POST /inventory/reserve", "reserves for an order that does not exist yet", async (api) => {
    const { sku } = await makeStock(api, 10);
    const expires_at = inAnHour();
    const order_id = fresh("ORDER");
    const answer = await api.post("/inventory/reserve", { order_id, items: [{ sku, quantity: 4 }], expires_at });
    expectShape(answer.body, envelope(reservation));
    expect(answer.at("data")).toMatchObject({ order_id, expires_at, items: [{ sku, quantity: 4 }] });
    expect((await api.get(`/inventory/${sku}`)).at("data")).toMatchObject({ available: 6, reserved: 4, total: 10 });
  });

  replay("POST /inventory/reserve", "is all or nothing, and names what is short", async (api) => {
    const [{ sku: enough }, { sku: short }] = [await makeStock(api, 10), await makeStock(api, 3)];
    const items = [
      { sku: enough, quantity: 4 },
      { sku: short, quantity: 4 },
    ];
    const body = { order_id: fresh("ORDER"), items, expires_at: inAnHour() };
    const answer = await api.refused(409, "insufficient_inventory", "POST", "/inventory/reserve", body);
    expect(JSON.stringify(answer.at("error"))).toContain(`"sku":"${short}","requested":4,"available":3`);
    expect((await api.get(`/inventory/${enough}`)).at("data")).toMatchObject({ available: 10, reserved: 0 });
    const past = { ...body, expires_at: "2020-01-01T00:00:00.000Z" };
    await api.refused(422, "validation_failed", "POST", "/inventory/reserve", past);
  });

  replay("POST /inventory/release", "releases a reservation, and answers the same when asked again", async (api) => {
    const { sku } = await makeStock(api, 10);
    const reserved = await api.post("/inventory/reserve", {
      order_id: fresh("ORDER"),
      items: [{ sku, quantity: 4 }],
      expires_at: inAnHour(),
    });
    const reservation_id = reserved.textAt("data.reservation_id");
    const answer = await api.ask("POST", "/inventory/release", { reservation_id });
    expect(answer.status).toBe(200);
    const released = record({ reservation_id: text, status: oneOf("released"), released_at: moment });
    expectShape(answer.body, envelope(released));
    expect(answer.at("data.reservation_id")).toBe(reservation_id);
    expect((await api.get(`/inventory/${sku}`)).at("data")).toMatchObject({ available: 10, reserved: 0 });
    expect((await api.post("/inventory/release", { reservation_id })).at("data")).toEqual(answer.at("data"));
  });

  replay("GET /inventory/locations", "answers every warehouse with its zones", async (api) => {
    const cold = await makeColdStore(api);
    const answer = await api.get("/inventory/locations");
    expectShape(answer.body, envelope(listOf(warehouse)));
    const zone = { zone_id: "COLD-A", temperature_zone: "refrigerated", temperature_range: "2-8°C", capacity: 5000 };
    const found = (answer.at("data") as { warehouse_id: string }[]).find(({ warehouse_id }) => warehouse_id === cold);
    expect(found).toMatchObject({ location_zones: [zone] });
  });

  replay("GET /inventory/movements", "lists in pages, by SKU and by each documented type", async (api) => {
    const order = await makeOrder(api);
    await api.patch(`/inventory/${order.sku}`, { adjustment: 1, reason: "stock_count" });
    await api.post(`/orders/${order.id}/ship`);
    const back = await api.post("/returns", { order_id: order.id, reason: "defective" });
    const path = `/returns/${back.textAt("data.id")}`;
    await api.post(`${path}/receive`);
    const found = { sku: order.sku, quantity: 2, condition: "unopened", disposition: "restock" };
    await api.post(`${path}/inspect`, { items: [found] });
    expectShape((await api.get("/inventory/movements")).body, envelopedList(movement));
    for (const type of ["adjustment", "transfer", "sale", "return"]) {
      const answer = await api.get(`/inventory/movements?sku=${order.sku}&type=${type}`);
      expectShape(answer.body, envelopedList(record({ sku: oneOf(order.sku), type: oneOf(type) })));
    }
    await expectPages(api, `/inventory/movements?sku=${order.sku}`);
    await api.refused(422, "validation_failed", "GET", "/inventory/movements?type=theft");
  });
});
