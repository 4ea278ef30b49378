import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { isNotNull, sql as template } from "drizzle-orm";
import { file_imports } from "../../db/schema/imports.ts";
import type { FileImport } from "../../src/imports/file_import.ts";
import { deleteOldImports, fileImportsSettled, importFiles } from "../../src/imports/file_imports.jobs.ts";
import { getImport } from "../../src/imports/file_imports.sql.ts";
import { ImportSuperseded, restartCheck } from "../../src/imports/file_imports.ts";
import { type Answered, openApp } from "../build/service.ts";
import { openShop } from "../build/shop.ts";

setDefaultTimeout(60_000);

const shop = await openShop();
const { app } = shop;
await shop.product({ sku: "TEA", units: 10 });
await shop.product({ sku: "CUP", units: 10 });

const headers = { "content-type": "text/csv" };
type Body = Answered["body"];

/** Uploads a file, and returns its import once the job has done all that it can. */
async function upload(kind: string, text: string | Uint8Array, query = ""): Promise<Body> {
  const url = `http://packhouse.test/v1/imports?kind=${kind}${query}`;
  const authorization = `Bearer ${app.keys.live.full}`;
  const sent = await app.app.handle(
    new Request(url, { method: "POST", headers: { ...headers, authorization }, body: text }),
  );
  const body: Body = await sent.json();
  return sent.status === 201 ? settled(body.data.id) : { status: sent.status, ...body };
}

async function settled(id: string): Promise<Body> {
  await app.runJobs();
  return (await app.get(`/imports/${id}`)).body.data;
}

async function act(id: string, action: "check" | "run" | "cancel", body: object = {}): Promise<Body> {
  const { status, body: answer } = await app.post(`/imports/${id}/${action}`, body);
  return status === 200 ? settled(id) : { status, ...answer };
}

/** Starts the run of an import, whose claim another server takes over once some rows are done. Returns the import. */
async function interrupted(id: string, rows: number): Promise<Body> {
  await app.post(`/imports/${id}/run`, {});
  const { live } = app.service.stores;
  await importFiles(live, app.service);
  while ((await app.get(`/imports/${id}`)).body.data.rows_done < rows) await Bun.sleep(0);
  await live.write(async (tx) => {
    const taken = { claims: template`${file_imports.claims} + 1`, next_at: tx.now };
    await tx.sql.update(file_imports).set(taken).where(isNotNull(file_imports.next_at));
  });
  await fileImportsSettled(live);
  return (await app.get(`/imports/${id}`)).body.data;
}

const rowsOf = async (id: string, query = ""): Promise<Body[]> =>
  (await app.get(`/imports/${id}/rows?limit=100${query}`)).body.data;
const rejected = async (id: string): Promise<string> => (await app.get(`/imports/${id}/rejected.csv`)).body;
const skus = async (query: string): Promise<string[]> =>
  (await app.get(`/products?q=${query}`)).body.data.map(({ sku }: Body) => sku);

