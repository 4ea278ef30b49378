// Files as spreadsheets write them: unambiguous values are imported, ambiguous and damaged ones are refused.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Answered, openApp } from "../build/service.ts";

setDefaultTimeout(60_000);
const app = await openApp();
await app.product("CUP");

const send = async (path: string, file: string, query: Record<string, string> = {}): Promise<Answered["body"]> => {
  const text = new URLSearchParams(query).toString();
  const headers = { "content-type": "text/csv" };
  const { status, body } = await app.call("POST", `${path}${text && `?${text}`}`, file, { headers });
  return { status, ...body.data, error: body.error };
};
const products = (file: string, query = {}) => send("/products/import", file, query);
const stock = (file: string, query = {}) => send("/inventory/import", file, query);
const orders = (file: string, query = {}) => send("/orders/import", file, query);
const product = async (sku: string) => (await app.get(`/products?sku=${encodeURIComponent(sku)}`)).body.data[0];
const onHand = async (sku: string) => (await app.get(`/inventory/${sku}`)).body.data.on_hand;
const order = async (number: string) => (await app.get(`/orders?order_number=${number}`)).body.data[0];
const past = "status,created_at,shipped_at,delivered_at";
const place = "1 Elm St,Portland,OR,97201,US";
const head = "order_number,customer_email,address_line1,city,state,postal_code,country,sku,quantity,unit_price";

