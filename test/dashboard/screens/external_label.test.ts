// A label that was bought elsewhere, added to an order on screen with its file, printed and voided.
import { expect, test } from "bun:test";
import { describeInHouse, lookAtPage } from "../browser.ts";

const address = { address_line1: "12 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
const zpl = "^XA^FO60,60^A0N,48^FDUPS Ground^FS^XZ";

describeInHouse("a label that was bought elsewhere", (house) => {
  const must = async (method: string, path: string, body?: unknown) => {
    const answer = await house.live.must(method, path, body);
    return answer.data ?? answer;
  };

  test("is added with its file, shown, and voided with a reminder of the refund", async () => {
    await must("POST", "/products", { sku: "TEA-1", name: "Tea", weight: 1, weight_unit: "lb" });
    await must("POST", "/inventory", { sku: "TEA-1", quantity: 9 });
    const { id, shipping_addresses } = await must("POST", "/customers", {
      email: "ada@example.com",
      first_name: "Ada",
      last_name: "Buyer",
      shipping_addresses: [address],
    });
    const order = await must("POST", "/orders", {
      order_number: "E-1",
      customer_id: id,
      shipping_address_id: shipping_addresses[0].id,
      line_items: [{ sku: "TEA-1", quantity: 2, unit_price: "4.50" }],
    });
    const tab = await house.open(`/orders/${order.id}`);
    const { page } = tab;
    await page.click("button:has-text('Add label')");
    expect(await page.inputValue("dialog [aria-label='Quantity of TEA-1']")).toBe("2");
    await page.fill("dialog [name=carrier]", "ups");
    await page.fill("dialog [name=service]", "Ground");
    await page.fill("dialog [name=tracking_number]", "1Z999AA10123456784");
    await page.fill("dialog [name=cost]", "8.40");
    const choose = (name: string, text: string) =>
      page.setInputFiles("dialog input[type=file]", { name, mimeType: "text/plain", buffer: Buffer.from(text) });
    tab.expectRefusals(415);
    await choose("label.txt", "Not a label");
    await page.waitForSelector("dialog .field-wrong:has-text('PDF, a PNG or ZPL')");
    await choose("label.zpl", zpl);
    await page.waitForSelector("dialog bdi:has-text('label.zpl')");
    await lookAtPage(page, "dialog", "external-label");
    await page.click("dialog .button.primary:has-text('Add label')");
    await page.waitForSelector(".toast:has-text('Label 1Z999AA10123456784 added')");
    await page.waitForSelector(".parcel:has-text('$8.40'):has-text('bought elsewhere')");
    const [label] = await must("GET", `/shipping/labels?order_id=${order.id}`);
    expect(label).toMatchObject({ external: true, cost: 8.4, package: { weight: 2, weight_unit: "lb" } });
    await lookAtPage(page, ".parcel", "external-label-parcel");
    await page.click(".parcel button:has-text('Print label')");
    await page.waitForSelector("dialog:has-text('for a label printer')");
    await page.keyboard.press("Escape");
    await page.click(".parcel button:has-text('Void label')");
    await page.waitForSelector("dialog:has-text('request the refund there')");
    await page.click("dialog button:has-text('Void label')");
    await page.waitForSelector(".toast:has-text('Label voided')");
    expect((await must("GET", `/shipping/labels/${label.label_id}`)).status).toBe("voided");
  }, 60_000);
});
