// The screen of running servers.
import { expect, test } from "bun:test";
import { hostname } from "node:os";
import { engine, version } from "../../../src/core/config.ts";
import { describeInHouse, lookAt } from "../browser.ts";

const path = "/settings/servers";
const alike = engine === "sqlite" ? "Single server" : "share one PostgreSQL database";

describeInHouse("the screen about the servers", (house) => {
  test("shows the current server, in both environments", async () => {
    const { page } = await house.open(path);
    const own = `tbody tr:has-text('${hostname()}'):has-text('current'):has-text('Serving'):has-text('${version}')`;
    await page.waitForSelector(own);
    expect(await page.locator("tbody tr").count()).toBe(1);
    await page.waitForSelector(`p:has-text('${alike}')`);
    await page.goto(house.addressOf(`${path}?mode=test`));
    await page.waitForSelector(own);
  }, 40_000);

  test("warns of servers with different versions", async () => {
    const { page } = await house.open("/settings/mail");
    const [own] = (await house.live.must("GET", "/servers")).data;
    const other = { ...own, number: 41, host: "pack-b", version: "0.0.9", status: "stopping", answers: false };
    await page.route("**/v1/servers", (route) =>
      route.fulfill({ json: { success: true, data: [other, own], meta: {} } }),
    );
    await page.click(".page-back:has-text('System')");
    await page.click(".settings-card:has-text('Different versions') a:has-text('Servers')");
    await page.waitForSelector("tr:has-text('pack-b'):has-text('Stopping')");
    await page.waitForSelector(".notice:has-text('different versions')");
  }, 40_000);

  test("looks right", async () => {
    await lookAt(house, path, "tbody tr", "servers");
  }, 60_000);
});
