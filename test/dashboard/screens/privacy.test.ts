// Export and erasure of personal data, from the page of a customer and by email address.
import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describeInHouse, lookAt, violations } from "../browser.ts";

const place = { address_line1: "2 Oak St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };

describeInHouse("the screens about privacy", (house) => {
  let jane: { readonly id: string; readonly shipping_addresses: readonly { readonly id: string }[] };
  let order: { readonly id: string };
  beforeAll(async () => {
    jane = await made("jane@example.com", "Jane", "Doe");
    await house.live.must("POST", "/products", { sku: "TEA", name: "Tea" });
    order = (
      await house.live.must("POST", "/orders", {
        order_number: "SO-77",
        customer_id: jane.id,
        shipping_address_id: jane.shipping_addresses[0]?.id,
        line_items: [{ sku: "TEA", quantity: 2, unit_price: "4.50" }],
        allow_backorder: true,
      })
    ).data;
  });

  const made = (email: string, first_name: string, last_name: string) =>
    house.live.must("POST", "/customers", { email, first_name, last_name, shipping_addresses: [place] });

  /** What a page saves as a file, by its name and its content. */
  async function saved(page: Page, act: () => Promise<void>) {
    const [file] = await Promise.all([page.waitForEvent("download"), act()]);
    return { name: file.suggestedFilename(), told: JSON.parse(readFileSync(await file.path(), "utf8")) };
  }

  test("a customer's data is exported; erasure is refused while an order is open, then done", async () => {
    const tab = await house.open(`/customers/${jane.id}`);
    const { page } = tab;
    await page.click(".page-acts [aria-label=More]");
    await page.click("[role=menuitem]:has-text('Export personal data')");
    const { name, told } = await saved(page, () => page.click("dialog button:has-text('Save file')"));
    expect(name).toBe(`jane-doe-${jane.id.replace("_", "-")}.json`);
    expect(told.about.customers).toEqual([jane.id]);
    expect(JSON.stringify(told.records)).toContain("2 Oak St");
    await page.waitForSelector(`.toast:has-text('${name}')`);

    const erase = async () => {
      await page.click(".page-acts [aria-label=More]");
      await page.click("[role=menuitem]:has-text('Erase')");
    };
    await erase();
    await page.waitForSelector("dialog:has-text('be undone.'):has-text('Sales, shipments')");
    expect(await violations(page)).toEqual([]);
    tab.expectRefusals(409, 422);
    await page.click("dialog button:has-text('Erase permanently')");
    await page.waitForSelector("dialog .notice:has-text('order SO-77 still needs the address')");
    await page.fill("dialog [name=after_days]", "a week");
    await page.click("dialog button:has-text('Erase permanently')");
    await page.waitForSelector("dialog [data-field=after_days] .field-wrong");
    await page.fill("dialog [name=after_days]", "0");
    await page.click("dialog button:has-text('Erase permanently')");
    await page.waitForSelector(".notice:has-text('erased once their open orders have ended')");
    await page.waitForSelector(".card:has-text('Waiting for open orders')");
    await page.waitForSelector("h1:has-text('Jane Doe')");

    await page.click(".card-acts button:has-text('Cancel erasure')");
    await page.waitForSelector("dialog:has-text('Nothing has been erased yet.')");
    expect(await violations(page)).toEqual([]);
    await page.click("dialog button:has-text('Cancel erasure')");
    await page.waitForSelector(".toast:has-text('Erasure cancelled')");
    await page.waitForSelector(".card:has-text('Waiting for open orders')", { state: "detached" });
    expect((await house.live.must("GET", `/erasures?customer_id=${jane.id}`)).data).toEqual([]);
    await house.live.must("POST", `/customers/${jane.id}/erasure`, { after_days: 0 });

    await house.live.must("DELETE", `/orders/${order.id}`);
    // It is looked at again in an hour: whoever asks once more is answered the same.
    expect((await house.live.must("GET", `/erasures?customer_id=${jane.id}`)).data).toHaveLength(1);
  });

  test("an erased customer has no name, and its page lists the kept records and the manual steps", async () => {
    const { id } = await made("bo@example.com", "Bo", "Ek");
    const { page } = await house.open(`/customers/${id}`);
    await page.click(".page-acts [aria-label=More]");
    await page.click("[role=menuitem]:has-text('Erase')");
    await page.click("dialog button:has-text('Erase permanently')");
    await page.waitForSelector("h1:has-text('Erased customer')");
    await page.waitForSelector(".notice:has-text('This customer was erased')");
    await page.waitForSelector(".card:has-text('Erased records') dl:has-text('Addresses')");
    await page.waitForSelector(".card:has-text('Manual steps') li:has-text('Mailboxes')");
    await page.waitForSelector("li:has-text('Webhook receivers') small:has-text('None of the webhooks')");
    await page.waitForSelector(".card:has-text('Kept records, and why') li:has-text('Kept for 400 days')");
    expect(await page.textContent("main")).not.toContain("Ek");
    expect(await page.locator("a:has-text('Edit'), button:has-text('Add address')").count()).toBe(0);
    await page.click(".page-acts [aria-label=More]");
    expect(await page.locator("[role=menuitem]").allTextContents()).toEqual(["Export personal data"]);
    await page.keyboard.press("Escape");
    await lookAt(house, `/customers/${id}`, ".points li", "customer-erased");
    await lookAt(house, `/customers/${jane.id}`, ".points li", "customer-erasing");
  }, 60_000);

  test("data of an email address is exported and erased, whether or not a customer has it", async () => {
    const { page } = await house.open("/settings/privacy");
    await page.click("button:has-text('Export personal data')");
    await page.fill("dialog [name=email]", "nobody@example.com");
    const { name, told } = await saved(page, () => page.click("dialog button:has-text('Save file')"));
    expect([name, told.about.customers]).toEqual(["nobody@example.com.json", []]);
    const { id } = await made("max@example.com", "Max", "Roe");
    await page.click("button:has-text('Erase by email address')");
    await page.fill("dialog [name=email]", "max@example.com");
    expect(await violations(page)).toEqual([]);
    await page.click("dialog button:has-text('Erase permanently')");
    await page.waitForSelector(`.facts a:has-text('${id}')`);
    await page.waitForSelector(".badge:has-text('Done')");
    await page.click("a.page-back");
    await page.waitForSelector(`tbody tr:first-child:has-text('${id}'):has-text('Done')`);
    await page.waitForSelector(`tbody tr:has-text('${jane.id}'):has-text('Waiting')`);
    expect(await page.locator("tbody tr").count()).toBe(3);
    const [{ id: erasure }] = (await house.live.must("GET", "/erasures?limit=1")).data;
    await lookAt(house, "/settings/privacy", "tbody tr", "privacy");
    await lookAt(house, `/settings/privacy/${erasure}`, ".points li", "erasure");
  }, 60_000);
});
