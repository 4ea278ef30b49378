// Picks and packs that are taken back on screen: from the toast, the menus, and the parcels of an order.
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { describeInHouse, lookAtPage } from "../browser.ts";

const address = { address_line1: "12 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };

describeInHouse("steps of an order that are taken back", (house) => {
  let number = 0;
  const must = async (method: string, path: string, body?: unknown) => {
    const answer = await house.live.must(method, path, body);
    return answer.data ?? answer;
  };

  /** An order for three units that are in stock. */
  const ordered = async () => {
    number += 1;
    const sku = `UNDO-${number}`;
    const [{ warehouse_id: location }] = await must("GET", "/inventory/locations");
    await must("POST", "/products", { sku, name: `Goods ${sku}`, price: "4.50", weight: 1, weight_unit: "lb" });
    await must("POST", "/inventory", { sku, quantity: 9, location });
    const { id, shipping_addresses } = await must("POST", "/customers", {
      email: `undo${number}@example.com`,
      first_name: "Jo",
      last_name: "Buyer",
      shipping_addresses: [address],
    });
    const order = await must("POST", "/orders", {
      order_number: `U-${number}`,
      customer_id: id,
      shipping_address_id: shipping_addresses[0].id,
      line_items: [{ sku, quantity: 3, unit_price: "4.50" }],
    });
    return { ...order, sku } as { readonly id: string; readonly order_number: string; readonly sku: string };
  };
  const lineOf = async (id: string) => {
    const { status, line_items } = await must("GET", `/orders/${id}`);
    return [status, line_items[0].quantity_picked, line_items[0].quantity_packed];
  };
  const submit = async (page: Page, name: string) => {
    await page.waitForSelector("dialog .effects li");
    await page.click(`dialog .form-acts .button:has-text("${name}")`);
    await page.waitForSelector("dialog", { state: "detached" });
  };
  const undo = async (page: Page, text: string) => {
    await page.click(".toast button:has-text('Undo')");
    await page.waitForSelector(`.toast:has-text("${text}")`);
  };
  const choose = async (page: Page, name: string) => {
    await page.click(".page-acts [aria-haspopup=menu]");
    await page.click(`[role=menuitem]:has-text("${name}")`);
  };

  test("a pick and a pack have an Undo in their toast, on the page and on the board", async () => {
    const order = await ordered();
    await must("POST", `/orders/${order.id}/process`, {});
    const { page } = await house.open(`/orders/${order.id}`);
    await page.click(".page-acts .button:has-text('Pick')");
    await submit(page, "Pick");
    expect(await lineOf(order.id)).toEqual(["processing", 3, 0]);
    await lookAtPage(page, ".toast button:has-text('Undo')", "order-undo-toast");
    await undo(page, "Units returned to their bins.");
    expect(await lineOf(order.id)).toEqual(["processing", 0, 0]);
    await page.goto(house.addressOf("/orders/board"));
    const card = page.locator(`[data-order="${order.id}"]`);
    await card.locator("[aria-haspopup=menu]").click();
    await page.click("[role=menuitem]:has-text('Pack')");
    await submit(page, "Pack");
    expect(await lineOf(order.id)).toEqual(["fulfilled", 3, 3]);
    // Packing also picked the units.
    await undo(page, "Units unpacked.");
    expect(await lineOf(order.id)).toEqual(["processing", 0, 0]);
    const history = await must("GET", `/orders/${order.id}/history`);
    expect(history.slice(-2).map(({ event, reason }: Record<string, string>) => `${event} ${reason}`)).toEqual([
      "unpack mistake",
      "unpick mistake",
    ]);
  }, 60_000);

  test("a pick and a pack of many orders have an Undo too, which leaves earlier picks alone", async () => {
    const [one, two, three] = [await ordered(), await ordered(), await ordered()];
    await must("POST", `/orders/${two.id}/pick`, { items: [{ sku: two.sku, quantity: 1 }] });
    const lines = () => Promise.all([one, two, three].map(({ id }) => lineOf(id)));
    const before = [
      ["pending", 0, 0],
      ["processing", 1, 0],
      ["pending", 0, 0],
    ];
    expect(await lines()).toEqual(before);
    const { page } = await house.open("/orders?status=pending,processing&sort=created_at");
    const bulk = async (name: string) => {
      for (const { order_number } of [one, two, three]) {
        await page.check(`[aria-label="Select ${order_number}"]`);
      }
      await page.click(".bulk-bar >> text=More actions");
      await page.locator("[role=menuitem]", { hasText: new RegExp(`^${name}$`) }).click();
      await page.click(`dialog button:has-text("${name}: 3 orders")`);
      await page.waitForSelector("dialog", { state: "detached" });
    };
    await bulk("Pick");
    await page.waitForSelector(".toast:has-text('3 orders picked.')");
    expect((await lines()).map(([, picked]) => picked)).toEqual([3, 3, 3]);
    await undo(page, "3 orders unpicked.");
    const undone = before.map(([, picked, packed]) => ["processing", picked, packed]);
    expect(await lines()).toEqual(undone);
    await bulk("Pack");
    await lookAtPage(page, ".toast:has-text('3 orders packed.')", "orders-packed-toast");
    expect((await lines()).map(([, , packed]) => packed)).toEqual([3, 3, 3]);
    await undo(page, "3 orders unpacked.");
    expect(await lines()).toEqual(undone);
    // With a reason of one's own, from the menu; orders without picks are skipped.
    await page.waitForSelector(`tr:has-text('${two.order_number}')`);
    for (const { order_number } of [one, two]) await page.check(`[aria-label="Select ${order_number}"]`);
    await page.click(".bulk-bar >> text=More actions");
    await page.click("[role=menuitem]:has-text('Unpick')");
    await page.waitForSelector(`dialog .refused li:has-text('${one.order_number}')`);
    await page.selectOption("dialog [name=reason]", "damaged");
    await page.click("dialog button:has-text('Unpick: 1 order')");
    await page.waitForSelector(".toast:has-text('1 order unpicked.')");
    expect(await lineOf(two.id)).toEqual(["processing", 0, 0]);
    const [last] = (await must("GET", `/orders/${two.id}/history`)).slice(-1);
    expect([last.event, last.reason]).toEqual(["unpick", "damaged"]);
  }, 60_000);

  test("units are unpacked and unpicked from the menu as long as that is possible", async () => {
    const order = await ordered();
    await must("POST", `/orders/${order.id}/pack`, {});
    const { page } = await house.open(`/orders/${order.id}`);
    await page.waitForSelector(".page-acts .button:has-text('Ship')");
    expect(await page.locator(".page-acts .button:has-text('Unpack')").count()).toBe(0);
    await choose(page, "Unpack");
    await page.waitForSelector(`dialog .effects:has-text("3 units of ${order.sku} are unpacked")`);
    await page.selectOption("dialog [name=reason]", "wrong_quantity");
    await page.fill(`[aria-label="Quantity of ${order.sku}"]`, "1");
    await page.waitForSelector(`dialog .effects:has-text("1 unit of ${order.sku} is unpacked")`);
    await lookAtPage(page, "dialog .effects:not(.stale) li", "order-unpack");
    await submit(page, "Unpack");
    expect(await lineOf(order.id)).toEqual(["processing", 3, 2]);
    await choose(page, "Unpick");
    await page.waitForSelector(`dialog .effects:has-text("1 unit of ${order.sku} returns to the bin")`);
    await page.selectOption("dialog [name=reason]", "other");
    await page.waitForSelector("dialog [name=note][required], dialog [name=note][aria-required=true]");
    const previewed = page.waitForResponse((response) => response.request().postData()?.includes("Torn box") ?? false);
    await page.fill("dialog [name=note]", "Torn box");
    await previewed;
    await lookAtPage(page, "dialog .effects:not(.stale) li", "order-unpick");
    await submit(page, "Unpick");
    expect(await lineOf(order.id)).toEqual(["processing", 2, 2]);
    await page.waitForSelector(".timeline:has-text('Unpicked')");
    await lookAtPage(page, ".timeline:has-text('Unpacked')", "order-undone");
  }, 60_000);

  test("a packed parcel without a label is reopened", async () => {
    const order = await ordered();
    const items = (quantity: number) => [{ sku: order.sku, quantity }];
    await must("POST", `/orders/${order.id}/pack`, { packages: [{ items: items(1) }, { items: items(2) }] });
    const { page } = await house.open(`/orders/${order.id}`);
    const second = page.locator("[aria-label='Parcel 2']");
    await lookAtPage(page, ".parcel button:has-text('Reopen parcel')", "order-reopen-parcel");
    await second.locator("button:has-text('Reopen parcel')").click();
    await lookAtPage(page, "dialog [name=reason]", "order-reopen");
    await page.click("dialog .form-acts .button:has-text('Reopen parcel')");
    await page.waitForSelector(".toast:has-text('Parcel reopened.')");
    await page.waitForSelector(".parcel.voided");
    expect(await page.locator(".parcel.voided button:has-text('Reopen parcel')").count()).toBe(0);
    const { line_items, shipments } = await must("GET", `/orders/${order.id}`);
    expect(line_items[0].quantity_packed).toBe(shipments[0].items[0].quantity);
  }, 60_000);
});
