import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { buyerOf } from "../../build/buyer.ts";
import { describeInHouse, lookAt, lookAtPage } from "../browser.ts";

describeInHouse("the list and the board of orders", (house) => {
  let make: (order_number: string, quantity?: number) => Promise<{ id: string; order_number: string }>;
  beforeAll(async () => {
    const { live } = house;
    const buyer = await buyerOf(live.must, { email: "ada@example.com", first_name: "Ada", last_name: "Buyer" });
    await live.must("POST", "/products", {
      sku: "TEA-1",
      name: "Green tea",
      weight: 1,
      weight_unit: "lb",
      barcodes: [{ value: "036000291452", type: "upc" }],
    });
    await live.must("POST", "/inventory", { sku: "TEA-1", quantity: 100, location: "whs_1001" });
    make = (order_number, quantity = 1) => buyer.order(order_number, [["TEA-1", quantity]]);
  }, 60_000);

  test("many orders are put on hold at once: effects are previewed, refusals are reported", async () => {
    const [one, two, gone] = [await make("B-1"), await make("B-2"), await make("B-3")];
    await house.live.must("POST", `/orders/${gone.id}/ship`, {});
    const { page } = await house.open("/orders?q=B-");
    await page.waitForSelector("tr:has-text('B-3')");
    await page.click("thead input[type=checkbox]");
    await page.click(".bulk-bar >> text=More actions");
    await page.click("[role=menuitem]:has-text('Hold')");
    await page.waitForSelector("dialog >> text=2 orders will change.");
    await page.waitForSelector("dialog .refused li:has-text('B-3')");
    await page.selectOption("dialog [name=reason]", "fraud");
    await page.click("dialog button:has-text('Hold: 2 orders')");
    await page.waitForSelector(".toast:has-text('2 orders put on hold.')");
    await page.waitForSelector("dialog", { state: "detached" });
    for (const { id } of [one, two]) {
      const { status, holds } = (await house.live.must("GET", `/orders/${id}`)).data;
      expect([status, holds[0].reason]).toEqual(["on_hold", "fraud"]);
    }
    await page.waitForSelector("tr:has-text('B-1') .badge:has-text('On hold')");
    // A view is an address, and can be kept under a name.
    await page.click(".views >> text=Held");
    await page.waitForSelector("tr:has-text('B-2')");
    expect(new URL(page.url()).searchParams.get("status")).toBe("on_hold");
    await page.selectOption("[aria-label='Hold reason']", "fraud");
    await page.click("text=Save view");
    await page.fill("dialog [name=name]", "Fraud");
    await page.click("dialog label:has-text('Share with everyone')");
    await page.click("dialog button:has-text('Save')");
    await page.reload();
    await page.waitForSelector(".views [aria-current=page]:has-text('Fraud') .count:text-is('2')");
    await lookAtPage(page, ".views .count", "order-views");
    await page.click("[aria-label='Remove view Fraud']");
    await page.waitForSelector(".views a:has-text('Fraud')", { state: "detached" });
    await page.click(".toast >> text=Undo");
    await page.waitForSelector(".views a:has-text('Fraud')");
  }, 20_000);

  const api = (page: Page, method: string, path: string, body?: object): Promise<{ status: number; data: never }> =>
    page.evaluate(
      `fetch("/dashboard/api${path}", { method: "${method}", headers: { "content-type": "application/json" },
        body: ${JSON.stringify(JSON.stringify(body))} }).then((answer) => answer.json())`,
    );
  const savedNames = async (page: Page): Promise<string[]> =>
    page.evaluate(
      `[...document.querySelectorAll(".views .view a")].map((one) => one.textContent.replace(/\\d+$/, "")).slice(10)`,
    );

  test("a saved view is renamed, moved and shared by keyboard; another user's is removed once confirmed", async () => {
    const { page } = await house.open("/orders");
    for (const { id } of (await api(page, "GET", "/views?list=orders")).data as { id: string }[])
      await api(page, "DELETE", `/views/${id}`);
    for (const name of ["Alpha", "Beta", "Gamma"])
      await api(page, "POST", "/views", { list: "orders", name, params: { q: name } });
    await page.goto(house.addressOf("/orders?q=Gamma"));
    await page.focus("[aria-label='Edit view Gamma']");
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog [name=name]:focus");
    await lookAtPage(page, "dialog [name=position]", "order-view-edit");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Delta");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.selectOption("dialog [name=position]", { label: "After Alpha" });
    await page.focus("dialog [name=name]");
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog", { state: "detached" });
    await page.waitForSelector(".views a[aria-current=page]:has-text('Delta') .icon");
    expect(await savedNames(page)).toEqual(["Alpha", "Delta", "Beta"]);
    await page.waitForSelector("[aria-label='Edit view Delta']:focus");
    // Undo puts a view back where it was, and shares it as before.
    await page.click("[aria-label='Remove view Delta']");
    await page.click(".toast >> text=Undo");
    await page.waitForSelector(".views a:has-text('Delta') .icon");
    expect(await savedNames(page)).toEqual(["Alpha", "Delta", "Beta"]);
    // Another user sees it, without the buttons. The owner may remove theirs, once they have confirmed.
    const link = (await house.live.must("POST", "/invitations", { email: "ben@example.com", role: "office" })).data
      .link;
    const other = await house.open(`/invitation#${link.split("#")[1]}`, { signed_out: true });
    other.expectRefusals(401);
    await other.page.fill("[name=name]", "Ben Office");
    for (const name of ["password", "again"]) await other.page.fill(`[name=${name}]`, "a long enough password");
    await other.page.click("button:has-text('Accept')");
    await other.page.waitForSelector("nav");
    await api(other.page, "POST", "/views", { list: "orders", name: "Ben's", params: { q: "ben" }, shared: true });
    await other.page.goto(house.addressOf("/orders?q=Gamma"));
    await other.page.waitForSelector(".views a[aria-current=page]:has-text('Delta')");
    expect(await savedNames(other.page)).toEqual(["Ben's", "Delta"]);
    expect(await other.page.locator("[aria-label*='view Delta']").count()).toBe(0);
    await page.goto(house.addressOf("/orders?q=ben"));
    await page.click(`[aria-label="Remove view Ben's"]`);
    await page.waitForSelector("dialog >> text=Ben Office saved this view");
    await page.click("dialog .button.danger");
    await page.waitForSelector(".toast:has-text('removed')");
    await page.waitForSelector(`.views a:has-text("Ben's")`, { state: "detached" });
    expect(await page.locator(".toast >> text=Undo").count()).toBe(0);
  }, 60_000);

  test("a view of today's orders keeps the words, which stand for days of this device", async () => {
    const { page } = await house.open("/orders");
    const params = { status: "pending", ship_by_after: "today", ship_by_before: "tomorrow" };
    await api(page, "POST", "/views", { list: "orders", name: "Due", params });
    const asked: string[] = [];
    page.on("request", (request) => void asked.push(request.url()));
    const lastOf = (path: string) => asked.map((url) => new URL(url)).findLast(({ pathname }) => pathname === path);
    await page.goto(house.addressOf("/orders"));
    await page.waitForSelector(".views a:has-text('Due') .count");
    await page.click(".views a:has-text('Due')");
    await page.waitForSelector(".views a[aria-current=page]:has-text('Due')");
    await page.waitForSelector(".list-bar label:has-text('(today)') input[type=date]");
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual(params);
    await lookAtPage(page, ".views [aria-current=page]", "order-view-today");
    const [from, until] = await page.evaluate<[string, string]>(
      "[0, 24].map((hours) => ((day) => (day.setHours(hours, 0, 0, 0), day.toISOString()))(new Date()))",
    );
    const list = lastOf("/v1/orders")?.searchParams;
    expect([list?.get("ship_by_after"), list?.get("ship_by_before")]).toEqual([from, until]);
    const counted = lastOf("/dashboard/api/view_counts")?.searchParams.get("views") ?? "[]";
    expect(JSON.parse(counted)).toContainEqual({ ...params, ship_by_after: from, ship_by_before: until });
  }, 60_000);

  test("views that a browser stored are moved to the server, once, and follow their user", async () => {
    const { page } = await house.open("/orders");
    await page.waitForSelector(".views .count");
    const stored = [
      { name: "Old one", params: { q: "B-1" } },
      { name: "Old two", params: { short: "true", sort: "created_at" } },
    ];
    await page.evaluate((text) => localStorage.setItem("packhouse.views.orders", text), JSON.stringify(stored));
    await page.reload();
    await page.waitForSelector(".views a:has-text('Old one') .count:text-is('1')");
    await page.waitForSelector(".views a:has-text('Old two')");
    // They are the user's from then on, and moved once.
    const left = await page.evaluate(
      `new Promise((done) => {
        const isMoved = (name) => name.endsWith(".views.orders") && localStorage[name] === "[]";
        const look = () => {
          if (Object.keys(localStorage).some(isMoved)) done(localStorage["packhouse.views.orders"]);
          else setTimeout(look, 20);
        };
        look();
      })`,
    );
    expect(left).toBeUndefined();
    const other = await house.open("/orders");
    await other.page.waitForSelector(".views a:has-text('Old two')");
    expect(await other.page.locator(".views a:has-text('Old one')").count()).toBe(1);
    await other.close();
  }, 20_000);

  test("the counts of views follow changes by others", async () => {
    const { page } = await house.open("/orders");
    const held = await page.locator(".views a:has-text('Held') .count").textContent();
    await page.waitForSelector("html[data-connected=true]");
    const order = await make("V-1");
    await house.live.must("POST", `/orders/${order.id}/hold`, { reason: "fraud" });
    await page.waitForSelector(`.views a:has-text('Held') .count:text-is("${Number(held) + 1}")`);
  }, 20_000);

  test("the board shows changes by others at once, and offers exactly the actions that an order allows", async () => {
    const order = await make("C-1");
    const { page } = await house.open("/orders/board");
    const column = (name: string) => `.board-column:has(h2:has-text('${name}'))`;
    await page.waitForSelector(`${column("Pending")} .board-card:has-text('C-1')`);
    await page.waitForSelector("html[data-connected=true]");
    await page.click(".board-card:has-text('C-1') button");
    await page.waitForSelector("[role=menuitem]");
    const offered = await page.locator("[role=menuitem]").allTextContents();
    const { allowed_actions } = (await house.live.must("GET", `/orders/${order.id}`)).data;
    expect(offered.length).toBe(allowed_actions.length + 1);
    await page.click("[role=menuitem]:has-text('Send to picking')");
    await page.waitForSelector("dialog .effects li:has-text('The order becomes processing')");
    expect((await house.live.must("GET", `/orders/${order.id}`)).data.status).toBe("pending");
    await page.click("dialog .form-acts .button:has-text('Send to picking')");
    await page.waitForSelector("dialog", { state: "detached" });
    await page.waitForSelector(`${column("Processing")} .board-card:has-text('C-1')`);
    // A second person, far away.
    await house.live.must("POST", `/orders/${order.id}/pack`, {});
    await page.waitForSelector(`${column("Packed")} .board-card:has-text('C-1')`);
    const { statuses } = (await house.live.must("GET", "/orders/counts")).data;
    await page.waitForSelector(`${column("Packed")} h2 .count:text-is("${statuses.fulfilled}")`);
    await page.focus(".board-card:has-text('C-1') a");
    await page.keyboard.press("ArrowLeft");
    expect(await page.evaluate("document.activeElement.closest('.board-card') !== null")).toBe(true);
    expect(await page.evaluate("document.activeElement.textContent")).not.toBe("C-1");
  });

  test("an irreversible action asks for confirmation, on the board and in bulk", async () => {
    const [one, two] = [await make("ASK-1"), await make("ASK-2")];
    const statusOf = async ({ id }: { id: string }) => (await house.live.must("GET", `/orders/${id}`)).data.status;
    await house.live.must("POST", `/orders/${one.id}/pack`, {});
    const { page } = await house.open("/orders/board");
    for (const action of ["Ship", "Cancel order"]) {
      await page.click(".board-card:has-text('ASK-1') button");
      await page.click(`[role=menuitem]:has-text('${action}')`);
      await page.waitForSelector("dialog .effects li");
      await page.keyboard.press("Escape");
      await page.waitForSelector("dialog", { state: "detached" });
      expect(await statusOf(one)).toBe("fulfilled");
    }
    // A hold has an undo.
    await page.click(".board-card:has-text('ASK-2') button");
    await page.click("[role=menuitem]:has-text('Hold')");
    await page.click(".toast:has-text('ASK-2 put on hold') >> text=Undo");
    await page.waitForSelector(".board-column:has(h2:has-text('Pending')) .board-card:has-text('ASK-2')");
    expect(await statusOf(two)).toBe("pending");
    await page.goto(house.addressOf("/orders?q=ASK-"));
    await page.waitForSelector("tr:has-text('ASK-2')");
    await page.click("thead input[type=checkbox]");
    await page.click(".bulk-bar >> text=More actions");
    await page.click("[role=menuitem]:has-text('Cancel orders')");
    await page.waitForSelector("dialog button:has-text('Cancel 2 orders')");
    await page.click("dialog button:has-text('Go back')");
    expect([await statusOf(one), await statusOf(two)]).toEqual(["fulfilled", "pending"]);
  });

  test("a scanned number opens its record at once, typed text gives a choice", async () => {
    const order = await make("D-77");
    const { page } = await house.open("/orders/board");
    await page.waitForSelector(".board-card");
    await page.keyboard.press("/");
    await page.waitForSelector("dialog.palette input:focus");
    // A scanner is quick, and ends with Enter before anything can have been found.
    await page.keyboard.insertText("d-77");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/orders/${order.id}`);
    await page.keyboard.press("Control+k");
    await page.waitForSelector("dialog.palette input:focus");
    await page.keyboard.insertText("buyer");
    await page.waitForSelector(".palette-offer:has-text('Ada Buyer'):has-text('Customer')");
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog.palette", { state: "detached" });
    await page.keyboard.press("Control+k");
    await page.waitForSelector("dialog.palette input:focus");
    await page.keyboard.insertText("0036000291452");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/products/prd_*");
  });

  test("look right", async () => {
    await make("SHORT-1", 500);
    await lookAt(house, "/orders", "tr:has-text('SHORT-1')", "orders");
    await lookAt(house, "/orders/board", ".board-card:has-text('SHORT-1')", "orders-board");
  }, 60_000);
});
