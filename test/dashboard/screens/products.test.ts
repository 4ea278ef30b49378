import { expect, test } from "bun:test";
import { describeInHouse, lookAt } from "../browser.ts";

describeInHouse("the products", (house) => {
  test("are created, found, edited and deactivated", async () => {
    const { page } = await house.open("/products");
    // With nothing there yet the screen says what to do first.
    await page.click(".empty >> text=New product");
    await page.fill("[name=sku]", "TEA-1");
    await page.fill("[name=name]", "Green tea");
    await page.fill("[name=price]", "4.50");
    await page.fill("[name=weight]", "250");
    await page.keyboard.press("Control+Enter");
    await page.waitForSelector("h1:has-text('Green tea')");
    const [made] = (await house.live.must("GET", "/products?sku=TEA-1")).data;
    expect(made).toMatchObject({ name: "Green tea", price: 4.5, weight: 250, weight_unit: "lb", status: "active" });

    await page.click("a:has-text('Edit')");
    await page.fill("[name=name]", "Sencha");
    await page.click("button:has-text('Save')");
    await page.waitForSelector("h1:has-text('Sencha')");

    await page.click("[aria-label=More]");
    await page.click("[role=menuitem]:has-text('Deactivate')");
    await page.click("dialog button:has-text('Deactivate')");
    await page.waitForSelector("h1 + .badge:has-text('Inactive')");

    await page.click("text=Products >> nth=0");
    await page.waitForSelector("tr:has-text('Sencha')");
    await page.keyboard.press("/");
    await page.keyboard.type("nothing like it");
    await page.waitForSelector("text=No results");
    expect(new URL(page.url()).searchParams.get("q")).toBe("nothing like it");
    expect((await house.live.must("GET", `/products/${made.id}`)).data).toMatchObject({
      name: "Sencha",
      status: "inactive",
    });
  });

  test("show the API's error at its field, and keep the entries", async () => {
    await house.live.must("POST", "/products", { sku: "DUP-1", name: "Here already" });
    const tab = await house.open("/products/new");
    tab.expectRefusals(409, 422);
    await tab.page.fill("[name=sku]", "DUP-2");
    await tab.page.fill("[name=name]", "Other");
    await tab.page.fill("[name=weight]", "-3");
    await tab.page.click("button:has-text('Create')");
    await tab.page.waitForSelector("[data-field=weight] .field-wrong");
    expect(await tab.page.inputValue("[name=sku]")).toBe("DUP-2");
    await tab.page.fill("[name=weight]", "");
    await tab.page.fill("[name=sku]", "DUP-1");
    await tab.page.click("button:has-text('Create')");
    await tab.page.waitForSelector("[role=alert]:has-text('DUP-1')");
  });

  test("show changes by others at once", async () => {
    const product = (await house.live.must("POST", "/products", { sku: "LIVE-1", name: "Before" })).data;
    const { page } = await house.open(`/products/${product.id}`);
    await page.waitForSelector("h1:has-text('Before')");
    await page.waitForSelector("html[data-connected=true]");
    await house.live.must("PATCH", `/products/${product.id}`, { name: "After" });
    await page.waitForSelector("h1:has-text('After')");
  });

  test("offer no further change of a record until it has been read again, or could not be", async () => {
    const { id } = (await house.live.must("POST", "/products", { sku: "AGAIN-1", name: "Again" })).data;
    const tab = await house.open(`/products/${id}`);
    const { page } = tab;
    const read = `**/v1/products/${id}`;
    const change = async (name: string) => {
      await page.click("[aria-label=More]");
      await page.click(`[role=menuitem]:has-text('${name}')`);
    };
    await page.waitForSelector("h1:has-text('Again')");
    const held = Promise.withResolvers<void>();
    await page.route(read, async (route) => {
      if (route.request().method() === "GET") await held.promise;
      await route.continue();
    });
    await change("Deactivate");
    await page.click("dialog button:has-text('Deactivate')");
    await page.waitForSelector(".toast:has-text('AGAIN-1')");
    await page.click("[aria-label=More]");
    await page.waitForSelector("[role=menuitem]:disabled:has-text('Deactivate')");
    held.resolve();
    await page.waitForSelector("h1 + .badge:has-text('Inactive')");
    await page.click("[role=menuitem]:has-text('Activate')");
    await page.waitForSelector("h1 + .badge:has-text('Inactive')", { state: "detached" });

    tab.expectFailures();
    await page.unroute(read);
    await page.route(read, (route) => (route.request().method() === "GET" ? route.abort() : route.continue()));
    await change("Deactivate");
    await page.click("dialog button:has-text('Deactivate')");
    await page.waitForSelector(".offline");
    await page.click("[aria-label=More]");
    await page.waitForSelector("[role=menuitem]:enabled:has-text('Deactivate')");
  });

  test("look right", async () => {
    const product = (await house.live.must("POST", "/products", { sku: "LOOK-1", name: "Look" })).data;
    await lookAt(house, "/products", "tr:has-text('LOOK-1')", "products");
    await lookAt(house, `/products/${product.id}`, "h1:has-text('Look')", "product");
    await lookAt(house, "/products/new", "[name=sku]", "product-new");
  }, 60_000);
});
