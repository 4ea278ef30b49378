import { beforeAll, expect, test } from "bun:test";
import { buyerOf } from "../../build/buyer.ts";
import { describeInHouse } from "../browser.ts";

describeInHouse("a list", (house) => {
  beforeAll(async () => {
    const { live } = house;
    await live.must("POST", "/products", { sku: "ROW-1", name: "Row" });
    await live.must("POST", "/inventory", { sku: "ROW-1", quantity: 500, location: "whs_1001" });
    const buyer = await buyerOf(live.must, { email: "ada@example.com", first_name: "Ada", last_name: "Buyer" });
    for (let n = 101; n <= 160; n += 1) await buyer.order(`R-${n}`, [["ROW-1", 1]]);
  }, 60_000);

  test("keeps its page, filters, scroll position, focus and selection", async () => {
    const { page } = await house.open("/orders?sort=created_at&q=R-1&status=pending");
    await page.waitForSelector("tr:has-text('R-101')");
    for (const key of ["j", "x", "j", "j", "X"]) await page.keyboard.press(key);
    await page.waitForSelector(".bulk-bar:has-text('3 selected')");
    await page.click(".pages [aria-label=Next]");
    await page.waitForSelector("tr:has-text('R-151')");
    // The selection is that of all pages.
    await page.waitForSelector(".bulk-bar:has-text('3 selected')");
    await page.click(".pages [aria-label=Previous]");
    await page.waitForSelector("tr:has-text('R-150')");
    const address = new URL(page.url());
    await page.locator("tr:has-text('R-148') a.row-link").focus();
    await page.evaluate("window.scrollTo(0, 700)");
    await page.keyboard.press("Enter");
    await page.waitForSelector("h1:has-text('R-148')");
    await page.keyboard.press("u");
    await page.waitForSelector("tr:has-text('R-148') a.row-link:focus");
    await page.waitForFunction("Math.abs(window.scrollY - 700) < 60");
    const back = new URL(page.url());
    expect(Object.fromEntries(back.searchParams)).toEqual(Object.fromEntries(address.searchParams));
    await page.waitForSelector(".bulk-bar:has-text('3 selected')");
    await page.reload();
    await page.waitForSelector(".bulk-bar:has-text('3 selected')");
    await page.waitForSelector("tr.chosen:has-text('R-102')");
    await page.waitForSelector("tr:has-text('R-148') a.row-link:focus");
    // Other filters have another selection, and another list has none.
    await page.click(".list-bar >> text=Clear filters");
    await page.waitForSelector(".bulk-bar", { state: "detached" });
    await page.goto(house.addressOf("/products"));
    await page.waitForSelector("tr:has-text('ROW-1')");
    expect(await page.locator(".bulk-bar").count()).toBe(0);
  }, 60_000);

  test("selects all rows of the page, then all that match", async () => {
    const { page } = await house.open("/orders?sort=created_at&q=R-1");
    await page.waitForSelector("tr:has-text('R-101')");
    await page.keyboard.press("a");
    await page.waitForSelector(".bulk-bar:has-text('50 selected')");
    await page.click(".bulk-bar >> text=Select all 60");
    await page.waitForSelector(".bulk-bar:has-text('60 selected')");
    await page.keyboard.press("a");
    await page.waitForSelector(".bulk-bar", { state: "detached" });
    await page.keyboard.press("a");
    await page.waitForSelector(".bulk-bar:has-text('50 selected')");
    await page.keyboard.press("A");
    await page.waitForSelector(".bulk-bar:has-text('60 selected')");
  });
});
