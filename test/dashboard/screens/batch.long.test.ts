// The screen that ships many orders: what differs from the rules, rates that no longer hold, and carriers that fail.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { buyerOf } from "../../build/buyer.ts";
import { type EasyPostMock, openEasyPost } from "../../shipping/carriers/easypost_mock.ts";
import { describeInHouse, lookAtPage } from "../browser.ts";

interface BoughtLabel {
  readonly order_id: string;
  readonly service: string;
  readonly cost: number;
}

describeInHouse({ name: "a batch", env: { PACKHOUSE_ALLOW_LOOPBACK_RECEIVERS: "true" } }, (house) => {
  let easypost: EasyPostMock;
  let make: Awaited<ReturnType<typeof buyerOf>>["order"];
  beforeAll(async () => {
    const { must } = house.test;
    easypost = await openEasyPost();
    const credentials = { api_key: easypost.key, api_url: easypost.url, label_format: "PNG" };
    const { data } = await must("POST", "/shipping/carrier_accounts", { connector: "easypost", credentials });
    await must("POST", `/shipping/carrier_accounts/${data.id}/test`, {});
    await must("POST", "/shipping/rules", {
      name: "Ground",
      conditions: { shipping_methods: ["Ground"] },
      actions: { carrier: "usps", service: "GroundAdvantage" },
    });
    for (const sku of ["TEA-1", "POT-1"]) {
      await must("POST", "/products", { sku, name: sku, weight: 1, weight_unit: "lb" });
      await must("POST", "/inventory", { sku, quantity: 100 });
    }
    const address_line2 = "SIM-NO-SCANS";
    const home = { address_line1: "12 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
    const shipping_addresses = [{ ...home, address_line2 }];
    make = (await buyerOf(must, { first_name: "Ada", last_name: "Buyer", shipping_addresses })).order;
  }, 60_000);
  afterAll(() => easypost?.stop());

  const bar = (text: string) => `.batch-bar:has-text("${text}")`;
  const primary = (text: string) => `.batch-bar .button.primary:has-text("${text}"):not([disabled])`;
  const rowOf = (number: string) => `.batch-rows tr:has-text("${number}")`;
  const ground = { shipping_method: "Ground" };
  /** The price in a row of the table. */
  const priceIn = async (page: Page, number: string) =>
    Number((await page.locator(`${rowOf(number)} td[data-label=Price]`).textContent())?.replace("$", ""));
  const labels = async (): Promise<readonly BoughtLabel[]> =>
    (await house.test.must("GET", "/shipping/labels?status=completed&limit=100")).data;
  /** Opens the batch of the listed orders that match, by keyboard. */
  async function open(prefix: string, count: number) {
    const tab = await house.open(`/orders?mode=test&q=${prefix}-&sort=created_at`);
    const { page } = tab;
    await page.waitForSelector(`tr:has-text("${prefix}-${count}")`);
    for (let row = 0; row < count; row += 1) {
      await page.keyboard.press("j");
      await page.keyboard.press("Space");
    }
    await page.waitForSelector(`.bulk-bar:has-text("${count} selected")`);
    await page.keyboard.press("l");
    return tab;
  }

  test("what differs from the rules is marked and counted, and prices stay", async () => {
    await make("D-1", [["TEA-1", 1]], ground);
    const shipping_choice = { carrier: "usps", service: "Priority" };
    const theirs = await make("D-2", [["TEA-1", 1]], { ...ground, shipping_choice });
    const heavy = await make("D-3", [["POT-1", 1]], ground);
    const { page } = await open("D", 3);
    await page.waitForSelector(primary("Buy 3 labels for $"));
    await page.waitForSelector(`${rowOf("D-2")} .batch-differs:has-text("Not by rule")`);
    const mark = await page.locator(`${rowOf("D-2")} .batch-differs small`).textContent();
    const [ruled, chosen] = [await priceIn(page, "D-1"), await priceIn(page, "D-2")];
    expect(mark).toBe(`Rule: USPS Ground Advantage, $${ruled} ($${(chosen - ruled).toFixed(2)} more)`);
    await page.waitForSelector(bar(`1 differs from the rules, $${(chosen - ruled).toFixed(2)} more`));
    await page.keyboard.press("d");
    await page.waitForSelector(rowOf("D-1"), { state: "detached" });
    expect(await page.locator(".batch-rows tbody tr").count()).toBe(1);
    await page.keyboard.press("d");
    await lookAtPage(page, rowOf("D-1"), "batch-differs");
    const dearer = await page
      .locator(`${rowOf("D-1")} option:has-text("Express")`)
      .first()
      .getAttribute("value");
    await page.selectOption(`${rowOf("D-1")} select`, dearer ?? "");
    await page.waitForSelector(bar("2 differ from the rules"));

    // The goods of one order turn out to be heavier after their rates were shown.
    await page.selectOption(`${rowOf("D-1")} select`, { index: 0 });
    await page.waitForSelector(bar("1 differs from the rules"));
    const [pot] = (await house.test.must("GET", "/products?sku=POT-1")).data;
    await house.test.must("PATCH", `/products/${pot.id}`, { weight: 9 });
    await page.click(primary("Buy 3 labels"));
    await page.waitForSelector(`${rowOf("D-3")} .field-wrong:has-text("has changed since")`);
    await page.waitForSelector(bar("2 labels bought for $"));
    const bought = await labels();
    expect(bought.map(({ order_id }) => order_id)).not.toContain(heavy.id);
    const sum = bought.reduce((all, { cost }) => all + cost, 0).toFixed(2);
    await page.waitForSelector(bar(`2 labels bought for $${sum}`));
    await lookAtPage(page, `${rowOf("D-3")} .field-wrong`, "batch-failed");
    await page.keyboard.press("r");
    await page.waitForSelector(primary("Buy 1 label for $"));
    const now = await priceIn(page, "D-3");
    expect(now).toBeGreaterThan(ruled);
    expect((await labels()).length).toBe(2);
    await page.click(primary("Buy 1 label"));
    await page.waitForSelector(bar("3 labels bought for $"));
    const all = await labels();
    expect(all.find(({ order_id }) => order_id === heavy.id)?.cost).toBe(now);
    expect(all.find(({ order_id }) => order_id === theirs.id)).toMatchObject({ service: "Priority", cost: chosen });

    const [file] = await Promise.all([page.waitForEvent("popup"), page.click(primary("Print 3 labels"))]);
    await file.close();
    await page.click(primary("Pick, pack and ship 3 orders"));
    await page.waitForSelector(bar("3 orders shipped"));
    await lookAtPage(page, bar("3 orders shipped"), "batch-done");
    const total = all.reduce((sum, { cost }) => sum + cost, 0).toFixed(2);
    for (const again of [false, true]) {
      if (again) await page.reload();
      await page.waitForSelector(bar(`3 labels bought for $${total}`));
      expect([await priceIn(page, "D-2"), await priceIn(page, "D-3")]).toEqual([chosen, now]);
    }
  }, 120_000);

  test("rates for another weight cannot be bought while new ones are loaded", async () => {
    await make("W-1", [["TEA-1", 1]], ground);
    const { page } = await open("W", 1);
    await page.waitForSelector(primary("Buy 1 label for $"));
    const light = await priceIn(page, "W-1");
    await page.fill(".batch-all [name=weight]", "12");
    expect(await page.locator(".batch-bar .button.primary:has-text('Buy')").count()).toBe(0);
    await page.waitForSelector(primary("Buy 1 label for $"));
    const heavy = await priceIn(page, "W-1");
    expect(heavy).toBeGreaterThan(light);
    const before = (await labels()).length;
    await page.click(primary("Buy 1 label"));
    await page.waitForSelector(bar("1 label bought for $"));
    const [label, ...others] = await labels();
    expect([others.length, label]).toMatchObject([before, { cost: heavy, package: { weight: 12 } }]);
  }, 60_000);

  test("labels that were bought before the carrier fails stay, and exactly the rest is bought on request", async () => {
    const count = 8;
    for (let n = 1; n <= count; n += 1) await make(`F-${n}`, [["TEA-1", 1]], ground);
    const { page } = await open("F", count);
    await page.waitForSelector(primary(`Buy ${count} labels for $`));
    await lookAtPage(page, primary("Buy"), "batch-rates");
    const [before, sold] = [(await labels()).length, easypost.purchases.length];
    const body = { error: { code: "SHIPMENT.POSTAGE.FAILURE", message: "Out of stamps.", errors: [] } };
    // After three sales, one response gets lost, one never comes, and the other purchases are refused.
    easypost.fail("lose", { having: "/buy", after: 3 });
    easypost.fail("hang", { having: "/buy", after: 3, done: true });
    easypost.fail({ status: 422, body }, { having: "/buy", after: 3, times: 3 });
    await page.click(primary("Buy"));
    await page.waitForSelector(".batch-bar >> text=Try 3 labels again", { timeout: 30_000 });
    await page.waitForSelector(bar("3 labels bought for $"));
    await page.waitForSelector(bar("2 labels waiting for the carrier"));
    expect(await page.locator(".field-wrong:has-text('Out of stamps.')").count()).toBe(3);
    await lookAtPage(page, ".field-wrong", "batch-carrier-failed");
    expect((await labels()).length - before).toBe(3);
    // The labels whose sale was not confirmed are looked up, and are not bought again.
    await page.waitForSelector(bar(`${count - 3} labels bought for $`), { timeout: 120_000 });
    expect([(await labels()).length - before, easypost.purchases.length - sold]).toEqual([count - 3, count - 3]);
    await page.keyboard.press("r");
    await page.waitForSelector(bar(`${count} labels bought for $`), { timeout: 60_000 });
    const orders = (await labels()).slice(0, count).map(({ order_id }) => order_id);
    expect([new Set(orders).size, easypost.purchases.length - sold]).toEqual([count, count]);
    expect((await labels()).length - before).toBe(count);
  }, 240_000);
});
