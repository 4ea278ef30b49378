// CSV uploads: concurrency limits, encodings, and their effect on other requests.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { csvLine } from "../../src/core/csv.ts";
import type { CsvColumn } from "../../src/core/csv_columns.ts";
import { csvColumnsOf } from "../../src/core/resource.ts";
import { stockColumns } from "../../src/inventory/stock/stock_csv.schema.ts";
import { orderColumns } from "../../src/orders/csv/order_csv.schema.ts";
import { pastColumns } from "../../src/orders/csv/past_order_csv.schema.ts";
import { productFields } from "../../src/products/product.resource.ts";
import { openApp } from "../build/service.ts";

setDefaultTimeout(60_000);
const waits: number[] = [];
const app = await openApp({ waitFor: (_, seconds) => waits.push(seconds) });

const send = (path: string, body: string, type = "text/csv") =>
  app.call("POST", path, body, { headers: { "content-type": type } });
const many = (rows: number, at = 0) =>
  `sku,name\n${Array.from({ length: rows }, (_, row) => `F-${at}-${row},Cup`).join("\n")}`;

describe("works", () => {
  test("other requests are served while a file is being imported", async () => {
    let is_done = false;
    const sent = send("/products/import", many(2000)).finally(() => {
      is_done = true;
    });
    let answered = 0;
    while (!is_done) {
      expect((await app.get("/products?limit=1")).status).toBe(200);
      answered += 1;
      // As with a real connection, each request arrives in its own turn of the event loop.
      await new Promise(setImmediate);
    }
    expect((await sent).body.data).toMatchObject({ rows: 2000, created: 2000 });
    // At least once between any two transactions.
    expect(answered).toBeGreaterThan(40);
  });

  test("the examples in the documentation can be imported", async () => {
    const example = (columns: readonly CsvColumn[], without: readonly string[] = []) => {
      const told = columns.filter(({ name, export_only }) => !export_only && !without.includes(name));
      return csvLine(told.map(({ name }) => name)) + csvLine(told.map(({ example }) => example));
    };
    const productColumns = csvColumnsOf(productFields);
    const products = await send("/products/import", example(productColumns, ["components"]));
    expect(products.body.data).toMatchObject({ created: 1, errors: [] });
    const parts = productColumns.find(({ name }) => name === "components")?.example ?? "";
    const bundle = csvLine(["sku", "name", "type", "components"]) + csvLine(["SET", "Set", "bundle", parts]);
    await send("/products/import", "sku,name\nCUP-12,Cup");
    expect((await send("/products/import", bundle)).body.data).toMatchObject({ created: 1, errors: [] });
    expect((await send("/inventory/import", example(stockColumns))).body.data).toMatchObject({
      created: 1,
      errors: [],
    });
    expect((await send("/orders/import", example(orderColumns))).body.data).toMatchObject({ created: 1, errors: [] });
    // An order was either delivered or cancelled, so its line has either a shipped or a cancelled quantity.
    const delivered = example(pastColumns, ["cancelled_at", "cancel_reason", "quantity_cancelled"]);
    const past = delivered.replace("\r\n1001,", "\r\n1002,");
    expect((await send("/orders/import?history=true", past)).body.data).toMatchObject({ created: 1, errors: [] });
  });

  test("an export can start with a byte order mark, and can be imported with it", async () => {
    const { keys, app: handler } = app;
    const headers = { authorization: `Bearer ${keys.live.full}` };
    const path = "http://packhouse.test/v1/products/export.csv";
    const bytes = await (await handler.handle(new Request(`${path}?bom=true`, { headers }))).bytes();
    const plain = await (await handler.handle(new Request(path, { headers }))).bytes();
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(Buffer.from(bytes.subarray(3)).equals(Buffer.from(plain))).toBe(true);
    const again = await send("/products/import", new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
    expect(again.body.data).toMatchObject({ created: 0, updated: 0, failed: 0 });
  });
});

describe("refuses", () => {
  test("more concurrent files than can be queued, before reading them; queued files are imported", async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => send("/products/import", many(200, at + 1))),
    );
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBe(4);
    for (const { body, headers } of refused) {
      expect([body.error.code, headers.get("retry-after")]).toEqual(["unavailable", "10"]);
    }
    const taken = answers.filter(({ status }) => status === 200);
    expect(taken.map(({ body }) => body.data.created)).toEqual(Array(8).fill(200));
    expect((await send("/products/import", many(1, 99))).status).toBe(200);
  });

  test("files that take longer than two minutes to arrive, so that they do not block the queue", async () => {
    const headers = { authorization: `Bearer ${app.keys.live.full}`, "content-type": "text/csv" };
    const url = "http://packhouse.test/v1/products/import";
    waits.length = 0;
    const bodies: ReadableStreamDefaultController<Uint8Array>[] = [];
    const answers = Array.from({ length: 8 }, () => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(Buffer.from("sku,name\nSLOW,"));
          bodies.push(controller);
        },
      });
      return app.app.handle(new Request(url, { method: "POST", headers, body }));
    });
    while (waits.length < 8) await new Promise(setImmediate);
    expect((await send("/products/import", many(1))).status).toBe(503);
    for (const body of bodies) body.error(new Error("the connection was closed"));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(8).fill(400));
    expect(waits).toEqual(Array(8).fill(120));
    expect((await send("/products/import", many(1, 98))).status).toBe(200);
    // Once it has arrived, processing has no time limit.
    expect(waits.slice(8)).toEqual([120, 0]);
  });

  test("more rows than the maximum, before anything is written, and unknown encodings", async () => {
    const rows = await send("/products/import", `sku,name\nFIRST,One\n${"A,B\n".repeat(100_000)}`);
    expect([rows.status, rows.body.error.details[0].code]).toEqual([422, "too_many"]);
    expect((await app.get("/products?sku=FIRST")).body.data).toEqual([]);
    const unknown = await send("/products/import", "sku,name\nA,B", "text/csv; charset=koi8-r");
    expect([unknown.status, unknown.body.error.code]).toEqual([415, "unsupported_media_type"]);
  });
});