describe("numbers that two conventions read differently", () => {
  test("are refused in a stock count without loss; a declared separator decides", async () => {
    expect(await stock("sku;quantity\nCUP;1000")).toMatchObject({ created: 1, failed: 0 });
    const { errors, ...counts } = await stock("sku;quantity\nCUP;1.000");
    expect(counts).toMatchObject({ status: 200, updated: 0, failed: 1 });
    expect(errors).toEqual([{ line: 2, name: "CUP", field: "quantity", message: expect.any(String) }]);
    expect(errors[0].message).toStartWith("is 1.000, which can mean 1000 or 1. Declare the file's decimal separator");
    expect(errors[0].message).toContain("decimal=,");
    expect(errors[0].message).toContain("--decimal");
    expect(await onHand("CUP")).toBe(1000);
    expect(await stock("sku;quantity\nCUP;1.000", { decimal: "," })).toMatchObject({ unchanged: 1, failed: 0 });
    expect(await stock("sku;quantity\nCUP;1,000", { decimal: "." })).toMatchObject({ unchanged: 1, failed: 0 });
    expect(await stock("sku;quantity\nCUP;2.000,0", { decimal: "," })).toMatchObject({ updated: 1, failed: 0 });
    expect(await onHand("CUP")).toBe(2000);
    expect(await stock("sku;quantity\nCUP;1.000", { decimal: "." })).toMatchObject({ updated: 1, failed: 0 });
    expect(await onHand("CUP")).toBe(1);
    expect(await stock("sku;quantity\nCUP;1,5", { decimal: "," })).toMatchObject({
      failed: 1,
      errors: [{ field: "quantity", message: "must be an integer" }],
    });
  });

  // Price cells in an otherwise unambiguous file, with their value under each declaration; null is refused.
  test.each([
    ["12,50", null, 12.5, null],
    ["261,96", null, 261.96, null],
    ["1,000", null, 1, 1000],
    ["1.000", null, 1000, 1],
    ["12.500", null, 12500, 12.5],
    ["1,000.50", null, null, 1000.5],
    ["1.000,50", null, 1000.5, null],
    ["1.000.000", null, 1000000, null],
    ["1 000", null, 1000, 1000],
    ["1'000,5", null, 1000.5, null],
    ["12.50", 12.5, null, 12.5],
    ["0.125", null, null, null],
    [".5", 0.5, null, 0.5],
    [",5", null, 0.5, null],
    ["7", 7, 7, 7],
  ])("a price of %s", async (cell, undeclared, comma, point) => {
    for (const [decimal, expected] of [
      ["", undeclared],
      [",", comma],
      [".", point],
    ] as const) {
      const sku = `P-${cell}-${decimal}`;
      const file = `sku;name;price\nOTHER;Other;4.90\n${sku};Price;"${cell}"`;
      const report = await products(decimal === "," ? file.replace("4.90", "4,90") : file, decimal ? { decimal } : {});
      expect([cell, decimal, report.failed]).toEqual([cell, decimal, expected === null ? 1 : 0]);
      expect((await product(sku))?.price ?? null).toBe(expected);
      if (expected === null) expect(report.errors).toMatchObject([{ line: 3, name: sku, field: "price" }]);
    }
  });

  test("a file with decimal commas is refused with what to declare, and imported once that is declared", async () => {
    const file = "sku;name;price;weight;weight_unit\nCOMMA-1;Tasse;12,50;0,35;kg\n";
    const { errors, ...counts } = await products(file);
    expect(counts).toMatchObject({ created: 0, failed: 1 });
    expect(errors.map(({ field }: Answered["body"]) => field)).toEqual(["price", "weight"]);
    expect(errors[0].message).toStartWith("is 12,50, where the comma can separate decimals or thousands.");
    expect(errors[0].message).toContain("decimal=,");
    expect(await products(file, { decimal: "," })).toMatchObject({ created: 1, failed: 0 });
    expect(await product("COMMA-1")).toMatchObject({ price: 12.5, weight: 0.35 });
    expect(await products(file, { decimal: ";" })).toMatchObject({ status: 422, error: { code: "validation_failed" } });
  });

  test("are refused in new and past orders, in rate cards and in weights", async () => {
    const row = (number: string, rest: string) => `${number},n@example.com,${place},${rest}`;
    const taken = await orders([head, row("N-1", 'CUP,"1,000",2'), row("N-2", "CUP,1,1.000")].join("\n"));
    expect(taken).toMatchObject({ created: 0, failed: 2, errors: [{ field: "quantity" }, { field: "unit_price" }] });
    const dates = "delivered,2025-01-01,2025-01-02,2025-01-03";
    const file = `${head},${past}\n${row("N-3", `CUP,1.000,"2,50",${dates}`)}`;
    expect(await orders(file, { history: "true" })).toMatchObject({
      failed: 1,
      errors: [{ field: "quantity" }, { field: "unit_price" }],
    });
    expect(await orders(file, { history: "true", decimal: "," })).toMatchObject({ created: 1, failed: 0 });
    expect(await order("N-3")).toMatchObject({ subtotal: 2500 });
    const { id } = (await app.get("/shipping/rate_cards?limit=1")).body.data[0];
    const prices = `/shipping/rate_cards/${id}/import`;
    const card = await send(prices, 'zone;up_to_pounds;price\n*;1;"9,95"\n*;;1');
    expect([card.status, card.error.details[0]]).toMatchObject([422, { field: "line 2, price" }]);
    expect((await send(prices, 'zone;up_to_pounds;price\n*;1;"9,95"\n*;;1', { decimal: "," })).prices).toMatchObject([
      { price: 9.95 },
      { price: 1 },
    ]);
    const weight = await products("sku,name,weight,weight_unit\nW-1,A,1.125,kg\nW-2,B,0.125,kg\nW-3,C,1.1250,kg");
    expect(weight).toMatchObject({ created: 2, failed: 1, errors: [{ line: 2, field: "weight" }] });
  });

  test("are never written by an export, so it can be imported again", async () => {
    expect((await product("W-3")).weight).toBe(1.125);
    const file: string = (await app.get("/products/export.csv")).body;
    expect(file).toMatch(/^W-3,.*,1\.1250,kg/m);
    const again = await products(file);
    expect(again).toMatchObject({ updated: 0, failed: 0, unchanged: again.rows });
  });
});

