// The branding of a merchant: its logo, uploaded and removed, and its edited colors and contact.
import { expect, test } from "bun:test";
import { pngOf } from "../../files/images.ts";
import { describeInHouse, lookAtPage, violations } from "../browser.ts";

describeInHouse("branding", (house) => {
  test("a logo is uploaded and shown, and the branding is edited", async () => {
    const { page } = await house.open("/settings/branding");
    await page.waitForSelector("h2:has-text('Branding')");
    await page.setInputFiles("input[type=file]", {
      name: "harbor.png",
      mimeType: "image/png",
      buffer: Buffer.from(pngOf(320, 96, 0x42)),
    });
    await page.waitForSelector(".brand-logo img");
    const width = (image: unknown) => (image as { naturalWidth: number }).naturalWidth;
    expect(await page.locator(".brand-logo img").evaluate(width)).toBe(320);
    await page.click("button:has-text('Edit')");
    await page.fill("[name=display_name]", "Harbor Goods");
    await page.fill("[name=support_email]", "help@harbor.example");
    await page.fill("[name=accent_color]", "#0b5c4a");
    await page.fill("[name=message]", "Thanks for your order!");
    await page.click("dialog button[type=submit]");
    await page.waitForSelector(".brand-top:has-text('Harbor Goods')");
    const { data } = await house.live.must("GET", "/merchants/MAIN/branding");
    expect(data).toMatchObject({ accent_color: "#0b5c4a", support_email: "help@harbor.example" });
    expect(await violations(page)).toEqual([]);
    await lookAtPage(page, ".brand-logo img", "branding");
    await page.goto(house.addressOf("/settings/merchants/mer_1"));
    await page.waitForSelector(".brand-logo img");
    expect(await violations(page)).toEqual([]);
    await page.click("button:has-text('Remove logo')");
    await page.waitForSelector(".brand-logo", { state: "detached" });
    expect((await house.live.must("GET", "/merchants/MAIN/branding")).data.logo_file_id).toBe(null);
  }, 60_000);

  test("a file that is no image is refused where it was chosen", async () => {
    const tab = await house.open("/settings/branding");
    const { page } = tab;
    tab.expectRefusals(415);
    await page.waitForSelector("h2:has-text('Branding')");
    const file = { name: "logo.png", mimeType: "image/png", buffer: Buffer.from("<svg onload='alert(1)'/>") };
    await page.setInputFiles("input[type=file]", file);
    await page.waitForSelector("text=must be a PNG, JPEG or WebP image");
  }, 60_000);
});
