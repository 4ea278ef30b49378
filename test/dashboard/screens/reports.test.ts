import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { buyerOf } from "../../build/buyer.ts";
import { describeInHouse, lookAt } from "../browser.ts";

const names = [
  ...["orders", "on_time", "units_picked", "carrier_cost", "sales", "stock_ageing", "stock_turns", "fill_rate"],
];

describeInHouse("the reports", (house) => {
  beforeAll(async () => {
    const { live } = house;
    await live.must("POST", "/products", { sku: "TEA", name: "Tea" });
    await live.must("POST", "/inventory", { sku: "TEA", quantity: 20 });
    const { id } = await (await buyerOf(live.must)).order("R-1", [["TEA", 3]]);
    await live.must("POST", `/orders/${id}/pack`);
    const parcel = { weight: 2, weight_unit: "lb" };
    const label = { order_id: id, carrier: "local", service: "standard", package: parcel };
    await live.must("POST", "/shipping/labels", label);
    await live.must("POST", `/orders/${id}/ship`);
  });

  test("are chosen from a list, shown for another period, and exported", async () => {
    const { page } = await house.open("/reports");
    await page.click("a:has-text('Sales by SKU')");
    await page.waitForSelector("h1:has-text('Sales by SKU')");
    await page.waitForSelector("tbody tr:has-text('TEA') >> text=$13.50");
    await page.selectOption("select[aria-label=Period]", "last_month");
    await page.waitForSelector("text=No data in this period");
    expect(new URL(page.url()).searchParams.get("from")).toMatch(/^\d{4}-\d{2}-01$/);
    await page.selectOption("select[aria-label=Period]", "7");
    await page.waitForSelector("tbody tr:has-text('TEA')");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Export as CSV")]);
    expect(download.suggestedFilename()).toBe("sales.csv");
    const text = readFileSync((await download.path()) ?? "", "utf8");
    expect(text).toContain("TEA,Tea,USD,1,3,0,3,3,0,13.5");

    await page.goto(`${house.url}/dashboard/reports/on_time?group_by=month`);
    await page.waitForSelector("th:has-text('Month')");
    expect(await page.inputValue("select[aria-label='Group by']")).toBe("month");
  }, 40_000);

  test.each(names)("%s shows its figures and what they count", async (name) => {
    const { page } = await house.open(`/reports/${name}`);
    await page.waitForSelector("tfoot:has-text('Total')");
    await page.waitForSelector("canvas");
    await page.waitForSelector("h2:has-text('calculated')");
    await page.context().close();
  });

  test("look right", async () => {
    await lookAt(house, "/reports", "a:has-text('Sales by SKU')", "reports");
    for (const name of ["sales", "orders"]) await lookAt(house, `/reports/${name}`, "canvas", `report-${name}`);
  }, 90_000);
});