describe("works", () => {
  test("a file with unknown columns is mapped, checked, run, corrected and uploaded again", async () => {
    const file = [
      "Variant SKU;Title;Variant Price;Vendor",
      "MAP-1;Map one;2,50;Acme",
      "MAP-2;Map two;not a price;Acme",
      "MAP-3;=Map three;1.000;Acme",
      "TEA;Tea, green;;Acme",
    ].join("\r\n");
    const first = await upload("products", file, "&file_name=shop.csv");
    expect(first).toMatchObject({
      status: "mapping",
      file_name: "shop.csv",
      separator: ";",
      encoding: "utf-8",
      columns: ["Variant SKU", "Title", "Variant Price", "Vendor"],
      suggested: [
        { field: "sku", by: "export" },
        { field: "name", by: "export" },
        { field: "price", by: "export" },
        { field: null, by: null },
      ],
      allowed_actions: ["check", "cancel"],
    });
    expect(first.first_rows[0]).toEqual(["MAP-1", "Map one", "2,50", "Acme"]);

    const mapping = { map: "Variant SKU:sku,Title:name,Variant Price:price,Vendor:", decimal: "," };
    const checked = await act(first.id, "check", mapping);
    expect(checked).toMatchObject({ status: "checked", rows: 4, rows_done: 4, created: 2, updated: 1, failed: 1 });
    expect(await rowsOf(first.id, "&change=failed")).toEqual([
      expect.objectContaining({
        line: 3,
        name: "MAP-2",
        problems: [{ field: "price", value: "not a price", message: expect.any(String) }],
      }),
    ]);
    expect(await rowsOf(first.id, "&change=updated")).toMatchObject([
      {
        line: 5,
        name: "TEA",
        fields: [
          { field: "name", to: "Tea, green" },
          { field: "price", to: null },
        ],
      },
    ]);
    expect(await skus("MAP-")).toEqual([]);

    const done = await act(first.id, "run");
    expect(done).toMatchObject({ status: "done", rows: 4, created: 2, updated: 1, failed: 1, allowed_actions: [] });
    expect((await skus("MAP-")).sort()).toEqual(["MAP-1", "MAP-3"]);

    const text = await rejected(first.id);
    expect(text).toBe(
      "Variant SKU,Title,Variant Price,Vendor,error\r\n" +
        `MAP-2,Map two,not a price,Acme,${text.split("Acme,")[1]?.trim()}\r\n`,
    );
    const again = await upload("products", text.replace("not a price", '"3,00"'));
    expect(again).toMatchObject({ status: "checked", remembered: true, decimal: ",", created: 1, failed: 0 });
    expect(await act(again.id, "run")).toMatchObject({ status: "done", created: 1 });
    expect((await app.get("/products?sku=MAP-2")).body.data[0]).toMatchObject({ name: "Map two", price: 3 });
    // The whole file again changes nothing but the row that is still bad.
    const repeated = await upload("products", file);
    expect(repeated).toMatchObject({ status: "checked", created: 0, updated: 0, unchanged: 3, failed: 1 });
  });

  test("all rows of a rejected order are in the file, and the order is complete once they are corrected", async () => {
    const head =
      "Name,Email,Shipping Name,Shipping Address1,Shipping City,Shipping Zip,Shipping Province,Shipping Country";
    const place = "Ana Cruz,1 Elm St,Portland,97201,OR,US";
    const file = [
      `${head},Lineitem quantity,Lineitem price,Lineitem sku`,
      `#1,ana@example.com,${place},1,2.00,TEA`,
      `#2,ben@example.com,${place},1,2.00,TEA`,
      "#2,ben@example.com,,,,,,,2,3.00,NOPE",
    ].join("\n");
    const first = await upload("orders", file);
    expect(first.status).toBe("mapping");
    expect(first.suggested.map(({ field }: Body) => field)).toEqual([
      ...["order_number", "customer_email", "ship_to", "address_line1", "city", "postal_code", "state", "country"],
      ...["quantity", "unit_price", "sku"],
    ]);
    const map = first.suggested.map(({ name, field }: Body) => `${name}:${field}`).join();
    const checked = await act(first.id, "check", { map });
    expect(checked).toMatchObject({ status: "checked", rows: 3, created: 1, failed: 1 });
    expect(await act(first.id, "run")).toMatchObject({ status: "done", created: 1, failed: 1 });
    const text = await rejected(first.id);
    expect(text.split("\r\n").map((line) => line.slice(0, 3))).toEqual(["Nam", "#2,", "#2,", ""]);
    expect((await rowsOf(first.id)).map(({ line, change }) => [line, change])).toEqual([
      [2, "created"],
      [3, "held"],
      [4, "failed"],
    ]);
    const again = await upload("orders", text.replace("NOPE", "CUP"));
    expect(again).toMatchObject({ status: "checked", created: 1, failed: 0, remembered: true });
    expect(await act(again.id, "run")).toMatchObject({ status: "done", created: 1 });
    const [order] = (await app.get("/orders?order_number=%232")).body.data;
    expect(order.line_items.map(({ sku }: Body) => sku)).toEqual(["TEA", "CUP"]);
    expect(await upload("orders", file.replace("NOPE", "CUP"))).toMatchObject({ unchanged: 2, created: 0, failed: 0 });
  });

  test("customers and stock with Packhouse columns are checked at once, in any encoding", async () => {
    const customers = "email,first_name\nzoë@example.com,Zoë\n";
    const latin = Uint8Array.from(customers, (letter) => letter.charCodeAt(0));
    expect(await upload("customers", latin)).toMatchObject({
      status: "checked",
      encoding: "windows-1252",
      remembered: false,
      created: 1,
    });
    const wide = Buffer.from(`\ufeff${customers}`, "utf16le");
    const it = await upload("customers", wide);
    expect(it).toMatchObject({
      status: "checked",
      encoding: "utf-16le",
      created: 1,
      first_rows: [["zoë@example.com", "Zoë"]],
    });
    expect(await act(it.id, "run")).toMatchObject({ status: "done", created: 1 });
    const stock = await upload("stock", "sku\tquantity\nTEA\t25\nNOPE\t1\n");
    expect(stock).toMatchObject({ status: "checked", separator: "\t", updated: 1, failed: 1 });
    expect(await act(stock.id, "run")).toMatchObject({ status: "done", updated: 1 });
    expect((await app.get("/inventory/TEA")).body.data.on_hand).toBe(25);
  });

  test("a check can be repeated with another mapping, and the last one is remembered", async () => {
    const file = "code,title\nRE-1,Re one\n";
    const first = await upload("products", file);
    expect(await act(first.id, "check", { map: "code:name,title:sku" })).toMatchObject({
      status: "checked",
      created: 1,
    });
    expect((await rowsOf(first.id))[0]).toMatchObject({ name: "Re one" });
    expect(await act(first.id, "check", { map: "code:sku,title:name" })).toMatchObject({
      status: "checked",
      created: 1,
    });
    expect(await rowsOf(first.id)).toMatchObject([{ name: "RE-1" }]);
    expect(await upload("products", "title,code\nRe one,RE-1\n")).toMatchObject({
      status: "checked",
      remembered: true,
    });
  });
});