describe("an unambiguous file", () => {
  test.each([
    [
      "a leading point",
      "sku,name,weight,weight_unit,length,width,height,dimension_unit\nBEANIE,Beanie,.2,lb,4,5,.5,in",
    ],
    ["a line that declares the separator", "sep=;\nsku;name;price\nSEP-1;A;1.00"],
    ["a row without its last cells", "sku,name,price,description,status\nSHORT-1,A,1.00"],
    ["a row with more empty cells", "sku,name,price\nLONG-1,A,1.00,,"],
    ["names in any case", "SKU,Name,Price\nCASE-1,A,1.00"],
    ["names with blanks and dashes", " Sku ,NAME,Weight Unit,weight,Country-of Origin\nBLANK-1,A,kg,1,FR"],
  ])("%s is read", async (_, file) => {
    expect(await products(file)).toMatchObject({ status: 200, created: 1, failed: 0, errors: [] });
  });

  test("a row with missing last cells is refused if a decimal comma could have created one of them", async () => {
    const file = "sku,name,price,description\nSHORT-2,A,12,50\nSHORT-3,A,12";
    expect(await products(file, { decimal: "," })).toMatchObject({
      created: 1,
      failed: 1,
      errors: [{ line: 3, message: expect.stringContaining("has 3 cells, but the header line has 4") }],
    });
  });

  test("a map renames the columns of other programs; unmapped columns are ignored", async () => {
    const file = ['Handle,Title,Type,Variant SKU,"Price, net",Status', 'mug,"Mug, blue",Kitchen,MAP-1,12.5,draft'].join(
      "\n",
    );
    const map = "Variant SKU:sku,title: name,Price, net:price,Type:,Status:";
    expect(await products(file, { map })).toMatchObject({ created: 1, failed: 0, errors: [] });
    expect(await product("MAP-1")).toMatchObject({ name: "Mug, blue", price: 12.5, type: "simple", status: "active" });
    const shop =
      "Name;Email;Lineitem sku;Lineitem quantity;Lineitem price;Shipping Street;Shipping City;Shipping Zip;S;C\n";
    const rows = "#1001;map@example.com;CUP;2;12,50;1 Elm St;Portland;97201;OR;US\n#1001;;MAP-1;1;3,00;;;;;";
    const pairs = {
      Name: "order_number",
      Email: "customer_email",
      "Lineitem sku": "sku",
      "Lineitem quantity": "quantity",
      "Lineitem price": "unit_price",
      "Shipping Street": "address_line1",
      "Shipping City": "city",
      "Shipping Zip": "postal_code",
      S: "state",
      C: "country",
    };
    const named = Object.entries(pairs).map((pair) => pair.join(":"));
    expect(await orders(shop + rows, { map: named.join(","), decimal: "," })).toMatchObject({ created: 1, errors: [] });
    expect((await order("%231001")).line_items).toMatchObject([{ unit_price: 12.5 }, { unit_price: 3 }]);
  });

  test.each([
    ["no pairs", "Variant SKU", "map must map the file's columns to Packhouse columns"],
    [
      "a column that is none of ours",
      "A:skuu",
      "map names skuu, which is not a column of this import (did you mean sku?).",
    ],
    ["a column that the file lacks", "Variant SKU:sku", "map names Variant SKU, which is not a column of the file"],
    ["two columns for one", "A:name", "name occurs twice."],
  ])("a map with %s is refused", async (_, map, message) => {
    const { status, error } = await products("sku,A,name\nX,Y,Z", { map });
    expect([status, error.code]).toEqual([422, "validation_failed"]);
    expect(error.message).toStartWith(message);
    expect(await product("X")).toBeUndefined();
  });
});

