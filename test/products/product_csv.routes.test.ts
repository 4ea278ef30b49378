import { describe, expect, test } from "bun:test";
import { openApp } from "../build/service.ts";

const app = await openApp();

const asCsv = { "content-type": "text/csv" };
const imports = (text: string, headers: Record<string, string> = {}) =>
  app.call("POST", "/products/import", text, { headers: { ...asCsv, ...headers } });
const product = async (sku: string) => (await app.get(`/products?sku=${encodeURIComponent(sku)}`)).body.data[0];

describe("works", () => {
  test("new products are created, others updated if they differ, and a second import changes nothing", async () => {
    await app.post("/products", { sku: "TEA", name: "Tea", price: 2, metadata: { shelf: 4 } });
    const file = [
      "sku,name,price,weight,weight_unit,length,width,height,dimension_unit,barcodes,lot_tracking",
      'TEA,"Tea, green",2.50,,,,,,,,',
      'CUP,"A ""big"" cup",,0.4,kg,10,8.5,9,cm,"[{""value"":""4006381333931"",""type"":""gtin""}]",TRUE',
      "",
    ].join("\r\n");
    const { status, body } = await imports(file);
    expect([status, body.data]).toEqual([
      200,
      { rows: 2, created: 1, updated: 1, unchanged: 0, failed: 0, errors: [] },
    ]);
    const cup = { name: 'A "big" cup', price: null, weight: 0.4, lot_tracking: true, revision: 1, customs: null };
    expect(await product("CUP")).toMatchObject({
      ...cup,
      dimensions: { length: 10, width: 8.5, height: 9, unit: "cm" },
      barcodes: [{ value: "4006381333931", type: "gtin" }],
    });
    // A missing column leaves its field unchanged.
    expect(await product("TEA")).toMatchObject({ name: "Tea, green", price: 2.5, revision: 2, metadata: { shelf: 4 } });
    expect((await imports(file)).body.data).toMatchObject({ created: 0, updated: 0, unchanged: 2, failed: 0 });
    expect((await product("TEA")).revision).toBe(2);
    expect(await app.takeEvents()).toEqual([]);
  });

  test("a dry run reports each row's changes and changes nothing, even if rows depend on each other", async () => {
    await app.post("/products", { sku: "TRY-TEA", name: "Tea", price: 2 });
    const others = Array.from({ length: 60 }, (_, at) => `TRY-${at},Part ${at},,,`);
    const file = [
      "sku,name,price,type,components",
      "TRY-TEA,Tea,3.50,,",
      ...others,
      'TRY-SET,Set,9,bundle,"[{""sku"":""TRY-0"",""quantity"":2}]"',
      'TRY-BAD,Set,9,bundle,"[{""sku"":""TRY-NOT"",""quantity"":2}]"',
      "TRY-0,Again,,,",
    ].join("\n");
    const before = (await app.get("/products/export.csv")).body;
    const { status, body } = await app.call("POST", "/products/import?dry_run=true", file, { headers: asCsv });
    const { changes, dry_run, ...report } = body.data;
    expect([status, dry_run, report.created, report.updated, report.failed]).toEqual([200, true, 61, 1, 2]);
    expect(changes[0]).toEqual({
      line: 2,
      name: "TRY-TEA",
      change: "updated",
      fields: [{ field: "price", from: 2, to: 3.5 }],
    });
    expect(changes.at(-1)).toMatchObject({ line: 63, name: "TRY-SET", change: "created" });
    expect(report.errors.map(({ line }: { line: number }) => line)).toEqual([64, 65]);
    expect((await app.get("/products/export.csv")).body).toBe(before);
    expect((await imports(file)).body.data).toEqual(report);
  });

  test("an export can be imported: it changes nothing here and creates the same products elsewhere", async () => {
    await app.post("/products", {
      sku: ' odd "sku", ü'.trim(),
      name: " two\u00a0spaces ",
      description: "lines\nand, commas",
      customs: { country_of_origin: "FR" },
      dimensions: { unit: "in", width: 1, height: 2, length: 3 },
      metadata: { note: "🍵", empty: "" },
      status: "inactive",
    });
    await app.post("/products", { sku: "BLANK", name: "Blank", description: "", customs: {}, metadata: {} });
    const exported = await app.get("/products/export.csv");
    expect(exported.headers.get("content-type")).toContain("text/csv");
    const again = await imports(exported.body);
    expect(again.body.data).toMatchObject({ created: 0, updated: 0, failed: 0, errors: [] });
    const key = { key: app.keys.test.full };
    const elsewhere = await app.call("POST", "/products/import", exported.body, { ...key, headers: asCsv });
    expect(elsewhere.body.data).toMatchObject({ created: again.body.data.unchanged, failed: 0 });
    const copy = await app.call("GET", "/products/export.csv", undefined, key);
    expect(copy.body).toBe(exported.body);
  });

  test("a bad row is reported by line and column and does not affect others", async () => {
    const file = [
      "sku,name,price,lot_tracking,expiration_tracking,barcodes,metadata",
      "GOOD-1,Good,1,,,,",
      "BAD-1,Bad,1.9999,perhaps,,,",
      ",No SKU,,,,,",
      "BAD-2,Bad,,,true,,",
      "BAD-3,Bad,,,,nonsense,",
      'BAD-4,Bad,,,,"[{""value"":""4006381333931"",""type"":""gtin""}]",',
      "BAD-5,Bad,,,,,,more",
      'BAD-6,5" pipe,,,,,',
      "GOOD-1,Twice,,,,,",
      'BAD-7,Bad,,,,,"{""half"":""\\ud800""}"',
      "NAMELESS,,,,,,",
      "GOOD-2,Good,,,,,",
      "BAD-8,Bad,1234.999,,,,",
    ].join("\n");
    const { body } = await imports(file);
    const { errors, ...counts } = body.data;
    expect(counts).toEqual({ rows: 13, created: 2, updated: 0, unchanged: 0, failed: 11 });
    expect(errors).toEqual([
      { line: 3, name: "BAD-1", field: "price", message: expect.stringContaining("such as 12.50") },
      { line: 3, name: "BAD-1", field: "lot_tracking", message: "must be a boolean" },
      { line: 4, name: null, field: "sku", message: "is required" },
      {
        line: 5,
        name: "BAD-2",
        field: "lot_tracking",
        message: "must be true for a product that tracks expiry: a lot carries the date",
      },
      { line: 6, name: "BAD-3", field: "barcodes", message: "must be an array" },
      { line: 7, name: "BAD-4", field: "barcodes", message: expect.stringContaining("belongs to prd_") },
      { line: 8, name: "BAD-5", field: null, message: "has 8 cells, but the header line has 7" },
      { line: 9, name: "BAD-6", field: null, message: "has unmatched quotes" },
      { line: 10, name: "GOOD-1", field: "sku", message: "repeats line 2" },
      { line: 11, name: "BAD-7", field: "metadata", message: expect.any(String) },
      { line: 12, name: "NAMELESS", field: "name", message: "is required: there is no such product yet" },
      {
        line: 14,
        name: "BAD-8",
        field: "price",
        message: "must be an amount with at most two decimals for USD (got 1234.999)",
      },
    ]);
    expect((await app.get("/products?q=BAD")).body.data).toEqual([]);
    expect((await app.get("/products?q=GOOD")).body.data).toHaveLength(2);
  });

  test("a bundle with an unknown component names that component", async () => {
    const components = '"[{""sku"":""NO-SUCH"",""quantity"":1}]"';
    const { body } = await imports(`sku,name,type,components\nSET,Set,bundle,${components}`);
    expect(body.data.errors).toMatchObject([{ line: 2, name: "SET", message: "is not the SKU of a product: NO-SUCH" }]);
  });

  test("a file with many rows is imported completely", async () => {
    const rows = Array.from({ length: 430 }, (_, n) => `MANY-${n},Product ${n}`);
    const { body } = await imports(`\ufeffsku,name\n${rows.join("\n")}`);
    expect(body.data).toMatchObject({ rows: 430, created: 430, failed: 0 });
    const exported = await app.get("/products/export.csv");
    expect(exported.body.match(/^MANY-/gm)).toHaveLength(430);
  });
});

