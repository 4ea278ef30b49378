import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describeInHouse, lookAt, lookAtPage } from "../browser.ts";

describeInHouse("imports", (house) => {
  beforeAll(async () => {
    for (const sku of ["TEA", "SALT"]) await house.live.must("POST", "/products", { sku, name: sku });
  });

  const choose = (page: Page, name: string, text: string | Buffer) =>
    page.setInputFiles("input[type=file]", { name, mimeType: "text/csv", buffer: Buffer.from(text as string) });
  const run = async (page: Page) => {
    await page.click("button:has-text('Import 1 record')");
    await page.click("dialog button:has-text('Import 1 record')");
    await page.waitForSelector(".notice.done");
  };
  const figure = (page: Page, name: string, value: number) =>
    page.waitForSelector(`.figure:has-text('${name}'):has-text('${value}')`);
  /** Downloads the rejected rows. */
  const rejected = async (page: Page): Promise<string> => {
    const [file] = await Promise.all([page.waitForEvent("download"), page.click("text=Download rows with errors")]);
    return readFileSync(await file.path(), "utf8");
  };

  test("orders of another program: mapped once, the bad row is corrected and uploaded, and both are in", async () => {
    const { page } = await house.open("/orders/import");
    const head =
      "Name,Email,Shipping Name,Shipping Address1,Shipping City,Shipping Zip,Shipping Province,Shipping Country";
    const place = "Ana Cruz,12 Elm St,Portland,97201,OR,US";
    const file = [
      `${head},Lineitem quantity,Lineitem price,Lineitem sku,Vendor`,
      `#1,ana@example.com,${place},1,2.00,TEA,Acme`,
      `#2,ben@example.com,${place},1,2.00,NOPE,Acme`,
    ].join("\n");
    await choose(page, "orders_export.csv", file);
    await page.waitForSelector("select[name=column-0]");
    expect(await page.inputValue("select[name=column-0]")).toBe("order_number");
    expect(await page.inputValue("select[name=column-11]")).toBe("");
    await lookAtPage(page, "select[name=column-0]", "import-columns");
    await page.click("button:has-text('Check rows')");
    await page.waitForSelector("tr:has-text('#2') q:has-text('NOPE')");
    await page.waitForSelector("tr:has-text('#1') ins:has-text('ana@example.com')");
    await lookAtPage(page, ".import-problems", "import-checked");
    expect((await house.live.must("GET", "/orders")).data).toEqual([]);
    await run(page);
    await lookAtPage(page, ".notice.done", "import-done");
    const text = await rejected(page);
    expect(text.split("\r\n").length).toBe(3);

    await page.click("text=Import another file");
    await choose(page, "rejected_rows.csv", text.replace("NOPE", "SALT"));
    // The mapping is remembered, so it is checked without asking.
    await page.waitForSelector("text=mapped as in your last file");
    await run(page);
    const orders = (await house.live.must("GET", "/orders")).data;
    expect(orders.map(({ order_number }: { order_number: string }) => order_number).sort()).toEqual(["#1", "#2"]);
    await page.click("text=Go to orders");
    await page.waitForSelector("tr:has-text('#2')");
  }, 60_000);

  test("stock: the decimal separator is chosen after the check, and a second import changes nothing", async () => {
    const { page } = await house.open("/stock/import");
    const file = "Artikel;Bin;Menge\nSALT;A-01-3;1.000\n";
    await choose(page, "count.csv", file);
    await page.selectOption("select[name=column-0]", "sku");
    await page.waitForSelector("text=Still needed: quantity");
    await page.selectOption("select[name=column-2]", "quantity");
    await page.click("button:has-text('Check rows')");
    await page.waitForSelector("li:has-text('which can mean 1000 or 1')");
    await page.selectOption("select[name=decimal]", ",");
    await page.click("button:has-text('Check again')");
    await page.waitForSelector("tr:has-text('SALT') ins:has-text('1000')");
    await run(page);
    expect((await house.live.must("GET", "/inventory/SALT")).data.on_hand).toBe(1000);
    await page.click("text=Import another file");
    await choose(page, "count.csv", file);
    await page.waitForSelector("text=The file changes nothing");
    await figure(page, "Unchanged", 1);
  }, 60_000);

  test("customers in Windows-1252, and products: checked at once, with each value before and after", async () => {
    const { page } = await house.open("/customers/import");
    await choose(page, "zoe.csv", Buffer.from("email,first_name\nzoe@example.com,Zoë\n", "latin1"));
    await page.waitForSelector("text=Windows-1252, separated by commas");
    await page.waitForSelector("ins:has-text('Zoë')");
    await run(page);
    await page.click("text=Go to customers");
    await page.waitForSelector("tr:has-text('zoe@example.com'):has-text('Zoë')");

    const products = (await house.open("/products/import")).page;
    await choose(products, "products.csv", "sku,name\nTEA,Green tea\nSALT,SALT\n");
    await products.waitForSelector("tr:has-text('TEA') del:has-text('TEA')");
    await products.waitForSelector("tr:has-text('TEA') ins:has-text('Green tea')");
    await figure(products, "Unchanged", 1);
    await run(products);
    // It can be left and come back to.
    await products.goto(house.addressOf("/products/import"));
    await products.click("tr:has-text('products.csv')");
    await products.waitForSelector(".notice.done");
  }, 60_000);

  test("a workbook is refused with what to do, and an import can be cancelled", async () => {
    const tab = await house.open("/products/import");
    tab.expectRefusals(415);
    await choose(tab.page, "book.xlsx", Buffer.from([0x50, 0x4b, 3, 4, 0]));
    await tab.page.waitForSelector("[role=alert]:has-text('CSV UTF-8')");
    await choose(tab.page, "codes.csv", "code,title\nX,Y\n");
    await tab.page.click("button:has-text('Cancel import')");
    await tab.page.waitForSelector("text=The import was cancelled");
  });

  test("looks right", async () => {
    await lookAt(house, "/orders/import", ".file-drop", "import-start");
    await lookAt(house, "/customers", "tr:has-text('zoe@example.com')", "customers-with-import");
  }, 120_000);
});
