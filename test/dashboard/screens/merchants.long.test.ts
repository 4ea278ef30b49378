import { expect, test } from "bun:test";
import { describeInHouse, lookAt, type Tab, violations } from "../browser.ts";

const address = {
  name: "Bo",
  address_line1: "1 Main St",
  city: "Reno",
  state: "NV",
  postal_code: "89501",
  country: "US",
};

/** The merchants that the requests of a tab to the API named from now on, with what they asked. */
function namedBy({ page }: Tab): { readonly path: string; readonly merchant: string | undefined }[] {
  const asked: { path: string; merchant: string | undefined }[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/v1/")) asked.push({ path: pathname, merchant: request.headers()["packhouse-merchant"] });
  });
  return asked;
}

describeInHouse("several merchants", (house) => {
  const orders: Record<string, string> = {};

  const as = (code: string) => async (method: string, path: string, body?: unknown) => {
    const answer = await house.live.send(method, path, body, { "packhouse-merchant": code });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.data ?? answer.body;
  };

  test("with one merchant no screen mentions merchants, and no request names one", async () => {
    await house.live.must("POST", "/products", { sku: "MAIN-1", name: "Of the first" });
    const tab = await house.open("/");
    const asked = namedBy(tab);
    const { page } = tab;
    await page.waitForSelector("h1:has-text('Today')");
    await page.click("nav >> text=Products");
    await page.waitForSelector("tr:has-text('MAIN-1')");
    expect(await page.locator("select:has(option:text-is('All merchants')), .merchant-mark").count()).toBe(0);
    expect(await page.locator("th:has-text('Merchant')").count()).toBe(0);
    await page.goto(house.addressOf("/products/new"));
    await page.waitForSelector("[name=sku]");
    expect(await page.locator("[name=merchant_id]").count()).toBe(0);
    expect(asked.filter(({ merchant }) => merchant !== undefined)).toEqual([]);
    expect(asked.length).toBeGreaterThan(0);
  });

  test("each record shows its merchant, and the switch filters everything read and created", async () => {
    await house.live.must("POST", "/merchants", { code: "ACME", name: "Acme Outdoors", color: "#d9480f" });
    await house.live.must("POST", "/merchants", { code: "BREW", name: "Brew & Bean" });
    for (const code of ["ACME", "BREW"]) {
      const send = as(code);
      await send("POST", "/products", { sku: "TEA", name: `Tea of ${code}` });
      await send("POST", "/inventory", { sku: "TEA", quantity: code === "ACME" ? 20 : 7, bin: `B-${code}` });
      const customer = await send("POST", "/customers", { email: "bo@example.com", shipping_addresses: [address] });
      const order = await send("POST", "/orders", {
        order_number: `N-${code}`,
        customer_id: customer.id,
        shipping_address_id: customer.shipping_addresses[0].id,
        line_items: [{ sku: "TEA", quantity: 2, unit_price: "4.50" }],
      });
      orders[code] = order.id;
    }
    const tab = await house.open("/orders");
    const { page } = tab;
    const marks = () => page.$$eval("tbody .merchant-mark", (all) => all.map((mark) => mark.textContent).sort());
    await page.waitForSelector("tr:has-text('N-ACME')");
    expect(await marks()).toEqual(["ACME", "BREW"]);
    await page.selectOption(".sidebar .merchant-switch select", "ACME");
    await page.waitForSelector("tr:has-text('N-BREW')", { state: "detached" });
    await page.waitForSelector("tr:has-text('N-ACME')");
    const asked = namedBy(tab);
    expect(await marks()).toEqual([]);
    expect(new URL(page.url()).searchParams.get("merchant")).toBe("ACME");
    // The choice stays in each address, and a record of another is not kept open.
    await page.click("tr:has-text('N-ACME') a");
    await page.waitForSelector("h1:has-text('N-ACME')");
    expect(new URL(page.url()).searchParams.get("merchant")).toBe("ACME");
    await page.selectOption(".sidebar .merchant-switch select", "BREW");
    await page.waitForSelector("tr:has-text('N-BREW')");
    expect(new URL(page.url()).pathname).toBe("/dashboard/orders");
    await page.click("nav >> text=Stock");
    await page.waitForSelector("tr:has-text('Tea of BREW')");
    const named = asked.filter(({ path }) => path !== "/v1/merchants");
    expect(new Set(named.map(({ merchant }) => merchant))).toEqual(new Set(["ACME", "BREW"]));
    // What is made belongs to the merchant that is shown.
    await page.goto(`${house.addressOf("/products/new")}?merchant=BREW`);
    await page.fill("[name=sku]", "BEAN");
    await page.fill("[name=name]", "Bean");
    expect(await page.locator("[name=merchant_id]").count()).toBe(0);
    await page.click("button:has-text('Create')");
    await page.waitForSelector("h1:has-text('Bean')");
    const brew = (await house.live.must("GET", "/merchants/BREW")).data;
    const [made] = (await house.live.must("GET", "/products?sku=BEAN")).data;
    expect(made.merchant_id).toBe(brew.id);
  });

  test("a SKU of two merchants is read and adjusted for the merchant of the opened row", async () => {
    const tab = await house.open("/stock");
    const { page } = tab;
    await page.click("tr:has-text('Tea of ACME') a");
    await page.waitForSelector("strong[data-part=available]:has-text('18')");
    expect(await page.textContent("h1 ~ .merchant-mark")).toBe("ACME");
    await page.click("button:has-text('Add stock')");
    await page.fill("dialog [name=quantity]", "5");
    await page.fill("dialog [name=bin]", "B-ACME");
    await page.click("dialog button:has-text('Add stock')");
    await page.waitForSelector("strong[data-part=available]:has-text('23')");
    expect((await as("BREW")("GET", "/inventory/TEA")).available).toBe(5);
    // An address without the merchant asks for it.
    tab.expectRefusals(422);
    await page.goto(house.addressOf("/stock/TEA"));
    await page.selectOption("main select[name=merchant_id]", "BREW");
    await page.waitForSelector("strong[data-part=available]:has-text('5')");
  });

  test("a bin is reserved for one merchant, or holds stock of several", async () => {
    const [{ warehouse_id }] = (await house.live.must("GET", "/inventory/locations")).data;
    const { page } = await house.open(`/bins?location=${warehouse_id}&bin=B-ACME`);
    await page.waitForSelector(".map-kept:has-text('Any merchant · one merchant at a time')");
    await page.click("a:has-text('View bin')");
    await page.click("button:has-text('Edit')");
    await page.selectOption("dialog [name=dedicated_merchant_id]", "ACME");
    await page.click("dialog button:has-text('Save')");
    await page.waitForSelector(".figure:has-text('ACME'):has(.merchant-dot)");
    await page.goto(`${house.addressOf("/bins")}?location=${warehouse_id}`);
    await page.waitForSelector("button.cell.kept[data-bin=B-ACME][aria-label$='Reserved for ACME']");
    expect(await page.locator("button.cell.kept").count()).toBe(1);
    const binOf = async (code: string) =>
      (await house.live.must("GET", `/inventory/bins?location=${warehouse_id}&bin=${code}`)).data[0];
    const acme = (await house.live.must("GET", "/merchants/ACME")).data;
    expect(await binOf("B-ACME")).toMatchObject({ dedicated_merchant_id: acme.id, mix_merchants: false });
    // New bins of a zone are kept for whoever is named, those that nothing is said of stay as they are.
    await page.goto(house.addressOf("/settings/house"));
    const openBins = async () => {
      await page.click(".house-zones [aria-label=More] >> nth=0");
      await page.click("[role=menuitem]:has-text('Add or edit bins')");
    };
    await openBins();
    await page.fill("dialog [name=bins]", "B-BREW, B-MIX");
    await page.selectOption("dialog [name=dedicated_merchant_id]", "BREW");
    await page.click("dialog button:has-text('Save')");
    await page.waitForSelector("dialog", { state: "detached" });
    await openBins();
    await page.fill("dialog [name=bins]", "B-BREW");
    await page.fill("dialog [name=capacity]", "100");
    await page.click("dialog button:has-text('Save')");
    await page.waitForSelector("dialog", { state: "detached" });
    const brew = (await house.live.must("GET", "/merchants/BREW")).data;
    expect(await binOf("B-BREW")).toMatchObject({ dedicated_merchant_id: brew.id, capacity: 100 });
    await page.goto(house.addressOf(`/bins/${warehouse_id}/B-MIX`));
    await page.click("button:has-text('Edit')");
    await page.selectOption("dialog [name=dedicated_merchant_id]", "");
    await page.check("dialog [name=mix_merchants]");
    expect(await violations(page)).toEqual([]);
    await page.click("dialog button:has-text('Save')");
    await page.waitForSelector(".figure:has-text('any mix of merchants')");
    expect(await binOf("B-MIX")).toMatchObject({ dedicated_merchant_id: null, mix_merchants: true });
  }, 60_000);

  test("in a bin where two merchants have the same SKU, the units of the chosen row are counted", async () => {
    const [{ warehouse_id }] = (await house.live.must("GET", "/inventory/locations")).data;
    await as("ACME")("POST", "/inventory", { sku: "TEA", quantity: 4, bin: "B-MIX" });
    await as("BREW")("POST", "/inventory", { sku: "TEA", quantity: 9, bin: "B-MIX" });
    const { page } = await house.open(`/bins/${warehouse_id}/B-MIX`);
    await page.click("tr:has(.merchant-mark:text-is('BREW')) [aria-label=More]");
    await page.click("[role=menuitem]:has-text('Adjust')");
    await page.fill("dialog [name=counted]", "8");
    const places = await page.locator("dialog [name=place] option").allTextContents();
    expect(places.filter((place) => place.includes("B-ACME"))).toEqual([]);
    await page.click("dialog button:has-text('Adjust')");
    await page.waitForSelector("tr:has(.merchant-mark:text-is('BREW')):has-text('8')");
    const had = async (code: string) => (await as(code)("GET", "/inventory/TEA")).on_hand;
    expect([await had("ACME"), await had("BREW")]).toEqual([29, 15]);
  });

  test("ownership of units is transferred to another merchant", async () => {
    const { page } = await house.open("/stock/TEA?of=ACME");
    await page.click(".page-acts [aria-label=More]");
    await page.click("[role=menuitem]:has-text('Transfer ownership')");
    await page.selectOption("dialog [name=place]", { label: "B-MIX · 4 on hand" });
    await page.fill("dialog [name=quantity]", "3");
    const owners = await page.locator("dialog [name=to_merchant_id] option").allTextContents();
    expect(owners.filter((owner) => owner.startsWith("ACME"))).toEqual([]);
    await page.selectOption("dialog [name=to_merchant_id]", "BREW");
    await page.fill("dialog [name=reason]", "Sold on");
    await page.waitForSelector("dialog:has-text('3 units move to BREW. ACME keeps 1 available unit')");
    expect(await violations(page)).toEqual([]);
    await page.click("dialog button:has-text('Transfer')");
    await page.waitForSelector(".toast:has-text('3 units of TEA transferred to BREW.')");
    const had = async (code: string) => (await as(code)("GET", "/inventory/TEA")).on_hand;
    expect([await had("ACME"), await had("BREW")]).toEqual([26, 18]);
  });

  test("a merchant's page shows the sender name of its parcels", async () => {
    const from = (page: Tab["page"]) => page.locator("dt:has-text('Sender') + dd").textContent();
    for (const [code, sender] of [
      ["MAIN", "Warehouse"],
      ["BREW", "Brew & Bean"],
    ] as const) {
      const { page } = await house.open(`/settings/merchants/${code}`);
      await page.waitForSelector("dt:has-text('Sender')");
      expect(await from(page)).toBe(sender);
    }
    await house.live.must("PATCH", "/merchants/BREW", { ship_from_name: "The Bean Cart" });
    const { page } = await house.open("/settings/merchants/BREW");
    await page.waitForSelector("dd:has-text('The Bean Cart')");
    await house.live.must("PATCH", "/merchants/BREW", { ship_from_name: null });
  });

  test("search results show their merchant", async () => {
    const { page } = await house.open("/customers");
    await page.waitForSelector("h1");
    await page.keyboard.press("Control+k");
    await page.waitForSelector("dialog input:focus");
    await page.keyboard.type("TEA");
    await page.waitForSelector(".palette-offer:has-text('Tea of BREW') .merchant-mark:text-is('BREW')");
    await page.waitForSelector(".palette-offer:has-text('Tea of ACME') .merchant-mark:text-is('ACME')");
    expect(await violations(page)).toEqual([]);
  });

  test("billable events are listed, filtered and added by hand", async () => {
    const { page } = await house.open("/billing?kind=receiving");
    await page.waitForSelector("tr:has-text('20 units') .merchant-mark:text-is('ACME')");
    await page.click("button:has-text('Add time')");
    await page.selectOption("dialog [name=merchant_id]", "BREW");
    await page.fill("dialog [name=minutes]", "45");
    await page.fill("dialog [name=description]", "Photographs of each bean");
    await page.click("dialog button[type=submit]");
    await page.waitForSelector("dialog", { state: "detached" });
    await page.selectOption("select[aria-label=Kind]", "project");
    await page.waitForSelector("tr:has-text('45 min') .merchant-mark:text-is('BREW')");
    expect(await page.locator("tr:has-text('20 units')").count()).toBe(0);
    const [told] = (await house.live.must("GET", "/billing/events?kind=project")).data;
    expect(told).toMatchObject({ quantity: 45, unit: "minute" });
    expect(told.attributes.description).toBe("Photographs of each bean");
  });

  test("a form asks for the merchant of a new record, and creates it for that merchant", async () => {
    const { page } = await house.open("/customers/new");
    await page.click("button:has-text('Create')");
    await page.waitForSelector("select[name=merchant_id][aria-invalid=true]:focus");
    expect(await violations(page)).toEqual([]);
    await page.selectOption("select[name=merchant_id]", "ACME");
    await page.fill("[name=email]", "cy@example.com");
    await page.click("button:has-text('Create')");
    await page.waitForSelector("h1:has-text('cy@example.com')");
    const acme = (await house.live.must("GET", "/merchants/ACME")).data;
    const found = await house.live.must("GET", "/customers?q=cy@example.com");
    expect((found.data ?? found).map((one: { merchant_id: string }) => one.merchant_id)).toEqual([acme.id]);
  });

  test("pending work and reports of a SKU show its merchant", async () => {
    for (const code of ["ACME", "BREW"]) await as(code)("POST", `/orders/${orders[code]}/hold`, { reason: "payment" });
    const { page } = await house.open("/");
    await page.waitForSelector(".topics li:has-text('On hold: payment')");
    const marks = await page.locator(".topics .samples .merchant-mark").allTextContents();
    expect(marks.sort()).toEqual(["ACME", "BREW"]);
    expect(await violations(page)).toEqual([]);
    await page.goto(house.addressOf("/reports/stock_ageing"));
    await page.click("tr:has(.merchant-mark:text-is('BREW')) a:text-is('TEA')");
    await page.waitForSelector("h1:has-text('Tea of BREW')");
  });

  test("an order held only because its merchant is suspended has no release button", async () => {
    await house.live.must("POST", "/merchants/BREW/suspend", {});
    const { page } = await house.open(`/orders/${orders["BREW"]}`);
    await page.waitForSelector("text=On hold: merchant suspended");
    const releases = page.locator(".page-acts button:has-text('Release')");
    expect(await releases.count()).toBe(1);
    await as("BREW")("POST", `/orders/${orders["BREW"]}/release`, {});
    await page.waitForSelector("text=On hold: payment", { state: "detached" });
    expect([await releases.count(), await page.locator("button:has-text('Release')").count()]).toEqual([0, 0]);
    await house.live.must("POST", "/merchants/BREW/reactivate", {});
    await page.waitForSelector("text=On hold: merchant suspended", { state: "detached" });
  });

  test("are created, edited, suspended, reactivated, and closed once they have no stock left", async () => {
    const tab = await house.open("/settings/merchants");
    const { page } = tab;
    await page.click("a:has-text('New merchant')");
    await page.fill("[name=code]", "zed");
    await page.fill("[name=name]", "Zed Toys");
    await page.fill("[name='contact.email']", "zoe@example.com");
    await page.click("button:has-text('Create')");
    await page.waitForSelector("h1:has-text('Zed Toys')");
    expect((await house.live.must("GET", "/merchants/ZED")).data).toMatchObject({
      ...{ name: "Zed Toys", currency: "USD", contact: { name: null, email: "zoe@example.com", phone: null } },
      ...{ return_address: null, may_buy_labels: false, color: null, status: "active" },
    });
    // It can be chosen at once, and is told what to do first.
    await page.waitForSelector(".sidebar .merchant-switch option[value=ZED]", { state: "attached" });
    await page.click("[aria-label=More]");
    const { x = 0, width = 0 } = (await page.locator("[role=menu]").boundingBox()) ?? {};
    expect(x + width).toBeLessThanOrEqual(Number(await page.evaluate("document.body.clientWidth")));
    await page.keyboard.press("Escape");
    const first = await house.open("/?merchant=ZED");
    await first.page.waitForSelector("h2:has-text('First steps for Zed Toys')");
    await page.click("a:has-text('Edit')");
    await page.fill("[name=legal_name]", "Zed Toys Ltd");
    await page.fill("[name='return_address.address_line1']", "2 Side St");
    await page.fill("[name='return_address.city']", "Reno");
    await page.fill("[name='return_address.state']", "NV");
    await page.fill("[name='return_address.postal_code']", "89501");
    await page.selectOption("[name='return_address.country']", "US");
    await page.click("button:has-text('Save')");
    await page.waitForSelector("dd:has-text('Zed Toys Ltd')");
    await page.waitForSelector("address:has-text('2 Side St')");
    const act = async (title: string) => {
      await page.click("[aria-label=More]");
      await page.click(`[role=menuitem]:has-text('${title}')`);
    };
    await act("Suspend");
    await page.click("dialog button:has-text('Suspend')");
    await page.waitForSelector(".badge:has-text('Suspended')");
    await act("Reactivate");
    await page.waitForSelector(".badge:has-text('Active')");
    await act("Close permanently");
    await page.click("dialog button:has-text('Close permanently')");
    await page.waitForSelector(".badge:has-text('Closed')");
    // What is left of another is told, with where it is.
    tab.expectRefusals(409);
    await page.goto(house.addressOf("/settings/merchants/ACME"));
    await act("Close permanently");
    await page.click("dialog button:has-text('Close permanently')");
    await page.waitForSelector("dialog:has-text('be closed yet')");
    expect(await violations(page)).toEqual([]);
    await page.click("dialog a:has-text('1 open order')");
    await page.waitForSelector("tr:has-text('N-ACME')");
    expect(new URL(page.url()).searchParams.get("merchant")).toBe("ACME");
  });

  test("look right", async () => {
    await lookAt(house, "/orders", "tr:has-text('N-ACME')", "merchants-orders");
    await lookAt(house, "/orders?merchant=ACME", "tr:has-text('N-ACME')", "merchants-orders-of-one");
    await lookAt(house, `/orders/${orders["BREW"]}`, "h1:has-text('N-BREW')", "merchants-order");
    await lookAt(house, "/stock/TEA?of=ACME", "strong[data-part=available]", "merchants-sku");
    await lookAt(house, "/bins", "button.cell.kept", "merchants-bins");
    await lookAt(house, "/settings/merchants", "tr:has-text('ACME')", "merchants");
    await lookAt(house, "/settings/merchants/ACME", "h1:has-text('Acme')", "merchant");
    await lookAt(house, "/settings/merchants/new", "[name=code]", "merchant-new");
    await lookAt(house, "/billing", "tr:has-text('45 min')", "billing");
    await lookAt(house, "/billing/storage", "text=No storage in this period", "billing-storage");
    await lookAt(house, "/orders/new", "select[name=merchant_id]", "merchants-order-new");
  }, 150_000);
});
