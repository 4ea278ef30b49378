// Users in a browser: sign-in, their own settings, roles and the audit trail.
import { expect, test } from "bun:test";
import { Secret, TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { client } from "../../flows/service.ts";
import { describeInHouse, lookAt, owner } from "../browser.ts";

const password = "a quite different battery";
// What runs where a text is taken for a page.
const hostile = `<img src=x onerror="window.hit=1"><script>window.hit=1</script>`;

/** The code that an app with this secret shows now; another one a moment later, when its period is over. */
const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() });

const fill = async (page: Page, values: Readonly<Record<string, string>>) => {
  for (const [name, value] of Object.entries(values)) await page.fill(`[name=${name}]`, value);
};

describeInHouse("people", (house) => {
  const invited = async (role: string, name?: string) => {
    const body = { email: `${role}.${Date.now()}@example.com`, role, ...(name === undefined ? {} : { name }) };
    const { data } = await house.live.must("POST", "/invitations", body);
    return { email: body.email, path: `/invitation#${data.link.split("#")[1]}`, id: data.id as string };
  };

  test("sign in, see what is wrong, and return to the address they wanted", async () => {
    const tab = await house.open("/settings/audit?q=setUp", { signed_out: true });
    tab.expectRefusals(401);
    const { page } = tab;
    await page.waitForSelector("h1:has-text('Sign in')");
    await fill(page, { email: owner.email, password: "not the password" });
    await page.keyboard.press("Enter");
    await page.waitForSelector("[role=alert]:has-text('wrong')");
    await page.fill("[name=password]", owner.password);
    await page.keyboard.press("Enter");
    await page.waitForSelector("h1:has-text('Audit trail')");
    expect(new URL(page.url()).searchParams.get("q")).toBe("setUp");
    await page.waitForSelector("td:has-text('Set up Packhouse')");
  });

  test("accept an invitation, and have the permissions of their role", async () => {
    const { path, email } = await invited("viewer", "Vera");
    const tab = await house.open(path, { signed_out: true });
    tab.expectRefusals(401, 403, 422);
    const { page } = tab;
    await page.waitForSelector(`text=${email}`);
    expect(await page.inputValue("[name=name]")).toBe("Vera");
    await fill(page, { password: "short", again: "short" });
    await page.click("button:has-text('Accept')");
    await page.waitForSelector("[data-field=password] .field-wrong");
    await fill(page, { password, again: "another one entirely" });
    await page.click("button:has-text('Accept')");
    await page.waitForSelector("[data-field=again] .field-wrong");
    expect(await page.evaluate("document.activeElement.name")).toBe("again");
    await fill(page, { name: hostile, password, again: password });
    await page.click("button:has-text('Accept')");
    await page.waitForSelector("nav");
    const users = (await house.live.must("GET", `/users?q=${encodeURIComponent(email)}`)).data;
    expect(users).toMatchObject([{ name: hostile, role: "viewer" }]);
    // What needs more than the role gives is neither listed nor shown.
    await page.goto(`${house.url}/dashboard/settings/users`);
    await page.waitForSelector("text=You don't have access to this page.");
    expect(await page.evaluate("window.hit")).toBeUndefined();
    // The link is good once.
    const again = await house.open(path, { signed_out: true });
    again.expectRefusals(401);
    await again.page.waitForSelector("[role=alert]:has-text('no longer valid')");
  });

  test("set up a second factor, and sign in with it and with a recovery code", async () => {
    const { path, email } = await invited("office");
    const first = await house.open(path, { signed_out: true });
    first.expectRefusals(401);
    const { page } = first;
    await page.waitForSelector("[name=name]");
    await fill(page, { name: "Sam Second", password, again: password });
    await page.click("button:has-text('Accept')");
    await page.waitForSelector("nav");
    await page.goto(`${house.url}/dashboard/settings/profile`);
    await page.click("button:has-text('Set up')");
    await page.waitForSelector("img.qr");
    await page.click("summary");
    const secret = (await page.textContent(".factor code")) ?? "";
    const set_up_by = codeOf(secret);
    await page.fill("[name=code]", set_up_by);
    await page.click("dialog button:has-text('Turn on')");
    await page.waitForSelector(".recovery-codes li >> nth=9");
    const codes = await page.locator(".recovery-codes code").allTextContents();
    await page.click("dialog button:has-text('saved them')");
    await page.waitForSelector("dd .badge:has-text('On')");
    const tab = await house.open("/sign-in", { signed_out: true });
    tab.expectRefusals(401);
    await fill(tab.page, { email, password });
    await tab.page.keyboard.press("Enter");
    await tab.page.waitForSelector("h1:has-text('Two-factor authentication')");
    // The code that set it up is not good a second time.
    await tab.page.fill("[name=code]", set_up_by);
    await tab.page.keyboard.press("Enter");
    await tab.page.waitForSelector("[role=alert]");
    await tab.page.click("text=Use a recovery code");
    await tab.page.fill("[name=code]", codes[0] ?? "");
    await tab.page.keyboard.press("Enter");
    await tab.page.waitForSelector("nav");
    // Where one is signed in is listed, and ended from here.
    await page.reload();
    await page.click("button:has-text('Sign out everywhere else')");
    await page.click("dialog button:has-text('Sign out everywhere else')");
    await page.waitForSelector(".sessions li:only-child");
    await tab.page.goto(`${house.url}/dashboard/settings/profile`);
    await tab.page.waitForSelector("h1:has-text('Sign in')");
  }, 60_000);

  test("are invited, get another role and are disabled, all recorded in the audit trail", async () => {
    const { page } = await house.open("/settings/users");
    await page.click("button:has-text('Invite')");
    await fill(page, { email: "gil@example.com", name: hostile });
    await page.click("label:has-text('Floor')");
    await page.click("button:has-text('Create invitation')");
    await page.waitForSelector("dialog .copy-field");
    const link = (await page.textContent("dialog .copy-field code")) ?? "";
    expect(link).toStartWith(`${house.url}/dashboard/invitation#`);
    await page.click("dialog button:has-text('Done')");
    await page.click("[role=tab]:has-text('Invitations')");
    await page.waitForSelector("tr:has-text('gil@example.com') .badge:has-text('Open')");

    const guest = await house.open(link.slice(`${house.url}/dashboard`.length), { signed_out: true });
    guest.expectRefusals(401);
    await guest.page.waitForSelector("[name=name]");
    await fill(guest.page, { name: "Gil Guest", password, again: password });
    await guest.page.click("button:has-text('Accept')");
    await guest.page.waitForSelector("nav");

    await page.goto(`${house.url}/dashboard/settings/users?q=gil`);
    await page.click("tr:has-text('Gil Guest') [aria-label=More]");
    await page.click("[role=menuitem]:has-text('Change role')");
    await page.click("dialog label:has-text('Manager')");
    await page.click("dialog button:has-text('Change role')");
    await page.waitForSelector("tr:has-text('Gil Guest') td:has-text('Manager')");
    await page.click("tr:has-text('Gil Guest') [aria-label=More]");
    await page.click("[role=menuitem]:has-text('Disable')");
    await page.click("dialog button:has-text('Disable')");
    await page.waitForSelector("tr:has-text('Gil Guest') .badge:has-text('Disabled')");
    const [gil] = (await house.live.must("GET", "/users?q=gil@example.com")).data;
    expect(gil).toMatchObject({ role: "manager", status: "disabled" });
    // Whoever is disabled is out at once.
    await guest.page.goto(`${house.url}/dashboard/settings/profile`);
    await guest.page.waitForSelector("h1:has-text('Sign in')");

    await page.goto(`${house.url}/dashboard/settings/audit?target=${gil.id}`);
    await page.waitForSelector("td:has-text('Update user')");
    await page.waitForSelector("td:has-text('Accept invitation')");
    expect(await page.evaluate("window.hit")).toBeUndefined();
    await page.click("a:has-text('Update user')");
    await page.waitForURL(/action=updateUser/);
    const download = page.waitForEvent("download");
    await page.click("button:has-text('CSV')");
    expect((await download).suggestedFilename()).toBe("audit.csv");
  }, 60_000);

  test("change their name and password", async () => {
    const { path, email } = await invited("floor");
    const tab = await house.open(path, { signed_out: true });
    tab.expectRefusals(401);
    const { page } = tab;
    await page.waitForSelector("[name=name]");
    await fill(page, { name: "Flo", password, again: password });
    await page.click("button:has-text('Accept')");
    // The floor has no reports, so it does not begin with Today.
    await page.waitForSelector("h1:has-text('Orders')");
    await page.goto(`${house.url}/dashboard/settings/profile`);
    await page.fill("[name=name]", "Flo Floor");
    await page.click("button:has-text('Save name')");
    await page.waitForSelector(".user-name:has-text('Flo Floor'), .toast:has-text('saved')");
    await fill(page, {
      current_password: "wrong as it is",
      password: "yet another battery",
      again: "yet another battery",
    });
    await page.click("button:has-text('Change password')");
    await page.waitForSelector("[role=alert]:has-text('current password')");
    await page.fill("[name=current_password]", password);
    await page.click("button:has-text('Change password')");
    await page.waitForSelector(".toast:has-text('changed')");
    const [flo] = (await house.live.must("GET", `/users?q=${encodeURIComponent(email)}`)).data;
    expect(flo.name).toBe("Flo Floor");
  }, 60_000);

  test("look right", async () => {
    const { path } = await invited("office", "Otto");
    await lookAt(house, "/sign-in", "[name=email]", "sign-in");
    await lookAt(house, "/setup#token", "[name=email]", "setup");
    await lookAt(house, path, "[name=password]", "invitation");
    // The link of a merchant's own invitation makes no account.
    const { key } = (await house.live.must("POST", "/keys", { name: "shop", permission: "full", merchant_id: "MAIN" }))
      .data;
    const shop = client(house.url, key);
    const { link } = (await shop.must("POST", "/invitations", { email: "una@packhouse.test", role: "office" })).data;
    await lookAt(house, `/invitation#${link.split("#")[1]}`, "text=Ask the warehouse", "invitation-unproven");
    await lookAt(house, "/reset#token", "[name=password]", "reset");
    await lookAt(house, "/second-factor", "img.qr", "second-factor");
    await lookAt(house, "/settings/profile", ".sessions li", "profile");
    await lookAt(house, "/settings/users", "tbody tr", "users");
    await lookAt(house, "/settings/users?tab=invitations", "tbody tr", "invitations");
    await lookAt(house, "/settings/users?tab=roles", ".roles td", "roles");
    await lookAt(house, "/settings/audit", "tbody tr", "audit");
  }, 240_000);
});
