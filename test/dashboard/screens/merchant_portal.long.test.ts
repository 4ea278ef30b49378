import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { describeInHouse, type Tab, violations } from "../browser.ts";

const address = {
  name: "Bo",
  address_line1: "1 Main St",
  city: "Reno",
  state: "NV",
  postal_code: "89501",
  country: "US",
};
const member = { email: "mo@example.com", name: "Mo Merchant", password: "another long password to test" };

/** Words of the operator's own work, none of which merchant users are shown. */
const of_house = [
  ...["Bins", "Counts", "Restock", "Transfers", "Manifests", "Rate cards", "Zones", "Carriers", "Holidays"],
  ...["Warehouses", "Merchants", "Request log", "Metrics", "Backups", "Email", "Audit trail", "Retention", "Servers"],
  ...["Warehouse", "System"],
];

/** What the navigation lists, section by section, with the addresses. */
async function listedIn(page: Page): Promise<{ readonly title: string; readonly href: string }[]> {
  const links = (selector: string) =>
    page.$$eval(selector, (all) =>
      all.map((link) => ({ title: (link.textContent ?? "").trim(), href: link.getAttribute("href") ?? "" })),
    );
  const found = await links(".sidebar a.nav-link");
  for (const { href } of [...found]) {
    await page.click(`.sidebar a.nav-link[href="${href}"]`);
    await page.waitForSelector("h1");
    found.push(...(await links(".sidebar .nav-items a")));
    found.push(...(await links(".settings-group a")));
  }
  return found;
}