describe("refuses", () => {
  test.each([
    ["an empty file", "", "sku: required", "sku is a required column, but the header line lacks it."],
    ["a column that it does not know", "sku,color\n", "color: unknown_field", "color is not a column of this import."],
    [
      "a slip of the pen",
      "sku,nmae\n",
      "nmae: unknown_field",
      "nmae is not a column of this import (did you mean name?).",
    ],
    [
      "a slip in capitals",
      "SKU,Nme\n",
      "Nme: unknown_field",
      "Nme is not a column of this import (did you mean name?).",
    ],
    ["a column that is there twice in other letters", "sku,Name,NAME\n", "NAME: duplicate", "NAME occurs twice."],
    ["a column that is there twice", "sku,name,name\n", "name: duplicate", "name occurs twice."],
    ["a column without a name", "sku,name,\n", "column 3: required", "column 3 has no name in the header line."],
    ["bars for commas", "sku|name\nA|b", "sku|name: invalid_format", "sku|name separates its columns with bars."],
  ])("%s", async (_, text, problem, message) => {
    const { status, body } = await imports(text);
    expect([status, body.error.code]).toEqual([422, "validation_failed"]);
    expect(body.error.message).toStartWith(message);
    expect(body.error.message).toContain(
      "The header line must name columns, separated by commas, semicolons or tabs: sku, name, ",
    );
    const details = body.error.details as { field: string; code: string }[];
    expect(details.map(({ field, code }) => `${field}: ${code}`)).toContain(problem);
  });

  test("rows and a header with undecodable bytes, and imports the others", async () => {
    const { body } = await imports("sku,name\nLATIN,caf\ufffd\nUTF,caf\u00e9");
    const errors = [
      { line: 2, name: "LATIN", field: null, message: "lost characters when it was saved: save the file as UTF-8" },
    ];
    expect(body.data).toMatchObject({ rows: 2, created: 1, failed: 1, errors });
    const { status, body: refused } = await imports("\ufffds\ufffdk,name\nA,b");
    expect([status, refused.error.message]).toEqual([422, "lost characters when it was saved: save the file as UTF-8"]);
  });

  test("files that are not CSV or not text, and files above 10 MiB", async () => {
    const answers = [
      await app.post("/products/import", { sku: "A", name: "A" }),
      await app.call("POST", "/products", "sku,name\nA,b", { headers: asCsv }),
      await imports(`sku,name\n${"x".repeat(10 << 20)}`),
    ];
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [415, "unsupported_media_type"],
      [415, "unsupported_media_type"],
      [413, "payload_too_large"],
    ]);
    expect(await app.takeEvents()).toEqual([]);
  });
});

describe("guards", () => {
  test("a repeated request gets the first report and imports nothing", async () => {
    const file = "sku,name\nONCE,First";
    const first = await imports(file, { "idempotency-key": "file-1" });
    expect(first.body.data.created).toBe(1);
    const { id } = await product("ONCE");
    await app.patch(`/products/${id}`, { name: "Changed since" });
    const second = await imports(file, { "idempotency-key": "file-1" });
    expect([second.body, second.headers.get("idempotency-replayed")]).toEqual([first.body, "true"]);
    expect((await product("ONCE")).name).toBe("Changed since");
    const other = await imports("sku,name\nOTHER,x", { "idempotency-key": "file-1" });
    expect([other.status, other.body.error.code]).toEqual([422, "idempotency_key_reused"]);
    expect(await product("OTHER")).toBeUndefined();
  });
});
