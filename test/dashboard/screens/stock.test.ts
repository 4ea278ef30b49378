import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { partsOf, shares, totalsAfter } from "../../../src/dashboard/web/screens/stock/stock_shares.ts";
import { describeInHouse, lookAt } from "../browser.ts";

const at = { location: "whs_1001" };

/** The numbers that the picture shows, by their parts. */
async function shown(page: Page): Promise<Record<string, number>> {
  const parts = await page.$$eval("strong[data-part]", (all) =>
    all.map((one) => [one.getAttribute("data-part") ?? "", Number(one.textContent)] as const),
  );
  return Object.fromEntries(parts);
}

test("every part that is not zero is visible in the chart, and the parts fill the bar", () => {
  for (const units of [
    [1, 999_999, 0, 3],
    [5, 5, 5, 5],
    [0, 0, 7, 0],
    [100_000, 1, 1, 1],
  ]) {
    const wide = shares(units, 1000);
    expect(Math.round(wide.reduce((sum, one) => sum + one, 0))).toBe(1000);
    expect(wide.map((one) => one >= 13.9)).toEqual(units.map((one) => one > 0));
  }
});

test("the parts of the chart add up to the units on hand", () => {
  const unavailable = { quarantined: 1, damaged: 2, expired: 0, short_dated: 0, putback: 3, returns: 0 };
  const level = { on_hand: 30, available: 9, reserved: 15, picked: 4, unavailable, incoming: 7, backordered: 8 };
  const { available, promised, picked, apart, ...others } = partsOf(level as Parameters<typeof partsOf>[0]);
  expect([available, promised, picked, apart.map(({ units }) => units)]).toEqual([9, 11, 4, [1, 2, 3]]);
  expect(others).toEqual({ on_hand: 30, incoming: 7, backordered: 8 });
  expect(available + promised + picked + apart.reduce((sum, { units }) => sum + units, 0)).toBe(level.on_hand);
});

test("the running balance counts back from the units on hand over receipts, issues and moves", () => {
  const row = (id: string, from_location: string | null, to_location: string, quantity: number) =>
    ({ id, from_location, to_location, quantity }) as Parameters<typeof totalsAfter>[0][number];
  const rows = [
    row("4", "A", "customer", 2),
    row("3", "A", "B", 5),
    row("2", "in_transit", "A", 3),
    row("1", null, "A", 9),
  ];
  expect([...totalsAfter(rows, 10)]).toEqual([
    ["4", 10],
    ["3", 12],
    ["2", 12],
    ["1", 9],
  ]);
});

