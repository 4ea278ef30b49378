import { beforeAll, expect, test } from "bun:test";
import { buyerOf } from "../../build/buyer.ts";
import { describeInHouse, owner } from "../browser.ts";

describeInHouse("a list", (house) => {
  beforeAll(async () => {
    const { live } = house;
    await live.must("POST", "/products", { sku: "ROW-1", name: "Row" });
    await live.must("POST", "/inventory", { sku: "ROW-1", quantity: 500, location: "whs_1001" });
    const buyer = await buyerOf(live.must, { email: "ada@example.com", first_name: "Ada", last_name: "Buyer" });
    for (let n = 101; n <= 160; n += 1) await buyer.order(`R-${n}`, [["ROW-1", 1]]);
  }, 60_000);

  test("keeps its page, filters, scroll position, focus and selection", async () => {
    const { page } = await house.open("/orders?sort=created_at&q=R-1&status=pending");
    await page.waitForSelector("tr:has-text('R-101')");
    for (const key of ["j", "x", "j", "j", "X"]) await page.keyboard.press(key);
    await page.waitForSelector(".bulk-bar:has-text('3 selected')");
    await page.click(".pages [aria-label=Next]");
    await page.waitForSelector("tr:has-text('R-151')");
    // The selection is that of all pages.
    await page.waitForSelector(".bulk-bar:has-text('3 selected')");
    await page.click(".pages [aria-label=Previous]");
    await page.waitForSelector("tr:has-text('R-150')");
    const address = new URL(page.url());
    await page.locator("tr:has-text('R-148') a.row-link").focus();
    await page.evaluate("window.scrollTo(0, 700)");
    await page.keyboard.press("Enter");
    await page.waitForSelector("h1:has-text('R-148')");
    await page.keyboard.press("u");
    await page.waitForSelector("tr:has-text('R-148') a.row-link:focus");
    await page.waitForFunction("Math.abs(window.scrollY - 700) < 60");
    const back = new URL(page.url());
    expect(Object.fromEntries(back.searchParams)).toEqual(Object.fromEntries(address.searchParams));
    await page.waitForSelector(".bulk-bar:has-text('3 selected')");
    await page.reload();
    await page.waitForSelector(".bulk-bar:has-text('3 selected')");
    await page.waitForSelector("tr.chosen:has-text('R-102')");
    await page.waitForSelector("tr:has-text('R-148') a.row-link:focus");
    // Other filters have another selection, and another list has none.
    await page.click(".list-bar >> text=Clear filters");
    await page.waitForSelector(".bulk-bar", { state: "detached" });
    await page.goto(house.addressOf("/products"));
    await page.waitForSelector("tr:has-text('ROW-1')");
    expect(await page.locator(".bulk-bar").count()).toBe(0);
  }, 60_000);

  test("selects all rows of the page, then all that match", async () => {
    const { page } = await house.open("/orders?sort=created_at&q=R-1");
    await page.waitForSelector("tr:has-text('R-101')");
    await page.keyboard.press("a");
    await page.waitForSelector(".bulk-bar:has-text('50 selected')");
    await page.click(".bulk-bar >> text=Select all 60");
    await page.waitForSelector(".bulk-bar:has-text('60 selected')");
    await page.keyboard.press("a");
    await page.waitForSelector(".bulk-bar", { state: "detached" });
    await page.keyboard.press("a");
    await page.waitForSelector(".bulk-bar:has-text('50 selected')");
    await page.keyboard.press("A");
    await page.waitForSelector(".bulk-bar:has-text('60 selected')");
  });

  test("returns by Back to the row and scroll position of each visit, and to none when filters change", async () => {
    const { page } = await house.open("/orders?sort=created_at");
    const openRow = async (name: string, scroll: number) => {
      await page.waitForSelector(`tr:has-text('${name}')`);
      await page.locator(`tr:has-text('${name}') a.row-link`).focus();
      await page.evaluate(`window.scrollTo(0, ${scroll})`);
      await page.keyboard.press("Enter");
      await page.waitForSelector(`h1:has-text('${name}')`);
    };
    await openRow("R-140", 600);
    await page.click("nav >> text=Orders");
    await page.waitForSelector("tr:has-text('R-160')");
    await openRow("R-150", 300);
    for (const [name, scroll] of [
      ["R-150", 300],
      ["R-140", 600],
    ] as const) {
      await page.goBack();
      await page.waitForSelector(`tr:has-text('${name}') a.row-link:focus`);
      await page.waitForFunction(`Math.abs(window.scrollY - ${scroll}) < 60`);
      if (name === "R-150") {
        await page.goBack();
        await page.waitForSelector("h1:has-text('R-140')");
      }
    }
    // A new search is read from its top.
    await page.evaluate("window.scrollTo(0, 0)");
    await page.fill("input[type=search]", "R-14");
    await page.waitForSelector("tr:has-text('R-139')", { state: "detached" });
    await page.fill("input[type=search]", "R-1");
    await page.waitForSelector("tr:has-text('R-139')");
    await page.waitForSelector("input[type=search]:focus");
    expect(await page.evaluate("window.scrollY")).toBe(0);
  }, 60_000);

  test("keeps nothing for another user: neither places nor settings", async () => {
    const { live } = house;
    const { link } = (await live.must("POST", "/invitations", { email: "ben@example.com", role: "office" })).data;
    const tab = await house.open("/orders?q=R-15&status=pending");
    tab.expectRefusals(401);
    const { page } = tab;
    await page.waitForSelector("tr:has-text('R-151')");
    for (const key of ["j", "x"]) await page.keyboard.press(key);
    await page.waitForSelector(".bulk-bar");
    const choose = async (title: string) => {
      await page.click(".user button[aria-haspopup=menu]");
      await page.click(`[role=menu] >> text=${title}`);
    };
    const theme = (name: string) => page.waitForSelector(`html[data-theme=${name}]`);
    await choose("Dark");
    await theme("dark");
    await page.click("nav >> text=Products");
    await page.waitForSelector("tr:has-text('ROW-1')");
    await choose("Sign out");
    await page.waitForSelector("h1:has-text('Sign in')");
    await theme("system");
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
    // Another user starts without these places.
    await page.goto(house.addressOf(`/invitation#${link.split("#")[1]}`));
    await page.fill("[name=name]", "Ben Office");
    for (const name of ["password", "again"]) await page.fill(`[name=${name}]`, "a long enough password");
    await page.click("button:has-text('Accept')");
    await page.click("nav >> text=Orders");
    await page.waitForSelector("tr:has-text('R-160')");
    expect([new URL(page.url()).search, await page.locator(".bulk-bar").count()]).toEqual(["", 0]);
    await theme("system");
    await choose("Light");
    await theme("light");
    await choose("Sign out");
    // The first one finds their settings again, also after a reload.
    await page.waitForSelector("h1:has-text('Sign in')");
    await page.fill("[name=email]", owner.email);
    await page.fill("[name=password]", owner.password);
    await page.keyboard.press("Enter");
    await page.waitForSelector("nav");
    await theme("dark");
    await page.reload();
    await theme("dark");
    await page.click("nav >> text=Orders");
    await page.waitForSelector("tr:has-text('R-160')");
    expect(new URL(page.url()).search).toBe("");
  }, 60_000);
});
