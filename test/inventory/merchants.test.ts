// Two merchants in one warehouse with the same SKU, lot and order numbers: the owner of stock, and the bins that
// merchants do not see.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { buyerOf } from "../build/buyer.ts";
import { openTestApp } from "../build/service.ts";
import { fieldsOf, outcomeOf } from "../build/shop.ts";

const house = "whs_1001";
const [acme, bolt] = ["mer_1001", "mer_1002"];

let acme_key: string;
const app = await openTestApp();
beforeAll(async () => {
  for (const code of ["ACME", "BOLT"]) await done("POST", "/merchants", { code, name: code });
  acme_key = (await done("POST", "/keys", { name: "shop", permission: "full", merchant_id: "ACME" })).key;
  for (const owner of ["ACME", "BOLT"])
    await done("POST", "/products", { sku: "TEA", name: "Tea", lot_tracking: true }, owner);
  await done("POST", "/products", { sku: "CUP", name: "Cup" }, "ACME");
  await done("POST", "/products", { sku: "POT", name: "Pot" }, "BOLT");
  await add("ACME", "TEA", 20, "A-10", "L-1");
  await add("BOLT", "TEA", 30, "B-10", "L-1");
  await add("ACME", "CUP", 10, "A-20");
  await add("BOLT", "POT", 10, "B-20");
  await app.takeEvents();
});
afterAll(async () => {
  expect(await strangers()).toEqual([]);
  await app.close();
});

/** Sends a request as the operator, for a merchant if one is named. It must succeed. */
const done = (method: string, path: string, body: unknown = {}, merchant?: string) =>
  app.must(method, path, body, { merchant });

async function refused(method: string, path: string, body?: unknown, merchant?: string) {
  await app.takeEvents();
  const answer = await app.call(method, path, body, { merchant });
  expect(await app.takeEvents()).toEqual([]);
  return [...outcomeOf(answer), ...fieldsOf(answer)];
}

/** The response to a key of ACME. */
const told = async (path: string, method = "GET", body?: unknown) => app.call(method, path, body, { key: acme_key });

const add = (owner: string, sku: string, quantity: number, bin: string, lot_number?: string) =>
  done("POST", "/inventory", { sku, quantity, bin, lot_number, location: house }, owner);

const on_hand = async (sku: string, owner: string) =>
  (await done("GET", `/inventory/${sku}`, undefined, owner)).on_hand;

let number = 0;
/** An order of a merchant for a SKU. */
async function order(owner: string, sku: string, quantity: number, order_number = `S-${++number}`) {
  const must = (method: string, path: string, body?: object) => done(method, path, body, owner);
  return (await buyerOf(must, { email: `jane${++number}@example.com` })).order(order_number, [[sku, quantity]]);
}

/** Rows that belong to a different merchant from their record. */
async function strangers() {
  const pairs = [
    ["lots", "product_id", "products"],
    ["stock_items", "product_id", "products"],
    ["movements", "product_id", "products"],
    ["movements", "from_item_id", "stock_items"],
    ["movements", "to_item_id", "stock_items"],
    ["movements", "lot_id", "lots"],
    ["reservations", "order_id", "orders"],
    ["reservation_lines", "reservation_id", "reservations"],
    ["reservation_lines", "product_id", "products"],
    ["allocations", "reservation_line_id", "reservation_lines"],
    ["allocations", "stock_item_id", "stock_items"],
  ] as const;
  return app.service.stores.live.read(async (db) => {
    const found: unknown[] = [];
    for (const [child, column, parent] of pairs) {
      const [own, others] = [sql.identifier(child), sql.identifier(parent)];
      const joined = sql`${own} as c join ${others} as p on p.id = c.${sql.identifier(column)}`;
      const rows = await db.sql
        .select({ id: sql<number>`c.id` })
        .from(sql`${joined}`)
        .where(sql`c.merchant_id <> p.merchant_id`);
      found.push(...rows.map(({ id }) => `${child} ${id} by ${column}`));
    }
    return found;
  });
}

