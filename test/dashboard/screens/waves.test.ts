// The office plans waves, follows them, and keeps the totes.
import { beforeAll, expect, test } from "bun:test";
import { buyerOf } from "../../build/buyer.ts";
import { describeInHouse, lookAt, lookAtPage } from "../browser.ts";

describeInHouse("waves in the office", (house) => {
  let first: { readonly id: string };
  let held: { readonly id: string };
  let id = "";
  beforeAll(async () => {
    for (const [sku, bin] of [
      ["CUP", "A-01"],
      ["BOWL", "B-07"],
    ]) {
      await house.live.must("POST", "/products", { sku, name: sku, weight: 1, weight_unit: "kg" });
      await house.live.must("POST", "/inventory", { sku, quantity: 20, bin, location: "whs_1001" });
    }
    const { order } = await buyerOf(house.live.must);
    first = await order("W-1", [
      ["CUP", 2],
      ["BOWL", 1],
    ]);
    await order("W-2", [["BOWL", 3]]);
    held = await order("W-3", [["CUP", 1]]);
    await house.live.must("POST", `/orders/${held.id}/hold`, { reason: "payment" });
    await order("W-4", [["CUP", 90]]);
  }, 60_000);

  test("numbered totes are created, renamed and deleted", async () => {
    const { page } = await house.open("/settings/totes");
    await page.click("button:has-text('New totes')");
    await page.fill("dialog [name=prefix]", "T-");
    await page.fill("dialog [name=count]", "3");
    await page.click("dialog button:has-text('Create')");
    await page.waitForSelector("tbody tr:has-text('T-3')");
    await page.click("tr:has-text('T-2') button[aria-haspopup]");
    await page.click("[role=menuitem]:has-text('Rename')");
    await page.fill("dialog [name=code]", "CART-2");
    await page.click("dialog button:has-text('Save')");
    await page.waitForSelector("tbody tr:has-text('CART-2')");
    await page.click("tr:has-text('T-3') button[aria-haspopup]");
    await page.click("[role=menuitem]:has-text('Remove')");
    await page.click("dialog button:has-text('Remove')");
    await page.waitForSelector("tbody tr:has-text('T-3')", { state: "detached" });
  }, 60_000);

  test("a wave is planned after its dry run, and released", async () => {
    const { must } = house.live;
    const { page } = await house.open("/waves");
    await page.click("main a:has-text('Plan wave') >> nth=0");
    const preview = page.locator(".effects");
    await page.waitForSelector(".effects li:has-text('2 orders with 6 units from 2 stops')");
    expect(await preview.locator("dl > div").allTextContents()).toEqual(
      expect.arrayContaining(["On hold 1W-3", "Short of stock 1W-4"]),
    );
    expect(await preview.locator("a:has-text('W-3')").getAttribute("href")).toContain(`/orders/${held.id}`);
    await page.fill("[name='limits.orders']", "1");
    await page.waitForSelector(".effects li:has-text('1 order with 3 units')");
    await page.waitForSelector(".effects dl > div:has-text('The wave is full')");
    await lookAtPage(page, ".effects dl", "waves-plan");
    await page.fill("[name='limits.orders']", "");
    await page.waitForSelector(".effects li:has-text('2 orders with 6 units')");
    expect((await must("GET", "/waves")).data).toEqual([]);

    // It is planned only, then released.
    await page.click(".form-acts button:has(span:text-is('Plan'))");
    await page.waitForSelector("h1:has-text('Wave wav_')");
    id = /wav_\d+/.exec(page.url())?.[0] ?? "";
    expect((await must("GET", `/waves/${id}`)).data).toMatchObject({ status: "planned", progress: { orders: 2 } });
    await page.click(".page-acts button:has-text('Release')");
    await page.waitForSelector(".page-title .badge:has-text('Released')");
  }, 60_000);

  test("the page, the list and Today follow what is picked", async () => {
    const { must } = house.live;
    const { page } = await house.open(`/waves/${id}`);
    await page.waitForSelector("html[data-connected=true]");
    await must("POST", `/work/pick_${id}/claim`, { device: "D1" });
    await must("POST", `/waves/${id}/totes`, { tote: "T-1", order_id: first.id, device: "D1" });
    await must("POST", `/waves/${id}/picks`, { bin: "A-01", sku: "CUP", quantity: 2, tote: "T-1", device: "D1" });
    await page.waitForSelector(".wave-progress:has-text('2 of 6 units')");
    await page.waitForSelector("tr:has-text('W-1'):has-text('T-1')");
    await lookAt(house, `/waves/${id}`, ".wave-progress", "waves-page");
    await lookAt(house, "/waves", "tbody .wave-progress", "waves-list");
    await lookAt(house, "/settings/totes", "tbody tr:has-text('W-1')", "waves-totes");
    await lookAt(house, "/", ".today-waves .wave-progress", "waves-today");
    const today = await house.open("/", { size: "desktop" });
    const card = today.page.locator("section.card:has(.today-waves)");
    await card.waitFor();
    expect(await card.textContent()).toContain("1 Pick (1 taken)0 Pack0 Put back");
    await today.close();
  }, 120_000);

  test("an order leaves a wave, and a wave is cancelled", async () => {
    const { page } = await house.open(`/waves/${id}`);
    await page.click("tr:has-text('W-2') button[aria-haspopup]");
    await page.click("[role=menuitem]:has-text('Remove from wave')");
    await page.click("dialog button:has-text('Remove from wave')");
    await page.waitForSelector("tr:has-text('W-2')", { state: "detached" });
    await page.click(".page-acts button[aria-haspopup]");
    await page.click("[role=menuitem]:has-text('Cancel wave')");
    await page.click("dialog button:has-text('Cancel wave')");
    await page.waitForSelector(".page-title .badge:has-text('Cancelled')");
    expect((await house.live.must("GET", `/waves/${id}`)).data).toMatchObject({ status: "cancelled" });
  }, 60_000);

  test("filters and limits become the request, and one order is picked alone", async () => {
    const { must } = house.live;
    const { data: merchant } = await must("POST", "/merchants", { code: "BLUE", name: "Blue Tea" });
    const { page } = await house.open("/waves/new");
    await page.selectOption("[name=mode]", "batch");
    await page.fill("[name='filters.ship_by_before']", "2030-05-31");
    await page.selectOption("[name='filters.carrier']", "local standard");
    await page.selectOption("[name='filters.temperature_zone']", "frozen");
    await page.selectOption("[name='filters.one_unit']", "several");
    await page.fill("[name='filters.priority_min']", "5");
    await page.fill("[name='filters.tags']", "gift, rush");
    await page.check("label:has-text('Blue Tea') input");
    await page.fill("[name='limits.units']", "70");
    await page.fill("[name='limits.weight_grams']", "12.5");
    const asked = page.waitForRequest((one) => one.postDataJSON()?.limits?.volume_cm3 === 40_000);
    await page.fill("[name='limits.volume_cm3']", "40");
    expect((await asked).postDataJSON()).toEqual({
      warehouse_id: "whs_1001",
      mode: "batch",
      filters: {
        carrier: "local",
        service: "standard",
        ship_by_before: "2030-06-01T04:00:00.000Z",
        temperature_zone: "frozen",
        one_unit: false,
        priority_min: 5,
        tags: ["gift", "rush"],
        merchant_ids: [merchant.code],
      },
      limits: { orders: 50, units: 70, weight_grams: 12_500, volume_cm3: 40_000 },
    });
    await page.waitForSelector(".effects li:has-text('No order.')");

    await page.selectOption("[name=mode]", "order");
    await page.waitForSelector(".effects:has-text('Choose the order to pick.')");
    await page.fill("[role=combobox]", "W-2");
    await page.click("[role=option]:has-text('W-2')");
    await page.waitForSelector(".effects li:has-text('1 order with 3 units from 1 stop')");
    await lookAtPage(page, ".effects li", "waves-plan-order");
    await page.click("button:has-text('Plan and release')");
    await page.waitForSelector(".page-title .badge:has-text('Released')");
    await page.waitForSelector("main tr:has-text('W-2')");
    await page.waitForSelector(".card:has-text('Which orders'):has-text('Chosen orders1')");

    // Waves are the warehouse's, also in a tab of one merchant, which plans its own orders first.
    await page.goto(house.addressOf("/waves?merchant=BLUE"));
    await page.waitForSelector("tbody tr >> nth=1");
    await page.click("main a:has-text('Plan wave')");
    await page.waitForSelector(".effects li:has-text('No order.')");
    expect(await page.isChecked("label:has-text('Blue Tea') input")).toBe(true);
  }, 60_000);
});
