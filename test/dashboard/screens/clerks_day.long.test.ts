// The day of a clerk: forty orders of three carriers from the list to the truck, with two shorts and one bad address,
// once by mouse and once by keyboard.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { buyerOf } from "../../build/buyer.ts";
import { openPages } from "../../documents/open_pdf.ts";
import { type EasyPostMock, openEasyPost } from "../../shipping/carriers/easypost_mock.ts";
import { type KarrioMock, openKarrio } from "../../shipping/carriers/karrio_mock.ts";
import { describeInHouse } from "../browser.ts";

const shippable = 40;
const clicks_max = 25;
const machine_ms_max = 180_000;
const methods = ["Simulated Parcel Standard", "Cheap and slow", "To the north"];
const home = {
  address_line1: "12 Elm St",
  // The simulated carrier leaves the scans of parcels to the test.
  address_line2: "SIM-NO-SCANS",
  city: "Portland",
  state: "OR",
  postal_code: "97201",
  country: "US",
};

interface ListedOrder {
  readonly id: string;
  readonly order_number: string;
  readonly status: string;
  readonly shipments: readonly {
    readonly status: string;
    readonly carrier: string;
    readonly tracking_number: string;
  }[];
}

/** A pair of hands that counts what it does. */
function handsOn(page: Page) {
  const counts = { clicks: 0, keys: 0 };
  return {
    counts,
    async click(selector: string) {
      counts.clicks += 1;
      await page.click(selector);
    },
    async press(key: string) {
      counts.keys += 1;
      await page.keyboard.press(key);
    },
  };
}

