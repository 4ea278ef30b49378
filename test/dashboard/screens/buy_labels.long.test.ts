import { expect, test } from "bun:test";
import { describeInHouse, type House, lookAtPage } from "../browser.ts";

const address = { address_line1: "12 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };

/** A product with that many units in stock, and a customer's orders for it, in one of the environments. */
async function openShop({ must }: House["live"], quantity: number) {
  const buyer = { email: "ada@example.com", first_name: "Ada", last_name: "Buyer", shipping_addresses: [address] };
  const customer = await must("POST", "/customers", buyer);
  await must("POST", "/products", { sku: "TEA-1", name: "Green tea", weight: 1, weight_unit: "lb" });
  await must("POST", "/inventory", { sku: "TEA-1", quantity });
  return async (order_number: string, shipping_method: string | null, units = 1): Promise<{ id: string }> => {
    const line_items = [{ sku: "TEA-1", quantity: units, unit_price: "4.50" }];
    const shipping_address_id = customer.shipping_addresses[0].id;
    const body = { order_number, customer_id: customer.id, shipping_address_id, line_items };
    return (await must("POST", "/orders", { ...body, shipping_method, allow_backorder: true })).data;
  };
}

describeInHouse({ name: "labels on a fresh installation", example_address: true }, (house) => {
  test("the first steps are the warehouse's address and a carrier; then labels can be bought", async () => {
    const order = await openShop(house.live, 5);
    const { id } = await order("L-1", "Express", 8);
    const tab = await house.open("/");
    const { page } = tab;
    await page.waitForSelector(".first-steps li:nth-child(1):has-text('address')");
    await page.waitForSelector(".first-steps li:nth-child(2):has-text('Connect a carrier')");
    await page.waitForSelector(".first-steps li:nth-child(1) .button.primary");
    await lookAtPage(page, ".first-steps", "first-steps");

    // The reserved units and the order's method are chosen already.
    await page.goto(house.addressOf(`/orders/${id}`));
    await page.click("text=Buy label");
    await page.waitForSelector(".rate-table tr.chosen:has-text('Express')");
    expect(await page.inputValue("dialog [aria-label='Quantity of TEA-1']")).toBe("5");
    await page.waitForSelector("dialog >> text=From 43215 Columbus US to 97201 Portland US");
    await page.waitForSelector("dialog .notice:has-text('sample prices')");
    await page.waitForSelector(".rate-table tr:has-text('Express') .badge:has-text('Sample')");
    await lookAtPage(page, ".rate-table", "buy-label");
    tab.expectRefusals(422);
    await page.click("dialog .button.primary:has-text('Buy for')");
    await page.click("dialog .button.primary:has-text('Buy at sample prices')");
    await page.waitForSelector("dialog .notice:has-text('example address')");
    await page.click("dialog a:has-text('Enter address')");

    await page.waitForSelector(".notice:has-text('example address')");
    await page.click("button:has-text('Edit')");
    await page.fill("dialog [name=name]", "Dock 7");
    await page.fill("dialog [name='address.address_line1']", "7 Harbor Way");
    await page.click("dialog button:has-text('Save')");
    await page.waitForSelector("dialog", { state: "detached" });
    const [warehouse] = (await house.live.must("GET", "/inventory/locations")).data;
    expect(warehouse).toMatchObject({ name: "Dock 7", example_address: false, address: { name: "Dock 7" } });

    // More units than stock has reserved need a reason; sample prices are not asked about again.
    await page.goto(house.addressOf(`/orders/${id}`));
    await page.click("text=Buy label");
    await page.waitForSelector(".rate-table tr.chosen:has-text('Express')");
    await page.fill("dialog [aria-label='Quantity of TEA-1']", "6");
    await page.waitForSelector("dialog .notice:has-text('more units than are reserved')");
    const buy = page.locator("dialog .button.primary:has-text('Buy for')");
    expect(await buy.isDisabled()).toBe(true);
    await page.fill("dialog [name=reason]", "Found on the dock");
    await buy.click();
    await page.waitForSelector("dialog .notice:has-text('Reason: Found on the dock')");
    const [label] = (await house.live.must("GET", `/shipping/labels?order_id=${id}`)).data;
    expect(label).toMatchObject({ service: "express", sample: true, from_address: { name: "Dock 7" } });
    await page.goto(house.addressOf(`/shipping/labels/${label.label_id}`));
    await page.waitForSelector(".badge:has-text('Sample prices')");
    await page.goto(house.addressOf("/"));
    await page.waitForSelector(".first-steps li.done:nth-child(1)");
  }, 90_000);

  test("rates are requested from the warehouse's postal code", async () => {
    const { page } = await house.open("/shipping/rates");
    await page.waitForSelector("[name=from_zip]");
    expect(await page.inputValue("[name=from_zip]")).toBe("43215");
    await page.fill("[name=to_zip]", "97201");
    await page.click("button:has-text('Get rates')");
    await page.waitForSelector("tr:has-text('Standard') .badge:has-text('Sample')");
    await page.waitForSelector(".notice:has-text('sample prices')");
    await lookAtPage(page, ".shipping-notices", "rates");
  });

  test("labels for many orders are bought at the displayed prices, each with its order's shipping method", async () => {
    const order = await openShop(house.test, 3);
    const made = [
      await order("T-1", "standard"),
      await order("T-2", "Simulated Post Priority"),
      await order("T-3", "Owl"),
      await order("T-4", null),
    ];
    const { page } = await house.open("/orders?mode=test&q=T-");
    await page.waitForSelector("tr:has-text('T-4')");
    await page.click("thead input[type=checkbox]");
    await page.click(".bulk-bar >> text=Buy labels, print and ship");
    await page.waitForURL("**/orders/batch?mode=test");
    const row = (number: string) => page.locator(`tr:has-text('${number}')`);
    await row("T-4").locator("text=1 unit short").waitFor();
    const chosen = (number: string) => row(number).locator("select option:checked").textContent();
    for (const number of ["T-1", "T-2", "T-3"]) await row(number).locator("select").waitFor();
    expect(await chosen("T-1")).toStartWith("Simulated Parcel Standard, $");
    expect(await chosen("T-2")).toStartWith("Simulated Post Priority, $");
    expect(await chosen("T-3")).toBe("Choose…");
    await page.waitForSelector(".batch-bar .button.primary:has-text('Buy 2 labels for $'):focus");
    await lookAtPage(page, ".batch-rows", "batch-buy");
    await row("T-3").locator("select").selectOption({ index: 1 });
    const buy = page.locator(".batch-bar .button.primary:has-text('Buy 3 labels for $')");
    const total = Number((await buy.textContent())?.replace(/.*\$/, ""));
    await page.keyboard.press("Control+Enter");
    await page.waitForSelector(".batch-bar:has-text('3 labels bought')");
    const labels = await Promise.all(
      made.map(async ({ id }) => (await house.test.must("GET", `/shipping/labels?order_id=${id}`)).data),
    );
    expect(labels.map((all) => all.map(({ carrier, service }: never) => `${carrier} ${service}`))).toEqual([
      ["sim standard"],
      ["sim_post priority"],
      [expect.any(String)],
      [],
    ]);
    const cents = labels.flat().reduce((sum, { cost }) => sum + Math.round(cost * 100), 0);
    expect(cents).toBe(Math.round(total * 100));
    // The batch lasts over a reload.
    await page.reload();
    await page.waitForSelector(".batch-bar .button.primary:has-text('Print 3 labels'):focus");
    const [popup] = await Promise.all([page.waitForEvent("popup"), page.keyboard.press("Enter")]);
    await page.waitForSelector(".notice:has-text('The file has 6 pages')");
    await popup.close();
    await lookAtPage(page, ".batch-rows", "batch-printed");
    await page.click(".batch-bar .button.primary:has-text('Pick, pack and ship 3 orders')");
    await page.waitForSelector(".toast:has-text('3 orders shipped')");
    const statuses = made.map(async ({ id }) => (await house.test.must("GET", `/orders/${id}`)).data.status);
    expect(await Promise.all(statuses)).toEqual(["shipped", "shipped", "shipped", "pending"]);
    await lookAtPage(page, ".batch-rows", "batch-shipped");
    await page.click(".batch-bar >> text=Back to orders");
    // What was skipped stays selected.
    await page.waitForSelector(".bulk-bar:has-text('1 selected')");
    await page.waitForSelector("tr.chosen:has-text('T-4')");
  }, 90_000);
});
