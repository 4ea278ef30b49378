import { afterAll, beforeAll, expect, test } from "bun:test";
import { openMailServer } from "../../webhooks/mail_server.ts";
import { describeInBrowser, type House, lookAt, openHouse } from "../browser.ts";

const path = "/settings/mail";

describeInBrowser("the screen about e-mail, with a mail server", () => {
  let house: House;
  let server: Awaited<ReturnType<typeof openMailServer>>;
  beforeAll(async () => {
    server = await openMailServer();
    const to = { PACKHOUSE_MAIL_TO: "ops@example.com", PACKHOUSE_MAIL_FROM: "packhouse@example.com" };
    const signed = server.url.replace("//", "//ann:sesame-42@");
    house = await openHouse({ PACKHOUSE_SMTP_URL: signed, ...to });
  });
  afterAll(async () => {
    await house.close();
    server.stop();
  });

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

describeInBrowser("the screen about e-mail, without one", () => {
  let house: House;
  beforeAll(async () => {
    house = await openHouse();
  });
  afterAll(() => house.close());

  test("says which variables to set", async () => {
    await lookAt(house, path, "code:has-text('PACKHOUSE_SMTP_URL=')", "mail-none");
  }, 60_000);
});
