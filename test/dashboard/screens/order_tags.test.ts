import { beforeAll, expect, test } from "bun:test";
import { buyerOf } from "../../build/buyer.ts";
import { describeInHouse, lookAt, lookAtPage } from "../browser.ts";

describeInHouse("tags, notes and filters of orders", (house) => {
  const made: { id: string; order_number: string }[] = [];
  beforeAll(async () => {
    const { live } = house;
    const buyer = await buyerOf(live.must, { email: "ada@example.com", first_name: "Ada", last_name: "Buyer" });
    await live.must("POST", "/products", { sku: "TEA-1", name: "Green tea" });
    await live.must("POST", "/inventory", { sku: "TEA-1", quantity: 100, location: "whs_1001" });
    for (const [at, quantity] of [1, 2, 3].entries()) made.push(await buyer.order(`T-${at}`, [["TEA-1", quantity]]));
    await live.must("PATCH", `/orders/${made[1]?.id}`, { tags: ["Gift wrap"], packing_note: "Use tissue paper." });
  }, 60_000);

  test("a tag is added and removed on the order's page, and a note appears on its timeline", async () => {
    const [order] = made;
    const { page } = await house.open(`/orders/${order?.id}`);
    await page.fill("[aria-label='Add a tag']", "VIP");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".tags >> text=VIP");
    await page.fill("[aria-label='Add a tag']", "Fragile");
    await page.click(".add-tag button");
    await page.waitForSelector(".tags >> text=Fragile");
    await page.click("[aria-label='Remove tag VIP']");
    await page.waitForSelector(".tags >> text=VIP", { state: "detached" });
    expect((await house.live.must("GET", `/orders/${order?.id}`)).data.tags).toEqual(["Fragile"]);
    await page.click("text=Add note");
    await page.fill("dialog [name=text]", "The buyer called.");
    await page.click("dialog button:has-text('Save')");
    await page.waitForSelector(".timeline li.note:has-text('The buyer called.')");
    await lookAt(house, `/orders/${order?.id}`, ".timeline li.note", "order-tags");
  }, 60_000);

  test("the timeline shows the newest notes, and all of them on request", async () => {
    const [order] = made;
    const write = (at: number) =>
      house.live.must("POST", `/orders/${order?.id}/notes`, { text: `Phoned ${at} times.` });
    for (let at = 1; at <= 205; at += 1) await write(at);
    const { page } = await house.open(`/orders/${order?.id}`);
    await page.waitForSelector(".timeline li:has-text('Phoned 205 times.')");
    // The first of all entries, which is older than many notes, waits as well.
    expect(await page.locator(".timeline li:has-text('Placed')").count()).toBe(0);
    expect(await page.locator(".timeline li:has-text('Phoned 1 times.')").count()).toBe(0);
    await lookAtPage(page, "text=Show older entries", "order-timeline");
    await page.click("text=Show older entries");
    await page.waitForSelector(".timeline li:has-text('Phoned 1 times.')");
    await page.waitForSelector(".timeline li:has-text('Placed')");
    expect(await page.locator(".timeline li:has-text('Phoned')").count()).toBe(205);
    expect(await page.locator("text=Show older entries").count()).toBe(0);
  }, 60_000);

  test("the list is filtered by a tag and by one unit, and views show their counts", async () => {
    const { page } = await house.open("/orders");
    await page.waitForSelector("tr:has-text('T-2')");
    await page.waitForSelector(".view:has-text('All') .count:text-is('3')");
    await page.click("text=More filters");
    await page.selectOption("[aria-label='Tag']", "Gift wrap");
    await page.waitForSelector("tr:has-text('T-2')", { state: "detached" });
    expect(await page.locator("tbody tr").count()).toBe(1);
    await page.click(".views >> text=One unit");
    await page.waitForSelector("tr:has-text('T-0')");
    await page.waitForSelector("tr:has-text('T-1')", { state: "detached" });
    await page.click(".views >> text=Short");
    await page.click(".chips button");
    await page.waitForSelector("tr:has-text('T-2')");
    expect(new URL(page.url()).searchParams.has("short")).toBe(false);
    await lookAt(house, "/orders?tag=gift%20wrap&sku=TEA-1", "tr:has-text('T-1')", "order-filters");
  }, 60_000);
});
