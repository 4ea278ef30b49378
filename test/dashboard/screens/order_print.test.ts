// Documents of an order on screen: printed in a new tab, and marked as printed.
import { expect, test } from "bun:test";
import { describeInHouse, lookAtPage } from "../browser.ts";

const address = { address_line1: "12 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };

describeInHouse("the documents of an order", (house) => {
  const must = async (method: string, path: string, body?: unknown) => {
    const answer = await house.live.must(method, path, body);
    return answer.data ?? answer;
  };

  test("are printed from a menu, which then says when", async () => {
    const [{ warehouse_id: location }] = await must("GET", "/inventory/locations");
    await must("POST", "/products", { sku: "PRINT-1", name: "Paper", price: "4.50" });
    await must("POST", "/inventory", { sku: "PRINT-1", quantity: 9, location });
    const { id, shipping_addresses } = await must("POST", "/customers", {
      email: "print@example.com",
      first_name: "Jo",
      last_name: "Buyer",
      shipping_addresses: [address],
    });
    const order = await must("POST", "/orders", {
      order_number: "P-1",
      customer_id: id,
      shipping_address_id: shipping_addresses[0].id,
      line_items: [{ sku: "PRINT-1", quantity: 3, unit_price: "4.50" }],
    });
    const { page } = await house.open(`/orders/${order.id}`);
    const menu = ".card:has(h2:text('Documents')) [aria-haspopup=menu]";
    await page.click(menu);
    const popup = page.waitForEvent("popup");
    await page.click("[role=menuitem]:has-text('Packing slip'):not(:has-text('Labels'))");
    await popup;
    await page.waitForSelector(".toast:has-text('Opened for printing')");
    expect((await must("GET", `/orders/${order.id}`)).printed.slip_at).not.toBeNull();
    await lookAtPage(page, menu, "order-print");
    await page.click(menu);
    await page.waitForSelector("[role=menuitem]:has-text('Packing slip (printed')");
    // A resized window closes the menu.
    await page.setViewportSize({ width: 1000, height: 700 });
    await page.waitForSelector("[role=menuitem]", { state: "detached" });
    await page.waitForSelector("li:has-text('Printed')");
  }, 60_000);
});