describe("guards", () => {
  test("an interrupted import continues where it was, with the right counts, doubled and rejected rows", async () => {
    const rows = Array.from({ length: 400 }, (_, at) => `INT-${at},${at % 50 === 7 ? "" : `Row ${at}`}`);
    const it = await upload("products", ["sku,name", ...rows, "INT-0,Again"].join("\n"));
    expect(it).toMatchObject({ status: "checked", created: 392, failed: 9 });
    const before = await interrupted(it.id, 1);
    expect(before.status).toBe("importing");
    expect(before.rows_done).toBeLessThan(401);
    expect(await settled(it.id)).toMatchObject({ status: "done", rows: 401, rows_done: 401, created: 392, failed: 9 });
    const failed = await rowsOf(it.id, "&change=failed");
    expect(failed.map(({ line }) => line)).toEqual([...Array.from({ length: 8 }, (_, at) => at * 50 + 9), 402]);
    expect(failed.at(-1).problems[0].message).toContain("repeats line 2");
    expect((await rejected(it.id)).split("\r\n").length).toBe(11);
  });

  test("an interrupted import stores no row twice, also if one row made its whole step fail", async () => {
    const skus = Array.from({ length: 200 }, (_, at) => `TWICE-${at}`);
    for (const sku of skus.slice(0, 50)) await shop.product({ sku, units: 5 });
    const rest = await upload("products", ["sku,name", ...skus.slice(50).map((sku) => `${sku},Later`)].join("\n"));
    await act(rest.id, "run");
    // Its units are reserved, so that counting fewer is refused.
    await shop.order([["TWICE-10", 5]]);
    const file = ["sku,quantity", ...skus.map((sku, at) => `${sku},${at === 10 ? 1 : 7}`)].join("\n");
    const it = await upload("stock", file);
    expect(it).toMatchObject({ status: "checked", rows: 200, failed: 1 });
    expect(await interrupted(it.id, 50)).toMatchObject({ status: "importing" });
    const on_hand = async (sku: string) => (await app.get(`/inventory/${sku}`)).body.data.on_hand;
    expect(await on_hand("TWICE-0")).toBe(7);
    await app.must("PATCH", "/inventory/TWICE-0", { adjustment: 3, reason: "correction" });
    expect(await settled(it.id)).toMatchObject({ status: "done", rows_done: 200, failed: 1 });
    expect(await on_hand("TWICE-0")).toBe(10);
    expect(await on_hand("TWICE-199")).toBe(7);
  });

  test("a server that repeats finished rows of an interrupted import keeps its claim", async () => {
    const rows = Array.from({ length: 400 }, (_, at) => `KEEP-${at},Row ${at}`);
    const it = await upload("products", ["sku,name", ...rows].join("\n"));
    const { rows_done } = await interrupted(it.id, 200);
    const { live } = app.service.stores;
    const claim = () => live.read((db) => getImport(db, it.id));
    await importFiles(live, app.service);
    const { next_at } = await claim();
    app.clocks.live.advance(40_000);
    let now = await claim();
    while (now.next_at === next_at) now = await claim();
    expect(now.rows_done).toBe(rows_done);
    expect(await settled(it.id)).toMatchObject({ status: "done", rows_done: 400, created: 400 });
  });

  test("a server that has lost its claim changes no results of a check", async () => {
    const it = await upload("products", "sku,name\nLOST-1,\n");
    await app.post(`/imports/${it.id}/check`, {});
    const { live } = app.service.stores;
    const now = (await live.read((db) => getImport(db, it.id))) as FileImport;
    const lost = { ...now, claims: now.claims - 1 };
    await expect(live.write((tx) => restartCheck(tx, lost))).rejects.toThrow(ImportSuperseded);
    expect(await rowsOf(it.id, "&change=failed")).toHaveLength(1);
  });

  test("the erasure of a person deletes all files of orders and customers, and cancels pending ones", async () => {
    const email = "gone@example.com";
    const [person, goods] = [
      await upload("customers", `email\n${email}\n`),
      await upload("products", "sku,name\nER-1,Er\n"),
    ];
    expect((await app.post("/erasures", { email })).status).toBeLessThan(300);
    expect(await settled(person.id)).toMatchObject({ status: "cancelled", first_rows: [] });
    expect(await rowsOf(person.id)).toEqual([]);
    expect(await settled(goods.id)).toMatchObject({ status: "checked", first_rows: [["ER-1", "Er"]] });
  });

  test("files are deleted 14 days after the last change", async () => {
    const it = await upload("products", "sku,name\nOLD-1,Old\n");
    app.clocks.live.advance(13 * 86_400_000);
    await deleteOldImports(app.service.stores.live, app.service);
    expect((await app.get(`/imports/${it.id}`)).status).toBe(200);
    app.clocks.live.advance(2 * 86_400_000);
    await deleteOldImports(app.service.stores.live, app.service);
    expect((await app.get(`/imports/${it.id}`)).status).toBe(404);
  });
});