describe("works", () => {
  test("a SKU means the named merchant's, and each merchant has its own stock", async () => {
    expect([await on_hand("TEA", "ACME"), await on_hand("TEA", bolt)]).toEqual([20, 30]);
    const levels = await done("GET", "/inventory?sku=TEA");
    expect(levels.map((level: Record<string, unknown>) => [level["merchant_id"], level["on_hand"]])).toEqual([
      [acme, 20],
      [bolt, 30],
    ]);
    const lots = await done("GET", "/inventory/lots?lot_number=L-1&merchant=BOLT");
    expect(lots.map((lot: Record<string, unknown>) => [lot["merchant_id"], lot["quantity"]])).toEqual([[bolt, 30]]);
    const moved = await done("GET", "/inventory/movements?sku=TEA");
    expect(moved.map((one: Record<string, unknown>) => [one["merchant_id"], one["quantity"]])).toEqual([
      [bolt, 30],
      [acme, 20],
    ]);
  });

  test("a list of stock continues after a SKU that two merchants use", async () => {
    const seen: unknown[] = [];
    for (let path = "/inventory?limit=1"; path !== ""; ) {
      const { body } = await app.get(path);
      seen.push(...body.data.map((level: Record<string, unknown>) => [level["sku"], level["merchant_id"]]));
      const { next_cursor } = body.meta.pagination;
      path = next_cursor === null ? "" : `/inventory?limit=1&cursor=${next_cursor}`;
    }
    expect(seen).toEqual([
      ["CUP", acme],
      ["POT", bolt],
      ["TEA", acme],
      ["TEA", bolt],
    ]);
  });

  test("a reservation belongs to a merchant, and only that merchant's order adopts it", async () => {
    const items = [{ sku: "TEA", quantity: 2 }];
    const booked = await done("POST", "/inventory/reserve", { order_id: "N-7", items, merchant_id: "BOLT" });
    expect(booked.merchant_id).toBe(bolt);
    const own = await done("POST", "/inventory/reserve", { order_id: "N-7", items }, "ACME");
    const other = await order("ACME", "TEA", 2, "N-7");
    expect((await done("GET", `/inventory/reservations/${own.reservation_id}`)).order_id).toBe(other.id);
    expect((await done("GET", `/inventory/reservations/${booked.reservation_id}`)).order_id).toBe("N-7");
    expect((await done("GET", "/inventory/reservations?order_id=N-7&merchant=BOLT")).length).toBe(1);
    await done("POST", "/inventory/release", { reservation_id: booked.reservation_id });
    await done("DELETE", `/orders/${other.id}`);
    expect(
      await refused("POST", "/inventory/reserve", { order_id: "N-8", items: [{ sku: "POT", quantity: 1 }] }, "ACME"),
    ).toEqual([404, "resource_missing", "items[0].sku"]);
  });

  test("a receipt and its scanned units belong to the only merchant that has all SKUs", async () => {
    const lines = [
      { sku: "POT", quantity: 4 },
      { sku: "TEA", quantity: 5, lot_number: "L-2" },
    ];
    const receipt = await done("POST", "/inventory/receipts", { items: lines, location: house });
    expect(receipt.merchant_id).toBe(bolt);
    const items = [{ sku: "TEA", quantity: 5, bin: "B-10" }];
    await app.takeEvents();
    await done("POST", `/inventory/receipts/${receipt.id}/items`, { items });
    expect(await on_hand("TEA", "BOLT")).toBe(35);
    const events = await app.takeEvents();
    expect(events.map(({ type, data }) => [type, data["merchant_id"], data["sku"]])).toEqual([
      ["inventory.received", bolt, "TEA"],
      ["inventory.updated", bolt, "TEA"],
    ]);
    await done("POST", `/inventory/receipts/${receipt.id}/close`);
  });

  test("the stock in a bin determines the merchant of moved units, and a count sheet lists it", async () => {
    const moved = await done("POST", "/inventory/moves", {
      sku: "TEA",
      quantity: 3,
      bin: "B-10",
      lot_number: "L-1",
      to_bin: "B-11",
    });
    expect((await done("GET", `/inventory/movements?sku=TEA&bin=B-11`))[0]).toMatchObject({
      id: moved.movement_id,
      merchant_id: bolt,
    });
    const count = await done("POST", "/inventory/counts", { location: house, bins: ["A-10", "B-11"] });
    expect(
      count.items.map((line: Record<string, unknown>) => [line["merchant_id"], line["bin"], line["expected_quantity"]]),
    ).toEqual([
      [acme, "A-10", 20],
      [bolt, "B-11", 3],
    ]);
    const lines = [
      { sku: "TEA", bin: "B-11", quantity: 2 },
      { sku: "TEA", bin: "A-10", quantity: 20 },
    ];
    // The count is shared, however the operator filters its view.
    await done("POST", `/inventory/counts/${count.id}/items`, { items: lines }, "ACME");
    await done("POST", `/inventory/counts/${count.id}/review`, {}, "ACME");
    const posted = await done("POST", `/inventory/counts/${count.id}/post`, {}, "ACME");
    expect(posted.items.map((line: Record<string, unknown>) => line["difference"])).toEqual([0, -1]);
    expect([await on_hand("TEA", "ACME"), await on_hand("TEA", "BOLT")]).toEqual([20, 34]);
  });

  test("an order is allocated, picked, shipped and restocked from its merchant's stock only", async () => {
    const many = await order("ACME", "TEA", 25);
    expect((await done("GET", "/inventory/TEA", undefined, "ACME")).backordered).toBe(5);
    expect(await on_hand("TEA", "BOLT")).toBe(34);
    await done("DELETE", `/orders/${many.id}`);
    const few = await order("BOLT", "TEA", 4);
    await done("POST", `/orders/${few.id}/pick`);
    await done("DELETE", `/orders/${few.id}`);
    const waiting = await done("GET", `/inventory/putbacks?order_id=${few.id}`);
    for (const { merchant_id, quantity, lot_number } of waiting) {
      expect(merchant_id).toBe(bolt);
      await done("POST", "/inventory/putbacks", { order_id: few.id, sku: "TEA", quantity, lot_number, bin: "B-10" });
    }
    const sold = await order("BOLT", "TEA", 4);
    await done("POST", `/orders/${sold.id}/ship`);
    expect([await on_hand("TEA", "ACME"), await on_hand("TEA", "BOLT")]).toEqual([20, 30]);
  });
});

