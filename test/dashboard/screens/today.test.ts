import { expect, test } from "bun:test";
import { buyerOf } from "../../build/buyer.ts";
import { describeInHouse, lookAt } from "../browser.ts";

describeInHouse("today", (house) => {
  let number = 0;
  const order = async (sku: string, quantity: number) => {
    number += 1;
    const buyer = await buyerOf(house.live.must, { email: `buyer${number}@example.com` });
    return buyer.order(`T-${number}`, [[sku, quantity]], { shipping_method: "ground" });
  };

  test("lists the first steps of a new warehouse, and ticks each once it is done", async () => {
    const { page } = await house.open("/");
    await page.waitForSelector("h2:has-text('Set up your warehouse')");
    expect(await page.getAttribute("a:has-text('New product')", "href")).toBe("/dashboard/products/new");
    expect(await page.locator(".first-steps .done").count()).toBeLessThan(3);
    await page.waitForSelector("html[data-connected=true]");
    await house.live.must("POST", "/products", { sku: "TEA", name: "Tea", reorder_point: 5 });
    await page.waitForSelector(".first-steps li.done:has-text('first product')");
    await house.live.must("POST", "/inventory", { sku: "TEA", quantity: 4 });
    await page.waitForSelector(".first-steps li.done:has-text('Receive stock')");
    // The one SKU there is less of than its reorder point.
    await page.waitForSelector(".rows:has-text('4 available, reorder at 5')");
  });

  test("lets its first steps be dismissed, and undone", async () => {
    const { page } = await house.open("/");
    await page.waitForSelector(".first-steps");
    await page.click("button[aria-label='Dismiss steps'], button[title='Dismiss steps']");
    await page.waitForSelector(".first-steps", { state: "detached" });
    await page.click(".toast >> text=Undo");
    await page.waitForSelector(".first-steps");
    await page.click("button[aria-label='Dismiss steps'], button[title='Dismiss steps']");
    await page.reload();
    await page.waitForSelector(".topics", { state: "attached" });
    expect(await page.locator(".first-steps").count()).toBe(0);
  });

  test("shows departures and pending work with reasons at once, with links to resolve it", async () => {
    const { page } = await house.open("/");
    await page.waitForSelector("html[data-connected=true]");
    const first = await order("TEA", 1);
    const short = await order("TEA", 9);
    await page.waitForSelector(".progress-parts:has-text('1 To pick')");
    await page.waitForSelector(".progress-parts:has-text('1 Short of stock')");
    await page.waitForSelector(`.topics li:has-text('Short of stock') >> text=${short.order_number}`);
    await house.live.must("POST", `/orders/${first.id}/hold`, { reason: "payment" });
    const hold = page.locator(".topics li:has-text('On hold: payment')");
    await hold.waitFor();
    expect(await hold.locator(".samples a").getAttribute("href")).toBe(`/dashboard/orders/${first.id}`);
    const all = await hold.locator(".topic-head a").getAttribute("href");
    expect(new URL(all ?? "", house.url).searchParams.get("hold_reason")).toBe("payment");
    await house.live.must("POST", `/orders/${first.id}/release`);
    await hold.waitFor({ state: "detached" });
    await house.live.must("POST", `/orders/${first.id}/ship`);
    await page.waitForSelector(".progress-parts:has-text('1 Shipped')");
    // The plots, which rest between two readings, tell the same to who does not see them.
    await page.reload();
    await page.waitForSelector(".plots canvas");
    await page.waitForSelector(".plots table:has-text('Shipped')", { state: "attached" });
  }, 40_000);

  test("links each number of a departure to its orders", async () => {
    const one = await order("TEA", 1);
    const { page } = await house.open("/");
    const cell = page.locator(".departures tr:has-text('Ground') td[data-label='Orders'] a").first();
    const href = new URL((await cell.getAttribute("href")) ?? "", house.url);
    expect(Object.fromEntries(href.searchParams)).toMatchObject({ shipping_method: "ground" });
    const found = await house.live.must("GET", `/orders${href.search}`);
    expect(found.data.map(({ id }: { id: string }) => id)).toContain(one.id);
    expect(String(found.data.length)).toBe((await cell.textContent()) ?? "");
    await cell.click();
    await page.waitForSelector(`tr:has-text('${one.order_number}')`);
  });

  test("names the time zone of a cut-off if the user's differs", async () => {
    const [{ warehouse_id }] = (await house.live.must("GET", "/inventory/locations")).data;
    const zoned = (timezone: string) => house.live.must("PATCH", `/inventory/locations/${warehouse_id}`, { timezone });
    await zoned("America/New_York");
    const { page } = await house.open("/");
    await page.waitForSelector("text=/Cut-off \\d+:\\d+.[AP]M( on|$)/");
    await zoned("America/Los_Angeles");
    await page.waitForSelector("text=/Cut-off \\d+:\\d+.[AP]M.P[SD]T( on|$)/");
    await zoned("America/New_York");
  });

  test("looks right", async () => {
    await lookAt(house, "/", ".plots canvas", "today");
  }, 60_000);
});
