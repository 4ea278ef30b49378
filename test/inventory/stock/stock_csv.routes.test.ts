import { beforeEach, describe, expect, test } from "bun:test";
import { openApp } from "../../build/service.ts";

const app = await openApp();
const main = (await app.get("/inventory/locations")).body.data[0].warehouse_id;
const address = {
  name: "West",
  address_line1: "1 Bay",
  city: "Reno",
  state: "NV",
  postal_code: "89501",
  country: "US",
};
const location_zones = [{ zone_id: "A", temperature_zone: "ambient", bins: [{ code: "W-01" }] }];
const made = await app.post("/inventory/locations", { name: "West", address, location_zones });
const west = made.body.data.warehouse_id;
for (const sku of ["RICE", "TEA", "SALT", "OIL"]) await app.product(sku);
await app.product("MILK", { lot_tracking: true, expiration_tracking: true });
beforeEach(async () => {
  await app.takeEvents();
});

const asCsv = { "content-type": "text/csv" };
const imports = (text: string) => app.call("POST", "/inventory/import", text, { headers: asCsv });

describe("works", () => {
  test("counted quantities are on hand afterwards, and a second import changes nothing", async () => {
    await app.stock("RICE", 9, { location: main });
    await app.stock("RICE", 4, { location: west });
    await app.takeEvents();
    const file = [
      "sku,location,bin,lot_number,expiration_date,quantity",
      `RICE,${main},A-01,,,12`,
      `RICE,${west},W-01,,,0`,
      `RICE,${west},W-02,,,3`,
      `MILK,${main},,L-1,2026-03-01,5`,
      `MILK,${main},,L-2,2026-04-01,6`,
    ].join("\n");
    const { status, body } = await imports(file);
    expect([status, body.data]).toEqual([
      200,
      { rows: 5, created: 3, updated: 2, unchanged: 0, failed: 0, errors: [] },
    ]);
    const rice = await app.stockOf("RICE");
    expect(rice).toMatchObject({ on_hand: 15, available: 15 });
    expect(rice.locations).toMatchObject([
      { location: "A-01", quantity: 12 },
      { location: "W-02", quantity: 3 },
    ]);
    expect((await app.stockOf("MILK")).lots).toMatchObject([
      { lot_number: "L-1", quantity: 5, expiration_date: "2026-03-01T23:59:59.999Z" },
      { lot_number: "L-2", quantity: 6 },
    ]);
    expect(await app.takeStockEvents()).toEqual(["inventory.updated RICE", "inventory.updated MILK"]);
    const { data: moved } = (await app.get("/inventory/movements?sku=RICE&type=adjustment")).body;
    const moves = moved.map((row: { reason: string; quantity: number; to_location: string }) => [
      row.reason,
      row.quantity,
      row.to_location,
    ]);
    expect(moves).toEqual([
      ["stock_count", 3, "W-02"],
      ["stock_count", 4, "write_off"],
      ["stock_count", 3, "A-01"],
    ]);
    expect((await imports(file)).body.data).toMatchObject({ created: 0, updated: 0, unchanged: 5, failed: 0 });
    expect(await app.takeStockEvents()).toEqual([]);
    await app.expectVerified();
  });

  test("an export can be imported and changes nothing", async () => {
    const exported = await app.get("/inventory/export.csv");
    expect(exported.headers.get("content-type")).toContain("text/csv");
    expect(exported.body).toContain(`MILK,${main},A-01,L-1,2026-03-01T23:59:59.999Z,`);
    const again = (await imports(exported.body)).body.data;
    expect(again).toMatchObject({ created: 0, updated: 0, unchanged: again.rows, failed: 0 });
    expect(await app.takeStockEvents()).toEqual([]);
    expect((await app.get("/inventory/export.csv")).body).toBe(exported.body);
  });

  test("picked units are in the file until they ship, and the file can still be imported", async () => {
    const { id } = await app.product("CHAI");
    await imports(`sku,location,bin,quantity\nCHAI,${main},A-01,5\nCHAI,${west},W-01,4`);
    const place = { address_line1: "1 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
    const customer = await app.post("/customers", { email: "tea@example.com", shipping_addresses: [place] });
    const { id: customer_id, shipping_addresses } = customer.body;
    const terms = { customer_id, shipping_address_id: shipping_addresses[0].id, warehouse_id: main };
    const line_items = [{ product_id: id, quantity: 3, unit_price: 1 }];
    const { data: order } = (await app.post("/orders", { ...terms, order_number: "CHAI-1", line_items })).body;
    for (const act of ["process", "pick"]) expect((await app.post(`/orders/${order.id}/${act}`, {})).status).toBe(200);
    await app.takeEvents();
    const staging = `STAGING-${order.id}`;
    const file: string = (await app.get("/inventory/export.csv")).body;
    const chai = file.split("\r\n").flatMap((line) => {
      const [sku, location, bin, , , , quantity] = line.split(",");
      return sku === "CHAI" ? [[location, bin, quantity]] : [];
    });
    expect(chai.sort()).toEqual(
      [
        [main, "A-01", "2"],
        [main, staging, "3"],
        [west, "W-01", "4"],
      ].sort(),
    );
    const again = (await imports(file)).body.data;
    expect(again).toMatchObject({ created: 0, updated: 0, unchanged: again.rows, failed: 0 });
    // Units in staging are reserved for their order: a file cannot count them.
    const counted = (await imports(`sku,location,bin,quantity\nCHAI,${main},${staging},2`)).body.data;
    expect(counted).toMatchObject({ failed: 1, errors: [{ line: 2, name: "CHAI", field: "bin" }] });
    expect(await app.takeStockEvents()).toEqual([]);
    await app.expectVerified();
  });

  test("lost reserved units are reserved from other stock, and backorders get additional units", async () => {
    await imports(`sku,location,bin,quantity\nTEA,${main},A-01,5\nTEA,${west},W-01,5`);
    const reserve = { order_id: "EXT-1", items: [{ sku: "TEA", quantity: 5 }] };
    expect((await app.post("/inventory/reserve", reserve)).status).toBe(201);
    await app.takeEvents();
    const { body } = await imports(`sku,location,bin,quantity\nTEA,${main},A-01,2`);
    expect(body.data).toMatchObject({ updated: 1, failed: 0 });
    expect(await app.stockOf("TEA")).toMatchObject({ on_hand: 7, reserved: 5, available: 2 });
    expect(await app.takeStockEvents()).toEqual(["inventory.updated TEA"]);
    await app.expectVerified();
  });

  test("a bad row is reported by line and affects no others, and leaves no bin or lot behind", async () => {
    await imports(`sku,location,bin,quantity\nSALT,${main},A-01,5`);
    await app.post("/inventory/reserve", { order_id: "EXT-2", items: [{ sku: "SALT", quantity: 4 }] });
    await app.takeEvents();
    const file = [
      "sku,location,bin,lot_number,expiration_date,received_date,quantity",
      `OIL,${main},A-01,,,,7`,
      `NONE,${main},A-01,,,,7`,
      `OIL,whs_99,A-01,,,,7`,
      "OIL,,A-01,,,,7",
      `OIL,${main},A-02,,,,-1`,
      `OIL,${main},A-02,,,,many`,
      `OIL,${main},A-02,,2026-09-01,,1`,
      `OIL,${main},A-02,,,2030-01-01,1`,
      `MILK,${main},A-02,,,,1`,
      `MILK,${main},A-02,L-9,,,1`,
      `MILK,${main},STAGING-x,L-8,2026-09-01,,1`,
      `MILK,${main},A-01,L-1,2026-09-01,,1`,
      `OIL,${main},,,,,9`,
      `SALT,${main},A-01,,,,3`,
      `OIL,${west},W-01,,,,2`,
      `OIL,${west},NO-BIN,,,,0`,
    ].join("\n");
    const { errors, ...counts } = (await imports(file)).body.data;
    expect(counts).toEqual({ rows: 16, created: 2, updated: 0, unchanged: 1, failed: 13 });
    const said = errors.map(({ line, field }: { line: number; field: string }) => `${line} ${field}`);
    expect(said).toEqual([
      "3 sku",
      "4 location",
      "5 location",
      "6 quantity",
      "7 quantity",
      "8 lot_number",
      "9 received_date",
      "10 lot_number",
      "11 expiration_date",
      "12 bin",
      "13 expiration_date",
      "14 sku",
      "15 null",
    ]);
    expect(errors.at(-1).message).toContain("EXT-2");
    expect(await app.takeStockEvents()).toEqual(["inventory.updated OIL", "inventory.updated OIL"]);
    expect(await app.stockOf("OIL")).toMatchObject({ on_hand: 9 });
    expect(await app.stockOf("SALT")).toMatchObject({ on_hand: 5, reserved: 4 });
    const { data: warehouses } = (await app.get("/inventory/locations")).body;
    expect(JSON.stringify(warehouses)).not.toContain("A-02");
    expect(JSON.stringify(warehouses)).not.toContain("NO-BIN");
    expect((await app.stockOf("MILK")).lots.map((lot: { lot_number: string }) => lot.lot_number)).toEqual([
      "L-1",
      "L-2",
    ]);
    await app.expectVerified();
  });
});

describe("a dry run", () => {
  const tries = (text: string) => app.call("POST", "/inventory/import?dry_run=true", text, { headers: asCsv });
  const seen = async () => [
    (await app.get("/inventory/export.csv")).body,
    (await app.get("/inventory/movements?limit=1")).body.data,
    JSON.stringify((await app.get("/inventory/locations")).body.data),
    (await app.get("/inventory/lots")).body.data,
  ];

  test("reports each row's changes and changes nothing, and the import does exactly that", async () => {
    await imports(`sku,location,bin,quantity\nRICE,${main},A-01,12`);
    const before = await seen();
    await app.takeStockEvents();
    const file = [
      "sku,location,bin,lot_number,expiration_date,quantity",
      `RICE,${main},A-01,,,7`,
      `RICE,${main},NEW-1,,,3`,
      `MILK,${main},,L-77,2026-05-01,5`,
      `MILK,${main},NEW-2,L-77,2026-06-01,5`,
      `RICE,${main},NEW-1,,,9`,
      `TEA,${main},GONE,,,0`,
      `NONE,${main},,,,1`,
    ].join("\n");
    const { status, body } = await tries(file);
    expect(status).toBe(200);
    const { changes, dry_run, ...report } = body.data;
    expect([dry_run, changes[0]]).toEqual([
      true,
      { line: 2, name: "RICE", change: "updated", fields: [{ field: "quantity", from: 12, to: 7 }] },
    ]);
    expect(changes[1]).toMatchObject({ line: 3, change: "created" });
    expect(changes[1].fields).toContainEqual({ field: "bin", from: null, to: "NEW-1" });
    expect(changes[1].fields).toContainEqual({ field: "quantity", from: null, to: 3 });
    expect(changes.map(({ line }: { line: number }) => line)).toEqual([2, 3, 4]);
    expect(await seen()).toEqual(before);
    expect(await app.takeStockEvents()).toEqual([]);
    expect((await imports(file)).body.data).toEqual(report);
  });

  test("of a long file considers earlier rows, as the import does", async () => {
    const rows: string[] = [];
    // The first row creates the lot that the last one contradicts, and that the second to last reserves from.
    rows.push(`MILK,${main},A-01,L-500,2026-07-01,4`, `SALT,${west},W-01,,,50`);
    for (let at = 0; at < 120; at += 1) rows.push(`OIL,${main},LONG-${at},,,${at + 1}`);
    rows.push(`SALT,${main},A-01,,,0`, `OIL,${main},LONG-3,,,8`, `MILK,${main},A-02,L-500,2026-08-01,4`);
    const file = ["sku,location,bin,lot_number,expiration_date,quantity", ...rows].join("\n");
    const { changes, dry_run: _, ...report } = (await tries(file)).body.data;
    const lines = report.errors.map(({ line, field }: { line: number; field: string }) => `${line} ${field}`);
    expect(lines).toEqual(["125 sku", "126 expiration_date"]);
    expect(changes.length).toBe(report.created + report.updated);
    expect((await imports(file)).body.data).toEqual(report);
    await app.expectVerified();
  });
});

describe("refuses", () => {
  test("a file without required columns, and JSON", async () => {
    const { status, body } = await imports("sku,location\nRICE,1");
    expect([status, body.error.code, body.error.details[0].field]).toEqual([422, "validation_failed", "quantity"]);
    expect((await app.post("/inventory/import", {})).status).toBe(415);
    expect(await app.takeStockEvents()).toEqual([]);
  });
});
