// The branding of a merchant: its logo, uploaded and removed, and its edited colors and contact.
import { expect, test } from "bun:test";
import { pngOf } from "../../files/images.ts";
import { describeInHouse, lookAtPage, violations } from "../browser.ts";

describeInHouse("branding", (house) => {
  test("the form shows a logo and colors before they are saved, and the card afterwards", async () => {
    const { page } = await house.open("/settings/branding");
    await page.waitForSelector("h2:has-text('Branding')");
    await page.click("button:has-text('Edit')");
    await page.setInputFiles("dialog input[type=file]", {
      name: "harbor.png",
      mimeType: "image/png",
      buffer: Buffer.from(pngOf(320, 96, 0x42)),
    });
    await page.waitForSelector("dialog .brand-top img");
    await page.waitForSelector("dialog .brand-paper img");
    const width = (image: unknown) => (image as { naturalWidth: number }).naturalWidth;
    expect(await page.locator("dialog .brand-top img").evaluate(width)).toBe(320);
    await page.fill("[name=display_name]", "Harbor Goods");
    await page.fill("[name=support_email]", "help@harbor.example");
    await page.fill("[name=accent_color]", "#0b5c4a");
    await page.fill("[name=message]", "Thanks for your order!");
    const top = page.locator("dialog .brand-top");
    expect([await top.innerText(), await top.getAttribute("style")]).toEqual([
      "Harbor Goods",
      "background: rgb(11, 92, 74); color: rgb(255, 255, 255);",
    ]);
    const slip = await page.locator("dialog .brand-paper").innerText();
    for (const words of ["From Harbor Goods", "Thanks for your order!", "help@harbor.example"]) {
      expect(slip).toContain(words);
    }
    expect(await violations(page)).toEqual([]);
    await lookAtPage(page, "dialog .brand-paper img", "branding_form");
    const unsaved = (await house.live.must("GET", "/merchants/MAIN/branding")).data;
    expect([unsaved.logo_file_id, unsaved.accent_color]).toEqual([null, null]);
    await page.click("dialog button[type=submit]");
    await page.waitForSelector("dialog", { state: "detached" });
    await page.waitForSelector(".brand-top:has-text('Harbor Goods')");
    const { data } = await house.live.must("GET", "/merchants/MAIN/branding");
    expect(data).toMatchObject({ accent_color: "#0b5c4a", support_email: "help@harbor.example" });
    expect(await violations(page)).toEqual([]);
    await lookAtPage(page, "main .brand-logo img", "branding");
    await page.goto(house.addressOf("/settings/merchants/mer_1"));
    await page.waitForSelector(".brand-logo img");
    expect(await violations(page)).toEqual([]);
    await page.locator(".card:has(h2:text-is('Branding')) .card-acts button").click();
    await page.click("dialog button:has-text('Remove logo')");
    await page.waitForSelector("dialog .brand-logo", { state: "detached" });
    await page.click("dialog button[type=submit]");
    await page.waitForSelector(".brand-logo", { state: "detached" });
    expect((await house.live.must("GET", "/merchants/MAIN/branding")).data.logo_file_id).toBe(null);
  }, 60_000);

  test("a file that is no image is refused where it was chosen", async () => {
    const tab = await house.open("/settings/branding");
    const { page } = tab;
    tab.expectRefusals(415);
    await page.waitForSelector("h2:has-text('Branding')");
    await page.click("button:has-text('Edit')");
    const file = { name: "logo.png", mimeType: "image/png", buffer: Buffer.from("<svg onload='alert(1)'/>") };
    await page.setInputFiles("dialog input[type=file]", file);
    await page.waitForSelector("text=must be a PNG, JPEG or WebP image");
  }, 60_000);
});