describe("hides bins from merchants", () => {
  const bins = /[AB]-\d\d|STAGE|"bin":"/;

  test("in stock, lots, movements, breakdowns, warehouses, transfers and files", async () => {
    await done("POST", "/inventory/moves", { sku: "TEA", quantity: 5, bin: "A-10", to_bin: "A-11" });
    for (const path of [
      "/inventory",
      "/inventory/TEA",
      "/inventory/TEA/explain",
      "/inventory/lots",
      "/inventory/movements",
      "/inventory/movements/export.csv",
      "/inventory/export.csv",
      "/inventory/locations",
      "/inventory/transfers",
      "/inventory/reservations",
      "/inventory/receipts",
    ]) {
      const { status, body } = await told(path);
      expect([path, status, bins.exec(JSON.stringify(body))?.[0]]).toEqual([path, 200, undefined]);
      expect([path, JSON.stringify(body).includes(bolt)]).toEqual([path, false]);
    }
    const { locations } = (await told("/inventory/TEA")).body.data;
    expect(locations).toEqual([
      { warehouse_id: house, location: house, kind: "storage", quantity: 20, temperature_zone: "ambient" },
    ]);
    expect(
      (await done("GET", "/inventory/TEA", undefined, "ACME")).locations.map(
        (one: { location: string }) => one.location,
      ),
    ).toEqual(["A-10", "A-11"]);
    const [zone] = (await told("/inventory/locations")).body.data[0].location_zones;
    expect([zone.bins, zone.capacity, zone.free, zone.used]).toEqual([[], null, null, 30]);
  });

  test("in warehouses and products that lists include", async () => {
    const [warehouse] = (await told("/inventory/locations")).body.data;
    const products = new Map((await told("/products")).body.data.map((one: { id: string }) => [one.id, one]));
    for (const path of ["/inventory/movements", "/billing/events", "/orders"]) {
      const { data } = (await told(`${path}?expand=warehouse&limit=100`)).body;
      const included = data.filter((one: { warehouse_id: string | null }) => one.warehouse_id !== null);
      expect(included.length > 0).toBe(path !== "/orders");
      for (const one of included) expect([path, one.warehouse]).toEqual([path, warehouse]);
    }
    const lots = (await told("/inventory/lots?expand=product")).body.data;
    expect(lots.length).toBeGreaterThan(0);
    for (const { product_id, product } of lots) expect(product).toEqual(products.get(product_id));
    const [shown] = await done("GET", "/inventory/movements?expand=warehouse&limit=1");
    expect(shown.warehouse).toEqual((await done("GET", "/inventory/locations"))[0]);
    expect(shown.warehouse.location_zones[0].used).toBeGreaterThan(warehouse.location_zones[0].used);
  });

  test("lists cannot be filtered by them", async () => {
    for (const path of [
      "/inventory?bin=A-10",
      "/inventory?zone=AMBIENT",
      "/inventory/movements?bin=A-10",
      "/inventory/movements/export.csv?bin=A-10",
    ]) {
      const { status, body } = await told(path);
      expect([path, status, body.error.code]).toEqual([path, 422, "validation_failed"]);
    }
  });

  test("stock events show the same as stock", async () => {
    await add("ACME", "CUP", 2, "A-21");
    await app.runJobs();
    const [event] = (await told("/events?type=inventory.received&sort=-created_at&limit=1")).body.data;
    expect(event.data.locations).toEqual((await told("/inventory/CUP")).body.data.locations);
    expect(event.data.received).toMatchObject({ warehouse_id: house, location: house, quantity: 2 });
    expect((await told(`/events/${event.id}`)).body.data).toEqual(event);
    for (const path of ["/events", "/events?type=inventory.updated"]) {
      expect([path, bins.exec(JSON.stringify((await told(path)).body))?.[0]]).toEqual([path, undefined]);
    }
    const { data } = await done("GET", `/events/${event.id}`);
    expect(data.received.location).toBe("A-21");
    expect(data.locations.map((one: { location: string }) => one.location)).toEqual(["A-20", "A-21"]);
    await app.takeEvents();
  });
});

