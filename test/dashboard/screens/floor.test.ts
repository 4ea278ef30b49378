import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { buyerOf } from "../../build/buyer.ts";
import { describeInHouse, lookAt } from "../browser.ts";

/** Finds a product by what is typed and picks it; `meanwhile` is what happens while one looks at what was found. */
async function pick(page: Page, field: string, sku: string, meanwhile?: () => Promise<unknown>): Promise<void> {
  await page.fill(field, sku);
  await page.waitForSelector(`[role=option]:has-text('${sku}')`);
  await meanwhile?.();
  await page.press(field, "Enter");
  expect(await page.inputValue(field)).toContain(sku);
}

describeInHouse("receipts, transfers, counts and put-backs", (house) => {
  let west: string;
  const at = { location: "whs_1001" };
  const must = (method: string, path: string, body?: unknown) => house.live.must(method, path, body);
  const level = async (sku: string) => (await must("GET", `/inventory/${sku}`)).data;
  beforeAll(async () => {
    const address = { address_line1: "1 Bay", city: "Reno", state: "NV", postal_code: "89501", country: "US" };
    const location_zones = [{ zone_id: "A", temperature_zone: "ambient", bins: [{ code: "W-01" }] }];
    west = (await must("POST", "/inventory/locations", { name: "West", address, location_zones })).data.warehouse_id;
    for (const sku of ["TEA", "RICE", "SALT"]) await must("POST", "/products", { sku, name: sku, price: 2 });
    await must("POST", "/inventory", { sku: "TEA", quantity: 20, bin: "A-01", ...at });
  });

  test("an inbound shipment is announced and received line by line, and the rest is shown as missing", async () => {
    const tab = await house.open("/receipts");
    const { page } = tab;
    tab.expectRefusals(404, 422);
    await page.click(".empty >> text=New inbound shipment");
    await page.fill("[name=supplier]", "Leaf & Co");
    await page.selectOption("[name=location]", "whs_1001");
    const line = (at: number, name: string) => `.line >> nth=${at} >> .line-field:has-text('${name}') input`;
    await pick(page, line(0, "SKU"), "RICE");
    await page.fill(line(0, "Units"), "10");
    for (const at of [1, 2]) {
      await page.click("button:has-text('Add line')");
      if (at === 2) await pick(page, line(at, "SKU"), "TEA");
    }
    await page.fill(line(2, "Units"), "none");
    await page.click(".form-acts button:has-text('New inbound shipment')");
    // Beside the line that it is of, although the empty one before it was not sent.
    await page.waitForSelector(".line >> nth=2 >> .field-wrong:has-text('must be an integer')");
    await page.click("[aria-label='Remove line'] >> nth=2");
    await page.click(".form-acts button:has-text('New inbound shipment')");
    await page.waitForSelector("h1:has-text('Inbound shipment rcv_')");
    const [receipt] = (await must("GET", "/inventory/receipts")).data;
    expect(receipt).toMatchObject({ supplier: "Leaf & Co", items: [{ sku: "RICE", quantity: 10 }] });

    await page.click("button:has-text('Receive')");
    await page.fill("dialog .line-field:has-text('Units') input", "7");
    await page.fill("dialog .line-field:has-text('Bin') input", "A-02");
    await page.waitForSelector(".will:has-text('Receiving now: 7 units')");
    await page.click("dialog button:has-text('Receive')");
    await page.waitForSelector("h1 + .badge:has-text('Receiving')");
    expect(await level("RICE")).toMatchObject({ on_hand: 7, incoming: 3, locations: [{ location: "A-02" }] });
    await page.click(".page-acts button:has-text('Close')");
    await page.click("dialog:has-text('Missing: 3 units') .form-acts button:has-text('Close')");
    await page.waitForSelector("h1 + .badge:has-text('Closed')");
    expect(await level("RICE")).toMatchObject({ incoming: 0 });
  });

  test("a transfer is planned, shipped and partly received, and the missing units are written off", async () => {
    const { page } = await house.open("/transfers/new");
    await page.selectOption("[name=from_location]", "whs_1001");
    await page.selectOption("[name=to_location]", west);
    // What others do has the form drawn again, and takes nothing from what is being picked.
    await page.waitForSelector("html[data-connected=true]");
    await pick(page, ".line-field:has-text('SKU') input", "TEA", async () => {
      const read = page.waitForResponse("**/v1/inventory/locations");
      await must("POST", "/inventory", { sku: "SALT", quantity: 1, bin: "C-01", ...at });
      await (await read).finished();
    });
    await page.fill(".line-field:has-text('Units') input", "5");
    await page.click(".form-acts button:has-text('New transfer')");
    await page.click(".page-acts button:has-text('Ship')");
    await page.click("dialog:has-text('On hand decreases by 5 units') button:has-text('Ship')");
    await page.waitForSelector("h1 + .badge:has-text('In transit')");
    await page.click(".page-acts button:has-text('Receive')");
    await page.fill("dialog .line-field:has-text('Units') input", "4");
    await page.click("dialog .form-acts button:has-text('Receive')");
    await page.waitForSelector("tr:has-text('TEA') td:has-text('4')");
    await page.click(".page-acts button:has-text('Close')");
    await page.selectOption("[name=reason]", "damaged");
    await page.click("dialog .form-acts button:has-text('Close')");
    await page.waitForSelector("h1 + .badge:has-text('Received')");
    const [transfer] = (await must("GET", "/inventory/transfers")).data;
    expect(transfer.items[0]).toMatchObject({ quantity_received: 4, quantity_written_off: 1 });
    expect(await level("TEA")).toMatchObject({ on_hand: 19 });
  });

  test("bins are counted, the differences reviewed and posted", async () => {
    const { page } = await house.open("/counts");
    await page.click(".empty >> text=New count");
    await page.selectOption("dialog [name=location]", "whs_1001");
    await page.fill("[name=bins]", "A-01, A-02");
    await page.click("dialog .form-acts button:has-text('New count')");
    await page.waitForSelector("input.counted");
    await page.fill("input.counted >> nth=0", "14");
    await page.keyboard.press("Enter");
    await page.keyboard.type("7");
    await page.click("button:has-text('Save counts')");
    await page.waitForSelector("tr:has-text('TEA') .minus:has-text('-1')");
    await page.click(".page-acts button:has-text('Review')");
    await page.click("dialog button:has-text('Review')");
    await page.waitForSelector("h1 + .badge:has-text('In review')");
    expect(await level("TEA")).toMatchObject({ on_hand: 19 });
    await page.click(".page-acts button:has-text('Post count')");
    await page.waitForSelector("dialog:has-text('1 line differs: 0 units more and 1 unit fewer')");
    await page.click("dialog .form-acts button:has-text('Post count')");
    await page.waitForSelector("h1 + .badge:has-text('Posted')");
    expect(await level("TEA")).toMatchObject({ on_hand: 18 });
  });

  test("units that an order released are restocked", async () => {
    const { id } = await (await buyerOf(must)).order("SO-1", [["RICE", 2]]);
    await must("POST", `/orders/${id}/process`, {});
    await must("POST", `/orders/${id}/pick`, {});
    await must("DELETE", `/orders/${id}`);
    const { page } = await house.open("/putbacks");
    await page.click("tr:has-text('RICE') button:has-text('Restock')");
    await page.waitForSelector(".will:has-text('To A-02: 2 units. Left to restock: none')");
    await page.click("dialog .form-acts button:has-text('Restock')");
    await page.waitForSelector("text=Nothing to restock");
    expect(await level("RICE")).toMatchObject({ available: 7, unavailable: { putback: 0 } });
  });

  test("look right", async () => {
    for (const [path, ready, name] of [
      ["/receipts", "tr:has-text('Leaf & Co')", "receipts"],
      ["/receipts/new", ".line", "receipt-new"],
      ["/receipts/rcv_1001", "tr:has-text('RICE')", "receipt"],
      ["/transfers", "tr:has-text('West')", "transfers"],
      ["/transfers/trf_1001", "tr:has-text('TEA')", "transfer"],
      ["/counts", "tr:has-text('A-01')", "counts"],
      ["/counts/cnt_1001", "tr:has-text('TEA')", "count"],
      ["/putbacks", ".empty", "putbacks"],
    ] as const) {
      await lookAt(house, path, ready, name);
    }
  }, 240_000);
});
