import { beforeEach, describe, expect, test } from "bun:test";
import { openApp, type TestApp } from "../../build/service.ts";
import { refusalOf } from "../../build/shop.ts";

let app: TestApp;
let warehouse: string;
beforeEach(async () => {
  app = await openApp();
  warehouse = (await app.get("/inventory/locations")).body.data[0].warehouse_id;
  for (const sku of ["A", "B"]) {
    await app.product(sku, { reorder_point: 4 });
    await app.stock(sku, 6);
  }
  await app.takeEvents();
});

const items = [
  { sku: "A", quantity: 1 },
  { sku: "B", quantity: 2 },
  { sku: "A", quantity: 2 },
];

describe("works", () => {
  test("stock is reserved, listed and released", async () => {
    const made = await app.post("/inventory/reserve", { order_id: "N-1", items });
    expect(made.status).toBe(201);
    const reservation = {
      reservation_id: "rsv_1001",
      merchant_id: "mer_1",
      order_id: "N-1",
      status: "reserved",
      items: [
        { sku: "A", quantity: 3, reserved_from: warehouse },
        { sku: "B", quantity: 2, reserved_from: warehouse },
      ],
      source: "api",
      priority: 0,
      expires_at: "2026-01-03T03:04:05.000Z",
      released_at: null,
      created_at: "2026-01-02T03:04:05.000Z",
    };
    expect(made.body.data).toEqual(reservation);
    expect(await app.takeStockEvents()).toEqual([
      "inventory.updated A",
      "inventory.low_stock A",
      "inventory.updated B",
    ]);
    expect((await app.get("/inventory/A")).body.data).toMatchObject({ available: 3, reserved: 3, total: 6 });
    expect((await app.get("/inventory/reservations?status=reserved&order_id=N-1")).body.data).toEqual([reservation]);
    expect((await app.get("/inventory/reservations?order_id=N-2")).body.data).toEqual([]);
    expect((await app.get("/inventory/reservations?sku=B")).body.data).toEqual([reservation]);
    expect((await app.get("/inventory/reservations?sku=C")).body.data).toEqual([]);
    expect((await app.get("/inventory/reservations/1001")).body.data).toEqual(reservation);

    const released = await app.post("/inventory/release", { reservation_id: 1001 });
    const answer = { reservation_id: "rsv_1001", status: "released", released_at: "2026-01-02T03:04:05.000Z" };
    expect([released.status, released.body.data]).toEqual([200, answer]);
    expect(await app.takeStockEvents()).toEqual(["inventory.updated A", "inventory.updated B"]);
    app.clocks.live.advance(1000);
    expect((await app.post("/inventory/release", { reservation_id: "rsv_1001" })).body.data).toEqual(answer);
    expect(await app.takeStockEvents()).toEqual([]);
    const [over] = (await app.get("/inventory/reservations?status=released")).body.data;
    expect(over.items).toEqual([
      { sku: "A", quantity: 3, reserved_from: null },
      { sku: "B", quantity: 2, reserved_from: null },
    ]);
  });

  test("units of one SKU may come from several warehouses", async () => {
    const { warehouse_id: _id, name: _name, ...rest } = (await app.get("/inventory/locations")).body.data[0];
    const west = (await app.post("/inventory/locations", { ...rest, name: "West", priority: 500 })).body.data
      .warehouse_id;
    await app.stock("A", 6, { location: west });
    const { body } = await app.post("/inventory/reserve", { order_id: "7", items: [{ sku: "A", quantity: 8 }] });
    expect(body.data.order_id).toBe("7");
    expect(body.data.items).toEqual([
      { sku: "A", quantity: 6, reserved_from: warehouse },
      { sku: "A", quantity: 2, reserved_from: west },
    ]);
  });

  test("a reservation shows as expired when its time has come", async () => {
    const expires_at = "2026-01-02T04:00:00Z";
    const { body } = await app.post("/inventory/reserve", { order_id: "N-1", items, expires_at });
    expect(body.data.expires_at).toBe("2026-01-02T04:00:00.000Z");
    app.clocks.live.advance(3_600_000);
    expect((await app.get("/inventory/reservations?status=expired")).body.data.length).toBe(1);
    expect((await app.get("/inventory/reservations?status=reserved")).body.data).toEqual([]);
    const late = await app.post("/inventory/release", { reservation_id: body.data.reservation_id });
    expect([late.status, late.body.error.code]).toEqual([409, "reservation_closed"]);
    expect((await app.post("/inventory/reserve", { order_id: "N-2", items: [{ sku: "A", quantity: 6 }] })).status).toBe(
      201,
    );
  });
});