describeInHouse({ name: "a clerk's day", env: { PACKHOUSE_ALLOW_LOOPBACK_RECEIVERS: "true" } }, (house) => {
  let easypost: EasyPostMock;
  let karrio: KarrioMock;
  beforeAll(async () => {
    const { must } = house.test;
    [easypost, karrio] = [await openEasyPost(), await openKarrio()];
    for (const [connector, { key, url }] of Object.entries({ easypost, karrio })) {
      const credentials = { api_key: key, api_url: url, label_format: "PNG" };
      const { data } = await must("POST", "/shipping/carrier_accounts", { connector, credentials });
      await must("POST", `/shipping/carrier_accounts/${data.id}/test`, {});
    }
    const choices = {
      "Cheap*": { carrier: "usps", service: "GroundAdvantage" },
      "To the north": { carrier: "canada_post", service: "canadapost_expedited_parcel_usa" },
    };
    for (const [method, actions] of Object.entries(choices)) {
      const conditions = { shipping_methods: [method] };
      await must("POST", "/shipping/rules", { name: method, conditions, actions });
    }
    for (const sku of ["TEA-1", "GONE-1"]) {
      await must("POST", "/products", { sku, name: sku, weight: 1, weight_unit: "lb" });
    }
    await must("POST", "/inventory", { sku: "TEA-1", quantity: 500 });
  }, 60_000);
  afterAll(() => {
    easypost?.stop();
    karrio?.stop();
  });

  /** Creates the day's orders, of which forty can be shipped. Returns their numbers in the order of the list. */
  async function orders(prefix: string): Promise<readonly string[]> {
    const { must } = house.test;
    const email = `${prefix}@example.com`;
    const buyer = await buyerOf(must, { email, first_name: "Ada", last_name: "Buyer", shipping_addresses: [home] });
    const numbers: string[] = [];
    for (let n = 101; n <= 100 + shippable + 3; n += 1) {
      const isShort = n === 107 || n === 121;
      const more = { shipping_method: methods[n % 3], allow_backorder: true };
      const order = await buyer.order(`${prefix}-${n}`, [[isShort ? "GONE-1" : "TEA-1", 1]], more);
      if (n === 113) await must("POST", `/orders/${order.id}/hold`, { reason: "address", note: "No such street" });
      else if (!isShort) numbers.push(order.order_number);
    }
    return numbers;
  }

  /** The orders as listed, without the parcels of failed purchases. */
  async function listed(prefix: string): Promise<readonly ListedOrder[]> {
    const { data } = await house.test.must("GET", `/orders?q=${prefix}-1&sort=created_at&limit=100`);
    return data.map(({ shipments, ...order }: ListedOrder) => {
      return { ...order, shipments: shipments.filter(({ status }) => status !== "voided") };
    });
  }

  /** The file that was printed last, page by page. */
  async function pages() {
    const [{ id }] = (await house.test.must("GET", "/documents")).data;
    const { url, skipped } = (await house.test.must("GET", `/documents/${id}`)).data;
    const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
    return { pages: await openPages(bytes), skipped };
  }

  /** Checks what the day has left behind. */
  async function check(prefix: string, numbers: readonly string[]): Promise<void> {
    const all = await listed(prefix);
    const shipped = all.filter(({ status }) => status === "shipped");
    expect(shipped.map(({ order_number }) => order_number)).toEqual([...numbers]);
    expect(
      all
        .filter(({ status }) => status !== "shipped")
        .map(({ status }) => status)
        .sort(),
    ).toEqual(["on_hold", "pending", "pending"]);
    const carriers = new Set(shipped.flatMap(({ shipments }) => shipments.map(({ carrier }) => carrier)));
    expect(carriers).toEqual(new Set(["sim", "usps", "canada_post"]));
    const tracking = shipped.flatMap(({ shipments }) => shipments.map((one) => one.tracking_number));
    expect(new Set(tracking).size).toBe(shippable);
    const file = await pages();
    expect([file.skipped, file.pages.length]).toEqual([[], 2 * shippable]);
    // Each label is followed by its packing slip, in the order of the list.
    const slips = file.pages
      .filter((_, at) => at % 2 === 1)
      .map(({ text }) => new RegExp(`${prefix}-\\d+`).exec(text)?.[0]);
    expect(slips).toEqual([...numbers]);
    for (const [at, { shipments }] of shipped.entries()) {
      const [{ carrier = "", tracking_number = "" } = {}] = shipments;
      // A carrier's label is an image.
      if (carrier === "sim") expect(file.pages[2 * at]?.text.replaceAll(/\s/g, "")).toContain(tracking_number);
    }
  }

  const refuseSome = () =>
    easypost.fail(
      { status: 422, body: { error: { code: "SHIPMENT.POSTAGE.FAILURE", message: "Out of stamps.", errors: [] } } },
      { having: "/buy", times: 2 },
    );
  const primary = (text: string) => `.batch-bar .button.primary:has-text('${text}')`;

  test("by mouse", async () => {
    const numbers = await orders("M");
    const tab = await house.open("/orders?mode=test&q=M-1&sort=created_at");
    tab.expectRefusals(422, 502);
    const { page } = tab;
    const hands = handsOn(page);
    await page.waitForSelector("tr:has-text('M-143')");
    const began = performance.now();
    await hands.click("thead input[type=checkbox]");
    await hands.click(".bulk-bar >> text=Buy labels, print and ship");
    await page.waitForSelector(`tr:has-text('M-107') >> text=1 unit short`);
    await page.waitForSelector(`tr:has-text('M-113') >> text=On hold`);
    await page.waitForSelector(primary(`Buy ${shippable} labels for $`), { timeout: 40_000 });
    refuseSome();
    await hands.click(primary("Buy"));
    await page.waitForSelector(".batch-bar >> text=Try 2 labels again", { timeout: 40_000 });
    await page.waitForSelector(".batch-bar:has-text('38 labels bought')");
    await hands.click(".batch-bar >> text=Try 2 labels again");
    await page.waitForSelector(primary(`Print ${shippable} labels`), { timeout: 60_000 });
    const [file] = await Promise.all([page.waitForEvent("popup"), hands.click(primary("Print"))]);
    await page.waitForSelector(".notice:has-text('The file has 80 pages')", { timeout: 40_000 });
    await file.close();
    await hands.click(primary(`Pick, pack and ship ${shippable} orders`));
    await page.waitForSelector(`.toast:has-text('${shippable} orders shipped')`, { timeout: 40_000 });
    await hands.click(primary("Back to orders"));
    await page.waitForSelector(".bulk-bar:has-text('3 selected')");
    const ms = performance.now() - began;
    console.log(`a clerk's day by mouse: ${hands.counts.clicks} clicks, ${Math.round(ms / 100) / 10} s`);
    expect(hands.counts.clicks).toBeLessThanOrEqual(clicks_max);
    expect(ms).toBeLessThan(machine_ms_max);
    await check("M", numbers);
  }, 400_000);

  test("by keyboard", async () => {
    const numbers = await orders("K");
    const tab = await house.open("/orders?mode=test&q=K-1&sort=created_at");
    tab.expectRefusals(422, 502);
    const { page } = tab;
    const hands = handsOn(page);
    await page.waitForSelector("tr:has-text('K-143')");
    const began = performance.now();
    await hands.press("a");
    await page.waitForSelector(".bulk-bar:has-text('43 selected')");
    await hands.press("l");
    await page.waitForSelector(`${primary(`Buy ${shippable} labels for $`)}:focus`, { timeout: 40_000 });
    refuseSome();
    await hands.press("Enter");
    await page.waitForSelector(".batch-bar >> text=Try 2 labels again", { timeout: 40_000 });
    await page.waitForSelector(`${primary("Print 38 labels")}:focus`);
    await hands.press("r");
    await page.waitForSelector(`${primary(`Print ${shippable} labels`)}:focus`, { timeout: 60_000 });
    const [file] = await Promise.all([page.waitForEvent("popup"), hands.press("Enter")]);
    await page.waitForSelector(".notice:has-text('The file has 80 pages')", { timeout: 40_000 });
    await file.close();
    await page.waitForSelector(`${primary("Pick, pack and ship")}:focus`);
    await hands.press("Enter");
    await page.waitForSelector(`${primary("Back to orders")}:focus`, { timeout: 40_000 });
    await hands.press("Enter");
    await page.waitForSelector(".bulk-bar:has-text('3 selected')");
    const ms = performance.now() - began;
    console.log(`a clerk's day by keyboard: ${hands.counts.keys} keys, ${Math.round(ms / 100) / 10} s`);
    expect(hands.counts).toEqual({ clicks: 0, keys: hands.counts.keys });
    expect(hands.counts.keys).toBeLessThanOrEqual(clicks_max);
    expect(ms).toBeLessThan(machine_ms_max);
    await check("K", numbers);
  }, 400_000);
});