describe("refuses", () => {
  test.each([
    ["GET", "/inventory/TEA", undefined],
    ["GET", "/inventory/TEA/explain", undefined],
    ["PATCH", "/inventory/TEA", { adjustment: 1, reason: "found" }],
    ["POST", "/inventory", { sku: "TEA", quantity: 1, lot_number: "L-1" }],
    ["POST", "/inventory/moves", { sku: "TEA", quantity: 1, to_bin: "A-11" }],
    ["POST", "/inventory/counts", { skus: ["TEA"] }],
    ["POST", "/inventory/reserve", { order_id: "N-9", items: [{ sku: "CUP", quantity: 1 }] }],
    ["POST", "/inventory/receipts", { items: [{ sku: "TEA", quantity: 1 }] }],
  ])("requests that may mean two merchants: %s %s", async (method, path, body) => {
    expect(await refused(method, path, body)).toEqual([422, "merchant_required"]);
  });

  test("stock of two merchants in one receipt, as unknown", async () => {
    const lines = [
      { sku: "CUP", quantity: 1 },
      { sku: "POT", quantity: 1 },
    ];
    expect(await refused("POST", "/inventory/receipts", { items: lines })).toEqual([
      404,
      "resource_missing",
      "items[1].sku",
    ]);
    expect(await refused("POST", "/inventory/receipts", { items: lines }, "BOLT")).toEqual([
      404,
      "resource_missing",
      "items[0].sku",
    ]);
  });

  test("stock that is not part of a receipt", async () => {
    const receipt = await done("POST", "/inventory/receipts", { items: [{ sku: "CUP", quantity: 1 }] });
    const scanned = await refused("POST", `/inventory/receipts/${receipt.id}/items`, {
      items: [{ sku: "POT", quantity: 1 }],
    });
    expect(scanned).toEqual([404, "resource_missing", "items[0].sku"]);
  });
});
