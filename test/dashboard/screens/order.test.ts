import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { describeInHouse, lookAt, lookAtPage } from "../browser.ts";

const address = { address_line1: "12 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };

describeInHouse("the orders of one house", (house) => {
  let number = 0;

  const must = async (method: string, path: string, body?: unknown) => {
    const answer = await house.live.must(method, path, body);
    return answer.data ?? answer;
  };
  /** A product of which units lie on the shelf. */
  const stocked = async (sku: string, quantity: number, fields: object = {}) => {
    const [{ warehouse_id: location }] = await must("GET", "/inventory/locations");
    await must("POST", "/products", {
      sku,
      name: `Goods ${sku}`,
      price: "4.50",
      weight: 1,
      weight_unit: "lb",
      ...fields,
    });
    if (quantity > 0) await must("POST", "/inventory", { sku, quantity, location });
  };
  const customer = async (fields: object = {}) =>
    must("POST", "/customers", {
      email: `buyer${++number}@example.com`,
      first_name: "Jo",
      last_name: `Buyer${number}`,
      shipping_addresses: [address],
      ...fields,
    });
  const ordered = async (lines: readonly (readonly [sku: string, quantity: number])[], fields: object = {}) => {
    const { id, shipping_addresses } = await customer();
    return must("POST", "/orders", {
      order_number: `H-${++number}`,
      customer_id: id,
      shipping_address_id: shipping_addresses[0].id,
      line_items: lines.map(([sku, quantity]) => ({ sku, quantity, unit_price: "4.50" })),
      ...fields,
    });
  };
  const press = (page: Page, name: string) => page.click(`.page-acts .button:has-text("${name}")`);
  const confirmed = async (page: Page, name: string) => {
    await page.waitForSelector("dialog .effects li");
    await page.click(`dialog .form-acts .button:has-text("${name}")`);
    await page.waitForSelector("dialog", { state: "detached" });
  };

  /** Ships a parcel that has a label, which names the carrier and the number already. */
  const shipLabelled = async (page: Page) => {
    await press(page, "Ship");
    await page.waitForSelector("dialog .effects li");
    expect(await page.locator("dialog [name=carrier], dialog [name=tracking_number]").count()).toBe(0);
    await confirmed(page, "Ship");
    await page.waitForSelector("h1 + .badge:has-text('Shipped')");
    await page.waitForSelector(".parcel header .badge:has-text('Picked up')");
    expect(await page.locator(".parcel header .badge").count()).toBe(1);
    await page.waitForSelector(".parcel header:has-text('Packhouse Courier')");
  };

  test("an order is created by hand for a new customer and ends as a shipped parcel", async () => {
    await stocked("MILK-1", 9);
    await stocked("TEA-1", 4);
    const { page } = await house.open("/orders/new");
    await page.waitForSelector("[role=combobox]:focus");
    await page.keyboard.type("new@example.com");
    await page.waitForSelector("[role=option]:has-text('New customer')");
    await page.keyboard.press("Enter");
    await page.fill("[name=first_name]", "Grace");
    await page.fill("[name=last_name]", "Hopper");
    for (const [name, value] of Object.entries({ name: "Grace Hopper", ...address, country: "US" })) {
      const field = `[name="address.${name}"]`;
      if (name === "country") await page.selectOption(field, value);
      else await page.fill(field, value);
    }
    await page.waitForSelector(".address-check");
    // From here on without the mouse: the product, how many of it, the next one.
    await page.focus(".entry-add [role=combobox]");
    await page.keyboard.type("milk");
    await page.waitForSelector("[role=option]:has-text('MILK-1')");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[aria-label='Quantity of MILK-1']:focus");
    await page.keyboard.type("3");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".entry-add [role=combobox]:focus");
    await page.keyboard.type("TEA-1");
    await page.waitForSelector("[role=option]:has-text('TEA-1')");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[aria-label='Quantity of TEA-1']:focus");
    await page.fill("[name=order_number]", "HAND-1");
    // Left by accident: what was entered is there again.
    await page.click("nav >> text=Products");
    await page.waitForSelector("h1:has-text('Products')");
    await page.goBack();
    await page.waitForSelector("text=Your unfinished order was restored");
    expect(await page.inputValue("[aria-label='Quantity of MILK-1']")).toBe("3");
    await page.waitForSelector(".effects li:has-text('Customer Grace Hopper is created')");
    await page.waitForSelector(".effects li:has-text('Order HAND-1 is created. Item total: $18.00.')");
    await page.click("button:has-text('Create order')");
    await page.waitForSelector("h1:has-text('HAND-1')");
    const made = await must("GET", "/orders/HAND-1");
    expect(made).toMatchObject({ status: "pending", customer: { name: "Grace Hopper" }, subtotal: 18 });

    await press(page, "Send to picking");
    await confirmed(page, "Send to picking");
    await press(page, "Pick");
    await page.waitForSelector("dialog .effects:has-text('3 units of MILK-1 are picked')");
    await confirmed(page, "Pick");
    await press(page, "Pack");
    await confirmed(page, "Pack");
    await page.click("text=Buy label");
    await page.waitForSelector(".rate-table tbody tr");
    await page.click(".rate-table tbody tr >> nth=0");
    await page.click("dialog .button.primary:has-text('Buy for')");
    await page.click("dialog .button.primary:has-text('Buy at sample prices')");
    await page.waitForSelector("dialog:has-text(' bought.')");
    await page.click("dialog >> text=Done");
    const [label] = await must("GET", `/shipping/labels?order_id=${made.id}`);
    await page.waitForSelector(`.parcel:has-text("${label.tracking_number}")`);
    await page.click("text=Print label");
    await page.waitForSelector("dialog iframe.paper");
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog", { state: "detached" });
    await shipLabelled(page);
    expect(await must("GET", `/orders/${made.id}`)).toMatchObject({
      status: "shipped",
      shipments: [{ status: "shipped", tracking_number: label.tracking_number }],
    });
    await page.waitForSelector(".timeline li >> nth=5");
  }, 90_000);

  test("the effects of an action are previewed, and none happens before confirmation; a hold is undone", async () => {
    await stocked("EGG-1", 5);
    const order = await ordered([["EGG-1", 4]]);
    const { page, expectRefusals } = await house.open(`/orders/${order.id}`);
    await page.click("[aria-label='More actions']");
    await page.click("[role=menuitem]:has-text('Cancel order')");
    await page.waitForSelector("dialog .effects li:has-text('reserved 4 → 0, available 1 → 5')");
    await page.click("dialog >> text=Go back");
    await page.waitForSelector("dialog", { state: "detached" });
    expect(await must("GET", `/orders/${order.id}`)).toEqual(order);
    // The focus is back where it came from.
    await page.waitForSelector("[aria-label='More actions']:focus");
    await page.click("[aria-label='More actions']");
    await page.click("[role=menuitem]:has-text('Hold')");
    await page.selectOption("dialog [name=reason]", "payment");
    await page.waitForSelector("dialog .effects li:has-text('on hold (payment)')");
    await confirmed(page, "Hold");
    await page.waitForSelector("h1 + .badge:has-text('On hold')");
    await page.click(".toast >> text=Undo");
    await page.waitForSelector("h1 + .badge:has-text('Pending')");
    // A dialog keeps the order as it was when it was opened, so that nobody acts on what they have not seen.
    await page.click("[aria-label='More actions']");
    await page.click("[role=menuitem]:has-text('Cancel order')");
    await page.waitForSelector("dialog .effects li");
    await must("PATCH", `/orders/${order.id}`, { order_notes: "Ring twice." });
    expectRefusals(412);
    await page.click("dialog button.danger");
    await page.waitForSelector("dialog .notice:has-text('Someone else edited this')");
  });

  test("buttons match the allowed actions, items are cancelled, backordered items are split off", async () => {
    await stocked("JAM-1", 2);
    const order = await ordered([["JAM-1", 6]]);
    const { page } = await house.open(`/orders/${order.id}`);
    await page.waitForSelector(".plan-item:has-text('4 units backordered')");
    await page.click("[aria-label='More actions']");
    await page.waitForSelector("[role=menuitem]");
    const offered = await page.$$eval(".page-acts .button.primary, .page-acts .button.normal, [role=menuitem]", (all) =>
      all.map((one) => one.textContent?.trim()),
    );
    const acts = ["Send to picking", "Pick", "Pack", "Ship", "Hold", "Cancel order", "Cancel items", "Split"];
    for (const act of acts) expect([act, offered.includes(act)]).toEqual([act, true]);
    for (const act of ["Release", "Mark delivered", "Create return"]) {
      expect([act, offered.includes(act)]).toEqual([act, false]);
    }
    await page.click("[role=menuitem]:has-text('Cancel items')");
    await page.fill("dialog [aria-label='Quantity of JAM-1']", "1");
    await page.waitForSelector("dialog .effects li:has-text('1 unit of JAM-1 is cancelled')");
    await confirmed(page, "Cancel items");
    await page.click("[aria-label='More actions']");
    await page.click("[role=menuitem]:has-text('Split')");
    // What waits for stock is chosen already.
    await page.waitForSelector(`dialog .effects li:has-text("${order.order_number}-2")`);
    await confirmed(page, "Split");
    expect(await must("GET", `/orders/${order.order_number}-2`)).toMatchObject({
      allocation: { backordered_units: 3 },
    });
    expect((await must("GET", `/orders/${order.id}`)).allocation.complete).toBe(true);
    // A refusal is said in the dialog, in the API's own words.
    const tab = await house.open(`/orders/${order.id}`);
    tab.expectRefusals(422);
    await tab.page.click("[aria-label='More actions']");
    await tab.page.click("[role=menuitem]:has-text('Cancel items')");
    await tab.page.fill("dialog [aria-label='Quantity of JAM-1']", "77");
    await tab.page.waitForSelector("dialog .effects .notice:has-text('exceeds what is left')");
  });

  test("an order is edited, and changes by others appear", async () => {
    await stocked("RYE-1", 9);
    const order = await ordered([["RYE-1", 2]]);
    const { page } = await house.open(`/orders/${order.id}/change`);
    await page.fill("[aria-label='Quantity of RYE-1']", "5");
    await page.fill("[name=order_notes]", "Ring twice.");
    await page.waitForSelector(".effects li:has-text('3 units of RYE-1 are added')");
    await page.click("button:has-text('Save')");
    await page.waitForSelector(`h1:has-text("${order.order_number}")`);
    expect(await must("GET", `/orders/${order.id}`)).toMatchObject({
      order_notes: "Ring twice.",
      line_items: [{ quantity: 5, quantity_reserved: 5 }],
    });
    await page.waitForSelector("html[data-connected=true]");
    await must("POST", `/orders/${order.id}/hold`, { reason: "fraud", note: "Looks odd." });
    await page.waitForSelector(".notice:has-text('Looks odd.')");
  });

  test("a return is created, received, inspected and refunded", async () => {
    await stocked("PAN-1", 5);
    const order = await ordered([["PAN-1", 3]]);
    await must("POST", `/orders/${order.id}/ship`, {});
    const { page } = await house.open("/returns");
    await page.click(".empty >> text=New return");
    await page.fill("#return-order", order.order_number);
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog [aria-label='Quantity of PAN-1']");
    await page.fill("dialog [aria-label='Quantity of PAN-1']", "2");
    await page.waitForSelector("dialog .effects li:has-text('2 units of PAN-1 are expected back')");
    await page.click("dialog >> text=Create return");
    await page.waitForSelector("h1:has-text('Return for ')");
    await press(page, "Receive");
    await confirmed(page, "Receive");
    await press(page, "Inspect");
    await page.click("dialog >> text=Add another finding");
    await page.selectOption("dialog [aria-label='Found: PAN-1'] >> nth=1", "damaged");
    await page.waitForSelector("dialog .effects li:has-text('1 unit of PAN-1: dispose')");
    await confirmed(page, "Inspect");
    await press(page, "Refund");
    await page.waitForSelector("dialog .effects li:has-text('$9.00 is refunded')");
    await confirmed(page, "Refund");
    const [found] = await must("GET", `/returns?order_id=${order.id}`);
    expect(found).toMatchObject({
      status: "completed",
      items: [{ inspections: [{ disposition: "restock" }, { disposition: "dispose" }] }],
      refunds: [{ amount: 9 }],
    });
    await page.click(".refund button:has-text('Paid')");
    await page.click("dialog .button.primary");
    await page.waitForSelector(".refund .badge:has-text('Refunded')");
  });

  test("no foreign text is executed as script", async () => {
    const nasty = (name: string) => `<img src=x onerror="window.hit='${name}'"> "${name}' &lt;b>`;
    await stocked(`X"><b>1`, 9, { name: nasty("product") });
    const who = await customer({
      first_name: nasty("first"),
      last_name: nasty("last"),
      company: nasty("company"),
      shipping_addresses: [{ ...address, name: nasty("name"), address_line1: nasty("line1"), company: nasty("firm") }],
    });
    const order = await must("POST", "/orders", {
      order_number: nasty("number"),
      customer_id: who.id,
      shipping_address_id: who.shipping_addresses[0].id,
      line_items: [{ sku: `X"><b>1`, quantity: 2, unit_price: "1.00" }],
      shipping_method: nasty("method"),
      order_notes: nasty("notes"),
      metadata: { "<b onclick=alert(1)>": nasty("value") },
    });
    await must("POST", `/orders/${order.id}/hold`, { reason: "other", note: nasty("hold") });
    const { page } = await house.open(`/orders/${order.id}`);
    for (const text of ["number", "product", "name", "line1", "method", "notes", "value", "hold"]) {
      await page.waitForSelector(`text=onerror="window.hit='${text}'">`);
    }
    await must("POST", `/orders/${order.id}/release`, {});
    await must("POST", `/orders/${order.id}/ship`, {
      carrier: nasty("carrier").slice(0, 90),
      service: nasty("service"),
    });
    const found = await must("POST", "/returns", {
      order_id: order.id,
      reason: "other",
      items: [{ sku: `X"><b>1`, quantity: 1, notes: nasty("return") }],
    });
    const other = await house.open(`/returns/${found.id}`);
    await other.page.waitForSelector(`text=onerror="window.hit='return'">`);
    await page.waitForSelector(`.parcel:has-text("window.hit='carrier'")`);
    const entry = await house.open(`/orders/new?customer=${who.id}`);
    await entry.page.waitForSelector(`text=window.hit='first'`);
    const change = await house.open("/returns");
    await change.page.waitForSelector(`tr:has-text("${found.id}")`);
    for (const tab of [page, other.page, entry.page, change.page])
      expect(await tab.evaluate("window.hit")).toBeUndefined();
  });

  test("an order that its buyer collects is created by hand, without labels, and found in the list", async () => {
    await stocked("COLLECT-1", 5);
    const { customer_id } = await ordered([["COLLECT-1", 1]]);
    const { page } = await house.open(`/orders/new?customer=${customer_id}`);
    await page.focus(".entry-add [role=combobox]");
    await page.keyboard.type("COLLECT-1");
    await page.waitForSelector("[role=option]:has-text('COLLECT-1')");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[aria-label='Quantity of COLLECT-1']:focus");
    await page.keyboard.type("2");
    await page.fill("[name=order_number]", "COLLECTED-1");
    await page.click("[name=pickup]");
    await page.click("button:has-text('Create order')");
    await page.waitForSelector("h1:has-text('COLLECTED-1')");
    expect(await must("GET", "/orders/COLLECTED-1")).toMatchObject({ fulfillment_type: "pickup" });
    await page.waitForSelector("text=Send to picking");
    expect(await page.locator("button:has-text('Buy label')").count()).toBe(0);
    const list = await house.open("/orders?fulfillment_type=pickup");
    await list.page.waitForSelector("tbody tr:has-text('COLLECTED-1'):has-text('Collected by the buyer')");
    expect(await list.page.locator("tbody tr").count()).toBe(1);
    await lookAtPage(list.page, "tbody tr", "orders-collected");
  });

  test("look right", async () => {
    await stocked("LOOK-1", 3);
    const order = await ordered([["LOOK-1", 5]], { order_notes: "By the back door." });
    const sent = await ordered([["LOOK-1", 1]]);
    await must("POST", `/orders/${order.id}/ship`, { partial: true, carrier: "Bob", tracking_number: "BOB-7" });
    const back = await must("POST", "/returns", { order_id: order.id, reason: "defective" });
    await must("POST", `/returns/${back.id}/receive`, {});
    await lookAt(house, `/orders/${order.id}`, ".plan-item", "order");
    await lookAt(house, `/orders/${sent.id}/change`, ".effects", "order-change");
    await lookAt(house, "/orders/new", "[role=combobox]", "order-new");
    await lookAt(house, "/returns", `tr:has-text("${back.id}")`, "returns");
    await lookAt(house, `/returns/${back.id}`, `h1:has-text("${order.order_number}")`, "return");
  }, 180_000);
});
