import { beforeAll, expect, test } from "bun:test";
import { buyerOf } from "../../build/buyer.ts";
import { describeInHouse, type House, lookAt } from "../browser.ts";

const to = {
  name: "Bo Buyer",
  address_line1: "1 Main St",
  city: "Portland",
  state: "OR",
  postal_code: "97201",
  country: "US",
};

describeInHouse("the screens about shipping", (house) => {
  let label_id = "";
  beforeAll(async () => {
    label_id = await buyLabel(house);
  });

  test("compare rates, and keep the entries in the address", async () => {
    const { page } = await house.open("/shipping/rates");
    await page.fill("[name=from_zip]", "43215");
    await page.fill("[name=to_zip]", "97201");
    await page.fill("[name=weight]", "3");
    await page.click("button:has-text('Get rates')");
    await page.waitForSelector("tr:has-text('Standard')");
    const asked = { from_zip: "43215", to_zip: "97201", weight: 3 };
    const { rates } = (await house.live.must("POST", "/shipping/rates", asked)).data;
    expect(await page.locator("tbody tr").count()).toBe(rates.length);
    const [cheapest] = rates;
    await page.waitForSelector(`tbody tr:first-child:has-text('$${cheapest.rate.toFixed(2)}')`);
    expect(new URL(page.url()).searchParams.get("to_zip")).toBe("97201");
    await page.locator("summary").first().click();
    await page.waitForSelector(".shipping-parts:has-text('Base rate')");
  });

  test("edit prices in a table by typing and pasting, and save them together", async () => {
    const [card] = (await house.live.must("GET", "/shipping/rate_cards?limit=1")).data;
    const { page } = await house.open(`/shipping/rate_cards/${card.id}`);
    const first = page.locator(".prices tbody input").first();
    await first.fill("123.45");
    await page.waitForSelector(".price-save:has-text('1 unsaved price')");
    await first.fill("12.x");
    expect(await page.locator(".price-save button:has-text('Save')").isDisabled()).toBe(true);
    // Text, since the types of a browser's page are not those of tests.
    await page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData("text", "7.77\\n8.88");
      const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      document.querySelector(".prices tbody input").dispatchEvent(paste);
    }`);
    await page.click(".price-save button:has-text('Save')");
    await page.waitForSelector(".toast:has-text('saved')");
    const { prices } = (await house.live.must("GET", `/shipping/rate_cards/${card.id}`)).data;
    const amounts = prices.map(({ price }: { price: number }) => price);
    expect(amounts).toEqual(expect.arrayContaining([7.77, 8.88]));
  });

  test("show the delivery date at the destination, whatever the user's time zone", async () => {
    const label = (await house.live.must("GET", `/shipping/labels/${label_id}`)).data;
    // Eight in the evening in Oregon is the next day in UTC.
    expect(label.delivery_date.slice(0, 10) > label.delivery_day).toBe(true);
    const form = { dateStyle: "medium", timeZone: "UTC" } as const;
    const day = new Intl.DateTimeFormat("en-US", form).format(new Date(label.delivery_day));
    const { page } = await house.open(`/shipping/labels/${label_id}`);
    await page.waitForSelector(`dd:text-is("${day}")`);
    await page.goto(house.addressOf(`/orders/${label.order_id}`));
    await page.waitForSelector(`.parcel header:has-text("expected ${day}")`);
    await page.goto(house.addressOf("/shipping/rates?from_zip=43215&to_zip=97201&weight=3"));
    await page.click("button:has-text('Get rates')");
    await page.waitForSelector("tr:has-text('Standard')");
    const shown = await page.locator("tbody tr").allTextContents();
    const { rates } = (
      await house.live.must("POST", "/shipping/rates", { from_zip: "43215", to_zip: "97201", weight: 3 })
    ).data;
    for (const [at, { delivery_day }] of rates.entries())
      expect(shown[at]).toContain(new Intl.DateTimeFormat("en-US", form).format(new Date(delivery_day)));
  });

  test("list the parcels of a manifest", async () => {
    const { page } = await house.open("/shipping/manifests");
    await page.click(".empty >> text=New manifest");
    await page.click("dialog button:has-text('Create')");
    await page.waitForSelector("tr:has-text('97201')");
    const [made] = (await house.live.must("GET", "/shipping/manifests")).data;
    expect(made).toMatchObject({ label_count: 1, created_by: { type: "user", id: "usr_1001" } });
    // The carrier collects it.
    await page.click("button:has-text('Carrier collected it')");
    await page.waitForSelector("dialog:has-text('Ship 1 parcel?')");
    await page.click("dialog .button.primary");
    await page.waitForSelector(".toast:has-text('1 parcel shipped.')");
    await page.waitForSelector("tr:has-text('97201') .badge:has-text('Shipped')");
    expect(await page.locator("button:has-text('Carrier collected it')").count()).toBe(0);
  });

  test("explain zones, override one and remove the override", async () => {
    const { page } = await house.open("/shipping/zones");
    await page.waitForSelector(".zone-map path");
    await page.click("button:has-text('Add override')");
    await page.fill("dialog [name=value]", "972");
    await page.fill("dialog [name=zone]", "5");
    await page.click("dialog button:has-text('Save')");
    await page.waitForSelector("td:has-text('US 972')");
    const { zone, by } = (await house.live.must("GET", "/shipping/zones?from=43215&to=97201")).data;
    expect([zone, by]).toEqual(["5", "override"]);
    await page.fill("[name=to] >> nth=0", "97201");
    await page.click("button:has-text('Explain')");
    await page.waitForSelector(".zone-why:has-text('Override')");
    await page.click("[aria-label='Remove US 972…']");
    await page.click("dialog button:has-text('Remove')");
    await page.waitForSelector("td:has-text('US 972')", { state: "detached" });
    expect((await house.live.must("GET", "/shipping/zones/overrides")).data.overrides).toEqual([]);
  });

  test("add, pause and remove an account at a carrier, and show its secret once", async () => {
    const { page } = await house.open("/shipping/carriers");
    await page.click(".empty button");
    await page.click("dialog button:has-text('EasyPost')");
    await page.fill("dialog [name='credentials.api_key']", "EZAKnothing00000000");
    await page.click("dialog footer button:has-text('Add account')");
    await page.waitForSelector("dialog:has-text('callback secret')");
    const secret = await page.locator("dialog .secret code").textContent();
    await page.click("dialog button:has-text('Done')");
    await page.waitForSelector("dialog", { state: "detached" });
    expect(await page.locator("body").textContent()).not.toContain(secret ?? "?");
    const [account] = (await house.live.must("GET", "/shipping/carrier_accounts")).data;
    expect(account).toMatchObject({ connector: "easypost", status: "active", has_callback_secret: true });
    await page.click("[aria-label^='More: ']");
    await page.click("[role=menuitem]:has-text('Pause')");
    await page.waitForSelector(".badge:has-text('Paused')");
    await lookAt(house, "/shipping/carriers", ".badge:has-text('Paused')", "shipping-carriers");
    await page.click("[aria-label^='More: ']");
    await page.click("[role=menuitem]:has-text('Remove')");
    await page.click("dialog button:has-text('Remove')");
    await page.waitForSelector(".empty");
    expect((await house.live.must("GET", "/shipping/carrier_accounts")).data).toEqual([]);
  }, 60_000);

  test("add a holiday of one year", async () => {
    const { page } = await house.open("/shipping/holidays");
    await page.click("button:has-text('Add holiday') >> nth=0");
    await page.fill("dialog [name=name]", "Stocktaking");
    await page.click("dialog button:has-text('Add')");
    await page.waitForSelector("tr:has-text('Stocktaking')");
  });

  test("void a label after a preview", async () => {
    const other = await buyLabel(house);
    const { page } = await house.open(`/shipping/labels/${other}`);
    await page.click("button:has-text('Void')");
    await page.waitForSelector("dialog:has-text('needs a new label')");
    await page.click("dialog button:has-text('Void')");
    await page.waitForSelector(".badge:has-text('Voided')");
    expect((await house.live.must("GET", `/shipping/labels/${other}`)).data.status).toBe("voided");
  });

  test("look right", async () => {
    await lookAt(house, "/shipping", "tr:has-text('Bought')", "shipping-labels");
    await lookAt(house, `/shipping/labels/${label_id}`, ".shipping-documents", "shipping-label");
    await house.live.must("POST", "/shipping/manifests", { label_ids: [await buyLabel(house)] });
    await lookAt(house, "/shipping/manifests", "tbody tr", "shipping-manifests");
    await lookAt(house, "/shipping/rates?from_zip=43215", "[name=to_zip]", "shipping-rates");
    await lookAt(house, "/shipping/rate_cards", "tbody tr", "shipping-cards");
    const [card] = (await house.live.must("GET", "/shipping/rate_cards?limit=1")).data;
    await lookAt(house, `/shipping/rate_cards/${card.id}`, ".prices input", "shipping-card");
    await lookAt(house, "/shipping/zones", ".zone-map path", "shipping-zones");
    await lookAt(house, "/shipping/holidays", "tbody tr", "shipping-holidays");
  }, 120_000);
});

let made = 0;

/** An order of a customer of its own, with a label for its parcel. */
async function buyLabel({ live }: House): Promise<string> {
  made += 1;
  const sku = `SHIP-${made}`;
  await live.must("POST", "/products", { sku, name: "Tea", weight: 1, weight_unit: "lb" });
  await live.must("POST", "/inventory", { sku, quantity: 5 });
  const buyer = { email: `bo${made}@example.com`, first_name: "Bo", last_name: "Buyer", shipping_addresses: [to] };
  const { id } = await (await buyerOf(live.must, buyer)).order(sku, [[sku, 1]]);
  const label = await live.must("POST", "/shipping/labels", {
    order_id: id,
    carrier: "local",
    service: "standard",
    package: { weight: 1, weight_unit: "lb" },
  });
  return label.data.label_id;
}
