import { expect, test } from "bun:test";
import { buyerOf } from "../../build/buyer.ts";
import { describeInHouse, lookAt } from "../browser.ts";

describeInHouse("the customers", (house) => {
  test("are created with an address, validated, edited and found", async () => {
    const tab = await house.open("/customers");
    const { page } = tab;
    await page.click(".empty >> text=New customer");
    await page.fill("[name=first_name]", "Jane");
    await page.fill("[name=last_name]", "Doe");
    await page.fill("[name=email]", "jane@example.com");
    const line = (name: string) => `[name='shipping_addresses[0].${name}']`;
    await page.fill(line("address_line1"), "12 Elm St");
    await page.fill(line("city"), "Portland");
    await page.fill(line("state"), "OR");
    tab.expectRefusals(422);
    await page.click("button:has-text('Create')");
    // The API's message is shown at the line it concerns.
    await page.waitForSelector("[data-field='shipping_addresses[0].postal_code'] .field-wrong");
    await page.fill(line("postal_code"), "97201");
    await page.click("button:has-text('Create')");
    await page.waitForSelector("h1:has-text('Jane Doe')");
    await page.waitForSelector(".address-lines:has-text('12 Elm St')");

    await page.click("text=Add address");
    await page.fill("[name='address.name']", "Jane at work");
    await page.fill("[name='address.address_line1']", "1 Main St");
    await page.fill("[name='address.city']", "Seattle");
    await page.fill("[name='address.state']", "OR");
    await page.fill("[name='address.postal_code']", "97201");
    await page.click("text=Check address");
    await page.waitForSelector(".address-check .notice");
    await page.fill("[name='address.city']", "Portland");
    await page.click("dialog button:has-text('Save')");
    await page.waitForSelector(".address-lines:has-text('1 Main St')");
    const [jane] = (await house.live.must("GET", "/customers?q=jane")).data;
    expect(jane.shipping_addresses.map(({ name }: { name: string }) => name)).toEqual(["Jane Doe", "Jane at work"]);

    await page.click("a:has-text('Edit')");
    await page.fill("[name=company]", "Elm Trading");
    await page.click("button:has-text('Save')");
    await page.waitForSelector(".page-below:has-text('Elm Trading')");
    await page.click("a.page-back");
    await page.fill("input[type=search]", "elm trad");
    await page.waitForURL(/[?&]q=elm\+trad(?:&|$)/);
    await page.waitForSelector("tr:has-text('jane@example.com')");
  });

  test("show their orders", async () => {
    await house.live.must("POST", "/products", { sku: "TEA-1", name: "Tea" });
    const { customer, order } = await buyerOf(house.live.must, { email: "o@example.com" });
    await order("SO-77", [["TEA-1", 2]], { allow_backorder: true });
    const { page } = await house.open(`/customers/${customer.id}`);
    await page.waitForSelector("tr:has-text('SO-77')");
    await lookAt(house, `/customers/${customer.id}`, "tr:has-text('SO-77')", "customer");
    await lookAt(house, "/customers", "tr:has-text('o@example.com')", "customers");
    await lookAt(house, "/customers/new", "[name=email]", "customer-new");
  }, 60_000);
});
