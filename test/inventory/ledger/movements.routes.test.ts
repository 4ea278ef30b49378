import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import { engine } from "../../../src/core/config.ts";
import { verifyInventory } from "../../../src/inventory/inventory_audit.sql.ts";
import { openTestApp, type TestApp } from "../../build/service.ts";
import { isLong } from "../../volume.ts";

let app: TestApp;
let main: string;
let west: string;

beforeEach(async () => {
  app = await openTestApp();
  const [place] = (await app.get("/inventory/locations")).body.data;
  main = place.warehouse_id;
  const { warehouse_id: _id, name: _name, ...rest } = place;
  west = (await app.post("/inventory/locations", { ...rest, name: "West", priority: 500 })).body.data.warehouse_id;
  for (const sku of ["A", "B"]) await app.product(sku);
  const minute = () => app.clocks.live.advance(60_000);
  await app.stock("A", 5, { location: main, bin: "S-1", reference: "PO-7" });
  minute();
  await app.stock("A", 6, { location: west, bin: "S-1", lot_number: "L1" });
  minute();
  await app.stock("B", 7, { location: main, bin: "S-2", notes: 'fragile, "as new"' });
  minute();
  await app.patch("/inventory/A", { adjustment: -2, reason: "damaged", location: main, bin: "S-1" });
  await app.takeEvents();
});
afterEach(async () => {
  expect(await app.service.stores.live.read(verifyInventory)).toEqual([]);
  expect(await app.takeEvents()).toEqual([]);
  await app.close();
});

describe("works", () => {
  test("the CSV file has a row for each movement and can be parsed back", async () => {
    const answer = await app.get("/inventory/movements/export.csv");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="movements.csv"');
    const rows = parse(answer.body, { columns: true, record_delimiter: "\r\n" }) as Record<string, string>[];
    expect(rows.map(({ quantity }) => quantity)).toEqual(["2", "7", "6", "5"]);
    const [listed] = (await app.get("/inventory/movements?sku=B")).body.data;
    expect(rows[1]).toEqual({
      id: listed.id,
      merchant_id: "mer_1",
      created_at: listed.created_at,
      sku: "B",
      type: "receipt",
      quantity: "7",
      warehouse_id: main,
      from_location: "",
      to_location: "S-2",
      bin: "S-2",
      balance_after: "7",
      lot_number: "",
      reason: "received",
      notes: 'fragile, "as new"',
      reference_type: "",
      reference_id: "",
      unit_cost: "",
      currency: "",
      pack_level: "",
      pack_quantity: "",
      pack_count: "",
      confirmed: "true",
      actor_type: "api_key",
      actor_id: listed.actor.id,
    });
    const none = await app.get(`/inventory/movements/export.csv?location=${west}&reason=lost`);
    expect(none.body.split("\r\n").length).toBe(2);
  });

  // On PostgreSQL in the long run only: to make more than a page of rows takes long.
  test.if(engine === "sqlite" || isLong)(
    "a file of several pages is complete and in order",
    async () => {
      const receive = (n: number) => app.post("/inventory", { sku: "B", quantity: n + 1, location: main, bin: "S-2" });
      for (let n = 0; n < 1100; n += 100) {
        await Promise.all(Array.from({ length: 100 }, (_, more) => receive(n + more)));
      }
      const { body } = await app.get("/inventory/movements/export.csv?sku=B");
      const rows = parse(body, { columns: true, record_delimiter: "\r\n" }) as { id: string; quantity: string }[];
      const ids = rows.map(({ id }) => Number(id.slice(4)));
      expect(ids.length).toBe(1101);
      expect(ids).toEqual(ids.toSorted((a, b) => b - a));
      await app.takeEvents();
    },
    120_000,
  );
});

describe("refuses", () => {
  test.each([
    ["type=gift", "type", "invalid_choice"],
    ["location=main", "location", "invalid_value"],
    ["created_after=2026-02-30", "created_after", "invalid_value"],
  ] as const)("to narrow by %p, for the list and for the file", async (query, field, code) => {
    for (const path of ["/inventory/movements", "/inventory/movements/export.csv"]) {
      const { status, body } = await app.get(`${path}?${query}`);
      expect([status, body.error.details[0].field, body.error.details[0].code]).toEqual([422, field, code]);
    }
  });

  test("a page of the file, which has none", async () => {
    expect((await app.get("/inventory/movements/export.csv?page=2")).status).toBe(422);
  });
});