describe("an extension", () => {
  const book = async (fields: object = {}) =>
    (await app.post("/inventory/reserve", { order_id: "N-1", items, ...fields })).body.data.reservation_id as string;
  const extend = (id: string, expires_at: string) => app.post(`/inventory/reservations/${id}/extend`, { expires_at });

  test("prolongs a reservation and emits nothing", async () => {
    const id = await book({ expires_at: "2026-01-02T04:00:00Z" });
    await app.takeStockEvents();
    const { status, body } = await extend(id, "2026-01-02T06:00:00Z");
    expect([status, body.data.expires_at]).toEqual([200, "2026-01-02T06:00:00.000Z"]);
    expect((await extend(id, "2026-01-02T06:00:00Z")).body.data).toEqual(body.data);
    expect((await app.get(`/inventory/reservations/${id}`)).body.data).toEqual(body.data);
    app.clocks.live.advance(2 * 3_600_000);
    await app.runJobs();
    expect((await app.get(`/inventory/reservations/${id}`)).body.data.status).toBe("reserved");
    expect(await app.takeStockEvents()).toEqual([]);
    app.clocks.live.advance(3_600_000);
    await app.runJobs();
    expect((await app.get(`/inventory/reservations/${id}`)).body.data.status).toBe("expired");
    expect(await app.takeStockEvents()).toEqual(["inventory.updated A", "inventory.updated B"]);
  });

  test("is refused for an invalid, past, earlier or too distant time", async () => {
    const id = await book();
    await app.takeStockEvents();
    for (const at of ["2026-01-02T03:04:05Z", "2026-01-02T12:00:00Z", "2026-02-02", "soon"]) {
      const { status, body } = await extend(id, at);
      expect([at, status, body.error.details[0].field]).toEqual([at, 422, "expires_at"]);
    }
    expect(await app.takeStockEvents()).toEqual([]);
  });

  test("is refused for ended, committed and unknown reservations", async () => {
    const released = await book();
    await app.post("/inventory/release", { reservation_id: released });
    const late = await book({ expires_at: "2026-01-02T03:05:00Z" });
    app.clocks.live.advance(60_000);
    await app.takeStockEvents();
    const refusal = async (id: string) => {
      const { status, body } = await extend(id, "2026-01-04");
      return [status, body.error.code];
    };
    expect(await refusal(released)).toEqual([409, "reservation_closed"]);
    expect(await refusal(late)).toEqual([409, "reservation_closed"]);
    expect(await refusal("rsv_9")).toEqual([404, "resource_missing"]);
    expect((await app.get("/inventory/reservations/rsv_9")).status).toBe(404);
    expect((await app.get("/inventory/reservations/none")).status).toBe(404);
    expect(await app.takeStockEvents()).toEqual([]);
  });
});

describe("refuses", () => {
  test("inactive products, as orders do", async () => {
    const { id } = (await app.get("/products?sku=A")).body.data[0];
    await app.patch(`/products/${id}`, { status: "inactive" });
    const { status, body } = await app.post("/inventory/reserve", { order_id: "N-1", items });
    expect([status, body.error.details.map(({ field }: { field: string }) => field)]).toEqual([
      422,
      ["items[0].sku", "items[2].sku"],
    ]);
    expect(body.error.details[0]).toMatchObject({ code: "inactive", message: "is inactive" });
    expect(await app.takeStockEvents()).toEqual([]);
  });

  test("the whole reservation if some SKUs are short, and names them all", async () => {
    const wanted = [
      { sku: "A", quantity: 5 },
      { sku: "B", quantity: 7 },
      { sku: "A", quantity: 4 },
    ];
    const { status, body } = await app.post("/inventory/reserve", { order_id: "N-1", items: wanted });
    expect([status, body.error.code]).toEqual([409, "insufficient_inventory"]);
    const by_warehouse = [{ warehouse_id: warehouse, available: 6 }];
    expect(body.error.shortages).toEqual([
      { sku: "A", requested: 9, available: 6, by_warehouse },
      { sku: "B", requested: 7, available: 6, by_warehouse },
    ]);
    expect(await app.takeStockEvents()).toEqual([]);
    expect((await app.get("/inventory/reservations")).body.data).toEqual([]);
  });

  test.each([
    ["no items", { order_id: "N-1", items: [] }, "422 validation_failed items"],
    ["no order", { items }, "422 validation_failed order_id"],
    ["an unknown SKU", { order_id: "N", items: [{ sku: "X", quantity: 1 }] }, "404 resource_missing items[0].sku"],
    ["a time that is past", { order_id: "N", items, expires_at: "2026-01-02" }, "422 validation_failed expires_at"],
    ["a time too far off", { order_id: "N", items, expires_at: "2026-02-02" }, "422 validation_failed expires_at"],
    ["an unknown warehouse", { order_id: "N", items, location: "whs_9" }, "404 resource_missing location"],
  ] as const)("to reserve for %s", async (_name, body, refusal) => {
    const answer = await app.post("/inventory/reserve", body);
    expect(refusalOf(answer)).toBe(refusal);
    expect(await app.takeStockEvents()).toEqual([]);
  });

  test("to release an unknown reservation", async () => {
    const answer = await app.post("/inventory/release", { reservation_id: "rsv_9" });
    expect([answer.status, answer.body.error.code]).toEqual([404, "resource_missing"]);
  });
});
