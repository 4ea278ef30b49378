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

  test("an order shows what decided its choice and what the rules decide now, and hands it back", async () => {
    const { must } = house.live;
    for (const { id } of (await must("GET", "/shipping/rules")).data) await must("DELETE", `/shipping/rules/${id}`);
    const carton = { length: 9, width: 8, height: 7 };
    const actions = { carrier: "local", service: "express", carton, insure_above: 0 };
    const rule = (await must("POST", "/shipping/rules", { name: "Rush", actions })).data;
    const { order } = await buyerOf(must, { shipping_addresses: [to], email: "bo@example.com" });
    const { id } = await order("R-2", [["RULED", 1]], { shipping_method: "Next day" });
    const { page } = await house.open(`/orders/${id}`);
    const card = page.locator(".card", { hasText: "Shipping choice" });
    const row = (text: string) => card.locator(".facts > div", { hasText: text }).innerText();
    await card.locator("text=Packhouse Courier").waitFor();
    expect(await row("Requested")).toBe("Requested\nNext day");
    expect(await row("Service")).toBe(`Service\nPackhouse Courier Express\n${rule.id}, revision 1`);
    expect(await row("Carton")).toBe(`Carton\n9 × 8 × 7 in\n${rule.id}, revision 1`);
    expect(await card.locator("button:has-text('Use the rules')").count()).toBe(0);
    // Only the service is changed, so the rules keep the carton.
    await card.locator("button:has-text('Change choice')").click();
    await page.selectOption("[name=how]", "cheapest_in_time");
    await page.fill("[name='actions.days_max']", "2");
    await lookAtPage(page, "dialog [name='actions.days_max']", "order-choice-form");
    await page.click("dialog button:has-text('Save')");
    await card.locator("text=Rules now: local express").waitFor();
    await must("PATCH", `/shipping/rules/${rule.id}`, { actions: { ...actions, carton: { ...carton, length: 12 } } });
    await page.reload();
    await card.locator("text=Rules now: carton 12").waitFor();
    const now = (words: string) => `Rules now: ${words} (${rule.id}, revision 2)`;
    expect(await row("Service")).toBe(
      `Service\nThe cheapest within 2 days\nby a person or client\n${now("local express")}`,
    );
    expect(await row("Carton")).toBe(`Carton\n9 × 8 × 7 in\n${rule.id}, revision 1\n${now("carton 12 × 8 × 7 in")}`);
    const choice = (await must("GET", `/orders/${id}`)).data;
    expect(choice.shipping_choice).toMatchObject({ choose: "cheapest_in_time", days_max: 2, insured: true });
    expect(choice.decided_by.map(({ field, by }: { field: string; by: string }) => [field, by])).toEqual([
      ["service", "person"],
      ["carton", "rule"],
      ["insurance", "rule"],
    ]);
    await lookAt(house, `/orders/${id}`, ".rules-now", "order-choice");
    await card.locator("button:has-text('Use the rules')").click();
    await page.click("dialog button:has-text('Use the rules')");
    await card.locator("text=Packhouse Courier").waitFor();
    await card.locator("a:has-text('revision 2')").first().click();
    await page.waitForSelector("dialog:has-text('History of Rush') tbody tr:nth-child(2)");
  }, 90_000);

  test("is looked at", async () => {
    await lookAt(house, "/shipping/rules", "tbody tr", "shipping-rules");
  }, 120_000);
});
