import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { describeInHouse, lookAt, violations } from "../browser.ts";

const titlesIn = (page: Page, selector: string) => page.locator(selector).allTextContents();

describeInHouse("the settings", (house) => {
  test("are listed by group, each group with cards that show the current state", async () => {
    const { page } = await house.open("/settings");
    await page.waitForSelector(".settings-group");
    const groups = ["Warehouse", "Merchants", "Shipping", "Developers", "System"];
    expect(await titlesIn(page, ".settings-group h2")).toEqual(groups);
    expect(await titlesIn(page, ".sidebar .nav-items a")).toEqual(groups);
    expect(await violations(page)).toEqual([]);
    await page.click(".sidebar .nav-items >> text=Developers");
    await page.waitForSelector("h1:focus:has-text('Developers')");
    await page.waitForSelector(".settings-card:has-text('API keys'):has-text('1 key')");
    expect(await violations(page)).toEqual([]);
    await page.click(".settings-card:has-text('API keys')");
    await page.waitForSelector("h1:has-text('API keys')");
    await page.waitForSelector(".sidebar .nav-items [aria-current=true]:has-text('Developers')");
    await page.click(".page-back:has-text('Developers')");
    await page.waitForSelector("h1:focus:has-text('Developers')");
    await page.goto(house.addressOf("/settings/groups/no-such-group"));
    await page.waitForURL("**/dashboard/settings");
  });

  test("are found by a word for a single setting, here and in the palette, without a mouse", async () => {
    const { page } = await house.open("/settings");
    await page.waitForSelector(".settings-group");
    await page.keyboard.press("/");
    await page.waitForSelector("input[type=search]:focus");
    await page.keyboard.type("second factor");
    await page.waitForSelector(".settings-card:has-text('Includes second factor')");
    expect(await titlesIn(page, ".settings-card h2")).toEqual(["Your profile"]);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForSelector("h1:has-text('Your profile')");
    await page.keyboard.press("g");
    await page.keyboard.press(",");
    await page.waitForSelector(".settings-group");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForSelector("h1:has-text('Merchants')");
    await page.keyboard.press("Control+k");
    await page.waitForSelector("dialog input:focus");
    await page.keyboard.type("smtp");
    await page.waitForSelector(".palette-offer:has-text('Email'):has-text('Settings · System')");
    await page.keyboard.press("Enter");
    await page.waitForSelector("h1:has-text('Email')");
  });

  test("look right", async () => {
    await lookAt(house, "/settings", ".settings-group", "settings");
    await lookAt(house, "/settings?q=second", ".settings-card", "settings-search");
    for (const group of ["warehouse", "merchants", "shipping", "developers", "system"])
      await lookAt(house, `/settings/groups/${group}`, ".settings-card", `settings-${group}`);
  }, 120_000);
});