describe("values that a spreadsheet has damaged", () => {
  const lost = expect.stringMatching(/^is .*: a spreadsheet shortened a long number and lost its digits\. /);

  test("are refused with a reason: SKUs, lots, bins, barcodes, order numbers and tracking numbers", async () => {
    const made = await products("sku,name,price\n1.23457E+12,Damaged by a spreadsheet,1.00");
    expect(made).toMatchObject({ created: 0, errors: [{ line: 2, name: "1.23457E+12", field: "sku", message: lost }] });
    expect(await product("1.23457E+12")).toBeUndefined();
    const codes = ['"[{""value"":""4.00638E+12"",""type"":""ean""}]"', "4.00638E+12"];
    const barcodes = await products(`sku,name,barcodes\n${codes.map((code, at) => `BAR-${at},A,${code}`).join("\n")}`);
    expect(barcodes).toMatchObject({ created: 0, failed: 2 });
    expect(barcodes.errors).toMatchObject(codes.map(() => ({ field: "barcodes", message: lost })));
    const counted = await stock('sku,bin,lot_number,quantity\nCUP,1E+05,"1,5E+13",5\nCUP,,,1E+03');
    expect(counted.errors.map(({ line, field }: Answered["body"]) => [line, field])).toEqual([
      [2, "bin"],
      [2, "lot_number"],
      [3, "quantity"],
    ]);
    const row = (number: string) => `${number},e@example.com,${place},CUP,1,2`;
    expect(await orders([head, row("1.23457E+12")].join("\n"))).toMatchObject({
      created: 0,
      errors: [{ line: 2, field: "order_number", message: lost }],
    });
    const dates = "2025-01-01,2025-01-02,2025-01-03";
    const shipped = `${head},${past},tracking_number,tracking_numbers\n${row("E-1")},delivered,${dates}`;
    expect(await orders(`${shipped},9.4001E+21,9.4001E+21`, { history: "true" })).toMatchObject({
      created: 0,
      failed: 1,
      errors: [{ field: "tracking_number" }, { field: "tracking_numbers" }],
    });
    expect(await products("sku,name\nNA-1,#N/A\n#REF!,Ref")).toMatchObject({
      created: 0,
      errors: [
        { line: 2, field: "name" },
        { line: 3, field: "sku" },
      ],
    });
  });

  test("are accepted as text after an apostrophe, as in exports", async () => {
    await app.product("1.5E+10", { name: "#N/A" });
    const file: string = (await app.get("/products/export.csv")).body;
    expect(file).toContain("'1.5E+10,'#N/A,");
    const again = await products(file);
    expect(again).toMatchObject({ updated: 0, failed: 0, unchanged: again.rows });
    expect(await products("sku,name\n'2.5E+10,Exact\nA-5E-10,Exact\n12E4,Exact")).toMatchObject({ created: 3 });
    expect(await product("2.5E+10")).toMatchObject({ name: "Exact" });
  });
});

describe("a row of an unknown order", () => {
  const row = (number: string, email: string, rest: string) => `${number},${email},${email && place},${rest}`;
  const blank = `${head}\n`;
  // A row without a customer has no address either.
  const more = (number: string, rest: string) => `${number},,,,,,,${rest}`;

  test("causes the refusal of every order it may belong to, wherever it is, and no other", async () => {
    const file = [
      more("", "CUP,3,1"),
      row("S-1", "a@stray.example", "CUP,1,1"),
      row("S-2", "b@stray.example", "CUP,1,1"),
    ].join("\n");
    const { errors, ...counts } = await orders(blank + file);
    expect(counts).toMatchObject({ rows: 3, orders: 3, created: 0, failed: 3 });
    const message = "may be incomplete: line 2 may belong to it, but has no order_number";
    expect(errors).toEqual([
      { line: 2, name: null, field: "order_number", message: "is required" },
      { line: 3, name: "S-1", field: "order_number", message },
      { line: 4, name: "S-2", field: "order_number", message },
    ]);
    expect(await order("S-1")).toBeUndefined();
    expect((await app.get("/customers?email=a@stray.example")).body.data).toEqual([]);
    // A row of another customer cannot belong to an order.
    const owned = file.replace(more("", "CUP,3,1"), row("", "A@stray.example", "CUP,3,1"));
    expect(await orders(blank + owned)).toMatchObject({ created: 1, failed: 2 });
    expect([await order("S-1"), (await order("S-2")).line_items.length]).toEqual([undefined, 1]);
  });

  test("may have unbalanced quotes, or a number that a spreadsheet has shortened", async () => {
    const broken = head.replace("order_number,customer_email", "customer_email,order_number");
    const file = `${broken}\na@stray.example,Q-1,${place},CUP,1,1\n"a@stray.example"x,Q-1,,,,,,CUP,2,1`;
    expect(await orders(file)).toMatchObject({ created: 0, failed: 2 });
    const long = [
      row("1234567890123", "a@stray.example", "CUP,1,1"),
      row("7654321098765", "b@stray.example", "CUP,1,1"),
      more("1.23457E+12", "CUP,2,1"),
    ].join("\n");
    expect(await orders(blank + long)).toMatchObject({
      created: 1,
      failed: 2,
      errors: [
        { line: 2, name: "1234567890123", field: "order_number", message: expect.stringContaining("line 4") },
        { line: 4, field: "order_number" },
      ],
    });
    expect(await order("1234567890123")).toBeUndefined();
  });
});
