import { expect, test } from "bun:test";
import { describeInHouse, lookAt, lookAtPage } from "../browser.ts";

describeInHouse("packs of a product", (house) => {
  test("are added, changed and shown, and a wrong one says where", async () => {
    const size = { dimensions: { length: 40, width: 30, height: 20, unit: "cm" }, weight: 2.5, weight_unit: "kg" };
    const packs = [{ level: "pallet", quantity: 480, ...size }];
    const product = { sku: "TEA-1", name: "Green tea", packs };
    const { id } = (await house.live.must("POST", "/products", product)).data;
    const tab = await house.open(`/products/${id}/change`);
    const { page } = tab;
    tab.expectRefusals(422);
    await page.click("text=Add pack");
    await page.fill("[aria-label='Units, pack 2']", "1");
    await page.fill("[aria-label='Barcode, pack 2']", " 14006381333938 ");
    await page.click("button[type=submit]");
    await page.waitForSelector(".pack-line >> nth=1 >> .field-wrong");
    await lookAtPage(page, ".pack-line", "product-packs-form");
    await page.fill("[aria-label='Units, pack 2']", "6");
    await page.click("button[type=submit]");
    await page.waitForURL(`**/products/${id}`);
    await page.waitForSelector("text=Case of 6");
    const { data } = await house.live.must("GET", `/products/${id}`);
    const bare = { dimensions: null, weight: null, weight_unit: null };
    expect(data.packs).toEqual([
      { level: "pallet", quantity: 480, barcode: null, ...size },
      { level: "case", quantity: 6, barcode: "14006381333938", ...bare },
    ]);
    await lookAt(house, `/products/${id}`, "text=Case of 6", "product-packs");
  }, 60_000);
});
