// Five hundred orders on the batch screen, from rates to shipped: the time of each step in the browser, the server's
// memory, and how long another client has to wait meanwhile.
import { expect, test } from "bun:test";
import { buyerOf } from "../../build/buyer.ts";
import { startOtherClient } from "../../flows/other_client.ts";
import { describeInHouse } from "../browser.ts";

const size = 500;
const step_ms_max = 300_000;

describeInHouse("a large batch", (house) => {
  test(`${size} orders are shipped, while others go on`, async () => {
    const { must } = house.test;
    const [key] = (await must("GET", "/keys")).data;
    // The other client asks without a pause.
    await must("PATCH", `/keys/${key.id}`, { rate_limit_per_minute: 0 });
    await must("POST", "/products", { sku: "TEA-1", name: "Tea", weight: 1, weight_unit: "lb" });
    await must("POST", "/inventory", { sku: "TEA-1", quantity: size });
    const actions = { carrier: "sim", service: "standard" };
    await must("POST", "/shipping/rules", { name: "Standard", conditions: {}, actions });
    const place = { address_line1: "12 Elm St", address_line2: "SIM-NO-SCANS", city: "Portland", state: "OR" };
    const buyer = await buyerOf(must, { shipping_addresses: [{ ...place, postal_code: "97201", country: "US" }] });
    // The first purchase loads what later ones keep, such as zones and the drawing of labels.
    const { id: order_id } = await buyer.order("FIRST", [["TEA-1", 1]]);
    await must("POST", "/shipping/labels", { order_id, ...actions, package: { weight: 1 } });
    await must("DELETE", `/orders/${order_id}`);
    for (let n = 1; n <= size; n += 1) await buyer.order(`L-${n}`, [["TEA-1", 1]]);

    const { page } = await house.open("/orders?mode=test&q=L-&sort=created_at");
    page.setDefaultTimeout(step_ms_max);
    const { service } = house;
    /** Does a step of the batch and waits for its result. Reports how long it took, and how long others waited. */
    async function step(name: string, act: () => Promise<unknown>, result: string) {
      const other = startOtherClient(service, service.first_keys.test);
      await act();
      await page.waitForSelector(result);
      console.log(JSON.stringify({ name, orders: size, ...(await other.stop()) }));
    }
    const primary = (text: string) => `.batch-bar .button.primary:has-text("${text}"):not([disabled])`;
    await page.waitForSelector("tbody tr");
    await page.keyboard.press("a");
    await page.keyboard.press("A");
    await page.waitForSelector(`.bulk-bar:has-text("${size} selected")`);
    await step("rates", () => page.keyboard.press("l"), primary(`Buy ${size} labels for $`));
    await step("buy", () => page.keyboard.press("l"), primary(`Print ${size} labels`));
    const print = async () => {
      const [file] = await Promise.all([page.waitForEvent("popup"), page.keyboard.press("p")]);
      await page.waitForSelector(".notice:has-text('The file has')");
      await file.close();
    };
    await step("print", print, primary(`Pick, pack and ship ${size} orders`));
    await step("ship", () => page.keyboard.press("s"), `.toast:has-text("${size} orders shipped")`);
    const { statuses } = (await must("GET", "/orders/counts")).data;
    expect(statuses.shipped).toBe(size);
  }, 1_200_000);
});
