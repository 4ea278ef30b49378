import { describe, expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import type { Answered } from "../../build/service.ts";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();
await shop.product({ sku: "CUP", units: 1000 });
await shop.product({ sku: "TEA", units: 1000 });

const asCsv = { "content-type": "text/csv" };
const imports = async (text: string, key = shop.app.keys.live.full): Promise<Answered["body"]> => {
  const { status, body } = await shop.app.call("POST", "/orders/import", text, { key, headers: asCsv });
  return { status, ...body.data, error: body.error };
};
const exported = async (query = "", key = shop.app.keys.live.full) =>
  (await shop.app.call("GET", `/orders/export.csv${query}`, undefined, { key })).body as string;
const rowsOf = (text: string) => parse(text, { columns: true, record_delimiter: "\r\n" }) as Record<string, string>[];
const byNumber = async (number: string) => (await shop.app.get(`/orders?order_number=${number}`)).body.data[0];

const head =
  "order_number,customer_email,customer_name,address_line1,city,state,postal_code,country,sku,quantity,unit_price";
const place = "1 Elm St,Portland,OR,97201,US";

describe("works", () => {
  test("rows with one number make one order, anywhere in the file; new customers are created", async () => {
    await shop.app.takeEvents();
    const file = [
      head,
      `I-1,new@example.com,Ana María Cruz,${place},CUP,2,12.50`,
      "I-2,Jane@Example.com,,,,,,,TEA,1,3",
      `I-3,jane@example.com,,9 New Rd,Portland,OR,97201,US,TEA,1,3`,
      "I-1,,,,,,,,TEA,3,4.00",
      `I-4,NEW@example.com,,${place},CUP,1,12.50`,
    ].join("\r\n");
    const { errors, ...counts } = await imports(file);
    expect(errors).toEqual([]);
    const told = { status: 200, rows: 5, orders: 4, created: 4, updated: 0, unchanged: 0, failed: 0, error: undefined };
    expect(counts).toEqual(told);
    const order = await byNumber("I-1");
    expect(order).toMatchObject({ customer: { email: "new@example.com", name: "Ana María Cruz" }, subtotal: 37 });
    expect(order.line_items.map(({ sku, quantity }: Answered["body"]) => [sku, quantity])).toEqual([
      ["CUP", 2],
      ["TEA", 3],
    ]);
    expect(order.shipping_address).toMatchObject({ name: "Ana María Cruz", address_line1: "1 Elm St" });
    expect((await byNumber("I-4")).shipping_address_id).toBe(order.shipping_address_id);
    expect((await byNumber("I-2")).shipping_address.address_line1).toBe("12 Elm St");
    expect((await byNumber("I-3")).shipping_address.address_line1).toBe("9 New Rd");
    expect(await shop.told()).toEqual(Array(4).fill("order.created"));
    expect(await imports(file)).toMatchObject({ rows: 5, orders: 4, created: 0, unchanged: 4, failed: 0, errors: [] });
    expect(await shop.app.takeEvents()).toEqual([]);
  });

  test("a dry run reports each new order and each bad row, and creates neither orders nor customers", async () => {
    await shop.app.takeEvents();
    const file = [
      head,
      `D-1,dry@example.com,Ana Cruz,${place},CUP,2,12.50`,
      "D-1,,,,,,,,TEA,3,4.00",
      `D-2,dry@example.com,,${place},NOTHING,1,3`,
    ].join("\n");
    const { body } = await shop.app.call("POST", "/orders/import?dry_run=true", file, { headers: asCsv });
    expect(body.data).toMatchObject({ rows: 3, orders: 2, created: 1, failed: 1, dry_run: true });
    expect(body.data.errors).toMatchObject([{ line: 4, name: "D-2", field: "sku" }]);
    const [{ line, name, change, fields }] = body.data.changes;
    expect([line, name, change]).toEqual([2, "D-1", "created"]);
    expect(fields).toContainEqual({ field: "sku", from: null, to: "CUP, TEA" });
    expect(fields).toContainEqual({ field: "quantity", from: null, to: 5 });
    expect(await byNumber("D-1")).toBeUndefined();
    expect((await shop.app.get("/customers?email=dry@example.com")).body.data).toEqual([]);
    expect(await shop.app.takeEvents()).toEqual([]);
  });

  test("a bad row fails its whole order and no other, and leaves nothing", async () => {
    const row = (number: string, rest: string) => `${number},${number.toLowerCase()}@bad.example,,${place},${rest}`;
    const file = [
      head,
      row("G-1", "CUP,1,2"),
      row("B-1", "CUP,1,2"),
      row("B-1", "NOTHING,1,2"),
      row("B-2", "CUP,none,2"),
      row("B-2", "CUP,1,2"),
      "B-3,b-3@bad.example,,1 Elm St,Portland,OR,1,US,CUP,1,2",
      row("B-4", "CUP,1,2"),
      "B-4,someone@else.example,,,,,,,TEA,1,2",
      row("B-5", '5" cup,1,2'),
      row("B-5", "CUP,1,2"),
      ",nobody@bad.example,,,,,,,CUP,1,2",
      "B-6,,,,,,,,CUP,1,2",
      "B-7,b-7@bad.example,,,,,,,CUP,1,2",
      "I-1,new@example.com,,,,,,,CUP,5,12.50",
      row("G-2", "TEA,1,2"),
    ].join("\n");
    const { errors, ...counts } = await imports(file);
    expect(counts).toMatchObject({ rows: 15, orders: 11, created: 2, unchanged: 0, failed: 9 });
    expect(errors.map(({ line, field }: Answered["body"]) => [line, field])).toEqual([
      [4, "sku"],
      [5, "quantity"],
      [7, "postal_code"],
      [9, "customer_email"],
      [10, null],
      [12, "order_number"],
      [13, "customer_email"],
      [14, "address_line1"],
      [15, "order_number"],
    ]);
    expect(errors[0].message).toBe("names no product: NOTHING");
    expect((await shop.app.get("/orders?q=bad.example")).body.data).toHaveLength(2);
    for (const number of [1, 2, 3, 4, 5, 7]) {
      expect((await shop.app.get(`/customers?email=b-${number}@bad.example`)).body.data).toEqual([]);
    }
    expect((await byNumber("I-1")).line_items).toHaveLength(2);
  });

  test("an export can be imported: it changes nothing here, and creates pending orders elsewhere", async () => {
    const odd = '=1+1, "odd"\r\nand "more"';
    const [order] = (await shop.app.get("/orders?order_number=I-2")).body.data;
    await shop.app.patch(`/orders/${order.id}`, { order_notes: odd, shipping_method: "-fast", metadata: { a: "b,c" } });
    await shop.act((await byNumber("I-3")).id, "ship", { tracking_number: "1Z 999" });
    const file = await exported("?sort=created_at");
    const rows = rowsOf(file);
    expect(rows.map((row) => row["order_number"])).toEqual(["I-2", "I-3", "I-1", "I-1", "I-4", "G-1", "G-2"]);
    expect(rows[0]).toMatchObject({
      order_notes: `'${odd}`,
      shipping_method: "'-fast",
      metadata: '{"a":"b,c"}',
      status: "pending",
      customer_email: "jane@example.com",
      unit_price: "3",
      sku: "TEA",
      quantity: "1",
    });
    expect(rows[1]).toMatchObject({ status: "shipped", tracking_numbers: "1Z999", quantity_shipped: "1" });
    expect(await imports(file)).toMatchObject({ rows: 7, orders: 6, unchanged: 6, failed: 0 });
    const { test: keys } = shop.app.keys;
    for (const sku of ["CUP", "TEA"]) await shop.app.call("POST", "/products", { sku, name: sku }, { key: keys.full });
    const elsewhere = await imports(file, keys.full);
    expect(elsewhere).toMatchObject({ created: 5, failed: 1, errors: [{ line: 4, field: "status" }] });
    const same = (all: Record<string, string>[]) =>
      all
        .filter(({ status }) => status === "pending")
        .map(({ created_at: _at, quantity_backordered: _waits, ...row }) => row);
    expect(same(rowsOf(await exported("?sort=created_at", keys.full)))).toEqual(same(rows));
  });

  test("an order with backordered, cancelled or shipped lines can be imported again", async () => {
    const few = await shop.product({ sku: "FEW", units: 2 });
    const [cup] = (await shop.app.get("/products?sku=CUP")).body.data;
    const made = await shop.order([
      [few, 5],
      [cup, 4],
    ]);
    await shop.act(made.id, "ship", { partial: true });
    await shop.act(made.id, "cancel_items", { items: [{ sku: "FEW", quantity: 1 }], reason: "customer" });
    const file = await exported(`?order_number=${made.order_number}`);
    const told = ["quantity_backordered", "quantity_shipped", "quantity_cancelled"];
    expect(rowsOf(file).map((row) => told.map((name) => row[name]))).toEqual([
      ["2", "2", "1"],
      ["0", "4", "0"],
    ]);
    expect(await imports(file)).toMatchObject({ rows: 2, orders: 1, unchanged: 1, failed: 0, errors: [] });
  });

  test("an export takes the filters, the search and the sort of the list", async () => {
    expect(rowsOf(await exported("?q=cruz&status=pending")).map((row) => row["order_number"])).toEqual([
      "I-4",
      "I-1",
      "I-1",
    ]);
    expect(rowsOf(await exported("?status=shipped"))).toHaveLength(1);
    expect(await exported("?status=cancelled")).toMatch(/^order_number,[^\n]*\r\n$/);
  });

  test("a file of many rows is imported completely, and exported again", async () => {
    const rows = Array.from(
      { length: 1300 },
      (_, n) => `M-${n % 1000},m${n % 50}@many.example,,${place},CUP,${1 + (n % 2)},1`,
    );
    const report = await imports([head, ...rows].join("\n"));
    expect(report).toMatchObject({ rows: 1300, orders: 1000, created: 1000, failed: 0, errors: [] });
    expect((await shop.app.get("/customers?limit=1")).body.pagination.total).toBeGreaterThanOrEqual(50);
    const file = await exported("?q=many.example");
    expect(rowsOf(file)).toHaveLength(1300);
    expect(await imports(file)).toMatchObject({ orders: 1000, unchanged: 1000 });
  }, 60_000);

  test("for rows that disagree, the minority row is reported with its order, not the others", async () => {
    const row = (rest: string) => `D-1,d@disagree.example,Dee Dee,${rest}`;
    const file = [
      head,
      row("1 Elm St,Porland,OR,97201,US,CUP,1,2"),
      row("1 Elm St,Portland,OR,97201,US,TEA,1,2"),
      "D-1,,,,Portland,,,,CUP,2,2",
      "D-2,,,,,,,,CUP,1,2",
      `D-2,d-2@disagree.example,Dot,1 Elm St,Portland,OR,1,US,TEA,1,2`,
      "D-3,,,,,,,,CUP,1,2",
      `D-3,d-3@disagree.example,Dot,${place},TEA,1,2`,
    ].join("\n");
    const { errors, created, failed } = await imports(file);
    expect([created, failed]).toEqual([1, 2]);
    expect(errors).toEqual([
      { line: 2, name: "D-1", field: "city", message: "differs from line 3 of the same order" },
      { line: 6, name: "D-2", field: "postal_code", message: expect.any(String) },
    ]);
    expect((await byNumber("D-3")).line_items).toHaveLength(2);
  });

  test("a customer has the file's name, and a parcel for another person that person's name", async () => {
    const names = ["Cher", "Ana  María  Cruz", "van der Berg", "Dr. Ng, PhD", "木村 太郎", "O'Neil", "Ann\u3000Lee"];
    const rows = names.map((name, at) => `NAME-${at},n${at}@names.example,"${name}",${place},CUP,1,2`);
    expect(await imports([head, ...rows].join("\n"))).toMatchObject({ created: names.length, errors: [] });
    const told = rowsOf(await exported("?q=names.example&sort=created_at"));
    expect(told.map((row) => row["customer_name"])).toEqual(names);
    const gift = [head, `NAME-9,n0@names.example,Sonny Bono,${place},CUP,1,2`].join("\n");
    expect(await imports(gift)).toMatchObject({ created: 1, errors: [] });
    expect(await byNumber("NAME-9")).toMatchObject({
      customer: { name: "Cher" },
      shipping_address: { name: "Sonny Bono" },
    });
  });

  test("a company is imported with its address, exported again, and matches the same address", async () => {
    const named = head.replace("address_line1", "company,address_line1");
    const row = (number: string, company: string) => `${number},co@company.example,Ann Roe,${company},${place},CUP,1,2`;
    const file = [named, row("C-1", "Roe Ltd"), row("C-2", ""), row("C-3", "Doe & Co")].join("\n");
    expect(await imports(file)).toMatchObject({ created: 3, failed: 0 });
    const rows = rowsOf(await exported("?q=company.example&sort=created_at"));
    expect(rows.map(({ company }) => company)).toEqual(["Roe Ltd", "Roe Ltd", "Doe & Co"]);
    const [first, second, third] = await Promise.all(["C-1", "C-2", "C-3"].map(byNumber));
    expect(second.shipping_address_id).toBe(first.shipping_address_id);
    expect(third.shipping_address_id).not.toBe(first.shipping_address_id);
    for (const order of [first, second, third]) await shop.app.call("DELETE", `/orders/${order.id}`);
    await shop.app.takeEvents();
  });
});

describe("refuses", () => {
  test.each([
    ["an empty file", "", ["order_number", "sku", "quantity"]],
    ["a column that it does not know", `${head},colour\n`, ["colour"]],
  ])("%s", async (_, text, fields) => {
    const { status, error } = await imports(text);
    expect([status, error.details.map(({ field }: Answered["body"]) => field)]).toEqual([422, fields]);
  });

  test("more than 100,000 rows, before anything is written", async () => {
    const { status, error } = await imports(`order_number,sku,quantity,unit_price\n${"X-1,CUP,1,1\n".repeat(100_001)}`);
    expect([status, error.details[0].code]).toEqual([422, "too_many"]);
  }, 30_000);

  test("an order with more than 500 lines, and an invalid filter", async () => {
    const long = [head, `L-1,l@example.com,,${place},CUP,1,1`, ...Array(500).fill("L-1,,,,,,,,CUP,1,1")].join("\n");
    expect(await imports(long)).toMatchObject({ orders: 1, failed: 1, errors: [{ line: 502, field: "sku" }] });
    expect((await shop.app.get("/orders/export.csv?state=open")).status).toBe(422);
  });
});