describeInHouse("the portal of a merchant", (house) => {
  let order_id: string;
  let product_id: string;
  const customers: Record<string, string> = {};
  beforeAll(async () => {
    for (const code of ["ACME", "BREW"]) {
      await house.live.must("POST", "/merchants", { code, name: code === "ACME" ? "Acme Outdoors" : "Brew & Bean" });
      const send = async (method: string, path: string, body: unknown) => {
        const answer = await house.live.send(method, path, body, { "packhouse-merchant": code });
        if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
        return answer.body.data ?? answer.body;
      };
      const product = await send("POST", "/products", { sku: "TEA", name: `Tea of ${code}` });
      await send("POST", "/inventory", { sku: "TEA", quantity: 20, bin: `BIN-${code}` });
      await send("POST", "/inventory/moves", { sku: "TEA", quantity: 5, bin: `BIN-${code}`, to_bin: `BIN-${code}-2` });
      await send("POST", "/inventory/receipts", { reference: `PO-${code}`, items: [{ sku: "TEA", quantity: 5 }] });
      const customer = await send("POST", "/customers", { email: "bo@example.com", shipping_addresses: [address] });
      customers[code] = customer.id;
      const order = await send("POST", "/orders", {
        order_number: `N-${code}`,
        customer_id: customer.id,
        shipping_address_id: customer.shipping_addresses[0].id,
        line_items: [{ sku: "TEA", quantity: 2, unit_price: "4.50" }],
      });
      if (code === "ACME") [order_id, product_id] = [order.id, product.id];
    }
  });

  let theirs: Tab;
  test("a person who is invited to a merchant gets its portal", async () => {
    const { page } = await house.open("/settings/users");
    await page.click("button:has-text('Invite')");
    await page.fill("dialog [name=email]", member.email);
    await page.selectOption("dialog [name=merchant_id]", "ACME");
    expect(await page.locator("dialog .role-choice:has-text('Floor')").count()).toBe(0);
    await page.click("dialog .role-choice:has-text('Owner')");
    expect(await violations(page)).toEqual([]);
    await page.click("dialog button:has-text('Create invitation')");
    const link = new URL((await page.textContent("dialog code")) ?? "");
    theirs = await house.open(`/invitation${link.hash}`, { signed_out: true, stays: true });
    theirs.expectRefusals(401);
    await theirs.page.waitForSelector("text=to join Acme Outdoors");
    await theirs.page.fill("[name=name]", member.name);
    await theirs.page.fill("[name=password]", member.password);
    await theirs.page.fill("[name=again]", member.password);
    await theirs.page.click("form button[type=submit]");
    await theirs.page.waitForSelector(".brand:has-text('Acme Outdoors')");
    // Left open, it would ask as a merchant once this session looks on as one, and be refused.
    await page.close();
  });

  test("lists no screen of the operator, and no listed screen requests what merchants may not read", async () => {
    const { page } = theirs;
    const refused: string[] = [];
    page.on("response", (answer) => answer.status() >= 400 && refused.push(`${answer.status()} ${answer.url()}`));
    const listed = await listedIn(page);
    expect(listed.filter(({ title }) => of_house.includes(title))).toEqual([]);
    expect(listed.map(({ title }) => title)).toEqual(
      expect.arrayContaining(["Receiving", "API keys", "Users", "Billing", "Privacy", "Account", "Developers"]),
    );
    const records = [`/orders/${order_id}`, `/products/${product_id}`, "/stock/TEA", "/orders/new", "/receipts/new"];
    for (const path of [...new Set(listed.map(({ href }) => href)), ...records.map((path) => `/dashboard${path}`)]) {
      await page.goto(`${house.url}${path}`);
      await page.waitForSelector("h1");
      await page.waitForSelector(".skeleton-line", { state: "detached" });
      expect([path, await page.locator("h1:has-text('No permission')").count()]).toEqual([path, 0]);
      expect([path, await page.locator(".page .merchant-mark, .merchant-switch").count()]).toEqual([path, 0]);
      expect([path, (await page.textContent("main"))?.includes("BIN-ACME")]).toEqual([path, false]);
    }
    expect(refused).toEqual([]);
    expect(theirs.complaints).toEqual([]);
    // A screen of the house is refused by the front end, before anything is asked.
    await page.goto(house.addressOf("/bins"));
    await page.waitForSelector("text=Only warehouse staff can see this page");
    expect(refused).toEqual([]);
  }, 120_000);

  test("shows only the merchant's own records, and new records belong to it", async () => {
    const { page } = theirs;
    await page.goto(house.addressOf("/orders"));
    await page.waitForSelector("tr:has-text('N-ACME')");
    expect(await page.locator("tr:has-text('N-BREW')").count()).toBe(0);
    await page.goto(house.addressOf("/receipts"));
    await page.click("a:has-text('New inbound shipment')");
    await page.fill("[name=reference]", "PO-2");
    await page.fill("[id$='0-sku'], .line input >> nth=0", "TEA");
    await page.click("[role=option]:has-text('Tea of ACME')");
    await page.fill(".line input >> nth=1", "3");
    await page.click("button[type=submit]");
    await page.waitForSelector("h1:has-text('Inbound shipment')");
    await page.waitForSelector("text=PO-2");
  });

  test("its owner erases a person from its own records only", async () => {
    const { page } = theirs;
    await page.goto(house.addressOf("/settings/privacy"));
    await page.click("button:has-text('Erase by email address')");
    expect(await page.textContent("dialog")).not.toContain("for all merchants");
    await page.fill("dialog [name=email]", "bo@example.com");
    await page.fill("dialog [name=after_days]", "7");
    await page.click("dialog button:has-text('Erase permanently')");
    await page.waitForSelector(`.facts a:has-text('${customers["ACME"]}')`);
    expect(await page.locator(`text=${customers["BREW"]}`).count()).toBe(0);
    expect(theirs.complaints).toEqual([]);
  });

  test("staff view it as the merchant, read-only", async () => {
    const tab = await house.open("/settings/merchants/ACME");
    const { page } = tab;
    await page.click("[aria-label=More]");
    await page.click("[role=menuitem]:has-text('View as merchant')");
    await page.waitForSelector(".view-banner:has-text('Viewing as Acme Outdoors (read-only).')");
    await page.click(".sidebar >> text=Orders >> nth=0");
    await page.waitForSelector("tr:has-text('N-ACME')");
    expect(await page.locator("tr:has-text('N-BREW')").count()).toBe(0);
    expect(await page.locator("a:has-text('New order')").count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await page.goto(house.addressOf("/settings/keys"));
    await page.waitForSelector("text=Not visible to Acme Outdoors.");
    await page.click(".view-banner button");
    await page.waitForSelector(".view-banner", { state: "detached" });
    await page.waitForSelector(".merchant-switch");
    await page.click(".sidebar >> text=Orders >> nth=0");
    await page.waitForSelector("tr:has-text('N-BREW')");
    await page.waitForSelector("a:has-text('New order')");
  });

  test("an existing user joins another merchant and switches between the two", async () => {
    const { link } = (
      await house.live.must("POST", "/invitations", { email: member.email, role: "viewer", merchant_id: "BREW" })
    ).data;
    const tab = await house.open(`/invitation${link.slice(link.indexOf("#"))}`, { signed_out: true });
    tab.expectRefusals(401);
    const { page } = tab;
    await page.waitForSelector("text=to join Brew & Bean");
    expect(await violations(page)).toEqual([]);
    await page.fill("[name=password]", member.password);
    await page.click("button:has-text('Join')");
    await page.waitForSelector(".brand:has-text('Brew & Bean')");
    await page.goto(house.addressOf("/orders"));
    await page.waitForSelector("tr:has-text('N-BREW')");
    // A viewer creates nothing.
    expect(await page.locator("a:has-text('New order')").count()).toBe(0);
    // A viewer neither exports nor erases personal data.
    await page.goto(house.addressOf(`/customers/${customers["BREW"]}`));
    await page.waitForSelector("h1:has-text('bo@example.com')");
    expect(await page.locator(".page-acts button, .page-acts a").count()).toBe(0);
    await page.goto(house.addressOf("/settings/privacy"));
    await page.waitForSelector("h1:has-text('No permission')");
    await page.click(".sidebar .user button");
    await page.click("[role^=menuitem]:has-text('Acme Outdoors')");
    await page.waitForSelector(".brand:has-text('Acme Outdoors')");
    await page.click(".sidebar >> text=Orders >> nth=0");
    await page.waitForSelector("tr:has-text('N-ACME')");
    await page.waitForSelector("a:has-text('New order')");
  });
});
