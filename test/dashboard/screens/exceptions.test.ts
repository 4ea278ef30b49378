// The list of everything that needs a person, and the link to it on Today.
import { expect, test } from "bun:test";
import { buyerOf } from "../../build/buyer.ts";
import { describeInHouse, lookAt } from "../browser.ts";

describeInHouse("exceptions", (house) => {
  test("lists what needs a person by kind, and an entry leaves once its cause is gone", async () => {
    const { must } = house.live;
    const empty = await house.open("/exceptions");
    await empty.page.waitForSelector("text=You're all caught up");
    await must("POST", "/products", { sku: "TEA", name: "Tea" });
    await must("POST", "/inventory", { sku: "TEA", quantity: 50 });
    const { order } = await buyerOf(must, { email: "ada@example.com" });
    const [first, second, third] = [
      await order("E-1", [["TEA", 1]]),
      await order("E-2", [["TEA", 2]]),
      await order("E-3", [["TEA", 3]]),
    ];
    await must("POST", `/orders/${first.id}/hold`, { reason: "payment" });
    await must("POST", `/orders/${second.id}/hold`, { reason: "fraud" });
    await must("POST", `/orders/${third.id}/pick`, {});
    await must("DELETE", `/orders/${third.id}?reason=customer`);
    const { page } = await house.open("/");
    await page.click("a:has-text('View all (3)')");
    await page.waitForSelector("h1:has-text('Exceptions')");
    await page.waitForSelector("tbody tr >> nth=2");
    expect(await page.locator(".view a").allTextContents()).toEqual(["All3", "On hold2", "To restock1"]);
    const held = page.locator("tr:has-text('E-1')");
    expect(await held.textContent()).toContain("It is on hold until it is paid.");
    expect(await held.textContent()).toContain("Check the payment, then release or cancel the order.");
    await page.click(".view a:has-text('To restock')");
    // The rows of the former view stay until the new ones are read.
    await held.waitFor({ state: "detached" });
    expect(await page.locator("tbody tr").count()).toBe(1);
    await page.click("tbody tr a:has-text('TEA')");
    await page.waitForSelector("h1:has-text('Restock')");
    expect(new URL(page.url()).searchParams.get("order_id")).toBe(third.id);
    await page.goto(house.addressOf("/exceptions?kind=hold"));
    await page.waitForSelector("tbody tr >> nth=1");
    await page.waitForSelector("html[data-connected=true]");
    await must("POST", `/orders/${first.id}/release`);
    await page.waitForSelector("tr:has-text('E-1')", { state: "detached" });
    await lookAt(house, "/exceptions", "tbody tr", "exceptions");
    await lookAt(house, "/", ".topics li", "exceptions-today");
  }, 120_000);
});