describeInHouse("the stock", (house) => {
  const level = async (sku: string) => (await house.live.must("GET", `/inventory/${sku}`)).data;
  beforeAll(async () => {
    for (const sku of ["TEA", "RICE", "SALT"]) {
      await house.live.must("POST", "/products", { sku, name: `${sku} in a bag`, reorder_point: 5 });
    }
    await house.live.must("POST", "/inventory", { sku: "TEA", quantity: 20, bin: "A-01-1", ...at });
    await house.live.must("POST", "/inventory", { sku: "RICE", quantity: 3, bin: "A-01-2", ...at });
  });

  test("is searched and filtered by the address, and leads to the page of a SKU", async () => {
    const { page } = await house.open("/stock?status=low_stock");
    await page.waitForSelector("tr:has-text('RICE')");
    expect(await page.locator("tbody tr").count()).toBe(1);
    await page.click("button:has-text('Clear filters')");
    await page.waitForSelector("tr:has-text('SALT')");
    await page.click("th button:has-text('Available')");
    await page.waitForSelector("tbody tr:first-child:has-text('TEA')");
    expect(new URL(page.url()).searchParams.get("sort")).toBe("-available");
    await page.click("tr:has-text('TEA') a");
    await page.waitForSelector("h1:has-text('TEA in a bag')");
  });

  test("of a SKU is drawn as the API returns it, adjusted, moved, undone and quarantined", async () => {
    const reserve = { order_id: "EXT-1", items: [{ sku: "TEA", quantity: 6 }] };
    await house.live.must("POST", "/inventory/reserve", reserve);
    const { page } = await house.open("/stock/TEA");
    await page.waitForSelector("strong[data-part=promised]:has-text('6')");
    const { available, reserved, picked, incoming, backordered } = await level("TEA");
    expect(await shown(page)).toEqual({
      available,
      promised: reserved - picked,
      picked,
      apart: 0,
      incoming,
      backordered,
    });

    await page.click("button:has-text('Adjust')");
    await page.fill("[name=counted]", "18");
    await page.waitForSelector(".will:has-text('20 → 18')");
    await page.selectOption("[name=reason]", "damaged");
    await page.click("dialog button:has-text('Adjust')");
    await page.waitForSelector("dialog", { state: "detached" });
    expect(await level("TEA")).toMatchObject({ on_hand: 18, available: 12 });

    await page.click(".page-acts button:has-text('Move')");
    await page.fill("[name=quantity]", "18");
    await page.fill("[name=to_bin]", "B-02-1");
    await page.click("dialog button:has-text('Move')");
    await page.waitForSelector("tr:has-text('B-02-1')");
    expect(await level("TEA")).toMatchObject({ on_hand: 18, reserved: 6, locations: [{ location: "B-02-1" }] });
    await page.click(".toast button:has-text('Undo')");
    await page.waitForSelector("tr:has-text('A-01-1')");
    expect(await level("TEA")).toMatchObject({ reserved: 6, locations: [{ location: "A-01-1" }] });

    await page.click("[aria-label=More] >> nth=0");
    await page.click("[role=menuitem]:has-text('Quarantine')");
    await page.fill("[name=quantity]", "4");
    await page.click("dialog button:has-text('Quarantine')");
    await page.waitForSelector("strong[data-part=apart]:has-text('4')");
    expect(await level("TEA")).toMatchObject({ available: 8, unavailable: { quarantined: 4 } });
    expect((await shown(page))["available"]).toBe(8);
    // What somebody else does is seen at once.
    await page.waitForSelector("html[data-connected=true]");
    await house.live.must("POST", "/inventory", { sku: "TEA", quantity: 5, bin: "A-01-1", ...at });
    await page.waitForSelector("strong[data-part=available]:has-text('13')");
  });

  test("shows what a product needs, and adds a missing zone", async () => {
    await house.live.must("POST", "/products", {
      ...{ sku: "PEAS-1", name: "Frozen peas", weight: 1, weight_unit: "lb" },
      ...{ temperature_zone: "frozen", lot_tracking: true, expiration_tracking: true },
    });
    const { page } = await house.open("/stock");
    await page.click(".page-acts >> text=Add stock");
    await page.waitForSelector("dialog [role=combobox]");
    await page.click("dialog [role=combobox]");
    await page.keyboard.type("PEAS");
    await page.waitForSelector("[role=option]:has-text('PEAS-1')");
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog >> text=PEAS-1 tracks lots. Enter the lot number from the carton.");
    await page.waitForSelector("dialog >> text=PEAS-1 tracks expiry. Enter the date from the carton.");
    await page.waitForSelector("dialog .notice:has-text('PEAS-1 needs a frozen zone')");
    await page.fill("dialog [name=expiration_date]", "2020-01-01");
    await page.waitForSelector("dialog .notice:has-text('This date has passed')");
    await page.click("dialog button:has-text('Add frozen zone')");
    await page.click("dialog:has-text('Add a frozen zone to') .dialog-acts button:has-text('Add frozen zone')");
    await page.waitForSelector("dialog .notice:has-text('PEAS-1 needs a frozen zone')", { state: "detached" });
    await page.fill("dialog [name=expiration_date]", "2099-01-01");
    await page.fill("dialog [name=lot_number]", "P-1");
    await page.fill("dialog [name=quantity]", "4");
    await page.click("dialog .form-acts button:has-text('Add stock')");
    await page.waitForSelector("dialog", { state: "detached" });
    expect((await house.live.must("GET", "/inventory/PEAS-1")).data.total).toBe(4);
  });

  test("lists who did what in its ledger, with the balance after each movement", async () => {
    await house.live.must("PATCH", "/inventory/RICE", { adjustment: -1, reason: "damaged" });
    const { page } = await house.open("/stock/RICE?tab=ledger");
    await page.waitForSelector("tr:has-text('Damaged')");
    const cells = (label: string) => page.$$eval(`td[data-label="${label}"]`, (all) => all.map((it) => it.textContent));
    expect([await cells("Change"), await cells("On-hand balance")]).toEqual([
      ["-1", "+3"],
      ["2", "3"],
    ]);
    await page.selectOption("select[aria-label=What]", "receipt");
    await page.waitForSelector("tr:has-text('Damaged')", { state: "detached" });
    // A list with gaps tells no running balance.
    expect(await cells("On-hand balance")).toEqual([]);
  });

  test("shows the API's refusal at the entry", async () => {
    const tab = await house.open("/stock/TEA");
    tab.expectRefusals(409, 422);
    const { page } = tab;
    await page.click(".page-acts button:has-text('Move')");
    await page.fill("[name=quantity]", "9000");
    await page.fill("[name=to_bin]", "B-02-1");
    await page.click("dialog button:has-text('Move')");
    await page.waitForSelector("dialog [role=alert]:has-text('can be moved from there')");
    expect(await page.inputValue("[name=to_bin]")).toBe("B-02-1");
  });

  test("looks right", async () => {
    await lookAt(house, "/stock", "tr:has-text('TEA')", "stock");
    await lookAt(house, "/stock/TEA", "strong[data-part=available]", "stock-sku");
    await lookAt(house, "/stock/TEA?tab=ledger", "tr:has-text('Received')", "stock-ledger");
  }, 120_000);
});
