import { afterAll, expect, test } from "bun:test";
import { openMailServer } from "../../webhooks/mail_server.ts";
import { describeInHouse, lookAt } from "../browser.ts";

const path = "/settings/mail";
const server = await openMailServer();
afterAll(() => server.stop());
const env = {
  PACKHOUSE_SMTP_URL: server.url.replace("//", "//ann:sesame-42@"),
  PACKHOUSE_MAIL_TO: "ops@example.com",
  PACKHOUSE_MAIL_FROM: "packhouse@example.com",
};

describeInHouse({ name: "the screen about e-mail, with a mail server", env }, (house) => {
  test("sends a test and shows the mail server's response at once", async () => {
    const { page } = await house.open(path);
    await page.waitForSelector(`dd:has-text('${new URL(server.url).host}')`);
    expect(await page.locator("body").textContent()).not.toContain("sesame");
    server.take(false);
    await page.click("button:has-text('Send test')");
    await page.waitForSelector(".notice.problem:has-text('rejected')");
    expect(await page.locator(".code").textContent()).not.toContain("sesame");
    server.take(true);
    await page.fill("[name=to]", "ada@example.com");
    await page.click("button:has-text('Send test')");
    await page.waitForSelector(".notice.done:has-text('ada@example.com')");
    expect(server.mails.map((mail) => /^To: (.*)$/m.exec(mail)?.[1])).toEqual(["ada@example.com"]);
  }, 40_000);

  test("looks right", async () => {
    await lookAt(house, path, "button:has-text('Send test')", "mail");
  }, 60_000);
});

describeInHouse("the screen about e-mail, without one", (house) => {
  test("says which variables to set", async () => {
    await lookAt(house, path, "code:has-text('PACKHOUSE_SMTP_URL=')", "mail-none");
  }, 60_000);
});
