// Past orders imported from another system: their records, and the actions that remain possible.
import { beforeEach, describe, expect, test } from "bun:test";
import { type Answered, start } from "../../build/service.ts";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();
const cup = (await shop.product({ sku: "CUP", units: 20 })).id;
await shop.product({ sku: "TEA" });
beforeEach(async () => {
  await shop.app.takeEvents();
});

const columns = [
  ...["order_number", "status", "customer_email", "address_line1", "city", "state", "postal_code", "country"],
  ...[
    "sku",
    "quantity",
    "line_total",
    "quantity_cancelled",
    "created_at",
    "shipped_at",
    "delivered_at",
    "cancelled_at",
  ],
  ...["cancel_reason", "carrier", "tracking_number", "tracking_numbers"],
];
const place = { address_line1: "12 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
const who = { customer_email: "past@example.com", ...place };
const sent = { status: "shipped", created_at: "2025-03-01", shipped_at: "2025-03-02T10:00:00Z" };
const come = { ...sent, status: "delivered", delivered_at: "2025-03-04T15:30:00Z" };
const given_up = { status: "cancelled", created_at: "2025-04-01", cancelled_at: "2025-04-02" };

let numbers = 0;
type Row = Record<string, string | number>;
const rowOf = (fields: Row): Row => ({
  order_number: `H-${++numbers}`,
  ...who,
  sku: "CUP",
  quantity: 3,
  line_total: 10,
  ...fields,
});
const fileOf = (rows: readonly Row[]) =>
  [columns.join(","), ...rows.map((row) => columns.map((name) => row[name] ?? "").join(","))].join("\n");

async function imports(rows: readonly Row[] | string, query = "?history=true", key = shop.app.keys.live.full) {
  const file = typeof rows === "string" ? rows : fileOf(rows);
  const headers = { "content-type": "text/csv" };
  const { body } = await shop.app.call("POST", `/orders/import${query}`, file, { key, headers });
  return body.data ?? body;
}

/** The order of one row. */
async function made(fields: Row): Promise<Answered["body"]> {
  const row = rowOf(fields);
  expect(await imports([row])).toMatchObject({ orders: 1, created: 1, errors: [] });
  return byNumber(String(row["order_number"]));
}
const byNumber = async (number: string) => (await shop.app.get(`/orders?order_number=${number}`)).body.data[0];

describe("works", () => {
  test("delivered, shipped and cancelled orders are imported without stock movements and events", async () => {
    const before = await shop.stockOf("CUP");
    const delivered = await made({ ...come, carrier: "ups", tracking_number: "1z 999 aa1-01" });
    const shipped = await made({ ...sent, quantity_cancelled: 1 });
    const cancelled = await made({ ...given_up, cancel_reason: "fraud" });
    expect(delivered).toMatchObject({
      status: "delivered",
      fulfillment_status: "delivered",
      imported: true,
      subtotal: 10,
      revision: 1,
      created_at: "2025-03-01T05:00:00.000Z",
      shipped_at: "2025-03-02T10:00:00.000Z",
      delivered_at: "2025-03-04T15:30:00.000Z",
      updated_at: new Date(start).toISOString(),
      allowed_actions: [],
      allocation: { complete: true, backordered_units: 0 },
      line_items: [
        { quantity: 3, quantity_shipped: 3, quantity_delivered: 3, quantity_backordered: 0, line_total: 10 },
      ],
      shipments: [
        {
          status: "delivered",
          carrier: "ups",
          tracking_number: "1Z999AA101",
          items: [{ quantity: 3 }],
          tracking_url: expect.stringContaining("1Z999AA101"),
        },
      ],
    });
    expect(shipped).toMatchObject({
      status: "shipped",
      subtotal: 6.67,
      allowed_actions: ["deliver"],
      line_items: [{ quantity: 3, quantity_shipped: 2, quantity_cancelled: 1, quantity_delivered: 0 }],
      shipments: [{ status: "shipped", tracking_number: null, items: [{ quantity: 2 }] }],
    });
    expect(cancelled).toMatchObject({
      status: "cancelled",
      subtotal: 0,
      cancel_reason: "fraud",
      shipments: [],
      cancelled_at: "2025-04-02T04:00:00.000Z",
      line_items: [{ quantity_cancelled: 3, quantity_shipped: 0 }],
    });
    expect(await shop.app.takeEvents()).toEqual([]);
    expect(await shop.stockOf("CUP")).toEqual(before);
    expect((await shop.app.get("/inventory/movements?sku=CUP&type=sale")).body.data).toEqual([]);
    expect((await shop.app.get(`/orders/${delivered.id}/history`)).body.data).toMatchObject([
      { event: "imported", from_status: null, to_status: "delivered", actor: { type: "api_key" } },
    ]);
  });

  test("lists, filters and cursors use their original time; a customer's history too", async () => {
    const now = await shop.order([[{ id: cup }, 1]]);
    await imports([rowOf({ ...come, created_at: "2025-01-02" }), rowOf({ ...come, created_at: "2025-01-01" })]);
    const all: string[] = [];
    let cursor = "";
    do {
      const { body } = await shop.app.get(`/orders?limit=2&sort=created_at${cursor}`);
      all.push(...body.data.map((order: { created_at: string }) => order.created_at));
      const { next_cursor } = body.meta.pagination;
      cursor = next_cursor ? `&cursor=${next_cursor}` : "";
    } while (cursor !== "");
    expect(all).toEqual(all.toSorted());
    expect(all.slice(0, 2)).toEqual(["2025-01-01T05:00:00.000Z", "2025-01-02T05:00:00.000Z"]);
    const count = async (query: string) => (await shop.app.get(`/orders?${query}`)).body.meta.pagination.total;
    const ours = (await shop.app.get("/orders?imported=false")).body.data;
    expect(ours.map(({ id }: { id: string }) => id)).toEqual([now.id]);
    expect((await count("imported=true")) + 1).toBe(await count("limit=1"));
    expect(await count("imported=true&created_before=2025-02-01")).toBe(2);
    const { customer_id } = await byNumber("H-1");
    const { order_history } = (await shop.app.get(`/customers/${customer_id}`)).body;
    const moments = order_history.map(({ created_at }: { created_at: string }) => created_at);
    expect(moments).toEqual(moments.toSorted().reverse());
    await shop.cancel(now.id);
  });

  test("their returns are adjustments that the ledger explains, and are refunded to the cent", async () => {
    const { id } = await made({ ...come, quantity: 3, line_total: "0.10", sku: "TEA" });
    const back = await shop.app.create("/returns", {
      order_id: id,
      reason: "defective",
      items: [{ sku: "TEA", quantity: 2 }],
    });
    await shop.app.create(`/returns/${back.id}/receive`);
    expect(await shop.stockOf("TEA")).toMatchObject({ available: 0, on_hand: 2, unavailable: { returns: 2 } });
    const bin = (await shop.stockOf("CUP")).locations[0].location;
    const items = [{ sku: "TEA", quantity: 2, condition: "unopened", disposition: "restock", bin }];
    await shop.app.create(`/returns/${back.id}/inspect`, { items });
    expect((await shop.app.create(`/returns/${back.id}/refund`)).amount).toBe(0.07);
    expect(await shop.stockOf("TEA")).toMatchObject({ available: 2, on_hand: 2 });
    expect((await shop.app.get("/inventory/movements?sku=TEA")).body.data).toMatchObject([
      { type: "transfer", quantity: 2, reason: "return_restock", reference: { type: "return", id: back.id } },
      { type: "adjustment", quantity: 2, reason: "return_received", reference: { type: "return", id: back.id } },
    ]);
    expect((await shop.app.get("/inventory/TEA/explain")).status).toBe(200);
    const more = await shop.app.post("/returns", {
      order_id: id,
      reason: "defective",
      items: [{ sku: "TEA", quantity: 2 }],
    });
    expect([more.status, more.body.error.details[0].code]).toEqual([422, "too_large"]);
  });

  test("restocked units of lot-tracked products must name their lot", async () => {
    const sku = "LOTTED";
    await shop.app.create("/products", { sku, name: "Lotted", lot_tracking: true });
    await shop.app.create("/inventory", { sku, quantity: 1, location: "whs_1001", lot_number: "L-1" });
    const { id } = await made({ ...come, sku });
    const inspected = async (found: object) => {
      const back = await shop.app.create("/returns", {
        order_id: id,
        reason: "defective",
        items: [{ sku, quantity: 1 }],
      });
      await shop.app.create(`/returns/${back.id}/receive`);
      const items = [{ sku, quantity: 1, condition: "unopened", ...found }];
      const answer = await shop.app.post(`/returns/${back.id}/inspect`, { items });
      if (answer.status === 200) return answer.body.data.items[0].inspections[0];
      const aside = { items: [{ sku, quantity: 1, condition: "opened" }] };
      await shop.app.create(`/returns/${back.id}/inspect`, aside);
      return answer.body.error.details[0];
    };
    expect(await inspected({})).toMatchObject({ field: "items[0].lot_number", code: "required" });
    expect(await inspected({ lot_number: "L-2" })).toMatchObject({ field: "items[0].lot_number" });
    expect(await inspected({ lot_number: "L-1" })).toMatchObject({ disposition: "restock", lot_number: "L-1" });
    expect((await shop.stockOf(sku)).unavailable).toMatchObject({ quarantined: 2 });
  });

  test("their parcels are tracked, and carriers' reports update them like any other", async () => {
    const { id } = await made({ ...sent, carrier: "ups", tracking_number: "1Z-PAST-1" });
    const track = async (number: string) => (await shop.app.get(`/tracking/${number}`)).body.data;
    expect(await track("1z past 1")).toMatchObject({
      status: "picked_up",
      carrier: "ups",
      events: [{ status: "picked_up", timestamp: "2025-03-02T10:00:00.000Z" }],
    });
    await shop.app.create("/tracking/1ZPAST1/events", { status: "delivered", timestamp: "2025-03-05T08:00:00Z" });
    expect(await shop.told()).toEqual(["order.delivered", "shipment.tracking_updated", "shipment.delivered"]);
    expect((await track("1ZPAST1")).events.map(({ status }: { status: string }) => status)).toEqual([
      "delivered",
      "picked_up",
    ]);
    expect(await shop.get(id)).toMatchObject({ status: "delivered", imported: true });
    await made({ ...come, tracking_numbers: "PAST-A past-b" });
    expect(await track("PASTB")).toMatchObject({
      status: "delivered",
      events: [{ status: "delivered" }, { status: "picked_up" }],
    });
  });

  test("actions on them follow the transition table", async () => {
    const { id } = await made(sent);
    for (const action of ["hold", "process", "pick", "pack", "ship", "cancel_items"]) {
      const body = action === "cancel_items" ? { items: [{ sku: "CUP", quantity: 1 }] } : {};
      const { status, body: answer } = await shop.app.post(`/orders/${id}/${action}`, body);
      expect([action, status, answer.error?.code]).toEqual([action, 409, "invalid_state_transition"]);
    }
    expect((await shop.cancel(id)).status).toBe(409);
    expect(await shop.act(id, "deliver")).toMatchObject({ status: "delivered", shipments: [{ status: "delivered" }] });
    expect((await shop.app.get(`/orders/${id}/packing_slip?format=json`)).status).toBe(200);
    expect((await shop.cancel((await made(given_up)).id)).status).toBe(200);
  });

  test("nothing is reserved for them, by id or number, since they want nothing", async () => {
    const { id, order_number } = await made(come);
    for (const order_id of [id, Number(id.slice("ord_".length)), order_number]) {
      const { status, body } = await shop.app.post("/inventory/reserve", {
        order_id,
        items: [{ sku: "CUP", quantity: 1 }],
      });
      expect([status, body.error?.code, body.error?.order_id]).toEqual([409, "reservation_closed", id]);
    }
  });

  test("a file sent twice imports each order once, and an earlier promise stays", async () => {
    const rows = [rowOf(come), rowOf(sent)];
    const order_id = String(rows[0]?.["order_number"]);
    const expires_at = new Date(start + 3_600_000).toISOString();
    const held = await shop.app.create("/inventory/reserve", {
      order_id,
      items: [{ sku: "CUP", quantity: 2 }],
      expires_at,
    });
    expect(await imports(rows)).toMatchObject({ orders: 2, created: 2, failed: 0 });
    const again = await imports([...rows, rowOf(come)]);
    expect(again).toMatchObject({ orders: 3, created: 1, unchanged: 2, failed: 0 });
    const others = await imports(rows.map((row) => ({ ...row, line_total: 11 })));
    expect(others).toMatchObject({ failed: 2, errors: [2, 3].map((line) => ({ line, field: "order_number" })) });
    expect((await shop.stockOf("CUP")).reserved).toBe(2);
    await shop.app.create("/inventory/release", { reservation_id: held.reservation_id });
  });

  test("the same file sent concurrently imports each order once", async () => {
    const rows = [rowOf(come), rowOf({ ...sent, customer_email: "race@past.example" }), rowOf(given_up)];
    const reports = await Promise.all([1, 2, 3].map(() => imports(rows)));
    expect(reports.map(({ created, unchanged, failed }) => created + unchanged + failed)).toEqual([3, 3, 3]);
    expect(reports.reduce((sum, { created }) => sum + created, 0)).toBe(3);
    for (const { field } of reports.flatMap(({ errors }) => errors)) expect(field).toBe("order_number");
    for (const row of rows) {
      const found = (await shop.app.get(`/orders?order_number=${row["order_number"]}`)).body;
      expect(found.meta.pagination.total).toBe(1);
    }
  });

  test("an export from here is imported unchanged elsewhere", async () => {
    const live = (await shop.app.get("/orders/export.csv?imported=true&sort=created_at")).body;
    const { full } = shop.app.keys.test;
    for (const sku of ["CUP", "TEA", "LOTTED"]) {
      await shop.app.call("POST", "/products", { sku, name: `Product ${sku}`, status: "inactive" }, { key: full });
    }
    const report = await imports(live, "?history=true", full);
    expect(report).toMatchObject({ failed: 0, errors: [] });
    expect(report.created).toBeGreaterThan(8);
    const path = "/orders/export.csv?imported=true&sort=created_at";
    const there = (await shop.app.call("GET", path, undefined, { key: full })).body;
    expect(there).toBe(live);
  });
});

describe("refuses", () => {
  const tomorrow = new Date(start + 86_400_000).toISOString();
  test.each([
    ["an open order", { status: "pending", created_at: "2025-01-01" }, "status"],
    ["a state that is none", { ...sent, status: "lost" }, "status"],
    ["a word of the language", { ...sent, status: "constructor" }, "status"],
    ["no state", { ...sent, status: "" }, "status"],
    ["no moment at all", { status: "shipped", shipped_at: "2025-01-01" }, "created_at"],
    ["a delivery without its moment", { ...sent, status: "delivered" }, "delivered_at"],
    ["a moment of another state", { ...sent, cancelled_at: "2025-03-03" }, "cancelled_at"],
    ["leaving before it was made", { ...sent, created_at: "2025-03-03" }, "shipped_at"],
    ["arriving before it left", { ...come, delivered_at: "2025-03-01" }, "delivered_at"],
    ["what lies ahead", { ...come, delivered_at: tomorrow }, "delivered_at"],
    ["a day that is none", { ...come, delivered_at: "2025-02-30" }, "delivered_at"],
    ["more cancelled than ordered", { ...sent, quantity_cancelled: 4 }, "quantity_cancelled"],
    ["nothing that was sent", { ...sent, quantity_cancelled: 3 }, "status"],
    ["a cancelled order with units left", { ...given_up, quantity_cancelled: 1 }, "quantity_cancelled"],
    ["a SKU that is not there", { ...sent, sku: "NOBODY" }, "sku"],
    ["no money", { ...sent, line_total: "" }, "unit_price"],
    ["a number without a sign", { ...sent, tracking_number: "- -" }, "tracking_number"],
  ])("%s", async (_, fields, field) => {
    const row = rowOf({ customer_email: "nobody@past.example", ...fields } as Row);
    const report = await imports([row]);
    expect(report).toMatchObject({ orders: 1, created: 0, failed: 1, errors: [{ line: 2, field }] });
    expect(await byNumber(String(row["order_number"]))).toBe(undefined);
    expect((await shop.app.get("/customers?email=nobody@past.example")).body.data).toEqual([]);
  });

  test("past orders among new ones, and says how to import them", async () => {
    const { errors } = await imports("order_number,status,sku,quantity,unit_price\nX-1,delivered,CUP,1,1", "");
    expect(errors).toMatchObject([{ line: 2, field: "status", message: expect.stringContaining("history=true") }]);
  });
});

describe("dates", () => {
  test("a date without a time is that day in the warehouse, also in reports", async () => {
    const order = await made({ ...sent, created_at: "2023-07-01", shipped_at: "2023-07-01", status: "shipped" });
    expect(order).toMatchObject({ created_at: "2023-07-01T04:00:00.000Z", shipped_at: "2023-07-01T04:00:00.000Z" });
    await made({ ...given_up, created_at: "2023-12-31", cancelled_at: "2024-01-01" });
    const report = await shop.app.get("/reports/orders?from=2023-06-25&to=2023-07-05&group_by=day");
    const created = report.body.data.rows.filter((row: { total: number }) => row.total > 0);
    expect(created).toMatchObject([{ from: "2023-07-01", to: "2023-07-01", total: 1 }]);
    const place = (await shop.app.get("/inventory/locations")).body.data[0].address;
    const zone = { zone_id: "DRY", temperature_zone: "ambient" };
    const tokyo = { name: "Tokyo", address: place, timezone: "Asia/Tokyo", priority: 900, location_zones: [zone] };
    const { warehouse_id } = (await shop.app.post("/inventory/locations", tokyo)).body.data;
    const row = rowOf({ ...sent, created_at: "2023-08-01", shipped_at: "2023-08-02", warehouse_id });
    const file = [[...columns, "warehouse_id"], [...columns, "warehouse_id"].map((name) => row[name] ?? "")];
    expect(await imports(file.map((cells) => cells.join(",")).join("\n"))).toMatchObject({ created: 1, errors: [] });
    expect(await byNumber(String(row["order_number"]))).toMatchObject({ created_at: "2023-07-31T15:00:00.000Z" });
  });
});
