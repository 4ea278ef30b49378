// Which data the dashboard opens on: live data, unless only test data has orders and the user has not chosen yet.
import { beforeAll, expect, test } from "bun:test";
import { buyerOf } from "../../build/buyer.ts";
import { describeInHouse, owner } from "../browser.ts";

describeInHouse("the dashboard opens", (house) => {
  beforeAll(async () => {
    await house.test.must("POST", "/products", { sku: "TEA", name: "Tea" });
    await (await buyerOf(house.test.must)).order("T-1", [["TEA", 1]]);
  });
  const modeOf = (address: string) => new URL(address).searchParams.get("mode");

  test("on test data while only that has orders, until the user chooses live data", async () => {
    const { page } = await house.open("/");
    await page.waitForSelector(".test-banner");
    expect(modeOf(page.url())).toBe("test");
    await page.click(".test-banner button");
    await page.waitForSelector(".test-banner", { state: "detached" });
    await page.goto(house.addressOf("/"));
    await page.waitForSelector("html[data-connected=true]");
    expect([modeOf(page.url()), await page.locator(".test-banner").count()]).toEqual([null, 0]);
  });

  test("on test data after signing in, and on the page that a link names as it is", async () => {
    const tab = await house.open("/", { signed_out: true });
    tab.expectRefusals(401);
    const { page } = tab;
    await page.waitForSelector("h1:has-text('Sign in')");
    await page.fill("[name=email]", owner.email);
    await page.fill("[name=password]", owner.password);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".test-banner");
    expect(modeOf(page.url())).toBe("test");
    const other = await house.open("/orders");
    await other.page.waitForSelector("html[data-connected=true]");
    expect([modeOf(other.page.url()), await other.page.locator(".test-banner").count()]).toEqual([null, 0]);
  });
});
