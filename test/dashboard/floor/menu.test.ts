import { beforeAll, expect, test } from "bun:test";
import { describeInHouse, handhelds, lookAtPage } from "../browser.ts";
import { after, eanOf, equip, openFloor, scan, wedge } from "./worker.ts";

describeInHouse("looking up and moving goods on the floor", (house) => {
  let shop: Awaited<ReturnType<typeof equip>>;
  const cup = eanOf(0);
  const bins = async (sku: string) => {
    const { data } = await shop.must("GET", `/inventory/items?sku=${sku}`);
    return Object.fromEntries(data.map((item: { bin: string; quantity: number }) => [item.bin, item.quantity]));
  };
  beforeAll(async () => {
    shop = await equip(house);
  }, 60_000);

  test("a product, a bin and an unknown code are looked up, and the unknown code is attached", async () => {
    const { page } = await openFloor(house, "/floor/look_up");
    await scan(page, cup);
    await page.waitForSelector(".floor-entry:has-text('Cup, 12 oz') li:has-text('A-01') .floor-of:text-is('50')");
    await lookAtPage(page, ".floor-entry li", "floor-look-up", handhelds);
    await scan(page, "a-01");
    await page.waitForSelector(".floor-entry:has-text('Bin A-01') li:has-text('Cup, 12 oz')");
    const unknown = eanOf(77);
    expect(await scan(page, unknown)).toMatchObject({ kind: "wrong", text: expect.stringContaining(unknown) });
    await scan(page, "CUP");
    await lookAtPage(page, `text=Attach ${unknown}`, "floor-attach", handhelds);
    expect(await after(page, () => page.click(`text=Attach ${unknown}`))).toMatchObject({ kind: "done" });
    expect(await scan(page, unknown)).toMatchObject({ kind: "right" });
    await page.waitForSelector(".floor-entry:has-text('Cup, 12 oz')");
  });

  test("each of several quick scans counts, and a move that gets no answer is sent again, once", async () => {
    await shop.must("POST", "/inventory", { sku: "BOWL", quantity: 1, bin: "C-01", location: "whs_1001" });
    const tab = await openFloor(house, "/floor/move");
    const { page } = tab;
    tab.expectFailures();
    await page.route("**/v1/floor/lookup**", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 800));
      await route.continue();
    });
    let lost = 0;
    await page.route("**/v1/inventory/moves", async (route) => {
      // The server gets the first request, and its response is lost.
      if (lost++ > 0) return route.continue();
      await route.fetch();
      await route.abort();
    });
    for (const code of ["A-01", cup, cup, cup]) await wedge(page, code);
    await page.waitForSelector(".floor-step .floor-number:text-is('3')");
    expect(await scan(page, "X-99")).toMatchObject({ kind: "wrong" });
    await lookAtPage(page, ".floor-step", "floor-move", handhelds);
    await page.click("text=Enter units");
    await page.click(".floor-pad-keys >> text='4'");
    await lookAtPage(page, ".floor-pad", "floor-pad", handhelds);
    await page.click(".floor-pad >> text=OK");
    expect(await scan(page, "C-01")).toMatchObject({ kind: "done", text: expect.stringContaining("4 × CUP") });
    expect(await bins("CUP")).toEqual({ "A-01": 46, "C-01": 4 });
    expect(lost).toBeGreaterThan(1);
  });

  test("the units of a cancelled order are put back", async () => {
    const { id } = await shop.order("P-1", [["PLATE", 2]]);
    await shop.must("POST", `/orders/${id}/process`, {});
    await shop.must("POST", `/orders/${id}/pick`, {});
    await shop.must("DELETE", `/orders/${id}`);
    const tab = await openFloor(house, `/floor/put_back/${id}`);
    const { page } = tab;
    expect(await scan(page, cup)).toMatchObject({ kind: "wrong", text: expect.stringContaining("Cup, 12 oz") });
    expect(await scan(page, eanOf(1))).toMatchObject({ kind: "right" });
    await lookAtPage(page, ".floor-step", "floor-put-back", handhelds);
    expect(await scan(page, "A-02")).toMatchObject({ kind: "done" });
    await page.waitForSelector("text=Nothing left to put back");
    expect(await bins("PLATE")).toEqual({ "A-02": 50 });
  });
});
