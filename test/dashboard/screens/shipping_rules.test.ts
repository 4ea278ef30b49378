import { expect, test } from "bun:test";
import { buyerOf } from "../../build/buyer.ts";
import { describeInHouse, lookAt, lookAtPage } from "../browser.ts";

const to = {
  name: "Bo Buyer",
  address_line1: "1 Main St",
  city: "Portland",
  state: "OR",
  postal_code: "97201",
  country: "US",
};

describeInHouse("the screen of shipping rules", (house) => {
  const names = async (): Promise<string[]> =>
    (await house.live.must("GET", "/shipping/rules")).data.map(({ name }: { name: string }) => name);

  test("adds a rule by its sentences, reorders by keyboard, tries it, and shows its history", async () => {
    await house.live.must("POST", "/products", { sku: "RULED", name: "Tea", weight: 1, weight_unit: "lb" });
    await house.live.must("POST", "/inventory", { sku: "RULED", quantity: 5 });
    const { order } = await buyerOf(house.live.must, { shipping_addresses: [to] });
    await order("R-1", [["RULED", 1]], { shipping_method: "Express" });
    const { page } = await house.open("/shipping/rules");
    await page.click("main button:has-text('Add rule') >> nth=0");
    await page.fill("[name=name]", "Rush");
    await page.fill("[name='conditions.shipping_methods']", "*express*, rush");
    await page.fill("[name='conditions.countries']", "us");
    await page.selectOption("[name=how]", "named");
    await page.selectOption("[name='actions.carrier']", "local");
    await page.fill("[name='actions.service']", "express");
    await page.fill("[name='actions.priority']", "5");
    await page.click("dialog button:has-text('Create')");
    const sentence =
      "If the method is *express* or rush and the country is US: ship with Packhouse Courier express, priority 5.";
    await page.waitForSelector(`tbody tr:has-text('${sentence}')`);
    await house.live.must("POST", "/shipping/rules", { name: "Rest", actions: { choose: "cheapest_in_time" } });
    await page.waitForSelector("tbody tr:has-text('Rest')");
    const up = page.locator("button[aria-label='Move up: Rest']");
    await up.focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector("tbody tr:first-child:has-text('Rest')");
    expect(await names()).toEqual(["Rest", "Rush"]);
    await page.click("button:has-text('Try on the last 500 orders')");
    await page.waitForSelector("dialog:has-text('1 of 1 orders would be different.')");
    await page.waitForSelector("dialog tr:has-text('R-1'):has-text('cheapest in time')");
    await lookAtPage(page, "dialog tbody tr", "shipping-rules-trial");
    await page.keyboard.press("Escape");
    await page.click("tbody tr:has-text('Rush') button[aria-label='Rush']");
    await page.click("[role=menuitem]:has-text('Edit')");
    expect(await page.inputValue("[name='conditions.shipping_methods']")).toBe("*express*, rush");
    await page.fill("[name='actions.priority']", "6");
    await lookAtPage(page, "[name='actions.priority']", "shipping-rules-form");
    await page.click("dialog button:has-text('Save')");
    await page.waitForSelector("tbody tr:has-text('priority 6')");
    await page.click("tbody tr:has-text('Rush') button[aria-label='Rush']");
    await page.click("[role=menuitem]:has-text('History')");
    await page.waitForSelector("dialog tbody tr:nth-child(3):has-text('priority 5')");
  }, 60_000);

  test("is looked at", async () => {
    await lookAt(house, "/shipping/rules", "tbody tr", "shipping-rules");
  }, 120_000);
});
