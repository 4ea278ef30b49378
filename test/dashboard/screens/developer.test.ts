// API keys and webhooks as a person sets them up, with a real receiver.
import { afterAll, expect, test } from "bun:test";
import { openShopify } from "../../platforms/mocks/shopify.ts";
import { type ShopOrder, shopOrder } from "../../platforms/mocks/shopify_shop.ts";
import { isLong } from "../../volume.ts";
import { describeInHouse, lookAt, lookAtPage } from "../browser.ts";

interface Received {
  readonly headers: Headers;
  readonly body: { readonly type: string; readonly id: string };
}

describeInHouse("the screens for developers", (house) => {
  let status = 200;
  const received: Received[] = [];
  const receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      received.push({ headers: request.headers, body: (await request.json()) as Received["body"] });
      return Response.json({ thanks: received.length }, { status });
    },
  });
  afterAll(() => receiver.stop(true));
  const until = async (holds: () => boolean) => {
    for (let tries = 0; !holds() && tries < 300; tries += 1) await Bun.sleep(50);
    expect(holds()).toBe(true);
  };

  test("an API key is made, observed, replaced and revoked", async () => {
    const { page } = await house.open("/settings/keys");
    await page.click("text=New API key");
    await page.fill("[name=name]", "Web shop");
    await page.selectOption("[name=ip_mode]", "observe");
    await page.fill("[name=ip_list]", "203.0.113.0/24");
    await page.click("dialog button:has-text('Create')");
    const key = (await page.textContent("dialog .secret code")) ?? "";
    expect(key).toMatch(/^ph_live_/);
    await page.click("dialog button:has-text('Done')");
    const ask = () => fetch(`${house.url}/v1/products`, { headers: { authorization: `Bearer ${key}` } });
    expect((await ask()).status).toBe(200);
    await page.click("a:has-text('Web shop')");
    await page.waitForSelector("text=1 request came from addresses not in the list");
    await page.click("li:has-text('127.0.0.1') >> text=Allow");
    await page.waitForSelector("text=127.0.0.1 added to the list.");
    expect((await ask()).headers.get("x-ip-allowlist")).toBe("allowed");

    await page.click("button:has-text('Rotate')");
    await page.click("dialog button:has-text('Rotate')");
    const next = (await page.textContent("dialog .secret code")) ?? "";
    expect([next === key, (await ask()).status]).toEqual([false, 200]);
    await page.click("dialog button:has-text('Done')");
    await page.waitForSelector("h1:has-text('Web shop')");
    await page.click("button:has-text('Revoke')");
    await page.click("dialog button:has-text('Revoke')");
    await page.waitForSelector("h1 + .badge:has-text('Revoked')");
    const answer = await fetch(`${house.url}/v1/products`, { headers: { authorization: `Bearer ${next}` } });
    expect(answer.status).toBe(401);
  });

  test("a webhook is made, tested, reached, paused and caught up", async () => {
    const tab = await house.open("/settings/webhooks?mode=test");
    const { page } = tab;
    await page.click(".empty >> text=New webhook");
    await page.fill("[name=url]", `http://127.0.0.1:${receiver.port}/packhouse`);
    await page.click(".event-groups fieldset:has(legend:has-text('Stock')) legend input");
    await page.click("dialog button:has-text('Create')");
    expect(await page.textContent("dialog .secret code")).toMatch(/^whsec_/);
    await page.click("dialog button:has-text('Done')");
    await page.waitForSelector("text=Nothing has been sent yet");
    await page.click(".page-acts >> text=Send test");
    await page.selectOption("dialog [name=event]", "inventory.received");
    await page.click("dialog button:has-text('Send')");
    await page.waitForSelector("dialog .exchange:has-text('Returned 200')");
    expect(await page.textContent("dialog .exchange")).toContain('"thanks": 1');
    await page.click("dialog button:has-text('Close') >> nth=-1");
    expect(received[0]?.body.type).toBe("inventory.received");
    await page.waitForSelector("tr:has-text('Test'):has-text('Delivered')");

    await house.test.must("POST", "/products", {
      sku: "TEA",
      name: "Tea",
      weight: 1,
      weight_unit: "lb",
      price: "5.00",
    });
    await house.test.must("POST", "/inventory", { sku: "TEA", quantity: 5 });
    await until(() => received.length >= 3);
    await page.waitForSelector("tr:has-text('inventory.updated'):has-text('Delivered')");
    await page.click("tr:has-text('inventory.updated') >> [aria-label='Show request and response']");
    await page.waitForSelector('dialog .exchange:has-text(\'"sku": "TEA"\')');
    const before = received.length;
    await page.click("dialog button:has-text('Redeliver')");
    await page.waitForSelector("dialog:has-text('Send inventory.updated again?')");
    expect(received.length).toBe(before);
    await page.click("dialog button:has-text('Redeliver')");
    await until(() => received.length > before);

    await page.click("[aria-label=More]");
    await page.click("[role=menuitem]:has-text('Pause')");
    await page.click("dialog button:has-text('Pause')");
    await page.waitForSelector("h1 + .badge:has-text('Paused')");
    await house.test.must("POST", "/inventory", { sku: "TEA", quantity: 1 });
    await page.click("[role=tab]:has-text('Deliveries')");
    await page.waitForSelector("tr:has-text('Skipped')");
    await page.click("[aria-label=More]");
    await page.click("[role=menuitem]:has-text('Resume')");
    await page.waitForSelector("h1 + .badge:has-text('Active')");
    await page.click("[aria-label=More]");
    await page.click("[role=menuitem]:has-text('Recover missed deliveries')");
    const missed = received.length;
    await page.click("dialog button:has-text('Recover missed deliveries')");
    await page.waitForSelector("text=Recovery finished");
    await until(() => received.length > missed);
    // A receiver that is gone: the operator is told, and the screen says why nothing is sent.
    status = 410;
    await house.test.must("POST", "/inventory", { sku: "TEA", quantity: 1 });
    await page.waitForSelector("h1 + .badge:has-text('Disabled')");
    await page.click("button:has-text('Acknowledge')");
    await page.waitForSelector("button:has-text('Acknowledge')", { state: "detached" });
  });

  test.if(isLong)("a signed-in user tries a request out in the reference without a key", async () => {
    const { page } = await house.open("/settings/reference");
    page.setDefaultTimeout(50_000);
    await page.goto(`${house.url}/docs`);
    await page.click("a:has-text('List and search orders')");
    await page.click("button:has-text('Test Request')");
    const answered = page.waitForResponse((response) => response.url() === `${house.url}/v1/orders`);
    await page.locator("button:has-text('Send')").last().click();
    expect((await answered).status()).toBe(200);
  });

  test("the log of requests tells what was asked, and one of them", async () => {
    await house.live.send("GET", "/orders/ord_999999");
    const { page } = await house.open("/settings/requests?status=4xx");
    await page.waitForSelector("tr:has-text('GET /orders/ord_999999')");
    await page.click("a:has-text('GET /orders/ord_999999')");
    await page.waitForSelector("h1 + .badge:has-text('404')");
    await page.waitForSelector("a:has-text('resource_missing')");
    // What the dashboard itself asks is shown on request only.
    await page.goto(house.addressOf("/settings/requests"));
    await page.waitForSelector("tr:has-text('GET /orders/ord_999999')");
    expect(await page.locator("tr:has-text('GET /merchants')").count()).toBe(0);
    await page.click("button:has-text('Show dashboard reads')");
    await page.waitForSelector("tr:has-text('GET /merchants')");
  });

  test("events show their JSON, and what they are about", async () => {
    const list = (await house.open("/settings/events?mode=test")).page;
    await list.waitForSelector("tbody tr");
    const [newest] = (await house.test.must("GET", "/events?sort=-created_at&limit=1")).data;
    expect(await list.locator("tbody tr").first().getAttribute("data-id")).toBe(newest.id);
    const { page } = await house.open("/settings/events?mode=test&type=inventory.received");
    await page.click("a:has-text('inventory.received')");
    await page.waitForSelector('.code:has-text(\'"sku": "TEA"\')');
    await page.waitForSelector(".test-banner, [class*=banner]:has-text('test')");
  });

  test("a shop is connected, with what its platform asks for", async () => {
    const tab = await house.open("/settings/platforms/new");
    const { page } = tab;
    tab.expectRefusals(422);
    await page.click("label:has-text('WooCommerce')");
    await page.fill("[name=store_id]", "https://shop.example.com");
    await page.fill("[name=client_secret]", "short");
    await page.click("form button:has-text('Connect store')");
    await page.waitForSelector("[data-field=client_secret] .field-wrong");
    await page.fill("[name=client_secret]", "long-enough-secret");
    await page.fill("[name=api_url]", "https://93.184.216.34");
    await page.click("form button:has-text('Connect store')");
    await page.waitForSelector("text=No orders yet");
    await page.click("[role=tab]:has-text('Details')");
    await page.waitForSelector(".copy-field code");
    expect(await page.content()).not.toContain("long-enough-secret");
  });

  test("a shop's warnings and health are shown, and its connection is tested", async () => {
    const mock = await openShopify({ shop: "looked-at.myshopify.com" });
    const { client_id, client_secret } = mock.app;
    const store = { platform: "shopify", store_id: mock.shop, api_url: mock.url, client_id, client_secret };
    const { id } = (await house.test.must("POST", "/platforms", store)).data;
    mock.app.scopes = ["read_orders", "read_products"];
    const { page } = await house.open(`/settings/platforms/${id}?mode=test&tab=details`);
    await page.click("button:has-text('Test connection')");
    await page.waitForSelector("dialog li:has-text('write_merchant_managed_fulfillment_orders is missing')");
    await lookAtPage(page, "dialog .check-lines", "platform-test");
    await page.click("dialog button:has-text('Create webhooks')");
    await page.waitForSelector("dialog li:has-text('2 webhooks call this connection')");
    await page.click("dialog button[title=Close], dialog button[aria-label=Close]");
    mock.app.refusal = { status: 400, body: "Oauth error shop_not_permitted" };
    mock.app.revoke();
    await house.test.must("POST", `/platforms/${id}/test`, {});
    await page.reload();
    await page.waitForSelector(".notice.warning:has-text('belong to one organization')");
    await page.waitForSelector("dt:has-text('Access token expires')");
    await lookAtPage(page, ".notice.warning", "platform-health");
    mock.stop();
  }, 120_000);

  test("stock is pushed to a shop once it is switched on, as was shown before", async () => {
    const mock = await openShopify({ shop: "stocked.myshopify.com" });
    mock.shelf.stock({ sku: "SHOP-MUG", units: 3 });
    mock.shelf.stock({ sku: "SHOP-ONLY", units: 5 });
    const sku = "SHOP-MUG";
    const [{ warehouse_id }] = (await house.test.must("GET", "/inventory/locations")).data;
    await house.test.must("POST", "/products", { sku, name: "Mug" });
    await house.test.must("POST", "/inventory", { sku, quantity: 12, location: warehouse_id });
    const access = { api_url: mock.url, api_token: mock.token, client_secret: "hush-hush" };
    const store = { platform: "shopify", store_id: mock.shop, ...access };
    const { id } = (await house.test.must("POST", "/platforms", store)).data;
    const { page } = await house.open(`/settings/platforms/${id}?mode=test&tab=stock`);
    await page.click("button:has-text('Read listings')");
    await page.waitForSelector("tbody tr:has-text('SHOP-ONLY'):has-text('No product')");
    await page.waitForSelector("tbody tr:has-text('SHOP-MUG'):has-text('12')");
    expect(mock.shelf.units(sku)).toBe(3);
    await page.click(".card [aria-haspopup=menu]");
    await page.click("[role=menuitem]:has-text('Locations')");
    await page.click("dialog fieldset label:has-text('Main')");
    await lookAtPage(page, "dialog fieldset", "platform-locations");
    await page.click("dialog button:has-text('Save')");
    await page.waitForSelector("dt:has-text('Locations') + dd");
    expect((await house.test.must("GET", `/platforms/${id}/stock`)).data.locations).toMatchObject([
      { warehouse_ids: [warehouse_id] },
    ]);
    await page.click("button:has-text('Stock settings')");
    await page.click("dialog [name=enabled]");
    await page.click("dialog button:has-text('Save')");
    await until(() => mock.shelf.units(sku) === 12);
    await page.waitForSelector("tbody tr:has-text('SHOP-MUG'):has-text('Up to date')");
    await lookAtPage(page, "tbody tr:has-text('SHOP-MUG')", "platform-stock");
    await house.test.must("POST", "/products", { sku: "OURS-ONLY", name: "Ours" });
    await page.click("[role=tab]:has-text('Unlisted products')");
    await page.waitForSelector("tbody tr:has-text('OURS-ONLY')");
    expect(await page.locator("tbody tr:has-text('SHOP-MUG')").count()).toBe(0);
    await page.click("[role=tab]:has-text('Pushes')");
    await page.waitForSelector("tbody tr:has-text('SHOP-MUG'):has-text('Set')");
    await page.click("[role=tab]:has-text('Differences')");
    await page.waitForSelector("text=No differences");
    mock.stop();
  }, 120_000);

  test("a shipping method that no rule names is one click from its rule", async () => {
    const mock = await openShopify({ shop: "methods.myshopify.com" });
    const shipping_lines = [{ title: "Express, by noon", price: "9.00" }];
    mock.add(shopOrder(71, Date.now(), { shipping_lines }));
    const access = { api_url: mock.url, api_token: mock.token, client_secret: "hush-hush" };
    const store = { platform: "shopify", store_id: mock.shop, ...access };
    const { id } = (await house.test.must("POST", "/platforms", store)).data;
    const { body, headers } = mock.notification(mock.orders.get(71) as ShopOrder, { secret: "hush-hush" });
    const { callback_url } = (await house.test.must("GET", `/platforms/${id}`)).data;
    const url = new URL(callback_url, house.url);
    const told = await fetch(`${house.url}${url.pathname}${url.search}`, { method: "POST", body, headers });
    expect(told.status).toBe(200);
    const { page } = await house.open(`/settings/platforms/${id}?mode=test&tab=methods`);
    await page.waitForSelector("tbody tr:has-text('Express, by noon')");
    await lookAtPage(page, "tbody tr", "platform-methods");
    await page.click("tbody a:has-text('Add rule')");
    await page.waitForSelector("dialog");
    expect(await page.inputValue("dialog [name='conditions.shipping_methods']")).toBe("Express* by noon");
    await page.fill("dialog [name=name]", "Noon");
    await page.fill("dialog [name='actions.priority']", "8");
    await page.click("dialog button:has-text('Create')");
    await page.waitForSelector("text=Noon");
    await page.goto(`${house.url}/dashboard/settings/platforms/${id}?mode=test&tab=methods`);
    await page.waitForSelector("tbody tr:has-text('Express, by noon'):has-text('rul_')");
    mock.stop();
  }, 120_000);

  test.each([
    ["/settings/keys", "tbody tr", "keys"],
    ["/settings/webhooks?mode=test", "tbody tr", "webhooks"],
    ["/settings/requests", "tbody tr", "requests"],
    ["/settings/events?mode=test", "tbody tr", "events"],
    ["/settings/platforms", "tbody tr", "platforms"],
    ["/settings/platforms/new", "form", "platform-new"],
    ["/settings/reference", ".card", "reference"],
    ["/settings/metrics", ".empty, .plot", "metrics"],
  ])("%s is looked at", (path, ready, name) => lookAt(house, path, ready, name), 60_000);

  test("one of each is looked at", async () => {
    const [key] = (await house.live.must("GET", "/keys")).data;
    const [webhook] = (await house.test.must("GET", "/webhooks")).data;
    const [event] = (await house.test.must("GET", "/events")).data;
    const [request] = (await house.live.must("GET", "/requests")).data;
    const [shop] = (await house.live.must("GET", "/platforms")).data;
    await lookAt(house, `/settings/keys/${key.id}`, ".card", "key");
    await lookAt(house, `/settings/webhooks/${webhook.id}?mode=test`, "tbody tr", "webhook");
    await lookAt(house, `/settings/webhooks/${webhook.id}?mode=test&tab=details`, ".card", "webhook-details");
    await lookAt(house, `/settings/events/${event.id}?mode=test`, ".code", "event");
    await lookAt(house, `/settings/requests/${request.id}`, ".card", "request");
    await lookAt(house, `/settings/platforms/${shop.id}?tab=details`, ".card", "platform");
  }, 120_000);
});
