// The retention times that the operator sets for each type of record, in each environment.
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { describeInHouse, lookAt, violations } from "../browser.ts";

const path = "/settings/retention";

/** Asks from here: the page's policy refuses code that Playwright would evaluate there a second time. */
async function waitForAuditTrail(page: Page, days: string): Promise<void> {
  while ((await page.inputValue("[name=audit_trail]")) !== days) await page.waitForTimeout(20);
}

describeInHouse("the screen about how long records are kept", (house) => {
  const kept = async (mode: "live" | "test", kind: string) => {
    const { kinds } = (await house[mode].must("GET", path)).data;
    return kinds.find((one: { kind: string }) => one.kind === kind).value;
  };

  test("lists every record type, warns of deletions, and shows the API's error at its field", async () => {
    const tab = await house.open(path);
    const { page } = tab;
    await page.waitForSelector("[data-field=audit_trail]:has-text('From 90 to 3,650 days')");
    const { kinds } = (await house.live.must("GET", path)).data;
    const shown = await page.$$eval("form [data-field]", (all) => all.map((one) => one.getAttribute("data-field")));
    expect(shown.sort()).toEqual(kinds.map(({ kind }: { kind: string }) => kind).sort());
    // The button is also disabled while the change is saved.
    await waitForAuditTrail(page, "400");
    expect(await page.inputValue("[name=closed_orders]")).toBe("");
    expect(await page.isDisabled("[name=stored_responses]")).toBe(true);
    expect(await page.isDisabled("button:has-text('Save')")).toBe(true);

    tab.expectRefusals(422);
    await page.fill("[name=audit_trail]", "30");
    await page.fill("[name=closed_orders]", "two years");
    await page.click("button:has-text('Save')");
    await page.waitForSelector("[data-field=audit_trail] .field-wrong");
    await page.waitForSelector("[data-field=closed_orders] .field-wrong");
    expect(await kept("live", "audit_trail")).toBe(400);

    await page.fill("[name=closed_orders]", "730");
    await page.fill("[name=audit_trail]", "100");
    await page.waitForSelector(".notice.warning:has-text('Audit trail: 100 days instead of 400 days')");
    await page.waitForSelector(".notice.warning:has-text('closed orders: 730 days instead of forever')");
    expect(await violations(page)).toEqual([]);
    await page.click("button:has-text('Save')");
    await page.waitForSelector(".toast:has-text('Takes effect tonight')");
    expect([await kept("live", "audit_trail"), await kept("live", "closed_orders")]).toEqual([100, 730]);
    expect(await page.locator(".notice.warning").count()).toBe(0);

    // Empty restores the default.
    await page.fill("[name=audit_trail]", "");
    await page.fill("[name=closed_orders]", "");
    await page.click("button:has-text('Save')");
    await page.waitForSelector("button:has-text('Save'):disabled");
    // The button is also disabled while the change is saved.
    await waitForAuditTrail(page, "400");
    expect([await kept("live", "audit_trail"), await kept("live", "closed_orders")]).toEqual([400, null]);
  }, 60_000);

  test("has separate times for test data", async () => {
    const { page } = await house.open(`${path}?mode=test`);
    await page.waitForSelector(".page-below:has-text('apply to test data')");
    await page.fill("[name=request_log]", "3");
    await page.click("button:has-text('Save')");
    await page.waitForSelector(".toast:has-text('Takes effect tonight')");
    expect([await kept("test", "request_log"), await kept("live", "request_log")]).toEqual([3, 7]);
  }, 40_000);

  test("looks right", async () => {
    await lookAt(house, path, "[name=closed_orders]", "retention");
  }, 60_000);
});