describe("refuses", () => {
  test("workbooks, files that are not text, empty files and files with too many columns", async () => {
    const workbook = await upload("products", new Uint8Array([0x50, 0x4b, 3, 4, 0, 0]));
    expect([workbook.status, workbook.error.message]).toEqual([415, expect.stringContaining("CSV UTF-8")]);
    expect((await upload("products", "")).status).toBe(422);
    expect((await upload("products", "\n\n")).status).toBe(422);
    expect((await upload("products", `${"a,".repeat(1000)}\n1`)).status).toBe(422);
    expect((await upload("products", `${"a,".repeat(1_000_000)}\n1`)).status).toBe(422);
  });

  test("a header line that lacks a required column goes back to the mapping, with the reason", async () => {
    const it = await upload("stock", "sku,qty\nTEA,1\n");
    const refused = await act(it.id, "check", { map: "sku:sku,qty:" });
    expect(refused).toMatchObject({ status: "mapping", problem: { fields: [{ field: "quantity" }] } });
    expect(await act(it.id, "check", { map: "sku:sku,qty:quantity" })).toMatchObject({
      status: "checked",
      problem: null,
    });
  });

  test("acts that the status does not allow, and rows after a cancellation", async () => {
    const it = await upload("products", "sku,name\nCAN-1,Can\n");
    expect(await act(it.id, "cancel")).toMatchObject({ status: "cancelled", allowed_actions: [] });
    for (const action of ["check", "run", "cancel"] as const) expect((await act(it.id, action)).status).toBe(409);
    expect(await skus("CAN-")).toEqual([]);
  });

  test("hostile cells are harmless in the file of rejected rows, and read the same again", async () => {
    const cells = ["=1+1", '"@SUM(A1)"', "+44 20", "-5", "#REF!", '"a;=2"', "'=kept", "1.23457E+12", "x\0y"];
    const file = `sku,name,price\n${cells.map((cell, at) => `,${cell},${at}`).join("\n")}\nBAD"QUOTE,"x,1\n`;
    const it = await upload("products", file);
    expect(it).toMatchObject({ status: "checked", created: 0, failed: cells.length + 1 });
    const text = await rejected(it.id);
    const names = text
      .split("\r\n")
      .slice(1)
      .map((line) => /^,(.*?),\d+,/.exec(line)?.[1] ?? line);
    expect(names.slice(0, 8)).toEqual([
      ...["'=1+1", "'@SUM(A1)", "'+44 20", "-5", "#REF!", '"a;\'=2"', "'=kept", "1.23457E+12"],
    ]);
    const again = await upload("products", text);
    expect(again).toMatchObject({ status: "checked", created: 0, failed: it.failed });
    // A null byte cannot be stored, and what an unmatched quote holds is unknown: both stay rejected.
    const lines = (file: string) => file.split("\r\n").slice(0, cells.length);
    expect(lines(await rejected(again.id))).toEqual(lines(text));
  });

  test("kinds that the key may not import", async () => {
    const path = "/imports?kind=products";
    const reading = await app.call("POST", path, "sku\nA\n", { headers, key: app.keys.live.read });
    expect(reading.status).toBe(403);
  });
});

