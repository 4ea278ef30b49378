import { expect, test } from "bun:test";
import { describeInHouse, violations } from "../browser.ts";

describeInHouse("around the screens", (house) => {
  test("shortcuts reach every screen, and its title takes the focus", async () => {
    const { page } = await house.open("/products");
    await page.waitForSelector(".empty");
    await page.keyboard.press("Control+k");
    await page.waitForSelector("dialog input:focus");
    await page.keyboard.type("new cust");
    await page.keyboard.press("Enter");
    await page.waitForSelector("h1:has-text('New customer')");
    await page.click("text=Cancel");
    await page.waitForSelector("h1:focus:has-text('Customers')");
    expect(await page.title()).toBe("Customers · Packhouse");
    await page.keyboard.press("g");
    await page.keyboard.press("p");
    await page.waitForSelector("h1:focus:has-text('Products')");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog:has-text('Keyboard shortcuts')");
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog", { state: "detached" });
  });

  test("entries are not discarded without asking, neither by a link nor by going back", async () => {
    const { page } = await house.open("/products");
    await page.click(".empty >> text=New product");
    await page.fill("[name=name]", "Half entered");
    await page.click("nav >> text=Customers");
    await page.click("dialog button:has-text('Keep editing')");
    expect(await page.inputValue("[name=name]")).toBe("Half entered");
    await page.goBack();
    await page.click("dialog button:has-text('Keep editing')");
    expect([await page.inputValue("[name=name]"), new URL(page.url()).pathname]).toEqual([
      ...["Half entered", "/dashboard/products/new"],
    ]);
    await page.click("nav >> text=Customers");
    await page.click("dialog button:has-text('Discard changes')");
    await page.waitForSelector("h1:has-text('Customers')");
  });

  test("the test environment is separate, shows a banner on each screen, and stays in each address", async () => {
    await house.live.must("POST", "/products", { sku: "LIVE-ONLY", name: "Live" });
    await house.test.must("POST", "/products", { sku: "TEST-ONLY", name: "Test" });
    const { page } = await house.open("/products");
    await page.waitForSelector("tr:has-text('LIVE-ONLY')");
    await page.click("button.environment");
    await page.waitForSelector("tr:has-text('TEST-ONLY')");
    expect(await page.locator("tr:has-text('LIVE-ONLY')").count()).toBe(0);
    await page.waitForSelector(".test-banner");
    await page.click("tr:has-text('TEST-ONLY') a");
    await page.waitForSelector("h1:has-text('Test')");
    expect(new URL(page.url()).searchParams.get("mode")).toBe("test");
    await page.waitForSelector(".test-banner");
    expect(await violations(page)).toEqual([]);
    await page.click(".test-banner button");
    await page.waitForSelector("tr:has-text('LIVE-ONLY')");
  });

  test("an unknown address shows an error, and a signed-out user returns to it after signing in", async () => {
    const lost = await house.open("/no/such/screen");
    await lost.page.waitForSelector("h1:has-text('Page not found')");
    const out = await house.open("/products?status=active", { signed_out: true });
    out.expectRefusals(401);
    await out.page.waitForURL(/\/dashboard\/sign-in\?back=/);
  });

  test("a user stays signed in while the proxy has no server, and continues once it has one", async () => {
    const tab = await house.open("/products");
    await tab.page.waitForSelector("tr:has-text('LIVE-ONLY')");
    tab.expectRefusals(502);
    await tab.page.route("**/dashboard/api/session", (route) => route.fulfill({ status: 502, body: "Bad Gateway" }));
    await tab.page.reload();
    await tab.page.waitForSelector(".offline");
    expect(new URL(tab.page.url()).pathname).toBe("/dashboard/products");
    await tab.page.unroute("**/dashboard/api/session");
    await tab.page.waitForSelector("tr:has-text('LIVE-ONLY')");
    expect(await tab.page.locator(".offline").count()).toBe(0);
  });

  test("an unreachable server is reported, and the screen keeps its data", async () => {
    const tab = await house.open("/products");
    await tab.page.waitForSelector("tr:has-text('LIVE-ONLY')");
    tab.expectFailures();
    await tab.page.context().setOffline(true);
    await tab.page.click("nav >> text=Customers");
    await tab.page.waitForSelector(".offline");
    await tab.page.context().setOffline(false);
    await tab.page.waitForSelector(".offline", { state: "detached" });
    await tab.page.waitForSelector("text=No customers yet");
  });
});
