// Sign-in by badge on a handheld scanner, and what an administrator does for it in the office.
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { describeInHouse, handhelds, lookAtPage } from "../browser.ts";
import { smallTargets, wedge } from "../floor/worker.ts";

describeInHouse("badges", (house) => {
  /** A user with the role `floor`. */
  async function worker(name: string): Promise<void> {
    const email = `${name.toLowerCase()}@example.com`;
    const { data } = await house.live.must("POST", "/invitations", { email, role: "floor" });
    const token = data.link.split("#")[1];
    const answer = await fetch(`${house.url}/dashboard/api/invitations/accept`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token, name, password: "a quite different battery" }),
    });
    expect(answer.status).toBe(201);
  }

  /** Makes a user's badge in the office, with a temporary PIN, and returns its code. */
  async function badgeFor(page: Page, name: string, pin: string): Promise<string> {
    const row = page.locator("tr", { hasText: `${name.toLowerCase()}@` });
    await row.locator("button[aria-haspopup]").click();
    await page.click("text=Badge and PIN");
    await page.click("dialog button:has-text('Set temporary PIN')");
    await page.fill("dialog [name=pin]", pin);
    await page.keyboard.press("Enter");
    await page.waitForSelector("text=PIN set.");
    await row.locator("button[aria-haspopup]").click();
    await page.click("text=Badge and PIN");
    await page.click("dialog button:has-text('Make badge')");
    await lookAtPage(page, "dialog .badge-card", "badge");
    const code = (await page.textContent("dialog .badge-card code")) ?? "";
    await page.click("dialog button:has-text('Done')");
    return code;
  }

  const press = async (page: Page, pin: string) => {
    for (const digit of pin) await page.click(`.badge-keys button:text-is('${digit}')`);
    await page.click(".badge-keys button:has-text('OK')");
  };

  test("begin with a device's link, and people take turns on it", async () => {
    await worker("Flo");
    await worker("Gil");
    const { page: office } = await house.open("/settings/devices");
    await office.click("button:has-text('Add device')");
    await office.fill("dialog [name=name]", "Scanner 4");
    await office.keyboard.press("Enter");
    await lookAtPage(office, "dialog .device-qr", "device-link");
    const link = (await office.textContent("dialog .secret code, dialog .secret input")) ?? "";
    const token = link.split("#")[1] ?? "";
    await office.click("dialog button:has-text('Done')");
    await office.waitForSelector("td:has-text('Link not opened')");
    await office.goto(house.addressOf("/settings/users"));
    const [flo, gil] = [await badgeFor(office, "Flo", "7294"), await badgeFor(office, "Gil", "8361")];
    expect(flo).toMatch(/^PHB\d{20}$/);

    const tab = await house.open(`/device#${token}`, { size: "scanner", signed_out: true });
    tab.expectRefusals(401);
    const { page } = tab;
    await lookAtPage(page, "button:has-text('Use this device')", "device", handhelds);
    await page.click("button:has-text('Use this device')");
    await lookAtPage(page, "text=Scan your badge", "badge-scan", handhelds);
    expect(await smallTargets(page)).toEqual([]);
    // Nothing is known of its scanner yet: this one types nothing after the badge.
    await wedge(page, flo, null);
    await page.waitForSelector("text=Your PIN");
    expect(await smallTargets(page)).toEqual([]);
    await press(page, "1357");
    await lookAtPage(page, "[role=alert]:has-text('The badge or the PIN is wrong')", "badge-pin", handhelds);
    await press(page, "7294");
    await page.waitForSelector("text=Choose your own PIN");
    await press(page, "5830");
    await page.waitForSelector("text=The same PIN again");
    await press(page, "5831");
    await page.waitForSelector("[role=alert]:has-text('differ')");
    await press(page, "5830");
    await press(page, "5830");
    await page.click("a:has-text('Menu')");
    await page.waitForSelector("text=Flo · Scanner 4");

    // Another person scans a badge while the first one's PIN is asked, and types the PIN on the device's own keys.
    await page.click("text=Sign out / change person");
    await page.waitForSelector("text=Scan your badge");
    await wedge(page, flo);
    await page.waitForSelector("text=Your PIN");
    await wedge(page, gil);
    await wedge(page, "8361");
    await page.waitForSelector("text=Choose your own PIN");
    for (let time = 0; time < 2; time += 1) {
      await wedge(page, "5830");
    }
    await page.click("a:has-text('Menu')");
    await page.waitForSelector("text=Gil · Scanner 4");
    await office.goto(house.addressOf("/settings/devices"));
    await office.waitForSelector("tr:has-text('Scanner 4'):has-text('Active'):has-text('Gil')");

    // Revoked in the office, the device asks for nothing but a password.
    await office.click("tr:has-text('Scanner 4') button[aria-haspopup]");
    await office.click("[role=menuitem]:has-text('Revoke')");
    await office.click("dialog button:has-text('Revoke')");
    await office.waitForSelector("td:has-text('Revoked')");
    await page.goto(house.addressOf("/floor"));
    await page.waitForSelector("[name=email]");
  }, 60_000);
});