test("other merchants neither see an import nor use its mapping", async () => {
  const service = await openApp();
  for (const code of ["ONE", "TWO"])
    await service.post("/merchants", { code, name: code, currency: "USD", timezone: "UTC" });
  const send = (merchant: string, text: string, query = "") =>
    service.call("POST", `/imports?kind=products${query}`, text, {
      headers: { ...headers, "packhouse-merchant": merchant },
    });
  const file = "code,title\nA,B\n";
  expect((await send("ONE", file, "&map=code:sku,title:name")).body.data.status).toBe("checking");
  expect((await send("ONE", file)).body.data).toMatchObject({ status: "checking", remembered: true });
  const { data } = (await send("TWO", file)).body;
  expect(data).toMatchObject({ status: "mapping", remembered: false });
  const seen = await service.call("GET", `/imports/${data.id}`, undefined, {
    headers: { "packhouse-merchant": "ONE" },
  });
  expect(seen.status).toBe(404);
});

test("a merchant's key imports products, but not stock", async () => {
  const service = await openApp();
  const { id } = (await service.post("/merchants", { code: "OWN", name: "Own", currency: "USD", timezone: "UTC" })).body
    .data;
  const made = await service.post("/keys", { name: "shop", permission: "full", merchant_id: id });
  const key: string = made.body.data.key;
  const send = (kind: string) => service.call("POST", `/imports?kind=${kind}`, "sku\nA\n", { headers, key });
  expect((await send("products")).body.data.status).toBe("checking");
  const refused = await send("stock");
  expect([refused.status, refused.body.error.code]).toEqual([403, "not_for_merchants"]);
  expect((await service.call("GET", "/imports", undefined, { key })).body.data.length).toBe(1);
});
